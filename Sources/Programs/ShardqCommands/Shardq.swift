#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput
  import ShardedIndex

  import CLibrary

  package struct Shardq: ParsableCommand {
    package static let configuration = CommandConfiguration(
      commandName: "shardq",
      abstract: "Type-ahead over lists too big to load.",
      usage: """
        shardq [<options>] <prefix> ...
        shardq <command> ...
        """,
      discussion: """
        EXAMPLES:
          shardq san                               print the best or first 20 matches
          shardq san jose                          words need no quotes
          shardq alabama, u --json                 city first, then country
          shardq                                   type, see the matches, choose one
          shardq build cities.json                 make an index in ./shards
          shardq update --upsert changed.json      change some records of the index
          shardq query '' --all | wc -l            count all records
          shardq -- build                          search for a command's name
          shardq stats                             print size, fields and settings
          shardq verify --source cities.json       check every byte and record
          shardq footprint                         measure memory and speed
          shardq plan --log typing.log             find the best shard size
          shardq serve                             a search page and an HTTP API
          shardq page -o site                      write a page that needs no server
          shardq diff old new -o new.pack          write a patch, for shardq apply
          shardq publish s3://bucket/cities/       upload the index to a store

        If the first word is not a command, the words are a prefix to search for. Case and accents do \
        not matter. The index is the directory of --index, else of $SHARDQ_INDEX, else ./shards.

        Exit status: 0 done or matched; 1 no match, or damage found; 64 wrong usage; 65 bad data or a \
        damaged index; 66 not found or not readable; 74 reading or writing failed; 75 temporary failure, \
        try again: another build is running, or the index was rebuilt while it was being read.

        DOCUMENTATION:
          man shardq, man shardq-build             a page for each command
          docs/command.md                          settings, named indexes, colours
          share/doc/shardq                         the installed copy of docs/
        """,
      version: CommandLineParser.version,
      groupedSubcommands: [
        CommandGroup(
          name: "Search", subcommands: [QueryCommand.self, FacetsCommand.self, UICommand.self, MapCommand.self]),
        CommandGroup(
          name: "Index",
          subcommands: [
            BuildCommand.self, UpdateCommand.self, StatsCommand.self, VerifyCommand.self, RepairCommand.self,
            ExportCommand.self,
          ]),
        CommandGroup(name: "Page and server", subcommands: [PageCommand.self, ServeCommand.self, WarmCommand.self]),
        CommandGroup(
          name: "Copy",
          subcommands: [
            ArchiveCommand.self, UnarchiveCommand.self, DiffCommand.self, ApplyCommand.self, PublishCommand.self,
            FetchCommand.self, PruneCommand.self,
          ]),
        CommandGroup(
          name: "Distributed build",
          subcommands: [PlanRangesCommand.self, KeyCommand.self, WriteRangeCommand.self, MergeCommand.self]),
        CommandGroup(
          name: "Measure", subcommands: [FootprintCommand.self, PlanCommand.self, GenerateCommand.self]),
        CommandGroup(name: "Shell", subcommands: [CompletionsCommand.self]),
      ])

    package init() {}
  }

  /// The parser of command lines, which runs their commands.
  package enum CommandLineParser {
    static let version = ProductVersion.text

    private static let rootOptions = ["-h", "--help", "-help", "--version"]
    private static let queryOptions = [
      "-i", "--index", "-n", "--limit", "--offset", "--format", "--fields", "--sort", "--after", "--filter", "--facet",
      "--facet-limit", "--typos", "--words", "--near", "--radius", "--group", "--color", "--hyperlink",
      "--expect-digest",
      "--fetch", "--cache-dir", "--cache-size",
    ]

    /// Returns the arguments with the command first. Before a first word that is no command, `query` is inserted.
    package static func normalized(_ arguments: [String]) -> [String] {
      guard let first = arguments.first else { return [] }
      if FrontParser.commandNames.contains(first) || rootOptions.contains(first)
        || first.hasPrefix("--generate-completion-script")
        || first.hasPrefix("--experimental-dump-help") || first == "---completion"
      {
        return arguments
      }
      // A command's name is also found behind options, `-i DIR stats`.
      if let at = firstWord(arguments), FrontParser.commandNames.contains(arguments[at]) {
        var moved = arguments
        moved.insert(moved.remove(at: at), at: 0)
        return moved
      }
      return ["query"] + arguments
    }

    /// Returns the index of the first argument behind options, or of the `--` before it; nil if there is none.
    static func firstWord(_ arguments: [String]) -> Int? {
      var at = 0
      while at < arguments.count, arguments[at].hasPrefix("-"), arguments[at] != "--" {
        at += queryOptions.contains(arguments[at]) ? 2 : 1
      }
      return at < arguments.count ? at : nil
    }

    /// Returns the query of a command line; nil if it is another command or wrong.
    package static func request(_ arguments: [String]) -> QueryRequest? {
      let command = try? Shardq.parseAsRoot(normalized(arguments))
      guard let query = command as? QueryCommand else { return nil }
      return request(query, arguments)
    }

    private static func request(_ query: QueryCommand, _ arguments: [String]) -> QueryRequest {
      var request = query.request
      if query.words.count == 1, arguments.first != "query", let at = firstWord(arguments), arguments[at] != "--" {
        request.nearCommand = FrontParser.nearCommand(to: arguments[at], within: 1)
      }
      return request
    }

    /// Answers a query whose first word may be a misspelt command.
    private static func answer(_ query: QueryCommand, _ arguments: [String], _ misspelt: MisspeltCommand?) -> ExitStatus
    {
      guard let misspelt, query.words.count > 1 else {
        return RankReport.answer(request(query, arguments), query.options)
      }
      if misspelt.isCommand {
        Diagnostics.report(misspelt.text)
        return .usage
      }
      let status = RankReport.answer(query.request, query.options)
      guard status == .negative || status == .notFound else { return status }
      Diagnostics.report(misspelt.text)
      return status == .negative ? .usage : status
    }

    /// Whether a person can type in a list.
    private static var isListThere: Bool { isatty(STDIN_FILENO) == 1 && Terminal.isThere }

    /// Returns whether a line opens the list to type in: on a terminal, with options of the list and no text, `-i DIR`.
    private static func isList(_ arguments: [String]) -> Bool {
      firstWord(arguments) == nil && isListThere && (try? Shardq.parseAsRoot(["ui"] + arguments)) is UICommand
    }

    static func run(_ arguments: [String]) -> Never {
      guard !arguments.isEmpty else {
        // Without arguments a person gets the list to type in, or the first steps; a script gets an error.
        if isListThere, let status = UICommand.runIfIndexed() { finish(status) }
        let isPerson = isatty(STDOUT_FILENO) == 1
        if isPerson { print(HelpText.firstSteps) } else { Diagnostics.note(HelpText.firstSteps) }
        exit(isPerson ? 0 : ExitStatus.usage.rawValue)
      }
      if arguments.first == "help", arguments.count > 1, !FrontParser.commandNames.contains(arguments[1]),
        !arguments[1].hasPrefix("-")
      {
        let near = FrontParser.nearCommand(to: arguments[1], within: 2).map { "did you mean " + $0 + "?" }
        Diagnostics.report("there is no command " + arguments[1] + "; " + (near ?? "see shardq --help"))
        finish(.usage)
      }
      let line = normalized(arguments)
      let misspelt = MisspeltCommand(arguments, normalized: line)
      do {
        // On a terminal, options without a text open the list.
        let parsed = isList(arguments) ? ["ui"] + arguments : line
        var command = try Shardq.parseAsRoot(RepeatedOptions.joined(parsed))
        if command is UICommand, case let usual = UICommand.usualOptions, !usual.isEmpty {
          command = try Shardq.parseAsRoot(["ui"] + usual + RepeatedOptions.joined(parsed).dropFirst())
        }
        if let query = command as? QueryCommand { finish(answer(query, arguments, misspelt)) }
        try command.run()
      } catch {
        // Help and completion scripts are output like any other: a failed write is an error.
        if Shardq.exitCode(for: error) == .success {
          var output = Output()
          do throws(WriteError) {
            try output.write(Shardq.fullMessage(for: error, columns: HelpText.columns))
            try output.write("\n" as StaticString)
            try output.flush()
          } catch {
            finish(Diagnostics.failed(error))
          }
          exit(0)
        }
        guard Shardq.exitCode(for: error) == .validationFailure else { Shardq.exit(withError: error) }
        let text = misspelt.flatMap { $0.hasMore ? $0.text : nil } ?? UsageError(line, typed: arguments).text(error)
        Diagnostics.report(text + (SearchedText(arguments).map { ". " + $0.advice } ?? ""))
        finish(.usage)
      }
      exit(0)
    }
  }

  func finish(_ status: ExitStatus) -> Never { exit(status.rawValue) }

  extension ManifestDigest: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
  }

  extension OutputFormat: ExpressibleByArgument {}

  extension ByteSize: ExpressibleByArgument {}

  /// A list with commas between; a comma that belongs to a name is written `\,`.
  struct NameList: ExpressibleByArgument {
    var names: [String]

    init?(argument: String) {
      guard let names = NamedFields.list(argument) else { return nil }
      self.names = names
    }

    /// The text that ``init(argument:)`` reads.
    var text: String {
      names.map { $0.split(separator: ",", omittingEmptySubsequences: false).joined(separator: "\\,") }
        .joined(separator: ",")
    }
  }
#endif
