#if CommandLineTool
  import ArgumentParser
  import CLibrary
  import QueryOutput

  struct WarmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "warm",
      abstract: "Fill the disk cache of an index of a URL before a node serves it.",
      usage: "shardq warm -i <url> --log <file> [<options>]",
      discussion: """
        EXAMPLES:
          shardq warm -i s3://bucket/cities/ --log typing.log
          shardq warm -i s3://bucket/cities/ --log typing.log --cache-dir /var/cache

        warm asks each text of the log as a client of shardq serve would, and prints the numbers of \
        texts, requests and bytes. The disk cache then has the files that the answers need. shardq serve \
        with the same --cache-dir finds them there.

        The query log has a line for each change of the search box, MILLISECONDS<TAB>TEXT; a plain list \
        of texts works too.

        DOCUMENTATION:
          man shardq-warm, docs/nodes.md
        """)

    @OptionGroup(title: "Index") var location: IndexLocation
    @OptionGroup(title: "Index") var pin: IndexPin

    @Option(
      name: .customLong("log"),
      help: ArgumentHelp("The query log; - for standard input.", valueName: "file"), completion: .file())
    var log: String

    @OptionGroup(title: "An index of a URL") var remote: RemoteQueryOptions

    @Flag(name: .customLong("json"), help: "Print the counts as one JSON object.")
    var isJSON = false

    func run() throws {
      let index = location.pathOrURL
      guard RemoteIndex.isURL(index) else {
        Diagnostics.report("\(index): the index is on disk and needs no disk cache; name an index of a URL")
        finish(.usage)
      }
      var request = QueryRequest(prefix: "")
      request.index = index
      request.expectedDigest = pin.expectedDigest
      request.format = isJSON ? .json : nil
      RemoteWork.needed()
      if log != "-" {
        let file = open(log, O_RDONLY | O_CLOEXEC)
        guard file >= 0, dup2(file, STDIN_FILENO) >= 0 else {
          Diagnostics.report("cannot open \(log): " + String(cString: strerror(errno)) + "; check its name")
          finish(.notFound)
        }
      }
      RemoteWork.warm(request, remote.settings)
    }
  }
#endif
