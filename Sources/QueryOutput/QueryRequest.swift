import ShardedIndex

/// A query with the options of the command line.
package struct QueryRequest: Equatable, Sendable {
  package var prefix: String
  /// The index's directory; nil for the directory of the user's settings or the default.
  package var index: String?
  /// The second place to look for an index of that name; nil if there is none.
  package var otherIndex: String?
  /// The SHA-256 that the manifest must have; nil for any.
  package var expectedDigest: ManifestDigest?
  /// The most records to print; nil if no limit was given.
  package var limit: Int?
  /// The number of matches to pass over.
  package var offset = 0
  package var all = false
  /// The order of the matches; nil for ranks if the index ranks its records, else keys.
  package var sort: SortOrder?
  /// The position behind which a ranked answer begins; nil for its beginning.
  package var cursor: ShardedIndex.Cursor?
  /// The filters of a ranked answer; records have to pass all of them.
  package var filters: [ShardedIndex.Filter] = []
  /// Whether a ranked answer corrects typing errors.
  package var typos = ShardedIndex.Typos.automatic
  /// The place near which records rank higher in a ranked answer; nil for none.
  package var near: ShardedIndex.Place?
  /// Whether a ranked answer explains its ranks.
  package var explains = false
  /// Whether only the number of matches is printed.
  package var countOnly = false
  /// The format; nil for text on a terminal and tsv elsewhere.
  package var format: OutputFormat?
  /// The paths of the fields to print in tsv or csv; empty for all fields.
  package var fields: [String] = []
  /// Whether records end with a zero byte instead of a line end, in tsv.
  package var endsWithZero = false
  /// When text has colours; nil for the choice of the settings or the environment.
  package var color: StyleMode?
  /// When coordinates are links; nil for the choice of the settings or the environment.
  package var hyperlink: StyleMode?
  /// Whether the exit status alone is the answer, and nothing is printed.
  package var isQuiet = false
  /// Whether standard error gets a note on the work of the query.
  package var isVerbose = false
  /// The command whose name is nearly the only word; nil for none.
  package var nearCommand: String?
  /// Whether each line of standard input is a prefix; then ``prefix`` is ignored.
  package var readsLines = false

  package static let defaultLimit = 20
  /// The default limit of a ranked answer on a terminal, where the first few matches are the best.
  package static let rankedLimit = 10
  static let defaultIndex = "shards"

  package init(prefix: String) { self.prefix = prefix }

  /// Whether an option of tsv was given.
  package var hasFields: Bool { endsWithZero || !fields.isEmpty }

  /// Sets the order that the other options imply, if no order was named.
  ///
  /// Without such an option the index decides.
  package mutating func implySort() {
    guard sort == nil else { return }
    if cursor != nil || explains || !filters.isEmpty || near != nil || typos == .required { sort = .rank }
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
  /// - Throws: ``IndexError/notBuilt(feature:)`` if the request needs ranks and the index has none.
  func isRanked(in manifest: ManifestReader) throws(IndexError) -> Bool {
    guard let sort else { return manifest.isRanked }
    guard sort == .rank else { return false }
    guard manifest.isRanked else { throw .notBuilt(feature: .ranks) }
    return true
  }
}

/// An order of the matches of a query.
package enum SortOrder: String, Sendable, CaseIterable {
  /// The best matches first.
  case rank
  /// The order of the index.
  case key
}
