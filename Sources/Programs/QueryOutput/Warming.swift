#if !hasFeature(Embedded)
  import Answers
  import CLibrary
  import ShardedIndex

  /// Queries an index on another machine with the texts of a log, so that the disk cache gets the files that they need.
  package enum Warming {
    /// The number of records to read of each answer, as a server does.
    private static let rows = 20

    /// Reads the log from standard input, with a text or `MILLISECONDS<TAB>TEXT` in each line. Source: docs/typing.md.
    ///
    /// - Parameter counters: Returns the requests so far, the bytes of their bodies, and the reads that the disk cache
    ///   answered.
    package static func run(
      _ request: QueryRequest, _ open: QueryRunner.Opening,
      counters: () -> (requests: Int, bytes: Int, diskReads: Int)
    ) -> ExitStatus {
      let start = Stopwatch()
      var reader = InputLines(end: 0x0a)
      var (line, texts) = (0, 0)
      do throws(IndexError) {
        let index = try open(
          request.index ?? "", ShardedIndex.Options(reloadInterval: .zero, expectedDigest: request.expectedDigest))
        let buffer = RecordBuffer()
        while let next = reader.next() {
          line += 1
          guard let text = text(next) else {
            Diagnostics.report(
              "line \(line) of the log has no milliseconds before its tab; write MILLISECONDS<TAB>TEXT")
            return .badData
          }
          if text.isEmpty { continue }
          try readAnswer(text, index, buffer)
          texts += 1
        }
      } catch {
        return QueryRunner.report(error, request)
      }
      if let failure = reader.failure {
        let reason =
          failure == 0 ? "has more than \(LineQueries.lineLimit) bytes" : unsafe String(cString: strerror(failure))
        Diagnostics.report("line \(line + 1) of the log: " + reason)
        return failure == 0 ? .badData : .inputOutput
      }
      return report(texts, counters(), start.microseconds, isJSON: request.format == .json)
    }

    /// Returns the text of a line of the log; nil for a line in another form.
    private static func text(_ line: String) -> String? {
      guard let tab = line.utf8.firstIndex(of: 0x09) else { return line }
      let pause = line.utf8[..<tab]
      guard !pause.isEmpty, pause.count <= 9, pause.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
      return String(line[line.utf8.index(after: tab)...])
    }

    /// Reads everything that the answer to a text shows.
    private static func readAnswer(_ text: String, _ index: ShardedIndex, _ buffer: RecordBuffer) throws(IndexError) {
      try index.following { (generation) throws(IndexError) in
        try index.matches(forPrefix: text, in: generation).read(0..<rows, into: buffer)
        guard generation.manifest.isRanked else { return }
        var query = ShardedIndex.SearchQuery(text)
        (query.limit, query.needs.cursor) = (rows, true)
        _ = try ShardedIndex.Search.finding(query, in: generation) { (search) throws(IndexError) in
          try search.find(rows)
          _ = try search.records(in: search.range)
        }
      }
    }

    private static func report(
      _ texts: Int, _ counts: (requests: Int, bytes: Int, diskReads: Int), _ microseconds: Int, isJSON: Bool
    ) -> ExitStatus {
      let seconds = "\(microseconds / 1_000_000)." + String(1_000_000 + microseconds % 1_000_000).dropFirst().prefix(3)
      var output = Output()
      do throws(WriteError) {
        if isJSON {
          try output.write(
            "\(JSONText.schema)\"command\":\"warm\",\"texts\":\(texts),\"requests\":\(counts.requests),"
              + "\"bytes\":\(counts.bytes),\"disk_reads\":\(counts.diskReads),\"seconds\":\(seconds)}\n")
        } else {
          func grouped(_ number: Int) -> String { QueryRunner.grouped(number) }
          try output.write(
            "\(grouped(texts)) texts: \(grouped(counts.requests)) requests, \(grouped(counts.bytes)) bytes, "
              + "\(grouped(counts.diskReads)) reads of the disk cache, \(seconds) s\n")
        }
        try output.flush()
      } catch {
        return Diagnostics.failed(error)
      }
      return .done
    }
  }
#endif
