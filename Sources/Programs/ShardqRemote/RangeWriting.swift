#if Remote && CommandLineTool
  import Answers
  import CLibrary
  import QueryOutput
  import ShardBuilder
  import ShardedIndex
  import ShardedIndexRemote
  import ShardqCommands

  /// `shardq plan-ranges`, `shardq write-range` and `shardq merge` with an index of a URL or a prefix of a store.
  enum RangeWriting {
    static func plan(_ request: StoreRequest) throws(StoreError) {
      guard let arguments = request.plan else { return }
      do throws(BuildError) {
        let index = try BuildError.ofIndex { () throws(IndexError) in
          try ShardedIndex(remote: request.url, remote: RemoteOptions(fetch: .shards, cacheLimitBytes: 0))
        }
        arguments.write(
          try ShardBuilder.planRanges(over: index, ranges: arguments.ranges, program: arguments.program))
      } catch {
        throw StoreError(.build(error))
      }
    }

    static func write(_ request: StoreRequest) throws(StoreError) {
      var output = Output()
      try run(request) { (plan, target, resources, ranges) throws(BuildError) in
        func print(_ lines: [UInt8]) {
          request.bar?.clear()  // Standard output may be the same terminal.
          do throws(WriteError) {
            try output.write(lines)
            try output.flush()
          } catch {
            exit(Diagnostics.failed(error).rawValue)
          }
        }
        // Before the first bytes come, a line tells that the command waits for them.
        request.bar?.show(ProgressBar.Step("reading", 0, of: nil, isBytes: true))
        if let (over, changes) = ranges.update {
          return try ShardBuilder.writeRanges(
            plan, of: "-", over: target.open(over, plan), changes, to: target, resources: resources,
            progress: { request.bar?.show(ProgressBar.Step($0)) }, write: { print($0) })
        }
        let write = ranges.isOfEntries ? ShardBuilder.writeEntryRanges : ShardBuilder.writeRanges
        try write(plan, "-", target, resources, { request.bar?.show(ProgressBar.Step($0)) }, { print($0) })
      }
    }

    static func merge(_ request: StoreRequest) throws(StoreError) {
      try run(request) { (plan, target, resources, ranges) throws(BuildError) in
        let summary = try ShardBuilder.merge(
          plan, rows: ranges.rows, records: ranges.records, repeatedIDs: ranges.repeatedIDs, in: target,
          resources: resources, progress: { request.bar?.show(ProgressBar.Step(merging: $0)) })
        guard let outcome = target.outcome else { return }
        request.bar?.clear()
        report(summary, outcome, target, request)
      }
    }

    private static func run(
      _ request: StoreRequest,
      _ body: (RangePlan, StoreTarget, BuildOptions, StoreRequest.RangeArguments) throws(BuildError) -> Void
    ) throws(StoreError) {
      guard let ranges = request.ranges else { return }
      let target = StoreTarget(try IndexStore(request), request.url)
      defer { request.bar?.clear() }
      do throws(BuildError) {
        try body(ranges.plan, target, ranges.resources, ranges)
      } catch {
        throw target.failure ?? StoreError(.build(error))
      }
    }

    private static func report(
      _ summary: ShardBuilder.MergeSummary, _ outcome: IndexStore.Outcome, _ target: StoreTarget,
      _ request: StoreRequest
    ) {
      let isNew = if case .committed = outcome { true } else { false }
      let (counted, number) = (QueryRunner.counted, outcome.generation.number)
      Diagnostics.note(
        "\(counted(summary.records, "record", nil)) of \(counted(summary.ranges, "range", nil)), "
          + "\(QueryRunner.grouped(summary.recordsCutAnew)) cut anew at borders, "
          + "\(counted(summary.shards, "shard", nil)); generation \(number) "
          + (isNew ? "of" : "was there in") + " \(target.shown); digest \(summary.digest)")
      guard request.isJSON else { return }
      var report = Report(of: request.command.rawValue)
      report.add("url", .text(target.shown))
      report.add("generation", .number(Int(clamping: number)))
      report.add("unchanged", .flag(!isNew))
      report.add("ranges", .number(summary.ranges))
      report.add("records", .number(summary.records))
      report.add("records_cut_anew", .number(summary.recordsCutAnew))
      report.add("shards", .number(summary.shards))
      report.add("bytes", .number(summary.bytes))
      report.add("digest", .text(summary.digest))
      report.print(.json)
    }
  }
#endif
