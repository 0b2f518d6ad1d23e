/// The folded key or prefix of a search. It gives its bytes one at a time or eight at a time.
@unsafe struct SearchKey {
  private let bytes: UnsafePointer<UInt8>?
  let count: Int
  /// The head of the key: ``KeyBlocks/head(of:)``.
  let head: UInt64

  @inline(__always) init(_ key: UnsafeBufferPointer<UInt8>, head: UInt64) {
    unsafe (bytes, count, self.head) = (key.baseAddress, key.count, head)
  }

  /// The byte at `position`, which lies within the key.
  @inline(__always) func byte(_ position: Int) -> UInt8 {
    unsafe assert(position >= 0 && position < count)
    return unsafe bytes.unsafelyUnwrapped[position]
  }

  /// Whether one of the bytes is the separator.
  ///
  /// Arithmetic is on the eight bytes of a word, with masked borrows.
  @inline(__always) var hasSeparator: Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var position = 0
    while unsafe position < count {
      // A separator becomes zero. A byte can be mistaken for zero only above a real zero.
      let word = unsafe word(position) ^ (ones &* UInt64(Fold.separator))
      if (word &- ones) & ~word & (ones &* 0x80) != 0 { return true }
      position &+= 8
    }
    return false
  }

  /// The bytes from `position`, which lies within the key, the first one lowest; zeros behind the key's end.
  @inline(__always) func word(_ position: Int) -> UInt64 {
    // Positions are below `count`.
    guard unsafe count > 8 else { return unsafe head.byteSwapped &>> UInt64(8 &* position) }
    let start = unsafe min(position, count &- 8)
    let word = unsafe UInt64(littleEndian: (bytes.unsafelyUnwrapped + start).load())
    return word &>> UInt64(8 &* (position &- start))
  }
}

extension KeyBlocks {
  /// Returns the mask of the bytes in a head that a key or a prefix of `size` bytes fills.
  @inline(__always) static func headMask(_ size: Int) -> UInt64 { ~(UInt64.max >> UInt64(8 &* size)) }

  /// Returns the first eight bytes as a number of the same order. Missing bytes count as 0, which no folded key has.
  @inline(__always) package static func head(of bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return 0 }
    if bytes.count >= 8 { return unsafe UInt64(bigEndian: start.load()) }
    // Shifts are by fewer than eight bytes.
    let last = bytes.count &- 1
    if bytes.count >= 4 {
      // Two halves, which overlap in the middle.
      let first = unsafe UInt64(UInt32(littleEndian: start.load()))
      let second = unsafe UInt64(UInt32(littleEndian: (start + (last &- 3)).load()))
      return (first | second &<< UInt64(8 &* (last &- 3))).byteSwapped
    }
    let middle = bytes.count >> 1
    let (first, second, third) = unsafe (UInt64(start[0]), UInt64(start[middle]), UInt64(start[last]))
    return (first | second &<< UInt64(8 &* middle) | third &<< UInt64(8 &* last)).byteSwapped
  }
}
