extension ShardedIndex {
  /// The hits of a ranked query before any record is decoded, for callers that decode a few at a time.
  ///
  /// The hits stay with their generation when the index moves on.
  package struct RankedHits: Sendable {
    private(set) var search: RankedSearch
    private let query: SearchQuery
    /// The folded text that was searched.
    private(set) var text: [UInt8]
    /// The filters of the search that the hits come from.
    private(set) var filters: [Filter]
    /// The words of the query that the search left out, since nothing matches all words; in their order.
    package private(set) var dropped: [String] = []
    /// The reading of the text that the hits come from; nil for the text itself.
    package private(set) var interpretation: Interpretation?
    private(set) var found = RankedSearch.NextHits()
    /// The rank of the last hit before the hits that were found; nil if they are the first.
    private var rankBefore: Rank?
    /// The least numbers of hits before the hits that were found: all of them, and the ones without typing errors.
    private(set) var before: (all: Int, right: Int, isKnown: Bool)
    /// The groups of the matches, once they are found; nil without groups.
    private(set) var groups: RankedGroups?

    /// - Parameters:
    ///   - query: A query that is checked.
    ///   - text: The folded text of the query.
    /// - Throws: ``IndexError`` as ``ShardedIndex/search(_:limit:after:)``.
    package init(_ query: SearchQuery, _ text: [UInt8], in generation: Generation) throws(IndexError) {
      let cursor = query.cursor
      (self.query, self.text, filters) = (query, text, query.filter)
      // A cursor stands behind a hit.
      rankBefore = cursor?.rank
      before = (0, cursor?.rank.edits == 0 ? 1 : 0, cursor == nil)
      let rules = MatchRules(of: generation.manifest)
      search = try Self.search(
        text, query, query.filter, isClosed: rules.isPlain && PlainForm.hasSymbol(text), in: generation)
      if let cursor {
        if search.text.isClosed, cursor.query != Cursor.identity(of: search) { try takePlainForm() }
        if cursor.query != Cursor.identity(of: search) { try takeSearch(of: cursor) }
        try cursor.check(Cursor.identity(of: search), generation)
      }
    }

    /// Begins a search for all words of a text, without conditions.
    package init(_ text: [UInt8], typos: Typos = .automatic, in generation: Generation) throws(IndexError) {
      var query = SearchQuery("")
      (query.typos, query.words) = (typos, .all)
      try self.init(query, text, in: generation)
    }

    private static func search(
      _ text: [UInt8], _ query: SearchQuery, _ filters: [Filter], isClosed: Bool = false, acrossNames: Bool = false,
      in generation: Generation
    ) throws(IndexError) -> RankedSearch {
      let manifest = generation.manifest
      let group = GroupField(query.group, in: manifest)
      var search = try RankedSearch(
        text, filter: RankedFilter(filters, in: manifest), near: query.near.map { RankedNear($0, in: manifest) },
        sort: RankedSort(query.sort, in: manifest), typos: query.typos, isClosed: isClosed, acrossNames: acrossNames,
        // A group behind a cursor may have other records before the cursor.
        in: generation, below: group == nil ? query.cursor?.rank : nil)
      search.group = group
      return search
    }

    /// Begins the search that the hits come from once more, from the first match on, with other filters and without
    /// groups.
    func begun(with filters: [Filter]) throws(IndexError) -> RankedSearch {
      var query = query
      (query.cursor, query.group) = (nil, nil)
      return try Self.search(
        text, query, filters, isClosed: search.text.isClosed, acrossNames: search.rules.acrossNames, in: generation)
    }

    package var generation: Generation { search.generation }

    /// The number of hits that were found.
    package var count: Int { found.records.count }
    /// The positions of the hits that were found among the records of the generation.
    package var positions: [Int] { found.records.map { $0.rank.position } }
    /// Whether no hit is missing; false if the budget ended the search, or the number of edits.
    package var isComplete: Bool { found.isComplete }
    /// Whether there may be further hits.
    package var hasMore: Bool { groups?.hasMore ?? (search.highestRest != nil) }
    /// Whether the numbers of the others of the hits' groups are exact.
    package var groupsAreExact: Bool { groups?.isExact ?? true }
    /// The numbers of the others of the hits' groups; empty without groups.
    package var others: [Int] { found.others }
    /// Whether the hits come from the text itself, with all its words.
    var isOfTypedText: Bool { dropped.isEmpty && interpretation == nil }
    /// Whether the matches are the records whose keys begin with the text, and no others.
    package var areKeyMatches: Bool {
      isOfTypedText && !search.rules.isPlain && !search.hasConditions && search.editLimit == 0
    }
    /// The number of shards that the search has opened.
    package var shardsOpened: Int { search.opened.shards }

    /// The proof that no better record was left out.
    var certificate: Certificate {
      Certificate(
        lastHit: found.records.last?.rank, highestRest: groups?.highestRest ?? search.highestRest,
        pagesOpened: search.opened.pages,
        shardsOpened: search.opened.shards, partsOpened: search.opened.parts)
    }

    /// The cursor behind the last settled hit, with which a later search finds the next page; nil behind the last page.
    package var cursor: Cursor? {
      guard hasMore, let rank = found.records[..<found.settledCount].last?.rank ?? rankBefore else { return nil }
      return Cursor(generation: search.generation.identity, query: Cursor.identity(of: search), rank: rank)
    }

    // MARK: Finding

    /// Finds the next hits, at most `limit` of them, in the place of the hits that were found before.
    ///
    /// - Parameter isStopped: Another condition that ends the search; nil for none.
    /// - Returns: Whether the search ended without the budget and the condition.
    @discardableResult
    package mutating func find(
      _ limit: Int, budget: SearchBudget? = nil, isStopped: (() -> Bool)? = nil
    ) throws(IndexError) -> Bool {
      let next = try next(limit, budget, isStopped)
      rankBefore = found.records.last?.rank ?? rankBefore
      before.all += found.records.count
      before.right += found.records.count { $0.rank.edits == 0 }
      found = next
      return !next.isCut
    }

    /// Finds the next hits, at most `limit` of them, behind the hits that were found before.
    package mutating func findMore(_ limit: Int) throws(IndexError) {
      let next = try next(limit, nil, nil)
      found.records += next.records
      found.others += next.others
      found.settledCount = found.records.count
    }

    /// Returns the next hits, at most `limit` of them. The first call for groups finds the matches of all groups.
    private mutating func next(
      _ limit: Int, _ budget: SearchBudget?, _ isStopped: (() -> Bool)?
    ) throws(IndexError) -> RankedSearch.NextHits {
      guard let field = search.group else { return try nextMatches(limit, budget, isStopped) }
      var known: RankedGroups
      if let groups {
        known = groups
      } else {
        let matches = try nextMatches(Total.walkLimit, budget, isStopped)
        known = try RankedGroups(
          matches, by: field, isExact: !matches.isCut && search.highestRest == nil, behind: query.cursor?.rank,
          in: generation)
      }
      let next = known.next(limit)
      groups = known
      return next
    }

    private mutating func nextMatches(
      _ limit: Int, _ budget: SearchBudget?, _ isStopped: (() -> Bool)?
    ) throws(IndexError) -> RankedSearch.NextHits {
      guard limit > 0, before.isKnown, rankBefore == nil, count == 0 else {
        return try search.next(limit, budget: budget, isStopped: isStopped)
      }
      var asked = Asked(budget: budget, isStopped: isStopped)
      if search.text.isClosed {
        let next = try asked.next(limit, of: &search)
        guard next.records.isEmpty, !asked.isCut, try takePlainForm() else { return next }
      }
      guard query.words != .all, !generation.isOfStarts else { return try asked.next(limit, of: &search) }
      let right = try asked.next(limit, mostEdits: 0, of: &search)
      guard right.records.isEmpty, !asked.isCut else { return right }
      let typed = TypedWords(query.text)
      if let next = try nextOfReadings(limit, typed, &asked) { return next }
      if let next = try nextWithoutWords(limit, typed, &asked) { return next }
      return RankedSearch.NextHits(isCut: asked.isCut)
    }

    /// Goes on with the plain form of the text. A text of signs alone has none; then returns false.
    @discardableResult
    mutating func takePlainForm() throws(IndexError) -> Bool {
      let plain = try Self.search(text, query, query.filter, in: generation)
      guard !plain.text.isEmpty else { return false }
      search = plain
      return true
    }

    // MARK: Readings

    /// Asks the text with edits, and its readings without and with edits, and takes the place of this search with the
    /// first one that has hits.
    ///
    /// - Returns: The hits; nil if there are none.
    private mutating func nextOfReadings(
      _ limit: Int, _ typed: TypedWords, _ asked: inout Asked
    ) throws(IndexError) -> RankedSearch.NextHits? {
      let readings = otherTexts(for: typed)
      var searches: [RankedSearch] = []
      for reading in readings { searches.append(try search(reading)) }
      for edits in 0...EditBudget.mostEdits {
        let next = edits == 0 ? nil : try asked.next(limit, mostEdits: edits, of: &search)
        if let next, !next.records.isEmpty { return next }
        for index in searches.indices where !asked.isCut {
          let next = try asked.next(limit, mostEdits: edits, of: &searches[index])
          guard !next.records.isEmpty else { continue }
          take(searches[index], for: readings[index])
          return next
        }
      }
      return nil
    }

    /// Returns the text with words across the key and other names, and behind it its readings.
    private func otherTexts(for typed: TypedWords) -> [OtherText] {
      var others = Readings(in: generation.manifest).all(of: typed, query.filter)
      if search.rules.canMatchAcrossNames, search.text.hasSearchableWords, typed.count <= TypedWords.mostWords {
        others.insert(OtherText(text: query.text, filters: query.filter, acrossNames: true), at: 0)
      }
      return others
    }

    private func search(_ other: OtherText) throws(IndexError) -> RankedSearch {
      try Self.search(Fold.fold(other.text), query, other.filters, acrossNames: other.acrossNames, in: generation)
    }

    /// Goes on with the search for another text.
    private mutating func take(_ search: RankedSearch, for other: OtherText) {
      (self.search, text, filters) = (search, Fold.fold(other.text), other.filters)
      (interpretation, dropped) = (other.interpretation, other.dropped)
    }

    // MARK: Leaving out words

    /// The limits that all searches for one page share.
    private struct Asked {
      var budget: SearchBudget?
      var isStopped: (() -> Bool)?
      /// Whether the budget or the condition ended one of the searches.
      var isCut = false

      mutating func next(
        _ limit: Int, mostEdits: Int? = nil, of search: inout RankedSearch
      ) throws(IndexError) -> RankedSearch.NextHits {
        let start = search.opened
        let next = try search.next(limit, mostEdits: mostEdits, budget: budget, isStopped: isStopped)
        budget = budget?.rest(from: start, to: search.opened)
        isCut = isCut || next.isCut
        return next
      }

      /// Returns the best match of a text without edits, and without regard to nearness within the radius.
      mutating func best(
        _ text: String, _ filter: RankedFilter? = nil, _ near: RankedNear? = nil, in generation: Generation
      ) throws(IndexError) -> Rank? {
        var search = try RankedSearch(
          Fold.fold(text), filter: filter, near: near, typos: .none, in: generation)
        return try next(1, of: &search).records.first?.rank
      }

      /// Returns the positions of the words with which a text of the index begins; nil if there are none.
      mutating func known(_ texts: ShorterTexts, in generation: Generation) throws(IndexError) -> [Int]? {
        var known: [Int] = []
        for (position, word) in texts.searchedWords.enumerated() where try best(word, in: generation) != nil {
          known.append(position)
        }
        return known.isEmpty ? nil : known
      }
    }

    /// Tries the shorter texts in their order, and takes the place of this search with the first text that has hits.
    ///
    /// - Returns: The hits of the shorter text; nil if no shorter text has hits.
    private mutating func nextWithoutWords(
      _ limit: Int, _ typed: TypedWords, _ asked: inout Asked
    ) throws(IndexError) -> RankedSearch.NextHits? {
      let texts = ShorterTexts(typed: typed, filters: query.filter)
      guard texts.canShorten, !asked.isCut else { return nil }
      func hits(of shorter: OtherText) throws(IndexError) -> RankedSearch.NextHits? {
        var search = try search(shorter)
        let next = try asked.next(limit, of: &search)
        guard !next.records.isEmpty else { return nil }
        take(search, for: shorter)
        return next
      }
      let condition = search.nearness?.condition(in: generation.manifest)
      // A whole key or a whole name is likelier to be meant than a beginning.
      for shorter in texts.all() where !asked.isCut {
        guard let rank = try asked.best(shorter.text, search.filter, condition, in: generation), !asked.isCut,
          RecordMatch.isWhole(bonus: rank.bonus(near: 0))
        else { continue }
        if let next = try hits(of: shorter) { return next }
      }
      let known = try asked.known(texts, in: generation)
      for shorter in texts.all(of: known) where !asked.isCut {
        if let next = try hits(of: shorter) { return next }
      }
      return nil
    }

    /// Searches the reading or the shorter text that a cursor belongs to, if there is one.
    private mutating func takeSearch(of cursor: Cursor) throws(IndexError) {
      guard query.words != .all else { return }
      let typed = TypedWords(query.text)
      var others = otherTexts(for: typed)
      let texts = ShorterTexts(typed: typed, filters: query.filter)
      if texts.canShorten {
        var asked = Asked()
        others += texts.all() + texts.all(of: try asked.known(texts, in: generation))
      }
      for other in others {
        let search = try search(other)
        if Cursor.identity(of: search) == cursor.query { return take(search, for: other) }
      }
    }

    /// The text of the first hit that corrects the typed text, if every hit corrects typing errors; otherwise nil.
    package var correction: String? {
      get throws(IndexError) {
        guard let first = found.records.first, first.rank.edits > 0 else { return nil }
        return hit(0, try records(in: 0..<1)[0]).correction
      }
    }

    // MARK: Records

    /// Decodes some of the hits into a buffer, in the place of its former records.
    package func read(_ positions: Range<Int>, into buffer: RecordBuffer) throws(IndexError) {
      buffer.removeAll()
      try RankedRecords(found.records[positions], in: generation).read(into: buffer)
    }

    /// Returns the folded keys of some of the hits.
    package func foldedKeys(in positions: Range<Int>) throws(IndexError) -> FoldedKeys {
      try RankedRecords(found.records[positions], in: generation).foldedKeys()
    }

    /// Returns some of the hits, decoded.
    package func records(in positions: Range<Int>) throws(IndexError) -> Records {
      let (buffer, schema) = (RecordBuffer(), search.generation.schema)
      try read(positions, into: buffer)
      return Records(
        buffer: buffer, schema: schema, folded: schema.isKeyStored ? nil : try foldedKeys(in: positions),
        positions: .each(found.records[positions].map { $0.rank.position }))
    }

    /// Returns the number of hits that a caller can decode at once: 1, since each hit may be in another part, and parts
    /// of one record may have megabytes. Decodes no record.
    ///
    /// - Throws: ``IndexError`` as ``read(_:into:)``, and if the record is larger than the thread's terms allow.
    package func recordsAtOnce(at position: Int) throws(IndexError) -> Int {
      try RankedRecords(found.records[position...position], in: generation).admit()
      return 1
    }

    /// Returns a hit, with its record.
    package func hit(_ position: Int, _ record: Record) -> Hit {
      Hit(
        record: record, rank: found.records[position].rank, isSettled: position < found.settledCount,
        near: search.nearness?.value { record.value(ofField: $0)?.text } ?? 0,
        others: position < found.others.count ? found.others[position] : 0, text: search.text, rules: search.rules)
    }
  }
}
