extension ShardedIndex {
  /// A search in one generation, in the order of ranks or of keys, before any record is decoded.
  ///
  /// All answers are made of it: ``Answer``, and the answers of commands, servers, pages and the C library.
  package struct Search: Sendable {
    /// The query, with the order that the answer has.
    package let query: SearchQuery
    /// The folded text of the query.
    package let text: [UInt8]
    /// The generation of the records: the index's, or that of its starts.
    package let generation: Generation
    /// The records whose keys begin with the text: all of them if ``keys`` are known; in the order of keys at least the
    /// ones that the answer has.
    package let matches: Matches?
    /// The hits; nil in the order of keys. `if let`, and a comparison with nil, would copy all that their search holds.
    private(set) var hits: RankedHits?

    /// Begins a search. In the order of ranks, ``find(_:parts:isStopped:)`` finds hits.
    ///
    /// - Throws: ``IndexError/refused(_:)`` if the index, or the query, does not allow the search; else ``IndexError``
    ///   if a file of the index cannot be read or is damaged.
    package init(_ query: SearchQuery, in newest: Generation) throws(IndexError) {
      do throws(SearchFault) { self.query = try query.checked(in: newest.manifest) } catch { throw .refused(error) }
      text = Fold.fold(query.text)
      generation = try self.query.source(newest, text)
      hits = self.query.order == .rank ? try RankedHits(self.query, text, in: generation) : nil
      if let limit = self.query.keyLimit(newest, of: generation) {
        // Beside hits the matches are counted, and the starts do not have all.
        let counted = hits == nil ? generation : newest
        matches = try text.withFoldedPrefix { (text) throws(IndexError) in
          Matches(counted, try counted.answer(to: text, limit: limit))
        }
      } else {
        matches = nil
      }
    }

    /// Whether the answer is in the order of ranks.
    package var isRanked: Bool { query.order == .rank }
    /// The number of matches that were found.
    package var count: Int { isRanked ? hits!.count : matches!.count }
    /// The positions of the matches that the answer has, among the matches that were found.
    package var range: Range<Int> {
      let start = min(query.offset, count)
      return start..<start + min(query.limit, count - start)
    }
    /// Whether there may be further matches.
    package var hasMore: Bool { isRanked ? hits!.hasMore : matches!.hasMore }
    /// Whether the matches are the records whose keys begin with the text, and no others.
    package var areKeyMatches: Bool { !isRanked || hits!.areKeyMatches }
    /// Whether no hit is missing; false if a limit ended the search, or the number of edits.
    package var isComplete: Bool { !isRanked || hits!.isComplete }
    /// The numbers of the others of the hits' groups; nil if the query makes no groups.
    package var others: [Int]? { query.group != nil && isRanked ? hits!.others : nil }
    /// Whether ``others`` and the number of groups are exact; true without groups.
    package var groupsAreExact: Bool { !isRanked || hits!.groupsAreExact }
    /// The number of keys that begin with the text; nil if it is unknown.
    package var keys: Int? { matches.flatMap { $0.hasMore ? nil : $0.count } }
    /// The number of matches, if they are the records whose keys begin with the text, and no others; nil if it is unknown.
    /// If no key begins with it, records may match fewer words.
    package var keyMatchCount: Int? { areKeyMatches && query.group == nil ? keys.flatMap { $0 > 0 ? $0 : nil } : nil }
    /// The words that the search left out, since nothing matches all words.
    package var dropped: [String] { isRanked ? hits!.dropped : [] }
    /// The reading of the text that the answer comes from; nil for the text itself.
    package var interpretation: Interpretation? { isRanked ? hits!.interpretation : nil }
    /// The proof that no better record was left out; nil in the order of keys.
    var certificate: Certificate? { isRanked ? hits!.certificate : nil }

    /// The cursor behind the last settled hit; nil behind the last match, and without ranks.
    package var cursor: Cursor? {
      guard isRanked, !generation.isOfStarts else { return nil }
      let before = hits!.before
      if before.isKnown, let keyMatchCount, before.all + count >= keyMatchCount { return nil }
      return hits!.cursor
    }

    // MARK: Finding

    /// Finds the next hits, at most `limit` of them, in the place of the hits that were found before. In the order of
    /// keys all matches are found already.
    ///
    /// - Parameters:
    ///   - parts: The most parts of shards to open; nil for the limits of the query.
    ///   - isStopped: Another condition that ends the search; nil for none.
    /// - Returns: Whether the search ended without a limit.
    @discardableResult
    package mutating func find(
      _ limit: Int, parts: Int? = nil, isStopped: (() -> Bool)? = nil
    ) throws(IndexError) -> Bool {
      let budget = parts.map { .parts($0) } ?? budget
      return isRanked ? try hits!.find(limit, budget: budget, isStopped: isStopped) : true
    }

    /// Finds the matches of the answer, and those before them.
    ///
    /// - Throws: ``SearchFault/manyParts(limit:)`` if the limits of the query end the search; else as
    ///   ``init(_:in:)``.
    package mutating func findAll() throws(IndexError) {
      guard try find(query.wanted) || query.budget != nil else {
        throw .refused(.manyParts(limit: query.limits.parts))
      }
    }

    /// The limit on the work of each search for the answer; nil for no limit.
    var budget: SearchBudget? {
      query.budget ?? (query.limits.parts < .max ? .parts(query.limits.parts) : nil)
    }

    // MARK: Numbers

    /// The number of matches as far as the search tells it. Reads nothing.
    package var knownTotal: Total {
      isRanked ? hits!.total(keys: keys) : Total(matches!.count, isExact: !matches!.hasMore)
    }

    /// Returns the number of matches, counted as far as the query wants it.
    ///
    /// - Parameter walked: The number that a walk over the matches has found; nil for no walk.
    package func total(walked: Total? = nil) throws(IndexError) -> Total {
      guard isRanked, !generation.isOfStarts || query.countsMatches else { return knownTotal }
      if query.countsMatches { return try hits!.countedTotal(keys: keys, budget: budget, walked: walked) }
      if let walked, walked.isExact { return walked }
      return query.needs.tables ? try hits!.tableTotal(keys: keys) : knownTotal
    }

    /// Returns the longest beginning of the text that a record matches, if nothing matches the text; else nil.
    ///
    /// - Parameter total: The number of matches.
    package func nearest(_ total: Total) throws(IndexError) -> String? {
      // With filters or a radius, the text may have matches that these leave out.
      guard total == Total(0), query.filter.isEmpty, query.near?.radius == nil else { return nil }
      return try LongestBeginning(in: generation, inKeys: areKeyMatches).find(query.text)
    }

    /// The text of the first hit that corrects the typed text, if every hit corrects typing errors; otherwise nil.
    package var correction: String? { get throws(IndexError) { isRanked ? try hits!.correction : nil } }

    /// Returns the number of shards that the search opened; in the order of keys, the shards at the ends of the matches
    /// and of the records that the answer has.
    package func shardsTouched() throws(IndexError) -> Int {
      if isRanked { return min(hits!.shardsOpened, generation.manifest.shardCount) }
      return try matches!.shardsTouched(by: text, shown: range)
    }

    // MARK: Records

    /// Decodes some of the matches into a buffer, in the place of its former records.
    package func read(_ positions: Range<Int>, into buffer: RecordBuffer) throws(IndexError) {
      guard isRanked else { return try matches!.read(positions, into: buffer) }
      try hits!.read(positions, into: buffer)
    }

    /// Returns some of the matches, decoded.
    package func records(in positions: Range<Int>) throws(IndexError) -> Records {
      try isRanked ? hits!.records(in: positions) : matches!.records(in: positions)
    }

    /// Returns the folded keys of some of the matches.
    package func foldedKeys(in positions: Range<Int>) throws(IndexError) -> FoldedKeys {
      try isRanked ? hits!.foldedKeys(in: positions) : matches!.foldedKeys(in: positions)
    }

    /// Returns the number of matches, from one on, that a caller can decode at once in the memory of a few copies of
    /// their part. Decodes no record.
    ///
    /// - Throws: As ``read(_:into:)``, and if the record is larger than the thread's terms allow.
    package func recordsAtOnce(at position: Int) throws(IndexError) -> Int {
      try isRanked ? hits!.recordsAtOnce(at: position) : matches!.recordsAtOnce(at: position)
    }

    /// Returns a hit, with its record; nil in the order of keys.
    package func hit(_ position: Int, _ record: Record) -> Hit? { isRanked ? hits!.hit(position, record) : nil }

    /// Returns the text of a match that the query's text matched, and the ranges in it, in bytes of UTF-8.
    package func matched(_ position: Int, _ record: Record) -> (via: Via, highlights: [Range<Int>]) {
      isRanked ? hits!.hit(position, record).matched : (.key, Matches.highlights(of: text, in: record.key))
    }
  }
}

extension ShardedIndex.Search {
  /// Returns a search with the matches that `find` finds. A carrier fetches bytes of several places side by side.
  package static func finding(
    _ query: ShardedIndex.SearchQuery, in generation: Generation,
    _ find: (inout ShardedIndex.Search) throws(IndexError) -> Void
  ) throws(IndexError) -> ShardedIndex.Search {
    #if !hasFeature(Embedded)
      if !query.isInOrderOfKeys(in: generation.manifest) { generation.beginEntries(query.wanted) }
    #endif
    return try generation.gathering(ahead: { query.prefetch(in: generation) }) { () throws(IndexError) in
      var search = try ShardedIndex.Search(query, in: generation)
      try find(&search)
      return search
    }
  }

  /// Returns the result of `body`, which reads all that the answer tells besides its records. If the answer has facets,
  /// a carrier fetches bytes of several places side by side.
  package func gathering<Value>(_ body: () throws(IndexError) -> Value) throws(IndexError) -> Value {
    try query.facets.isEmpty ? body() : generation.gathering(body)
  }
}

extension ShardedIndex.SearchQuery {
  /// Returns the generation that answers the query with the fewest reads: the starts of a generation if each read is a
  /// round trip and they have all that the answer needs, else the generation itself.
  ///
  /// - Parameter text: The folded text.
  func source(_ generation: Generation, _ text: [UInt8]) throws(IndexError) -> Generation {
    guard needs.keys != .always, !needs.cursor, cursor == nil, filter.isEmpty, near == nil, sort == nil, group == nil,
      typos != .required, !countsMatches, facets.isEmpty
    else { return generation }
    let nearest = try generation.nearest(to: text, count: wanted, isByRank: order == .rank)
    if needs.columns, nearest.isOfStarts {
      let (columns, all) = (nearest.schema.names, generation.schema.names)
      guard columns.count == all.count, columns.indices.allSatisfy({ all.number(of: columns[$0]) == $0 }) else {
        return generation
      }
    }
    return nearest
  }

  /// Asks a carrier for all bytes that the search will certainly read. So missing bytes of several places come side by
  /// side. The search, which stopped at the first place, reports errors.
  package func prefetch(in generation: Generation) {
    // Starts that the carrier is fetching may answer the search.
    let folded = Fold.fold(text)
    guard let query = try? checked(in: generation.manifest),
      let source = try? query.source(generation, folded), !source.isOfStarts,
      let limit = query.keyLimit(generation, of: source)
    else { return }
    for reading in Fold.readings(of: folded) {
      reading.withFoldedPrefix { generation.prefetch($0, limit: limit) }
    }
  }

  /// Returns the most keys to look up; nil if the answer needs none.
  func keyLimit(_ newest: Generation, of source: Generation) -> Int? {
    if order == .rank {
      // The number of all records is known without a read.
      if needs.keys == .always || text.isEmpty { return .max }
      return needs.keys == .never || source.isOfStarts ? nil : .max
    }
    switch needs.keys {
    case .always: return .max
    case .never: return text.isEmpty ? .max : wanted
    // To count takes more requests than the rest of an answer that starts may give.
    case .unlessStartsMayAnswer: return newest.mayAnswerFromStarts(wanted, isByRank: false) ? wanted : .max
    }
  }
}
