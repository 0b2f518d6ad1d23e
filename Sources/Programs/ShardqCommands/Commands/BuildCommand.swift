#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  import CLibrary

  /// The options of reading a dataset, for `build`, `verify` and the other commands that compare one with an index.
  struct InputOptions: ParsableArguments {
    @OptionGroup var reading: ReadingOptions

    @Option(
      name: .customLong("key"),
      help: ArgumentHelp(
        "The template of keys, the texts to search for, like '{name}, {country}' (default: known for city lists, GeoNames, one field).",
        valueName: "template"))
    var key: String?

    @Option(
      name: .customLong("keep"),
      help: ArgumentHelp(
        "The fields to store (default: all). Without a field of the key, text output shows the folded key.",
        valueName: "a,b"))
    var keep: NameList?

    /// Whether any of the options was given.
    var isSaid: Bool { key != nil || keep != nil || !reading.words.isEmpty }

    func apply(to options: inout BuildOptions) {
      reading.apply(to: &options)
      options.key = key
      options.keep = keep?.names
    }

    /// The options as arguments.
    var words: [String] {
      reading.words + (key.map { ["--key", $0] } ?? []) + (keep.map { ["--keep", $0.text] } ?? [])
    }
  }

  /// The options that limit the indexes and directories that a build may replace.
  struct SafetyOptions: ParsableArguments {
    @Option(
      name: .customLong("min-records"),
      help: ArgumentHelp(
        "Fail if the dataset has fewer records; the index stays as it was. 0 stands for --allow-empty.",
        valueName: "n"))
    var minimumRecords: Int?

    @Flag(
      name: .customLong("allow-empty"),
      help: "Let a dataset without records replace an index that has records.")
    var allowsEmpty = false

    @Flag(
      name: .customLong("force"),
      help: "Replace an index that has another key, or build into a directory that has other files.")
    var force = false

    func validate() throws {
      if let minimumRecords, minimumRecords < 0 { throw ValidationError("--min-records must be at least 0") }
    }

    func apply(to options: inout BuildOptions) {
      options.minimumRecords = minimumRecords ?? 0
      options.allowsEmpty = allowsEmpty || minimumRecords == 0
      options.replacesOtherIndex = force
    }
  }

  /// The options that say how an index is laid out.
  struct LayoutOptions: ParsableArguments {
    @Option(
      name: .customLong("id"),
      help: ArgumentHelp(
        "The field with each record's id, for updates (default: geonameid for GeoNames, else _id, if any).",
        valueName: "field"))
    var id: String?

    @Flag(
      name: .customLong("skip-empty-keys"),
      help: ArgumentHelp(
        "Leave out records whose key is empty or has separators and spaces alone, and do so in updates of the index too."
      ))
    var skipsEmptyKeys = false

    @Option(
      name: .customLong("shard-size"),
      help: ArgumentHelp("The size of shards before compression.", valueName: "size"))
    var shardSize = ByteSize(bytes: BuildOptions().shardLimitBytes)

    @Option(
      name: .customLong("part-size"),
      help: ArgumentHelp("Amount decompressed when a query is not in the cache.", valueName: "size"))
    var partSize = ByteSize(bytes: BuildOptions().partSizeBytes)

    @Option(
      name: .customLong("level"),
      help: ArgumentHelp(
        "The level of zstd, 1 to 22. Level 19 is slower and makes the index about 1 % smaller.", valueName: "n"))
    var level = BuildOptions().level

    @Flag(
      name: .customLong("starts"),
      help: ArgumentHelp(
        "Store the best answers to short texts once more, or the first ones if answers have no ranks: pages and readers "
          + "over HTTP need fewer round trips. Adds at most 2 % to the index (16 KiB to a small one), and leaves out texts "
          + "beyond that. Adds time to each update."))
    var starts = false

    func validate() throws {
      if level < 1 || level > 22 { throw ValidationError("--level must be from 1 to 22") }
      if shardSize.bytes < 1 << 10 || shardSize.bytes > 1 << 24 {
        throw ValidationError("--shard-size must be from 1KiB to 16MiB")
      }
      if partSize.bytes < 1 << 9 || partSize.bytes > 1 << 24 {
        throw ValidationError("--part-size must be from 512 bytes to 16MiB")
      }
    }

    func apply(to options: inout BuildOptions) {
      options.id = id
      options.skipEmptyKeys = skipsEmptyKeys
      options.shardLimitBytes = shardSize.bytes
      options.partSizeBytes = partSize.bytes
      options.level = level
      options.starts = starts
    }
  }

  struct BuildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "build",
      abstract: "Make an index from a dataset.",
      usage: "shardq build [<options>] <input> ...",
      discussion: """
        EXAMPLES:
          shardq build -i cities cities.json       a city list needs no --key
          shardq build -i places allCountries.txt  neither does a GeoNames dump
          shardq build -i places --weight population allCountries.txt  ranks answers
          shardq build -i films --key '{title} ({year})' films.csv.gz
          ls | shardq build -i files -             one name a line: no --key either
          zcat log.gz | shardq build -i log --input-format jsonl --key '{url}' -
          shardq build -i cities --watch cities.json  build again after each change

        If the index exists, build writes only the shards that change. Programs that read the index are \
        not disturbed. A build that fails leaves the index as it was.

        Without --allow-empty, a dataset without records does not replace an index that has records. \
        Without --force, build does not replace an index that has another key, and does not write into a \
        directory that has other files.

        A bad csv record may have several lines. With --skip-bad, later lines of such a record that look \
        like records are read as records. In a csv or tsv file of one column, a blank line is a record \
        with an empty text.

        DOCUMENTATION:
          man shardq-build, docs/datasets.md, docs/ranking.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation
    @OptionGroup(title: "Dataset") var input: InputOptions

    @OptionGroup(title: "Ranking") var ranking: RankingOptions

    @OptionGroup(title: "Index") var layout: LayoutOptions

    @OptionGroup(title: "Safety") var safety: SafetyOptions

    @OptionGroup(title: "Resources") var resources: ResourceOptions

    @Flag(
      name: .customLong("watch"),
      help: ArgumentHelp(
        "Build again each time that a file has changed and then not changed for a second, until interrupted. After a "
          + "build that fails, wait for the next change."))
    var watch = false

    @OptionGroup(title: "Output") var output: SummaryOptions
    @OptionGroup(title: "Output") var progress: ProgressOptions

    @Argument(
      help: ArgumentHelp(
        "Files of JSON, JSON lines, GeoJSON, CSV, TSV, GeoNames or lines, plain, .gz or .zst; - for standard input.",
        valueName: "input"),
      completion: .file())
    var inputs: [String]

    func validate() throws {
      if (inputs + ranking.files).filter({ $0 == "-" }).count > 1 {
        throw ValidationError("standard input can be read only once; leave out one -")
      }
      if ranking.weights != nil, layout.id == nil {
        throw ValidationError("--weights needs --id, the field with the ids of that file; add --id")
      }
      if watch, (inputs + ranking.files).contains("-") {
        throw ValidationError("--watch cannot watch standard input; name files")
      }
    }

    func run() throws {
      if watch {
        var isWaiting = false
        // Another build is running. It is reported once, and this one tries again until the other has ended.
        Watch.run(inputs + ranking.files) { changed in
          isWaiting = build(isRepeated: isWaiting, changed) == .busy
          return isWaiting
        }
      }
      let status = build(isRepeated: false) { nil }
      if status != .done { finish(status) }
    }

    /// - Parameters:
    ///   - isRepeated: Whether this is another attempt because another build ran, which was reported already.
    ///   - changed: Returns the file that has changed since the build began, which then is abandoned.
    private func build(isRepeated: Bool, _ changed: () -> String?) -> ExitStatus {
      var options = BuildOptions()
      input.apply(to: &options)
      ranking.apply(to: &options)
      safety.apply(to: &options)
      resources.apply(to: &options)
      layout.apply(to: &options)
      let directory = location.path
      do throws(BuildError) {
        let (summary, steps) = try BuildReport.running(progress) { show throws(BuildError) in
          try ShardBuilder.build(
            inputs, into: directory, options: options, progress: { show(BuildReport.step($0)) }
          ) {
            changed().map {
              .dataset(
                .bad,
                message:
                  "\(printable($0)): the file changed while it was read; build reads it again when it stops changing")
            }
          }
        }
        report(summary, directory, steps)
        return .done
      } catch {
        if !isRepeated || error.exitStatus != .busy { Diagnostics.report(error.text) }
        return error.exitStatus
      }
    }

    private func report(_ summary: BuildSummary, _ directory: String, _ steps: BuildSteps) {
      let (number, counted) = (QueryRunner.grouped, QueryRunner.counted)
      if let damage = summary.previousDamage {
        Diagnostics.note("the old index was damaged and is replaced, its shards stay until the next build: " + damage)
      }
      BuildReport.note(bad: summary)
      for input in summary.emptyInputs { Diagnostics.note(input) }
      var line = "\(counted(summary.recordsRead, "record", nil)) read, \(number(summary.recordsIndexed)) in the index"
      if let before = summary.recordsBefore, before != summary.recordsIndexed { line += " (\(number(before)) before)" }
      output.note(line + ", \(number(summary.badRecordCount)) bad")
      if let found = summary.weightsFound, let file = ranking.weights {
        let records = counted(summary.recordsIndexed, "record", nil)
        output.note("weights: \(number(found)) of \(records) found in \(BuildReport.inputName(file))")
      }
      output.note(BuildReport.written(summary, directory, milliseconds: steps.milliseconds))
      if progress.isVerbose { output.note(steps.text) }
      if let text = BuildReport.leftOut(summary.recordsLeftOut) { output.note(text) }
      let cautions = cautions(summary, directory)
      for note in cautions { output.note(note) }
      if !watch, !output.isJSON, !output.isQuiet, let command = nextCommand(directory) {
        Diagnostics.note("try: " + command)
      }
      if output.isJSON { print(summary, directory, steps, cautions) }
    }

    /// Prints the summary as JSON.
    private func print(_ summary: BuildSummary, _ directory: String, _ steps: BuildSteps, _ cautions: [String]) {
      var report = Report(of: "build")
      report.add("index", .text(directory))
      report.add("records_read", .number(summary.recordsRead))
      report.add("bad_records", .number(summary.badRecordCount))
      if let before = summary.recordsBefore { report.add("records_before", .number(before)) }
      BuildReport.add(summary, steps, to: &report)
      report.add("new_fields", .list(summary.newFields))
      report.add("gone_fields", .list(summary.goneFields))
      report.add("notes", .list(cautions))
      report.print(.json)
    }

    /// Returns notes about the built index that a user may not expect.
    private func cautions(_ summary: BuildSummary, _ directory: String) -> [String] {
      let counted = QueryRunner.counted
      func list(_ names: [String]) -> String {
        let list = names.prefix(20).map { "\"" + printable(String($0.prefix(40))) + "\"" }.joined(separator: ", ")
        return names.count > 20 ? list + " and \(QueryRunner.grouped(names.count - 20)) more" : list
      }
      var notes: [String] = []
      if summary.recordsIndexed == 0 {
        notes.append("the index in \(directory) has no record: no query finds anything")
      }
      if !summary.newFields.isEmpty { notes.append("new fields: " + list(summary.newFields)) }
      if !summary.goneFields.isEmpty {
        notes.append("fields that the index has no longer: " + list(summary.goneFields))
      }
      if let note = BuildReport.emptyKeys(summary) { notes.append(note) }
      if summary.recordsWithoutID > 0 {
        let isOne = summary.recordsWithoutID == 1
        notes.append(
          counted(summary.recordsWithoutID, "record has", "records have") + " no id: no update can replace or remove "
            + (isOne ? "it" : "them"))
      }
      if let (example, records) = summary.sharedIDExample {
        let count = QueryRunner.grouped(records)
        notes.append(
          summary.sharedIDCount == 1
            ? "the id \(example) has \(count) records: an update replaces all of them"
            : "\(QueryRunner.grouped(summary.sharedIDCount)) ids have several records, such as \(example) with \(count): an "
              + "update replaces all records of an id")
      }
      notes += summary.fieldUses.compactMap(Self.caution)
      if !ranking.names.isEmpty, let index = try? ShardedIndex(opening: directory),
        let unused = try? TableReader.unusedValues(of: index), !unused.isEmpty
      {
        notes.append("--names has values that no record has: " + list(unused))
      }
      if summary.recordsIndexed > 0, summary.greatestWeight == 0, let weight = ranking.field {
        notes.append(
          "no record has a number above 0 in \"\(printable(weight))\", so all weights are 0: answers are in the order of "
            + "keys")
      }
      return notes
    }

    /// Returns the note about records without a usable value for a setting; nil if all records have one.
    private static func caution(_ use: FieldUse) -> String? {
      guard use.unused > 0, let example = use.example else { return nil }
      let (used, all) = (QueryRunner.grouped(use.used), QueryRunner.grouped(use.used + use.unused))
      switch use.purpose {
      case .coordinates: return "\(used) of \(all) records have coordinates (first without: \(example))"
      case .numbers(let field):
        return "\(QueryRunner.grouped(use.unused)) of \(all) records have no number in \"\(printable(field))\" "
          + "(first: \"\(example)\") and weigh 0" + use.remedy.text
      case .sortedNumbers(let field):
        return "\(QueryRunner.grouped(use.unused)) of \(all) records have no number and no date in "
          + "\"\(printable(field))\" (first: \"\(example)\"): they come last when sorted" + use.remedy.text
      case .filter(let field):
        return "\(used) of \(all) records have a value in \"\(printable(field))\" (first without: \(example))"
      }
    }

    /// Returns a query that finds something, with a prefix that can be typed.
    private func nextCommand(_ directory: String) -> String? {
      guard let index = try? ShardedIndex(opening: directory), let matches = try? index.matches(forPrefix: "") else {
        return nil
      }
      let (middle, some) = (index.recordCount / 2, 64)
      // Records are read one at a time: each may have megabytes, and a build's memory is bounded.
      let prefixes = (middle..<min(middle + some, index.recordCount)).lazy.compactMap {
        try? matches.records(in: $0..<$0 + 1).first.map { String($0.key.prefix(3)) }
      }
      guard let prefix = prefixes.first(where: { !$0.isEmpty && printable($0) == $0 }) else { return nil }
      return "shardq " + (location.index.map { "-i " + shellWord($0) + " " } ?? "")
        + (FrontParser.commandNames.contains(prefix) || prefix.hasPrefix("-") ? "-- " : "")
        + shellWord(prefix)
    }
  }

  extension BuildError {
    /// The status of a build that failed so.
    var exitStatus: ExitStatus {
      switch self {
      case .locked, .replaced: .busy
      case .template, .noTemplate, .unknownField, .otherIndex, .otherFiles, .foreignFile,
        .dataset(.options, _):
        .usage
      case .dataset(.missing, _): .notFound
      case .dataset(.bad, _), .noRecord, .tooFewRecords: .badData
      case .io, .dataset(.io, _): .inputOutput
      case .notUpdatable: .badData
      case .index(let error): QueryRunner.exitStatus(of: error)
      }
    }
  }
#endif
