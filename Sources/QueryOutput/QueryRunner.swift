import CLibrary
import ShardedIndex

/// Answers a query on standard output.
package enum QueryRunner {
  /// The most attempts at a query during rebuilds of its index.
  static let attemptCount = 8
  /// The most records that are decoded at a time. It bounds the memory of an answer of any length.
  package static let chunkSize = 256

  /// Returns the number of matches that a query needs: all of them if their number is printed, else the shown ones.
  private static func mostMatches(_ request: QueryRequest, _ format: OutputFormat, in index: ShardedIndex) -> Int {
    guard !request.all, !request.countOnly, format != .json else { return .max }
    guard let limit = request.limit, format != .text else { return uncountedMatches(request, in: index) ?? .max }
    let (sum, isOver) = request.offset.addingReportingOverflow(limit)
    return isOver ? .max : sum
  }

  /// Returns the number of matches that a query shows and passes over, if the query does not count them; nil for other
  /// queries. A query that starts may answer does not count, since counting takes more requests than the rest.
  static func uncountedMatches(
    _ request: QueryRequest, usual: Int = QueryRequest.defaultLimit, in index: ShardedIndex
  ) -> Int? {
    guard index.isFar else { return nil }
    let (sum, isOver) = request.offset.addingReportingOverflow(request.limit ?? usual)
    return !request.all && !isOver && index.generation.mayAnswerFromStarts(sum) ? sum : nil
  }

  /// A way to open an index by its name.
  package typealias Opening = (String, ShardedIndex.Options) throws(IndexError) -> ShardedIndex

  /// - Parameter open: The function that opens an index on another machine; nil for an index on disk.
  package static func run(_ request: QueryRequest, open: Opening? = nil) -> ExitStatus {
    if request.readsLines { return LineQueries.run(request, open: open) }
    let status = runOnce(request, open)
    if let name = request.nearCommand {
      Diagnostics.report("searched for " + request.prefix + "; did you mean shardq " + name + "?")
    }
    return status
  }

  /// Opens the index of a query.
  static func index(
    _ request: QueryRequest, _ options: ShardedIndex.Options, _ open: Opening?
  ) throws(IndexError) -> ShardedIndex {
    let path = request.index ?? QueryRequest.defaultIndex
    if let open { return try open(path, options) }
    return try ShardedIndex(opening: path, options: options)
  }

  private static func runOnce(_ request: QueryRequest, _ open: Opening?) -> ExitStatus {
    let presentation = Presentation(
      request.format, hasFields: request.hasFields, color: request.color, hyperlink: request.hyperlink)
    var output = presentation.output
    // If a rebuild removes a file that the query needs, the new generation answers, unless bytes were written already.
    for attempt in 0..<attemptCount {
      do throws(Failure) {
        return try answer(request, presentation, open, &output)
      } catch {
        switch error {
        case .index(.superseded) where attempt + 1 < attemptCount && !output.hasWritten: output.discard()
        case .index(let error):
          // The records that were found before the damage are still useful.
          try? output.flush()
          return report(error, request)
        case .write(let error): return Diagnostics.failed(error)
        case .noField(let message):
          Diagnostics.report(message)
          return .usage
        }
      }
    }
    return .badData
  }

  /// Reports an index's error and returns the exit status.
  package static func report(_ error: IndexError) -> ExitStatus {
    report(error, otherPlace: nil)
  }

  /// Reports the error of a query.
  static func report(_ error: IndexError, _ request: QueryRequest) -> ExitStatus {
    report(error, otherPlace: request.otherIndex)
  }

  /// - Parameter otherPlace: The second place to look for an index of the name; nil if there is none.
  package static func report(_ error: IndexError, otherPlace: String?) -> ExitStatus {
    var message = error.commandMessage
    var status = stat()
    if case .notFound(let path) = error, let otherPlace, unsafe lstat(path, &status) != 0 {
      message = "no index at " + path + ", nor at " + otherPlace
      message += "; build one with shardq build, or name another with --index"
    }
    Diagnostics.report(message)
    return exitStatus(of: error)
  }

  /// The exit status of a command that cannot read an index.
  package static func exitStatus(of error: IndexError) -> ExitStatus {
    switch error {
    case .notFound: return .notFound
    // A file that this user may not read counts as missing. A failing disk or process does not.
    case .io("open", _, EACCES), .io("open", _, EPERM): return .notFound
    case .io, .unreachable: return .inputOutput
    case .superseded: return .busy
    case .notBuilt, .noFilter, .wrongCursor, .foreignCache: return .usage
    default: return .badData
    }
  }

  enum Failure: Error {
    case index(IndexError)
    case write(WriteError)
    case noField(String)
  }

  @inline(__always)
  static func reading<Value>(_ body: () throws(IndexError) -> Value) throws(Failure) -> Value {
    do throws(IndexError) { return try body() } catch { throw .index(error) }
  }

  @inline(__always)
  static func writing(_ body: () throws(WriteError) -> Void) throws(Failure) {
    do throws(WriteError) { try body() } catch { throw .write(error) }
  }

  private static func answer(
    _ request: QueryRequest, _ presentation: Presentation, _ open: Opening?, _ output: inout Output
  ) throws(Failure) -> ExitStatus {
    let format = presentation.format
    let start = request.isVerbose ? Stopwatch() : nil
    let index = try reading { () throws(IndexError) in
      try self.index(request, .init(expectedDigest: request.expectedDigest), open)
    }
    defer { if let start { Diagnostics.note(work(of: index, microseconds: start.microseconds)) } }
    // The process ends with the answer, so the index's memory need not be freed.
    _ = unsafe Unmanaged.passRetained(index)
    let isRanked = try reading { () throws(IndexError) in try request.isRanked(in: index.generation.manifest) }
    if request.isQuiet { return try isMatched(request, isRanked: isRanked, in: index) ? .done : .negative }
    func matches() throws(Failure) -> ShardedIndex.Matches {
      try reading { () throws(IndexError) in
        let matches = try index.matches(forPrefix: request.prefix, limit: mostMatches(request, format, in: index))
        guard lacksColumns(matches.generation, format, of: index) else { return matches }
        return try index.matches(forPrefix: request.prefix, in: index.generation)
      }
    }
    if request.countOnly, isRanked {
      let total = try reading { () throws(IndexError) in
        try RankedOutput(request, format, text: request.prefix).counted(in: index)
      }
      try writing { () throws(WriteError) in try writeCount(total, request, format, to: &output) }
      return total.number == 0 ? .negative : .done
    }
    if request.countOnly {
      let matches = try matches()
      try writing { () throws(WriteError) in try writeCount(of: matches, request, format, to: &output) }
      return matches.isEmpty ? .negative : .done
    }
    if isRanked { return try answerRanked(request, presentation, from: index, to: &output) }
    let matches = try matches()
    var writer = try writer(request, presentation, of: matches.generation)
    return try answerInOrder(request, format, matches, with: &writer, to: &output)
  }

  /// Returns the writer of the records of a generation.
  static func writer(
    _ request: QueryRequest, _ presentation: Presentation, of generation: Generation
  ) throws(Failure) -> RecordWriter {
    var writer = RecordWriter(
      presentation.format, fieldCount: generation.manifest.fieldCount, schema: generation.schema)
    if let look = presentation.look { writer.show(look, matching: Fold.fold(request.prefix)) }
    guard request.hasFields else { return writer }
    let names = generation.schema.names
    switch FieldNames.find(request.fields, in: names) {
    case .success(let fields):
      writer.choose(fields, endsWithZero: request.endsWithZero)
    case .failure(let unknown): throw .noField(unknown.message)
    }
    return writer
  }

  /// Whether an answer in a format with columns would lack columns of the index. Starts have only the fields of their
  /// records.
  static func lacksColumns(_ generation: Generation, _ format: OutputFormat, of index: ShardedIndex) -> Bool {
    generation.isOfStarts && (format == .tsv || format == .csv) && generation.schema.names != index.fieldNames
  }

  /// Returns whether a record matches, with the least work.
  private static func isMatched(
    _ request: QueryRequest, isRanked: Bool, in index: ShardedIndex
  ) throws(Failure) -> Bool {
    try reading { () throws(IndexError) in
      guard isRanked else { return try !index.matches(forPrefix: request.prefix, limit: 1).isEmpty }
      return try !RankedOutput(request, .tsv, text: request.prefix).first(in: index).records.isEmpty
    }
  }

  /// Returns the note on the work of a query.
  private static func work(of index: ShardedIndex, microseconds: Int) -> String {
    let counters = index.statistics
    let hundredths = microseconds / 10
    let fraction = String(hundredths % 100)
    return counted(counters.misses, "shard") + " of " + grouped(index.shardCount) + " opened, "
      + counted(counters.loads, "part") + " read, " + counted(counters.loadedBytes, "byte") + " decompressed, "
      + grouped(hundredths / 100) + "." + (fraction.utf8.count < 2 ? "0" : "") + fraction + " ms"
  }

  private static func answerInOrder(
    _ request: QueryRequest, _ format: OutputFormat, _ matches: ShardedIndex.Matches, with writer: inout RecordWriter,
    to output: inout Output
  ) throws(Failure) -> ExitStatus {
    let first = min(request.offset, matches.count)
    let limit = request.all ? Int.max : request.limit ?? QueryRequest.defaultLimit
    let shown = first..<first + min(limit, matches.count - first)
    try writing { () throws(WriteError) in
      if format == .json {
        try writer.begin(query: request.prefix, count: matches.count, to: &output)
      } else {
        try writer.begin(to: &output)
      }
    }
    try write(shown, of: matches, with: &writer, to: &output)
    try writing { () throws(WriteError) in
      try writer.end(to: &output)
      try output.flush()
    }
    if matches.isEmpty {
      if format == .text {
        Diagnostics.note(
          try reading { () throws(IndexError) in try noMatch(of: request.prefix, in: matches.generation) })
      }
    } else {
      comment(on: request, format, shown, of: matches.hasMore ? nil : matches.count)
    }
    return matches.isEmpty ? .negative : .done
  }

  private static func writeCount(
    _ total: ShardedIndex.Total, _ request: QueryRequest, _ format: OutputFormat, to output: inout Output
  ) throws(WriteError) {
    if format == .json {
      try JSONText.beginAnswer(query: request.prefix, to: &output)
      try JSONText.write(total, keys: nil, to: &output)
      try output.write("}\n" as StaticString)
    } else {
      try output.write(total.isExact ? String(total.number) : text(total))
      try output.write(0x0a)
    }
    try output.flush()
  }

  private static func writeCount(
    of matches: ShardedIndex.Matches, _ request: QueryRequest, _ format: OutputFormat, to output: inout Output
  ) throws(WriteError) {
    if format == .json {
      try JSONText.beginAnswer(query: request.prefix, count: matches.count, to: &output)
      try output.write("}\n" as StaticString)
    } else {
      try output.write(number: matches.count)
      try output.write(0x0a)
    }
    try output.flush()
  }

  /// Decodes and writes records in chunks, so that an answer of any length takes bounded memory.
  static func write(
    _ shown: Range<Int>, of matches: ShardedIndex.Matches, with writer: inout RecordWriter, to output: inout Output
  ) throws(Failure) {
    let buffer = RecordBuffer()
    var at = shown.lowerBound
    while at < shown.upperBound {
      let start = at
      at = try reading { () throws(IndexError) in
        let next = try chunkEnd(of: matches, from: start, to: shown.upperBound)
        try matches.read(start..<next, into: buffer)
        if writer.needsFoldedKeys { writer.foldedKeys = try matches.foldedKeys(in: start..<next) }
        return next
      }
      try writing { () throws(WriteError) in try writer.write(buffer, to: &output) }
    }
  }

  /// Returns the end of the records that are decoded together from `start` on: at most ``chunkSize`` records, or one
  /// large record, since all of them are in memory at once.
  package static func chunkEnd(
    of matches: ShardedIndex.Matches, from start: Int, to end: Int
  ) throws(IndexError) -> Int {
    let most = min(end, start + chunkSize)
    var next = start
    while next < most {
      let count = try matches.recordsAtOnce(at: next)
      if count <= 1 { return max(next, start + 1) }
      next += count
    }
    return min(next, most)
  }

  /// Reports the number of left-out matches on standard error, if the format has no place for it.
  ///
  /// A script that gave a limit gets no such note.
  ///
  /// - Parameter count: The number of all matches; nil if it is unknown and there are more than the answer shows.
  private static func comment(
    on request: QueryRequest, _ format: OutputFormat, _ shown: Range<Int>, of count: Int?
  ) {
    let isLimitSaid = request.limit != nil || request.all
    guard count.map({ shown.upperBound < $0 || (shown.isEmpty && format == .text) }) ?? true, format != .json,
      format == .text || !isLimitSaid
    else { return }
    let all = count.map { " of " + grouped($0) } ?? ""
    if let count, shown.isEmpty {
      Diagnostics.note(counted(count, "match", "matches") + ", none at offset " + grouped(request.offset))
    } else if shown.lowerBound == 0 {
      Diagnostics.note((count == nil ? "the first " : "") + grouped(shown.count) + all + " shown; --all shows the rest")
    } else {
      Diagnostics.note(
        grouped(shown.lowerBound + 1) + " to " + grouped(shown.upperBound) + all
          + " shown; --offset " + String(shown.upperBound) + " shows the next")
    }
  }

  /// Returns the note on a text without matches, with the longest beginning of the text that has matches.
  package static func noMatch(
    of text: String, inKeys: Bool = true, in generation: Generation
  ) throws(IndexError) -> String {
    let nearest = try generation.longestMatchedBeginning(of: text, inKeys: inKeys)
    return (inKeys ? "no key begins with \"" : "nothing matches \"") + text + "\""
      + (nearest.map { "; nearest: \"" + $0 + "\"" } ?? "")
  }

  /// Returns a number with its noun, as people write it: `1 record`, `24,473 records`.
  package static func counted(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
    grouped(number) + " " + (number == 1 ? singular : plural ?? singular + "s")
  }

  /// Returns a number of matches as people write it: `472`, or `10,000+` if there may be more.
  package static func text(_ total: ShardedIndex.Total) -> String { grouped(total.number) + (total.isExact ? "" : "+") }

  /// Returns a number as people write it: `24,473`.
  package static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude).utf8)
    var text: [UInt8] = number < 0 ? [0x2d] : []
    for (at, digit) in digits.enumerated() {
      if at > 0, (digits.count - at) % 3 == 0 { text.append(0x2c) }
      text.append(digit)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
