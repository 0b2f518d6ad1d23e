import ShardedIndex

/// A writer of ranked answers: records as ``RecordWriter`` writes them, and in JSON what ranks them.
struct RankedOutput {
  private let request: QueryRequest
  private let format: OutputFormat
  /// The hits that are written so far; of JSON alone.
  private var hits: [ShardedIndex.Hit] = []
  private(set) var shown = 0

  init(_ request: QueryRequest, _ format: OutputFormat) { (self.request, self.format) = (request, format) }

  /// Whether the answer says how many keys begin with the text, as the alphabetical answer does.
  static func hasCount(_ format: OutputFormat) -> Bool { format == .json || format == .text }

  /// Returns the first hits of an answer; the others come by pages, so that they take bounded memory.
  func first(of text: String, in index: ShardedIndex) throws(IndexError) -> ShardedIndex.Answer {
    try index.search(
      ShardedIndex.SearchQuery(text, filter: request.filters), limit: next(skipped: 0), after: request.cursor)
  }

  /// The number of hits of the next page: first those that are passed over, then those that are shown.
  private func next(skipped: Int) -> Int {
    min(skipped < request.offset ? request.offset - skipped : limit - shown, QueryRunner.chunkSize)
  }

  private var limit: Int {
    if request.all { return .max }
    return request.limit ?? (format == .text ? QueryRequest.rankedLimit : QueryRequest.defaultLimit)
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
        try QueryRunner.writing { () throws(WriteError) in try writer.write(page.records.buffer, to: &output) }
        if format == .json { hits += page.hits }
        shown += page.records.count
      }
      guard page.hasMore, shown < limit else { break }
      page = try QueryRunner.reading { () throws(IndexError) in try page.next(limit: next(skipped: skipped)) }
    }
    guard format == .json else { return }
    try QueryRunner.writing { () throws(WriteError) in try writeRanks(page, to: &output) }
  }

  /// Returns a note on what the filters left of an answer, of which this was the first page; nil where all is shown.
  func noteOnFilter(_ first: ShardedIndex.Answer) -> String? {
    if first.records.isEmpty { return "no match passes the filter" }
    guard request.cursor == nil, shown >= first.records.count, first.hasMore, first.total.map({ shown < $0 }) ?? true
    else { return nil }
    let total = first.total.map { " of " + QueryRunner.grouped($0) } ?? ""
    return "the best " + QueryRunner.grouped(shown) + total + " shown; --limit shows more"
  }

  /// Writes the members of JSON behind the records: how each hit ranks, and where the answer continues.
  private func writeRanks(_ last: ShardedIndex.Answer, to output: inout Output) throws(WriteError) {
    try output.write("],\"hits\":[" as StaticString)
    for (number, hit) in hits.enumerated() {
      if number > 0 { try output.write(0x2c) }
      try output.write("{\"score\":" as StaticString)
      try output.write(number: hit.score)
      try output.write(",\"weight\":" as StaticString)
      try output.write(number: Int(clamping: hit.rank.weight))
      try output.write(",\"edits\":" as StaticString)
      try output.write(number: hit.edits)
      try output.write(",\"via\":\"key\",\"highlights\":[" as StaticString)
      for (number, range) in hit.highlights.enumerated() {
        try output.write(number > 0 ? ",[" as StaticString : "[" as StaticString)
        try output.write(number: range.lowerBound)
        try output.write(0x2c)
        try output.write(number: range.upperBound)
        try output.write(0x5d)
      }
      try output.write("]}" as StaticString)
    }
    try output.write(last.isComplete ? "],\"complete\":true" as StaticString : "],\"complete\":false" as StaticString)
    if let total = last.total {
      try output.write(",\"total\":" as StaticString)
      try output.write(number: total)
    }
    if let cursor = last.cursor {
      try output.write(",\"cursor\":\"" as StaticString)
      try output.write(cursor.description)
      try output.write(0x22)
    }
    // The array of records was ended above.
    try output.write(",\"sort\":\"rank\"}\n" as StaticString)
  }
}

extension QueryRunner {
  /// Answers a query by ranks.
  static func answerRanked(
    _ request: QueryRequest, _ format: OutputFormat, from index: ShardedIndex, with writer: inout RecordWriter,
    to output: inout Output
  ) throws(Failure) -> ExitStatus {
    var ranked = RankedOutput(request, format)
    let first = try reading { () throws(IndexError) in try ranked.first(of: request.prefix, in: index) }
    let count =
      RankedOutput.hasCount(format)
      ? try reading { () throws(IndexError) in
        try index.matches(forPrefix: request.prefix, in: first.generation).count
      } : 0
    try writing { () throws(WriteError) in
      if format == .json {
        try writer.begin(query: request.prefix, count: count, to: &output)
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
      if count == 0 {
        Diagnostics.note("no key begins with \"" + request.prefix + "\"")
      } else if !request.filters.isEmpty {
        if let note = ranked.noteOnFilter(first) { Diagnostics.note(note) }
      } else if ranked.shown < count, request.cursor == nil {
        Diagnostics.note(
          "the best " + grouped(ranked.shown) + " of " + grouped(count)
            + " shown; --limit shows more, --sort key all in order")
      }
    }
    return first.records.isEmpty ? .negative : .done
  }
}
