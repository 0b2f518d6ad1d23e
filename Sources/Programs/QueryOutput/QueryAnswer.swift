import Answers
import ShardedIndex

/// The answer to a query on standard output, written page by page, so that an answer of any length takes bounded memory.
struct QueryAnswer {
  private let format: OutputFormat
  /// Whether the request says how many records it wants.
  private let isLimitSaid: Bool
  /// The generation that was searched. The records may be those of its starts.
  private let generation: Generation
  private(set) var search: ShardedIndex.Search
  /// Whether nothing matches.
  let isEmpty: Bool
  /// The correction of the typed text, if all matches correct it.
  private let correction: String?
  private var shown = 0
  /// The number of matches; for text and JSON only.
  private var total: ShardedIndex.Total?

  /// Finds the first page of the answer to a text.
  init(
    _ request: QueryRequest, _ format: OutputFormat, text: String, in generation: Generation
  ) throws(IndexError) {
    (self.format, self.generation) = (format, generation)
    isLimitSaid = request.limit != nil || request.all
    var query = request.query(text, format, in: generation)
    func first() throws(IndexError) -> ShardedIndex.Search {
      try .finding(query, in: generation) { (search) throws(IndexError) in
        try search.find(Self.next(of: query, skipped: 0, shown: 0))
      }
    }
    search = try first()
    var correction = try search.correction
    if request.all, query.cursor == nil, query.typos != .none, search.isRanked, search.count > 0, correction == nil {
      // All matches are the matches without typing errors, if there is one.
      query.typos = .none
      search = try first()
      correction = nil
    }
    self.correction = correction
    isEmpty = search.count == 0
  }

  /// The number of hits of the next page: first the hits to pass over, then the hits to show.
  private static func next(of query: ShardedIndex.SearchQuery, skipped: Int, shown: Int) -> Int {
    min(skipped < query.offset ? query.offset - skipped : query.limit - shown, QueryRunner.chunkSize)
  }

  // MARK: Writing

  /// Writes the answer.
  mutating func write(
    with writer: inout RecordWriter, to output: inout Output
  ) throws(QueryRunner.QueryError) {
    try QueryRunner.writing { () throws(WriteError) in
      try writer.begin(to: &output)
      guard format == .json else { return }
      try AnswerObject.begin(search.query.text, &output)
      try AnswerObject.write(search.query, generation: generation.name, &output)
      try AnswerObject.beginMatches(&output)
    }
    if search.isRanked {
      try writeHits(with: &writer, to: &output)
    } else if let matches = search.matches {
      try QueryRunner.write(search.range, of: matches, with: &writer, to: &output)
      shown = search.range.count
      if format == .json { try end([], &output) }
    }
    var facets: [ShardedIndex.Facet] = []
    if format == .text { (total, facets) = try gathered { () throws(IndexError) in try search.counts() } }
    try QueryRunner.writing { () throws(WriteError) in
      try writer.end(to: &output)
      for facet in facets { try FacetText.write(belowRecords: facet, to: &output) }
    }
  }

  /// Writes the hits from the first page on.
  private mutating func writeHits(
    with writer: inout RecordWriter, to output: inout Output
  ) throws(QueryRunner.QueryError) {
    var hits: [ShardedIndex.Hit] = []
    var skipped = 0
    while true {
      if skipped < search.query.offset {
        skipped += search.count
      } else {
        let records = try QueryRunner.reading { () throws(IndexError) in try search.records(in: 0..<search.count) }
        let page = format == .json || format == .text ? records.indices.map { search.hit($0, records[$0])! } : []
        if let keys = records.folded { writer.foldedKeys = keys }
        if format == .text { writer.mark(page) } else { hits += page }
        try QueryRunner.writing { () throws(WriteError) in try writer.write(records.buffer, to: &output) }
        shown += search.count
      }
      guard search.hasMore, search.isComplete, shown < search.query.limit else { break }
      _ = try QueryRunner.reading { () throws(IndexError) in
        try search.find(Self.next(of: search.query, skipped: skipped, shown: shown))
      }
    }
    if format == .json { try end(hits, &output) }
  }

  /// Writes the members of JSON behind the records.
  private func end(_ hits: [ShardedIndex.Hit], _ output: inout Output) throws(QueryRunner.QueryError) {
    let facts = try gathered { () throws(IndexError) in
      try AnswerFacts(search, in: generation.name, correction: correction)
    }
    try QueryRunner.writing { () throws(WriteError) in
      try AnswerObject.endMatches(&output)
      if search.isRanked { try AnswerObject.write(hits, &output) }
      if search.others != nil {
        try AnswerObject.write(others: hits.map { $0.others }, areExact: search.groupsAreExact, &output)
      }
      try AnswerObject.end(facts, &output)
    }
  }

  private func gathered<Value>(_ body: () throws(IndexError) -> Value) throws(QueryRunner.QueryError) -> Value {
    try QueryRunner.reading { () throws(IndexError) in try search.gathering(body) }
  }

  // MARK: Notes

  /// Returns the note for standard error about matches that the answer leaves out; nil for none. A script that gave a
  /// limit gets none.
  func note() throws(IndexError) -> String? { try search.isRanked ? rankedNote() : listedNote() }

  private func rankedNote() throws(IndexError) -> String? {
    let query = search.query
    guard format == .text, query.cursor == nil else { return nil }
    if shown == 0, query.near?.radius != nil {
      let passing = query.filter.isEmpty ? "" : " that passes the filter"
      return "no match" + passing + " lies within --radius; name a greater one"
    }
    if shown == 0, !query.filter.isEmpty {
      return "no match passes the filter" + (try FilterAdvice.text(on: query.filter, in: search.generation))
    }
    guard shown > 0 else { return try noMatch() }
    if let results = QueryRunner.results(correction, search.interpretation, without: search.dropped) {
      return "no match for \"" + query.text + "\"; showing " + results
    }
    let end = query.offset + shown
    if query.group != nil, !search.hasMore, !search.groupsAreExact {
      return "the groups of the best matches are shown; the answer counts no more than "
        + QueryRunner.grouped(ShardedIndex.Total.walkLimit) + " matches; type more letters for others"
    }
    guard search.hasMore, total.map({ !$0.isExact || end < $0.number }) ?? true else { return nil }
    let all = total.map { $0.number > end ? " of " + QueryRunner.text($0) : "" } ?? ""
    guard query.offset == 0 else {
      return QueryRunner.grouped(query.offset + 1) + " to " + QueryRunner.grouped(end) + all + " shown; --offset "
        + String(end) + " shows the next"
    }
    let best = shown == 1 && all.isEmpty ? "match" : QueryRunner.grouped(shown)
    return "the best " + best + all + " shown; --limit shows more, --all lists all"
  }

  private func listedNote() throws(IndexError) -> String? {
    if isEmpty { return format == .text ? try noMatch() : nil }
    let shown = search.range
    guard search.keys.map({ shown.upperBound < $0 || (shown.isEmpty && format == .text) }) ?? true, format != .json,
      format == .text || !isLimitSaid
    else { return nil }
    let all = search.keys.map { " of " + QueryRunner.grouped($0) } ?? ""
    if let count = search.keys, shown.isEmpty {
      return QueryRunner.counted(count, "match", "matches") + ", none at offset "
        + QueryRunner.grouped(search.query.offset)
    }
    if shown.lowerBound == 0 {
      return (search.keys == nil ? "the first " : "") + QueryRunner.grouped(shown.count) + all
        + " shown; --all shows the rest"
    }
    return QueryRunner.grouped(shown.lowerBound + 1) + " to " + QueryRunner.grouped(shown.upperBound) + all
      + " shown; --offset " + String(shown.upperBound) + " shows the next"
  }

  private func noMatch() throws(IndexError) -> String {
    try QueryRunner.noMatch(of: search.query.text, inKeys: search.areKeyMatches, in: search.generation)
  }
}
