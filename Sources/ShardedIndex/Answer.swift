extension ShardedIndex {
  /// The answer to a ranked query: a collection of hits, best first.
  ///
  /// An answer stays with its generation when the index moves on.
  public struct Answer: RandomAccessCollection, Sendable {
    private let search: Search
    private let limit: Int
    /// The number of matches, if the query counts them.
    private let counted: Total?
    /// The facets of the query, in its order, each field once. Source: docs/facets.md.
    public let facets: [Facet]
    /// The records of the hits, in their order.
    public let records: Records

    private init(
      _ search: Search, limit: Int, counted: Total? = nil, facets: [Facet]? = nil, isStopped: (() -> Bool)? = nil
    ) throws(IndexError) {
      self.limit = limit
      var search = search
      try search.find(limit, isStopped: isStopped)
      if let facets {
        (self.counted, self.facets) = (counted, facets)
      } else if search.query.countsMatches || !search.query.facets.isEmpty {
        let counts = try search.counts(isStopped: isStopped)
        (self.counted, self.facets) = (search.query.countsMatches ? counts.total : nil, counts.facets)
      } else {
        (self.counted, self.facets) = (counted, [])
      }
      records = try search.records(in: 0..<search.count)
      self.search = search
    }

    /// The generation of the answer.
    package var generation: Generation { search.generation }

    /// The position of the best hit: always 0.
    public var startIndex: Int { 0 }
    /// The number of hits.
    public var endIndex: Int { records.count }
    /// One of the hits, the best at 0. O(1): the records are decoded already.
    public subscript(position: Int) -> Hit { search.hit(position, records[position])! }

    /// Whether no hit is missing; false if the query's budget ended the search, or the number of typing errors with
    /// ``Typos/min``, or if more than 10,000 records match a query with groups and the groups of these are too few.
    public var isComplete: Bool { search.isComplete }

    /// Whether the number of groups and ``Hit/others`` are exact; false if more than 10,000 records match, or if the
    /// query's budget or the number of typing errors ended the search. True if the query makes no groups.
    public var groupsAreExact: Bool { search.groupsAreExact }

    /// The text of the first hit that corrects the typed text, if every hit corrects typing errors; otherwise nil.
    public var correction: String? { first?.correction }

    /// The words of the text that the search left out, since no record matches all words; in their order.
    public var dropped: [String] { search.dropped }

    /// The reading of the text that the answer comes from, since no record matches the text itself; nil for the text.
    public var interpretation: Interpretation? { search.interpretation }

    /// Whether there may be further hits.
    public var hasMore: Bool { search.hasMore }

    /// The number of matches. It is exact if the query counts and at most 10,000 match, or if the tables of the index
    /// or the search tell it.
    ///
    /// - Complexity: O(*s*) with one filter, O(log *n*) without: *s* shards of the matches, *n* records. Reads the two
    ///   parts at the ends of the matches.
    public var total: Total {
      let known = search.knownTotal
      if let counted, !known.isExact { return counted.isExact || counted.number > known.number ? counted : known }
      return (try? search.total()) ?? known
    }

    /// The number of matches as far as the search tells it. Reads nothing.
    package var knownTotal: Total { counted ?? search.knownTotal }

    /// The number of keys that begin with the text; nil if the query does not need it.
    package var keys: Int? { search.keys }

    /// The proof that no better record was left out.
    public var certificate: Certificate { search.certificate! }

    /// The cursor behind the last settled hit, with which a later search finds the next page; nil behind the last page.
    ///
    /// - Complexity: O(*n*) in the size of the manifest's root.
    public var cursor: Cursor? { search.cursor }

    /// Returns the next hits, from the same generation. The search keeps its queue, so that it opens few parts twice.
    ///
    /// - Parameter limit: The most hits; nil for the limit of this answer.
    /// - Throws: ``IndexError`` if a shard cannot be read or is damaged, or was removed by builds since.
    public func next(limit: Int? = nil) throws(IndexError) -> Answer { try next(limit: limit, isStopped: nil) }

    /// - Parameter isStopped: A condition that ends the search; nil for none.
    func next(limit: Int?, isStopped: (() -> Bool)?) throws(IndexError) -> Answer {
      try Answer(
        search, limit: limit.map { Swift.max(0, $0) } ?? self.limit, counted: counted, facets: facets,
        isStopped: isStopped)
    }

    /// - Parameter isStopped: A condition that ends the search; nil for none.
    package init(
      _ query: SearchQuery, limit: Int, after cursor: Cursor? = nil, in generation: Generation,
      isStopped: (() -> Bool)? = nil
    ) throws(IndexError) {
      var query = query
      (query.order, query.offset, query.limit, query.cursor) = (.rank, 0, Swift.max(0, limit), cursor)
      (query.needs.cursor, query.needs.tables) = (true, true)
      try self.init(Search(query, in: generation), limit: query.limit, isStopped: isStopped)
    }
  }

  /// A record of a ranked answer, and how it matched.
  public struct Hit: Sendable {
    /// The record.
    public let record: Record
    /// Its rank.
    public let rank: Rank
    /// Whether no record that the search has not opened can come before this hit; false only if the budget ended the
    /// search.
    public let isSettled: Bool
    /// The nearness in the score, in steps of 1/2,048 octave; 0 if the query has no place.
    public let near: Int
    /// The number of other matches in the group of the record; 0 if the query makes no groups.
    /// ``Answer/groupsAreExact`` tells whether there may be more.
    public let others: Int
    private let text: RankedText
    private let rules: MatchRules

    init(
      record: Record, rank: Rank, isSettled: Bool, near: Int, others: Int, text: RankedText, rules: MatchRules
    ) {
      (self.record, self.rank, self.isSettled, self.near) = (record, rank, isSettled, near)
      (self.others, self.text, self.rules) = (others, text, rules)
    }

    /// The score: the code of the weight, the bonus of the match and the nearness, in steps of 1/2,048 octave.
    public var score: Int { rank.score }
    /// The bonus of the match, in octaves of weight.
    public var bonus: Int { rank.bonus(near: near) }
    /// The number of typing errors that the match corrects.
    public var edits: Int { rank.edits }
    /// The text of the record that matched.
    ///
    /// - Complexity: O(*n*) in the size of the key and of the other names.
    public var via: Via { matched.via }

    /// The key, or the other name that matched: the text of ``highlights``.
    ///
    /// - Complexity: As ``via``.
    public var matchedText: String { matchedText(by: matched.via) }

    private func matchedText(by via: Via) -> String { if case .otherName(let name) = via { name } else { record.key } }

    /// The ranges of ``matchedText`` that the typed text matched, in order.
    ///
    /// - Complexity: As ``via``.
    public var highlights: [Range<String.Index>] {
      let (via, ranges) = matched
      let text = matchedText(by: via).utf8
      return ranges.map {
        let start = text.index(text.startIndex, offsetBy: $0.lowerBound)
        return start..<text.index(start, offsetBy: $0.count)
      }
    }

    /// The other name that matched, as the record has it; nil if the key matched.
    package var otherName: String? {
      if rules.hasNames, case .otherName(let name) = matched.via { name } else { nil }
    }

    /// The text that matched and the ranges in it, found together.
    package var matched: (via: Via, highlights: [Range<Int>]) {
      let key = record.key
      var texts = RecordTexts(Fold.fold(key), rules)
      for field in rules.fields {
        if let value = record.value(ofField: field.number) { texts.add(value.text, value.kind, of: field) }
      }
      guard !text.isEmpty, let (match, size) = match(of: texts) else { return (.key, []) }
      func ranges(_ ranges: [Range<Int>], as form: PlainForm.Form, of name: String? = nil) -> [Range<Int>] {
        let text = SpelledText(
          name ?? key, as: rules.isPlain ? form : nil, separators: name == nil ? rules.separators : 0)
        return ranges.compactMap { text.spelled($0) }.ordered { $0.lowerBound < $1.lowerBound }
      }
      switch match.matched {
      case .key(let form): return (.key, ranges([0..<size], as: form))
      case .word(let start, let form): return (.word, ranges([start..<start + size], as: form))
      case .words(let words): return (.words, ranges(words, as: .plain))
      case .field(let words): return (.field, ranges(words, as: .plain))
      case .name(let number):
        let other = texts.names[number]
        let name = String(decoding: other.spelled, as: UTF8.self)
        return (.otherName(name), ranges([0..<min(size, other.text.count)], as: other.form, of: name))
      }
    }

    /// The correction of the typed text: the nearest beginning of the key or of the other name; nil for a hit without
    /// typing errors, and for one by words of other fields alone.
    ///
    /// - Complexity: As ``via``.
    public var correction: String? {
      guard edits > 0 else { return nil }
      let (via, highlights) = matched
      let text = Array(matchedText(by: via).utf8)
      return highlights.isEmpty
        ? nil : highlights.map { String(decoding: text[$0], as: UTF8.self) }.joined(separator: " ")
    }

    /// Returns the match by one of the record's texts, and the size of the text that matched.
    private func match(of texts: RecordTexts) -> (match: RecordMatch, size: Int)? {
      if edits == 0 { return texts.match(text, rules).map { ($0, text.text.count) } }
      return NearQuery(text, rules).match(texts, edits: edits, rules).map { ($0.match, $0.size) }
    }
  }

  /// The text of a record that a typed text matched.
  @nonexhaustive
  public enum Via: Hashable, Sendable {
    /// The beginning of the key.
    case key
    /// The beginning of the key from a later word on.
    case word
    /// Words of the key, in any order.
    case words
    /// Another name of the record, as the record has it.
    case otherName(String)
    /// Words of other fields, and maybe of the key, in any order. A highlight is a range of the key.
    case field
  }

  /// The proof that an answer is complete: no record that was left out ranks above ``highestRest``.
  public struct Certificate: Sendable {
    /// The rank of the last hit; nil if there are no hits.
    public let lastHit: Rank?
    /// The greatest rank that a record behind the hits can have; nil if there are no more records.
    public let highestRest: Rank?
    /// The number of pages of the manifest that the search opened, for all pages of the answer together.
    public let pagesOpened: Int
    /// The number of shards that the search opened, likewise.
    public let shardsOpened: Int
    /// The number of parts of shards that the search opened, likewise.
    public let partsOpened: Int
  }
}

extension ShardedIndex {
  /// Returns the records that a person most likely means by a text: the best `limit` matches.
  ///
  /// A record matches if its folded key begins with the text's fold. In an index with words or other names, records
  /// match by these too. Records rank by their weight, and far higher if the text is their whole name. Records of the
  /// same rank stand in the index's order. Source: docs/ranking.md sections 3 and 4. The search loads a shard only if
  /// one of its records may be a hit.
  ///
  /// ```swift
  /// let answer = try index.search("par", limit: 10)
  /// for hit in answer { print(hit.record.key) }
  /// ```
  ///
  /// - Parameters:
  ///   - text: The text, as typed. The index folds it. An empty text matches every record.
  ///   - limit: The most hits.
  /// - Throws: ``SearchFault/notBuilt(feature:)`` if the index does not rank its records; else ``IndexError`` if a file
  ///   of the index cannot be read or is damaged. The index stays usable.
  /// - Complexity: O((*h* + *p*) log(*h* + *p*)): *h* hits, *p* parts that may have one.
  public func search(_ text: String, limit: Int = 10) throws(IndexError) -> Answer {
    try search(SearchQuery(text), limit: limit)
  }

  /// Returns the best records for a query, from the first on or behind a cursor.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - limit: The most hits.
  ///   - cursor: The position behind the last hit of the page before; nil for the first page.
  /// - Throws: ``SearchFault/wrongCursor(reason:)`` if the cursor belongs to another query or generation; else as
  ///   `search(_:limit:)` with a text.
  public func search(
    _ query: SearchQuery, limit: Int = 10, after cursor: Cursor? = nil
  ) throws(IndexError) -> Answer {
    try search(query, limit: limit, after: cursor, isStopped: nil)
  }

  /// - Parameter isStopped: A condition that ends the search; nil for none.
  func search(
    _ query: SearchQuery, limit: Int, after cursor: Cursor?, isStopped: (() -> Bool)?
  ) throws(IndexError) -> Answer {
    try withNewest { (generation) throws(IndexError) in
      try generation.gathering { () throws(IndexError) in
        try Answer(query, limit: limit, after: cursor, in: generation, isStopped: isStopped)
      }
    }
  }
}

extension ShardedIndex.Session {
  /// Returns the best records for the text typed so far.
  ///
  /// - Parameter limit: The most hits.
  /// - Throws: As `search(_:limit:)` of the index.
  public func search(limit: Int = 10) throws(IndexError) -> ShardedIndex.Answer {
    try ShardedIndex.Answer(ShardedIndex.SearchQuery(text), limit: limit, in: generation)
  }
}
