/// How records are printed.
package enum OutputFormat: String, Sendable, CaseIterable {
  /// For people: the key, and the coordinates when the index knows them, in columns. On a terminal the coordinates are
  /// rounded, and what matched is marked.
  case text
  /// Fields in the index's order, a tab between; `\t`, `\n` and `\r` stand for what would break a line. In an export
  /// `\\` stands for a backslash too.
  case tsv
  /// RFC 4180 with a header.
  case csv
  /// One object: `{"schema":1,"query":...,"count":...,"matches":[...]}`.
  case json
  /// One record per line, as the object that came in.
  case jsonl
  /// A FeatureCollection; a record without usable coordinates has `null` for its geometry.
  case geojson
}
