#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardedIndex

  /// The options of a plain query. They may stand before any word, so the completions of the whole command have them
  /// too.
  package struct QueryOptions: ParsableArguments {
    @OptionGroup(title: "Index") var location: IndexLocation
    @OptionGroup(title: "Index") var pin: IndexPin

    @OptionGroup(title: "Matches") var matching: MatchOptions
    @OptionGroup(title: "Output") package var printing: PrintOptions
    @OptionGroup(title: "An index of a URL") var remote: RemoteQueryOptions

    package init() {}
  }

  /// The options that say which matches a query prints, and in which order.
  struct MatchOptions: ParsableArguments {
    @Option(
      name: [.customShort("n", allowingJoined: true), .customLong("limit")],
      help: ArgumentHelp(
        "The most records to print (default: 20; 10 of a ranked answer on a terminal).", valueName: "n"))
    var limit: Int?

    @OptionGroup var conditions: ConditionOptions

    @Option(
      name: .customLong("after"),
      help: ArgumentHelp("Continue the ranked answer whose JSON has this cursor.", valueName: "cursor")
    )
    var cursor: AnswerCursor?

    @Option(
      name: .customLong("facet"),
      help: ArgumentHelp(
        "Print the values of this field among the matches, with the number of matches that have each. May be given "
          + "again, for other fields.",
        valueName: "field"))
    var facets: [String] = []

    @Option(
      name: .customLong("facet-limit"),
      help: ArgumentHelp("The most values of each --facet, at most 100 (default: 10).", valueName: "n"))
    var facetLimit: Int?

    @Option(
      name: .customLong("words"),
      help: ArgumentHelp(
        "auto asks for readings of the prefix if nothing matches it, and then leaves words out, in a ranked answer; "
          + "all does neither.",
        valueName: "mode"))
    var words = WordMode.auto

    @Flag(name: .customLong("all"), help: "Print all matches, in the order of the answer.")
    var all = false

    @Option(
      name: .customLong("offset"),
      help: ArgumentHelp(
        "The number of matches to leave out at the beginning, in the order of the answer.", valueName: "n"))
    var offset: Int?

    /// Sets the conditions of a search.
    func apply(to query: inout ShardedIndex.SearchQuery) {
      conditions.apply(to: &query)
      query.offset = offset ?? 0
      query.cursor = cursor?.cursor
      query.facets = facets
      if let facetLimit { query.facetLimit = facetLimit }
      query.words = words == .all ? .all : .automatic
    }
  }

  /// The options that say how a query prints its matches.
  package struct PrintOptions: ParsableArguments {
    @Flag(name: .customLong("count"), help: "Print only the number of matches; 10,000+ if a ranked answer has more.")
    var count = false

    @Option(
      name: .customLong("format"), help: "The format of the records (default: text on a terminal, else tsv).")
    var format: OutputFormat?

    @Flag(name: .customLong("json"), help: "The same as --format json.")
    var isJSON = false

    @Option(
      name: .customLong("fields"),
      help: ArgumentHelp("The fields to print, separated by commas, in tsv or csv.", valueName: "names"))
    var fields: NameList?

    @Flag(
      name: [.customShort("0"), .customLong("null")],
      help: "End each record with a zero byte, in tsv. With --stdin, a zero byte ends each prefix.")
    var endsWithZero = false

    @OptionGroup var color: ColorOption

    @Option(
      name: .customLong("hyperlink"),
      help: ArgumentHelp(
        "Links on coordinates in text (default: auto, as for --color).",
        valueName: "when"))
    var hyperlink: StyleMode?

    @Flag(
      name: [.customShort("q"), .customLong("quiet")],
      help: "Print nothing: the exit status is the answer.")
    var isQuiet = false

    @Flag(
      name: [.customShort("v"), .customLong("verbose")],
      help: "Print the cost of the answer on standard error.")
    var isVerbose = false

    @Flag(
      name: .customLong("stdin"),
      help: "Read a prefix from each line of standard input, and print its answer as a line of JSON.")
    package var stdin = false

    /// The format of the command line; nil if the line has none.
    var chosenFormat: OutputFormat? { isJSON ? .json : format }

    @Flag(name: .customLong("explain"), help: "Print the rank of each match, and the work of the search.")
    var explains = false

    package init() {}
  }

  /// Whether an answer may come from a reading or from fewer words, on the command line.
  enum WordMode: String, ExpressibleByArgument, CaseIterable { case auto, all }

  /// A cursor on the command line.
  struct AnswerCursor: ExpressibleByArgument {
    let cursor: ShardedIndex.Cursor

    init?(argument: String) {
      guard let cursor = ShardedIndex.Cursor(argument) else { return nil }
      self.cursor = cursor
    }
  }

  package struct QueryCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
      commandName: "query",
      abstract: "Print the records whose keys begin with a prefix.",
      usage: "shardq [query] [<options>] <prefix> ...",
      discussion: """
        EXAMPLES:
          shardq san                               print the best or first 20 matches
          shardq san --sort key                    in the order of keys
          shardq san jose -n 5                     words need no quotes
          shardq paris fr                          the last space can be the comma
          shardq 'san '                            San Jose, but not Santos
          shardq m\u{fc}nch --format json | jq .count
          shardq lon --fields name,country         two fields, with a tab between
          shardq lon --fields name -0 | xargs -0   names may have any character
          shardq a --all --format csv > a.csv
          printf 'lo\\nlon\\n' | shardq query --stdin

        FORMATS:
          text     keys and coordinates; the default on a terminal
          tsv      all fields, or those of --fields, with tabs between and no
                   header; the default in a pipe. A tab, a line feed or a carriage
                   return in a field is printed as \\t, \\n or \\r. With -0, fields
                   are unchanged, and a zero byte ends each record
          csv      RFC 4180 with a header
          json     {"schema":1,"query":\u{2026},"count":\u{2026},"matches":[\u{2026}]}. A ranked
                   answer also has hits, the rank of each match; complete; and
                   cursor, for --after
          jsonl    one record a line
          geojson  a FeatureCollection

        shardq prints a control character to a terminal as \\u001b, and to a pipe unchanged. Exit status \
        1 if nothing matches.

        DOCUMENTATION:
          man shardq-query, docs/command.md, docs/matching.md, docs/ranking.md
        """)

    @OptionGroup var options: QueryOptions

    @Argument(
      help: ArgumentHelp("The beginning of keys; case and accents do not matter.", valueName: "prefix"),
      completion: .nothing)
    var words: [String] = []

    package init() {}

    package func validate() throws {
      if let limit = options.matching.limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
      if let offset = options.matching.offset, offset < 0 { throw ValidationError("--offset must be at least 0") }
      if options.matching.all, options.matching.limit != nil {
        throw ValidationError("--all and --limit exclude each other; leave out one")
      }
      if options.printing.isJSON, options.printing.format != nil {
        throw ValidationError("--json and --format exclude each other; leave out one")
      }
      let format = options.printing.chosenFormat
      if options.printing.stdin {
        if !words.isEmpty { throw ValidationError("--stdin reads prefixes from standard input; leave out <prefix>") }
        if options.printing.fields != nil || options.printing.isQuiet {
          throw ValidationError("--stdin answers in JSON; leave out --fields and -q")
        }
        if let format, format != .json {
          throw ValidationError("--stdin answers in JSON; leave out --format")
        }
      } else if words.isEmpty {
        throw ValidationError("the prefix is missing; name one, or '' for all keys")
      }
      if options.printing.fields != nil, format ?? .tsv != .tsv, format != .csv {
        throw ValidationError("--fields goes with --format tsv or csv; leave out one")
      }
      if options.printing.endsWithZero, !options.printing.stdin, format ?? .tsv != .tsv {
        throw ValidationError("-0 goes with --format tsv; leave out one")
      }
      try checkFacets(format)
      if options.matching.conditions.sort == .key, options.printing.explains { throw Self.error(.needsRanks(.cursor)) }
      do throws(SearchFault) { try request.query.check() } catch { throw Self.error(error) }
      if options.printing.explains,
        options.printing.count || options.printing.stdin || format != nil || options.printing.endsWithZero
      {
        throw ValidationError("--explain prints a report; leave out --count, --stdin, --format and -0")
      }
      if options.matching.cursor != nil, options.printing.count { throw Self.error(.offsetBesideCursor) }
      if options.printing.count, options.printing.fields != nil || options.printing.endsWithZero,
        !options.printing.stdin
      {
        throw ValidationError("--count prints no records; leave out --fields and -0")
      }
      if options.printing.isQuiet, options.printing.count || options.printing.explains {
        throw ValidationError("-q prints nothing; leave out --count and --explain")
      }
    }

    private func checkFacets(_ format: OutputFormat?) throws {
      if let limit = options.matching.facetLimit, !(1...ShardedIndex.Facet.valueLimit ~= limit) {
        throw ValidationError("--facet-limit must be from 1 to \(ShardedIndex.Facet.valueLimit)")
      }
      guard !options.matching.facets.isEmpty else { return }
      let printing = options.printing
      if printing.count || printing.isQuiet || printing.explains {
        throw ValidationError("--facet prints values below the records; leave out --count, -q and --explain")
      }
      if printing.fields != nil || printing.endsWithZero && !printing.stdin || ![nil, .text, .json].contains(format) {
        throw ValidationError("--facet goes with --format text or json; leave out --fields and -0")
      }
    }

    /// The words of the command for a fault of its search.
    private static func error(_ fault: SearchFault) -> ValidationError {
      ConditionOptions.error(fault, rankedOptions: "--after, --filter, --near, --group, --typos and --explain")
    }

    package var request: QueryRequest {
      var request = QueryRequest(prefix: words.joined(separator: " "))
      request.index = options.location.index
      request.expectedDigest = options.pin.expectedDigest
      request.limit = options.matching.limit
      request.explains = options.printing.explains
      options.matching.apply(to: &request.query)
      request.all = options.matching.all
      request.countOnly = options.printing.count
      request.format = options.printing.chosenFormat
      // Only text and JSON have a place for facets.
      if request.format == nil, !options.matching.facets.isEmpty, !options.printing.stdin { request.format = .text }
      request.fields = options.printing.fields?.names ?? []
      request.endsWithZero = options.printing.endsWithZero
      (request.color, request.hyperlink) = (options.printing.color.mode, options.printing.hyperlink)
      (request.isQuiet, request.isVerbose) = (options.printing.isQuiet, options.printing.isVerbose)
      request.readsLines = options.printing.stdin
      request.implySort()
      return request
    }

    package func run() throws {
      finish(RankReport.answer(request, options))
    }
  }
#endif
