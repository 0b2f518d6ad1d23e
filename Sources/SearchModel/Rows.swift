import ShardedIndex

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension SearchModel {
  /// One row of a list.
  public struct Row: Identifiable, Sendable {
    /// The identity of the row's record, which it keeps in the answers to other texts. In alphabetical order it is the
    /// position among all records of a generation, since a row has it before its record is loaded; otherwise it is
    /// `Record.id`.
    public let id: ShardedIndex.Record.ID
    /// The position of the row in the list, from 0 on.
    public let position: Int
    /// The record; nil if it is not loaded yet.
    public let record: ShardedIndex.Record?
    /// The hit of a loaded row in ranked order; otherwise nil.
    public let hit: ShardedIndex.Hit?
  }

  /// The rows of a list. A row is loaded or not yet; the subscript reads no file.
  ///
  /// In alphabetical order the 512 rows that were used last stay loaded. In ranked order all rows stay loaded, and
  /// their number grows while there are more.
  public struct Rows: RandomAccessCollection, Sendable {
    /// The source of the rows.
    private enum Source: Sendable {
      case none
      case matches(ShardedIndex.Matches)
      /// The last page of hits.
      case answer(ShardedIndex.Answer)
    }

    /// The number of rows in a page.
    static let pageSize = 32
    private static let pageLimit = 16

    private var source = Source.none
    private var pages: [Int: ShardedIndex.Records] = [:]
    /// The loaded pages, the most recently used page last.
    private var recent: [Int] = []
    private var hits: [ShardedIndex.Hit] = []
    /// The facets of the answer, in the order of the model's fields.
    private(set) var facets: [ShardedIndex.Facet] = []

    init() {}

    /// The position of the first row: always 0.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int {
      if case .matches(let matches) = source { matches.count } else { hits.count }
    }

    /// The number of matches; exact if the search tells it.
    public var total: ShardedIndex.Total {
      switch source {
      case .none: ShardedIndex.Total(0)
      case .matches(let matches): ShardedIndex.Total(matches.count)
      case .answer(let answer): answer.knownTotal
      }
    }

    /// The row at a position. O(1); reads no file.
    public subscript(position: Int) -> Row {
      precondition(indices.contains(position), "no such row")
      guard case .matches(let matches) = source else {
        let hit = hits[position]
        return Row(id: hit.record.id, position: position, record: hit.record, hit: hit)
      }
      let record = pages[position / Self.pageSize]?[position % Self.pageSize]
      return Row(id: .position(Self.place(of: position, in: matches)), position: position, record: record, hit: nil)
    }

    /// Returns the position of a match among all records of the generation.
    private static func place(of position: Int, in matches: ShardedIndex.Matches) -> Int {
      var before = 0
      for run in matches.positions {
        if position - before < run.count { return run.lowerBound + position - before }
        before += run.count
      }
      preconditionFailure("no such row")
    }

    /// Returns the page to read when a row appears; nil if there is nothing to read.
    func page(toLoad position: Int) -> Int? {
      guard indices.contains(position) else { return nil }
      switch source {
      case .none: return nil
      case .matches:
        let page = position / Self.pageSize
        return pages[page] == nil ? page : nil
      case .answer(let answer):
        return answer.hasMore && position >= hits.count - Self.pageSize / 2 ? hits.count / Self.pageSize : nil
      }
    }

    // MARK: Reading

    /// Returns the rows for a query, with their first page loaded.
    ///
    /// - Parameters:
    ///   - query: The query, with its order.
    ///   - reloads: Whether the index first moves to its newest generation.
    @concurrent
    static func finding(
      _ query: ShardedIndex.SearchQuery, in index: ShardedIndex, reloads: Bool = false
    ) async throws -> Rows {
      if reloads { try index.reload() }
      try Task.checkCancellation()
      let rows = try index.following { (generation) throws(IndexError) in
        var rows = Rows()
        guard query.order == .key else {
          let answer = try ShardedIndex.Answer(
            query, limit: pageSize, in: generation, isStopped: { Task.isCancelled })
          (rows.source, rows.hits, rows.facets) = (.answer(answer), Array(answer), answer.facets)
          return rows
        }
        // A search refuses conditions that need ranks.
        let search = try ShardedIndex.Search(query, in: generation)
        rows.facets = try search.counts(isStopped: { Task.isCancelled }).facets
        let matches = search.matches!
        rows.source = .matches(matches)
        try rows.load(0, of: matches)
        return rows
      }
      try Task.checkCancellation()
      return rows
    }

    /// Loads a page of the matches, and gives up the page that was used least recently.
    private mutating func load(_ page: Int, of matches: ShardedIndex.Matches) throws(IndexError) {
      let start = page * Self.pageSize
      pages[page] = try matches.records(in: start..<start + Self.pageSize)
      recent.removeAll { $0 == page }
      recent.append(page)
      if recent.count > Self.pageLimit { pages[recent.removeFirst()] = nil }
    }

    /// Returns these rows with one more page loaded: one of the matches, or the next hits.
    @concurrent
    func loading(_ page: Int) async throws -> Rows {
      try Task.checkCancellation()
      var rows = self
      switch source {
      case .none: break
      case .answer(let answer):
        let next = try await answer.nextAnswer(limit: Self.pageSize)
        rows.source = .answer(next)
        rows.hits += next
      case .matches(let matches): try rows.load(page, of: matches)
      }
      return rows
    }
  }
}
