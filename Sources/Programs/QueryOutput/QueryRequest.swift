import Answers
import ShardedIndex

/// A query with the options of the command line.
package struct QueryRequest: Sendable {
  /// The search. Its order is ``ShardedIndex/SearchQuery/Order/automatic`` if none was named; its limit and its needs
  /// come with the format.
  package var query: ShardedIndex.SearchQuery
  /// The index's directory; nil for the directory of the user's settings or the default.
  package var index: String?
  /// The second place to look for an index of that name; nil if there is none.
  package var otherIndex: String?
  /// The SHA-256 that the manifest must have; nil for any.
  package var expectedDigest: ManifestDigest?
  /// The most records to print; nil if no limit was given.
  package var limit: Int?
  package var all = false
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

  package init(prefix: String) {
    query = ShardedIndex.SearchQuery(prefix)
    query.order = .automatic
  }

  /// Whether an option of tsv was given.
  package var hasFields: Bool { endsWithZero || !fields.isEmpty }

  /// Sets the order that the other options imply, if no order was named.
  ///
  /// Without such an option the index decides.
  package mutating func implySort() {
    guard query.order == .automatic else { return }
    if query.cursor != nil || explains || !query.filter.isEmpty || query.near != nil || query.typos == .required
      || query.group != nil
    {
      query.order = .rank
    }
  }

  /// Returns the search for a text, with the limit and the needs of a format.
  func query(_ text: String, _ format: OutputFormat, in generation: Generation) -> ShardedIndex.SearchQuery {
    let isRanked = !query.isInOrderOfKeys(in: generation.manifest)
    var query = query
    query.text = text
    let usual = isRanked && format == .text ? Self.rankedLimit : Self.defaultLimit
    query.limit = all ? .max : limit ?? usual
    let hasNumbers = format == .text || format == .json
    // A note below records in the order of keys has their number, unless a script gave a limit.
    let countsKeys = hasNumbers || !isRanked && (all || limit == nil)
    // One answer in JSON counts at any cost. Among lines, starts may answer.
    query.needs = .init(
      keys: !countsKeys ? .never : format == .json && !readsLines ? .always : .unlessStartsMayAnswer,
      cursor: isRanked && format == .json, columns: format == .tsv || format == .csv, tables: hasNumbers)
    return query
  }
}

/// An order of the matches, by its name on the command line: `rank`, `key`, or a field of numbers such as `-price`.
package struct SortOrder: RawRepresentable, Equatable, Sendable {
  package let rawValue: String

  package init?(rawValue: String) {
    guard !rawValue.isEmpty else { return nil }
    self.rawValue = rawValue
  }

  private init(_ name: String) { rawValue = name }

  /// The best matches first.
  package static let rank = SortOrder("rank")
  /// The order of the index.
  package static let key = SortOrder("key")
  /// The orders of every index with ranks.
  package static let named = [rank, key]

  /// Sets the order of a search.
  package func apply(to query: inout ShardedIndex.SearchQuery) { query.setOrder(rawValue) }
}
