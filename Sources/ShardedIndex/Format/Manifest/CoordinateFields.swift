/// The fields with the coordinates of an index's records. Source: docs/format.md section 3.9.
package struct CoordinateFields: Sendable {
  /// The names of fields with a latitude. A record's first field from the list counts.
  package let latitudes: [String]
  /// The names of fields with a longitude.
  package let longitudes: [String]

  /// The fields of an index whose settings name none.
  package static let usual = CoordinateFields(
    latitudes: ["coord.lat", "lat", "latitude", "Latitude", "LAT"],
    longitudes: ["coord.lon", "lon", "lng", "longitude", "Longitude", "LON"])
  /// The field with the third coordinate of a GeoJSON point.
  package static let altitude = "alt"

  /// The form of the fields' texts.
  package enum Form: Sendable {
    /// Each text is a number.
    case number
    /// Blanks may stand around each number.
    case numberInBlanks
    /// One text has both numbers.
    case both

    /// - Parameter count: The number of fields that a setting names; nil without the setting.
    init(of count: Int?) { self = count == nil ? .number : count == 1 ? .both : .numberInBlanks }

    /// Returns where the numbers stand in the texts of a record's fields; nil if one text has not both.
    @inline(__always)
    package func numbers(
      in latitude: some Collection<UInt8>, _ longitude: some Collection<UInt8>
    ) -> (latitude: Range<Int>, longitude: Range<Int>)? {
      switch self {
      case .number: (0..<latitude.count, 0..<longitude.count)
      case .numberInBlanks:
        (CoordinateFields.number(in: Array(latitude)), CoordinateFields.number(in: Array(longitude)))
      case .both: CoordinateFields.numbers(in: Array(latitude))
      }
    }
  }
  package let form: Form

  private init(latitudes: [String], longitudes: [String], form: Form = .number) {
    (self.latitudes, self.longitudes, self.form) = (latitudes, longitudes, form)
  }

  /// - Parameter setting: The names of the fields of both numbers, or the name of one field that holds both; nil for
  ///   the usual fields.
  package init(setting: [String]?) {
    guard let setting, let first = setting.first, let last = setting.last else {
      self = .usual
      return
    }
    self.init(latitudes: [first], longitudes: [last], form: Form(of: setting.count))
  }

  /// Whether an index with these fields has coordinates.
  package func areAmong(_ names: [String]) -> Bool {
    latitudes.contains { names.contains($0) } && longitudes.contains { names.contains($0) }
  }

  /// Returns where the numbers stand in a text that holds both; nil if nothing divides the text.
  ///
  /// A comma, a semicolon or blanks divide it. Blanks and one pair of parentheses around do not count.
  package static func numbers(in text: [UInt8]) -> (latitude: Range<Int>, longitude: Range<Int>)? {
    var whole = number(in: text)
    if whole.count > 1, text[whole.lowerBound] == 0x28, text[whole.upperBound - 1] == 0x29 {
      whole = number(in: text, whole.lowerBound + 1, whole.upperBound - 1)
    }
    var divider: Int?
    for at in whole {
      let byte = text[at]
      if byte == 0x2c || byte == 0x3b {
        divider = at
        break
      }
      if byte == 0x20, divider == nil { divider = at }
    }
    guard let divider else { return nil }
    return (number(in: text, whole.lowerBound, divider), number(in: text, divider + 1, whole.upperBound))
  }

  /// Returns a part of a text without the blanks around.
  package static func number(in text: [UInt8], _ start: Int = 0, _ end: Int? = nil) -> Range<Int> {
    var (start, end) = (start, end ?? text.count)
    while start < end, text[start] == 0x20 { start += 1 }
    while start < end, text[end - 1] == 0x20 { end -= 1 }
    return start..<end
  }
}
