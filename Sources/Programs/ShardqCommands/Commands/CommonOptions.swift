#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardedIndex

  import CLibrary

  struct IndexLocation: ParsableArguments {
    @Option(
      name: [.customShort("i", allowingJoined: true), .customLong("index")],
      help: ArgumentHelp(
        "The index: a directory, an archive to read, or the name of an installed index (default: $SHARDQ_INDEX, else ./shards).",
        valueName: "dir"),
      completion: .file())
    var index: String?

    func validate() throws {
      if index == "" { throw ValidationError("--index is empty; name a directory") }
    }

    /// The directory that the option, the user's settings or the default name. An index on another machine ends the
    /// process: plain queries alone read one.
    var path: String {
      let path = pathOrURL
      guard !RemoteIndex.isURL(path) else {
        Diagnostics.report("\(path): this command needs an index on disk; only queries, serve and warm take a URL")
        finish(.usage)
      }
      return path
    }

    /// The same for a command that reads an index on another machine too.
    var pathOrURL: String { UserSettings.current.indexPath(index) }

    /// The URL of an index in a store, if the option or the user's settings name one.
    var store: String? { StoreTargetOptions.isURL(pathOrURL) ? pathOrURL : nil }
  }

  extension UserSettings {
    /// The user's settings. The first option that needs them reads them, so that help and completions work with any
    /// settings. Settings that cannot be used end the process.
    static let current: UserSettings = {
      do throws(SettingsError) {
        return try load()
      } catch {
        Diagnostics.report(error.message)
        finish(error.status)
      }
    }()
  }

  /// The option that pins the index.
  struct IndexPin: ParsableArguments {
    @Option(
      name: .customLong("expect-digest"),
      help: ArgumentHelp(
        "Fail unless the index's manifest has this SHA-256, which stats prints.", valueName: "hex"))
    var expectedDigest: ManifestDigest?
  }

  /// The option of colours. Settings and the environment say them where it does not.
  struct ColorOption: ParsableArguments {
    @Option(
      name: .customLong("color"),
      help: ArgumentHelp(
        "Colours in text (default: auto, by NO_COLOR and CLICOLOR_FORCE).",
        valueName: "when"))
    var mode: StyleMode?
  }

  extension StyleMode: ExpressibleByArgument {}

  /// The format of a report.
  struct ReportOptions: ParsableArguments {
    @Option(name: .customLong("format"), help: "The format (default: text).")
    var chosen: ReportFormat?

    @Flag(name: .customLong("json"), help: "The same as --format json.")
    var isJSON = false

    var format: ReportFormat { isJSON ? .json : chosen ?? .text }

    func validate() throws {
      if isJSON, chosen == .text { throw ValidationError("--json and --format text exclude each other; leave out one") }
    }
  }

  /// The options of a command's summary.
  struct SummaryOptions: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print the summary as one JSON object.")
    var isJSON = false

    @Flag(name: [.customShort("q"), .customLong("quiet")], help: "Print errors only.")
    var isQuiet = false

    func validate() throws {
      if isQuiet { Diagnostics.isQuiet = true }
    }

    /// Notes a line of the summary, unless JSON has it.
    func note(_ line: String) {
      if !isJSON { Diagnostics.note(line) }
    }
  }

  /// The options of work that may take long.
  struct ProgressOptions: ParsableArguments {
    @Flag(name: .customLong("no-progress"), help: "Draw no progress bar; without a terminal there is none.")
    var isHidden = false

    @Flag(name: [.customShort("v"), .customLong("verbose")], help: "Print the time of each step.")
    var isVerbose = false

    /// A bar on the terminal; nil if none is wanted or possible.
    var bar: ProgressBar? { ProgressBar.unlessHidden(isHidden) { ProgressBar() } }
  }

  /// The option that hides the progress of a command on a store.
  struct ProgressFlag: ParsableArguments {
    @Flag(name: .customLong("no-progress"), help: "Draw no progress bar; without a terminal there is none.")
    var isHidden = false

    /// A bar on the terminal; nil if none is wanted or possible.
    var bar: ProgressBar? { ProgressBar.unlessHidden(isHidden) { ProgressBar() } }
  }

  /// The option that hides the progress of a command of a job, which also a log shows.
  struct JobProgressFlag: ParsableArguments {
    @Flag(
      name: .customLong("no-progress"),
      help: "Show no progress: no bar on a terminal, and elsewhere no line every ten seconds.")
    var isHidden = false

    /// - Parameter command: The name of the command, for lines.
    func bar(of command: String) -> ProgressBar? {
      ProgressBar.unlessHidden(isHidden) { ProgressBar() ?? ProgressBar.lines(of: command) }
    }
  }

  /// The options of a command of a job without a summary on standard output.
  struct JobOutputOptions: ParsableArguments {
    @Flag(name: [.customShort("q"), .customLong("quiet")], help: "Print no notes and no progress; errors alone.")
    var isQuiet = false

    func validate() throws {
      if isQuiet { Diagnostics.isQuiet = true }
    }
  }

  extension ProgressBar {
    /// Returns the bar, unless an option or the user's settings hide it.
    fileprivate static func unlessHidden(_ isHidden: Bool, _ make: () -> ProgressBar?) -> ProgressBar? {
      isHidden || Diagnostics.isQuiet || !UserSettings.current.showsProgress ? nil : make()
    }
  }
#endif
