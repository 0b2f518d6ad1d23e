extension ShardedIndex {
  /// The hits of a ranked query, of which no record is decoded yet: for callers that decode a few at a time.
  ///
  /// They are of one generation, and stay so when the index moves on.
  package struct RankedHits: Sendable {
    private var search: RankedSearch
    private let text: [UInt8]
    private var found: [RankedRecord] = []
    /// The rank of the last hit that was found.
    private var lastRank: Rank?

    /// - Parameters:
    ///   - text: The folded text of the query.
    ///   - filters: The filters that hits pass.
    ///   - cursor: The position behind the last hit of the page before; nil for the first page.
    /// - Throws: ``IndexError`` as ``ShardedIndex/search(_:limit:after:)``.
    package init(
      _ text: [UInt8], filters: [Filter] = [], in generation: Generation, after cursor: Cursor? = nil
    ) throws(IndexError) {
      let filter = try RankedFilter(filters, in: generation.manifest)
      try cursor?.check(Cursor.identity(text, filter), generation)
      self.text = text
      lastRank = cursor?.rank
      search = try RankedSearch(text, filter: filter, in: generation, below: cursor?.rank)
    }

    /// The number of hits that the last call of ``find(_:partLimit:)`` found.
    package var count: Int { found.count }
    /// The number of shards that the search has opened.
    package var shardsOpened: Int { search.opened.shards }
    /// The cursor behind the last hit, with which a later search finds the next page; nil behind the last page.
    package var cursor: Cursor? {
      guard search.highestRest != nil, let lastRank else { return nil }
      return Cursor(generation: search.generation.identity, query: Cursor.identity(text, search.filter), rank: lastRank)
    }

    /// Finds the next hits, at most `limit` of them, in the place of those that were found before.
    ///
    /// - Parameter partLimit: The most parts of shards that may be opened for them.
    /// - Returns: Whether these are the best there are. If not, more parts would have had to be opened, and the hits
    ///   mean nothing.
    package mutating func find(_ limit: Int, partLimit: Int) throws(IndexError) -> Bool {
      let page = try search.next(limit, budget: .parts(partLimit))
      found = page.records
      lastRank = found.last?.rank ?? lastRank
      return page.isComplete
    }

    /// Returns the position of one of the hits among all records of the index.
    package func position(of hit: Int) -> Int { found[hit].rank.position }

    // MARK: Records

    /// Decodes some of the hits into a buffer, whose former records are removed.
    package func read(_ positions: Range<Int>, into buffer: RecordBuffer) throws(IndexError) {
      buffer.removeAll()
      try search.generation.read(found[positions], into: buffer)
    }

    /// Returns the folded keys of some of the hits.
    package func foldedKeys(in positions: Range<Int>) throws(IndexError) -> FoldedKeys {
      try search.generation.foldedKeys(of: found[positions])
    }

    /// Returns how many hits from one on are decoded together: 1, since each may be of another part, and parts of one
    /// record may have megabytes. Decodes none.
    ///
    /// - Throws: ``IndexError`` as ``read(_:into:)``, and where the thread's terms have no room for a record so large.
    package func recordsAtOnce(at position: Int) throws(IndexError) -> Int {
      try search.generation.admit(found[position])
      return 1
    }
  }
}
