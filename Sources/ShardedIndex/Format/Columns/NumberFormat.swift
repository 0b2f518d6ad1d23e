/// The rule that makes the text of a number from an integer. Source: docs/format.md section 6.4.
///
/// | type | a | b | the text of *v* |
/// |--:|---|---|---|
/// | 0 | | | a fixed text for every *v* |
/// | 1 | decimals, 0 to 18 | 0 | *v* / 10^a with exactly *a* decimals |
/// | 1 | decimals, 0 to 18 | 1 | the same, trailing zeros and a trailing point removed |
/// | 2 | decimals, 0 to 9 | decimals, 1 to 9 | *v* / 10^a as a 32-bit float, printed with *b* decimals, trimmed |
/// | 3 | | 0 | *v* sixtieths, rounded to five decimals, trimmed |
/// | 3 | | 1 to 9 | *v* sixtieths, rounded to five decimals, as a 32-bit float printed with *b* decimals, trimmed |
///
/// Type 3 is for coordinates that were surveyed in arc minutes, and type 2 for coordinates from a program that keeps 32
/// bits.
package struct NumberFormat: Hashable, BitwiseCopyable, Sendable {
  package var type: UInt8
  package var a: UInt8
  package var b: UInt8

  @inlinable package init(type: UInt8, a: UInt8, b: UInt8) {
    self.type = type
    self.a = a
    self.b = b
  }

  /// The format of a field that is not a number.
  static var text: NumberFormat { NumberFormat(type: 0, a: 0, b: 0) }

  package var isKnown: Bool {
    switch type {
    case 0: a == 0 && b == 0
    case 1: a <= 18 && b <= 1
    case 2: a <= 9 && b >= 1 && b <= 9
    case 3: a == 0 && b <= 9
    default: false
    }
  }

  /// Whether every value is written as a whole number, itself.
  package var isWhole: Bool { type == 1 && a == 0 }

  /// The size of the longest text of a value, in bytes: sign, 19 digits, a point, a zero before it.
  package static let longestText = 40

  /// Writes the text of `value` and returns its size in bytes. The text of type 0 is not here.
  @inline(__always)
  package func write(_ value: Int64, to target: UnsafeMutablePointer<UInt8>) -> Int {
    if type == 1 { return unsafe Self.write(value, decimals: Int(a), trimmed: b == 1, to: target) }
    var scaled = value
    var decimals = Int(a)
    if type == 3 {
      scaled = Self.hundredThousandths(ofSixtieths: value)
      decimals = 5
      if b == 0 { return unsafe Self.write(scaled, decimals: 5, trimmed: true, to: target) }
    }
    let stored = Float(Double(scaled) / Self.powerOfTen(decimals))
    // Programs print six decimals by default, so six is a constant in a path of its own.
    return unsafe b == 6
      ? Self.writeFloat(stored, decimals: 6, to: target) : Self.writeFloat(stored, decimals: Int(b), to: target)
  }

  /// Returns the printed number of a format that rounds by a float, in units of 10^-b.
  package func printed(_ value: Int64) -> Int64 {
    let isSixtieths = type == 3
    let scaled = isSixtieths ? Self.hundredThousandths(ofSixtieths: value) : value
    return Self.nearest(Float(Double(scaled) / Self.powerOfTen(isSixtieths ? 5 : Int(a))), decimals: Int(b)) ?? 0
  }

  /// The integer nearest to 5000 v / 3; there are no ties.
  @inline(__always) private static func hundredThousandths(ofSixtieths value: Int64) -> Int64 {
    (value &* 5000 &+ (value < 0 ? -1 : 1)) / 3
  }

  @inline(__always)
  private static func writeFloat(_ value: Float, decimals: Int, to target: UnsafeMutablePointer<UInt8>) -> Int {
    guard let nearest = nearest(value, decimals: decimals) else {
      return unsafe write(0, decimals: 0, trimmed: true, to: target)
    }
    return unsafe write(nearest, decimals: decimals, trimmed: true, to: target)
  }

  /// Returns the integer nearest to `value` in units of 10^-`decimals`, ties to even; nil from 2^51 on.
  @inline(__always)
  private static func nearest(_ value: Float, decimals: Int) -> Int64? {
    // A float's 24 bits times 10^9 = 5^9 2^9 take 24 + 21 bits: the product is exact.
    let scaled = Double(value) * Self.powerOfTen(decimals)
    guard scaled.magnitude < 0x1p51 else { return nil }
    // Adding 1.5 x 2^52 leaves the nearest integer, ties to even, in the low bits of the significand.
    return Int64(bitPattern: (scaled + 0x1.8p52).bitPattern) &- Int64(bitPattern: (0x1.8p52).bitPattern)
  }

  /// Writes the decimal text of `value` / 10^`decimals`; returns its size.
  @inline(__always)
  package static func write(
    _ value: Int64, decimals: Int, trimmed: Bool, to target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var at = unsafe target
    if value < 0 {
      unsafe at[0] = 0x2d
      unsafe at += 1
    }
    let magnitude = value.magnitude
    guard decimals > 0 else { return unsafe (at - target) &+ writeDigits(magnitude, to: at) }
    if decimals <= 6, magnitude < 1 << 40 {
      // The common case, coordinates: whole degrees, a point, six digits or fewer.
      let scale = scale(decimals)
      let whole = magnitude / scale
      unsafe at += writeDigits(whole, to: at)
      var fraction = UInt32(truncatingIfNeeded: magnitude &- whole &* scale)
      var count = decimals
      while count < 6 {
        fraction &*= 10
        count &+= 1
      }
      unsafe at[0] = 0x2e
      let high = fraction / 10_000
      let middle = fraction / 100 &- high &* 100
      let low = fraction &- high &* 10_000 &- middle &* 100
      unsafe writePair(high, to: at + 1)
      unsafe writePair(middle, to: at + 3)
      unsafe writePair(low, to: at + 5)
      var size = decimals
      if trimmed {
        while size > 0, unsafe at[size] == 0x30 { size &-= 1 }
        if size == 0 { return unsafe at - target }
      }
      return unsafe (at - target) &+ size &+ 1
    }
    return unsafe (at - target) &+ writeLong(magnitude, decimals: decimals, trimmed: trimmed, to: at)
  }

  /// Writes any magnitude with any decimals, digit by digit.
  @inline(never)
  private static func writeLong(
    _ magnitude: UInt64, decimals: Int, trimmed: Bool, to target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var rest = magnitude
    var decimals = decimals
    while trimmed, decimals > 0, rest % 10 == 0 {
      rest /= 10
      decimals -= 1
    }
    var digits: [UInt8] = []
    while rest > 0 || digits.count <= decimals {
      digits.append(0x30 + UInt8(rest % 10))
      rest /= 10
    }
    var size = 0
    for (index, digit) in digits.reversed().enumerated() {
      if decimals > 0, index == digits.count - decimals {
        unsafe target[size] = 0x2e
        size += 1
      }
      unsafe target[size] = digit
      size += 1
    }
    return size
  }

  /// 10^`exponent`, exact; the exponent is from 0 to 9.
  private static func powerOfTen(_ exponent: Int) -> Double {
    switch exponent {
    case 0: 1
    case 1: 1e1
    case 2: 1e2
    case 3: 1e3
    case 4: 1e4
    case 5: 1e5
    case 6: 1e6
    case 7: 1e7
    case 8: 1e8
    default: 1e9
    }
  }

  @inline(__always) private static func scale(_ decimals: Int) -> UInt64 {
    switch decimals {
    case 1: 10
    case 2: 100
    case 3: 1000
    case 4: 10_000
    case 5: 100_000
    default: 1_000_000
    }
  }

  /// Writes the digits of `value`, and returns their number.
  @inline(__always)
  private static func writeDigits(_ value: UInt64, to target: UnsafeMutablePointer<UInt8>) -> Int {
    if value < 100 {
      if value < 10 {
        unsafe target[0] = 0x30 &+ UInt8(truncatingIfNeeded: value)
        return 1
      }
      unsafe writePair(UInt32(truncatingIfNeeded: value), to: target)
      return 2
    }
    var size = 3
    var limit: UInt64 = 1000
    while size < 20, value >= limit {
      size &+= 1
      if size == 20 { break }
      limit &*= 10
    }
    var rest = value
    var at = size
    while at >= 2 {
      let quotient = rest / 100
      at &-= 2
      unsafe writePair(UInt32(truncatingIfNeeded: rest &- quotient &* 100), to: target + at)
      rest = quotient
    }
    if at == 1 { unsafe target[0] = 0x30 &+ UInt8(truncatingIfNeeded: rest) }
    return size
  }

  /// Writes the two digits of a number below 100.
  @inline(__always) private static func writePair(_ value: UInt32, to target: UnsafeMutablePointer<UInt8>) {
    let tens = (value &* 103) >> 10  // value / 10 for all below 100.
    unsafe target[0] = 0x30 &+ UInt8(truncatingIfNeeded: tens)
    unsafe target[1] = 0x30 &+ UInt8(truncatingIfNeeded: value &- tens &* 10)
  }
}
