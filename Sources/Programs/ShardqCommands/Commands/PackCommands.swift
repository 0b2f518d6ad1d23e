#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  import CLibrary

  struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "diff",
      abstract: "Write a patch between two indexes.",
      usage: "shardq diff [<options>] <old> <new> -o <pack>",
      discussion: """
        EXAMPLES:
          shardq diff yesterday today -o today.pack
          shardq diff old new -o - | ssh host shardq apply -i /srv/cities -

        The patch is a pack file with the new manifest and the shards that the old index lacks. Of these \
        files, the pack has only the parts that the old index lacks. The pack appears under its name \
        when it is complete.

        DOCUMENTATION:
          man shardq-diff, docs/pack.md
        """)

    @Argument(
      help: ArgumentHelp("The old index, a directory or an archive.", valueName: "old"),
      completion: .directory)
    var old: String

    @Argument(
      help: ArgumentHelp("The new index, a directory or an archive.", valueName: "new"), completion: .directory)
    var new: String

    @Option(
      name: [.customShort("o"), .customLong("output")],
      help: ArgumentHelp("The pack; - for standard output.", valueName: "pack"), completion: .file())
    var output: String

    @OptionGroup(title: "Output") var summary: SummaryOptions
    @OptionGroup(title: "Output") var progress: ProgressOptions

    func validate() throws {
      if output == "-", summary.isJSON {
        throw ValidationError("--json and -o - both print to standard output; name a file with -o")
      }
      if output == "" { throw ValidationError("--output is empty; name a file, or - for standard output") }
      if output == "-", isatty(STDOUT_FILENO) == 1 {
        throw ValidationError("a terminal cannot show a pack; name a file with -o, or use a pipe")
      }
    }

    func run() throws {
      do throws(PackError) {
        let (made, steps) = try BuildReport.running(progress) { show throws(PackError) in
          try ShardBuilder.diff(old: old, new: new, to: output) { show(BuildReport.step($0)) }
        }
        let (number, counted) = (QueryRunner.grouped, QueryRunner.counted)
        summary.note(
          made.oldDigest == made.newDigest
            ? "the indexes are the same: the pack changes nothing, \(counted(made.bytes, "byte", nil))"
            : "\(number(made.shardsShipped)) of \(counted(made.shardCount, "shard", nil)) in the pack, "
              + "\(counted(made.bytes, "byte", nil)); from \(made.oldDigest.prefix(16)) to \(made.newDigest.prefix(16))"
        )
        if progress.isVerbose { summary.note(steps.text) }
        guard summary.isJSON else { return }
        var report = Report(of: "diff")
        report.add("pack", .text(output))
        report.add("shards", .number(made.shardCount))
        report.add("shards_shipped", .number(made.shardsShipped))
        report.add("bytes", .number(made.bytes))
        report.add("old_sha256", .text(made.oldDigest))
        report.add("new_sha256", .text(made.newDigest))
        report.print(.json)
      } catch {
        finish(report(error))
      }
    }
  }

  struct ApplyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "apply",
      abstract: "Update an index with a patch.",
      usage: "shardq apply [<options>] <pack>",
      discussion: """
        EXAMPLES:
          shardq apply today.pack                  change the index in ./shards
          shardq apply -i /srv/cities today.pack
          curl -s https://example.org/today.pack | shardq apply -i /srv/cities -

        Readers see the old index until the new index is complete. If apply is interrupted, run it \
        again: it continues where it stopped. apply refuses a damaged pack, and a pack that was made \
        from another index. An index that is up to date stays as it is.

        DOCUMENTATION:
          man shardq-apply, docs/pack.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation

    @Option(
      name: .customLong("expect-digest"),
      help: ArgumentHelp("The SHA-256 that the updated manifest must have.", valueName: "hex"))
    var expectedDigest: ManifestDigest?

    @Argument(help: ArgumentHelp("The pack; - for standard input.", valueName: "pack"), completion: .file())
    var pack: String

    @OptionGroup(title: "Output") var summary: SummaryOptions
    @OptionGroup(title: "Output") var progress: ProgressOptions

    func run() throws {
      let directory = location.path
      do throws(PackError) {
        let (made, steps) = try BuildReport.running(progress) { (show) throws(PackError) in
          try ShardBuilder.apply(pack: pack, to: directory, expecting: expectedDigest) { show(BuildReport.step($0)) }
        }
        let (number, counted) = (QueryRunner.grouped, QueryRunner.counted)
        summary.note(
          made.wasThere
            ? "\(directory) is at \(made.digest.prefix(16)) already: nothing written"
            : "\(counted(made.shardCount, "shard", nil)) in \(directory), \(number(made.shardsWritten)) of them "
              + "written; now at \(made.digest.prefix(16))")
        if progress.isVerbose { summary.note(steps.text) }
        guard summary.isJSON else { return }
        var report = Report(of: "apply")
        report.add("index", .text(directory))
        report.add("shards", .number(made.shardCount))
        report.add("shards_written", .number(made.shardsWritten))
        report.add("unchanged", .flag(made.wasThere))
        report.add("manifest_sha256", .text(made.digest))
        report.print(.json)
      } catch {
        finish(report(error))
      }
    }
  }

  /// Reports why a pack or an archive was not made, or a pack not applied, and returns the status to end with.
  func report(_ error: PackError) -> ExitStatus {
    switch error {
    case .index(let error): return QueryRunner.report(error)
    case .build(.io("write", "standard output", let code)): return Diagnostics.failed(WriteError(errno: code))
    case .build(let error):
      Diagnostics.report(error.message.text)
      return error.exitStatus
    default:
      Diagnostics.report(error.message.text)
      return .badData
    }
  }
#endif
