#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardBuilder
  import ShardedIndex

  struct PageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "page",
      abstract: "Write a search page that needs no server program.",
      usage: "shardq page [<options>] -o <dir>",
      discussion: """
        EXAMPLES:
          shardq page -o site                      the index in ./shards
          shardq page -i /srv/cities -o site
          shardq page -o site --archive            the index as one file
          shardq page -o site --title Shop --subtitle '{brand}, {price} EUR'
          python3 -m http.server -d site           then open http://127.0.0.1:8000/

        The folder has the page of shardq serve, the engine as WebAssembly, and the index. Any host of \
        static files serves the folder. The engine runs in the browser and fetches the parts of the \
        index that a query needs. The folder appears under its name when it is complete. \
        It replaces an earlier folder of page, and no other files.

        DOCUMENTATION:
          man shardq-page, docs/static-page.md, docs/box.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation

    @Option(
      name: [.customShort("o"), .customLong("output")],
      help: ArgumentHelp("The folder to make, or an earlier folder of page to replace.", valueName: "dir"),
      completion: .directory)
    var output: String

    @Flag(name: .customLong("archive"), help: "Write the index as one file, for hosts that rename or limit files.")
    var isArchive = false

    @OptionGroup(title: "Page") var look: PageLook

    @OptionGroup(title: "Rows of the page") var rows: PageRows
    @OptionGroup(title: "Output") var summary: SummaryOptions

    func validate() throws {
      if output == "" { throw ValidationError("--output is empty; name a folder") }
    }

    func run() throws {
      let index = location.path
      do {
        let files = try PageFiles()
        let made = try PageFolder(output, of: files, look.options(rows, for: index)).write(index, asArchive: isArchive)
        let counted = QueryRunner.counted
        summary.note(
          "\(counted(made.bytes, "byte", nil)) of index and \(counted(files.bytes, "byte", nil)) of page in "
            + "\(printable(output)); manifest \(made.digest.prefix(16))")
        if !summary.isJSON, !summary.isQuiet {
          Diagnostics.note("try: python3 -m http.server -d \(shellWord(output))")
        }
        guard summary.isJSON else { return }
        var report = Report(of: "page")
        report.add("index", .text(index))
        report.add("page", .text(output))
        report.add("archive", .flag(isArchive))
        report.add("bytes", .number(made.bytes + files.bytes))
        report.add("index_bytes", .number(made.bytes))
        report.add("manifest_sha256", .text(made.digest))
        report.print(.json)
      } catch let error as PackError {
        finish(ShardqCommands.report(error))
      } catch let error as CommandFailure {
        Diagnostics.report(error.message)
        finish(error.status)
      }
    }
  }
#endif
