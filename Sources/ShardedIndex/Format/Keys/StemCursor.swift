/// Walks the stems of a part forward, each made whole in a buffer of its own.
package struct StemCursor {
  private let keys: KeyBlocks
  private let buffer: UnsafeMutablePointer<UInt8>
  private var suffix: UnsafePointer<UInt8>
  /// The index of the record whose stem is in the buffer.
  package private(set) var index: Int
  package private(set) var stemSize: Int

  /// Stands at record `index`. `buffer` holds at least ``KeyBlocks/longestStem`` + 64 bytes.
  @inline(__always)
  package init(_ keys: KeyBlocks, at index: Int, buffer: UnsafeMutablePointer<UInt8>) {
    self.keys = keys
    self.buffer = buffer
    let block = index >> KeyBlocks.blockShift
    self.index = block << KeyBlocks.blockShift
    suffix = keys.suffixes(ofBlock: block)
    stemSize = keys.suffixSize(self.index)
    copyShort(suffix, to: buffer, stemSize)
    suffix += stemSize
    while self.index < index { advance() }
  }

  package var stem: UnsafePointer<UInt8> { .init(buffer) }

  /// Moves to the next record, which must be there.
  @inline(__always)
  package mutating func advance() {
    index &+= 1
    let rest = keys.suffixSize(index)
    // A restart point is stored whole, whatever it shares.
    let common = index & (KeyBlocks.blockSize - 1) == 0 ? 0 : keys.sharedSize(index)
    copyShort(suffix, to: buffer + common, rest)
    suffix += rest
    stemSize = common &+ rest
  }
}

extension KeyBlocks {
  /// Calls `body` with the folded key of each record in `range`, in order, made whole.
  func forEachKey(in range: Range<Int>, _ body: (Int, UnsafeBufferPointer<UInt8>) -> Void) {
    guard !range.isEmpty else { return }
    let room = longestStem + 64
    // A tail has 255 bytes at most.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * room + 256) { scratch in
      let (stem, whole) = (scratch.baseAddress!, scratch.baseAddress! + room)
      var cursor = StemCursor(self, at: range.lowerBound, buffer: stem)
      for record in range {
        if record > range.lowerBound { cursor.advance() }
        whole.copy(from: cursor.stem, count: cursor.stemSize)
        var size = cursor.stemSize
        if tailCount > 0 {
          whole[size] = Fold.separator
          size += 1
          for byte in tail(Int(tails[record])) {
            whole[size] = byte
            size += 1
          }
        }
        body(record, .init(start: whole, count: size))
      }
    }
  }
}
