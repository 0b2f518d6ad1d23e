#if CommandLineTool
  import Answers
  import ArgumentParser
  import Footprint
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  import CLibrary

  struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "plan",
      abstract: "Choose the shard size and the part size by a query log.",
      usage: "shardq plan [<options>] --log <file> [<input> ...]",
      discussion: """
        EXAMPLES:
          shardq plan --log typing.log             for the records of ./shards
          shardq plan --log typing.log cities.json for the records of a dataset
          shardq plan --log typing.log -i places --cache 1MiB --max-size +10%
          shardq plan --log typing.log --shard-sizes 64K,128K --part-sizes 2K,4K

        The query log has a line for each change of the search box, MILLISECONDS<TAB>TEXT, with an empty \
        TEXT between two sessions; shardq generate --typing makes one up. A plain list of queries works \
        too.

        A candidate is a shard size and a part size. plan builds an index of each, and replays every \
        other session of the log with --cache bytes of cache. Of the candidates that take at most \
        --max-size on disk, plan chooses the one that decompresses the fewest bytes per keystroke. The \
        other sessions check the choice: if it is no better than the default there, the default stays.

        Starting from the default sizes, plan tries neighbouring sizes and stops when none is better; \
        with --all, plan tries all. Larger shards mean fewer files, but a changed record rewrites a \
        whole shard or two. The column "a shard" has the mean size of a shard in bytes.

        plan builds one candidate at a time in a directory below $TMPDIR, else /tmp, and removes the directory at the \
        end, also when interrupted. plan changes no index: its last line is the command that builds the \
        choice.

        DOCUMENTATION:
          man shardq-plan, docs/planning.md
        """)

    @Option(
      name: .customLong("log"), help: ArgumentHelp("The query log.", valueName: "file"), completion: .file())
    var log: String

    @OptionGroup(title: "Index") var location: IndexLocation
    @OptionGroup(title: "Dataset") var input: InputOptions

    @Option(
      name: .customLong("cache"),
      help: ArgumentHelp("The cache limit of the program that will use the index.", valueName: "size"))
    var cache = ByteSize(bytes: PlanOptions().cacheLimitBytes)

    @Option(
      name: .customLong("max-size"),
      help: ArgumentHelp(
        "The most space that the index may take on disk, in blocks of 4096 bytes: a size, or a percentage above that of the default sizes (default: +5%).",
        valueName: "size|+n%"))
    var maxSize: DiskLimitArgument?

    @Option(
      name: [.customShort("n", allowingJoined: true), .customLong("limit")],
      help: ArgumentHelp("The number of rows at each keystroke.", valueName: "n"))
    var rows = PlanOptions().rows

    @Option(
      name: .customLong("shard-sizes"),
      help: ArgumentHelp(
        "Shard sizes to try (default: \(SizeList(PlanOptions().shardSizes))).", valueName: "sizes"))
    var shardSizes: SizeList?

    @Option(
      name: .customLong("part-sizes"),
      help: ArgumentHelp("Part sizes to try (default: \(SizeList(PlanOptions().partSizes))).", valueName: "sizes"))
    var partSizes: SizeList?

    @Flag(name: .customLong("all"), help: "Try all pairs of these sizes, not only neighbours of the best so far.")
    var triesAll = false

    @Option(
      name: .customLong("level"),
      help: ArgumentHelp(
        "The level of zstd, 1 to 22 (default: that of the index, else \(BuildOptions().level)).", valueName: "n"))
    var level: Int?

    @OptionGroup(title: "Resources") var resources: ResourceOptions

    @OptionGroup(title: "Output") var options: ReportOptions
    @OptionGroup(title: "Output") var progress: ProgressOptions

    @Argument(
      help: ArgumentHelp("Datasets, as for build, instead of an index.", valueName: "input"),
      completion: .file())
    var inputs: [String] = []

    func validate() throws {
      if log == "" { throw ValidationError("--log is empty; name a file") }
      if rows < 1 || rows > 1000 { throw ValidationError("--limit must be from 1 to 1000") }
      if let level, level < 1 || level > 22 { throw ValidationError("--level must be from 1 to 22") }
      if let sizes = shardSizes?.sizes, !sizes.allSatisfy((1 << 10...1 << 24).contains) {
        throw ValidationError("--shard-sizes must be from 1KiB to 16MiB")
      }
      if let sizes = partSizes?.sizes, !sizes.allSatisfy((1 << 9...1 << 24).contains) {
        throw ValidationError("--part-sizes must be from 512 bytes to 16MiB")
      }
      if !inputs.isEmpty, location.index != nil {
        throw ValidationError("--index and datasets exclude each other; leave out one")
      }
      if inputs.filter({ $0 == "-" }).count > 1 {
        throw ValidationError("standard input can be read only once; leave out one -")
      }
      if inputs.isEmpty, input.isSaid {
        throw ValidationError("the options of a dataset, such as --key, go with a dataset; name one")
      }
    }

    func run() throws {
      var options = PlanOptions()
      if let shardSizes { options.shardSizes = shardSizes.sizes }
      if let partSizes { options.partSizes = partSizes.sizes }
      if let maxSize { options.diskLimit = maxSize.limit }
      (options.cacheLimitBytes, options.rows, options.triesAll) = (cache.bytes, rows, triesAll)
      input.apply(to: &options.build)
      resources.apply(to: &options.build)
      let plan: Plan
      var settings: [String] = []
      do throws(PlanError) {
        try ShardPlanner.checkLog(log)
        if inputs.isEmpty {
          let index = open(location)
          settings = Self.options(of: index)
          do throws(BuildError) {
            let built = try ShardBuilder.level(of: index)
            options.build.level = level ?? built ?? options.build.level
          } catch {
            throw .build(error)
          }
        } else {
          settings = input.words
          if let level { options.build.level = level }
        }
        plan = try makePlan(options)
      } catch {
        if case .build(let cause) = error {
          Diagnostics.report(cause.message.text)
        } else {
          Diagnostics.report("\(error)")
        }
        finish(error.exitStatus)
      }
      if options.build.level != BuildOptions().level { settings += ["--level", "\(options.build.level)"] }
      let command = buildCommand(plan, settings)
      var output = Output()
      do throws(WriteError) {
        let report = PlanReport(plan: plan, options: options, command: command)
        try output.write(self.options.format == .json ? report.json : report.text)
        try output.flush()
      } catch {
        finish(Diagnostics.failed(error))
      }
    }

    /// Plans in a temporary directory, which is removed in the end, also when a signal ends the process.
    private func makePlan(_ options: PlanOptions) throws(PlanError) -> Plan {
      let parent = environment("TMPDIR") ?? "/tmp"
      let directory: WorkDirectory
      do throws(BuildError) {
        directory = try EndingSignals.removing { () throws(BuildError) in try WorkDirectory(in: parent) }
      } catch {
        throw .build(error)
      }
      defer {
        directory.remove()
        EndingSignals.yield()
      }
      let bar = progress.bar
      defer { bar?.clear() }
      return try ShardPlanner.plan(
        log: log, source: inputs.isEmpty ? .index(location.path) : .datasets(inputs),
        in: directory, options: options
      ) {
        let sizes =
          "shards of \(PlanReport.size($0.sizes.shardBytes)), parts of \(PlanReport.size($0.sizes.partBytes))"
        bar?.prefix = "\($0.number) of \($0.total), \(sizes): "
        bar?.show(BuildReport.step($0.build))
      }
    }

    private func environment(_ name: String) -> String? {
      guard let value = getenv(name) else { return nil }
      let text = String(cString: value)
      return text.isEmpty ? nil : text
    }

    // MARK: The command that builds it

    /// Returns the options with which an index was built.
    private static func options(of index: ShardedIndex) -> [String] {
      let manifest = index.generation.manifest
      var words = ["--key", index.keyTemplate]
      for name in ["keep", "id", "weight", "weight-scale", "words", "coordinates"] as [StaticString] {
        if let value = manifest.setting(name) { words += ["--\(name)", value] }
      }
      let settings = IndexSettings(of: manifest.root)
      for field in settings.filter { words += ["--filter", field] }
      for field in settings.number { words += ["--number", field] }
      for (field, names) in zip(settings.filter, settings.valueNames) where names != nil {
        words += ["--names", field + "=NAMES"]
      }
      if settings.synonyms != nil { words += ["--synonyms", "SYNONYMS"] }
      if settings.near { words.append("--near") }
      if settings.skipsEmptyKeys { words.append("--skip-empty-keys") }
      for name in manifest.setting("alias").map(IndexSettings.list) ?? [] { words += ["--alias", name] }
      for field in settings.searchFields { words += ["--search-field", field] }
      if manifest.hasSketches { words += ["--typos"] + (settings.editsDigits ? ["digits"] : []) }
      if manifest.setting("weights") != nil { words += ["--weights", "WEIGHTS"] }
      return words
    }

    /// Returns the command that builds the choice.
    private func buildCommand(_ plan: Plan, _ settings: [String]) -> String {
      let (sizes, usual) = (plan.choice.sizes, ShardSizes.usual)
      var words = ["shardq", "build"]
      if sizes.shardBytes != usual.shardBytes { words += ["--shard-size", PlanReport.size(sizes.shardBytes)] }
      if sizes.partBytes != usual.partBytes { words += ["--part-size", PlanReport.size(sizes.partBytes)] }
      words += settings
      if let index = location.index { words += ["--index", index] }
      return (words + inputs).map { shellWord($0) }.joined(separator: " ") + (inputs.isEmpty ? " DATASET" : "")
    }
  }

  extension PlanError {
    fileprivate var exitStatus: ExitStatus {
      switch self {
      // A file that this user may not read counts as missing.
      case .log(.io("open", _, ENOENT)), .log(.io("open", _, ENOTDIR)), .log(.io("open", _, EACCES)),
        .log(.io("open", _, EPERM)):
        .notFound
      case .log(.io): .inputOutput
      case .log, .tooFewSessions: .badData
      case .logNotRegular: .usage
      case .logChanged: .busy
      case .index(let error): QueryRunner.exitStatus(of: error)
      case .build(let error): error.exitStatus
      case .noRoom: .inputOutput
      case .noneFits: .negative
      }
    }
  }

  /// A limit of bytes on disk: `3M` or `+5%`.
  struct DiskLimitArgument: ExpressibleByArgument {
    var limit: PlanOptions.DiskLimit

    init?(argument: String) {
      if argument.hasPrefix("+"), argument.hasSuffix("%") {
        guard let percent = Int(argument.dropFirst().dropLast()), (0...10_000).contains(percent) else { return nil }
        limit = .percentMore(percent)
      } else {
        guard let size = ByteSize(argument: argument) else { return nil }
        limit = .bytes(size.bytes)
      }
    }
  }

  /// A list of sizes with commas between.
  struct SizeList: ExpressibleByArgument, CustomStringConvertible {
    var sizes: [Int]

    init(_ sizes: [Int]) { self.sizes = sizes }

    init?(argument: String) {
      let sizes = argument.split(separator: ",", omittingEmptySubsequences: false).map {
        ByteSize(argument: String($0))
      }
      guard sizes.count <= 64, sizes.allSatisfy({ $0 != nil }) else { return nil }
      self.sizes = sizes.map { $0!.bytes }
    }

    var description: String { sizes.map { ByteSize(bytes: $0).defaultValueDescription }.joined(separator: ", ") }
  }
#endif
