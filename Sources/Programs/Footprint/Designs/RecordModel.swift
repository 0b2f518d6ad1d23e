import ShardedIndex

/// A record as an app holds it.
package protocol RecordModel: Decodable, Sendable {
  /// The text that a person types a prefix of.
  var key: String { get }
  func add(to digest: inout AnswerDigest)
  /// Returns the names of the fields of an index that the model holds.
  static func fieldNames(_ index: ShardedIndex) -> [String]
  /// Makes a record from the texts of its fields; returns nil if the texts do not fit the model.
  ///
  /// - Parameter texts: The texts in the order of ``fieldNames(_:)``; nil if the record lacks the field.
  init?(key: String, texts: [(text: String, kind: ValueKind)?])
}

/// A record of the city list: the struct that every app for the list has.
package struct City: RecordModel {
  package struct Coordinate: Decodable, Sendable {
    package var lon: Double
    package var lat: Double

    package init(lon: Double, lat: Double) { (self.lon, self.lat) = (lon, lat) }
  }
  package var country: String
  package var name: String
  package var id: Int
  package var coord: Coordinate

  enum CodingKeys: String, CodingKey {
    case country, name, coord
    case id = "_id"
  }

  package init(country: String, name: String, id: Int, coord: Coordinate) {
    (self.country, self.name, self.id, self.coord) = (country, name, id, coord)
  }

  package static let fieldNames = ["country", "name", "_id", "coord.lon", "coord.lat"]
  package static let keyTemplate = "{name}, {country}"

  package var key: String { name + ", " + country }

  package func add(to digest: inout AnswerDigest) {
    digest.add(country)
    digest.add(name)
    digest.add(String(id))
    digest.add(coord.lon)
    digest.add(coord.lat)
  }

  package static func fieldNames(_ index: ShardedIndex) -> [String] { fieldNames }

  package init?(key: String, texts: [(text: String, kind: ValueKind)?]) {
    guard texts.count == 5, let country = texts[0], let name = texts[1], let id = texts[2],
      let lon = texts[3], let lat = texts[4], country.kind == .string, name.kind == .string, id.kind == .number,
      lon.kind == .number, lat.kind == .number, let number = Int(id.text), String(number) == id.text,
      let longitude = Double(lon.text), let latitude = Double(lat.text), longitude.isFinite, latitude.isFinite
    else { return nil }
    self.init(
      country: country.text, name: name.text, id: number, coord: Coordinate(lon: longitude, lat: latitude))
  }
}

/// A record of any other list: the texts of its fields in the index's order, nil if the record lacks the field.
package struct PlainRecord: RecordModel {
  package var key: String
  package var fields: [String?]

  package init(key: String, fields: [String?]) { (self.key, self.fields) = (key, fields) }

  package func add(to digest: inout AnswerDigest) { for field in fields { digest.add(field) } }

  package static func fieldNames(_ index: ShardedIndex) -> [String] { index.fieldNames }

  package init?(key: String, texts: [(text: String, kind: ValueKind)?]) {
    self.init(key: key, fields: texts.map { $0?.text })
  }
}

extension ShardedIndex {
  /// Calls `body` with every record in order: with its key, and with its fields in the order of `names`. Ends at the
  /// first call that returns false.
  ///
  /// - Returns: Whether all calls returned true.
  package func forEachRecord(
    _ names: [String], _ body: (_ key: String, _ texts: [(text: String, kind: ValueKind)?]) throws -> Bool
  ) throws -> Bool {
    let numbers = Dictionary(names.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
    let all = try matches(forPrefix: "")
    for start in stride(from: 0, to: all.count, by: 512) {
      for record in try all.records(in: start..<start + 512) {
        var texts = [(text: String, kind: ValueKind)?](repeating: nil, count: names.count)
        for field in record.fields.reversed() {
          if let number = numbers[field.name] { texts[number] = (field.text, field.kind) }
        }
        guard try body(record.key, texts) else { return false }
      }
    }
    return true
  }
}
