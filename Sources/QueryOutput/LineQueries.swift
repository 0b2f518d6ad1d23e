import CLibrary
import ShardedIndex

/// Answers each line of standard input with one line of JSON, at once.
package enum LineQueries {
  /// The most bytes of a line. No key is longer than 64 KiB; the rest is room for signs that the fold removes.
  static let lineLimit = 1 << 20

  /// - Parameters:
  ///   - request: The options of every line; its prefix is ignored.
  ///   - open: The function that opens an index on another machine.
  package static func run(_ request: QueryRequest, open: QueryRunner.Opening? = nil) -> ExitStatus {
    // This check comes before the index is opened, since the index's directory would get the descriptor's number.
    var status = stat()
    if unsafe fstat(STDIN_FILENO, &status) != 0, errno == EBADF {
      Diagnostics.report("standard input is closed; pass the lines to it, or redirect it from a file")
      return .notFound
    }
    var reader = LineReader(end: request.endsWithZero ? 0 : 0x0a)
    var output = Output()
    var number = 0
    do throws(IndexError) {
      // The newest generation answers each line, unless a digest pins the index.
      let index = try QueryRunner.index(
        request, .init(reloadInterval: .zero, expectedDigest: request.expectedDigest), open)
      var answers = Answers(index: index, request: request)
      while let line = reader.next() {
        number += 1
        do throws(WriteError) {
          do throws(IndexError) {
            try answers.read(line)
          } catch {
            return QueryRunner.report(error)
          }
          try answers.write(line, to: &output)
          try output.flush()
        } catch {
          return Diagnostics.failed(error)
        }
      }
    } catch {
      return QueryRunner.report(error, request)
    }
    switch reader.failure {
    case nil: return .done
    case .some(0):
      Diagnostics.report("line \(number + 1) of standard input has more than \(lineLimit) bytes; shorten it")
      return .badData
    case .some(let code):
      unsafe Diagnostics.report("cannot read standard input: " + String(cString: strerror(code)))
      return .inputOutput
    }
  }

  private struct Answers {
    let index: ShardedIndex
    let request: QueryRequest
    var writer: RecordWriter
    /// The schema of `writer`.
    var schema: Schema
    let buffer = RecordBuffer()
    var matches: ShardedIndex.Matches?
    /// The first hits of a ranked answer, and their writer.
    var ranked: (first: ShardedIndex.Answer, output: RankedOutput)?
    /// The number of matches of a ranked answer, if only this number is printed.
    var total: ShardedIndex.Total?
    var at = 0
    var end = 0

    init(index: ShardedIndex, request: QueryRequest) {
      self.index = index
      self.request = request
      schema = index.generation.schema
      writer = RecordWriter(.json, fieldCount: schema.names.count, schema: schema)
    }

    /// Looks the line up and decodes the first records, so that little can fail once the answer is being written.
    mutating func read(_ line: String) throws(IndexError) {
      for _ in 1..<QueryRunner.attemptCount {
        do throws(IndexError) {
          return try readOnce(line)
        } catch {
          // A rebuild came after the count: the matches are counted again.
          guard case .superseded = error else { throw error }
        }
      }
      try readOnce(line)
    }

    private mutating func readOnce(_ line: String) throws(IndexError) {
      (ranked, total) = (nil, nil)
      var matches = try index.matches(forPrefix: line, limit: mostMatches)
      if try request.isRanked(in: matches.generation.manifest) {
        let output = RankedOutput(request, .json, text: line)
        if request.countOnly { return total = try output.counted(in: index) }
        let first = try output.first(in: index)
        matches = try index.matches(forPrefix: line, in: first.generation)
        ranked = (first, RankedOutput(request, .json, text: line, keys: matches.count))
      }
      if matches.generation.schema !== schema {
        schema = matches.generation.schema
        writer = RecordWriter(.json, fieldCount: schema.names.count, schema: schema)
      }
      at = min(request.offset, matches.count)
      let limit =
        request.countOnly || ranked != nil ? 0 : request.all ? Int.max : request.limit ?? QueryRequest.defaultLimit
      end = at + min(limit, matches.count - at)
      try fill(matches)
      self.matches = matches
    }

    /// The number of matches that a line needs. Over HTTP and with starts, answers in the order of keys have no count.
    /// Counting would take more requests than the rest of the answer.
    private var mostMatches: Int {
      guard index.isFar, !request.all, !request.countOnly, request.sort == .key || !index.generation.manifest.isRanked
      else {
        return .max
      }
      return QueryRunner.uncountedMatches(request, in: index) ?? .max
    }

    private mutating func fill(_ matches: ShardedIndex.Matches) throws(IndexError) {
      let next = min(end, at + QueryRunner.chunkSize)
      try matches.read(at..<next, into: buffer)
      at = next
    }

    mutating func write(_ line: String, to output: inout Output) throws(WriteError) {
      if let total {
        try JSONText.beginAnswer(query: line, to: &output)
        try JSONText.write(total, keys: nil, to: &output)
        return try output.write("}\n" as StaticString)
      }
      guard let matches else { return }
      if request.countOnly {
        try JSONText.beginAnswer(query: line, count: matches.count, to: &output)
        return try output.write("}\n" as StaticString)
      }
      if let ranked {
        try writer.begin(query: line, to: &output)
        return try write(ranked.first, ranked.output, to: &output)
      }
      try writer.begin(query: line, count: matches.hasMore ? nil : matches.count, to: &output)
      try writer.write(buffer, to: &output)
      while at < end {
        do throws(IndexError) {
          try fill(matches)
        } catch {
          try end(unfinished: error, &output)
        }
        try writer.write(buffer, to: &output)
      }
      try writer.end(to: &output)
    }

    private mutating func write(
      _ first: ShardedIndex.Answer, _ ranked: RankedOutput, to output: inout Output
    ) throws(WriteError) {
      var ranked = ranked
      do throws(QueryRunner.Failure) {
        try ranked.write(first, with: &writer, to: &output)
      } catch {
        switch error {
        case .index(let error): try end(unfinished: error, &output)
        case .write(let error): throw error
        case .noField: break  // Lines choose no fields.
        }
      }
    }

    /// Ends the command after a part of a line, which cannot be taken back.
    private func end(unfinished error: IndexError, _ output: inout Output) throws(WriteError) -> Never {
      try output.flush()
      _exit(QueryRunner.report(error).rawValue)
    }
  }
}

/// The lines of standard input without their ends, as soon as each arrives.
struct LineReader {
  /// The byte behind each line: a line feed or zero.
  let end: UInt8
  private var buffer: [UInt8] = []
  private var start = 0
  private var searched = 0
  private var isAtEnd = false
  /// The cause of the end: 0 for a line that is too long, an `errno` for a failed read, nil for the end of the input.
  private(set) var failure: CInt? = nil

  init(end: UInt8) { self.end = end }

  mutating func next() -> String? {
    while true {
      if let feed = buffer[searched...].firstIndex(of: end) {
        defer {
          start = feed + 1
          searched = start
        }
        return text(start..<feed)
      }
      searched = buffer.count
      if isAtEnd {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        return text(start..<buffer.count)
      }
      guard searched - start <= LineQueries.lineLimit else {
        failure = 0
        return nil
      }
      buffer.removeFirst(start)
      (start, searched) = (0, buffer.count)
      var chunk = [UInt8](repeating: 0, count: 16384)
      let count = unsafe read(STDIN_FILENO, &chunk, chunk.count)
      if count > 0 {
        buffer.append(contentsOf: chunk[..<count])
      } else if count == 0 {
        isAtEnd = true
      } else if errno != EINTR {
        failure = errno
        return nil
      }
    }
  }

  /// Returns a text. Bytes that are not UTF-8 become U+FFFD, so that the answer can name the text.
  private func text(_ range: Range<Int>) -> String {
    var line = buffer[range]
    if end == 0x0a, line.last == 0x0d { line.removeLast() }
    return String(decoding: line, as: UTF8.self)
  }
}
