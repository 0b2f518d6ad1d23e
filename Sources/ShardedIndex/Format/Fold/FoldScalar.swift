/// A scalar of a text, and its entry in the table.
struct FoldScalar {
  let value: UInt32
  /// The size of its UTF-8, or of the ill-formed part that it replaces, in bytes.
  let length: Int

  /// Decodes the scalar at `bytes`: U+FFFD for the maximal ill-formed part.
  ///
  /// - Parameter available: The number of readable bytes, at least one.
  @inline(__always)
  init(at bytes: UnsafePointer<UInt8>, available: Int) {
    let first = unsafe bytes[0]
    if first < 0x80 {
      (value, length) = (UInt32(first), 1)
      return
    }
    // Four first bytes narrow the range of the second byte: no overlong forms, no surrogates, nothing beyond U+10FFFF.
    var (low, high): (UInt8, UInt8) = (0x80, 0xbf)
    let size: Int
    switch first {
    case 0xc2...0xdf: size = 2
    case 0xe0...0xef:
      size = 3
      if first == 0xe0 { low = 0xa0 } else if first == 0xed { high = 0x9f }
    case 0xf0...0xf4:
      size = 4
      if first == 0xf0 { low = 0x90 } else if first == 0xf4 { high = 0x8f }
    default:
      (value, length) = (0xfffd, 1)
      return
    }
    guard available >= 2, unsafe bytes[1] >= low, unsafe bytes[1] <= high else {
      (value, length) = (0xfffd, 1)
      return
    }
    var scalar = unsafe UInt32(first & (0x7f >> UInt8(size))) << 6 | UInt32(bytes[1] & 0x3f)
    var position = 2
    while position < size {
      guard position < available, unsafe bytes[position] & 0xc0 == 0x80 else {
        (value, length) = (0xfffd, position)
        return
      }
      scalar = unsafe scalar << 6 | UInt32(bytes[position] & 0x3f)
      position += 1
    }
    (value, length) = (scalar, size)
  }

  /// The value of a scalar that is removed. In the second stage, 0 keeps a scalar, and a value below this one is the
  /// combining class of a mark that is kept.
  static let removed: UInt16 = 255
  static let firstReplacement: UInt16 = 256
  /// The bit of a replacement's first byte that is set if the replacement has marks, white space or separators.
  static let complex: UInt8 = 0x40

  @inline(__always)
  static func lookUp(_ scalar: UInt32) -> UInt16 {
    // Below 0xe0000 the difference wraps to a number above the limit.
    guard scalar < 0x30000 else { return scalar &- 0xe0000 < 0x1000 ? removed : 0 }
    // In bounds: the first stage covers every scalar below, and the second stage has every block that the first names.
    let block = unsafe unpack(FoldTable.stage1.utf8Start + Int(scalar >> 6) * 2)
    return unsafe unpack(FoldTable.stage2.utf8Start + (Int(block) * 64 + Int(scalar & 63)) * 2)
  }

  /// Returns fourteen bits, seven a byte.
  @inline(__always)
  private static func unpack(_ bytes: UnsafePointer<UInt8>) -> UInt16 {
    let raw = UInt16(littleEndian: unsafe bytes.load())
    return raw & 0x7f | raw >> 1 & 0x3f80
  }

  /// The address of a replacement in the pool: a byte of its size and ``complex``, then its bytes.
  @inline(__always)
  static func replacement(_ value: UInt16) -> UnsafePointer<UInt8> {
    unsafe FoldTable.pool.utf8Start + Int(value - firstReplacement) * 2
  }

  /// Returns the kana that `base` and a voicing mark make; nil if there is none.
  static func voice(_ base: UInt32, isHalf: Bool) -> UInt32? {
    let isKatakana = base >= 0x30a1
    let hiragana = isKatakana ? base - 0x60 : base  // The two blocks are alike except wa to wo.
    if isHalf {
      return hiragana >= 0x306f && hiragana <= 0x307b && (hiragana - 0x306f) % 3 == 0 ? base + 2 : nil
    }
    switch hiragana {
    case 0x304b...0x3061: return hiragana % 2 == 1 ? base + 1 : nil  // ka to chi
    case 0x3064, 0x3066, 0x3068, 0x309d: return base + 1  // tsu, te, to, the iteration mark
    case 0x306f...0x307b: return (hiragana - 0x306f) % 3 == 0 ? base + 1 : nil  // ha to ho
    case 0x3046: return isKatakana ? 0x30f4 : 0x3094  // u
    case 0x308f...0x3092: return isKatakana ? base + 8 : nil  // wa to wo
    default: return nil
    }
  }
}
