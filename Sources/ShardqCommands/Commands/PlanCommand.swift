#if CommandLineTool
  import ArgumentParser
  import Footprint
  import QueryOutput
  import ShardBuilder
  import ShardedIndex
  import Synchronization

  import CSystem

  struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "plan",
      abstract: "Choose shard size and part size for what people type.",
      discussion: """
        EXAMPLES:
          shardq plan --log typing.log             for the records of the index in ./shards
          shardq plan --log typing.log cities.json for those of a dataset
          shardq plan --log typing.log -i places --cache 1MiB --max-size +10%
          shardq plan --log typing.log --shard-sizes 64KiB,128KiB --part-sizes 2KiB,4KiB

        The log has a line for each change of the search box, MILLISECONDS<TAB>TEXT, an empty TEXT between two
        sessions; shardq generate --typing makes one up. A plain list of queries will do.

        The rule: every other session of the log chooses. Each candidate is built, and the log played through the
        engine with --cache bytes of cache; of those that take no more of the disk than --max-size, the one that
        decompresses the fewest bytes per keystroke is the choice. The other sessions, which had no say, check it
        against the default; where it is no better there, the default stays.

        Candidates are looked for from the default on, a step in one size or in both at a time, for as long as a step
        is better; with --all, all are built. Larger shards mean fewer files, and more to write and to ship when a
        record changes: a shard or two. The column "a shard" says how much that is.

        Candidates are built one at a time in a temporary directory, which is removed in the end, also when the
        command is interrupted. No index is changed: the command that builds what was chosen is printed last.
        """)

    @Option(
      name: .customLong("log"), help: ArgumentHelp("What people typed.", valueName: "file"), completion: .file())
    var log: String

    @OptionGroup var location: IndexLocation
    @OptionGroup var input: InputOptions

    @Option(
      name: .customLong("cache"), help: ArgumentHelp("The cache limit of whoever will answer.", valueName: "size"))
    var cache = ByteSize(bytes: PlanOptions().cacheLimitBytes)

    @Option(
      name: .customLong("max-size"),
      help: ArgumentHelp(
        "The most that the index may take on disk, in blocks of 4096 bytes: a size, or so much more than the default takes (default: +5%).",
        valueName: "size|+n%"))
    var maxSize: DiskLimit?

    @Option(name: .customLong("rows"), help: ArgumentHelp("Matches shown at each keystroke.", valueName: "n"))
    var rows = PlanOptions().rows

    @Option(
      name: .customLong("shard-sizes"),
      help: ArgumentHelp(
        "Shard sizes to try (default: \(SizeList(PlanOptions().shardSizes))).", valueName: "a,b"))
    var shardSizes: SizeList?

    @Option(
      name: .customLong("part-sizes"),
      help: ArgumentHelp("Part sizes to try (default: \(SizeList(PlanOptions().partSizes))).", valueName: "a,b"))
    var partSizes: SizeList?

    @Flag(name: .customLong("all"), help: "Try all of these, not only those on the way to the best.")
    var triesAll = false

    @Option(
      name: .customLong("level"),
      help: ArgumentHelp("zstd's level, 1 to 22 (default: the index's, else \(BuildOptions().level)).", valueName: "n"))
    var level: Int?

    @OptionGroup var resources: ResourceOptions

    @Option(
      name: .customLong("temporary"),
      help: ArgumentHelp("Where candidates are built (default: $TMPDIR, else /tmp).", valueName: "dir"),
      completion: .directory)
    var temporary: String?

    @Option(name: .customLong("format"), help: "text or json.")
    var format = ReportFormat.text

    @Argument(
      help: ArgumentHelp("Datasets, as for build, in the place of an index.", valueName: "input"),
      completion: .file())
    var inputs: [String] = []

    func validate() throws {
      if log == "" { throw ValidationError("--log is empty: name a file.") }
      if temporary == "" { throw ValidationError("--temporary is empty: name a directory.") }
      if rows < 1 || rows > 1000 { throw ValidationError("--rows is 1 to 1000.") }
      if let level, level < 1 || level > 22 { throw ValidationError("--level is 1 to 22.") }
      if let sizes = shardSizes?.sizes, !sizes.allSatisfy((1 << 10...1 << 24).contains) {
        throw ValidationError("--shard-sizes are 1KiB to 16MiB.")
      }
      if let sizes = partSizes?.sizes, !sizes.allSatisfy((1 << 9...1 << 24).contains) {
        throw ValidationError("--part-sizes are 512 bytes to 16MiB.")
      }
      if !inputs.isEmpty, location.index != nil {
        throw ValidationError("Say either --index or datasets: the records are those of one.")
      }
      if inputs.filter({ $0 == "-" }).count > 1 {
        throw ValidationError("Standard input can be read once only.")
      }
      if inputs.isEmpty, input.isSaid {
        throw ValidationError("How a dataset is read is said with a dataset; an index has been read.")
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
        Diagnostics.report("\(error)")
        finish(error.exitStatus)
      }
      if options.build.level != BuildOptions().level { settings += ["--level", "\(options.build.level)"] }
      let command = buildCommand(plan, settings)
      var output = Output()
      do throws(WriteError) {
        let text = format == .json ? plan.json(options, command: command) : plan.text(options, command: command)
        try output.write(text)
        try output.flush()
      } catch {
        finish(Diagnostics.failed(error))
      }
    }

    /// Plans in a directory that goes away however this ends.
    private func makePlan(_ options: PlanOptions) throws(PlanError) -> Plan {
      let parent = temporary ?? environment("TMPDIR") ?? "/tmp"
      let directory: WorkDirectory
      do throws(BuildError) { directory = try WorkDirectory(in: parent) } catch { throw .build(error) }
      EndingSignals.remove(directory)
      defer {
        directory.remove()
        EndingSignals.yield()
      }
      let line = isatty(STDERR_FILENO) == 1 ? ProgressLine() : nil
      defer { line?.clear() }
      return try ShardPlanner.plan(
        log: log, source: inputs.isEmpty ? .index(QueryRunner.indexPath(location.index)) : .datasets(inputs),
        in: directory, options: options
      ) {
        let packing = "shards of \(size($0.packing.shardBytes)), parts of \(size($0.packing.partBytes))"
        line?.show($0.build, of: "\($0.number) of \($0.total), \(packing): ")
      }
    }

    private func environment(_ name: String) -> String? {
      guard let value = getenv(name) else { return nil }
      let text = String(cString: value)
      return text.isEmpty ? nil : text
    }

    // MARK: The command that builds it

    /// The options by which an index says how it was built.
    private static func options(of index: ShardedIndex) -> [String] {
      let manifest = index.generation.manifest
      var words = ["--key", index.keyTemplate]
      for name in ["keep", "id", "weight"] as [StaticString] {
        if let value = manifest.setting(name) { words += ["--\(name)", value] }
      }
      return words
    }

    private func buildCommand(_ plan: Plan, _ settings: [String]) -> String {
      let packing = plan.choice.packing
      var words = ["shardq", "build"]
      if packing.shardBytes != ShardSizes.usual.shardBytes { words += ["--shard-size", size(packing.shardBytes)] }
      if packing.partBytes != ShardSizes.usual.partBytes { words += ["--part-size", size(packing.partBytes)] }
      words += settings
      if let index = location.index { words += ["--index", index] }
      return (words + inputs).map { shellWord($0) }.joined(separator: " ") + (inputs.isEmpty ? " DATASET" : "")
    }
  }

  private func size(_ bytes: Int) -> String { ByteSize(bytes: bytes).defaultValueDescription }

  extension Plan {
    /// Which candidate a line of the table is of.
    private func mark(_ candidate: PlanCandidate) -> String {
      if candidate.packing == choice.packing {
        return candidate.packing == usual.packing ? "<- the default, chosen" : "<- chosen"
      }
      if candidate.packing == usual.packing { return "default" }
      if candidate.packing == best.packing { return "best here, not confirmed" }
      return candidate.diskBytes > diskLimitBytes ? "too large" : ""
    }

    fileprivate func text(_ options: PlanOptions, command: String) -> String {
      let (number, counted) = (QueryRunner.grouped, QueryRunner.counted)
      func sessions(_ figures: ReplayFigures) -> String {
        counted(figures.sessions, "session", nil) + ", " + counted(figures.keystrokes, "keystroke", nil)
      }
      func table(_ rows: [PlanCandidate], _ figures: KeyPath<PlanCandidate, ReplayFigures>) -> String {
        let head = [
          "shard", "part", "files", "a shard", "bytes", "on disk", "directory", "loads/key", "bytes/key", "p99",
          "resident", "",
        ]
        var lines = [head]
        for row in rows {
          let played = row[keyPath: figures]
          let loads = played.loads * 1000 / max(1, played.keystrokes)
          lines.append([
            size(row.packing.shardBytes), size(row.packing.partBytes), number(row.files),
            number(row.meanShardBytes), number(row.bytes), number(row.diskBytes), number(row.directoryBytes),
            Self.decimal(loads, places: 3),
            number(played.loadedBytesPerKeystroke), number(played.loadedBytesP99), number(played.residentBytes),
            mark(row),
          ])
        }
        let widths = head.indices.map { column in lines.map { $0[column].utf8.count }.max()! }
        return lines.map { line in
          var text = ""
          for (column, cell) in line.enumerated() {
            let pad = String(repeating: " ", count: widths[column] - cell.utf8.count)
            text += column == line.count - 1 ? cell : pad + cell + "  "
          }
          while text.hasSuffix(" ") { text.removeLast() }
          return text + "\n"
        }.joined()
      }
      var text = "the choosing half, \(sessions(usual.choosing)); cache \(size(options.cacheLimitBytes)), "
      text += "\(counted(options.rows, "row", nil)) a keystroke, at most \(number(diskLimitBytes)) bytes on disk\n"
      text += table(candidates, \.choosing)
      text += "\nthe half held out, \(sessions(usual.heldOut))\n"
      text += table(best.packing == usual.packing ? [usual] : [usual, best], \.heldOut)
      text += "\n"
      if isConfirmed {
        let change = Self.percent(best.heldOut.loadedBytes, of: usual.heldOut.loadedBytes)
        text +=
          "On the half held out the choice decompresses \(change) bytes per keystroke than the default"
          + " and takes \(Self.percent(best.diskBytes, of: usual.diskBytes)) bytes on disk.\n"
      } else if best.packing == usual.packing {
        text += "The default is the best of these: nothing to change.\n"
      } else {
        text += "What is best on the one half is no better than the default on the other: nothing to change.\n"
      }
      return text + command + "\n"
    }

    /// `12.3 % fewer`, `4.0 % more`.
    private static func percent(_ value: Int, of other: Int) -> String {
      guard other > 0 else { return value == 0 ? "as many" : "more" }
      // Sums of bytes are far below what would overflow.
      return decimal(abs(value - other) * 1000 / other, places: 1) + (value < other ? " % fewer" : " % more")
    }

    private static func decimal(_ value: Int, places: Int) -> String {
      var unit = 1
      for _ in 0..<places { unit *= 10 }
      let rest = String(value % unit)
      return "\(value / unit)." + String(repeating: "0", count: places - rest.utf8.count) + rest
    }

    fileprivate func json(_ options: PlanOptions, command: String) -> String {
      func figures(_ played: ReplayFigures) -> String {
        "{\"sessions\":\(played.sessions),\"keystrokes\":\(played.keystrokes),\"loads\":\(played.loads),"
          + "\"loaded_bytes\":\(played.loadedBytes),\"loaded_bytes_p99\":\(played.loadedBytesP99),"
          + "\"resident_bytes\":\(played.residentBytes)}"
      }
      let rows = candidates.map { row in
        "{\"shard_bytes\":\(row.packing.shardBytes),\"part_bytes\":\(row.packing.partBytes),\"files\":\(row.files),"
          + "\"mean_shard_bytes\":\(row.meanShardBytes),\"bytes\":\(row.bytes),\"disk_bytes\":\(row.diskBytes),\"directory_bytes\":\(row.directoryBytes),"
          + "\"default\":\(row.packing == usual.packing),\"best\":\(row.packing == best.packing),"
          + "\"chosen\":\(row.packing == choice.packing),\"choosing\":\(figures(row.choosing)),"
          + "\"held_out\":\(figures(row.heldOut))}"
      }
      return "{\"cache_bytes\":\(options.cacheLimitBytes),\"rows\":\(options.rows),"
        + "\"max_disk_bytes\":\(diskLimitBytes),\"candidates\":[\(rows.joined(separator: ","))],"
        + "\"is_default\":\(!isConfirmed),\"command\":\(JSONText.string(command))}\n"
    }
  }

  extension PlanError {
    fileprivate var exitStatus: ExitStatus {
      switch self {
      // What this user may not read is as good as not there.
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

  /// `3M` or `+5%`.
  struct DiskLimit: ExpressibleByArgument {
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

  /// Sizes with commas between.
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

    var description: String { sizes.map { ByteSize(bytes: $0).defaultValueDescription }.joined(separator: ",") }
  }

  /// Whether a signal has come that ends the process.
  private let isEnding = Atomic<Bool>(false)

  /// Signals that end the process, and what has to be removed first.
  private enum EndingSignals {
    private static let numbers = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU]

    /// From now on a signal that ends the process removes `directory` before. No other thread may have been started.
    static func remove(_ directory: WorkDirectory) {
      var set = sigset_t()
      sigemptyset(&set)
      for number in numbers {
        var action = sigaction()
        sigaction(number, nil, &action)
        if !isIgnored(action) { sigaddset(&set, number) }
      }
      // Threads that are started later hold them back as well: the one that waits for them gets them.
      pthread_sigmask(SIG_BLOCK, &set, nil)
      // What cannot be written any more, or no further, is an error like any other.
      signal(SIGPIPE, SIG_IGN)
      signal(SIGXFSZ, SIG_IGN)
      let waiting = set
      let thread = Worker {
        var waiting = waiting
        var number: CInt = 0
        guard sigwait(&waiting, &number) == 0 else { return }
        isEnding.store(true, ordering: .sequentiallyConsistent)
        directory.remove()
        signal(number, SIG_DFL)
        pthread_sigmask(SIG_UNBLOCK, &waiting, nil)
        raise(number)
      }
      // Without a thread they end the process as ever, and what is left is removed by the next that plans.
      if thread == nil { pthread_sigmask(SIG_UNBLOCK, &set, nil) }
    }

    /// Does not return when a signal is about to end the process: what fails then fails for want of the directory.
    static func yield() { while isEnding.load(ordering: .sequentiallyConsistent) { pause() } }

    private static func isIgnored(_ action: sigaction) -> Bool {
      #if canImport(Glibc)
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
      #elseif canImport(Musl)
        unsafeBitCast(action.__sa_handler.sa_handler, to: Int.self) == 1
      #else
        unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == 1
      #endif
    }
  }
#endif
