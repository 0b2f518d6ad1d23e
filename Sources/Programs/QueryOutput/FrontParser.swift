import Answers
import ShardedIndex

/// The parser of plain queries. It reads a part of the command line's language, with the same meaning.
///
/// The full parser gets all other command lines: help, other commands, mistakes, options given twice, values that look
/// like options.
package enum FrontParser {
  /// The first words that name commands and are no prefixes.
  package static let commandNames = [
    "query", "facets", "build", "update", "stats", "verify", "export", "diff", "apply", "repair", "archive",
    "unarchive", "publish", "fetch", "prune", "page", "generate", "footprint", "plan", "plan-ranges", "key",
    "write-range", "merge", "ui", "map", "serve", "warm", "completions", "help",
  ]

  /// Returns the query of a command line; nil if the full parser has to read the command line.
  ///
  /// - Parameter arguments: The arguments behind the program's name.
  package static func parse(_ arguments: [String]) -> QueryRequest? {
    let isQuery = arguments.first == "query"
    guard let (line, command) = read(arguments.dropFirst(isQuery ? 1 : 0), isQuery: isQuery),
      var request = line.request
    else { return nil }
    if let command {
      // The first of several words may be a misspelled command: the full parser checks this.
      if line.words.count > 1, nearCommand(to: command, within: 2) ?? commandMeant(by: command) != nil { return nil }
      if line.words.count == 1 { request.nearCommand = nearCommand(to: command, within: 1) }
    }
    return request
  }

  /// Returns the query of a command line with an unfinished last word, and the words of its text; nil if the word may
  /// be anything but a part of a name.
  static func unfinished(_ arguments: [String]) -> (request: QueryRequest, words: [String])? {
    let isQuery = ["query", "map"].contains(arguments.first)
    guard let (line, command) = read(arguments.dropFirst(isQuery ? 1 : 0), isQuery: isQuery),
      let request = line.request, let last = line.words.last, last == arguments.last, !request.query.text.isEmpty
    else { return nil }
    if let command, line.words.count == 1, commandNames.contains(where: { $0.utf8.starts(with: command.utf8) }) {
      return nil
    }
    return (request, line.words)
  }

  /// Reads words and options; nil if the full parser has to read the line.
  ///
  /// - Returns: The line, and its first word if a command's name could stand there.
  private static func read(_ arguments: ArraySlice<String>, isQuery: Bool) -> (ParsedArguments, command: String?)? {
    var rest = arguments
    var line = ParsedArguments()
    var command: String?
    while let argument = rest.popFirst() {
      if argument.utf8.first != UInt8(ascii: "-") {
        if !isQuery, line.words.isEmpty {
          if commandNames.contains(argument) { return nil }
          command = argument
        }
        line.words.append(argument)
      } else if argument == "--" {
        guard !rest.isEmpty else { return nil }
        line.words += rest
        rest = []
      } else {
        guard line.readOption(argument, &rest) else { return nil }
      }
    }
    return (line, command)
  }

  /// Returns the command whose name differs from a word of four letters or more by at most `edits` typing errors; nil
  /// for none.
  package static func nearCommand(to word: String, within edits: Int) -> String? {
    let word = Array(word.utf8)
    guard word.count >= 4 else { return nil }
    // Each query of one word comes here, and an array of a name's bytes costs more than a look at its size.
    let sizes = max(4, word.count - edits)...word.count + edits
    return commandNames.first { name in
      sizes.contains(name.utf8.count) && Misspelling.isWithin(edits, word[...], Array(name.utf8)[...])
    }
  }

  /// Returns the command that a word of other programs means; nil for none.
  package static func commandMeant(by word: String) -> String? {
    switch word {
    case "search", "find", "lookup": "query"
    case "index", "create", "import": "build"
    default: nil
    }
  }

  /// The words and options that were read.
  private struct ParsedArguments {
    var words: [String] = []
    private var parsed = QueryRequest(prefix: "")
    private var offset: Int?
    private var sort: SortOrder?

    /// The query of the words and options; nil if they contradict each other.
    var request: QueryRequest? {
      var request = parsed
      request.query.text = words.joined(separator: " ")
      request.query.offset = offset ?? 0
      sort?.apply(to: &request.query)
      request.implySort()
      guard words.isEmpty == request.readsLines, !(request.all && request.limit != nil) else { return nil }
      let (format, hasColumns) = (request.format ?? .tsv, !request.fields.isEmpty)
      if request.readsLines, request.format ?? .json != .json || hasColumns || request.isQuiet { return nil }
      if request.countOnly, !request.readsLines, request.hasFields || request.isQuiet { return nil }
      if hasColumns, format != .tsv, format != .csv { return nil }
      if request.endsWithZero, !request.readsLines, format != .tsv { return nil }
      return request
    }

    private enum Option { case index, limit, offset, format, sort, fields, color, hyperlink }

    /// Reads an option, and its value from the next arguments; returns false if the full parser has to read the option.
    mutating func readOption(_ argument: String, _ rest: inout ArraySlice<String>) -> Bool {
      switch argument {
      case "--all": return Self.set(&parsed.all)
      case "--count": return Self.set(&parsed.countOnly)
      case "--stdin": return Self.set(&parsed.readsLines)
      case "-0", "--null": return Self.set(&parsed.endsWithZero)
      case "-q", "--quiet": return Self.set(&parsed.isQuiet)
      case "-v", "--verbose": return Self.set(&parsed.isVerbose)
      case "--json": return Self.set(&parsed.format, OutputFormat.json)
      default: break
      }
      guard let (option, attached) = Self.split(argument) else { return false }
      guard let value = attached ?? rest.popFirst(), attached != nil || value.utf8.first != UInt8(ascii: "-"),
        !value.isEmpty
      else { return false }
      return set(option, value)
    }

    private static func set(_ flag: inout Bool) -> Bool {
      guard !flag else { return false }
      flag = true
      return true
    }

    /// Sets a value; returns false if the value is nil or if another argument has set the target.
    private static func set<Value>(_ target: inout Value?, _ value: Value?) -> Bool {
      guard target == nil, let value else { return false }
      target = value
      return true
    }

    private mutating func set(_ option: Option, _ value: String) -> Bool {
      switch option {
      case .index: return Self.set(&parsed.index, value)
      case .limit: return Self.set(&parsed.limit, Self.number(value).flatMap { $0 >= 1 ? $0 : nil })
      case .offset: return Self.set(&offset, Self.number(value))
      case .format: return Self.set(&parsed.format, OutputFormat(rawValue: value))
      case .sort: return Self.set(&sort, SortOrder(rawValue: value))
      case .color: return Self.set(&parsed.color, StyleMode(rawValue: value))
      case .hyperlink: return Self.set(&parsed.hyperlink, StyleMode(rawValue: value))
      case .fields:
        guard parsed.fields.isEmpty, let names = NamedFields.list(value) else { return false }
        parsed.fields = names
        return true
      }
    }

    /// Returns the option that an argument names, and the value inside the argument, if there is one.
    private static func split(_ argument: String) -> (Option, attached: String?)? {
      let bytes = Array(argument.utf8)
      if bytes.starts(with: [UInt8(ascii: "-"), UInt8(ascii: "-")]) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let option = named(parts[0]) else { return nil }
        return (option, parts.count > 1 ? String(parts[1]) : nil)
      }
      guard bytes.count > 1, bytes.count == 2 || bytes[2] != UInt8(ascii: "=") else { return nil }
      // The value follows a short name without a sign between.
      let attached = bytes.count > 2 ? String(decoding: bytes[2...], as: UTF8.self) : nil
      switch bytes[1] {
      case UInt8(ascii: "i"): return (.index, attached)
      case UInt8(ascii: "n"): return (.limit, attached)
      default: return nil
      }
    }

    private static func named(_ name: Substring) -> Option? {
      switch name {
      case "--index": .index
      case "--limit": .limit
      case "--offset": .offset
      case "--format": .format
      case "--sort": .sort
      case "--fields": .fields
      case "--color": .color
      case "--hyperlink": .hyperlink
      default: nil
      }
    }

    /// Returns the number of a text of up to 18 digits; nil for other texts.
    private static func number(_ text: String) -> Int? {
      guard text.utf8.count <= 18, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
      return Int(text)
    }
  }
}
