#if !hasFeature(Embedded)
  /// A command on a store: `shardq-commands` reads it off the command line and tells `shardq-store`.
  ///
  /// The words between the two are the command's name and `name=value`.
  package struct StoreRequest: Equatable, Sendable {
    package enum Command: String, Sendable, CaseIterable {
      case publish, fetch, prune
    }

    /// The executable that runs such commands.
    package static let program = "shardq-store"

    package var command: Command
    /// `s3://bucket/prefix/`
    package var url: String
    /// The index on disk, of `publish` and `fetch`.
    package var directory = ""
    /// Seconds that an object which no generation names stays.
    package var graceSeconds = 7 * 86_400
    /// The generations that `prune` keeps.
    package var kept = 2
    /// Whether nobody else publishes to the prefix, so that a store without create-if-absent will do.
    package var isSingleWriter = false
    /// Whether `prune` says what it would remove.
    package var isDryRun = false
    package var isJSON = false
    package var isQuiet = false
    /// Seconds without bytes after which a request is given up; nil for the usual ones.
    package var stallSeconds: Int?

    package init(_ command: Command, _ url: String) { (self.command, self.url) = (command, url) }

    /// The arguments that ``init(arguments:)`` reads.
    package var arguments: [String] {
      var words = [command.rawValue, "url=" + url, "index=" + directory, "grace=\(graceSeconds)", "keep=\(kept)"]
      for (name, isSet) in [
        ("single-writer", isSingleWriter), ("dry-run", isDryRun), ("json", isJSON), ("quiet", isQuiet),
      ] where isSet {
        words.append(name + "=true")
      }
      if let stallSeconds { words.append("stall=\(stallSeconds)") }
      return words
    }

    /// - Returns: nil for words that ``arguments`` does not make.
    package init?(arguments: [String]) {
      guard let command = arguments.first.flatMap(Command.init) else { return nil }
      self.init(command, "")
      for argument in arguments.dropFirst() {
        guard let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let value = String(argument[argument.utf8.index(after: equals)...])
        guard set(String(argument[..<equals]), value) else { return nil }
      }
      guard !url.isEmpty, command == .prune || !directory.isEmpty else { return nil }
    }

    private mutating func set(_ name: String, _ value: String) -> Bool {
      func set(_ target: inout Int, from least: Int) -> Bool {
        guard let number = Int(value), number >= least else { return false }
        target = number
        return true
      }
      func set(_ flag: inout Bool) -> Bool {
        flag = true
        return value == "true"
      }
      switch name {
      case "url": url = value
      case "index": directory = value
      case "grace": return set(&graceSeconds, from: 0)
      case "keep": return set(&kept, from: 1)
      case "single-writer": return set(&isSingleWriter)
      case "dry-run": return set(&isDryRun)
      case "json": return set(&isJSON)
      case "quiet": return set(&isQuiet)
      case "stall":
        var seconds = 0
        guard set(&seconds, from: 1) else { return false }
        stallSeconds = seconds
      default: return false
      }
      return true
    }
  }
#endif
