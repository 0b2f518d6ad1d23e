#if CommandLineTool
  import ArgumentParser
  import QueryOutput

  /// All of a plain query but the prefix. It may stand before any word, so the whole command's completions have it too.
  package struct QueryOptions: ParsableArguments {
    @OptionGroup var location: IndexLocation
    @OptionGroup var pin: IndexPin

    @Option(
      name: [.customShort("n"), .customLong("limit")],
      help: ArgumentHelp("The most records to print (default: 20).", valueName: "n"))
    var limit: Int?

    @Flag(name: .customLong("all"), help: "Print all matches.")
    var all = false

    @Option(name: .customLong("offset"), help: ArgumentHelp("Matches to pass over.", valueName: "n"))
    var offset = 0

    @Flag(name: .customLong("count"), help: "Print how many records match, nothing else.")
    var count = false

    @Option(
      name: .customLong("format"), help: "How records are printed (default: text on a terminal, else tsv).")
    var format: OutputFormat?

    @Flag(name: .customLong("stdin"), help: "Answer each line of standard input by one line of JSON.")
    package var stdin = false

    package init() {}
  }

  package struct QueryCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
      commandName: "query",
      abstract: "Print the records whose keys begin with a prefix.",
      discussion: """
        EXAMPLES:
          shardq san                               the first 20 matches, in order
          shardq 'san ' -n 5                       a space at the end counts: San Jose, not Santos
          shardq münch --format json | jq .count
          shardq a --all --format csv > a.csv
          printf 'lo\\nlon\\n' | shardq query --stdin

        Formats: text (keys and coordinates; on a terminal), tsv (fields in the index's order, no header; in a pipe),
        csv (RFC 4180 with header), json ({"query":…,"count":…,"matches":[…]}), jsonl (a record a line), geojson.
        Exit status 1 if nothing matches.
        """)

    @OptionGroup var options: QueryOptions

    @Argument(help: "What keys begin with; case and accents do not matter.", completion: .nothing)
    var prefix: String?

    package init() {}

    package func validate() throws {
      if let limit = options.limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
      if options.offset < 0 { throw ValidationError("--offset must be at least 0.") }
      if options.all, options.limit != nil { throw ValidationError("--all and --limit exclude each other.") }
      if options.stdin {
        if prefix != nil { throw ValidationError("--stdin reads the prefixes: name none.") }
        if let format = options.format, format != .json {
          throw ValidationError("--stdin answers in JSON: --format is json or left out.")
        }
      } else if prefix == nil {
        throw ValidationError("Name a prefix; '' is the one of every key.")
      }
    }

    package var request: QueryRequest {
      var request = QueryRequest(prefix: prefix ?? "")
      request.index = options.location.index
      request.expectedDigest = options.pin.expectedDigest
      request.limit = options.limit
      request.offset = options.offset
      request.all = options.all
      request.countOnly = options.count
      request.format = options.format
      request.readsLines = options.stdin
      return request
    }

    package func run() throws {
      finish(QueryRunner.run(request))
    }
  }
#endif
