import CLibrary
import ShardedIndex

/// A number of degrees from a record, written as JSON allows, with the digits of the record.
package enum Degrees {
  /// A record's latitude and longitude; nil if one of them is not a usable number.
  static func digits(
    ofRecord record: Int, in buffer: RecordBuffer, _ schema: Schema
  ) -> (latitude: [UInt8], longitude: [UInt8])? {
    guard let latitude = unsafe buffer.text(ofField: schema.latitude, record),
      let longitude = unsafe buffer.text(ofField: schema.longitude, record),
      let numbers = unsafe schema.coordinates.numbers(in: latitude, longitude),
      let latitude = unsafe digits(.init(rebasing: latitude[numbers.latitude]), limit: 90),
      let longitude = unsafe digits(.init(rebasing: longitude[numbers.longitude]), limit: 180)
    else { return nil }
    return (latitude, longitude)
  }

  /// A record's latitude and longitude in degrees; nil if one of them is not a usable number.
  package static func degrees(
    ofRecord record: Int, in buffer: RecordBuffer, _ schema: Schema
  ) -> (latitude: Double, longitude: Double)? {
    guard let (latitude, longitude) = digits(ofRecord: record, in: buffer, schema) else { return nil }
    return (number(latitude), number(longitude))
  }

  /// Returns degrees rounded to a number of digits behind the point.
  package static func rounded(_ degrees: Double, digits: Int) -> String {
    let unit = unit(of: digits)
    let scaled = Int((degrees.magnitude * Double(unit)).rounded())
    let sign = degrees < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return sign + String(scaled) }
    let fraction = String(scaled % unit)
    return sign + String(scaled / unit) + "." + String(repeating: "0", count: digits - fraction.utf8.count) + fraction
  }

  /// Returns the fewest digits behind the point that show degrees as exactly as `limit` digits.
  static func digitsNeeded(_ degrees: Double, limit: Int) -> Int {
    var digits = limit
    var scaled = Int((degrees.magnitude * Double(unit(of: limit))).rounded())
    while digits > 0, scaled % 10 == 0 {
      scaled /= 10
      digits -= 1
    }
    return digits
  }

  /// The power of ten with a number of zeros.
  private static func unit(of digits: Int) -> Int {
    var unit = 1
    for _ in 0..<digits { unit *= 10 }
    return unit
  }

  private static func number(_ digits: [UInt8]) -> Double {
    unsafe (digits + [0]).withUnsafeBytes {
      unsafe strtod($0.baseAddress!.assumingMemoryBound(to: CChar.self), nil)
    }
  }

  /// The digits of `text` in JSON's form: no plus sign, no leading zeros but one before the point.
  ///
  /// - Parameter limit: The most degrees in either direction.
  /// - Returns: The digits; nil if `text` is not a decimal number within the limit.
  static func digits(_ text: UnsafeBufferPointer<UInt8>, limit: Double) -> [UInt8]? {
    guard text.count <= 64 else { return nil }
    var at = 0
    var digits: [UInt8] = []
    func isDigit() -> Bool { unsafe at < text.count && text[at] >= 0x30 && text[at] <= 0x39 }
    if at < text.count, unsafe text[at] == 0x2d || text[at] == 0x2b {
      if unsafe text[at] == 0x2d { digits.append(0x2d) }
      at += 1
    }
    let start = at
    while isDigit(), unsafe text[at] == 0x30 { at += 1 }
    let whole = at
    while isDigit() {
      unsafe digits.append(text[at])
      at += 1
    }
    if at == whole { digits.append(0x30) }
    var count = at - start
    if at < text.count, unsafe text[at] == 0x2e {
      at += 1
      let fraction = at
      if isDigit() { digits.append(0x2e) }
      while isDigit() {
        unsafe digits.append(text[at])
        at += 1
      }
      count += at - fraction
    }
    guard count > 0 else { return nil }
    if at < text.count, unsafe text[at] | 0x20 == 0x65 {
      digits.append(0x65)
      at += 1
      if at < text.count, unsafe text[at] == 0x2d || text[at] == 0x2b {
        unsafe digits.append(text[at])
        at += 1
      }
      guard isDigit() else { return nil }
      while isDigit() {
        unsafe digits.append(text[at])
        at += 1
      }
    }
    guard at == text.count else { return nil }
    return number(digits).magnitude <= limit ? digits : nil
  }
}
