#if CommandLineTool
  import Answers
  import ArgumentParser
  import CLibrary
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  struct PlanRangesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "plan-ranges",
      abstract: "Plan the build of an index by many machines.",
      usage: """
        shardq plan-ranges --ranges <n> [<options>] <sample> ... > plan
        shardq plan-ranges --ranges <n> --over <index> > plan
        """,
      discussion: """
        EXAMPLES:
          shardq plan-ranges --ranges 64 --weight population sample.jsonl > plan
          shardq key --plan plan < part.jsonl             range, tab, record
          shardq write-range --plan plan --output /shared/cities < lines > rows
          shardq merge --plan plan --output /shared/cities rows*
          shardq plan-ranges --ranges 64 --over s3://bucket/cities/ > plan

        The plan has the options of the build and the keys at which ranges begin. The merged index has \
        the same bytes as an index that `shardq build` makes of all records. The sample is all records \
        or a random choice of them: JSON lines, GeoNames dumps, lines, or TSV files without a header \
        line and with --columns.

        A plan over an index is for a long list of changes: it has the settings of the index, and \
        `write-range --over` takes it.

        DOCUMENTATION:
          man shardq-plan-ranges, docs/distributed.md
        """)

    @OptionGroup(title: "Dataset") var input: InputOptions
    @OptionGroup(title: "Ranking") var ranking: RankingOptions
    @OptionGroup(title: "Index") var layout: LayoutOptions

    @Option(
      name: .customLong("ranges"),
      help: ArgumentHelp("The number of ranges: several for each process that writes.", valueName: "n"))
    var ranges: Int

    @OptionGroup var over: OverOption

    @OptionGroup(title: "Resources") var resources: ResourceOptions
    @OptionGroup(title: "Output") var output: JobOutputOptions
    @OptionGroup(title: "Output") var progress: JobProgressFlag

    @Argument(
      help: ArgumentHelp("Files of records, plain, .gz or .zst; - for standard input.", valueName: "sample"),
      completion: .file())
    var samples: [String] = []

    func validate() throws {
      if over.index == nil, samples.isEmpty {
        throw ValidationError("name a sample of the records, or - for standard input")
      }
      if over.index != nil, !samples.isEmpty || RangePlan.differs(buildOptions) {
        throw ValidationError("--over takes the settings of the index; leave out samples and options of the build")
      }
      if ranges < 1 || ranges > RangePlan.rangeLimit {
        throw ValidationError("--ranges must be from 1 to \(QueryRunner.grouped(RangePlan.rangeLimit))")
      }
    }

    private var buildOptions: BuildOptions {
      var options = BuildOptions()
      input.apply(to: &options)
      ranking.apply(to: &options)
      layout.apply(to: &options)
      resources.apply(to: &options)
      return options
    }

    private func run(over index: String) {
      let note: @Sendable (RangePlan) -> Void = { [ranges] plan in
        guard plan.bounds.count + 1 < ranges else { return }
        Diagnostics.note("the plan has \(plan.bounds.count + 1) ranges: the index has too few shards for more")
      }
      if RemoteIndex.isURL(index) {
        RemoteWork.needed()
        var request = StoreRequest(.planRanges, index)
        RangeLines.run(nil) { (_) throws(BuildError) in
          request.plan = .init(ranges: ranges, program: try .own()) { plan in
            note(plan)
            let lines = RangeLines()
            lines.write(plan.text)
            lines.end()
          }
        }
        request.run(nil, nil, bar: nil)
      }
      RangeLines.run(nil) { [ranges] (lines) throws(BuildError) in
        let index = try BuildError.ofIndex { () throws(IndexError) in try ShardedIndex(opening: index) }
        let plan = try ShardBuilder.planRanges(over: index, ranges: ranges, program: .own())
        note(plan)
        lines.write(plan.text)
      }
    }

    func run() throws {
      if let index = over.index { return run(over: index) }
      let options = buildOptions
      let bar = progress.bar(of: Self.configuration.commandName!)
      RangeLines.run(bar) { [options] (lines) throws(BuildError) in
        var skews: [RangeSkew] = []
        var sample = BuildSummary()
        let plan = try ShardBuilder.planRanges(
          samples, ranges: ranges, options: options, program: .own(), in: RangeLines.temporaryDirectory,
          progress: { bar?.show(ProgressBar.Step($0)) }, reportSkew: { skews.append($0) }, report: { sample = $0 })
        bar?.clear()
        for note in [BuildReport.leftOut(sample.recordsLeftOut), BuildReport.emptyKeys(sample)] {
          if let note { Diagnostics.note("in the sample, " + note) }
        }
        for skew in skews { Diagnostics.note(skew.note) }
        if plan.bounds.count + 1 < ranges {
          Diagnostics.note("the plan has \(plan.bounds.count + 1) ranges: the sample has too few keys for more")
        }
        lines.write(plan.text)
      }
    }
  }

  /// The option of the index that a job changes.
  struct OverOption: ParsableArguments {
    @Option(
      name: .customLong("over"),
      help: ArgumentHelp("An index to change: a directory, s3://bucket/prefix/ or an https URL.", valueName: "index"),
      completion: .directory)
    var index: String?
  }

  /// The option of the plan that a process follows.
  struct PlanOption: ParsableArguments {
    @Option(
      name: .customLong("plan"), help: ArgumentHelp("The plan that plan-ranges printed.", valueName: "file"),
      completion: .file())
    var path: String

    func read() throws(BuildError) -> RangePlan { try RangePlan(reading: path, for: .own()) }
  }

  struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "key",
      abstract: "Print each record of standard input with its range before it.",
      usage: "shardq key --plan <file> < records > lines",
      discussion: """
        EXAMPLES:
          shardq key --plan plan < part.jsonl > lines
          shardq key --plan plan --ids < part.jsonl | sort | uniq -d

        Each line of output has a range, a tab and the unchanged record. One `shardq write-range` needs \
        all lines of a range: any program that groups lines by a column brings them together.

        DOCUMENTATION:
          man shardq-key, docs/distributed.md
        """)

    @OptionGroup var plan: PlanOption

    @Flag(
      name: .customLong("ids"),
      help: "Print only a number made from each record's id, so that another program can count repeated ids.")
    var ids = false

    @OptionGroup(title: "Output") var output: JobOutputOptions
    @OptionGroup(title: "Output") var progress: JobProgressFlag

    func run() throws {
      let (bar, start) = (progress.bar(of: Self.configuration.commandName!), Clock.now)
      RangeLines.run(bar) { (lines) throws(BuildError) in
        let summary = try ShardBuilder.writeRangeKeys(
          plan.read(), of: "-", ids: ids, progress: { bar?.show(ProgressBar.Step($0)) }, write: { lines.write($0) })
        bar?.clear()
        if let text = BuildReport.leftOut(summary.leftOut) { Diagnostics.note(text) }
        if summary.bad > 0 { Diagnostics.note("\(QueryRunner.counted(summary.bad, "bad record", nil)) left out") }
        // The note goes to standard error, because `write-range` reads standard output as records.
        let counted = QueryRunner.counted
        Diagnostics.note(
          "\(counted(summary.records, "record", nil)) in \(counted(summary.bytes, "byte", nil)), "
            + "\(Clock.seconds(Clock.now - start)) s")
      }
    }
  }
#endif
