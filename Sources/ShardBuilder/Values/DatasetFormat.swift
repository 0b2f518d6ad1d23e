/// The format of a dataset.
public enum DatasetFormat: String, Sendable, CaseIterable {
  /// JSON (RFC 8259): an array of objects or of texts, such an array inside of an object, or objects one after the
  /// other.
  case json
  /// One JSON object on each line; blank lines are ignored.
  case jsonl
  /// GeoJSON (RFC 7946): a collection, an array of features, or features one after the other. A feature is a record.
  case geojson
  /// Comma separated, by RFC 4180, with a header line or named columns; or separated by another character.
  case csv
  /// Tab separated, without quotes, with a header line or named columns.
  case tsv
  /// A GeoNames dump: 19 tab separated columns, no header, no quotes.
  case geonames
  /// One text on each line, the only field of the line's record; blank lines are ignored.
  case lines

  /// The names of all formats, for options and messages.
  package static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// The name of the only field of a record that is one text.
  package static let textField = "name"

  /// The columns of a GeoNames dump, with the names in the dump's readme.
  ///
  /// Source: https://download.geonames.org/export/dump/readme.txt
  package static let geonamesColumns = [
    "geonameid", "name", "asciiname", "alternatenames", "latitude", "longitude", "feature class",
    "feature code", "country code", "cc2", "admin1 code", "admin2 code", "admin3 code", "admin4 code",
    "population", "elevation", "dem", "timezone", "modification date",
  ]

  /// Whether records are JSON values, whose fields are known only after reading. The fields of other formats are known
  /// before.
  package var isJSON: Bool { self == .json || self == .jsonl || self == .geojson }

  /// The format that a file's name shows, under `.gz` and `.zst`; nil if the name shows none.
  static func promised(byPath path: String) -> DatasetFormat? {
    var name = path.split(separator: "/").last.map { $0.lowercased()[...] } ?? ""
    for suffix in [".gz", ".zst"] where name.hasSuffix(suffix) {
      name = name.dropLast(suffix.count)
      break
    }
    for (suffix, format) in [
      (".json", json), (".jsonl", jsonl), (".ndjson", jsonl), (".csv", csv), (".tsv", tsv), (".tab", tsv),
      (".psv", csv), (".geojson", geojson), (".geojsonl", geojson), (".geojsons", geojson),
    ]
    where name.hasSuffix(suffix) {
      return format
    }
    return nil
  }

  /// Returns whether the first line has 19 columns, digits alone in the first and a place on Earth in the fifth and
  /// sixth.
  static func beginsAsGeonames(_ start: [UInt8]) -> Bool {
    let line = start.prefix { $0 != UInt8(ascii: "\n") }
    let cells = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    guard cells.count == geonamesColumns.count, !cells[0].isEmpty,
      cells[0].allSatisfy({ isDigit($0) }),
      let latitude = Double(String(decoding: cells[4], as: UTF8.self)),
      let longitude = Double(String(decoding: cells[5], as: UTF8.self))
    else { return false }
    return abs(latitude) <= 90 && abs(longitude) <= 180
  }

  /// Whether a file names the fields of all its records before the first record.
  var hasColumns: Bool { !isJSON }
}
