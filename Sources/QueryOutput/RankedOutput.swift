import ShardedIndex

/// A writer of ranked answers: records as ``RecordWriter`` writes them, and in JSON their ranks.
package struct RankedOutput {
  private let request: QueryRequest
  private let format: OutputFormat
  private let text: String
  /// The hits that are written so far; for JSON only.
  private var hits: [ShardedIndex.Hit] = []
  private var shown = 0
  /// Whether there may be hits behind the written ones.
  private var hasMore = false
  private var areKeyMatches = true
  /// The correction of the typed text, if all matches correct it.
  private var correction: String?
  /// The number of keys that begin with the text; nil if it is unknown.
  private let keys: Int?
  /// The number of matches; for text and JSON only.
  private var total: ShardedIndex.Total?
  /// The longest beginning of the text that a record matches, if no record matches the text; for JSON only.
  private var nearest: String?

  /// - Parameters:
  ///   - text: The text of the search: the request's text, or one of many lines.
  ///   - keys: The number of keys that begin with the text; nil if it is unknown.
  init(_ request: QueryRequest, _ format: OutputFormat, text: String, keys: Int? = nil) {
    (self.request, self.format, self.text, self.keys) = (request, format, text, keys)
  }

  /// Whether the answer has the number of matches.
  static func hasTotal(_ format: OutputFormat) -> Bool { format == .json || format == .text }

  private var query: ShardedIndex.SearchQuery {
    ShardedIndex.SearchQuery(text, filter: request.filters, near: request.near, typos: request.typos)
  }

  /// Returns the number of matches, for a request that prints only this number.
  func counted(in index: ShardedIndex) throws(IndexError) -> ShardedIndex.Total {
    let answer = try index.search(query, limit: 0)
    return try answer.countedTotal(keys: nil)
  }

  /// Returns the first hits of an answer. The others come by pages, so that memory stays bounded.
  func first(in index: ShardedIndex) throws(IndexError) -> ShardedIndex.Answer {
    let first = try firstOfAll(in: index)
    guard request.all, request.cursor == nil, request.typos != .none, !first.isEmpty, first.correction == nil else {
      return first
    }
    // All matches are the matches without typing errors, if there is one.
    var right = query
    right.typos = .none
    return try index.search(right, limit: next(skipped: 0))
  }

  private func firstOfAll(in index: ShardedIndex) throws(IndexError) -> ShardedIndex.Answer {
    let query = query
    let isPlain = query.filter.isEmpty && query.near == nil && query.typos != .required && request.cursor == nil
    // An object of JSON has a cursor and counts.
    if isPlain, format != .json, let most = QueryRunner.uncountedMatches(request, usual: limit, in: index) {
      let answer = try index.search(query, limit: next(skipped: 0), ofAtMost: most)
      if !QueryRunner.lacksColumns(answer.generation, format, of: index) { return answer }
    }
    return try index.search(query, limit: next(skipped: 0), after: request.cursor)
  }

  /// The number of hits of the next page: first the hits to pass over, then the hits to show.
  private func next(skipped: Int) -> Int {
    min(skipped < request.offset ? request.offset - skipped : limit - shown, QueryRunner.chunkSize)
  }

  private var limit: Int {
    if request.all { return .max }
    return request.limit ?? (format == .text ? QueryRequest.rankedLimit : QueryRequest.defaultLimit)
  }

  /// Returns the note below an answer on a terminal about the matches that it leaves out; nil if it shows all.
  func note(in generation: Generation) throws(IndexError) -> String? {
    guard request.cursor == nil else { return nil }
    if shown == 0, !request.filters.isEmpty {
      return "no match passes the filter" + (try FilterAdvice.text(on: request.filters, in: generation))
    }
    guard shown > 0 else { return try QueryRunner.noMatch(of: text, inKeys: areKeyMatches, in: generation) }
    if let correction { return "no match for \"" + text + "\"; showing results for \"" + correction + "\"" }
    let end = request.offset + shown
    guard hasMore, total.map({ !$0.isExact || end < $0.number }) ?? true else { return nil }
    let all = total.map { $0.number > end ? " of " + QueryRunner.text($0) : "" } ?? ""
    guard request.offset == 0 else {
      return QueryRunner.grouped(request.offset + 1) + " to " + QueryRunner.grouped(end) + all + " shown; --offset "
        + String(end) + " shows the next"
    }
    let best = shown == 1 && all.isEmpty ? "match" : QueryRunner.grouped(shown)
    return "the best " + best + all + " shown; --limit shows more, --all lists all"
  }

  /// Writes the hits from a first page on.
  mutating func write(
    _ first: ShardedIndex.Answer, with writer: inout RecordWriter, to output: inout Output
  ) throws(QueryRunner.Failure) {
    var (page, skipped) = (first, 0)
    while true {
      if skipped < request.offset {
        skipped += page.records.count
      } else {
        if let keys = page.records.folded { writer.foldedKeys = keys }
        if format == .text { mark(page.hits, in: &writer) }
        try QueryRunner.writing { () throws(WriteError) in try writer.write(page.records.buffer, to: &output) }
        if format == .json { hits += page.hits }
        shown += page.records.count
      }
      guard page.hasMore, shown < limit else { break }
      page = try QueryRunner.reading { () throws(IndexError) in try page.next(limit: next(skipped: skipped)) }
    }
    (hasMore, areKeyMatches) = (page.hasMore, page.areKeyMatches)
    if format == .text { correction = first.correction }
    if Self.hasTotal(format) { total = first.generation.isOfStarts ? page.knownTotal : page.total(keys: keys) }
    guard format == .json else { return }
    if first.records.isEmpty, request.cursor == nil, request.filters.isEmpty {
      nearest = try QueryRunner.reading { () throws(IndexError) in
        try first.generation.longestMatchedBeginning(of: text, inKeys: areKeyMatches)
      }
    }
    try QueryRunner.writing { () throws(WriteError) in try writeRanks(page, to: &output) }
  }

  /// Tells the writer the name by which each hit matched, and the ranges to mark.
  private func mark(_ hits: some Collection<ShardedIndex.Hit>, in writer: inout RecordWriter) {
    guard writer.text?.look?.isColored == true else {
      writer.text?.otherNames = hits.map { $0.otherName }
      return
    }
    let matched = hits.map { $0.matched }
    writer.text?.highlights = matched.map { $0.highlights }
    writer.text?.otherNames = matched.map { if case .otherName(let name) = $0.via { name } else { nil } }
  }

  /// Writes the members of JSON behind the records: the rank of each hit, and the cursor.
  private func writeRanks(_ last: ShardedIndex.Answer, to output: inout Output) throws(WriteError) {
    // Ends the array of records.
    try output.write("],\"hits\":" as StaticString)
    try Self.write(hits, to: &output)
    try output.write(last.isComplete ? ",\"complete\":true" as StaticString : ",\"complete\":false" as StaticString)
    if let total { try JSONText.write(total, keys: keys, to: &output) }
    if let cursor = last.cursor {
      try output.write(",\"cursor\":\"" as StaticString)
      try output.write(cursor.description)
      try output.write(0x22)
    }
    if let nearest {
      try output.write(",\"nearest\":" as StaticString)
      try JSONText.write(nearest, to: &output)
    }
    try output.write(",\"sort\":\"rank\"}\n" as StaticString)
  }

  /// Writes an array of hits: the rank of each, the text that matched, and the ranges in that text, in bytes of UTF-8.
  package static func write(
    _ hits: some Collection<ShardedIndex.Hit>, to output: inout Output
  ) throws(WriteError) {
    try output.write(0x5b)
    var isFirst = true
    for hit in hits {
      let (via, highlights) = hit.matched
      try output.write(isFirst ? "{\"key\":" as StaticString : ",{\"key\":" as StaticString)
      isFirst = false
      try JSONText.write(hit.record.key, to: &output)
      try output.write(",\"score\":" as StaticString)
      try output.write(number: hit.score)
      try output.write(",\"weight\":" as StaticString)
      try output.write(number: Int(clamping: hit.rank.weight))
      try output.write(",\"bonus\":" as StaticString)
      try output.write(number: hit.bonus)
      try output.write(",\"edits\":" as StaticString)
      try output.write(number: hit.edits)
      try output.write(",\"via\":\"" as StaticString)
      try output.write(via.label)
      try output.write(0x22)
      if case .otherName(let name) = via {
        try output.write(",\"name\":" as StaticString)
        try JSONText.write(name, to: &output)
      }
      try output.write(",\"highlights\":" as StaticString)
      try JSONText.write(highlights, to: &output)
      try output.write(0x7d)
    }
    try output.write(0x5d)
  }
}

extension ShardedIndex.Via {
  /// The word for the kind of match in JSON.
  package var label: StaticString {
    switch self {
    case .key: "key"
    case .word: "word"
    case .words: "words"
    case .otherName: "name"
    }
  }
}

extension QueryRunner {
  /// Answers a query in the order of ranks.
  static func answerRanked(
    _ request: QueryRequest, _ presentation: Presentation, from index: ShardedIndex, to output: inout Output
  ) throws(Failure) -> ExitStatus {
    let format = presentation.format
    let first = try reading { () throws(IndexError) in
      try RankedOutput(request, format, text: request.prefix).first(in: index)
    }
    var writer = try writer(request, presentation, of: first.generation)
    let keys =
      RankedOutput.hasTotal(format) && !first.generation.isOfStarts
      ? try reading { () throws(IndexError) in
        try index.matches(forPrefix: request.prefix, in: first.generation).count
      } : nil
    var ranked = RankedOutput(request, format, text: request.prefix, keys: keys)
    try writing { () throws(WriteError) in
      if format == .json {
        try writer.begin(query: request.prefix, to: &output)
      } else {
        try writer.begin(to: &output)
      }
    }
    try ranked.write(first, with: &writer, to: &output)
    try writing { () throws(WriteError) in
      if format != .json { try writer.end(to: &output) }
      try output.flush()
    }
    if format == .text {
      let note = try reading { () throws(IndexError) in try ranked.note(in: first.generation) }
      if let note { Diagnostics.note(note) }
    }
    return first.records.isEmpty ? .negative : .done
  }
}
