#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardedIndex

  import CLibrary

  /// The format of the figures.
  enum FootprintFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json
  }

  struct FootprintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "footprint",
      abstract: "Measure memory, start and speed of shardq and of other designs.",
      usage: "shardq footprint [<options>]",
      discussion: """
        EXAMPLES:
          shardq footprint                           ./shards, typing made up
          shardq footprint --dataset products.csv --key '{name}, {brand}'
          shardq footprint --log typed.log --svg memory.svg
          shardq footprint --designs sqlite,trie --format json
          shardq footprint --designs none --max-rss 12MB --max-start 5

        The last example is for CI: its exit status is 1 if shardq exceeds a limit.

        footprint replays one query log through every design, each in a process of its own, and compares \
        the answers. The kernel reports peak and private memory, faults and bytes read of each process. \
        The start is the time from before the process starts to its first answer. The median and p99 are \
        those of the times of answers, one for each key. The pauses of the log are skipped. A log has a \
        line for each change of the search box: milliseconds, a tab, the text.

        Designs: \(FootprintDesign.others.map(\.name).joined(separator: ", ")).

        DOCUMENTATION:
          man shardq-footprint, docs/footprint.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation

    @Option(
      name: .customLong("dataset"),
      help: ArgumentHelp(
        "A dataset to measure instead of an index; footprint builds an index of it.", valueName: "file"),
      completion: .file())
    var dataset: String?

    @OptionGroup(title: "Dataset") var input: InputOptions

    @Option(
      name: .customLong("log"),
      help: ArgumentHelp("A query log, - for standard input (default: made-up typing).", valueName: "file"),
      completion: .file())
    var log: String?

    @Option(name: .customLong("seed"), help: ArgumentHelp("The seed of made-up typing (default: 1).", valueName: "n"))
    var seed: UInt64?

    @Option(
      name: .customLong("typing"),
      help: ArgumentHelp("The number of made-up keys (default: 1000).", valueName: "n"))
    var keystrokes: Int?

    @Option(
      name: .customLong("designs"),
      help: ArgumentHelp("The other designs to measure, or none (default: all).", valueName: "a,b"))
    var designs: NameList?

    @Option(name: .customLong("format"), help: "table prints figures and a chart, json prints the same figures.")
    var format = FootprintFormat.table

    @Flag(name: .customLong("json"), help: "The same as --format json.")
    var isJSON = false

    @Flag(name: .customLong("no-progress"), help: "Show no progress; without a terminal there is none.")
    var hidesProgress = false

    @Option(
      name: .customLong("max-rss"),
      help: ArgumentHelp("The limit of shardq's peak resident memory.", valueName: "bytes"))
    var maxResident: ByteSize?

    @Option(
      name: .customLong("max-start"),
      help: ArgumentHelp("The limit of the time from shardq's start to its first answer.", valueName: "ms"))
    var maxStart: Double?

    @Option(
      name: .customLong("svg"),
      help: ArgumentHelp("The file for a chart of memory over the session.", valueName: "file"),
      completion: .file())
    var svg: String?

    func validate() throws {
      if dataset != nil, location.index != nil {
        throw ValidationError("--dataset and --index exclude each other; leave out one")
      }
      if dataset == nil, input.isSaid {
        throw ValidationError("the options of a dataset, such as --key, go with --dataset; add --dataset")
      }
      if log != nil, seed != nil || keystrokes != nil {
        throw ValidationError("--log excludes --seed and --typing; leave out --log or these two")
      }
      if let keystrokes, keystrokes < 1 { throw ValidationError("--typing must be at least 1") }
      if let maxStart, !(maxStart >= 0) || maxStart > 1e9 {
        throw ValidationError("--max-start must be a number of milliseconds")
      }
      if svg == "" { throw ValidationError("--svg is empty; name a file") }
      let known = FootprintDesign.others.map(\.name)
      for name in designs?.names ?? [] where !known.contains(name) && name != "none" && name != FootprintDesign.own {
        throw ValidationError("--designs: there is no \(name); choose \(known.joined(separator: ", ")), none")
      }
    }

    func run() throws {
      StopSignal.listen()
      guard let scratch = ScratchDirectory() else {
        Diagnostics.report("cannot make a temporary directory: \(String(cString: strerror(errno))); set TMPDIR")
        finish(.inputOutput)
      }
      let progress = FootprintProgress(isWanted: !hidesProgress && UserSettings.current.showsProgress)
      do throws(CommandFailure) {
        let report = try measure(scratch.path, progress)
        progress.clear()
        scratch.remove()
        if let svg {
          let plot = MemoryPlot(report.rows, keyCount: report.keyCount).svg
          try writeFile(Array(plot.utf8), to: svg, O_TRUNC, shown: svg)
        }
        var output = Output()
        do throws(WriteError) {
          switch isJSON ? .json : format {
          case .json: try output.write(report.json)
          case .table:
            try output.write(report.table)
            let plot = MemoryPlot(report.rows, keyCount: report.keyCount)
            try output.write("\n" + plot.text(isUTF8: MemoryPlot.isUTF8Terminal ?? false))
          }
          try output.flush()
        } catch {
          finish(Diagnostics.failed(error))
        }
        let missed = report.gates.filter { !$0.isPassed }
        for gate in missed { Diagnostics.report(gate.failure) }
        finish(missed.isEmpty ? .done : .negative)
      } catch {
        progress.clear()
        scratch.remove()
        if StopSignal.number != 0 { StopSignal.end() }
        if !error.message.isEmpty { Diagnostics.report(error.message) }
        finish(error.status)
      }
    }

    private func measure(_ scratch: String, _ progress: FootprintProgress) throws(CommandFailure) -> FootprintReport {
      if dataset != nil { progress.show("building an index") }
      let path = try indexPath(scratch)
      let opened: ShardedIndex
      do throws(IndexError) { opened = try ShardedIndex(opening: path) } catch { throw CommandFailure(error) }
      let typed = try writeLog(to: scratch + "/log", opened)
      let names = designs?.names.filter { $0 != "none" && $0 != FootprintDesign.own }
      var run = try FootprintRun(
        index: path, log: scratch + "/log", keyCount: typed.keyCount, scratch: scratch, wanted: names,
        progress: progress)
      try run.run()
      var report = FootprintReport(
        index: dataset ?? opened.path, recordCount: opened.recordCount, logName: self.log ?? "seed \(seed ?? 1)",
        keyCount: typed.keyCount, sessionCount: typed.sessionCount, rows: run.rows, leftOut: run.leftOut, gates: [])
      let own = run.rows[0]
      if let maxResident {
        report.gates.append(
          .init(
            name: "peak resident memory", option: "--max-rss", limit: Double(maxResident.bytes),
            value: Double(own.peakResident)
          ) { "\(QueryRunner.grouped(Int($0))) bytes" })
      }
      if let maxStart {
        report.gates.append(
          .init(
            name: "start to first answer", option: "--max-start", limit: maxStart, value: Double(own.start) / 1e6
          ) { FootprintReport.decimal($0, 2) + " ms" })
      }
      return report
    }

    /// Returns the directory of the index to measure. For a dataset a process of its own builds one.
    private func indexPath(_ scratch: String) throws(CommandFailure) -> String {
      guard let dataset else { return location.path }
      let arguments = ["build", dataset, "--index", scratch + "/index"] + input.words
      let built: ChildProcess
      let own = try InstalledProgram.ownPath()
      do throws(ChildProcess.ProcessError) {
        built = try ChildProcess.run(own, arguments)
      } catch {
        throw CommandFailure(status: .inputOutput, message: "")
      }
      guard built.status == 0 else {
        throw CommandFailure(
          status: ExitStatus(rawValue: built.status) ?? .inputOutput,
          message: built.errors.hasPrefix("shardq: ") ? String(built.errors.dropFirst(8)) : built.errors)
      }
      return scratch + "/index"
    }

    /// Writes the log that every process reads: a checked copy of `--log`, or made-up typing.
    private func writeLog(to path: String, _ index: ShardedIndex) throws(CommandFailure) -> TypedLog {
      var typed = try TypedLog(path)
      if let log {
        try typed.copy(log)
      } else {
        try typed.makeUp(for: index, seed: seed ?? 1, keyCount: keystrokes ?? 1000)
      }
      try typed.end()
      guard typed.keyCount > 0 else {
        throw CommandFailure(
          status: .badData,
          message: log.map { "\($0) has no text; name a log with typed texts" }
            ?? "\(index.path) has no key that can be typed; name another index")
      }
      return typed
    }
  }
#endif
