/// A position in the window of a dataset. Code may read ``InputWindow/padding`` more bytes after the window's last
/// byte; these bytes end every scan.
typealias Bytes = UnsafePointer<UInt8>

/// Returns the bytes from `start` to `end`; valid until the window moves on.
@inline(__always) func stretch(_ start: Bytes, _ end: Bytes) -> UnsafeBufferPointer<UInt8> {
  unsafe UnsafeBufferPointer(start: start, count: end - start)
}

/// Returns whether a byte is an ASCII digit. The subtraction must wrap: a byte below "0" becomes a large number.
@inline(__always) func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

/// Operations on eight bytes at a time in one register.
///
/// The operators wrap: a carry or borrow out of the highest byte does not affect the others. A mask has the top bit of
/// each byte that it marks. The masks of ``zeroes`` are exact. The masks of ``anyZero`` and ``anyBelow32`` are exact up
/// to their lowest mark and may be wrong above it (a borrow travels upwards), which is cheaper and enough to find the
/// first mark.
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

/// Returns the number of line feeds in `count` bytes at `start`.
///
/// No lane wraps: a lane counts to 255 at most before pairs of lanes, of 16 bits, are added up.
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

/// Returns the first byte of `start ..< end` outside of well-formed UTF-8 (Unicode 16, table 3-7); nil if there is
/// none.
///
/// Overlong forms, surrogates and characters above U+10FFFF are not well-formed.
func firstInvalidUTF8(_ start: Bytes, _ end: Bytes) -> Bytes? {
  var p = unsafe start
  while unsafe p < end {
    let lead = unsafe p.pointee
    if lead < 0x80 {
      if unsafe end - p >= 8, unsafe Word.load(p) & Word.tops == 0 { unsafe p += 8 } else { unsafe p += 1 }
      continue
    }
    // The size of the sequence, and the range of its second byte; the other bytes are in 80...BF.
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
