/// The parts of a text that is a number by JSON's grammar. Comparisons of its value are exact for any length.
@safe package struct DecimalText {
  private(set) var isNegative = false
  private let text: UnsafeBufferPointer<UInt8>
  /// The digits before the point: at least one, without leading zeros.
  private var whole = 0..<0
  /// The digits after the point, if any.
  private var fraction = 0..<0
  private var exponentIsNegative = false
  /// The exponent's digits; nil without an exponent.
  private var exponent: Range<Int>?

  /// Splits a text into its parts; returns nil if `text` is not a number.
  package init?(_ text: UnsafeBufferPointer<UInt8>) {
    unsafe self.text = unsafe text
    var index = 0
    func digits() -> Range<Int>? {
      let first = index
      while index < text.count, unsafe isDigit(text[index]) { index += 1 }
      return index > first ? first..<index : nil
    }
    if index < text.count, unsafe text[index] == UInt8(ascii: "-") {
      isNegative = true
      index += 1
    }
    guard let whole = digits(), unsafe whole.count == 1 || text[whole.lowerBound] != 0x30 else { return nil }
    self.whole = whole
    if index < text.count, unsafe text[index] == UInt8(ascii: ".") {
      index += 1
      guard let digits = digits() else { return nil }
      fraction = digits
    }
    if index < text.count, unsafe text[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < text.count, unsafe text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") {
        exponentIsNegative = unsafe text[index] == UInt8(ascii: "-")
        index += 1
      }
      guard let digits = digits() else { return nil }
      exponent = digits
    }
    guard index == text.count else { return nil }
  }

  /// Returns the ``digitCount`` of a number without an exponent; nil for other texts, and for some such numbers.
  package static func digitCount(ofPlain text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let start = text.baseAddress, text.count > 1 else { return nil }
    let end = unsafe start + text.count
    let first = unsafe start[0] == UInt8(ascii: "-") ? start + 1 : start
    var at = unsafe first
    while unsafe at < end, unsafe isDigit(at.pointee) { unsafe at += 1 }
    let whole = unsafe at - first
    guard whole > 0, unsafe whole == 1 || first[0] != 0x30 else { return nil }
    guard unsafe at < end else { return whole }
    guard unsafe at.pointee == UInt8(ascii: "."), unsafe at + 1 < end else { return nil }
    unsafe at += 1
    while unsafe at < end, unsafe isDigit(at.pointee) { unsafe at += 1 }
    return unsafe at == end ? end - first - 1 : nil
  }

  private var isZero: Bool {
    unsafe text[whole].allSatisfy { $0 == 0x30 } && text[fraction].allSatisfy { $0 == 0x30 }
  }
  package var digitCount: Int { whole.count + fraction.count + (exponent?.count ?? 0) }

  /// Returns a negative number, 0 or a positive number if the value of `a` is below, equal to or above that of `b`.
  static func compare(_ a: DecimalText, _ b: DecimalText) -> Int {
    guard a.exponent == nil, b.exponent == nil else {
      var (left, right): ([UInt8], [UInt8]) = ([], [])
      a.serialize(into: &left)
      b.serialize(into: &right)
      return unsafe left.withUnsafeBufferPointer { left in
        unsafe right.withUnsafeBufferPointer { unsafe compareBytes(left, $0) }
      }
    }
    if a.isNegative != b.isNegative {
      if a.isZero && b.isZero { return 0 }
      return a.isNegative ? -1 : 1
    }
    let magnitude = compareMagnitude(a, b)
    return a.isNegative ? -magnitude : magnitude
  }

  private static func compareMagnitude(_ a: DecimalText, _ b: DecimalText) -> Int {
    if a.whole.count != b.whole.count { return a.whole.count - b.whole.count }
    let order = unsafe compareBytes(a.text.part(a.whole), b.text.part(b.whole))
    if order != 0 { return order }
    for index in 0..<max(a.fraction.count, b.fraction.count) {
      let left = unsafe index < a.fraction.count ? a.text[a.fraction.lowerBound + index] : 0x30
      let right = unsafe index < b.fraction.count ? b.text[b.fraction.lowerBound + index] : 0x30
      if left != right { return Int(left) - Int(right) }
    }
    return 0
  }

  /// Appends bytes that compare as the values do. Equal values give equal bytes, and no result is the beginning of
  /// another.
  ///
  /// | bytes | meaning |
  /// |--:|---|
  /// | 1 | 0 negative, 1 zero (without further bytes), 2 positive |
  /// | 1 | sign of *e* in value = 0.*digits* x 10^*e*: 0 negative, 1 zero or positive |
  /// | 8 | the number of decimal digits of *e*, big-endian |
  /// | | the digits of *e* |
  /// | | the significant digits + 1, as values 1 to 10, then 0 |
  ///
  /// For a negative *e* its count and digits are complemented; for a negative number all bytes after the first are.
  func serialize(into output: inout [UInt8]) {
    @inline(__always) func digit(_ index: Int) -> UInt8 {
      unsafe text[index < whole.count ? whole.lowerBound + index : fraction.lowerBound + index - whole.count] - 0x30
    }
    var (first, end) = (0, whole.count + fraction.count)
    while first < end, digit(first) == 0 { first += 1 }
    guard first < end else { return output.append(1) }
    while digit(end - 1) == 0 { end -= 1 }
    let places = whole.count - first
    if !isNegative, exponent == nil, 0..<10 ~= places {
      // Nearly all numbers have such an exponent. The bytes are the same as those of the code below.
      output.append(contentsOf: Self.positiveOfOneDigit)
      output.append(UInt8(places) + 0x30)
      for index in first..<end { output.append(digit(index) + 1) }
      return output.append(0)
    }
    let isBelowZero: Bool
    let scale: [UInt8]
    if let exponent {
      (isBelowZero, scale) = unsafe Self.sum(Array(text[exponent]), exponentIsNegative, places)
    } else {
      isBelowZero = places < 0
      scale = Self.decimal(abs(places))
    }

    output.append(isNegative ? 0 : 2)
    let start = output.count
    output.append(isBelowZero ? 0 : 1)
    let scaleStart = output.count
    for shift in stride(from: 56, through: 0, by: -8) {
      output.append(UInt8(truncatingIfNeeded: scale.count >> shift))
    }
    output.append(contentsOf: scale)
    if isBelowZero { for index in scaleStart..<output.count { output[index] = ~output[index] } }
    for index in first..<end { output.append(digit(index) + 1) }
    output.append(0)
    if isNegative { for index in start..<output.count { output[index] = ~output[index] } }
  }

  /// The first bytes of a positive number whose *e* is not negative and has one digit.
  private static let positiveOfOneDigit: [UInt8] = [2, 1, 0, 0, 0, 0, 0, 0, 0, 1]

  private static func decimal(_ value: Int) -> [UInt8] {
    value < 10 ? [UInt8(value) + 0x30] : Array(String(value).utf8)
  }

  /// Returns the sum of the number in `text` and a small number: the sum's sign, and its digits without leading zeros.
  private static func sum(_ text: [UInt8], _ isNegative: Bool, _ small: Int) -> (Bool, [UInt8]) {
    let digits = Array(text.drop { $0 == 0x30 })
    if digits.count <= 17 {
      let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
      let sum = (isNegative ? -value : value) + small
      return (sum < 0, decimal(abs(sum)))
    }
    // The number is at least 10^17, and a text in memory is shorter than that: so the sign stays, and one borrow or
    // carry is enough.
    var result = digits.map { Int($0 - 0x30) }
    var carry = isNegative ? -small : small
    var index = result.count - 1
    while carry != 0, index >= 0 {
      let value = result[index] + carry
      let digit = ((value % 10) + 10) % 10
      carry = (value - digit) / 10
      result[index] = digit
      index -= 1
    }
    var bytes = result.map { UInt8($0) + 0x30 }
    if carry > 0 { bytes.insert(contentsOf: String(carry).utf8, at: 0) }
    return (isNegative, Array(bytes.drop { $0 == 0x30 }))
  }
}
