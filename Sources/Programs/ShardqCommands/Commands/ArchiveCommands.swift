#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  struct ArchiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "archive",
      abstract: "Write an index into one file.",
      usage: "shardq archive [<options>] -o <file>",
      discussion: """
        EXAMPLES:
          shardq archive -o cities.shardq                the index in ./shards
          shardq archive -i /srv/cities -o cities.shardq
          shardq -i cities.shardq 'san d'

        Every command that reads an index takes an archive in place of a directory. The archive is a ZIP \
        file without compression: the shards are compressed already. The file appears under its name \
        when it is complete.

        DOCUMENTATION:
          man shardq-archive, docs/archive.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation

    @Option(
      name: [.customShort("o"), .customLong("output")],
      help: ArgumentHelp("The archive.", valueName: "file"), completion: .file())
    var output: String

    @Flag(name: .customLong("force"), help: "Replace the file if it exists.")
    var force = false

    @OptionGroup(title: "Output") var summary: SummaryOptions
    @OptionGroup(title: "Output") var progress: ProgressOptions

    func validate() throws {
      if output == "" { throw ValidationError("--output is empty; name a file") }
      if output == "-" { throw ValidationError("an archive cannot be written to standard output; name a file with -o") }
    }

    func run() throws {
      let path = location.path
      do throws(PackError) {
        let (made, steps) = try BuildReport.running(progress) { show throws(PackError) in
          try ShardBuilder.archive(path, to: output, replaces: force) { show(BuildReport.step($0)) }
        }
        summary.note(made, "in \(printable(output))")
        if progress.isVerbose { summary.note(steps.text) }
        if summary.isJSON { made.report(of: "archive", ("index", path), ("archive", output)).print(.json) }
      } catch {
        finish(report(error))
      }
    }
  }

  struct UnarchiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unarchive",
      abstract: "Make an index directory from an archive.",
      usage: "shardq unarchive [<options>] <file> -o <dir>",
      discussion: """
        EXAMPLES:
          shardq unarchive cities.shardq -o cities

        unarchive compares each file with its digest in the index. To change an archive, unarchive it, \
        change the directory, and archive the directory.

        DOCUMENTATION:
          man shardq-unarchive, docs/archive.md
        """)

    @Argument(help: ArgumentHelp("The archive.", valueName: "file"), completion: .file())
    var archive: String

    @Option(
      name: [.customShort("o"), .customLong("output")],
      help: ArgumentHelp("The directory to make; it may exist if it is empty.", valueName: "dir"),
      completion: .directory)
    var output: String

    @OptionGroup(title: "Output") var summary: SummaryOptions
    @OptionGroup(title: "Output") var progress: ProgressOptions

    func validate() throws {
      if output == "" { throw ValidationError("--output is empty; name a directory") }
    }

    func run() throws {
      do throws(PackError) {
        let (made, steps) = try BuildReport.running(progress) { show throws(PackError) in
          try ShardBuilder.unarchive(archive, into: output) { show(BuildReport.step($0)) }
        }
        summary.note(made, "in \(printable(output))")
        if progress.isVerbose { summary.note(steps.text) }
        if summary.isJSON { made.report(of: "unarchive", ("archive", archive), ("index", output)).print(.json) }
      } catch {
        finish(report(error))
      }
    }
  }

  extension SummaryOptions {
    fileprivate func note(_ made: ArchiveSummary, _ place: String) {
      let counted = QueryRunner.counted
      note(
        "\(counted(made.files, "file", nil)), \(counted(made.bytes, "byte", nil)) \(place); manifest "
          + made.digest.prefix(16))
    }
  }

  extension ArchiveSummary {
    fileprivate func report(of command: String, _ paths: (name: String, path: String)...) -> Report {
      var report = Report(of: command)
      for (name, path) in paths { report.add(name, .text(path)) }
      report.add("files", .number(files))
      report.add("shards", .number(shardCount))
      report.add("bytes", .number(bytes))
      report.add("manifest_sha256", .text(digest))
      return report
    }
  }
#endif
