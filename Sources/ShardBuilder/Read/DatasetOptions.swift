/// The options for reading a dataset.
package struct DatasetOptions: Sendable {
  /// The format; nil: found from the file's name and its first bytes.
  package var format: DatasetFormat?
  /// The names of the columns of a CSV or TSV file that has no header line, or of the field of lines; nil: the first
  /// line names them, and what lines have is `name`.
  package var columns: [String]?
  /// Whether a bad record is counted, listed and skipped. Otherwise the first one ends the reading.
  package var skipBad = false
  /// The ways in which it departs from the usual form of its format.
  package var dialect = DatasetDialect()
  /// Whether `\t`, `\n`, `\r` and `\\` in a TSV file stand for a tab, a line feed, a carriage return and a
  /// backslash; nil: only when the file's first line is ``DatasetReader/tsvEscapesLine``.
  package var tsvEscapes: Bool?
  /// The size above which a record is bad, in bytes as they stand in the (decompressed) dataset.
  package var recordLimitBytes = 16 << 20
  /// The size of a read. A batch holds about as much text.
  package var blockSizeBytes = 256 << 10

  package init(format: DatasetFormat? = nil, columns: [String]? = nil, skipBad: Bool = false) {
    self.format = format
    self.columns = columns
    self.skipBad = skipBad
  }
}
