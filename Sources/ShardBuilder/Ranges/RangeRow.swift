import ShardedIndex

/// The row that a process prints after it has written a range: a line of columns with tabs between them. The last
/// column is a checksum of the line before it.
///
/// The row names a manifest in the target: a range is an index of its records.
package struct RangeRow: Equatable, Sendable {
  /// Whether the range has entries instead of records.
  package var isOfEntries: Bool
  package var range: Int
  /// The digest of the plan that the process followed.
  package var plan: String
  /// The first 16 bytes of the manifest's SHA-256, in hexadecimal digits, and its size in bytes.
  package var manifest: String
  package var size: Int
  package var records: Int
  /// The number of entries of its records.
  package var entries = 0
  /// The last components of its records' keys; nil for too many.
  package var lastComponents: [[UInt8]]? = []

  /// The beginnings of the lines of rows and of the lines of entries.
  package static let rowPrefix = "row\t"
  package static let entryPrefix = "entry\t"

  package init(isOfEntries: Bool, range: Int, plan: String, manifest: String, size: Int, records: Int) {
    (self.isOfEntries, self.range, self.plan) = (isOfEntries, range, plan)
    (self.manifest, self.size, self.records) = (manifest, size, records)
  }

  /// The name of the range's manifest in the target.
  package var fileName: String { Publisher.manifestName(ofDigest: manifest) }

  /// The row as a line, without its line feed.
  package var line: String {
    let columns =
      [isOfEntries ? "entries" : "records"] + [range].map(String.init) + [plan, manifest]
      + [size, records, entries].map(String.init)
      + (lastComponents.map { ["all"] + $0.map { RangeText.text($0) } } ?? ["over"])
    let text = Self.rowPrefix + columns.joined(separator: "\t")
    return text + "\t" + Self.checksum(of: Array(text.utf8))
  }

  /// The CRC-32 of a line's bytes, in decimal digits.
  private static func checksum(of bytes: [UInt8]) -> String { String(Checksum.crc32(bytes)) }

  /// The line without its last column; nil if that is not the checksum of the rest.
  private static func checked(_ line: [UInt8]) -> ArraySlice<UInt8>? {
    guard let tab = line.lastIndex(of: UInt8(ascii: "\t")),
      checksum(of: Array(line[..<tab])).utf8.elementsEqual(line[(tab + 1)...])
    else { return nil }
    return line[..<tab]
  }

  /// - Returns: nil for a line that ``line`` does not make.
  package init?(line: [UInt8]) {
    guard let line = Self.checked(line) else { return nil }
    let columns = RangeText.columns(line)
    let texts = columns.prefix(9).map { String(decoding: $0, as: UTF8.self) }
    guard texts.count == 9, texts[0] + "\t" == Self.rowPrefix, ["records", "entries"].contains(texts[1]),
      let range = Int(texts[2]), 0..<RangePlan.rangeLimit ~= range, let size = Int(texts[5]),
      let records = Int(texts[6]), let entries = Int(texts[7]), size > 0, size < 1 << 40, 0..<1 << 40 ~= records,
      0..<1 << 40 ~= entries, Publisher.isManifestName(Publisher.manifestName(ofDigest: texts[4]))
    else { return nil }
    self.init(
      isOfEntries: texts[1] == "entries", range: range, plan: texts[3], manifest: texts[4], size: size, records: records
    )
    self.entries = entries
    switch texts[8] {
    case "over" where columns.count == 9: lastComponents = nil
    case "all":
      var components: [[UInt8]] = []
      for column in columns.dropFirst(9) {
        guard let component = RangeText.bytes(column) else { return nil }
        components.append(component)
      }
      lastComponents = components
    default: return nil
    }
  }
}
