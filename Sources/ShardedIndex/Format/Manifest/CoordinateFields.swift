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
  private enum Form {
    /// Each text is a number.
    case number
    /// Blanks may stand around each number.
    case numberInBlanks
    /// One text has both numbers.
    case both
  }
  private let form: Form

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
    self.init(latitudes: [first], longitudes: [last], form: setting.count == 1 ? .both : .numberInBlanks)
  }

  /// Whether an index with these fields has coordinates.
  package func areAmong(_ names: [String]) -> Bool {
    latitudes.contains { names.contains($0) } && longitudes.contains { names.contains($0) }
  }

  /// Returns where the numbers stand in the texts of a record's fields; nil if one text has not both.
  @inline(__always)
  package func numbers(
    in latitude: some RandomAccessCollection<UInt8>, _ longitude: some RandomAccessCollection<UInt8>
  ) -> (latitude: Range<Int>, longitude: Range<Int>)? {
    let (first, second) = (0..<latitude.count, 0..<longitude.count)
    return switch form {
    case .number: (first, second)
    case .numberInBlanks: (Self.number(in: latitude, first), Self.number(in: longitude, second))
    case .both: Self.numbers(in: latitude)
    }
  }

  /// Returns where the numbers stand in a text that holds both; nil if nothing divides the text.
  ///
  /// A comma, a semicolon or blanks divide it. Blanks and one pair of parentheses around do not count.
  package static func numbers(
    in text: some RandomAccessCollection<UInt8>
  ) -> (latitude: Range<Int>, longitude: Range<Int>)? {
    func byte(_ at: Int) -> UInt8 { text[text.index(text.startIndex, offsetBy: at)] }
    var whole = number(in: text, 0..<text.count)
    if whole.count > 1, byte(whole.lowerBound) == UInt8(ascii: "("), byte(whole.upperBound - 1) == UInt8(ascii: ")") {
      whole = number(in: text, whole.lowerBound + 1..<whole.upperBound - 1)
    }
    let divider =
      whole.first { byte($0) == UInt8(ascii: ",") || byte($0) == UInt8(ascii: ";") }
      ?? whole.first { byte($0) == UInt8(ascii: " ") }
    return divider.map {
      (number(in: text, whole.lowerBound..<$0), number(in: text, $0 + 1..<whole.upperBound))
    }
  }

  /// Returns a range of a text without the blanks around.
  package static func number(in text: some RandomAccessCollection<UInt8>, _ range: Range<Int>) -> Range<Int> {
    func isBlank(_ at: Int) -> Bool { text[text.index(text.startIndex, offsetBy: at)] == UInt8(ascii: " ") }
    guard let first = range.first(where: { !isBlank($0) }), let last = range.last(where: { !isBlank($0) }) else {
      return range.lowerBound..<range.lowerBound
    }
    return first..<last + 1
  }
}
