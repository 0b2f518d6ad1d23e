import ShardedIndex

/// A number as its text: the digits without the point, and the number of decimals.
struct NumberText {
  let mantissa: Int64
  let decimals: Int32
  /// Whether the last decimal is a zero.
  let hasTrailingZero: Bool

  /// A group of formats that the encoder tries together.
  enum Family {
    case trimmed(minutes: Bool)
    case fixed
    case float
  }

  /// - Returns: nil unless the text is `-`? digits (`.` digits)? with at most 18 digits and without needless zeros
  ///   before them.
  init?(_ text: Text) {
    guard text.count > 0, text.count <= 20 else { return nil }
    let isNegative = unsafe text[0] == 0x2d
    let first = isNegative ? 1 : 0
    var mantissa: Int64 = 0  // Operators wrap: 20 digits may overflow.
    var at = first
    while at < text.count, unsafe text[at] &- 0x30 < 10 {
      mantissa = unsafe mantissa &* 10 &+ Int64(text[at] &- 0x30)
      at += 1
    }
    let whole = at - first
    var decimals = 0
    if at < text.count {
      guard unsafe text[at] == 0x2e else { return nil }
      at += 1
      decimals = text.count - at
      while at < text.count, unsafe text[at] &- 0x30 < 10 {
        mantissa = unsafe mantissa &* 10 &+ Int64(text[at] &- 0x30)
        at += 1
      }
      guard at == text.count, decimals > 0 else { return nil }
    }
    guard whole > 0, whole + decimals <= 18, unsafe whole == 1 || text[first] != 0x30 else { return nil }
    guard !(isNegative && mantissa == 0) else { return nil }
    self.mantissa = isNegative ? -mantissa : mantissa
    self.decimals = Int32(decimals)
    hasTrailingZero = unsafe decimals > 0 && text[text.count - 1] == 0x30
  }

  /// Returns the first format of the family that gives back exactly this text, and the text's value.
  @inline(__always)
  func format(_ family: Family) -> (NumberFormat, Int64) {
    let decimals = Int(decimals)
    if hasTrailingZero { return (NumberFormat(type: 1, a: UInt8(decimals), b: 0), mantissa) }
    switch family {
    case .fixed:
      return (NumberFormat(type: 1, a: UInt8(decimals), b: 0), mantissa)
    case .trimmed(let minutes):
      if minutes, decimals <= 5, mantissa.magnitude < 1 << 40 {
        let scaled = mantissa * Self.power(5 - decimals)
        if let value = Self.sixtieths(scaled) { return (NumberFormat(type: 3, a: 0, b: 0), value) }
      }
      // Texts with up to four decimals count as four, if there are many of them, so that they share one range.
      if minutes, decimals <= 4, mantissa.magnitude < 1 << 40 {
        return (NumberFormat(type: 1, a: 4, b: 1), mantissa * Self.power(4 - decimals))
      }
    case .float:
      if let found = floatFormat { return found }
    }
    return (NumberFormat(type: 1, a: UInt8(decimals), b: 1), mantissa)
  }

  /// The first format of a float that prints exactly this text, and its value; nil if there is none.
  @inline(__always)
  private var floatFormat: (NumberFormat, Int64)? {
    let decimals = Int(decimals)
    // These formats print at most six decimals, and one text for each number.
    guard decimals <= 6, mantissa.magnitude < 1 << 40 else { return nil }
    let millionths = mantissa * Self.power(6 - decimals)
    // The printed text of a float below 2^28 millionths is within 16 millionths of the float's value: half of the last
    // bit and a rounding error. Few such texts are that near to sixtieths or to four decimals; the others need no
    // float.
    let isSmall = millionths.magnitude < 1 << 28
    let value = Double(mantissa) / Double(Self.power(decimals))
    if !isSmall || Self.distanceFromSixtieths(millionths) <= 16 {
      let minutes = NumberFormat(type: 3, a: 0, b: 6)
      let count = Self.rounded(value * 60)
      if minutes.printed(count) == millionths { return (minutes, count) }
    }
    if !isSmall || (millionths.magnitude + 16) % 100 <= 32 {
      let tenThousandths = NumberFormat(type: 2, a: 4, b: 6)
      let count = Self.rounded(value * 10_000)
      if tenThousandths.printed(count) == millionths { return (tenThousandths, count) }
    }
    let hundredThousandths = NumberFormat(type: 2, a: 5, b: 6)
    let count = Self.rounded(value * 100_000)
    if hundredThousandths.printed(count) == millionths { return (hundredThousandths, count) }
    return nil
  }

  /// Rounds to the nearest whole number, halves away from zero: as the C library does, without a call.
  @inline(__always) private static func rounded(_ value: Double) -> Int64 {
    let whole = Int64(value)
    let rest = value - Double(whole)  // Exact.
    return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole
  }

  /// Returns the number of sixtieths that round to `scaled` hundred-thousandths at five decimals; nil if there is none.
  private static func sixtieths(_ scaled: Int64) -> Int64? {
    let value = (scaled * 3 + (scaled < 0 ? -2500 : 2500)) / 5000
    return (value * 5000 + (value < 0 ? -1 : 1)) / 3 == scaled ? value : nil
  }

  /// Returns the distance in millionths from the nearest sixtieth, rounded to five decimals.
  @inline(__always) private static func distanceFromSixtieths(_ millionths: Int64) -> UInt64 {
    let magnitude = Int64(millionths.magnitude)
    let count = (3 * magnitude + 25_000) / 50_000
    return (magnitude - (5000 * count + 1) / 3 * 10).magnitude
  }

  @inline(__always) private static func power(_ exponent: Int) -> Int64 {
    switch exponent {
    case 0: 1
    case 1: 10
    case 2: 100
    case 3: 1000
    case 4: 10_000
    case 5: 100_000
    default: 1_000_000
    }
  }
}
