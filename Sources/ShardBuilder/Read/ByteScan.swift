/// A position in the window of a dataset. Behind the window's last byte ``InputWindow/padding`` more may be read, which
/// have the bytes that end a scan.
typealias Bytes = UnsafePointer<UInt8>

/// Returns the bytes from `start` to `end`; valid until the window moves on.
@inline(__always) func stretch(_ start: Bytes, _ end: Bytes) -> UnsafeBufferPointer<UInt8> {
  unsafe UnsafeBufferPointer(start: start, count: end - start)
}

/// Whether a byte is an ASCII digit. The subtraction wraps on purpose: a byte below "0" becomes a large number.
@inline(__always) func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

/// Eight bytes at a time in one register.
///
/// The operators wrap on purpose: a carry or borrow out of the highest byte says nothing of the others.
/// A mask has the top bit of each byte that it marks. Those of ``zeroes`` are exact. Those of ``anyZero`` and
/// ``anyBelow32`` are exact up to their lowest mark and may be wrong above it (a borrow travels upwards), which is
/// cheaper and enough to find the first.
enum Word {
  static let ones: UInt64 = 0x0101_0101_0101_0101
  static let tops: UInt64 = 0x8080_8080_8080_8080

  /// The eight bytes at `p`, the first in the lowest bits.
  @inline(__always) static func load(_ p: Bytes) -> UInt64 {
    unsafe UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
  }

  @inline(__always) static func filled(_ byte: UInt8) -> UInt64 { ones &* UInt64(byte) }

  @inline(__always) static func zeroes(_ x: UInt64) -> UInt64 {
    ~(((x & ~tops) &+ ~tops) | x | ~tops)
  }

  @inline(__always) static func anyZero(_ x: UInt64) -> UInt64 { (x &- ones) & ~x & tops }

  @inline(__always) static func anyBelow32(_ x: UInt64) -> UInt64 { (x &- filled(0x20)) & ~x & tops }
}

@inline(__always) func isJSONSpace(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}

/// Returns how many line feeds there are in `count` bytes at `start`.
///
/// No lane wraps: it counts to 255 at most before pairs of lanes, of 16 bits, are added up.
func lineFeeds(_ start: Bytes, _ count: Int) -> Int {
  var total = 0
  var p = unsafe start
  let end = unsafe start + count
  let feeds = Word.filled(0x0A)
  while unsafe end - p >= 8 {
    // Eight lanes count, then pairs of lanes are added up.
    var lanes: UInt64 = 0
    let stop = unsafe min(p + 8 * 255, end - 7)
    while unsafe p < stop {
      unsafe lanes &+= Word.zeroes(Word.load(p) ^ feeds) &>> 7
      unsafe p += 8
    }
    let pairs = (lanes & 0x00FF_00FF_00FF_00FF) &+ (lanes &>> 8 & 0x00FF_00FF_00FF_00FF)
    total += Int(truncatingIfNeeded: (pairs &* 0x0001_0001_0001_0001) &>> 48)
  }
  while unsafe p < end {
    unsafe total += p.pointee == 0x0A ? 1 : 0
    unsafe p += 1
  }
  return total
}

/// Returns the first byte of `start ..< end` that is not part of well-formed UTF-8 (Unicode 16, table 3-7); nil if all
/// is.
///
/// Overlong forms, surrogates and what lies above U+10FFFF are not well-formed.
func firstInvalidUTF8(_ start: Bytes, _ end: Bytes) -> Bytes? {
  var p = unsafe start
  while unsafe p < end {
    let lead = unsafe p.pointee
    if lead < 0x80 {
      if unsafe end - p >= 8, unsafe Word.load(p) & Word.tops == 0 { unsafe p += 8 } else { unsafe p += 1 }
      continue
    }
    // The sequence's size and the range its second byte must be in: the rest are 80...BF.
    let size: Int
    var (low, high): (UInt8, UInt8) = (0x80, 0xBF)
    switch lead {
    case 0xE1...0xEC, 0xEE, 0xEF: size = 3
    case 0xC2...0xDF: size = 2
    case 0xE0: (size, low) = (3, 0xA0)
    case 0xED: (size, high) = (3, 0x9F)
    case 0xF1...0xF3: size = 4
    case 0xF0: (size, low) = (4, 0x90)
    case 0xF4: (size, high) = (4, 0x8F)
    default: return unsafe p
    }
    guard unsafe end - p >= size, unsafe p[1] >= low, unsafe p[1] <= high, unsafe size < 3 || p[2] & 0xC0 == 0x80,
      unsafe size < 4 || p[3] & 0xC0 == 0x80
    else { return unsafe p }
    unsafe p += size
  }
  return nil
}
