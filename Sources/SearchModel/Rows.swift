import ShardedIndex

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension SearchModel {
  /// One row of a list.
  public struct Row: Identifiable, Sendable {
    /// The position of the row, from 0 on.
    public let id: Int
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
      guard case .matches = source else { return Row(id: position, record: hits[position].record, hit: hits[position]) }
      let page = pages[position / Self.pageSize]
      return Row(id: position, record: page?[position % Self.pageSize], hit: nil)
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

    /// Returns the rows for a text, with their first page loaded.
    @concurrent
    static func finding(_ text: String, _ order: Order, in index: ShardedIndex) async throws -> Rows {
      var rows = Rows()
      switch order {
      case .ranked:
        let answer = try await index.search(text, limit: pageSize)
        (rows.source, rows.hits) = (.answer(answer), answer.hits)
      case .alphabetical:
        try Task.checkCancellation()
        rows.source = .matches(try index.matches(forPrefix: text))
        rows = try await rows.loading(0)
      }
      return rows
    }

    /// Returns the rows for a text in the newest generation.
    @concurrent
    static func finding(
      _ text: String, _ order: Order, inNewest index: ShardedIndex, attempts: Int
    ) async throws -> Rows {
      for attempt in 1...attempts {
        try index.reload()
        do { return try await finding(text, order, in: index) } catch IndexError.superseded where attempt < attempts {}
      }
      preconditionFailure("the last attempt returns or throws")
    }

    /// Returns these rows with one more page loaded: one of the matches, or the next hits.
    @concurrent
    func loading(_ page: Int) async throws -> Rows {
      try Task.checkCancellation()
      var rows = self
      switch source {
      case .none: break
      case .answer(let answer):
        let next = try await answer.next(limit: Self.pageSize)
        rows.source = .answer(next)
        rows.hits += next.hits
      case .matches(let matches):
        let start = page * Self.pageSize
        rows.pages[page] = try matches.records(in: start..<start + Self.pageSize)
        rows.recent.removeAll { $0 == page }
        rows.recent.append(page)
        if rows.recent.count > Self.pageLimit { rows.pages[rows.recent.removeFirst()] = nil }
      }
      return rows
    }
  }
}
