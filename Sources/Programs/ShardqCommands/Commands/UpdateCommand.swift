#if CommandLineTool
  import Answers
  import ArgumentParser
  import CLibrary
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  struct UpdateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "update",
      abstract: "Change some records of an index.",
      usage: """
        shardq update [<options>] --upsert <file>
        shardq update [<options>] --delete <file>
        shardq update [<options>] --merge
        shardq update [<options>] s3://bucket/prefix/ --upsert <file>
        """,
      discussion: """
        EXAMPLES:
          shardq update --upsert changed.json      new and changed records, with ids
          shardq update --delete gone.csv          only their ids are read
          shardq update -i places --upsert new.jsonl --delete old.jsonl
          printf '_id\\n5391811\\n' | shardq update --input-format csv --delete -
          shardq update --overlay --upsert one.json    faster: into the overlay
          shardq update --merge                    write the overlay into shards
          shardq update s3://bucket/cities/ --upsert day.jsonl --delete gone.csv

        The id of a record is its text in the field that build --id named: _id for the city list, \
        geonameid for GeoNames. Ids are compared as text: 1 and "1" are the same, 1.0 is another. A \
        change without an id is a bad record, and so is a change whose id is blank, null, an array or an \
        object.

        An upserted record replaces all records that have its id, and all their fields: fields that it \
        lacks are gone. Values of csv and tsv are texts, also where the index had a number. The updated \
        index has the bytes of a build of the changed dataset; update writes only shards with changes. \
        An update compares the files that were changed after the last build with their digests, and \
        refuses damaged ones. An update that fails leaves the index as it was.

        With --overlay, update writes the changes into the overlay, a file of up to 64 KiB beside the \
        shards. Answers are the same. An update without --overlay, or with more changes, writes all of \
        them into the shards.

        With s3://bucket/prefix/, update reads the files of the newest generation there that the changes \
        touch, uploads the new files, and makes the next generation. If another publication comes first, \
        update tries again on the new generation, three times, unless it reads standard input.

        Changes that remove all records are refused without --allow-empty.

        An index that was built with --skip-empty-keys keeps that rule: an upserted record whose key has \
        no text is left out, and the records that have its id are removed.

        An index that was built with --weights needs the file of weights again: upserted records take \
        their weights from it. To change a weight, upsert the record.

        DOCUMENTATION:
          man shardq-update, docs/datasets.md, docs/live-readers.md, docs/remote.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation

    @Argument(help: ArgumentHelp("An index in a store, in the place of --index.", valueName: "url"))
    var url: String?

    @OptionGroup var changes: ChangeOptions

    @Option(
      name: .customLong("weights"),
      help: ArgumentHelp("The file of weights, for an index that was built with --weights.", valueName: "file"),
      completion: .file())
    var weights: String?

    @OptionGroup(title: "Dataset") var reading: ReadingOptions

    @Flag(
      name: .customLong("overlay"), help: "Write up to 64 KiB of changes into the overlay; a later update merges them.")
    var overlay = false

    @Flag(name: .customLong("merge"), help: "Write the overlay's changes into the shards, with or without new changes.")
    var merge = false

    @Flag(name: .customLong("allow-empty"), help: "Let the changes remove all records.")
    var allowsEmpty = false

    @Option(
      name: .customLong("over"),
      help: ArgumentHelp(
        "Read the index of a store from this URL, and write only to the store.", valueName: "url"))
    var over: String?

    @OptionGroup(title: "Store") var store: StoreTargetOptions
    @OptionGroup(title: "Resources") var resources: ResourceOptions
    @OptionGroup(title: "Output") var summary: SummaryOptions
    @OptionGroup(title: "Output") var progress: ProgressOptions

    func validate() throws {
      if let url {
        guard StoreTargetOptions.isURL(url) else {
          throw ValidationError("\(url) is no index in a store; name a directory with --index")
        }
        if location.index != nil { throw ValidationError("--index and \(url) exclude each other; leave out one") }
      }
      if url != nil || location.index.map(StoreTargetOptions.isURL) == true, overlay || merge {
        throw ValidationError("an index in a store has no overlay; leave out --overlay and --merge")
      }
      if over != nil, url == nil, location.index.map(StoreTargetOptions.isURL) != true {
        throw ValidationError("--over goes with an index in a store; name that as s3://bucket/prefix/")
      }
      if let over, !RemoteIndex.isURL(over) { throw ValidationError("--over \(over) is no URL") }
      if !changes.isSaid, !merge {
        throw ValidationError("there are no changes; name a file with --upsert or --delete, or add --merge")
      }
      if overlay, merge { throw ValidationError("--overlay and --merge exclude each other; leave out one") }
      if (changes.upsert + changes.delete + [weights].compactMap { $0 }).filter({ $0 == "-" }).count > 1 {
        throw ValidationError("standard input can be read only once; leave out one -")
      }
    }

    func run() throws {
      var options = BuildOptions()
      reading.apply(to: &options)
      options.writesOverlay = overlay
      options.weightsFile = weights
      resources.apply(to: &options)
      options.allowsEmpty = allowsEmpty
      let view = UpdateView(summary, progress, weights: weights)
      if let id = changes.delete.first(where: Self.isID) {
        Diagnostics.report(advice(id))
        finish(.notFound)
      }
      if let url = url ?? location.store {
        var request = StoreRequest(.update, url)
        request.isSingleWriter = store.isSingleWriter
        request.update = .init(
          over: over, upsert: changes.upsert, delete: changes.delete, options: options, view: view)
        request.run(store.grace, summary, bar: view.bar)
      }
      let directory = location.path
      let made: BuildSummary
      do throws(BuildError) {
        made = try ShardBuilder.update(
          directory, upsert: changes.upsert, delete: changes.delete, options: options
        ) { view.show($0) }
      } catch {
        view.clear()
        Diagnostics.report(error.text)
        finish(error.exitStatus)
      }
      view.report(made, directory)
    }

    /// Returns whether an argument of `--delete` is an id rather than a file.
    private static func isID(_ name: String) -> Bool {
      name != "-" && !name.contains("/") && !name.contains(".") && access(name, F_OK) != 0
    }

    private func advice(_ id: String) -> String {
      let path = location.pathOrURL
      let field = url == nil ? (try? ShardedIndex(opening: path))?.generation.manifest.setting("id") : nil
      let place = url ?? "-i \(printable(location.index ?? path))"
      return "there is no file \(id); --delete reads ids from a file: printf '\(field ?? "id")\\n\(id)\\n' | "
        + "shardq update \(place) --input-format csv --delete -"
    }
  }

  /// The progress bar of an update, and its summary.
  package final class UpdateView: @unchecked Sendable {  // Used by one thread at a time.
    private let (summary, weights): (SummaryOptions, String?)
    let bar: ProgressBar?
    private let isVerbose: Bool
    private let steps = BuildSteps()

    init(_ summary: SummaryOptions, _ progress: ProgressOptions, weights: String?) {
      (self.summary, self.weights, bar) = (summary, weights, progress.bar)
      isVerbose = progress.isVerbose
    }

    package func show(_ progress: BuildProgress) {
      let step = BuildReport.step(progress)
      steps.enter(step.name)
      bar?.show(step)
    }

    package func clear() { bar?.clear() }

    /// - Parameters:
    ///   - place: The directory or the URL of the index.
    ///   - generation: The number of the new generation in a store.
    package func report(_ made: BuildSummary, _ place: String, generation: Int? = nil) {
      clear()
      steps.end()
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
      if let text = BuildReport.leftOut(made.recordsLeftOut) { summary.note(text) }
      if let text = BuildReport.emptyKeys(made) { summary.note(text) }
      if let bytes = made.overlayBytes {
        summary.note(BuildReport.overlay(of: bytes, beside: made.shardCount, in: place, isUnchanged: made.isUnchanged))
      } else {
        summary.note(BuildReport.written(made, place, milliseconds: steps.milliseconds))
      }
      if let generation { summary.note("generation \(generation) of \(place)") }
      if isVerbose { summary.note(steps.text) }
      guard summary.isJSON else { return }
      var report = Report(of: "update")
      report.add("index", .text(place))
      if let generation { report.add("generation", .number(generation)) }
      report.add("changes_read", .number(made.recordsRead))
      report.add("bad_records", .number(made.badRecordCount))
      report.add("records_removed", .number(made.recordsRemoved))
      report.add("ids_not_found", .number(made.idsNotFound))
      BuildReport.add(made, steps, to: &report)
      if let bytes = made.overlayBytes { report.add("overlay_bytes", .number(bytes)) }
      report.print(.json)
    }
  }

  /// The options that limit the memory and the threads of a build.
  struct ResourceOptions: ParsableArguments {
    @Option(name: .customLong("memory"), help: ArgumentHelp("The most memory to use.", valueName: "size"))
    var memory = ByteSize(bytes: BuildOptions().memoryBytes)

    @Option(
      name: .customLong("jobs"),
      help: ArgumentHelp("The number of threads (default: one per processor).", valueName: "n"))
    var jobs: Int?

    func validate() throws {
      if let jobs, jobs < 1 { throw ValidationError("--jobs must be at least 1") }
      if memory.bytes < 1 << 20 { throw ValidationError("--memory must be at least 1MiB") }
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
    static func step(_ progress: BuildProgress) -> ProgressBar.Step { ProgressBar.Step(progress) }

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

    /// The text about records that `--skip-empty-keys` left out; nil for none.
    static func leftOut(_ records: Int) -> String? {
      guard records > 0 else { return nil }
      return QueryRunner.counted(records, "record without a key was", "records without a key were") + " left out"
    }

    /// The text about records with keys that no typed text begins, and the remedy; nil for none.
    static func emptyKeys(_ summary: BuildSummary) -> String? {
      guard summary.emptyKeyCount > 0 else { return nil }
      return QueryRunner.counted(summary.emptyKeyCount, "record has", "records have")
        + " a key without text (empty, or separators and spaces alone); build --skip-empty-keys leaves "
        + (summary.emptyKeyCount == 1 ? "it" : "them") + " out"
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
          : "no overlay any more"
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
      report.add("records_left_out", .number(summary.recordsLeftOut))
      if let found = summary.weightsFound { report.add("weights_found", .number(found)) }
      report.add("shards", .number(summary.shardCount))
      report.add("shards_written", .number(summary.shardsWritten))
      report.add("bytes", .number(summary.bytes))
      report.add("unchanged", .flag(summary.isUnchanged))
      report.add("milliseconds", .number(steps.milliseconds))
    }
  }
#endif
