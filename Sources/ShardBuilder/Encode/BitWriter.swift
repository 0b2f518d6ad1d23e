/// A writer of runs of bits, the lowest bit first.
package struct BitWriter: ~Copyable {
  /// The whole words, little-endian.
  private var words: [UInt64] = []
  private var pending: UInt64 = 0
  private var pendingCount = 0
  private let announced: Int
  package private(set) var bitCount = 0

  /// - Parameter bitCount: The most bits that the caller will write.
  package init(bitCount: Int) {
    announced = bitCount
    words.reserveCapacity(bitCount / 64 + 1)
  }

  /// Writes the low `width` bits of `value`, at most 56; the bits above must be 0.
  package mutating func write(_ value: UInt64, _ width: Int) {
    bitCount += width
    precondition(width <= 56 && bitCount <= announced, "more bits than there is room for")
    pending |= value << UInt64(pendingCount)
    pendingCount += width
    guard pendingCount >= 64 else { return }
    words.append(pending.littleEndian)
    pendingCount -= 64
    pending = value >> UInt64(width - pendingCount)
  }

  /// Returns the written bits as bytes, with zeros after the last bit.
  package mutating func finish() -> [UInt8] {
    if pendingCount > 0 { words.append(pending.littleEndian) }
    (pending, pendingCount) = (0, 0)
    return unsafe words.withUnsafeBytes { unsafe Array($0[..<((bitCount + 7) / 8)]) }
  }
}
