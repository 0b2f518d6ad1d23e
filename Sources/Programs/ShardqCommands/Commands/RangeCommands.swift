#if CommandLineTool
  import Answers
  import ArgumentParser
  import CLibrary
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  struct WriteRangeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "write-range",
      abstract: "Write the ranges of standard input, and print a row for each.",
      usage: """
        shardq write-range --plan <file> --output <target> [<options>]
        shardq write-range --plan <file> --output <index> --over <index> ...
        """,
      discussion: """
        EXAMPLES:
          shardq write-range --plan plan --output /shared/cities < lines > rows
          shardq write-range --plan plan --output s3://bucket/cities/ < lines > rows
          grep '^entry' rows | cut -f 2- |
            shardq write-range --plan plan --output /shared/cities --entries >> rows
          seq 0 3 | shardq write-range --plan plan --over /shared/cities \\
            --output /shared/cities --upsert day.jsonl --delete gone.csv > rows

        Standard input has the lines of `shardq key` in any order: all lines of each range that it has. \
        Each range becomes an index of its own in the target. write-range prints the row of a range when \
        all files of the range are there. If a process is killed, write its ranges again: no row names \
        the files that it left. A line `summary` follows each row, with the records, bytes and seconds of \
        the range.

        Words and other names have entries, which belong to ranges of their own. Rows that begin with \
        `entry` and a tab are entries. Without that first column, these rows are the input of \
        `write-range --entries`.

        With --over and a plan over that index, write-range writes ranges of the index with the changes: \
        all changes of the job, the same for each process. Standard input has the numbers of the ranges, \
        one a line. The target is the place of the index. With --entries, --over saves the writing of \
        entries that the index has.

        DOCUMENTATION:
          man shardq-write-range, docs/distributed.md
        """)

    @OptionGroup var plan: PlanOption

    @Option(
      name: [.customShort("o"), .customLong("output")],
      help: ArgumentHelp("A directory that all machines reach, or s3://bucket/prefix/.", valueName: "target"),
      completion: .directory)
    var target: String

    @Flag(name: .customLong("entries"), help: "Read lines of entries.")
    var isOfEntries = false

    @OptionGroup var over: OverOption
    @OptionGroup var changes: ChangeOptions
    @OptionGroup(title: "Dataset of changes") var reading: ReadingOptions
    @OptionGroup(title: "Store") var store: StoreTargetOptions
    @OptionGroup(title: "Resources") var resources: ResourceOptions
    @OptionGroup(title: "Output") var output: JobOutputOptions
    @OptionGroup(title: "Output") var progress: JobProgressFlag

    func validate() throws {
      guard let index = over.index else {
        if changes.isSaid || !reading.words.isEmpty {
          throw ValidationError("changes need --over, the index that they change")
        }
        return
      }
      if isOfEntries, changes.isSaid {
        throw ValidationError("standard input has the entries after the changes; leave out --upsert and --delete")
      }
      if !isOfEntries, !changes.isSaid {
        throw ValidationError("there are no changes; name a file with --upsert or --delete")
      }
      if changes.readsInput { throw ValidationError("standard input has the ranges; name files of changes") }
      if RemoteIndex.isURL(index) != StoreTargetOptions.isURL(target) {
        throw ValidationError("--output must be the place of the index: its directory, or s3:// for a URL")
      }
    }

    func run() throws {
      var options = BuildOptions()
      reading.apply(to: &options)
      resources.apply(to: &options)
      let update = RangeChanges(upsert: changes.upsert, delete: changes.delete, options: options)
      if StoreTargetOptions.isURL(target) {
        store.run(.writeRange, target, plan, options, progress) {
          $0.isOfEntries = isOfEntries
          $0.update = over.index.map { ($0, isOfEntries ? nil : update) }
        }
      }
      let bar = progress.bar(of: Self.configuration.commandName!)
      if let index = over.index {
        return RangeLines.run(bar) { (lines) throws(BuildError) in
          let index = try BuildError.ofIndex { () throws(IndexError) in try ShardedIndex(opening: index) }
          try ShardBuilder.writeRanges(
            plan.read(), of: "-", over: index, isOfEntries ? nil : update, to: DirectoryTarget(target),
            resources: options, progress: { bar?.show(ProgressBar.Step($0)) }, write: { lines.write($0) })
        }
      }
      RangeLines.run(bar) { [options] (lines) throws(BuildError) in
        let (plan, target) = (try plan.read(), try DirectoryTarget(target))
        let write = isOfEntries ? ShardBuilder.writeEntryRanges : ShardBuilder.writeRanges
        try write(plan, "-", target, options, { bar?.show(ProgressBar.Step($0)) }, { lines.write($0) })
      }
    }
  }

  /// The options of the changes of an index.
  struct ChangeOptions: ParsableArguments {
    @Option(
      name: .customLong("upsert"),
      help: ArgumentHelp("A file of new and changed records, as for build.", valueName: "file"),
      completion: .file())
    var upsert: [String] = []

    @Option(
      name: .customLong("delete"),
      help: ArgumentHelp("A file of records to remove; only their ids are read.", valueName: "file"),
      completion: .file())
    var delete: [String] = []

    /// Whether there are any.
    var isSaid: Bool { !upsert.isEmpty || !delete.isEmpty }
    var readsInput: Bool { (upsert + delete).contains("-") }
  }

  struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "merge",
      abstract: "Merge written ranges into one index.",
      usage: "shardq merge --plan <file> --output <target> [<options>] <rows> ...",
      discussion: """
        EXAMPLES:
          shardq merge --plan plan --output /shared/cities rows
          shardq merge --plan plan -o s3://bucket/cities/ --records 50000000 rows*

        merge joins the ranges and cuts the records at their borders anew: the index has the same bytes \
        as an index that `shardq build` makes of all records. merge skips lines that begin with `entry` \
        or `summary`: pass it the whole output of `write-range`.

        DOCUMENTATION:
          man shardq-merge, docs/distributed.md
        """)

    @OptionGroup var plan: PlanOption

    @Option(
      name: [.customShort("o"), .customLong("output")],
      help: ArgumentHelp("The target of write-range.", valueName: "target"),
      completion: .directory)
    var target: String

    @Option(
      name: .customLong("records"),
      help: ArgumentHelp(
        "The number of records that the rows must have. With it, a range may have no record.", valueName: "n"))
    var records: Int?

    @Option(
      name: .customLong("repeated-ids"),
      help: ArgumentHelp(
        "The number of repeated ids of `key --ids` (default: not counted).", valueName: "n"))
    var repeatedIDs: Int?

    @Flag(name: .customLong("force"), help: "Replace an index that has another key.")
    var force = false

    @OptionGroup(title: "Store") var store: StoreTargetOptions
    @OptionGroup(title: "Resources") var resources: ResourceOptions
    @OptionGroup(title: "Output") var output: SummaryOptions
    @OptionGroup(title: "Output") var progress: JobProgressFlag

    @Argument(
      help: ArgumentHelp("The rows of write-range; - for standard input.", valueName: "rows"),
      completion: .file())
    var rows: [String]

    func validate() throws {
      if let records, records < 0 { throw ValidationError("--records must be at least 0") }
      if let repeatedIDs, repeatedIDs < 0 { throw ValidationError("--repeated-ids must be at least 0") }
      if rows.count(where: { $0 == "-" }) > 1 {
        throw ValidationError("standard input can be read only once; leave out one -")
      }
    }

    func run() throws {
      var options = BuildOptions()
      resources.apply(to: &options)
      options.replacesOtherIndex = force
      if StoreTargetOptions.isURL(target) {
        store.run(.merge, target, plan, options, progress, output) {
          ($0.rows, $0.records, $0.repeatedIDs) = (rows, records, repeatedIDs)
        }
      }
      let bar = progress.bar(of: Self.configuration.commandName!)
      RangeLines.run(bar) { [options] (_) throws(BuildError) in
        let summary = try ShardBuilder.merge(
          plan.read(), rows: rows, records: records, repeatedIDs: repeatedIDs, in: DirectoryTarget(target),
          resources: options, progress: { bar?.show(ProgressBar.Step(merging: $0)) })
        bar?.clear()
        report(summary)
      }
    }

    private func report(_ summary: ShardBuilder.MergeSummary) {
      guard !output.isJSON else {
        var report = Report(of: "merge")
        report.add("index", .text(target))
        report.add("ranges", .number(summary.ranges))
        report.add("records", .number(summary.records))
        report.add("records_cut_anew", .number(summary.recordsCutAnew))
        report.add("shards", .number(summary.shards))
        report.add("bytes", .number(summary.bytes))
        report.add("digest", .text(summary.digest))
        return report.print(.json)
      }
      let (counted, number) = (QueryRunner.counted, QueryRunner.grouped)
      output.note(
        "\(counted(summary.records, "record", nil)) of \(counted(summary.ranges, "range", nil)) in the index, "
          + "\(number(summary.recordsCutAnew)) cut anew at borders, \(counted(summary.shards, "shard", nil)), digest "
          + summary.digest)
    }
  }

  /// The options of a target in a store.
  struct StoreTargetOptions: ParsableArguments {
    @OptionGroup var grace: StoreGrace

    @Flag(
      name: .customLong("single-writer"),
      help: "Promise that nobody else publishes there: then the store needs no create-if-absent.")
    var isSingleWriter = false

    static func isURL(_ target: String) -> Bool { target.hasPrefix("s3://") }

    func run(
      _ command: StoreRequest.Command, _ target: String, _ plan: PlanOption, _ options: BuildOptions,
      _ progress: JobProgressFlag, _ summary: SummaryOptions? = nil,
      _ change: (inout StoreRequest.RangeArguments) -> Void
    ) -> Never {
      RemoteWork.needed()
      var request = StoreRequest(command, target)
      request.isSingleWriter = isSingleWriter
      do throws(BuildError) {
        var ranges = StoreRequest.RangeArguments(try plan.read(), options)
        change(&ranges)
        request.ranges = ranges
      } catch {
        Diagnostics.report(error.text)
        finish(error.exitStatus)
      }
      request.run(grace, summary, bar: progress.bar(of: command.rawValue))
    }
  }

  /// Standard output of a command that writes lines for other programs.
  final class RangeLines {
    private var output = Output()
    private let bar: ProgressBar?

    init(_ bar: ProgressBar? = nil) { self.bar = bar }

    /// Runs a command, and ends the process with its status where it fails.
    static func run(_ bar: ProgressBar?, _ body: (RangeLines) throws(BuildError) -> Void) {
      let lines = RangeLines(bar)
      // Before the first bytes come, a line tells that the command waits for them.
      bar?.show(ProgressBar.Step("reading", 0, of: nil, isBytes: true))
      do throws(BuildError) {
        try body(lines)
        bar?.clear()
        lines.end()
      } catch {
        bar?.clear()
        Diagnostics.report(error.text)
        finish(error.exitStatus)
      }
    }

    func write(_ bytes: [UInt8]) {
      bar?.clear()  // Standard output may be the same terminal.
      checking { (output) throws(WriteError) in try output.write(bytes) }
    }

    func end() { checking { (output) throws(WriteError) in try output.flush() } }

    /// A reader that has gone wants no more of it.
    private func checking(_ body: (inout Output) throws(WriteError) -> Void) {
      do throws(WriteError) { try body(&output) } catch { finish(Diagnostics.failed(error)) }
    }

    /// Where a sample is sorted.
    static var temporaryDirectory: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }
  }

  extension RangePlan.Program {
    /// `shardq-commands` of this installation, whichever program runs.
    static func own() throws(BuildError) -> Self {
      let name = "shardq-commands"
      guard let own = InstalledProgram.ownPath(startedAs: CommandLine.arguments[0]),
        case let path? = RemoteWork.own == nil
          ? own
          : InstalledProgram.paths(of: name, beside: InstalledProgram.directory(of: own)).first(where: {
            access($0, X_OK) == 0
          })
      else {
        throw .io(operation: "find", path: RemoteWork.own == nil ? CommandLine.arguments[0] : name, errno: ENOENT)
      }
      return try Self(version: ProductVersion.text, executable: path)
    }
  }
#endif
