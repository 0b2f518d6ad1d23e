#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput

  import CLibrary

  /// The message of a wrong command line, with advice for near misses.
  struct UsageError {
    /// The command first.
    private let line: [String]
    /// The command line as it was typed.
    private let typed: [String]

    init(_ line: [String], typed: [String]) { (self.line, self.typed) = (line, typed) }

    /// - Parameter error: From parsing the line, or from a command that it names.
    func text(_ error: any Error) -> String {
      // An unknown option is reported before a missing argument.
      if let argument = unknownOption { return unknown(argument) }
      let message = Shardq.message(for: error)
      var text = message.hasSuffix(".") ? String(message.dropLast()) : message
      if let first = text.first, first.isUppercase, text.dropFirst().first?.isLowercase == true {
        text = first.lowercased() + text.dropFirst()
      }
      return text.contains(";") || text.contains(" must be ") || text.hasSuffix("?") ? text : text + "; see " + help
    }

    private var command: String { line.first ?? "" }

    /// The command line that prints the help for this one.
    private var help: String {
      typed.contains(command) ? "shardq " + command + " --help" : "shardq --help"
    }

    /// The first argument that is an option and none of the command's; nil if there is none.
    private var unknownOption: String? {
      let known = KnownOptions(of: command)
      var rest = line.dropFirst().prefix { $0 != "--" }
      while let argument = rest.popFirst() {
        guard argument.hasPrefix("-"), argument != "-" else { continue }
        let name = KnownOptions.name(of: argument)
        guard let takesValue = known.takesValue[name] else { return argument }
        if takesValue, argument == name { _ = rest.popFirst() }
      }
      return nil
    }

    private func unknown(_ argument: String) -> String {
      if argument.contains(".") || argument.contains("/") || access(argument, F_OK) == 0, !argument.contains("=") {
        return argument + " looks like an option; for a file of that name write ./" + argument
      }
      let isLong = argument.hasPrefix("--")
      let name = isLong ? KnownOptions.name(of: argument) : argument
      let names = KnownOptions(of: command).takesValue.keys.filter { $0.hasPrefix("--") }.sorted()
      let near = isLong ? Misspelling.nearest(to: name, among: names).map { "; did you mean " + $0 + "?" } : nil
      return "there is no option " + name + (ForeignOptions.advice(for: name, in: command) ?? near ?? "; see " + help)
    }
  }

  /// The options of a command, as its help lists them, and the hidden ones.
  struct KnownOptions {
    /// Whether each option takes a value, by its name.
    private(set) var takesValue: [String: Bool] = [:]

    init(of command: String) {
      let found = Shardq.configuration.subcommands.first { $0.configuration.commandName == command }
      for line in found.map({ Shardq.helpMessage(for: $0, includeHidden: true) })?.split(separator: "\n") ?? [] {
        let row = line.drop { $0 == " " }
        guard row.hasPrefix("-"), row.count < line.count else { continue }
        // Two spaces stand before the text of an option.
        let synopsis = row.firstRange(of: "  ").map { row[..<$0.lowerBound] } ?? row
        for name in synopsis.split(whereSeparator: { " ,/".contains($0) }) where name.hasPrefix("-") {
          takesValue[String(name)] = synopsis.contains("<")
        }
      }
    }

    /// Returns the option of an argument, which may have a value or other options joined to it.
    static func name(of argument: String) -> String {
      String(argument.hasPrefix("--") ? argument.prefix { $0 != "=" } : argument.prefix(2))
    }
  }

  /// A first word that may be a misspelt command.
  struct MisspeltCommand {
    private let word: String
    /// The arguments before the word, and those behind it.
    private let options: [String]
    private let rest: [String]
    private let command: String

    /// Finds the word; nil if the line names a command, or if the word is not near one.
    init?(_ typed: [String], normalized line: [String]) {
      guard typed.first != "query", line.first == "query",
        let at = CommandLineParser.firstWord(typed), at < typed.count, typed[at] != "--"
      else { return nil }
      word = typed[at]
      (options, rest) = (Array(typed[..<at]), Array(typed[(at + 1)...]))
      guard
        let near = FrontParser.nearCommand(to: word, within: 1) ?? FrontParser.nearCommand(to: word, within: 2)
          ?? FrontParser.commandMeant(by: word)
      else { return nil }
      command = near
    }

    /// Whether arguments follow the word, as they follow a command.
    var hasMore: Bool { !rest.isEmpty }

    /// Whether a file follows the word, as it follows a command.
    var isCommand: Bool {
      let endings = [".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".geojson", ".gz", ".zst", ".pack"]
      return rest.contains { argument in
        !argument.hasPrefix("-")
          && (argument.contains("/") || endings.contains { argument.hasSuffix($0) } || access(argument, F_OK) == 0)
      }
    }

    var text: String {
      // A query needs no command.
      let meant = command == "query" ? ShellWord.line(["shardq"] + options + rest) : command
      return word + " is no command; did you mean " + meant + "? " + SearchedText.advice(options, [word] + rest)
    }
  }

  /// A command line that names a command and may mean a text: words alone behind the command, and no file among them.
  struct SearchedText {
    private let options: [String]
    private let words: [String]

    init?(_ typed: [String]) {
      guard let at = CommandLineParser.firstWord(typed), at + 1 < typed.count, typed[at] != "help",
        FrontParser.commandNames.contains(typed[at]),
        !typed[at...].contains(where: { word in
          word.hasPrefix("-") || word.contains("/") || word.contains(".") || access(word, F_OK) == 0
        })
      else { return nil }
      (options, words) = (Array(typed[..<at]), Array(typed[at...]))
    }

    var advice: String { Self.advice(options, words) }

    /// Returns the sentence that names the line to search for words.
    static func advice(_ options: [String], _ words: [String]) -> String {
      "To search for this text: " + ShellWord.line(["shardq"] + options + ["--"] + words)
    }
  }

  /// Words as a shell reads them.
  enum ShellWord {
    static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

    private static func quoted(_ word: String) -> String {
      let isPlain = word.utf8.allSatisfy { byte in
        byte >= 0x80 || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7a || byte >= 0x2b && byte <= 0x3a || byte == 0x5f
          || byte == 0x3d
      }
      return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }
  }

  /// Options of other programs that people may try.
  enum ForeignOptions {
    /// The options to write instead, and the commands that have them; no command stands for all.
    static let table: [(options: [String], commands: [String], instead: String)] = [
      (["--format", "--type", "--from", "-f"], ["build", "update"], "--input-format"),
      (["-k"], ["build"], "--key"),
      (["-j", "--threads"], ["build", "update"], "--jobs"),
      (["-d", "--delim", "--sep", "--separator", "--field-separator"], ["build", "update"], "--delimiter"),
      (["--header", "--no-header", "--names"], ["build", "update"], "--columns"),
      (["--fields", "--only"], ["build"], "--keep"),
      (["-o", "--output", "--out", "--dir", "--directory", "-d"], ["build"], "--index"),
      (["--mem", "--max-memory"], ["build", "update"], "--memory"),
      (["--port", "-p", "--host", "--bind", "--address", "-l"], ["serve"], "--listen"),
      (["--dir", "--directory", "--database", "--db"], [], "--index"),
      (["-j"], ["query", "ui"], "--json"),
      (["--colour", "--colors", "--colours"], [], "--color"),
      (["--header"], ["query"], "--format csv"),
      (["--silent"], [], "--quiet"),
      (["--no-color", "--no-colour"], [], "--color never"),
      (["--csv", "--headers", "--with-header"], ["query", "ui"], "--format csv"),
      (["--field", "-f", "--columns", "--select"], ["query", "ui"], "--fields"),
      (["--print0", "--zero", "-z"], ["query", "ui"], "-0"),
      (["-c"], ["query"], "--count"),
      (["--max", "--max-count", "-m", "--top", "--head", "--number"], ["query"], "--limit"),
      (["--skip", "--from"], ["query"], "--offset"),
      (["--sort-by", "--order", "--order-by"], ["query", "ui"], "--sort"),
      (["--cursor", "--continue"], ["query"], "--after"),
      (["--verbose", "-v", "-V"], [], "--version"),
    ]

    /// The options without a counterpart, and the reasons.
    static let absent: [(options: [String], commands: [String], reason: String)] = [
      (["--color", "--colour", "--no-color"], [], "; only queries, ui and map print colours"),
      (["--preview"], ["ui"], "; the preview shows the record, and --preview-window sets its place and size"),
      (["--layout", "--reverse"], ["ui"], "; the list always stands below the typed text"),
      (["--bind", "--preview", "--prompt"], ["query"], "; shardq ui has it"),
      (["--sort", "--sort-by", "--order"], [], "; records come in the order of keys"),
      (["-q", "--quiet", "--silent"], [], "; 2>/dev/null hides the notes"),
    ]

    static func advice(for option: String, in command: String) -> String? {
      func isMeant(_ options: [String], _ commands: [String]) -> Bool {
        options.contains(option) && (commands.isEmpty || commands.contains(command))
      }
      let known = KnownOptions(of: command)
      if let found = table.first(where: {
        isMeant($0.options, $0.commands)
          && ($0.instead == "--version" || known.takesValue[String($0.instead.prefix { $0 != " " })] != nil)
      }) {
        return found.instead == "--version"
          ? "; shardq --version prints the version" : "; did you mean " + found.instead + "?"
      }
      return absent.first { isMeant($0.options, $0.commands) }?.reason
    }
  }
#endif
