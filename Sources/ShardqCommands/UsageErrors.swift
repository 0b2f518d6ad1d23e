#if CommandLineTool
  import ArgumentParser
  import QueryOutput
  import ShardBuilder

  import CLibrary

  /// The error of a command line, with the text to type instead, in the voice of all other errors.
  struct UsageError {
    /// The command first.
    private let line: [String]
    /// The command line as it was typed.
    private let typed: [String]

    init(_ line: [String], typed: [String]) { (self.line, self.typed) = (line, typed) }

    /// - Parameter error: From parsing the line, or from a command that it names.
    func text(_ error: any Error) -> String {
      var message = Shardq.message(for: error)
      // The parser takes a value with a sign for an option. Joined to its option, it is checked as a value.
      if let option = Self.quoted(message, behind: "Missing value for '")?.prefix(while: { $0 != " " }),
        let joined = line(joining: String(option)), let other = Self.failure(joined)
      {
        message = other
      }
      // An unknown option is reported before a missing argument.
      if !message.hasPrefix("Unknown option"), let other = Self.failure(line + ["x"]), other.hasPrefix("Unknown option")
      {
        message = other
      }
      return sentence(message)
    }

    /// Returns the parser's message about a line; nil if the line is right.
    private static func failure(_ line: [String]) -> String? {
      do {
        _ = try Shardq.parseAsRoot(line)
        return nil
      } catch {
        return Shardq.exitCode(for: error) == .validationFailure ? Shardq.message(for: error) : nil
      }
    }

    /// Returns the line with an option and the number behind it as one argument.
    private func line(joining option: String) -> [String]? {
      guard let at = line.firstIndex(of: option), at + 1 < line.count, Int(line[at + 1]) != nil else { return nil }
      var joined = line
      joined[at] += (option.hasPrefix("--") ? "=" : "") + joined.remove(at: at + 1)
      return joined
    }

    /// Returns the text between `start` and the next quote.
    private static func quoted(_ message: String, behind start: String) -> Substring? {
      guard message.hasPrefix(start) else { return nil }
      return message.dropFirst(start.count).prefix { $0 != "'" }
    }

    // MARK: Sentences

    private var command: String { line.first ?? "" }

    /// The command line that prints the help for this one.
    private var help: String {
      typed.contains(command) ? "shardq " + command + " --help" : "shardq --help"
    }

    private func sentence(_ message: String) -> String {
      if let option = Self.quoted(message, behind: "Unknown option '") {
        return unknown(String(option), message.dropFirst("Unknown option '".count + option.count))
      }
      if let synopsis = Self.quoted(message, behind: "Missing value for '") {
        // The parser names a short option without its value.
        let option = synopsis.prefix { $0 != " " }
        return option + " needs a value; " + (option == synopsis ? "see " + help : "write " + synopsis)
      }
      if let value = Self.quoted(message, behind: "The value '") {
        return invalid(String(value), message.dropFirst("The value '".count + value.count))
      }
      if let synopsis = Self.quoted(message, behind: "Missing expected argument '") {
        return synopsis + " is missing; see " + help
      }
      if let value = Self.quoted(message, behind: "Unexpected argument '") {
        return value + " is one argument too many; see " + help
      }
      if let option = Self.quoted(message, behind: "The option '") {
        return option + " takes no value; leave out the = and the text behind it"
      }
      if let values = message.firstRange(of: " unexpected arguments: '")?.upperBound {
        let list = message[values...].dropLast().replacing("', '", with: " ")
        return "there are too many arguments, " + list + "; see " + help
      }
      if let flags = Self.exclusive(message) {
        return flags.joined(separator: " and ") + " exclude each other; leave out one"
      }
      // The message is of this program, not of the parser.
      var text = message.hasSuffix(".") ? String(message.dropLast()) : message
      if let first = text.first, first.isUppercase, text.dropFirst().first?.isLowercase == true {
        text = first.lowercased() + text.dropFirst()
      }
      return text.contains(";") || text.contains(" must be ") ? text : text + "; see " + help
    }

    /// Returns the two flags that the parser says exclude each other; nil if the message says something else.
    private static func exclusive(_ message: String) -> [String]? {
      guard message.hasPrefix("Value to be set with flag '") else { return nil }
      let parts = message.split(separator: "'", omittingEmptySubsequences: false)
      return parts.count == 5 ? [String(parts[3]), String(parts[1])] : nil
    }

    private func invalid(_ value: String, _ rest: Substring) -> String {
      guard let at = rest.firstRange(of: "for '")?.upperBound else {
        return value + " is not valid here; see " + help
      }
      let synopsis = rest[at...].prefix { $0 != "'" }
      let option = synopsis.prefix { $0 != " " }
      let more = rest[synopsis.endIndex...].dropFirst()
      if more.hasPrefix(": ") { return option + ": " + value + ": " + more.dropFirst(2) }
      let choices = Self.choices(more)
      guard !choices.isEmpty else {
        let name = synopsis.dropFirst(option.count).drop { $0 == " " || $0 == "<" }.prefix { $0 != ">" }
        return option + ": " + value + " is not valid; write " + (Self.values[String(name)] ?? String(synopsis))
      }
      let near = Misspelling.nearest(to: value, among: choices).map { "; did you mean " + $0 + "?" }
      return option + ": there is no " + value + (near ?? "; choose " + choices.joined(separator: ", "))
    }

    /// The values that options take, by the names that values have in help.
    private static let values = [
      "n": "a whole number, such as 20", "size": "a size, such as 8MiB", "sizes": "sizes, such as 64KiB,128KiB",
      "bytes": "a size, such as 12MB", "size|+n%": "a size or a percentage, such as 3MiB or +5%",
      "n|n%": "lines or a percentage, such as 20 or 40%", "lat,lon": "degrees north and east, such as 52.5,13.4",
      "cursor": "the cursor of an answer in JSON", "hex": "the 64 digits that shardq stats prints",
      "time": "a time, such as 7d, 12h or 30m", "seconds": "a number of seconds, such as 10",
      "ms": "a number of milliseconds, such as 5", "c": "one character, or tab",
      "name": DatasetDialect.Encoding.allCases.map(\.rawValue).joined(separator: ", "),
      "address:port": "an address and a port, such as 127.0.0.1:7878",
    ]

    /// Returns the values of a list: `'a', 'b' and 'c'.` or one on a line.
    private static func choices(_ list: Substring) -> [String] {
      if list.contains("'") {
        return list.split(separator: "'", omittingEmptySubsequences: false).enumerated().filter { $0.offset & 1 == 1 }
          .map { String($0.element) }
      }
      return list.split(separator: "\n").compactMap { row in
        row.firstRange(of: "- ").map { String(row[$0.upperBound...]) }
      }
    }

    /// - Parameter rest: The rest of the parser's message.
    private func unknown(_ option: String, _ rest: Substring) -> String {
      let argument =
        line.prefix { $0 != "--" }.first { $0 == option || $0.hasPrefix(option + "=") }
        ?? line.prefix { $0 != "--" }.first { !$0.hasPrefix("--") && $0.hasPrefix(option) } ?? option
      if argument.contains(".") || argument.contains("/") || access(argument, F_OK) == 0, !argument.contains("=") {
        return argument + " looks like an option; for a file of that name write ./" + argument
      }
      let name = option.hasPrefix("--") ? option : argument
      if let advice = LookAlikes.advice(for: name, in: command) { return "there is no option " + name + advice }
      let suggestion = rest.firstRange(of: "Did you mean '").map { rest[$0.upperBound...].prefix { $0 != "'" } }
      if let suggestion, Misspelling.nearest(to: option, among: [String(suggestion)]) != nil {
        return "there is no option " + name + "; did you mean " + suggestion + "?"
      }
      return "there is no option " + name + "; see " + help
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
  enum LookAlikes {
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
      (["--header", "--headers"], ["query"], "--with-header"),
      (["--headers"], ["ui"], "--with-header"),
      (["--silent"], [], "--quiet"),
      (["--no-color", "--no-colour"], [], "--color never"),
      (["--csv"], ["query", "ui"], "--format csv"),
      (["--field", "-f", "--columns", "--select"], ["query", "ui"], "--fields"),
      (["--print0", "--zero", "-z"], ["query", "ui"], "-0"),
      (["-c"], ["query"], "--count"),
      (["--max", "--max-count", "-m", "--top", "--head", "--number"], ["query", "explain"], "--limit"),
      (["--skip", "--from"], ["query"], "--offset"),
      (["--sort-by", "--order", "--order-by"], ["query", "explain"], "--sort"),
      (["--cursor", "--continue"], ["query"], "--after"),
      (["--verbose", "-v", "-V"], [], "--version"),
    ]

    /// The options without a counterpart, and the reasons.
    static let absent: [(options: [String], commands: [String], reason: String)] = [
      (["--color", "--colour", "--no-color"], [], "; only queries, ui and map print colours"),
      (["--filter", "-f"], ["ui"], "; shardq TEXT prints the matches of a text"),
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
      if let found = table.first(where: { isMeant($0.options, $0.commands) && isThere($0.instead, in: command) }) {
        return found.instead == "--version"
          ? "; shardq --version prints the version" : "; did you mean " + found.instead + "?"
      }
      return absent.first { isMeant($0.options, $0.commands) }?.reason
    }

    /// Returns whether a command has an option.
    private static func isThere(_ option: String, in command: String) -> Bool {
      if option == "--version" { return true }
      let help =
        Shardq.configuration.subcommands.first { $0.configuration.commandName == command }
        .map { Shardq.helpMessage(for: $0) } ?? ""
      let name = option.prefix { $0 != " " }
      return help.contains("  " + name) || help.contains(", " + name)
    }
  }
#endif
