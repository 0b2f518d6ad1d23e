#if CommandLineTool
  import Answers
  import ArgumentParser
  import CLibrary
  import QueryOutput
  import ShardBuilder

  struct PublishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "publish",
      abstract: "Upload an index to an object store as its newest generation.",
      usage: "shardq publish [<options>] <url>",
      discussion: """
        EXAMPLES:
          shardq publish s3://bucket/cities/             the index in ./shards
          shardq publish -i /srv/cities s3://bucket/cities/

        publish uploads only files that the store lacks. Readers see the old generation until the new \
        generation is complete. If publish is interrupted, run it again. If two machines publish at a \
        time, one succeeds and the other ends with status 75.

        The store needs the interface of S3, and create-if-absent (If-None-Match), which publish tries \
        first. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL name the store \
        and its keys.

        DOCUMENTATION:
          man shardq-publish, docs/remote.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation
    @OptionGroup(title: "Store") var place: StorePlace
    @OptionGroup(title: "Store") var grace: StoreGrace

    @Flag(
      name: .customLong("single-writer"),
      help: "Promise that nobody else publishes there: then the store needs no create-if-absent.")
    var isSingleWriter = false

    @OptionGroup(title: "Output") var summary: SummaryOptions
    @OptionGroup(title: "Output") var progress: ProgressFlag

    func validate() throws {
      // Half of it is the time that a publication has.
      if grace.time.seconds < 60 { throw ValidationError("--grace must be at least 1m to publish") }
    }

    func run() throws {
      var request = StoreRequest(.publish, place.url)
      request.stallSeconds = place.stallSeconds
      request.directory = location.path
      request.isSingleWriter = isSingleWriter
      request.run(grace, summary, bar: progress.bar)
    }
  }

  struct FetchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "fetch",
      abstract: "Download the newest generation of an index from an object store.",
      usage: "shardq fetch [<options>] <url>",
      discussion: """
        EXAMPLES:
          shardq fetch s3://bucket/cities/               into ./shards
          shardq fetch -i /srv/cities s3://bucket/cities/

        fetch downloads only files that the directory lacks, and compares each with its digest. Readers \
        see the old generation until the new generation is complete. If fetch is interrupted, run it \
        again: it continues where it stopped.

        DOCUMENTATION:
          man shardq-fetch, docs/remote.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation
    @OptionGroup(title: "Store") var place: StorePlace
    @OptionGroup(title: "Output") var summary: SummaryOptions
    @OptionGroup(title: "Output") var progress: ProgressFlag

    func run() throws {
      var request = StoreRequest(.fetch, place.url)
      request.directory = location.path
      request.run(nil, summary, bar: progress.bar)
    }
  }

  struct PruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "prune",
      abstract: "Remove old generations from an object store, or unmerged ranges from a directory.",
      usage: "shardq prune [<options>] <target>",
      discussion: """
        EXAMPLES:
          shardq prune --dry-run s3://bucket/cities/
          shardq prune --keep 5 --grace 30d s3://bucket/cities/
          shardq prune --grace 1h /shared/cities         ranges of a job that failed

        prune removes the files of an index that no kept generation names and that are older than the \
        grace, and prints their names. Files of interrupted builds are among them. prune never removes \
        other objects.

        In a directory, prune removes the files of ranges that the index there does not name: a job whose \
        `merge` never came left them. End the job first. prune removes nothing else there.

        DOCUMENTATION:
          man shardq-prune, docs/remote.md
        """)

    @Argument(
      help: ArgumentHelp("The bucket and the prefix, s3://bucket/prefix/, or a directory.", valueName: "target"),
      completion: .directory)
    var target: String

    @Option(
      name: .customLong("keep"),
      help: ArgumentHelp("The number of generations to keep in a store (default: 2).", valueName: "n"))
    var kept: Int?

    @OptionGroup(title: "Store") var grace: StoreGrace

    @Flag(name: .customLong("dry-run"), help: "Print the names of the files, and remove nothing.")
    var isDryRun = false

    @OptionGroup(title: "Output") var summary: SummaryOptions
    @OptionGroup(title: "Output") var progress: ProgressFlag

    func validate() throws {
      if let kept, kept < 1 { throw ValidationError("--keep must be at least 1") }
      if target.hasPrefix("s3://") { return try StorePlace.check(target) }
      if target.contains("://") || target.isEmpty {
        throw ValidationError("\(target) is neither a store nor a directory; write s3://bucket/prefix/")
      }
      if kept != nil { throw ValidationError("--keep counts generations of a store; leave it out for a directory") }
    }

    func run() throws {
      guard target.hasPrefix("s3://") else { return pruneDirectory() }
      var request = StoreRequest(.prune, target)
      if let kept { request.kept = kept }
      request.isDryRun = isDryRun
      request.run(grace, summary, bar: progress.bar)
    }

    private func pruneDirectory() {
      let files: [ShardBuilder.PrunedFile]
      do throws(BuildError) {
        files = try ShardBuilder.pruneRanges(in: target, olderThan: grace.time.seconds, isDryRun: isDryRun)
      } catch {
        Diagnostics.report(error.text)
        finish(error.exitStatus)
      }
      let bytes = files.reduce(0) { $0 + $1.bytes }
      if summary.isJSON {
        var report = Report(of: "prune")
        report.add("index", .text(target))
        report.add("removed", .list(files.map(\.name)))
        report.add("objects", .number(files.count))
        report.add("bytes", .number(bytes))
        report.add("dry_run", .flag(isDryRun))
        return report.print(.json)
      }
      if !summary.isQuiet {
        let lines = RangeLines()
        for file in files { lines.write(Array((file.name + "\n").utf8)) }
        lines.end()
      }
      summary.note(
        "\(QueryRunner.counted(files.count, "file", nil)) \(isDryRun ? "would be removed" : "removed") from \(target), "
          + QueryRunner.counted(bytes, "byte", nil))
    }
  }

  /// The prefix in a store.
  struct StorePlace: ParsableArguments {
    @Argument(help: ArgumentHelp("The bucket and the prefix: s3://bucket/prefix/.", valueName: "url"))
    var url: String

    /// The seconds without bytes after which a request fails, for tests.
    @Option(name: .customLong("stall"), help: .hidden) var stallSeconds: Int?

    func validate() throws { try Self.check(url) }

    static func check(_ url: String) throws {
      guard url.hasPrefix("s3://"), url.utf8.count > 5 else {
        throw ValidationError("\(url) is no prefix in a store; write s3://bucket/prefix/")
      }
    }
  }

  /// The option of the grace.
  struct StoreGrace: ParsableArguments {
    @Option(
      name: .customLong("grace"),
      help: ArgumentHelp(
        "The time for which files stay that no generation names. All uses of publish and prune need the same time.",
        valueName: "time"))
    var time = LongTime(seconds: 7 * 86_400)
  }

  /// A time in days, hours, minutes or seconds: `7d`, `12h`, `30m`, `90s`.
  struct LongTime: ExpressibleByArgument {
    var seconds: Int

    init(seconds: Int) { self.seconds = seconds }

    init?(argument: String) {
      let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
      guard let unit = argument.last.flatMap({ units[$0] }), argument.utf8.first.map({ 0x30...0x39 ~= $0 }) == true,
        let number = Int(argument.dropLast()), number <= 36_500
      else { return nil }
      seconds = number * unit
    }

    var defaultValueDescription: String {
      seconds % 86_400 == 0 ? "\(seconds / 86_400)d" : "\(seconds)s"
    }
  }

  /// A command on a store.
  package struct StoreRequest: Sendable {
    package enum Command: String, Sendable {
      case publish, fetch, prune, update
      case planRanges = "plan-ranges"
      case writeRange = "write-range"
      case merge
    }

    /// The arguments of `plan-ranges` over an index.
    package struct PlanArguments: Sendable {
      package var ranges: Int
      package var program: RangePlan.Program
      package var write: @Sendable (RangePlan) -> Void
    }

    /// The arguments of `write-range` and `merge`, by which many processes make an index.
    package struct RangeArguments: Sendable {
      package var plan: RangePlan
      package var resources: BuildOptions
      /// The URL of the index that the ranges change, and the changes; no changes for ranges of entries.
      package var update: (over: String, changes: RangeChanges?)?
      package var isOfEntries = false
      package var rows: [String] = []
      package var records: Int?
      package var repeatedIDs: Int?

      init(_ plan: RangePlan, _ resources: BuildOptions) { (self.plan, self.resources) = (plan, resources) }
    }

    /// The arguments of `update`.
    package struct UpdateArguments: Sendable {
      /// The URL from which the update reads the index; nil for that of the store.
      package var over: String?
      package var upsert: [String]
      package var delete: [String]
      package var options: BuildOptions
      package var view: UpdateView
    }

    package var command: Command
    /// The URL of the prefix: `s3://bucket/prefix/`.
    package var url: String
    /// The directory of the index on disk, for `publish` and `fetch`.
    package var directory = ""
    /// The time that an object which no generation names stays, in seconds.
    package var graceSeconds = 7 * 86_400
    /// The number of generations that `prune` keeps.
    package var kept = 2
    /// Whether the user says that no other process publishes to the prefix; then commits use no create-if-absent.
    package var isSingleWriter = false
    /// Whether `prune` prints the names of objects and removes none.
    package var isDryRun = false
    package var (isJSON, isQuiet) = (false, false)
    /// The time without bytes after which a request fails, in seconds; nil for the default.
    package var stallSeconds: Int?
    /// The arguments of `plan-ranges`; nil for other commands.
    package var plan: PlanArguments?
    /// The arguments of `write-range` and `merge`; nil for other commands.
    package var ranges: RangeArguments?
    /// The arguments of `update`; nil for other commands.
    package var update: UpdateArguments?
    /// The progress; nil if it is hidden.
    package var bar: ProgressBar?

    init(_ command: Command, _ url: String) { (self.command, self.url) = (command, url) }

    /// - Parameter bar: Called in the program that does the work.
    func run(_ grace: StoreGrace?, _ summary: SummaryOptions?, bar: @autoclosure () -> ProgressBar?) -> Never {
      RemoteWork.needed()
      var request = self
      request.bar = bar()
      if let grace { request.graceSeconds = grace.time.seconds }
      if let summary { (request.isJSON, request.isQuiet) = (summary.isJSON, summary.isQuiet) }
      RemoteWork.run(request)
    }
  }
#endif
