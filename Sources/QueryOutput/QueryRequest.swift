import ShardedIndex

/// A query with the options of the command line.
package struct QueryRequest: Equatable, Sendable {
  package var prefix: String
  /// The index's directory; nil for the one of the user's settings or the default.
  package var index: String?
  /// The second place where an index of that name was looked for; nil where there is none.
  package var otherIndex: String?
  /// The SHA-256 that the manifest must have; nil for any.
  package var expectedDigest: ManifestDigest?
  /// The most records to print; nil where no limit was given.
  package var limit: Int?
  /// Matches to pass over.
  package var offset = 0
  package var all = false
  /// The order of the matches; nil for the one of the index: ranks, if it ranks its records.
  package var sort: SortOrder?
  /// The position that the answer begins behind, in a ranked answer; nil for its beginning.
  package var cursor: ShardedIndex.Cursor?
  /// The filters that records have to pass, in a ranked answer.
  package var filters: [ShardedIndex.Filter] = []
  /// Whether typing errors are corrected, in a ranked answer.
  package var typos = ShardedIndex.Typos.automatic
  /// The place that near records rank higher for, in a ranked answer; nil for none.
  package var near: ShardedIndex.Place?
  /// Whether the ranks are explained, in a ranked answer.
  package var explains = false
  /// Whether the number of matches alone is printed.
  package var countOnly = false
  /// The format; nil for text on a terminal and tsv elsewhere.
  package var format: OutputFormat?
  /// Paths of the fields to print, in tsv or csv; all if there are none.
  package var fields: [String] = []
  /// Whether records end with a zero byte instead of a line end, in tsv.
  package var endsWithZero = false
  /// Whether a line with the names of the fields comes first, in tsv. Csv has one always.
  package var hasHeader = false
  /// When text has colours; nil for what the settings or the environment say.
  package var color: StyleMode?
  /// When coordinates are links; nil for what the settings or the environment say.
  package var hyperlink: StyleMode?
  /// Whether nothing is printed: the exit status is the answer.
  package var isQuiet = false
  /// Whether the work of the query is said on standard error.
  package var isVerbose = false
  /// The command whose name the only word nearly is; nil for none.
  package var nearCommand: String?
  /// Whether each line of standard input is a prefix; ``prefix`` means nothing then.
  package var readsLines = false

  package static let defaultLimit = 20
  /// The default limit of a ranked answer on a terminal: the best matches are few, and the first ones.
  package static let rankedLimit = 10
  static let defaultIndex = "shards"

  package init(prefix: String) { self.prefix = prefix }

  /// Whether an option was given that goes with tsv.
  package var hasFields: Bool { endsWithZero || hasHeader || !fields.isEmpty }

  /// Sets the order that the other options imply, where none was named.
  ///
  /// A script that asks for all matches, their number or a range of them wants them in the order of their keys.
  package mutating func implySort(hasOffset: Bool) {
    guard sort == nil else { return }
    if cursor != nil || explains || !filters.isEmpty || near != nil || typos == .required {
      sort = .rank
    } else if all || countOnly || hasOffset {
      sort = .key
    }
  }

  /// Adds a filter: the path of a field, `=` and a value. Returns false for another text.
  package mutating func addFilter(_ text: String) -> Bool {
    guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")), sign > text.startIndex else { return false }
    filters.append(
      ShardedIndex.Filter(String(text[..<sign]), isOneOf: [String(text[text.utf8.index(after: sign)...])]))
    return true
  }

  /// Returns whether the answer from an index is ranked.
  ///
  /// - Throws: ``IndexError/notBuilt(feature:)`` if it has to be ranked, and the index ranks nothing.
  func isRanked(in manifest: ManifestReader) throws(IndexError) -> Bool {
    guard let sort else { return manifest.isRanked }
    guard sort == .rank else { return false }
    guard manifest.isRanked else { throw .notBuilt(feature: .ranks) }
    return !countOnly
  }
}

/// An order of the matches of a query.
package enum SortOrder: String, Sendable, CaseIterable {
  /// The best matches first.
  case rank
  /// The order of the index.
  case key
}
