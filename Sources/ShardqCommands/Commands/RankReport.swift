#if CommandLineTool
  import QueryOutput
  import ShardedIndex

  /// The report of `shardq query --explain`: how each hit ranks, and the work of the search.
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
          ShardedIndex.SearchQuery(request.prefix), limit: isOver ? .max : most, after: request.cursor)
        print(answer, from: request.offset)
        return answer.hits.isEmpty ? .negative : .done
      } catch {
        return QueryRunner.report(error)
      }
    }

    private static func print(_ answer: ShardedIndex.Answer, from offset: Int) {
      let hits = answer.hits.dropFirst(offset)
      let rows =
        [["score", "weight", "bonus", "edits", "via", "key"]]
        + hits.map { hit in
          [
            "\(hit.score)", "\(hit.rank.weight)", "+\(hit.bonus) octaves", "\(hit.edits)", "key",
            printable(hit.record.key),
          ]
        }
      let widths = (0..<5).map { column in rows.map { $0[column].utf8.count }.max() ?? 0 }
      for row in rows {
        let cells = (0..<5).map { column in
          let space = String(repeating: " ", count: widths[column] - row[column].utf8.count)
          return column < 4 ? space + row[column] : row[column] + space
        }
        Swift.print(cells.joined(separator: "  ") + "  " + row[5])
      }
      let certificate = answer.certificate
      Swift.print(
        "opened: "
          + [
            QueryRunner.counted(certificate.pagesOpened, "page"),
            QueryRunner.counted(certificate.shardsOpened, "shard"),
            QueryRunner.counted(certificate.partsOpened, "part"),
          ].joined(separator: ", "))
      if let last = certificate.lastHit { Swift.print("last hit: " + text(last)) }
      Swift.print("highest bound left: " + (certificate.highestRest.map(text) ?? "none; these are all matches"))
    }

    private static func text(_ rank: ShardedIndex.Rank) -> String {
      "score \(rank.score), weight \(rank.weight), position \(rank.position)"
    }
  }
#endif
