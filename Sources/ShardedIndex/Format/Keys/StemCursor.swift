/// A forward walk through the stems of a part, which makes each stem whole in a buffer.
@unsafe package struct StemCursor {
  private let keys: KeyBlocks
  private let buffer: UnsafeMutablePointer<UInt8>
  private var suffix: UnsafePointer<UInt8>
  /// The index of the record whose stem is in the buffer.
  package private(set) var index: Int
  package private(set) var stemSize: Int

  /// Makes a cursor at record `index`. `buffer` has at least ``KeyBlocks/longestStem`` + 64 bytes.
  @inline(__always)
  package init(_ keys: KeyBlocks, at index: Int, buffer: UnsafeMutablePointer<UInt8>) {
    unsafe self.keys = keys
    unsafe self.buffer = buffer
    let block = index >> KeyBlocks.blockShift
    unsafe self.index = block << KeyBlocks.blockShift
    unsafe suffix = keys.suffixes(ofBlock: block)
    unsafe stemSize = keys.suffixSize(self.index)
    unsafe copyShort(suffix, to: buffer, stemSize)
    unsafe suffix += stemSize
    while unsafe self.index < index { unsafe advance() }
  }

  package var stem: UnsafePointer<UInt8> { unsafe .init(buffer) }

  /// Moves to the next record, which must exist.
  @inline(__always)
  package mutating func advance() {
    unsafe index &+= 1
    let rest = unsafe keys.suffixSize(index)
    // A restart point is stored whole, also if it shares bytes.
    let common = unsafe index & (KeyBlocks.blockSize - 1) == 0 ? 0 : keys.sharedSize(index)
    unsafe copyShort(suffix, to: buffer + common, rest)
    unsafe suffix += rest
    unsafe stemSize = common &+ rest
  }
}

extension KeyBlocks {
  /// Calls `body` with the whole folded key of each record in `range`, in order.
  package func forEachKey(in range: Range<Int>, _ body: (Int, UnsafeBufferPointer<UInt8>) -> Void) {
    guard !range.isEmpty else { return }
    let room = longestStem + 64
    // A suffix field has 255 bytes at most.
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * room + 256) { scratch in
      let (stem, whole) = unsafe (scratch.baseAddress!, scratch.baseAddress! + room)
      var cursor = unsafe StemCursor(self, at: range.lowerBound, buffer: stem)
      for record in range {
        if record > range.lowerBound { unsafe cursor.advance() }
        unsafe whole.copy(from: cursor.stem, count: cursor.stemSize)
        var size = unsafe cursor.stemSize
        if suffixFieldCount > 0 {
          unsafe whole[size] = Fold.separator
          size += 1
          let suffixField = unsafe suffixField(Int(suffixFields[record]))
          for index in suffixField.indices { unsafe whole[size + index] = suffixField[index] }
          size += suffixField.count
        }
        unsafe body(record, .init(start: whole, count: size))
      }
    }
  }
}
