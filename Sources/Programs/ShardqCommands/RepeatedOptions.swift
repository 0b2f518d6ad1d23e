#if CommandLineTool
  import ArgumentParser
  import ShardBuilder

  /// The options that a command line has more than once. Lists add up, and an option with one value is refused.
  enum RepeatedOptions {
    /// Options that the parser itself collects.
    private static let collected: Set<String> = [
      "--alias", "--bind", "--delete", "--expect", "--facet", "--filter", "--frame-ancestors", "--host",
      "--image-origin", "--label", "--names", "--number", "--order", "--search-field", "--source", "--synonyms",
      "--trusted-proxy", "--upsert",
    ]
    /// Options whose value is a list with commas.
    private static let lists: Set<String> = [
      "--columns", "--coordinates", "--designs", "--fields", "--keep", "--part-sizes", "--shard-sizes",
    ]
    /// Options without a value in every command that has them; given twice they mean the same as once.
    private static let flags: Set<String> = [
      "--all", "--archive", "--bash", "--dry-run", "--entries", "--exit-0", "--explain", "--fish", "--force", "--help",
      "--ids", "--json", "--log-unmatched", "--merge", "--multi", "--name-columns",
      "--no-map", "--no-mouse", "--no-progress", "--overlay", "--plain", "--print-key", "--print-query", "--print0",
      "--public", "--quiet", "--ragged", "--select-1", "--single-writer", "--skip-bad", "--skip-empty-keys",
      "--starts", "--stats",
      "--stdin", "--verbose", "--version", "--watch", "--zsh", "-0", "-1", "-h", "-help", "-m", "-v",
    ]
    /// Options that have a value in one command, and none in another.
    private static let either: [String: Set<String>] = [
      "--count": ["generate"], "--near": ["query", "ui"],
      "--typos": ["build", "plan-ranges", "query", "ui", "verify"],
      "--null": ["build", "footprint", "plan", "plan-ranges", "update", "verify", "write-range"], "-q": ["ui"],
    ]
    private static let long = ["-i": "--index", "-n": "--limit", "-o": "--output"]
    /// Options whose value may be left out, by command, with their values; empty for any text. Behind a sign `=` the parser
    /// takes a wrong value for none, and before another option it takes every value for none.
    private static let optional: [String: [String: [String]]] = {
      let build = [
        "--typos": EditedWords.allCases.map(\.rawValue), "--words": BuildOptions.Words.allCases.map(\.rawValue),
      ]
      return ["build": build, "plan-ranges": build, "ui": ["--border": [], "--tmux": []]]
    }()

    /// Returns a command line with the values of each list in one option, and each optional value behind its option.
    ///
    /// - Parameter line: The command line, the command first.
    /// - Throws: `ValidationError` for an option with one value that is given twice.
    static func joined(_ line: [String]) throws -> [String] {
      var result: [String] = []
      var places: [String: Int] = [:]
      var rest = line[...]
      while let argument = rest.popFirst() {
        result.append(argument)
        guard argument != "--" else { return result + rest }
        guard let (name, value) = split(argument), takesValue(name, in: line.first ?? "") else { continue }
        let values = optional[line.first ?? ""]?[name]
        if let value, let values {
          guard values.isEmpty || values.contains(value) else {
            throw ValidationError("\(name) has no value '\(value)'; choose \(values.joined(separator: " or "))")
          }
          result.removeLast()
          result += [name, value]
        }
        // The value is an argument of its own, even if it begins with a dash, unless it may be left out.
        if value == nil, values == nil || rest.first?.hasPrefix("-") == false, let next = rest.popFirst() {
          result.append(next)
        }
        if collected.contains(name) || name == "--index" && line.first == "serve" { continue }
        guard let first = places.updateValue(result.count - 1, forKey: name) else { continue }
        guard lists.contains(name) else {
          throw ValidationError("\(name) is given twice; give it once")
        }
        let added = value ?? result.removeLast()
        result.removeLast()
        result[first] += "," + added
        places[name] = first
      }
      return result
    }

    /// Returns the name of an option, and the value inside the argument; nil for another argument.
    private static func split(_ argument: String) -> (name: String, value: String?)? {
      guard argument.hasPrefix("-"), argument.count > 1 else { return nil }
      if argument.hasPrefix("--") {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
      }
      let name = String(argument.prefix(2))
      return (long[name] ?? name, argument.count > 2 ? String(argument.dropFirst(2)) : nil)
    }

    private static func takesValue(_ name: String, in command: String) -> Bool {
      if let commands = either[name] { return commands.contains(command) }
      return !flags.contains(name)
    }
  }
#endif
