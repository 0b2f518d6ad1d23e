#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract: "Check every byte of an index, and compare the index with its dataset.",
      usage: "shardq verify [<options>] [--source <file>]",
      discussion: """
        EXAMPLES:
          shardq verify                            check bytes, order, keys, counts
          shardq verify --source cities.json       check records and prefixes too

        Exit status 1 if a file is damaged or a record differs; standard output names each. Exit status \
        74 if verify found no damage, but could not read a file.

        DOCUMENTATION:
          man shardq-verify, docs/promises.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation
    @OptionGroup(title: "Index") var pin: IndexPin

    @Option(
      name: .customLong("source"), parsing: .upToNextOption,
      help: ArgumentHelp("The dataset that the index was made from.", valueName: "file"), completion: .file())
    var source: [String] = []

    @OptionGroup(title: "Dataset") var input: InputOptions
    // The index has the settings of its build, so only the file of weights is read.
    @OptionGroup(title: "Options of the build, so that its line can be repeated") var ranking: RankingOptions
    @OptionGroup(title: "Sizes of the build") var layout: LayoutOptions
    @OptionGroup(title: "Output") var options: SummaryOptions
    @OptionGroup(title: "Output") var progress: ProgressOptions

    func validate() throws {
      if source.isEmpty, input.isSaid || !ranking.files.isEmpty {
        throw ValidationError("the options of a dataset, such as --key, go with --source; add --source")
      }
    }

    func run() throws {
      let report = VerifyReport(isJSON: options.isJSON)
      let made: Verifier.Summary
      let bar = progress.bar
      let (steps, path) = (BuildSteps(), location.path)
      do throws(Verifier.VerifyError) {
        made = try Verifier.verify(
          index: path, source: comparison, options: .init(expectedDigest: pin.expectedDigest),
          progress: {
            let step = Self.step($0)
            steps.enter(step.name)
            bar?.show(step)
          }
        ) { finding in
          bar?.clear()
          report.add(finding)
        }
      } catch {
        bar?.clear()
        finish(Self.status(of: error))
      }
      bar?.clear()
      steps.end()
      if options.isJSON {
        report.print(made, path, milliseconds: steps.milliseconds)
      } else {
        do throws(WriteError) {
          try report.end()
        } catch {
          finish(Diagnostics.failed(error))
        }
        report.noteFiles()
        Diagnostics.note(VerifyReport.text(of: made))
        if progress.isVerbose { Diagnostics.note(steps.text) }
      }
      let isNegative = made.damagedFiles + made.differences + made.wrongAnswers > 0
      finish(isNegative ? .negative : made.unreadFiles > 0 ? .inputOutput : .done)
    }

    private static func step(_ progress: Verifier.Progress) -> ProgressBar.Step {
      switch progress.phase {
      case .shards: ProgressBar.Step("checking shards", progress.done, of: progress.total, unit: "shard")
      case .dataset: ProgressBar.Step("comparing records", progress.done, of: progress.total)
      case .answers: ProgressBar.Step("asking prefixes", progress.done, of: progress.total)
      }
    }

    /// The dataset that the index is compared with; nil without one.
    private var comparison: Verifier.Source? {
      guard !source.isEmpty else { return nil }
      var comparison = Verifier.Source(
        source, options: input.reading.datasetOptions, template: input.key, keep: input.keep?.names)
      comparison.weightsFile = ranking.weights
      return comparison
    }

    /// Reports why nothing could be verified and returns the status to end with.
    private static func status(of failure: Verifier.VerifyError) -> ExitStatus {
      switch failure {
      case .index(let error): return QueryRunner.report(error)
      case .source(let error):
        Diagnostics.report(error.message.text)
        return error.exitStatus
      case .template(let error):
        Diagnostics.report(error.text)
        return error.exitStatus
      }
    }
  }

  /// The findings of `verify`: printed as they come, files that do not belong to the index aside.
  private final class VerifyReport {
    private let isJSON: Bool
    /// The findings as objects of JSON; none else.
    private var findings: [String] = []
    private var output = Output()
    /// Why a finding could not be printed; the later ones are not tried.
    private var failure: WriteError?
    private var strays: [String] = []
    private var kept: [String] = []

    init(isJSON: Bool) { self.isJSON = isJSON }

    func add(_ finding: Verifier.Finding) {
      if isJSON {
        findings.append(Self.json(finding))
        return
      }
      switch finding {
      case .damage(let file, let reason): print("\(file): \(reason)")
      case .unread(_, let reason): Diagnostics.report(reason)
      case .missing(let record, let count): print("not in the index\(Self.times(count)): \(record)")
      case .unexpected(let record, let count): print("not in the dataset\(Self.times(count)): \(record)")
      case .wrongAnswer(let prefix, let reason): print("prefix \"\(prefix)\": \(reason)")
      case .stray(let file, let isShard): if isShard { kept.append(file) } else { strays.append(file) }
      }
    }

    private static func times(_ count: Int) -> String { count > 1 ? ", \(count) times" : "" }

    private func print(_ line: String) {
      guard failure == nil else { return }
      do throws(WriteError) {
        try output.write(printable(line))
        try output.write("\n" as StaticString)
      } catch {
        failure = error
      }
    }

    /// Writes the lines that are still buffered.
    func end() throws(WriteError) {
      if let failure { throw failure }
      try output.flush()
    }

    /// Notes the files that do not belong to the index.
    func noteFiles() {
      Self.note(kept, "kept for readers of the previous generation until the next build")
      Self.note(strays, "does not belong to the index")
    }

    private static func note(_ files: [String], _ what: String) {
      let shown = files.count > 5 ? 3 : files.count
      for file in files.prefix(shown) { Diagnostics.note("\(printable(file)): \(what)") }
      if files.count > shown {
        Diagnostics.note("\u{2026} and " + QueryRunner.counted(files.count - shown, "file", nil) + " more: " + what)
      }
    }

    // MARK: JSON

    private static func json(_ finding: Verifier.Finding) -> String {
      func object(_ kind: String, _ members: (String, String)...) -> String {
        "{\"kind\":\"\(kind)\"" + members.map { ",\"\($0)\":" + JSONText.string($1) }.joined() + "}"
      }
      return switch finding {
      case .damage(let file, let reason): object("damage", ("file", file), ("reason", reason))
      case .unread(let file, let reason): object("unread", ("file", file), ("reason", reason))
      case .missing(let record, let count): object("missing", ("record", record), ("times", String(count)))
      case .unexpected(let record, let count): object("unexpected", ("record", record), ("times", String(count)))
      case .wrongAnswer(let prefix, let reason): object("wrong_answer", ("prefix", prefix), ("reason", reason))
      case .stray(let file, let isShard): object(isShard ? "kept" : "stray", ("file", file))
      }
    }

    /// Prints the findings and the counts.
    func print(_ summary: Verifier.Summary, _ index: String, milliseconds: Int) {
      var report = Report(of: "verify")
      report.add("index", .text(index))
      report.add("sound", .flag(summary.isSound))
      report.add("records", .number(summary.records))
      report.add("shards", .number(summary.shards))
      report.add("bytes", .number(summary.bytes))
      report.add("damaged_files", .number(summary.damagedFiles))
      report.add("unread_files", .number(summary.unreadFiles))
      if let records = summary.sourceRecords {
        report.add("source_records", .number(records))
        report.add("bad_records", .number(summary.badRecords))
        report.add("records_left_out", .number(summary.recordsLeftOut))
        report.add("differences", .number(summary.differences))
        report.add("prefixes", .number(summary.prefixes))
        report.add("wrong_answers", .number(summary.wrongAnswers))
      }
      report.add("findings", .raw("[" + findings.joined(separator: ",") + "]"))
      report.add("milliseconds", .number(milliseconds))
      report.print(.json)
    }

    // MARK: Summary

    /// The summary, a line about the index and the others about the dataset.
    static func text(of summary: Verifier.Summary) -> String {
      let counted = QueryRunner.counted
      var text = counted(summary.records, "record", nil) + " in " + counted(summary.shards, "shard", nil) + ", "
      text += counted(summary.bytes, "byte", nil) + ": "
      var state: [String] = []
      if summary.damagedFiles > 0 {
        state.append(counted(summary.damagedFiles, "finding of damage", "findings of damage"))
      }
      if summary.unreadFiles > 0 { state.append(counted(summary.unreadFiles, "failure to read", "failures to read")) }
      text += state.isEmpty ? "every byte is sound" : state.joined(separator: ", ")
      if let records = summary.sourceRecords { text += comparisonText(of: summary, sourceRecords: records) }
      return text
    }

    private static func comparisonText(of summary: Verifier.Summary, sourceRecords: Int) -> String {
      let counted = QueryRunner.counted
      var text = "\n" + counted(sourceRecords, "record", nil) + " in the dataset"
      if summary.badRecords > 0 { text += " and " + counted(summary.badRecords, "bad one", nil) }
      if summary.recordsLeftOut > 0 {
        text += " and " + counted(summary.recordsLeftOut, "one without a key", "without a key")
      }
      text +=
        summary.differences == 0
        ? ": all in the index, and no others" : ": " + counted(summary.differences, "difference", nil)
      for cause in summary.causes.prefix(10) {
        text += "\n" + counted(cause.records, "record differs", "records differ") + " only in: " + cause.text
      }
      if summary.unlisted > 0 {
        text += "\n" + counted(summary.unlisted, "difference is", "differences are") + " not listed"
      }
      if summary.unexaminedShards > 0 {
        text += "\n" + counted(summary.unexaminedShards, "shard differs and counts", "shards differ and count")
        text += " as one difference each: their records were not compared"
      }
      if summary.prefixes > 0 {
        text += "\n" + counted(summary.prefixes, "prefix", "prefixes") + " asked: "
        text += summary.wrongAnswers == 0 ? "every answer is right" : counted(summary.wrongAnswers, "wrong answer", nil)
      }
      return text
    }
  }

  extension DatasetError {
    /// The status of a command that could not read its dataset.
    var exitStatus: ExitStatus {
      switch self {
      case .cannotOpen, .isDirectory: .notFound
      case .io: .inputOutput
      case .unknownFormat: .usage
      case .empty, .unusable, .badCompression, .bad, .malformed: .badData
      }
    }
  }
#endif
