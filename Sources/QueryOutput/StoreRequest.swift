#if !hasFeature(Embedded)
  /// A command on a store. `shardq-commands` reads it from the command line and hands it to `shardq-store`.
  ///
  /// The arguments between the two programs are the command's name and `name=value`.
  package struct StoreRequest: Equatable, Sendable {
    package enum Command: String, Sendable, CaseIterable {
      case publish, fetch, prune
      case writeRange = "write-range"
      case merge
    }

    /// The arguments of `write-range` and `merge`, by which many processes make an index.
    package struct Ranges: Equatable, Sendable {
      package var plan = ""
      /// The version of the program that parses the command line, and the SHA-256 of its executable.
      package var program = (version: "", digest: "")
      package var isOfEntries = false
      package var rows: [String] = []
      package var records: Int?
      package var repeatedIDs: Int?
      /// The most memory, in bytes, and the number of threads.
      package var memoryBytes = 0
      package var jobs = 0

      package init() {}

      package static func == (a: Self, b: Self) -> Bool { a.arguments == b.arguments }

      fileprivate var arguments: [String] {
        var words = ["plan=" + plan, "version=" + program.version, "digest=" + program.digest]
        words += ["memory=\(memoryBytes)", "jobs=\(jobs)"] + rows.map { "rows=" + $0 }
        if isOfEntries { words.append("entries=true") }
        if let records { words.append("records=\(records)") }
        if let repeatedIDs { words.append("repeated-ids=\(repeatedIDs)") }
        return words
      }

      /// - Returns: nil for an argument of another kind.
      fileprivate mutating func set(_ name: String, _ value: String) -> Bool? {
        func set(_ target: inout Int?) -> Bool {
          target = Int(value).flatMap { $0 >= 0 ? $0 : nil }
          return target != nil
        }
        func set(_ target: inout Int) -> Bool {
          guard let number = Int(value), number >= 1 else { return false }
          target = number
          return true
        }
        switch name {
        case "plan": plan = value
        case "version": program.version = value
        case "digest": program.digest = value
        case "rows": rows.append(value)
        case "entries":
          isOfEntries = true
          return value == "true"
        case "memory": return set(&memoryBytes)
        case "jobs": return set(&jobs)
        case "records": return set(&records)
        case "repeated-ids": return set(&repeatedIDs)
        default: return nil
        }
        return true
      }
    }

    /// The executable that runs such commands.
    package static let program = "shardq-store"

    package var command: Command
    /// The URL of the prefix: `s3://bucket/prefix/`.
    package var url: String
    /// The directory of the index on disk, for `publish` and `fetch`.
    package var directory = ""
    /// The time that an object which no generation names stays, in seconds.
    package var graceSeconds = 7 * 86_400
    /// The number of generations that `prune` keeps.
    package var kept = 2
    /// Whether the user says that no other process publishes to the prefix; then commits use no create-if-absent.
    package var isSingleWriter = false
    /// Whether `prune` prints the names of objects and removes none.
    package var isDryRun = false
    package var isJSON = false
    package var isQuiet = false
    /// The time without bytes after which a request fails, in seconds; nil for the default.
    package var stallSeconds: Int?
    /// The arguments of `write-range` and `merge`; nil for other commands.
    package var ranges: Ranges?

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
      return words + (ranges?.arguments ?? [])
    }

    /// - Returns: nil for arguments that ``arguments`` does not make.
    package init?(arguments: [String]) {
      guard let command = arguments.first.flatMap(Command.init) else { return nil }
      self.init(command, "")
      if command == .writeRange || command == .merge { ranges = Ranges() }
      for argument in arguments.dropFirst() {
        guard let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let value = String(argument[argument.utf8.index(after: equals)...])
        guard set(String(argument[..<equals]), value) else { return nil }
      }
      let needsIndex = command == .publish || command == .fetch
      guard !url.isEmpty, !needsIndex || !directory.isEmpty, ranges.map({ !$0.plan.isEmpty }) ?? true else {
        return nil
      }
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
      if let isSet = ranges?.set(name, value) { return isSet }
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
