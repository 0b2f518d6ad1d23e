#if CommandLineTool
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  /// The reports of `shardq query --explain` and of `shardq explain` on a ranked query: how each hit ranks, and the work of the search.
  enum RankReport {
    /// Answers a query, or explains its ranks where it asks for that.
    static func answer(_ request: QueryRequest) -> ExitStatus {
      request.explains ? run(request) : QueryRunner.run(request)
    }

    private static func run(_ request: QueryRequest) -> ExitStatus {
      do throws(IndexError) {
        let index = try ShardedIndex(
          opening: QueryRunner.indexPath(request.index), options: .init(expectedDigest: request.expectedDigest))
        let limit = (request.all ? .max : request.limit ?? QueryRequest.rankedLimit)
        let (most, isOver) = limit.addingReportingOverflow(request.offset)
        let answer = try index.search(
          ShardedIndex.SearchQuery(request.prefix, filter: request.filters), limit: isOver ? .max : most,
          after: request.cursor)
        print(answer, from: request.offset)
        return answer.hits.isEmpty ? .negative : .done
      } catch {
        return QueryRunner.report(error)
      }
    }

    private static func print(_ answer: ShardedIndex.Answer, from offset: Int) {
      let certificate = answer.certificate
      var text = table(answer.hits.dropFirst(offset))
      text +=
        "opened: "
        + [
          QueryRunner.counted(certificate.pagesOpened, "page"),
          QueryRunner.counted(certificate.shardsOpened, "shard"),
          QueryRunner.counted(certificate.partsOpened, "part"),
        ].joined(separator: ", ") + "\n"
      if let last = certificate.lastHit { text += "last hit: " + self.text(last) + "\n" }
      text +=
        "highest bound left: " + (certificate.highestRest.map(self.text) ?? "none; these are all matches") + "\n"
      var output = Output()
      do throws(WriteError) {
        try output.write(text)
        try output.flush()
      } catch {
        finish(Diagnostics.failed(error))
      }
    }

    /// Returns a row for each hit: how it ranks, and its key.
    static func table(_ hits: some Sequence<ShardedIndex.Hit>) -> String {
      let rows =
        [["score", "weight", "bonus", "edits", "via", "key"]]
        + hits.map { hit in
          [
            "\(hit.score)", "\(hit.rank.weight)", "+\(hit.bonus) octaves", "\(hit.edits)", "key",
            printable(hit.record.key),
          ]
        }
      let widths = (0..<5).map { column in rows.map { $0[column].utf8.count }.max() ?? 0 }
      return rows.map { row in
        let cells = (0..<5).map { column in
          let space = String(repeating: " ", count: widths[column] - row[column].utf8.count)
          return column < 4 ? space + row[column] : row[column] + space
        }
        return cells.joined(separator: "  ") + "  " + row[5] + "\n"
      }.joined()
    }

    /// Returns the report of `shardq explain` on a ranked query; people see the hits below it.
    static func explain(
      _ query: ShardedIndex.SearchQuery, in index: ShardedIndex, limit: Int
    ) throws(IndexError) -> (report: Report, hits: String, isEmpty: Bool) {
      let text = query.text
      let answer = try index.search(query, limit: limit)
      let hits = answer.hits
      let (certificate, statistics) = (answer.certificate, index.statistics)
      let count = try index.matches(forPrefix: text, in: answer.generation).count
      var report = Report()
      report.add("query", .text(text))
      report.add("folded", .text(Fold.fold(text).withUnsafeBufferPointer { FoldedText.readable($0) }))
      report.add("sort", .text(SortOrder.rank.rawValue))
      report.add("count", .number(count))
      if let total = answer.total { report.add("total", .number(total)) }
      report.add("records_shown", .number(hits.count))
      report.add("shards_in_index", .number(index.shardCount))
      report.add("pages_opened", .number(certificate.pagesOpened))
      report.add("shards_opened", .number(certificate.shardsOpened))
      report.add("parts_opened", .number(certificate.partsOpened))
      report.add("bytes_decompressed", .number(statistics.loadedBytes), note: "and the manifest's")
      report.add("last_hit", .raw(json(certificate.lastHit)), note: certificate.lastHit.map(self.text) ?? "none")
      report.add(
        "highest_left", .raw(json(certificate.highestRest)),
        note: certificate.highestRest.map(self.text) ?? "none; these are all matches")
      let members = hits.map { hit in
        "{\"key\":" + JSONText.string(hit.record.key)
          + ",\"score\":\(hit.score),\"weight\":\(hit.rank.weight),\"bonus\":\(hit.bonus),\"edits\":\(hit.edits)"
          + ",\"via\":\"key\"}"
      }
      report.add("hits", .raw("[" + members.joined(separator: ",") + "]"), note: hits.isEmpty ? "none" : "")
      return (report, hits.isEmpty ? "" : table(hits), query.filter.isEmpty ? count == 0 : hits.isEmpty)
    }

    private static func json(_ rank: ShardedIndex.Rank?) -> String {
      rank.map { "{\"edits\":\($0.edits),\"score\":\($0.score),\"weight\":\($0.weight),\"position\":\($0.position)}" }
        ?? "null"
    }

    private static func text(_ rank: ShardedIndex.Rank) -> String {
      "score \(rank.score), weight \(rank.weight), position \(rank.position)"
    }
  }
#endif
