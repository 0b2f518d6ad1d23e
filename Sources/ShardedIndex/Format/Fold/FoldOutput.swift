/// The written part of a fold, in memory of the caller.
///
/// Counts are bytes of a text in memory, so sums of a few counts cannot wrap.
@unsafe struct FoldOutput {
  private let start: UnsafeMutablePointer<UInt8>
  let capacity: Int
  /// The number of bytes so far. A writer compares it with the capacity before it appends.
  var count: Int

  /// - Parameter target: Not empty.
  @inline(__always) init(_ target: UnsafeMutableBufferPointer<UInt8>, count: Int = 0) {
    unsafe start = target.baseAddress.unsafelyUnwrapped
    unsafe (capacity, self.count) = (target.count, count)
  }

  @inline(__always) subscript(index: Int) -> UInt8 {
    get {
      unsafe assert(index >= 0 && index < capacity)
      return unsafe start[index]
    }
    nonmutating set {
      unsafe assert(index >= 0 && index < capacity)
      unsafe start[index] = newValue
    }
  }

  /// The address of a byte of the fold.
  @inline(__always) func address(_ index: Int) -> UnsafeMutablePointer<UInt8> { unsafe start + index }

  @inline(__always) mutating func append(_ byte: UInt8) {
    unsafe self[count] = byte
    unsafe count &+= 1
  }

  /// Appends the fold of one ASCII byte. White space and separators depend on the byte before.
  @inline(__always) mutating func append(ascii byte: UInt8) {
    let mapped = unsafe FoldTable.ascii.utf8Start[Int(byte)]
    if mapped > Fold.space {
      unsafe append(mapped)
    } else if mapped == Fold.space {
      unsafe appendSpace()
    } else if mapped == Fold.separator {
      unsafe appendSeparator()
    }
  }

  @inline(__always) mutating func appendSpace() {
    // Only the space and the separator are below 0x21.
    guard unsafe count > 0, unsafe self[count &- 1] > Fold.space else { return }
    unsafe append(Fold.space)
  }

  @inline(__always) mutating func appendSeparator() {
    if unsafe count > 0, unsafe self[count &- 1] == Fold.space { unsafe count &-= 1 }
    unsafe append(Fold.separator)
  }

  /// Appends the UTF-8 of a scalar.
  @inline(__always) mutating func append(scalar: UInt32) {
    let low = UInt8(truncatingIfNeeded: scalar) & 0x3f | 0x80
    let next = UInt8(truncatingIfNeeded: scalar >> 6)
    if scalar < 0x80 {
      unsafe append(UInt8(truncatingIfNeeded: scalar))
    } else if scalar < 0x800 {
      unsafe append(next | 0xc0)
      unsafe append(low)
    } else if scalar < 0x10000 {
      unsafe append(UInt8(truncatingIfNeeded: scalar >> 12) | 0xe0)
      unsafe append(next & 0x3f | 0x80)
      unsafe append(low)
    } else {
      unsafe append(UInt8(truncatingIfNeeded: scalar >> 18) | 0xf0)
      unsafe append(UInt8(truncatingIfNeeded: scalar >> 12) & 0x3f | 0x80)
      unsafe append(next & 0x3f | 0x80)
      unsafe append(low)
    }
  }
}

// Most texts begin with ASCII, which is folded eight bytes at a time.
extension FoldOutput {
  /// Appends the fold of a text up to its first byte that is not ASCII, and returns the number of bytes up to there.
  ///
  /// The fold is empty so far. The capacity is at least the size of the text, which is enough, since a byte becomes one
  /// byte at most.
  @inline(__always)
  mutating func appendASCIIPrefix(of text: UnsafeBufferPointer<UInt8>) -> Int {
    let input = unsafe text.baseAddress.unsafelyUnwrapped
    var position = 0
    while position < text.count {
      let size = min(8, text.count &- position)
      let word = unsafe Self.word(of: text, at: position)
      // In a word, a space at the start of the fold or behind a space or a separator is folded by itself.
      let before = unsafe count == 0 ? Fold.space : self[count &- 1]
      if unsafe count &+ 8 <= capacity, let small = unsafe Self.fold(word, afterGap: before <= Fold.space) {
        unsafe address(count).store(small.littleEndian)
        unsafe count &+= size
        position &+= size
        continue
      }
      let end = position &+ size
      while position < end {
        let byte = unsafe input[position]
        guard byte < 0x80 else { return position }
        unsafe append(ascii: byte)
        position &+= 1
      }
    }
    return position
  }

  /// Returns up to eight bytes of a text from `position` on, the first one lowest; letters "a" fill the word.
  @inline(__always)
  private static func word(of text: UnsafeBufferPointer<UInt8>, at position: Int) -> UInt64 {
    let (input, left) = unsafe (text.baseAddress.unsafelyUnwrapped, text.count &- position)
    if left >= 8 { return UInt64(littleEndian: unsafe (input + position).load()) }
    // Shifts are by fewer than eight bytes.
    let fill: UInt64 = 0x6161_6161_6161_6161 &<< UInt64(8 &* left)
    if text.count >= 8 {  // The last eight bytes; those before `position` are shifted out.
      let last = UInt64(littleEndian: unsafe (input + (text.count &- 8)).load())
      return last &>> UInt64(64 &- 8 &* left) | fill
    }
    // Here `position` is 0, and the loads overlap.
    if left >= 4 {
      let low = UInt32(littleEndian: unsafe input.load())
      let high = UInt32(littleEndian: unsafe (input + (left &- 4)).load())
      return UInt64(low) | UInt64(high) &<< UInt64(8 &* (left &- 4)) | fill
    }
    let (first, middle, last) = unsafe (UInt64(input[0]), UInt64(input[left / 2]), UInt64(input[left &- 1]))
    return first | middle &<< UInt64(8 &* (left / 2)) | last &<< UInt64(8 &* (left &- 1)) | fill
  }

  /// Returns eight bytes in small letters, or nil if one of them is not ASCII, is removed or depends on its neighbours.
  @inline(__always)
  private static func fold(_ word: UInt64, afterGap: Bool) -> UInt64? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let high = ones &* 0x80
    // The high bit of each byte is the result. Bytes below 0x80 carry nothing over, and `~word` excludes the others.
    let printable = word &+ ones &* 0x60  // At least 0x20
    let notComma = (word ^ ones &* 0x2c) &+ ones &* 0x7f
    let notGrave = (word ^ ones &* 0x60) &+ ones &* 0x7f
    let notDelete = (word ^ ones &* 0x7f) &+ ones &* 0x7f
    guard ~word & printable & notComma & notGrave & notDelete & high == high else { return nil }
    let spaces = ~((word ^ ones &* 0x20) &+ ones &* 0x7f) & high
    guard spaces & (spaces << 8 | (afterGap ? 0x80 : 0)) == 0 else { return nil }
    let capitals = (word &+ ones &* 0x3f) & ~(word &+ ones &* 0x25) & high  // At least "A", not over "Z"
    return word | capitals >> 2
  }
}
