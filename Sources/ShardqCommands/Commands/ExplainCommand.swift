#if CommandLineTool
  import ArgumentParser
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "explain",
      abstract: "Show how a query is answered: which shards it considers, loads, hits.",
      discussion: """
        EXAMPLES:
          shardq explain san
          shardq explain san -n 100 --format json | jq .bytes_read
        """)

    @OptionGroup var location: IndexLocation

    @Option(
      name: [.customShort("n"), .customLong("limit")],
      help: ArgumentHelp("How many records the query is to print; 0 for counting only.", valueName: "n"))
    var limit = QueryRequest.defaultLimit

    @Option(name: .customLong("format"), help: "text or json.")
    var format = ReportFormat.text

    @Argument(help: "What keys begin with.")
    var prefix: String

    func validate() throws {
      if limit < 0 { throw ValidationError("--limit must be at least 0.") }
    }

    func run() throws {
      // Nothing is evicted, so that everything that was loaded can be counted.
      let index = open(location, options: Options(cacheLimitBytes: .max / 4))
      do throws(IndexError) {
        try explain(index)
      } catch {
        finish(QueryRunner.report(error))
      }
    }

    private func explain(_ index: ShardedIndex) throws(IndexError) {
      let manifest = index.generation
      let folded = Fold.fold(prefix)
      let considered: ClosedRange<Int>? =
        manifest.shardCount == 0
        ? nil
        : folded.isEmpty
          ? 0...manifest.shardCount - 1
          : folded.withUnsafeBufferPointer { bytes in
            let (first, last) = manifest.shards(forPrefix: bytes, head: KeyBlocks.head(of: bytes))
            return first...max(first, last)
          }
      let matches = try index.matches(forPrefix: prefix)
      let counted = index.statistics
      let shown = min(limit, matches.count)
      try matches.read(0..<shown, into: RecordBuffer())
      // Shards that hold matches; those that are considered and hold none were looked into for nothing.
      let hit: ClosedRange<Int>? =
        matches.isEmpty
        ? nil
        : index.shardNumber(
          holding: matches.firstPosition)...index.shardNumber(
            holding: matches.firstPosition + matches.count - 1)
      var report = Report()
      report.add("query", .text(prefix))
      report.add("folded", .text(folded.withUnsafeBufferPointer { FoldedText.readable($0) }))
      report.add("count", .number(matches.count))
      report.add(
        "first_position", .number(matches.firstPosition), note: "of \(QueryRunner.grouped(index.recordCount))"
      )
      report.add("records_shown", .number(shown))
      report.add("shards_in_index", .number(manifest.shardCount))
      report.add("shards_considered", .number(considered?.count ?? 0))
      report.add("shards_hit", .number(hit?.count ?? 0))
      let loaded = (considered.map(Array.init) ?? []).compactMap { shard in
        index.resident(shard).map { (shard, $0) }
      }
      func sum(_ value: (ShardedIndex.Resident) -> Int) -> Int { loaded.reduce(0) { $0 + value($1.1) } }
      report.add("shards_loaded", .number(loaded.count), note: "\(counted.misses) of them to count")
      report.add(
        "parts_loaded", .number(sum(\.parts)),
        note: "of \(QueryRunner.grouped(sum(\.partCount))) in those shards")
      report.add(
        "bytes_read", .number(sum(\.read)),
        note: "and the manifest's \(QueryRunner.grouped(manifest.fileSize(in: index)))")
      report.add(
        "bytes_decompressed", .number(sum(\.decompressed)),
        note: "and the manifest's \(QueryRunner.grouped(manifest.size))")
      var names: [String] = []
      for shard in (considered.map(Array.init) ?? []).prefix(Self.listLimit) {
        names.append(
          "{\"file\":" + JSONText.string(manifest.fileName(of: shard)) + ",\"lower_bound\":"
            + JSONText.string(FoldedText.readable(manifest.bound(shard)))
            + ",\"records\":\(manifest.recordCount(of: shard))"
            + ",\"bytes\":\(manifest.file(of: shard).size),\"hit\":\(hit?.contains(shard) == true),\"loaded\":\(loaded.contains { $0.0 == shard })}"
        )
      }
      report.add(
        "shards", .raw("[" + names.joined(separator: ",") + "]"),
        note: (considered?.count ?? 0) > Self.listLimit ? "the first \(Self.listLimit):" : "")
      var lines = ""
      for shard in (considered.map(Array.init) ?? []).prefix(Self.listLimit) {
        lines +=
          "  " + manifest.fileName(of: shard) + "  from \"" + FoldedText.readable(manifest.bound(shard))
          + "\"  "
          + QueryRunner.grouped(manifest.recordCount(of: shard)) + " records  "
          + QueryRunner.grouped(manifest.file(of: shard).size) + " bytes"
          + (loaded.contains { $0.0 == shard } ? "  loaded" : "")
          + (hit?.contains(shard) == true ? "  hit" : "") + "\n"
      }
      report.print(format, then: lines)
      finish(matches.isEmpty ? .negative : .done)
    }

    /// Shards listed one by one.
    private static let listLimit = 100
  }

  extension Manifest {
    fileprivate func fileSize(in index: ShardedIndex) -> Int {
      FileSize(of: index.files.filePath(Manifest.fileName)).bytes
    }
  }
#endif
