#if CommandLineTool
  import ArgumentParser
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract: "Check every byte of an index, and that it answers for a dataset.",
      discussion: """
        EXAMPLES:
          shardq verify                            sizes, digests, checksums, order, keys, counts
          shardq verify --source cities.json       also: every record there, nothing else, under every prefix

        Exit status 1 if anything is damaged or differs; each is named on standard output. 74 if nothing is, but
        something could not be read.
        """)

    @OptionGroup var location: IndexLocation
    @OptionGroup var pin: IndexPin

    @Option(
      name: .customLong("source"), parsing: .upToNextOption,
      help: ArgumentHelp("The dataset that the index was made from.", valueName: "file"), completion: .file())
    var source: [String] = []

    @OptionGroup(title: "Reading the dataset") var input: InputOptions

    func validate() throws {
      if source.isEmpty, input.isSaid {
        throw ValidationError("How the dataset is read matters with --source only.")
      }
    }

    func run() throws {
      var output = Output()
      var failure: WriteError? = nil
      func say(_ line: String) {
        guard failure == nil else { return }
        do throws(WriteError) {
          try output.write(printable(line))
          try output.write("\n" as StaticString)
        } catch {
          failure = error
        }
      }
      let comparison =
        source.isEmpty
        ? nil
        : Verifier.Source(
          source,
          options: input.reading.datasetOptions,
          template: input.key, keep: input.keep?.names)
      var strays: [String] = []
      var kept: [String] = []
      let summary: Verifier.Summary
      do throws(Verifier.Failure) {
        summary = try Verifier.verify(
          index: QueryRunner.indexPath(location.index), source: comparison,
          options: .init(expectedDigest: pin.expectedDigest)
        ) {
          finding in
          switch finding {
          case .damage(let file, let reason): say("\(file): \(reason)")
          case .unread(_, let reason): Diagnostics.report(reason)
          case .missing(let record, let count):
            say("not in the index\(count > 1 ? ", \(count) times" : ""): \(record)")
          case .unexpected(let record, let count):
            say("not in the dataset\(count > 1 ? ", \(count) times" : ""): \(record)")
          case .wrongAnswer(let prefix, let reason): say("prefix \"\(prefix)\": \(reason)")
          case .stray(let file, let isShard): if isShard { kept.append(file) } else { strays.append(file) }
          }
        }
      } catch {
        switch error {
        case .index(let error): finish(QueryRunner.report(error))
        case .source(let error):
          Diagnostics.report(error.description)
          finish(error.exitStatus)
        case .template(let error):
          Diagnostics.report(error.text)
          finish(error.exitStatus)
        }
      }
      do throws(WriteError) {
        if let failure { throw failure }
        try output.flush()
      } catch {
        finish(Diagnostics.failed(error))
      }
      let counted = QueryRunner.counted
      func note(_ files: [String], _ what: String) {
        let shown = files.count > 5 ? 3 : files.count
        for file in files.prefix(shown) { Diagnostics.note("\(printable(file)): \(what)") }
        if files.count > shown {
          Diagnostics.note("… and " + counted(files.count - shown, "file", nil) + " more: " + what)
        }
      }
      note(kept, "kept for readers of the last generation, until the next build")
      note(strays, "does not belong to the index")
      var line = counted(summary.records, "record", nil) + " in " + counted(summary.shards, "shard", nil) + ", "
      line += counted(summary.bytes, "byte", nil) + ": "
      var state: [String] = []
      if summary.damagedFiles > 0 {
        state.append(counted(summary.damagedFiles, "finding of damage", "findings of damage"))
      }
      if summary.unreadFiles > 0 { state.append(counted(summary.unreadFiles, "failure to read", "failures to read")) }
      line += state.isEmpty ? "every byte is sound" : state.joined(separator: ", ")
      if let records = summary.sourceRecords {
        line += "\n" + counted(records, "record", nil) + " in the dataset"
        if summary.badRecords > 0 { line += " and " + counted(summary.badRecords, "bad one", nil) }
        line +=
          summary.differences == 0
          ? ": all in the index, and no others" : ": " + counted(summary.differences, "difference", nil)
        for cause in summary.causes.prefix(10) {
          line += "\n" + counted(cause.records, "record differs", "records differ") + " only in: " + cause.text
        }
        if summary.unlisted > 0 {
          line += "\n" + counted(summary.unlisted, "difference is", "differences are") + " not listed"
        }
        if summary.unexaminedShards > 0 {
          line +=
            "\n" + counted(summary.unexaminedShards, "shard that differs was", "shards that differ were")
            + " not looked into, and " + (summary.unexaminedShards == 1 ? "counts" : "count")
            + " as one difference each"
        }
        if summary.prefixes > 0 {
          line += "\n" + counted(summary.prefixes, "prefix", "prefixes") + " asked: "
          line +=
            summary.wrongAnswers == 0 ? "every answer is right" : counted(summary.wrongAnswers, "wrong answer", nil)
        }
      }
      Diagnostics.note(line)
      let isNegative = summary.damagedFiles + summary.differences + summary.wrongAnswers > 0
      finish(isNegative ? .negative : summary.unreadFiles > 0 ? .inputOutput : .done)
    }
  }

  extension DatasetError {
    /// With which status a command ends that could not read its dataset.
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
