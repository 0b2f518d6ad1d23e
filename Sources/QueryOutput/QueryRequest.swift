import ShardedIndex

/// A query as it was asked for on a command line.
package struct QueryRequest: Equatable, Sendable {
  package var prefix: String
  /// The index's directory; nil for the one of the environment or the default.
  package var index: String? {
    get { isIndexSaid ? indexText : nil }
    set { (isIndexSaid, indexText) = (newValue != nil, newValue ?? "") }
  }
  // In two, because copying an optional text out of this makes up its type at run time.
  private(set) var isIndexSaid = false
  private(set) var indexText = ""
  /// The SHA-256 that the manifest must have; nil for any.
  package var expectedDigest: ManifestDigest?
  /// The most records to print; nil when not said.
  package var limit: Int?
  /// Matches to pass over.
  package var offset = 0
  package var all = false
  /// The number of matches and nothing else.
  package var countOnly = false
  /// nil when not said: text on a terminal, tsv elsewhere.
  package var format: OutputFormat?

  /// Whether each line of standard input is a prefix; then there is no other.
  package var readsLines = false

  package static let defaultLimit = 20
  package static let defaultIndex = "shards"

  package init(prefix: String) { self.prefix = prefix }
}
