/// The options for reading a dataset.
package struct DatasetOptions: Sendable {
  /// The format; nil to find it from the file's name and its first bytes.
  package var format: DatasetFormat?
  /// The names of the columns of a CSV or TSV file without a header line, or the name of the field of lines. nil: the
  /// first line has the names, and the field of lines is `name`.
  package var columns: [String]?
  /// The fields that settings name. They tell a table from a list of texts with commas.
  package var fields: Set<String> = []
  /// Whether a bad record is counted, listed and skipped. Otherwise the first bad record ends the reading.
  package var skipBad = false
  /// The differences from the usual form of the format.
  package var dialect = DatasetDialect()
  /// Whether `\t`, `\n`, `\r` and `\\` in a TSV file stand for a tab, a line feed, a carriage return and a
  /// backslash. nil: only if the file's first line is ``DatasetReader/tsvEscapesLine``.
  package var tsvEscapes: Bool?
  /// The most bytes of a record in the (decompressed) dataset; a larger record is bad.
  package var recordLimitBytes = 16 << 20
  /// The size of a read in bytes. A batch holds about as much text.
  package var blockSizeBytes = 256 << 10

  package init(format: DatasetFormat? = nil, columns: [String]? = nil, skipBad: Bool = false) {
    self.format = format
    self.columns = columns
    self.skipBad = skipBad
  }
}
