import CLibrary

/// Texts in place: in an arena, a batch or a window. A text is valid as long as its memory.
extension UnsafeBufferPointer<UInt8> {
  /// The text without bytes.
  static var empty: Self { unsafe Self(start: nil, count: 0) }

  /// Returns a part of the text as a text.
  @inline(__always) func part(_ range: Range<Int>) -> Self { unsafe Self(rebasing: self[range]) }
  @inline(__always) func part(_ range: PartialRangeFrom<Int>) -> Self { unsafe Self(rebasing: self[range]) }

  /// Loads the word at `offset`; all bytes of the word must be in the text.
  @inline(__always) fileprivate func load<Word: BitwiseCopyable>(_ offset: Int, as type: Word.Type) -> Word {
    unsafe UnsafeRawBufferPointer(self).loadUnaligned(fromByteOffset: offset, as: type)
  }
}

/// Compares two texts byte by byte, and returns a negative number, 0 or a positive number. Of two texts with a common
/// beginning the shorter is first.
@inline(__always)
func compareBytes(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
  let common = min(a.count, b.count)
  if common > 0 {
    let order = unsafe Int(memcmp(a.baseAddress!, b.baseAddress!, common))
    if order != 0 { return order }
  }
  return a.count - b.count
}

/// Returns the number of bytes at the beginning that two texts have in common.
@inline(__always)
func commonPrefix(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
  let common = min(a.count, b.count)
  var index = 0
  while index + 8 <= common {
    let difference = unsafe a.load(index, as: UInt64.self).littleEndian ^ b.load(index, as: UInt64.self).littleEndian
    if difference != 0 { return index + difference.trailingZeroBitCount / 8 }
    index += 8
  }
  while index < common, unsafe a[index] == b[index] { index += 1 }
  return index
}

/// Returns whether two texts have the same bytes.
@inline(__always)
package func equalBytes(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
  let count = a.count
  guard count == b.count else { return false }
  @inline(__always) func isSame<Word: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _: Word.Type) -> Bool {
    unsafe a.load(offset, as: Word.self) == b.load(offset, as: Word.self)
  }
  // The last word may overlap the word before it.
  if count >= 8 {
    var offset = 0
    while offset + 8 < count {
      guard isSame(offset, UInt64.self) else { return false }
      offset += 8
    }
    return isSame(count - 8, UInt64.self)
  }
  if count >= 4 { return isSame(0, UInt32.self) && isSame(count - 4, UInt32.self) }
  for index in 0..<count where unsafe a[index] != b[index] { return false }
  return true
}
