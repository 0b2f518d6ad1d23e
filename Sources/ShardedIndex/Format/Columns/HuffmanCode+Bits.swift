extension HuffmanCode {
  /// Bytes as a run of bits, the highest bit of each byte first: from the first byte forward, or from the last byte
  /// back.
  @unsafe struct Bits {
    /// The number of codes that can always be read after ``advance()``: eight bytes of codes, less the passed bits of
    /// the first byte and the mark.
    static let atOnce = (64 - 7 - 1) / HuffmanCode.longestLimit

    private let isBackward: Bool
    /// The address from which, or up to which, ``word`` was read.
    private var start: UnsafePointer<UInt8>
    /// The end of the bytes in that direction.
    private let limit: UnsafePointer<UInt8>
    /// The next bits, highest first. The lowest one is a mark: the number of zeros below it is the number of bits
    /// passed since ``start``, so that passing a code needs no addition.
    private var word: UInt64 = 1

    /// - Parameter end: The end of the bytes.
    @inline(__always) init(_ first: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, isBackward: Bool) {
      unsafe self.isBackward = isBackward
      unsafe (start, limit) = isBackward ? (end, first) : (first, end)
    }

    /// The number of passed bits. Setting the highest bit changes nothing, but excludes zero.
    @inline(__always) private var passed: Int { unsafe (word | 1 &<< 63).trailingZeroBitCount }

    /// Reads again from the byte of the next bit on.
    ///
    /// - Returns: Whether that byte is one of the bytes, or the one behind the last.
    @inline(__always) mutating func advance() -> Bool {
      let passed = unsafe passed
      if unsafe isBackward {
        unsafe start -= passed &>> 3
        guard unsafe start >= limit else { return false }
        unsafe word = UInt64(littleEndian: (start - 8).load(as: UInt64.self))
      } else {
        unsafe start += passed &>> 3
        guard unsafe start <= limit else { return false }
        unsafe word = UInt64(bigEndian: start.load(as: UInt64.self))
      }
      unsafe word = (word | 1) &<< UInt64(passed & 7)
      return true
    }

    /// Reads the next code and returns its number.
    @inline(__always) mutating func number(_ table: UnsafePointer<UInt16>) -> UInt8 {
      let entry = unsafe table[Int(word &>> UInt64(64 - HuffmanCode.longestLimit))]
      // Only six bits of the shift count.
      unsafe word &<<= UInt64(entry)
      return UInt8(truncatingIfNeeded: entry &>> 8)
    }

    /// The address behind the last byte with a passed bit, or before it; nil if the rest of that byte is not zero.
    @inline(__always) var end: UnsafePointer<UInt8>? {
      let passed = unsafe passed
      let whole = passed &>> 3
      let next = unsafe isBackward ? start - whole : start + whole
      guard passed & 7 > 0 else { return unsafe next }
      let byte = unsafe (isBackward ? next - 1 : next).pointee
      guard byte &<< UInt8(passed & 7) == 0 else { return nil }
      return unsafe isBackward ? next - 1 : next + 1
    }
  }
}
