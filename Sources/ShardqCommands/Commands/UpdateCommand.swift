#if CommandLineTool
  import ArgumentParser
  import CLibrary
  import QueryOutput
  import ShardBuilder

  struct UpdateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "update",
      abstract: "Change some records of an index.",
      usage: """
        shardq update [<options>] --upsert <file>
        shardq update [<options>] --delete <file>
        shardq update [<options>] --merge
        """,
      discussion: """
        EXAMPLES:
          shardq update --upsert changed.json      new and changed records, with ids
          shardq update --delete gone.csv          ids, under the field's name
          shardq update -i places --upsert new.jsonl --delete old.jsonl
          printf '_id\\n5391811\\n' | shardq update --input-format csv --delete -
          shardq update --overlay --upsert one.json    beside the shards, and faster
          shardq update --merge                    writes the overlay into shards

        The id is the field that --id named when the index was built: _id for the city \
        list, geonameid for GeoNames. Ids are compared as text: 1 and "1" are the \
        same, 1.0 is another. A change without an id, or with one that is blank, null, \
        an array or an object, is a bad record. A record that is upserted replaces all \
        that have its id, and replaces them whole: fields that it lacks are gone, and \
        what comes from csv or tsv is text, also where the index had a number. The \
        index becomes what a build of the changed dataset makes, byte for byte; only \
        shards with changes are written. An update that fails leaves it as it was.

        With --overlay the changes are left beside the shards, in the file overlay, up \
        to 64 KiB: answers are the same. Any update without it writes them into \
        shards; so does one with more changes than that.

        An index that was built with --weights needs the file again: upserted records \
        take their weights from it. To change a weight, upsert the record.

        DOCUMENTATION:
          man shardq-update, docs/datasets.md, docs/live-readers.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation

    @Option(
      name: .customLong("upsert"),
      help: ArgumentHelp(
        "A file of new and changed records, as for build; - for standard input.",
        valueName: "file"),
      completion: .file())
    var upsert: [String] = []

    @Option(
      name: .customLong("delete"),
      help: ArgumentHelp("A file of records to remove, of which only the ids are read.", valueName: "file"),
      completion: .file())
    var delete: [String] = []

    @Option(
      name: .customLong("weights"),
      help: ArgumentHelp("The file of weights, for an index that was built with one.", valueName: "file"),
      completion: .file())
    var weights: String?

    @OptionGroup(title: "Dataset") var reading: ReadingOptions

    @Flag(name: .customLong("overlay"), help: "Leave few changes beside the shards, to be merged later.")
    var overlay = false

    @Flag(name: .customLong("merge"), help: "Write what the overlay changes into shards, with or without new changes.")
    var merge = false

    @OptionGroup(title: "Resources") var resources: ResourceOptions
    @OptionGroup(title: "Output") var summary: SummaryOptions
    @OptionGroup(title: "Output") var progress: ProgressOptions

    func validate() throws {
      if upsert.isEmpty, delete.isEmpty, !merge {
        throw ValidationError("Name a file with --upsert or --delete, or --merge an overlay.")
      }
      if overlay, merge { throw ValidationError("--overlay and --merge exclude each other.") }
      if (upsert + delete + [weights].compactMap { $0 }).filter({ $0 == "-" }).count > 1 {
        throw ValidationError("Standard input can be read once only.")
      }
    }

    func run() throws {
      var options = BuildOptions()
      reading.apply(to: &options)
      options.writesOverlay = overlay
      options.weightsFile = weights
      resources.apply(to: &options)
      let directory = location.path
      let (made, steps): (BuildSummary, BuildSteps)
      do throws(BuildError) {
        (made, steps) = try BuildReport.running(progress) { show throws(BuildError) in
          try ShardBuilder.update(directory, upsert: upsert, delete: delete, options: options) {
            show(BuildReport.step($0))
          }
        }
      } catch {
        Diagnostics.report(error.text)
        finish(error.exitStatus)
      }
      report(made, steps, directory)
    }

    private func report(_ made: BuildSummary, _ steps: BuildSteps, _ directory: String) {
      BuildReport.note(bad: made)
      for input in made.emptyInputs { Diagnostics.note(input) }
      summary.note(
        BuildReport.changes(
          read: made.recordsRead, bad: made.badRecordCount, replaced: made.recordsRemoved,
          records: made.recordsIndexed, idsNotFound: made.idsNotFound))
      if let found = made.weightsFound, let file = weights {
        let records = QueryRunner.counted(found, "changed record", nil)
        summary.note("weights: \(records) found in \(BuildReport.inputName(file))")
      }
      if let bytes = made.overlayBytes {
        summary.note(
          BuildReport.overlay(of: bytes, beside: made.shardCount, in: directory, isUnchanged: made.isUnchanged))
      } else {
        summary.note(BuildReport.written(made, directory, milliseconds: steps.milliseconds))
      }
      if progress.isVerbose { summary.note(steps.text) }
      guard summary.isJSON else { return }
      var report = Report(of: "update")
      report.add("index", .text(directory))
      report.add("changes_read", .number(made.recordsRead))
      report.add("bad_records", .number(made.badRecordCount))
      report.add("records_removed", .number(made.recordsRemoved))
      report.add("ids_not_found", .number(made.idsNotFound))
      BuildReport.add(made, steps, to: &report)
      if let bytes = made.overlayBytes { report.add("overlay_bytes", .number(bytes)) }
      report.print(.json)
    }
  }

  /// The options that limit what a build takes of the machine.
  struct ResourceOptions: ParsableArguments {
    @Option(name: .customLong("memory"), help: ArgumentHelp("The most memory to use.", valueName: "size"))
    var memory = ByteSize(bytes: BuildOptions().memoryBytes)

    @Option(
      name: .customLong("jobs"),
      help: ArgumentHelp("Threads to use (default: one per processor).", valueName: "n"))
    var jobs: Int?

    func validate() throws {
      if let jobs, jobs < 1 { throw ValidationError("--jobs must be at least 1.") }
      if memory.bytes < 1 << 20 { throw ValidationError("--memory must be at least 1MiB.") }
    }

    func apply(to options: inout BuildOptions) {
      options.memoryBytes = memory.bytes
      if let jobs { options.jobs = jobs }
    }
  }

  /// The steps of a build or a check, and how long each took.
  final class BuildSteps {
    private let start = Clock.now
    private var steps: [(name: String, start: Int)] = []
    /// The time of all of it.
    private(set) var milliseconds = 0

    func enter(_ name: String) {
      if name != steps.last?.name { steps.append((name, Clock.now)) }
    }

    func end() { milliseconds = Clock.now - start }

    var text: String {
      let ends = steps.dropFirst().map(\.start) + [start + milliseconds]
      let parts = zip(steps, ends).map { "\($0.name) \(Clock.seconds($1 - $0.start)) s" }
      return (parts + ["in all \(Clock.seconds(milliseconds)) s"]).joined(separator: ", ")
    }
  }

  /// The notes of builds and updates.
  enum BuildReport {
    /// Runs work with a progress bar, and measures its steps.
    static func running<Summary, Failure>(
      _ options: ProgressOptions, _ work: (@escaping (ProgressBar.Step) -> Void) throws(Failure) -> Summary
    ) throws(Failure) -> (summary: Summary, steps: BuildSteps) {
      let bar = options.bar
      defer { bar?.clear() }
      let steps = BuildSteps()
      let summary = try work {
        steps.enter($0.name)
        bar?.show($0)
      }
      steps.end()
      return (summary, steps)
    }

    /// Returns the step of a build for the progress bar.
    static func step(_ progress: BuildProgress) -> ProgressBar.Step {
      switch progress.phase {
      case .reading:
        ProgressBar.Step("reading", progress.done, of: progress.total, isBytes: true, records: progress.records)
      case .sorting: ProgressBar.Step("sorting", progress.records, of: nil)
      case .writing: ProgressBar.Step("writing", progress.done, of: progress.total)
      }
    }

    /// Returns the step of a pack, of an archive or of a repair.
    static func step(_ progress: FileProgress) -> ProgressBar.Step {
      let (name, unit) =
        switch progress.phase {
        case .packing: ("writing the pack", "file")
        case .applying: ("applying the pack", "file")
        case .archiving: ("writing the archive", "file")
        case .unarchiving: ("writing files", "file")
        case .comparing: ("comparing shards", "shard")
        case .verifying: ("checking shards", "shard")
        }
      return ProgressBar.Step(name, progress.done, of: progress.total, unit: unit)
    }

    /// The name of an input in a note.
    static func inputName(_ path: String) -> String { path == "-" ? "standard input" : printable(path) }

    static func note(bad summary: BuildSummary) {
      for note in summary.notes { Diagnostics.note(note.text) }
      for bad in summary.badRecords { Diagnostics.note(bad) }
      if summary.badRecordCount > summary.badRecords.count {
        Diagnostics.note(
          "\u{2026} and "
            + QueryRunner.counted(summary.badRecordCount - summary.badRecords.count, "more bad record", nil))
      }
    }

    /// The text about the changes that an update has read.
    static func changes(read: Int, bad: Int, replaced: Int, records: Int, idsNotFound: Int) -> String {
      let (number, counted) = (QueryRunner.grouped, QueryRunner.counted)
      var text = "\(counted(read, "change", nil)) read, \(number(bad)) bad; "
      text += "\(counted(replaced, "record", nil)) replaced or removed, \(number(records)) in the index"
      if idsNotFound > 0 { text += "; \(counted(idsNotFound, "id", nil)) to delete not found" }
      return text
    }

    /// The text about the overlay that an update has written.
    ///
    /// - Parameter bytes: The overlay's size; 0 if the index has none any more.
    static func overlay(of bytes: Int, beside shards: Int, in directory: String, isUnchanged: Bool) -> String {
      let written =
        isUnchanged
        ? "nothing changed, nothing written"
        : bytes > 0
          ? "an overlay of \(QueryRunner.counted(bytes, "byte", nil)) beside them"
          : "no overlay beside them any more"
      return "\(QueryRunner.counted(shards, "shard", nil)) in \(directory), \(written)"
    }

    /// The text about the shards that a build or an update has written.
    static func written(_ summary: BuildSummary, _ directory: String, milliseconds: Int) -> String {
      let (number, counted) = (QueryRunner.grouped, QueryRunner.counted)
      let written =
        summary.isUnchanged
        ? "nothing changed, nothing written"
        : "\(number(summary.shardsWritten)) of them written"
      return "\(counted(summary.shardCount, "shard", nil)) in \(directory), \(written); "
        + "\(counted(summary.bytes, "byte", nil)), \(Clock.seconds(milliseconds)) s"
    }

    /// Adds to a report the index that a build or an update has made.
    static func add(_ summary: BuildSummary, _ steps: BuildSteps, to report: inout Report) {
      report.add("records", .number(summary.recordsIndexed))
      if let found = summary.weightsFound { report.add("weights_found", .number(found)) }
      report.add("shards", .number(summary.shardCount))
      report.add("shards_written", .number(summary.shardsWritten))
      report.add("bytes", .number(summary.bytes))
      report.add("unchanged", .flag(summary.isUnchanged))
      report.add("milliseconds", .number(steps.milliseconds))
    }
  }
#endif
