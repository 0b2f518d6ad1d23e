import Answers
import CLibrary
import ShardedIndex

/// Answers a query on standard output.
package enum QueryRunner {
  /// The most records that are decoded at a time. It bounds the memory of an answer of any length.
  package static let chunkSize = 256

  /// A way to open an index by its name.
  package typealias Opening = (String, ShardedIndex.Options) throws(IndexError) -> ShardedIndex

  /// - Parameter open: The function that opens an index on another machine; nil for an index on disk.
  package static func run(_ request: QueryRequest, open: Opening? = nil) -> ExitStatus {
    if request.readsLines { return LineQueries.run(request, open: open) }
    let status = runOnce(request, open)
    if let name = request.nearCommand {
      Diagnostics.report("searched for " + request.query.text + "; did you mean shardq " + name + "?")
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
    let start = request.isVerbose ? Stopwatch() : nil
    do throws(QueryError) {
      let index = try reading { () throws(IndexError) in
        try self.index(request, .init(expectedDigest: request.expectedDigest), open)
      }
      defer { if let start { Diagnostics.note(work(of: index, microseconds: start.microseconds)) } }
      // The process ends with the answer, so the index's memory need not be freed.
      _ = unsafe Unmanaged.passRetained(index)
      var writer: RecordWriter?
      return try answer(request, presentation, text: request.query.text, from: index, with: &writer, to: &output)
    } catch {
      switch error {
      case .index(let error), .unfinished(let error):
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
    case .refused, .foreignCache: return .usage
    default: return .badData
    }
  }

  enum QueryError: Error {
    case index(IndexError)
    /// The index's error, after bytes of the answer were written.
    case unfinished(IndexError)
    case write(WriteError)
    case noField(String)
  }

  @inline(__always)
  static func reading<Value>(_ body: () throws(IndexError) -> Value) throws(QueryError) -> Value {
    do throws(IndexError) { return try body() } catch { throw .index(error) }
  }

  @inline(__always)
  static func writing(_ body: () throws(WriteError) -> Void) throws(QueryError) {
    do throws(WriteError) { try body() } catch { throw .write(error) }
  }

  /// Answers a text. If a rebuild removes a file that the answer needs, the new generation answers, unless bytes were
  /// written already.
  ///
  /// - Parameter writer: The writer of the answer before; nil for none.
  static func answer(
    _ request: QueryRequest, _ presentation: Presentation, text: String, from index: ShardedIndex,
    with writer: inout RecordWriter?, to output: inout Output
  ) throws(QueryError) -> ExitStatus {
    output.beginAnswer()
    func fault(_ failure: QueryError) -> IndexError? { if case .index(let error) = failure { error } else { nil } }
    return try index.following(fault: fault, reload: { _ = try? index.reload() }) { (generation) throws(QueryError) in
      do throws(QueryError) {
        let status = try answer(request, presentation, text: text, in: generation, with: &writer, to: &output)
        try writing { () throws(WriteError) in try output.flush() }
        return status
      } catch {
        guard case .index(let fault) = error else { throw error }
        if output.hasWritten { throw .unfinished(fault) }
        if case .superseded = fault { output.discard() }
        throw error
      }
    }
  }

  private static func answer(
    _ request: QueryRequest, _ presentation: Presentation, text: String, in generation: Generation,
    with known: inout RecordWriter?, to output: inout Output
  ) throws(QueryError) -> ExitStatus {
    let format = presentation.format
    if request.isQuiet || request.countOnly {
      var query = request.query(text, format, in: generation)
      (query.offset, query.limit, query.countsMatches) = (0, 1, request.countOnly)
      query.needs = .init(keys: request.countOnly && query.isInOrderOfKeys(in: generation.manifest) ? .always : .never)
      let search = try reading { () throws(IndexError) in
        try ShardedIndex.Search.finding(query, in: generation) { (search) throws(IndexError) in
          try search.find(query.limit)
        }
      }
      if request.isQuiet { return search.count > 0 ? .done : .negative }
      let total = try reading { () throws(IndexError) in try search.total() }
      try writing { () throws(WriteError) in try write(total, text, format, to: &output) }
      return total.number == 0 ? .negative : .done
    }
    var answer = try reading { () throws(IndexError) in
      try QueryAnswer(request, format, text: text, in: generation)
    }
    var writer = try writer(request, presentation, text, of: answer.search.generation, known)
    try answer.write(with: &writer, to: &output)
    known = writer
    if !request.readsLines {
      // The note comes behind the records.
      try writing { () throws(WriteError) in try output.flush() }
      if let note = try reading({ () throws(IndexError) in try answer.note() }) { Diagnostics.note(note) }
    }
    return answer.isEmpty ? .negative : .done
  }

  /// Returns the writer of the records of a generation.
  ///
  /// - Parameter known: The writer of the answer before, which may be of the same schema.
  private static func writer(
    _ request: QueryRequest, _ presentation: Presentation, _ text: String, of generation: Generation,
    _ known: RecordWriter?
  ) throws(QueryError) -> RecordWriter {
    if let known, known.isOf(generation.schema) { return known }
    var writer = RecordWriter(
      presentation.format, fieldCount: generation.manifest.fieldCount, schema: generation.schema)
    if let look = presentation.look { writer.show(look, matching: Fold.fold(text)) }
    guard request.hasFields else { return writer }
    let names = generation.schema.names
    switch NamedFields.find(request.fields, in: names) {
    case .success(let fields):
      writer.choose(fields, endsWithZero: request.endsWithZero)
    case .failure(let unknown): throw .noField(unknown.message)
    }
    return writer
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

  private static func write(
    _ total: ShardedIndex.Total, _ query: String, _ format: OutputFormat, to output: inout Output
  ) throws(WriteError) {
    if format == .json {
      try AnswerObject.begin(query, &output)
      try AnswerObject.write(total, keys: nil, &output)
      try output.write("}\n" as StaticString)
    } else {
      try output.write(total.isExact ? String(total.number) : text(total))
      try output.write(0x0a)
    }
  }

  /// Decodes and writes records in chunks, so that an answer of any length takes bounded memory.
  static func write(
    _ shown: Range<Int>, of matches: some RecordSource, with writer: inout RecordWriter, to output: inout Output
  ) throws(QueryError) {
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
    of matches: some RecordSource, from start: Int, to end: Int
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

  /// Returns the note on a text without matches, with the longest beginning of the text that has matches.
  package static func noMatch(
    of text: String, inKeys: Bool = true, in generation: Generation
  ) throws(IndexError) -> String {
    let nearest = try LongestBeginning(in: generation, inKeys: inKeys).find(text)
    return (inKeys ? "no key begins with \"" : "nothing matches \"") + text + "\""
      + (nearest.map { "; nearest: \"" + $0 + "\"" } ?? "")
  }

  /// Returns a number with its noun, as people write it: `1 record`, `24,473 records`.
  package static func counted(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
    grouped(number) + " " + (number == 1 ? singular : plural ?? singular + "s")
  }

  /// Returns a number of matches as people write it: `472`, or `10,000+` if there may be more.
  package static func text(_ total: ShardedIndex.Total) -> String { grouped(total.number) + (total.isExact ? "" : "+") }

  /// Returns `results for "London" with country=GB without "x"`: the correction, else the text of a reading; the
  /// filters of the reading; and the words that the search left out. Returns nil for the results of the typed text.
  package static func results(
    _ correction: String?, _ interpretation: ShardedIndex.Interpretation?, without dropped: [String]
  ) -> String? {
    guard correction != nil || interpretation != nil || !dropped.isEmpty else { return nil }
    var text = "results"
    if let searched = correction ?? interpretation?.text { text += " for \"" + searched + "\"" }
    let conditions = interpretation?.conditions ?? []
    if !conditions.isEmpty { text += " with " + conditions.joined(separator: " and ") }
    if !dropped.isEmpty { text += " without \"" + dropped.joined(separator: " ") + "\"" }
    return text
  }

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
