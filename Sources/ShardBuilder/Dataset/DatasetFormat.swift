/// How a dataset's bytes are to be read.
package enum DatasetFormat: String, Sendable, CaseIterable {
  /// One JSON array (RFC 8259) whose elements are objects.
  case json
  /// One JSON object on each line; blank lines are ignored.
  case jsonl
  /// Comma separated, by RFC 4180, with a header line or named columns.
  case csv
  /// Tab separated, without quotes, with a header line or named columns.
  case tsv
  /// A GeoNames dump: 19 tab separated columns, no header, no quotes.
  case geonames

  /// The columns of a GeoNames dump, as its own readme names them.
  ///
  /// Source: https://download.geonames.org/export/dump/readme.txt
  package static let geonamesColumns = [
    "geonameid", "name", "asciiname", "alternatenames", "latitude", "longitude", "feature class",
    "feature code", "country code", "cc2", "admin1 code", "admin2 code", "admin3 code", "admin4 code",
    "population", "elevation", "dem", "timezone", "modification date",
  ]

  /// The format that a file's name promises, looking under `.gz` and `.zst`; nil when it promises none.
  static func promised(byPath path: String) -> DatasetFormat? {
    var name = path.split(separator: "/").last.map { $0.lowercased()[...] } ?? ""
    for suffix in [".gz", ".zst"] where name.hasSuffix(suffix) {
      name = name.dropLast(suffix.count)
      break
    }
    for (suffix, format) in [
      (".json", json), (".jsonl", jsonl), (".ndjson", jsonl), (".csv", csv), (".tsv", tsv),
    ]
    where name.hasSuffix(suffix) {
      return format
    }
    return nil
  }

  /// The format of a dataset, from its name first and from how it begins second; nil when neither tells.
  ///
  /// The name is overruled in two cases, each of which the named format could only refuse: a `.json` file of
  /// two lines that begin with `{` is JSON lines, and a `.tsv` file whose first line is one of a GeoNames
  /// dump has no header.
  ///
  /// - Parameters:
  ///   - start: The first bytes, decompressed, without a byte order mark: 64 KiB or all there are.
  ///   - columns: Whether the caller names the columns, which a GeoNames dump does not need.
  static func detected(path: String, start: UnsafeBufferPointer<UInt8>, columns: Bool) -> DatasetFormat? {
    let promise = promised(byPath: path)
    switch promise {
    case .jsonl, .csv: return promise
    case .json: return beginsAsJSONLines(start) ? .jsonl : .json
    case .tsv: return !columns && beginsAsGeonames(start) ? .geonames : .tsv
    case .geonames, nil: break
    }
    switch start.first(where: { !isJSONSpace($0) }) {
    case UInt8(ascii: "["): return .json
    case UInt8(ascii: "{"): return .jsonl
    default: break
    }
    if !columns, beginsAsGeonames(start) { return .geonames }
    let line = start.prefix { $0 != UInt8(ascii: "\n") }
    if line.contains(UInt8(ascii: "\t")) { return .tsv }
    return line.contains(UInt8(ascii: ",")) ? .csv : nil
  }

  private static func beginsAsJSONLines(_ start: UnsafeBufferPointer<UInt8>) -> Bool {
    let content = start.drop { isJSONSpace($0) }
    guard content.first == UInt8(ascii: "{"), let end = content.firstIndex(of: UInt8(ascii: "\n")) else {
      return false
    }
    return content[end...].first { !isJSONSpace($0) } == UInt8(ascii: "{")
  }

  /// Whether the first line has 19 columns, digits alone in the first and a place on Earth in the fifth and sixth.
  private static func beginsAsGeonames(_ start: UnsafeBufferPointer<UInt8>) -> Bool {
    let line = start.prefix { $0 != UInt8(ascii: "\n") }
    let cells = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    guard cells.count == geonamesColumns.count, !cells[0].isEmpty,
      cells[0].allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
      let latitude = Double(String(decoding: cells[4], as: UTF8.self)),
      let longitude = Double(String(decoding: cells[5], as: UTF8.self))
    else { return false }
    return abs(latitude) <= 90 && abs(longitude) <= 180
  }
}
