#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "explain",
      abstract: "Show the work of a query: the shards that it considers, loads and hits.",
      usage: "shardq explain [<options>] <prefix> ...",
      discussion: """
        EXAMPLES:
          shardq explain san
          shardq explain san -n 100 --format json | jq .bytes_read
          shardq explain san --sort key            the alphabetical answer

        For a ranked answer, explain prints the rank of each hit and the work of the search, as shardq \
        query --explain does. For an alphabetical answer, explain prints the shards.

        DOCUMENTATION:
          man shardq-explain, docs/ranking.md, docs/architecture.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation
    @OptionGroup(title: "Index") var pin: IndexPin

    @Option(
      name: [.customShort("n", allowingJoined: true), .customLong("limit")],
      help: ArgumentHelp("The most records that the query prints; 0 to count only.", valueName: "n"))
    var limit: Int?

    @Option(
      name: .customLong("sort"),
      help: ArgumentHelp(
        "The order of the answer, rank or key (default: rank if the index has ranks).", valueName: "order"))
    var sort: SortOrder?

    @Option(
      name: .customLong("filter"),
      help: ArgumentHelp("Take only records whose field has this value, as for query.", valueName: "field=value"))
    var filters: [String] = []

    @Option(
      name: .customLong("typos"),
      help: ArgumentHelp("auto corrects typing errors, none does not, as for query.", valueName: "mode"))
    var typos: TypoMode?

    @Option(
      name: .customLong("near"), parsing: .unconditional,
      help: ArgumentHelp("Rank records near this place higher, as for query.", valueName: "lat,lon"))
    var near: AnswerPlace?

    @OptionGroup(title: "Output") var options: ReportOptions

    @Argument(help: ArgumentHelp("The beginning of keys.", valueName: "prefix"), completion: .nothing)
    var words: [String]

    private var prefix: String { words.joined(separator: " ") }

    func validate() throws {
      if limit ?? 0 < 0 { throw ValidationError("--limit must be at least 0") }
      if sort == .key, !filters.isEmpty || near != nil {
        throw ValidationError("--filter and --near go with --sort rank; leave out --sort key")
      }
      for filter in filters where ShardedIndex.Filter(filter) == nil {
        throw ValidationError("--filter: \(filter) is not valid; write a field and a value, such as country=FR")
      }
    }

    func run() throws {
      // The cache evicts nothing, so that all loaded shards can be counted.
      let index = open(location, options: .init(cacheLimitBytes: .max / 4, expectedDigest: pin.expectedDigest))
      do throws(IndexError) {
        if sort.map({ $0 == .rank }) ?? (index.generation.manifest.isRanked || !filters.isEmpty || near != nil) {
          var request = QueryRequest(prefix: prefix)
          request.query.filter = filters.compactMap { ShardedIndex.Filter($0) }
          request.query.near = near?.place
          request.limit = limit ?? QueryRequest.defaultLimit
          request.query.typos = typos.typos
          finish(try RankReport.explain(request, in: index, options.format))
        }
        try explain(index)
      } catch {
        finish(QueryRunner.report(error))
      }
    }

    private func explain(_ index: ShardedIndex) throws(IndexError) {
      let manifest = index.generation.manifest
      let folded = Fold.fold(prefix)
      // Two runs of shards may share one.
      var considered: [Manifest.Shard] = []
      for number in Set(try manifest.shards(forTyped: folded).joined()).sorted() {
        considered.append(try manifest.shard(number))
      }
      let matches = try index.matches(forPrefix: prefix)
      let counted = index.statistics
      let shown = min(limit ?? QueryRequest.defaultLimit, matches.count)
      try matches.read(0..<shown, into: RecordBuffer())
      // The shards that hold matches; the query looks into the other considered ones in vain.
      var hit: Set<Int> = []
      for places in matches.positionsInShards(of: 0..<matches.count) {
        hit.formUnion(try manifest.shards(holding: places))
      }
      var report = Report()
      report.add("query", .text(prefix))
      report.add("folded", .text(folded.withUnsafeBufferPointer { FoldedText.readable($0) }))
      report.add("count", .number(matches.count))
      report.add(
        "first_position", .number(matches.firstPosition), note: "of \(QueryRunner.grouped(index.recordCount))"
      )
      report.add("records_shown", .number(shown))
      report.add("shards_in_index", .number(manifest.shardCount))
      report.add("shards_considered", .number(considered.count))
      report.add("shards_hit", .number(hit.count))
      let loaded = considered.compactMap { shard in
        index.generation.resident(shard).map { (shard.number, $0) }
      }
      func sum(_ value: (Generation.Resident) -> Int) -> Int { loaded.reduce(0) { $0 + value($1.1) } }
      report.add("shards_loaded", .number(loaded.count), note: "(\(counted.misses) to count)")
      report.add(
        "parts_loaded", .number(sum(\.parts)),
        note: "of \(QueryRunner.grouped(sum(\.partCount))) in those shards")
      report.add(
        "bytes_read", .number(sum(\.read)),
        note: "and \(QueryRunner.grouped(manifest.fileSize)) of the manifest"
          + (index.generation.overlay.map { ", \(QueryRunner.grouped($0.size)) of the overlay" } ?? ""))
      report.add(
        "bytes_decompressed", .number(sum(\.decompressed)),
        note: "and \(QueryRunner.grouped(manifest.size)) of the manifest")
      var names: [String] = []
      for shard in considered.prefix(Self.listLimit) {
        names.append(
          "{\"file\":" + JSONText.string(shard.fileName) + ",\"lower_bound\":"
            + JSONText.string(FoldedText.readable(shard.bound))
            + ",\"records\":\(shard.recordCount)"
            + ",\"bytes\":\(shard.file.size),\"hit\":\(hit.contains(shard.number)),\"loaded\":\(loaded.contains { $0.0 == shard.number })}"
        )
      }
      report.add(
        "shards", .raw("[" + names.joined(separator: ",") + "]"),
        note: considered.count > Self.listLimit ? "the first \(Self.listLimit):" : "")
      var lines = ""
      for shard in considered.prefix(Self.listLimit) {
        lines +=
          "  " + shard.fileName + "  from \"" + FoldedText.readable(shard.bound)
          + "\"  "
          + QueryRunner.counted(shard.recordCount, "record") + "  "
          + QueryRunner.counted(shard.file.size, "byte")
          + (loaded.contains { $0.0 == shard.number } ? "  loaded" : "")
          + (hit.contains(shard.number) ? "  hit" : "") + "\n"
      }
      report.print(options.format, then: lines)
      finish(matches.isEmpty ? .negative : .done)
    }

    /// The most shards that are listed one by one.
    private static let listLimit = 100
  }
#endif
