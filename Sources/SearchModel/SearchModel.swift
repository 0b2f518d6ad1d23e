import Observation
import ShardedIndex

/// The model of a search field and its list: a text with its conditions, the rows that match, and an error.
///
/// A view binds its field to ``text`` and shows ``rows``. When a row appears, the view calls ``load(_:)``, and a task
/// of the model reads the row if it is not loaded. Nothing blocks the main actor.
///
/// ```swift
/// let model = SearchModel(try ShardedIndex(opening: "shards"))
/// model.text = "san j"
/// await model.settled()
/// for row in model.rows.prefix(10) { print(row.record?.key ?? "...") }
/// ```
///
/// The filters, the place and the order are properties. A view with a menu of brands sets ``facetFields``, shows the
/// values of ``facets``, and sets ``filters`` to the chosen ones.
///
/// One search runs at a time, and a newer question cancels it. All rows belong to one question and one generation.
/// If builds have removed files that the rows need, the model reloads the index and searches again.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@MainActor @Observable
public final class SearchModel {
  /// The order of rows.
  public enum Order: Hashable, Sendable {
    /// The best rows first, from an index that ranks its records. The model loads more rows when the list comes to its
    /// end.
    case ranked
    /// The order of keys, for searches without filters and a place. The number of rows is known at once.
    case alphabetical
    /// The order by the numbers of a field that the index was built with, such as a price.
    case numbers(ShardedIndex.SearchQuery.Sort)
  }

  /// The index.
  public let index: ShardedIndex
  /// The order of rows.
  public var order: Order { didSet { if order != oldValue { refresh() } } }
  /// The text, as a person typed it. An empty text matches every record.
  public var text = "" { didSet { if text != oldValue { refresh() } } }
  /// The filters; a record has to pass all of them.
  public var filters: [ShardedIndex.Filter] = [] { didSet { if filters != oldValue { refresh() } } }
  /// The place that near records rank higher for, perhaps with a radius; nil for none.
  public var place: ShardedIndex.Place? { didSet { if place != oldValue { refresh() } } }
  /// The paths of the fields whose values ``facets`` has.
  public var facetFields: [String] = [] { didSet { if facetFields != oldValue { refresh() } } }
  /// The rows of the last question with an answer; none after an error.
  public private(set) var rows = Rows()
  /// The values of ``facetFields`` among the matches of that question, in the order of the fields, each field once.
  public var facets: [ShardedIndex.Facet] { rows.facets }
  /// The error of the last search or of the last read of a row; nil if it succeeded.
  public private(set) var error: IndexError?
  /// Whether the search is still running, and the rows belong to an earlier question.
  public private(set) var isSearching = false

  /// The jobs to do, the search first.
  @ObservationIgnored private var needsSearch = false
  @ObservationIgnored private var wantedPages: [Int] = []
  /// The task that does the jobs, one by one; nil if there are none.
  @ObservationIgnored private var worker: Task<Void, Never>?
  /// The job under way.
  @ObservationIgnored private var current: Task<Rows, any Error>?

  /// The most pages that wait to be read. Earlier pages were scrolled past.
  private static let wantedLimit = 4

  /// Makes the model, and searches for the empty text.
  ///
  /// - Parameters:
  ///   - index: The index.
  ///   - order: The order of rows; nil for ranked if the index ranks its records, else alphabetical.
  public init(_ index: ShardedIndex, order: Order? = nil) {
    self.index = index
    self.order = order ?? (index.generation.manifest.isRanked ? .ranked : .alphabetical)
    refresh()
  }

  /// Searches again. An app calls it after `reload()` of the index.
  ///
  /// The rows stay until the answer comes.
  public func refresh() {
    (needsSearch, isSearching) = (true, true)
    wantedPages = []
    current?.cancel()
    wake()
  }

  /// Reads a row that is not loaded, with the rows beside it, and the next rows at the end of the list.
  ///
  /// A view calls it when a row appears. If reading fails, the view may call it again.
  public func load(_ row: Row) {
    guard let page = rows.page(toLoad: row.position) else { return }
    wantedPages.removeAll { $0 == page }
    wantedPages.append(page)
    if wantedPages.count > Self.wantedLimit { wantedPages.removeFirst() }
    wake()
  }

  /// Waits until the search for the text has ended and all requested rows are read.
  public func settled() async { while let worker { await worker.value } }

  /// The question that the properties ask.
  private var query: ShardedIndex.SearchQuery {
    var query = ShardedIndex.SearchQuery(text, filter: filters, near: place, facets: facetFields)
    switch order {
    case .ranked: break
    // The list has all matches.
    case .alphabetical: (query.order, query.needs.keys) = (.key, .always)
    case .numbers(let sort): query.sort = sort
    }
    return query
  }

  // MARK: Jobs

  private func wake() {
    if worker == nil { worker = Task { await work() } }
  }

  private func work() async {
    while needsSearch || !wantedPages.isEmpty {
      if needsSearch {
        needsSearch = false
        let (index, query) = (index, query)
        await run { try await Rows.finding(query, in: index) }
        if !needsSearch { isSearching = false }
      } else if let page = wantedPages.popLast() {
        let rows = rows
        await run { try await rows.loading(page) }
      }
    }
    worker = nil
  }

  /// Does a job, and shows its rows unless a newer text has come.
  private func run(_ job: @escaping @Sendable () async throws -> Rows) async {
    let task = Task { try await job() }
    current = task
    let result = await task.result
    current = nil
    if needsSearch { return }
    switch result {
    case .success(let found):
      (rows, error) = (found, nil)
    case .failure(IndexError.superseded(let path)):
      await searchAgain(path)
    case .failure(let failure as IndexError):
      error = failure
      if isSearching { rows = Rows() }
    case .failure: break
    }
  }

  /// Searches in the newest generation.
  private func searchAgain(_ path: String) async {
    let (index, query) = (index, query)
    let task = Task { try await Rows.finding(query, in: index, reloads: true) }
    current = task
    let result = await task.result
    current = nil
    if needsSearch { return }
    switch result {
    case .success(let found): (rows, error) = (found, nil)
    case .failure(let failure): (rows, error) = (Rows(), failure as? IndexError ?? .superseded(path: path))
    }
  }
}
