import ShardedIndex

/// A query with the options of the command line.
package struct QueryRequest: Equatable, Sendable {
  package var prefix: String
  /// The index's directory; nil for the one of the environment or the default.
  package var index: String?
  /// The SHA-256 that the manifest must have; nil for any.
  package var expectedDigest: ManifestDigest?
  /// The most records to print; nil where no limit was given.
  package var limit: Int?
  /// Matches to pass over.
  package var offset = 0
  package var all = false
  /// Whether the number of matches alone is printed.
  package var countOnly = false
  /// The format; nil for text on a terminal and tsv elsewhere.
  package var format: OutputFormat?
  /// Paths of the fields to print, in tsv or csv; all if there are none.
  package var fields: [String] = []
  /// Whether records end with a zero byte instead of a line end, in tsv.
  package var endsWithZero = false
  /// The command whose name the only word nearly is; nil for none.
  package var nearCommand: String?
  /// Whether each line of standard input is a prefix; ``prefix`` means nothing then.
  package var readsLines = false

  package static let defaultLimit = 20
  static let defaultIndex = "shards"

  package init(prefix: String) { self.prefix = prefix }
}
