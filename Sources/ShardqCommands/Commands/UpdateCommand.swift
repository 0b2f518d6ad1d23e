#if CommandLineTool
  import ArgumentParser
  import CMalloc
  import QueryOutput
  import ShardBuilder

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #else
    import Darwin
  #endif

  struct UpdateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "update",
      abstract: "Change some records of an index.",
      discussion: """
        EXAMPLES:
          shardq update --upsert changed.json               records that are new or changed, each with its id
          shardq update --delete gone.csv                   a csv file of ids: the field's name, then one a line
          shardq update -i places --upsert new.jsonl --delete old.jsonl
          printf '_id\\n5391811\\n' | shardq update --input-format csv --delete -

        The id is the field that --id named when the index was built: _id for the city list, geonameid for GeoNames.
        A record that is upserted replaces all that have its id. The index becomes what a build of the changed dataset
        makes, byte for byte; only shards with changes are written. An update that fails leaves it as it was.
        """)

    @OptionGroup var location: IndexLocation

    @Option(
      name: .customLong("upsert"),
      help: ArgumentHelp(
        "A file of new and changed records: JSON, JSON lines, CSV, TSV, GeoNames; - for standard input.",
        valueName: "file"),
      completion: .file())
    var upsert: [String] = []

    @Option(
      name: .customLong("delete"),
      help: ArgumentHelp("A file of records to remove, of which only the ids are read.", valueName: "file"),
      completion: .file())
    var delete: [String] = []

    @Option(
      name: .customLong("input-format"),
      help: ArgumentHelp(
        "json, jsonl, csv, tsv or geonames (default: seen from each file).", valueName: "format"),
      completion: .list(DatasetFormat.allCases.map(\.rawValue)))
    var inputFormat: String?

    @Option(
      name: .customLong("columns"),
      help: ArgumentHelp("The names of the columns of csv or tsv files without a header.", valueName: "a,b,c"))
    var columns: NameList?

    @Flag(name: .customLong("skip-bad"), help: "Report bad records and go on.")
    var skipBad = false

    @OptionGroup var resources: ResourceOptions

    func validate() throws {
      try InputOptions.check(inputFormat)
      if upsert.isEmpty, delete.isEmpty { throw ValidationError("Name a file with --upsert or --delete.") }
      if (upsert + delete).filter({ $0 == "-" }).count > 1 {
        throw ValidationError("Standard input can be read once only.")
      }
    }

    func run() throws {
      var options = BuildOptions()
      options.inputFormat = inputFormat
      options.columns = columns?.names
      options.skipBad = skipBad
      resources.apply(to: &options)
      Self.run(index: location.index, upsert: upsert, delete: delete, options)
    }

    static func run(index: String?, upsert: [String], delete: [String], _ options: BuildOptions) {
      let directory = QueryRunner.indexPath(index)
      let summary: BuildSummary
      let milliseconds: Int
      do throws(BuildError) {
        (summary, milliseconds) = try BuildReport.running { progress throws(BuildError) in
          try ShardBuilder.update(directory, upsert: upsert, delete: delete, options: options, progress: progress)
        }
      } catch {
        Diagnostics.report("\(error)")
        finish(error.exitStatus)
      }
      let (number, counted) = (QueryRunner.grouped, QueryRunner.counted)
      BuildReport.note(bad: summary)
      var text =
        "\(counted(summary.recordsRead, "change", nil)) read, \(number(summary.badRecordCount)) bad; "
        + "\(counted(summary.recordsRemoved, "record", nil)) replaced or removed, \(number(summary.recordsIndexed)) in the index"
      if summary.idsNotFound > 0 { text += "; \(counted(summary.idsNotFound, "id", nil)) to delete not found" }
      Diagnostics.note(text)
      BuildReport.note(written: summary, directory, milliseconds: milliseconds)
    }
  }

  /// An update that is asked for with nothing but `--index`, `--upsert` and `--delete`, each followed by its value.
  ///
  /// Understood without the full parser, which takes an eighth of the instructions of an update of one record. What this
  /// accepts means the same to that one; all else is left to it.
  package struct PlainUpdate: Equatable {
    package private(set) var index: String?
    package private(set) var upsert: [String] = []
    package private(set) var delete: [String] = []

    /// - Parameter arguments: Without the program's name.
    package init?(_ arguments: [String]) {
      guard arguments.first == "update", arguments.count % 2 == 1 else { return nil }
      for place in stride(from: 1, to: arguments.count, by: 2) {
        let value = arguments[place + 1]
        guard !value.utf8.isEmpty, value.utf8.first != UInt8(ascii: "-") else { return nil }
        switch arguments[place] {
        case "-i", "--index":
          guard index == nil else { return nil }
          index = value
        case "--upsert": upsert.append(value)
        case "--delete": delete.append(value)
        default: return nil
        }
      }
      guard !upsert.isEmpty || !delete.isEmpty else { return nil }
    }

    /// The same by the full parser; nil if that refuses it, or finds more said than this can say.
    package static func parsed(_ arguments: [String]) -> PlainUpdate? {
      guard let update = try? Shardq.parseAsRoot(arguments) as? UpdateCommand, update.inputFormat == nil,
        update.columns == nil, !update.skipBad, update.resources.jobs == nil,
        update.resources.memory.bytes == BuildOptions().memoryBytes
      else { return nil }
      return PlainUpdate(index: update.location.index, upsert: update.upsert, delete: update.delete)
    }

    private init(index: String?, upsert: [String], delete: [String]) {
      (self.index, self.upsert, self.delete) = (index, upsert, delete)
    }

    func run() -> Never {
      keep_freed_blocks()
      UpdateCommand.run(index: index, upsert: upsert, delete: delete, BuildOptions())
      exit(0)
    }
  }

  /// What a build may take of the machine.
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

  /// What builds and updates say of themselves.
  enum BuildReport {
    /// Runs a build with a progress line.
    static func running(
      _ build: (@escaping (BuildProgress) -> Void) throws(BuildError) -> BuildSummary
    ) throws(BuildError) -> (summary: BuildSummary, milliseconds: Int) {
      let line = isatty(STDERR_FILENO) == 1 ? ProgressLine() : nil
      defer { line?.clear() }
      let start = Clock.now
      return (try build { line?.show($0) }, Clock.now - start)
    }

    static func note(bad summary: BuildSummary) {
      for bad in summary.badRecords { Diagnostics.note(bad) }
      if summary.badRecordCount > summary.badRecords.count {
        Diagnostics.note(
          "… and "
            + QueryRunner.counted(summary.badRecordCount - summary.badRecords.count, "more bad record", nil))
      }
    }

    static func note(written summary: BuildSummary, _ directory: String, milliseconds: Int) {
      let (number, counted) = (QueryRunner.grouped, QueryRunner.counted)
      let written =
        summary.isUnchanged ? "nothing changed, nothing written" : "\(number(summary.shardsWritten)) of them written"
      Diagnostics.note(
        "\(counted(summary.shardCount, "shard", nil)) in \(directory), \(written); \(counted(summary.bytes, "byte", nil)), \(Clock.seconds(milliseconds)) s"
      )
    }
  }
#endif
