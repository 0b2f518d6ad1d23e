#if CommandLineTool
  import Answers
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  /// The report on a ranked answer: how each hit ranks, and the work of the search.
  enum RankReport {
    /// Answers a query, or explains its ranks where it asks for that.
    ///
    /// - Parameter options: The options that the request was made of.
    static func answer(_ request: QueryRequest, _ options: QueryOptions) -> ExitStatus {
      var request = request
      request.apply(.current)
      if let index = request.index, RemoteIndex.isURL(index) {
        RemoteWork.answer(request, options.remote.settings)
      }
      if options.remote.isSaid {
        Diagnostics.report(RemoteWork.noURL.message)
        return RemoteWork.noURL.status
      }
      guard request.explains else { return QueryRunner.run(request) }
      do throws(IndexError) {
        let index = try ShardedIndex(
          opening: request.index ?? UserSettings.current.indexPath(nil),
          options: .init(expectedDigest: request.expectedDigest))
        return try explain(request, in: index)
      } catch {
        return QueryRunner.report(error)
      }
    }

    /// Prints the report, and the hits below it.
    private static func explain(_ request: QueryRequest, in index: ShardedIndex) throws(IndexError) -> ExitStatus {
      let limit = request.all ? .max : request.limit ?? QueryRequest.rankedLimit
      var query = request.query
      query.needs.keys = .always
      let (most, isOver) = limit.addingReportingOverflow(query.offset)
      let answer = try index.search(query, limit: isOver ? .max : most, after: query.cursor)
      let hits = answer.dropFirst(query.offset)
      let certificate = answer.certificate
      let keys = answer.keys ?? 0
      var report = Report()
      report.add("query", .text(query.text))
      report.add("folded", .text(Fold.fold(query.text).withUnsafeBufferPointer { ReadableFold.readable($0) }))
      if let reading = answer.interpretation {
        let conditions = reading.conditions.joined(separator: " and ")
        report.add("reading", .text(reading.text + (conditions.isEmpty ? "" : " with " + conditions)))
      }
      if let correction = answer.correction { report.add("correction", .text(correction)) }
      if !answer.dropped.isEmpty { report.add("dropped", .list(answer.dropped)) }
      report.add("sort", .text(query.sort?.text ?? SortOrder.rank.rawValue))
      if let group = query.group { report.add("group", .text(group)) }
      let total = answer.total
      report.add("count", .number(total.number), note: total.isExact ? "" : "and more")
      report.add("total", .number(total.number))
      report.add("totalIsExact", .flag(total.isExact))
      report.add("keys", .number(keys), note: keys == 1 ? "key begins so" : "keys begin so")
      report.add("records_shown", .number(hits.count))
      report.add("shards_in_index", .number(index.shardCount))
      report.add("pages_opened", .number(certificate.pagesOpened))
      report.add("shards_opened", .number(certificate.shardsOpened))
      report.add("parts_opened", .number(certificate.partsOpened))
      report.add("bytes_decompressed", .number(index.statistics.loadedBytes), note: "without those of the manifest")
      report.add("last_hit", .text(certificate.lastHit.map(self.text) ?? "none"))
      report.add("highest_left", .text(certificate.highestRest.map(self.text) ?? "none: the hits are all matches"))
      report.add("hits", .text(hits.isEmpty ? "none" : ""))
      report.print(.text, then: hits.isEmpty ? "" : table(hits))
      return hits.isEmpty && (total.number == 0 || !query.filter.isEmpty) ? .negative : .done
    }

    /// Returns a row for each hit: the reckoning of its score, by which text it matched, and its key. The score is the
    /// sum of the code of the weight, 2,048 for each octave of the bonus, and the nearness.
    private static func table(_ hits: some Sequence<ShardedIndex.Hit>) -> String {
      let head = [["edits", "score", "= code", "+ 2048 x bonus", "+ near", "weight", "via", "key"]]
      let rows = hits.map { hit in
        let via = hit.via
        let name = if case .otherName(let name) = via { " (" + printable(name) + ")" } else { "" }
        return [
          "\(hit.edits)", "\(hit.score)", "\(hit.score - 2048 * hit.bonus - hit.near)", "\(hit.bonus)", "\(hit.near)",
          "\(hit.rank.weight)", "\(via.label)", printable(hit.record.key) + name,
        ]
      }
      return alignedColumns(head + rows, leftAligned: 7)
    }

    private static func text(_ rank: ShardedIndex.Rank) -> String {
      "score \(rank.score), weight \(rank.weight), position \(rank.position)"
    }
  }
#endif
