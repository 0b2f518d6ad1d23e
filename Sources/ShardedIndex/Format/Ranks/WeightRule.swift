/// The rule that makes a record's weight from the text of a field. Source: docs/format.md section 3.11.
package struct WeightRule: Equatable, Sendable {
  /// The greatest weight.
  package static let limit = UInt64(Int64.max)
  private let scale: DecimalNumber
  private let isUnscaled: Bool

  /// - Parameter scale: The factor of each field's number, as a decimal number; nil for 1.
  /// - Returns: nil if the scale is not a decimal number above 0.
  package init?(scale: String?) {
    guard let scale else {
      (self.scale, isUnscaled) = (.one, true)
      return
    }
    guard let number = unsafe Array(scale.utf8).withUnsafeBufferPointer({ unsafe DecimalNumber($0) }),
      !number.isNegative, !number.digits.isEmpty
    else { return nil }
    (self.scale, isUnscaled) = (number, number == .one)
  }

  /// Whether a text is a decimal number.
  package static func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool { unsafe DecimalNumber(text) != nil }

  /// Returns the weight of a text: 0 if the text is not a decimal number, or is below 0.
  package func weight(of text: UnsafeBufferPointer<UInt8>) -> UInt64 {
    // A query reads many weights. Nearly all are whole numbers, which take no memory here.
    if let number = unsafe Self.wholeNumber(text) { return weight(of: number) }
    guard let number = unsafe DecimalNumber(text), !number.isNegative else { return 0 }
    return DecimalNumber.wholeProduct(number, scale, limit: Self.limit)
  }

  /// Returns the number of a text of up to 18 digits; nil for another text.
  private static func wholeNumber(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard text.count > 0, text.count <= 18 else { return nil }
    var number: Int64 = 0
    for index in text.indices {
      let byte = unsafe text[index]
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      number = 10 * number + Int64(byte - 0x30)
    }
    return number
  }

  /// Returns the weight of a whole number, as ``weight(of:)`` does for its text.
  package func weight(of number: Int64) -> UInt64 {
    guard number > 0 else { return 0 }
    if isUnscaled { return UInt64(number) }
    return DecimalNumber.wholeProduct(DecimalNumber(UInt64(number)), scale, limit: Self.limit)
  }

  /// Returns the weight on a logarithmic scale of 2,048 steps an octave, 0 to 65,535; the code of 0 is 0.
  ///
  /// Scores use codes. A greater weight never has a smaller code.
  package static func code(_ weight: UInt64) -> Int {
    guard weight > 0 else { return 0 }
    let exponent = 63 - weight.leadingZeroBitCount
    let fraction = Int((exponent >= 11 ? weight >> UInt64(exponent - 11) : weight << UInt64(11 - exponent)) & 0x7ff)
    return min(2048 * exponent + fraction + 1, greatestCode)
  }

  /// The greatest code.
  private static let greatestCode = 65535

  /// Returns the greatest weight whose code is not above a code.
  package static func greatest(ofCode code: Int) -> UInt64 {
    guard code > 0 else { return 0 }
    guard code < greatestCode else { return limit }
    let (exponent, fraction) = (code - 1).quotientAndRemainder(dividingBy: 2048)
    let mantissa = UInt64(2048 + fraction)
    return exponent < 11 ? mantissa >> UInt64(11 - exponent) : ((mantissa + 1) << UInt64(exponent - 11)) - 1
  }
}

/// A decimal number: its significant digits times a power of ten.
struct DecimalNumber: Equatable, Sendable {
  /// The longest text that counts as a number, in bytes.
  static let textLimit = 64
  /// The greatest exponent of a text, above or below 0.
  static let exponentLimit = 1_000_000_000

  private(set) var isNegative = false
  /// The digits as values 0 to 9, without leading zeros; empty for 0.
  private(set) var digits: [UInt8] = []
  private var exponent = 0

  static var one: DecimalNumber { DecimalNumber(1) }

  init(_ number: UInt64) {
    var rest = number
    while rest > 0 {
      digits.append(UInt8(rest % 10))
      rest /= 10
    }
    digits.reverse()
  }

  /// Parses a text: an optional sign, digits with an optional point anywhere, and an optional exponent.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    guard text.count <= Self.textLimit else { return nil }
    var reader = unsafe DecimalReader(text.span)
    isNegative = reader.readSign()
    var count = 0
    while let digit = reader.readDigit() {
      if digit > 0 || !digits.isEmpty { digits.append(digit) }
      count += 1
    }
    if reader.read(".") {
      while let digit = reader.readDigit() {
        if digit > 0 || !digits.isEmpty { digits.append(digit) }
        count += 1
        exponent -= 1
      }
    }
    guard count > 0 else { return nil }
    if reader.read("e") || reader.read("E") {
      guard let power = reader.readExponent(limit: Self.exponentLimit) else { return nil }
      exponent += power
    }
    guard reader.isAtEnd else { return nil }
  }

  /// Returns the product of two numbers from 0 on, rounded down to a whole number, at most `limit`.
  static func wholeProduct(_ a: DecimalNumber, _ b: DecimalNumber, limit: UInt64) -> UInt64 {
    guard !a.digits.isEmpty, !b.digits.isEmpty else { return 0 }
    // Both have at most 64 digits, so no column's sum is over 64 x 81.
    var columns = [Int](repeating: 0, count: a.digits.count + b.digits.count)
    for (i, left) in a.digits.enumerated() {
      for (j, right) in b.digits.enumerated() { columns[i + j + 1] += Int(left) * Int(right) }
    }
    var carry = 0
    for index in columns.indices.reversed() {
      carry += columns[index]
      columns[index] = carry % 10
      carry /= 10
    }
    // Exponents are at most 10^9 each, so the sum cannot wrap. 2^63 has 19 digits.
    let size = columns.count + a.exponent + b.exponent
    var value: UInt64 = 0
    for index in columns.indices.prefix(max(0, size)) {
      let digit = UInt64(columns[index])
      guard value <= (limit - digit) / 10 else { return limit }
      value = value * 10 + digit
    }
    guard size > columns.count else { return value }
    for _ in columns.count..<size {
      guard value <= limit / 10 else { return limit }
      value *= 10
    }
    return value
  }
}

/// A cursor over the text of a decimal number.
struct DecimalReader: ~Escapable {
  private let text: Span<UInt8>
  private var position = 0

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) { self.text = text }

  var isAtEnd: Bool { position == text.count }

  mutating func read(_ wanted: Unicode.Scalar) -> Bool {
    guard position < text.count, UInt32(text[position]) == wanted.value else { return false }
    position += 1
    return true
  }

  /// Reads an optional sign, and returns whether it is a minus.
  mutating func readSign() -> Bool { read("-") || read("+") && false }

  /// Returns the value of the next digit; nil if the next byte is not a digit.
  mutating func readDigit() -> UInt8? {
    guard position < text.count, 0x30...0x39 ~= text[position] else { return nil }
    position += 1
    return text[position - 1] - 0x30
  }

  /// Reads an optional sign and digits; nil if there are no digits, or the number is beyond the limit.
  mutating func readExponent(limit: Int) -> Int? {
    let isNegative = readSign()
    guard var value = readDigit().map(Int.init) else { return nil }
    while let digit = readDigit() {
      value = value * 10 + Int(digit)
      guard value <= limit else { return nil }
    }
    return isNegative ? -value : value
  }
}

extension WeightRule {
  /// Returns the weight of a number of a column, as ``weight(of:)-(UnsafeBufferPointer<UInt8>)`` does for its text.
  func weight(of value: Int64, _ format: NumberFormat) -> UInt64 {
    if format.isWhole { return weight(of: value) }
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: NumberFormat.longestText) { buffer in
      let size = unsafe format.write(value, to: buffer.baseAddress!)
      return unsafe weight(of: UnsafeBufferPointer(rebasing: buffer[..<size]))
    }
  }
}
