/// The code of a number or a date, an unsigned number that compares as the value does. All dates are above all numbers.
/// Source: docs/format.md section 3.15.
package enum NumberCode {
  /// The code of a record without a number, which no number has.
  package static let none: UInt64 = 0
  /// The code of 0.
  private static let zero: UInt64 = 1 << 63
  /// The code of the beginning of the year 1.
  private static let firstDate: UInt64 = 18_300_000_000_000_000_000
  /// The code behind the end of the year 9999.
  private static let endOfDates = firstDate + UInt64(DateReader.milliseconds(ofDay: DateReader.endDay))
  /// The digits of a code's significand, the powers of ten between the least and the greatest number, and the least.
  private static let (digitCount, scales, leastScale) = (17, 100, -31)
  private static let least: UInt64 = 10_000_000_000_000_000
  /// The number of codes in one power of ten.
  private static let span = 9 * least

  /// Returns the code with the opposite order, and of none none.
  package static func negated(_ code: UInt64) -> UInt64 { code == none ? none : .max - code + 1 }

  // MARK: Texts

  /// Returns the code of a decimal number or an ISO 8601 date; nil for another text, and for a number from 10^68 on.
  ///
  /// The first 17 significant digits of a number count, and milliseconds of a time.
  package static func code(of text: Span<UInt8>) -> UInt64? {
    if let date = DateReader.period(text) { return code(ofDate: date.start) }
    guard let number = DecimalSignificand(text, digits: digitCount) else { return nil }
    guard number.significand > 0, number.scale >= leastScale else { return zero }
    guard number.scale < leastScale + scales else { return nil }
    let size = UInt64(number.scale - leastScale) * span + (number.significand - least) + 1
    return number.isNegative ? zero - size : zero + size
  }

  private static func code(ofDate milliseconds: Int64) -> UInt64 { firstDate + UInt64(milliseconds) }

  /// Whether a code is a date's.
  package static func isDate(_ code: UInt64) -> Bool { code >= firstDate }

  /// Returns whether a number of a file is a code.
  static func isValid(_ code: UInt64) -> Bool {
    let size = code > zero ? code - zero : zero - code
    return size <= UInt64(scales) * span || firstDate..<endOfDates ~= code
  }

  /// Returns the text whose code this is: a decimal number with an exponent if it would have many zeros, or a date, with
  /// a time unless that is midnight.
  package static func text(_ code: UInt64) -> [UInt8] {
    if isDate(code) { return DateReader.text(Int64(code - firstDate)) }
    guard let (significant, power) = digits(code) else { return [0x30] }
    var digits = significant
    var text: [UInt8] = code < zero ? [UInt8(ascii: "-")] : []
    let whole = digits.count + power
    if power >= 0, whole <= digitCount + 3 {
      text += digits + [UInt8](repeating: 0x30, count: power)
    } else if power < 0, whole > -6 {
      if whole <= 0 { digits = [UInt8](repeating: 0x30, count: 1 - whole) + digits }
      let point = digits.count + power
      text += digits[..<point] + [UInt8(ascii: ".")] + digits[point...]
    } else {
      text += digits + [UInt8(ascii: "e")] + Array(String(power).utf8)
    }
    return text
  }

  /// Returns the significant digits of a number, without zeros at the end, and the power of ten of the last one; nil for
  /// 0.
  private static func digits(_ code: UInt64) -> (digits: [UInt8], power: Int)? {
    guard code != zero else { return nil }
    let (number, power) = significand(code)
    return (Array(String(number).utf8), power)
  }

  /// Returns the size of a number that is not 0, as a number that no ten divides, times a power of ten.
  private static func significand(_ code: UInt64) -> (UInt64, power: Int) {
    let size = (code > zero ? code - zero : zero - code) - 1
    var (number, power) = (least + size % span, Int(size / span) + leastScale - digitCount)
    while number % 10 == 0 {
      number /= 10
      power += 1
    }
    return (number, power)
  }

  // MARK: Bytes

  /// The first bytes of codes in a file: of none, of 0, of numbers by their powers of ten, of days, and of other dates.
  private static let (noneMark, zeroMark, firstMark, dayMark, dateMark): (UInt8, UInt8, Int, UInt8, UInt8) =
    (0, 1, 2, 254, 255)
  /// The least power of ten of a significand.
  private static let leastPower = leastScale - digitCount

  /// Calls `write` with the parts of a code's form in a file: a byte, and a number behind it for most bytes.
  package static func forEachPart(of code: UInt64, byte: (UInt8) -> Void, number: (UInt64) -> Void) {
    if code == none || code == zero { return byte(code == none ? noneMark : zeroMark) }
    if isDate(code) {
      let (day, rest) = (code - firstDate).quotientAndRemainder(dividingBy: UInt64(DateReader.dayLength))
      byte(rest == 0 ? dayMark : dateMark)
      return number(rest == 0 ? day : code - firstDate)
    }
    let (significand, power) = significand(code)
    byte(UInt8(firstMark + 2 * (power - leastPower) + (code < zero ? 1 : 0)))
    number(significand)
  }

  /// Reads a code in the form of a file.
  static func read(_ reader: inout ByteReader) throws(FormatError) -> UInt64 {
    let offset = reader.offset
    let mark = try reader.read(UInt8.self)
    if mark == noneMark { return none }
    if mark == zeroMark { return zero }
    let number = try reader.readWeight()
    let code =
      mark >= dayMark
      ? Self.code(date: number, inDays: mark == dayMark) : Self.code(number, mark: Int(mark) - firstMark)
    guard let code else { throw .invalid(reason: "has a number that is none", offset: offset) }
    return code
  }

  private static func code(date number: UInt64, inDays: Bool) -> UInt64? {
    let limit = endOfDates - firstDate
    let unit = inDays ? UInt64(DateReader.dayLength) : 1
    guard number < limit / unit, inDays || number % UInt64(DateReader.dayLength) != 0 else { return nil }
    return firstDate + number * unit
  }

  private static func code(_ significand: UInt64, mark: Int) -> UInt64? {
    guard significand > 0, significand < 10 * least, significand % 10 != 0 else { return nil }
    var (number, power) = (significand, mark / 2 + leastPower)
    while number < least {
      number *= 10
      power -= 1
    }
    let scale = power + digitCount
    guard scale >= leastScale, scale < leastScale + scales else { return nil }
    let size = UInt64(scale - leastScale) * span + (number - least) + 1
    return mark & 1 == 1 ? zero - size : zero + size
  }

  // MARK: Ranges

  /// A range of codes from the text of a filter; both ends belong to it.
  package enum ParsedRange {
    case codes(ClosedRange<UInt64>)
    /// The text has no number, or one without a meaning.
    case fault(StaticString)
    /// The text is neither a range nor a number.
    case other

    /// The reason why the text is no range.
    package var reason: String {
      if case .fault(let reason) = self { "\(reason)" } else { "is no number, no date and no range such as 20..50" }
    }
  }

  /// Reads a number, or two numbers with two points between; one of the two may be missing.
  ///
  /// A month or a day stands for all of its time. In a field of dates, four digits are a year.
  package static func range(_ text: [UInt8], ofDates: Bool) -> ParsedRange {
    guard let points = text.indices.first(where: { text[$0...].starts(with: [0x2e, 0x2e]) }) else {
      guard let (start, end) = ends(text, ofDates: ofDates) else { return .other }
      return .codes(start...end)
    }
    let (from, to) = (text[..<points], text[(points + 2)...])
    if from.isEmpty, to.isEmpty { return .fault("has no end; write one number at least, such as 20.. or ..50") }
    var (start, end) = (none + 1, UInt64.max)
    if !from.isEmpty {
      guard let found = ends(Array(from), ofDates: ofDates) else { return .fault("begins with no number and no date") }
      start = found.start
    }
    if !to.isEmpty {
      guard let found = ends(Array(to), ofDates: ofDates) else { return .fault("ends with no number and no date") }
      end = found.end
    }
    guard start <= end else { return .fault("is upside down; write the lesser number first") }
    return .codes(start...end)
  }

  private static func ends(_ text: [UInt8], ofDates: Bool) -> (start: UInt64, end: UInt64)? {
    if let period = DateReader.period(text.span, takesYears: ofDates) {
      return (code(ofDate: period.start), code(ofDate: period.end - 1))
    }
    return code(of: text.span).map { ($0, $0) }
  }
}

/// The first digits of a decimal number as a whole number, and its size.
private struct DecimalSignificand {
  private(set) var isNegative: Bool
  /// The first digits, from the first that is not 0; 0 for the number 0.
  private(set) var significand: UInt64 = 0
  /// The number of digits before the point; below 0 for zeros behind it.
  private(set) var scale = 0

  /// - Returns: nil if the text is not a decimal number as of docs/format.md section 3.9.
  init?(_ text: Span<UInt8>, digits: Int) {
    guard text.count <= DecimalNumber.textLimit else { return nil }
    var reader = DecimalReader(text)
    isNegative = reader.readSign()
    var (kept, count) = (0, 0)
    while let digit = reader.readDigit() {
      count += 1
      if digit > 0 || kept > 0 { scale += 1 }
      take(digit, &kept, digits)
    }
    if reader.read(".") {
      while let digit = reader.readDigit() {
        count += 1
        if digit == 0, kept == 0 { scale -= 1 }
        take(digit, &kept, digits)
      }
    }
    guard count > 0 else { return nil }
    if reader.read("e") || reader.read("E") {
      guard let power = reader.readExponent(limit: DecimalNumber.exponentLimit) else { return nil }
      scale += power
    }
    guard reader.isAtEnd else { return nil }
    while kept > 0, kept < digits {
      significand *= 10
      kept += 1
    }
  }

  private mutating func take(_ digit: UInt8, _ kept: inout Int, _ digits: Int) {
    guard kept < digits, digit > 0 || kept > 0 else { return }
    significand = 10 * significand + UInt64(digit)
    kept += 1
  }
}
