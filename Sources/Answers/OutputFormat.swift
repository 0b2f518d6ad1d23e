/// The format of printed records.
package enum OutputFormat: String, Sendable, CaseIterable {
  /// For people: the key and, if the index has them, the coordinates, in columns. On a terminal the coordinates are
  /// rounded, and the letters that matched are marked.
  case text
  /// Fields in the index's order, with tabs between. `\t`, `\n` and `\r` stand for tabs and line ends inside a field.
  /// In an export, `\\` stands for a backslash.
  case tsv
  /// RFC 4180 with a header.
  case csv
  /// One object: `{"schema":1,"query":...,"count":...,"matches":[...]}`.
  case json
  /// One record a line, as the object of the dataset.
  case jsonl
  /// A FeatureCollection. The geometry of a record without usable coordinates is `null`.
  case geojson
}
