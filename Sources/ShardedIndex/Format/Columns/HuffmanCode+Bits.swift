extension HuffmanCode {
  /// Bytes as a run of bits, the highest of each first: from the first byte on, or from the last one back.
  @unsafe struct Bits {
    /// The least number of codes that can be read after ``advance()``: those in eight bytes, less the bits that are
    /// passed in the first byte and the mark.
    static let atOnce = (64 - 7 - 1) / HuffmanCode.longestLimit

    private let isBackward: Bool
    /// The address from which ``word`` was read on, or up to which.
    private var start: UnsafePointer<UInt8>
    /// The end of the bytes in that direction.
    private let limit: UnsafePointer<UInt8>
    /// The bits to come, highest first. Its lowest one is a mark: below it are as many zeros as bits were passed since
    /// ``start``, so that passing a code adds nothing up.
    private var word: UInt64 = 1

    /// - Parameter end: Behind the last of the bytes.
    @inline(__always) init(_ first: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, isBackward: Bool) {
      unsafe self.isBackward = isBackward
      unsafe (start, limit) = isBackward ? (end, first) : (first, end)
    }

    /// The count of bits that were passed. Setting the highest bit changes nothing, but excludes zero.
    @inline(__always) private var passed: Int { unsafe (word | 1 &<< 63).trailingZeroBitCount }

    /// Reads on from the byte that the next bit is in.
    ///
    /// - Returns: Whether that is one of them, or the one behind the last.
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

    /// The number whose code comes next, which is passed.
    @inline(__always) mutating func number(_ table: UnsafePointer<UInt16>) -> UInt8 {
      let entry = unsafe table[Int(word &>> UInt64(64 - HuffmanCode.longestLimit))]
      // Of what is shifted by six bits count.
      unsafe word &<<= UInt64(entry)
      return UInt8(truncatingIfNeeded: entry &>> 8)
    }

    /// The address behind the last byte of which bits are passed, or before it; nil if the rest of that byte is not
    /// zero.
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
