#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  struct RepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "repair",
      abstract: "Replace damaged files of an index with those of a copy.",
      usage: "shardq repair [<options>] --from <copy>",
      discussion: """
        EXAMPLES:
          shardq repair --from /backup/cities            the index in ./shards
          shardq repair -i /srv/cities --from /mnt/other/cities

        repair takes only files that are damaged or missing in the index and sound in the copy. Any \
        index with the same shards can be the copy. A damaged manifest or overlay is replaced if other \
        files of the index prove that the copy has the same one. Without that proof, name the manifest \
        with --expect-digest, or take it unproven with --force.

        Exit status 0 if the index is sound afterwards, 1 if damage is left; standard output names the \
        damaged files.

        DOCUMENTATION:
          man shardq-repair, docs/faults.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation

    @Option(
      name: .customLong("from"), help: ArgumentHelp("The copy, a directory or an archive.", valueName: "copy"),
      completion: .directory)
    var from: String

    @Option(
      name: .customLong("expect-digest"),
      help: ArgumentHelp(
        "Take a manifest from the copy only if this is its SHA-256, as stats prints it.", valueName: "hex"))
    var expectedDigest: ManifestDigest?

    @Flag(
      name: .customLong("force"),
      help: "Replace a damaged manifest or overlay with the copy's without a proof that both were the same.")
    var force = false

    @OptionGroup(title: "Output") var output: SummaryOptions
    @OptionGroup(title: "Output") var progress: ProgressOptions

    func validate() throws {
      if from == "" { throw ValidationError("--from is empty; name a directory or an archive") }
    }

    func run() throws {
      let directory = location.path
      let (summary, steps): (RepairSummary, BuildSteps)
      do throws(RepairError) {
        (summary, steps) = try BuildReport.running(progress) { show throws(RepairError) in
          try ShardBuilder.repair(directory, from: from, expecting: expectedDigest, takesUnproven: force) {
            show(BuildReport.step($0))
          }
        }
      } catch {
        switch error {
        case .index(let error): finish(QueryRunner.report(error))
        case .build(let cause):
          Diagnostics.report(error.message.text)
          finish(cause.exitStatus)
        case .sameDirectory:
          Diagnostics.report(error.message.text)
          finish(.usage)
        default:
          Diagnostics.report(error.message.text)
          finish(.badData)
        }
      }
      if output.isJSON { print(summary, directory) } else { note(summary) }
      if progress.isVerbose { output.note(steps.text) }
      finish(summary.isSound ? .done : .negative)
    }

    private func print(_ summary: RepairSummary, _ directory: String) {
      var report = Report(of: "repair")
      report.add("index", .text(directory))
      report.add("sound", .flag(summary.isSound))
      report.add("repaired", .list(summary.repaired))
      report.add("bytes", .number(summary.bytes))
      let damage = summary.damage.map {
        "{\"file\":" + JSONText.string("\($0.file)") + ",\"reason\":" + JSONText.string("\($0.reason)") + "}"
      }
      report.add("damage", .raw("[" + damage.joined(separator: ",") + "]"))
      report.print(.json)
    }

    private func note(_ summary: RepairSummary) {
      for name in summary.repaired { Diagnostics.note("\(name): repaired") }
      var output = Output()
      do throws(WriteError) {
        for damage in summary.damage {
          try output.write(printable("\(damage.file): \(damage.reason)"))
          try output.write("\n" as StaticString)
        }
        try output.flush()
      } catch {
        finish(Diagnostics.failed(error))
      }
      let counted = QueryRunner.counted
      let done =
        summary.repaired.isEmpty
        ? "nothing repaired"
        : counted(summary.repaired.count, "file", nil) + " repaired, " + counted(summary.bytes, "byte", nil)
      Diagnostics.note(
        done + "; "
          + (summary.isSound
            ? "every byte is sound"
            : counted(summary.damage.count, "finding of damage", "findings of damage") + " left"))
    }
  }
#endif
