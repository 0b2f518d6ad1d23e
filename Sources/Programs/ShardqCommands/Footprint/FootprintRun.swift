#if CommandLineTool
  import Answers
  import QueryOutput
  import ShardedIndex

  import CLibrary

  /// The figures of one design.
  package struct FootprintRow {
    package struct Sample {
      var keys: Int
      /// Bytes.
      var resident: Int
      var privatePages: Int

      package init(keys: Int, resident: Int, privatePages: Int) {
        self.keys = keys
        self.resident = resident
        self.privatePages = privatePages
      }
    }
    package var design: String
    /// The nanoseconds from before the process was started to its first answer, one number for each start.
    var starts: [Int] = []
    package var samples: [Sample] = []
    /// The figures by the names that ``Replay`` gives them, times in nanoseconds and sizes in bytes.
    package var figures: [String: Int] = [:]
    var answers = ""
    var diskBytes = 0

    package init(design: String) { self.design = design }

    /// Reads a line that ``Replay`` printed; lines of other kinds are passed over.
    mutating func read(_ line: Substring) {
      let words = line.split(separator: " ")
      let numbers = words.dropFirst().compactMap { Int($0) }
      if words[0] == "sample", numbers.count == 3 {
        samples.append(.init(keys: numbers[0], resident: numbers[1] << 10, privatePages: numbers[2] << 10))
      } else if words[0] == "answers", words.count == 2 {
        answers = String(words[1])
      } else if numbers.count == 1 {
        figures[String(words[0])] = numbers[0]
      }
    }

    var start: Int { starts.sorted()[starts.count / 2] }
    var peakResident: Int { figures["peak_resident"] ?? 0 }
    var mostPrivate: Int { samples.map(\.privatePages).max() ?? 0 }
  }

  /// The designs, in the order in which they are shown.
  struct FootprintDesign {
    static let own = "shardq"
    static let others: [FootprintDesign] = [
      .init("scan", "JSON decoded into an array of structs, linear scan"),
      .init("sorted", "the same array, sorted, binary search"),
      .init("letters", "the same, grouped by first letter, results remembered"),
      .init("trie", "the same in a trie, a dictionary per node"),
      .init("packed-trie", "a trie in a compact binary file, loaded whole", hasFile: true),
      .init("sqlite", "SQLite, prefix range on a folded column", hasFile: true, isSQLite: true),
      .init("fts5", "SQLite FTS5 with a prefix index", hasFile: true, isSQLite: true),
    ]

    let name: String
    let meaning: String
    /// Whether it needs a file of its own, beside the dataset as JSON.
    let hasFile: Bool
    /// Whether it reads the index instead of the dataset to write its file.
    let isSQLite: Bool

    var isTrie: Bool { name.hasSuffix("trie") }

    private init(_ name: String, _ meaning: String, hasFile: Bool = false, isSQLite: Bool = false) {
      (self.name, self.meaning, self.hasFile, self.isSQLite) = (name, meaning, hasFile, isSQLite)
    }

    /// The longest folded key in bytes. With longer keys the tries' recursion takes more stack than there is.
    static let longestTrieKey = 1000
  }

  /// Runs one query log through the designs, each in processes of its own.
  struct FootprintRun {
    var index: String
    var log: String
    /// The number of keys in the log.
    var keyCount: Int
    var scratch: String
    /// The names of the designs to measure; nil for all.
    var wanted: [String]?
    var progress: FootprintProgress

    private(set) var rows: [FootprintRow] = []
    private(set) var leftOut: [(design: String, reason: String)] = []

    /// The path of `shardq-footprint`.
    private let program: String

    init(
      index: String, log: String, keyCount: Int, scratch: String, wanted: [String]?, progress: FootprintProgress
    ) throws(CommandFailure) {
      (self.index, self.log, self.keyCount, self.scratch) = (index, log, keyCount, scratch)
      (self.wanted, self.progress) = (wanted, progress)
      program = try InstalledProgram.path(
        "shardq-footprint",
        hint: "run make and bin/shardq footprint in a clone")
    }

    /// Measures shardq, then each wanted design that can be measured.
    mutating func run() throws(CommandFailure) {
      var selected = try selectedDesigns()
      let dataset = scratch + "/dataset.json"
      // Without other designs no answers are compared, so any model is right.
      let list = selected.isEmpty ? ExportedList() : try export(to: dataset)
      if list.longestKey > FootprintDesign.longestTrieKey {
        for design in selected where design.isTrie {
          leftOut.append(
            (design.name, "it cannot hold the longest key, which has \(QueryRunner.grouped(list.longestKey)) bytes"))
        }
        selected.removeAll { $0.isTrie }
      }
      let files = CachedFiles()
      files.evict([program])
      files.read(CachedFiles.names(in: index))
      let indexSize = CachedFiles.names(in: index).reduce(0) { $0 + CachedFiles.size(of: $1) }
      try measure(FootprintDesign.own, file: index, list, diskBytes: indexSize)
      for design in selected {
        let file = design.hasFile ? scratch + "/" + design.name : dataset
        if design.hasFile, try !prepare(design, file, from: design.isSQLite ? index : dataset, list) { continue }
        files.read([file])
        try measure(design.name, file: file, list, diskBytes: CachedFiles.size(of: file))
        if design.hasFile { unlink(file) }
      }
    }

    /// The wanted designs that the program has; the others are noted as left out.
    private mutating func selectedDesigns() throws(CommandFailure) -> [FootprintDesign] {
      let available = try lines(["designs"]).map { String($0) }
      var selected: [FootprintDesign] = []
      for design in FootprintDesign.others where wanted?.contains(design.name) != false {
        if available.contains(design.name) {
          selected.append(design)
        } else {
          leftOut.append((design.name, "built without SQLite (libsqlite3-dev)"))
        }
      }
      return selected
    }

    /// The properties of the dataset that the export prints.
    private struct ExportedList {
      var model = "records"
      var fieldCount = 0
      /// The longest folded key, in bytes.
      var longestKey = 0
    }

    /// Has the index's records written as JSON, which the other designs read.
    private func export(to dataset: String) throws(CommandFailure) -> ExportedList {
      progress.show("writing the dataset as JSON")
      var list = ExportedList()
      for line in try lines(["export", index, dataset]) {
        let words = line.split(separator: " ")
        guard words.count == 2 else { continue }
        switch words[0] {
        case "model": list.model = String(words[1])
        case "fields": list.fieldCount = Int(words[1]) ?? 0
        case "longest": list.longestKey = Int(words[1]) ?? 0
        default: break
        }
      }
      return list
    }

    /// Has a design write its own file.
    ///
    /// - Returns: Whether it could; a design that cannot is noted as left out.
    private mutating func prepare(
      _ design: FootprintDesign, _ file: String, from source: String, _ list: ExportedList
    ) throws(CommandFailure) -> Bool {
      progress.show("\(design.name): writing its file")
      let made = try child(["prepare", design.name, source, list.model, String(list.fieldCount), file])
      guard made.status != 0 else { return true }
      leftOut.append((design.name, made.errors.isEmpty ? "status \(made.status)" : made.errors))
      return false
    }

    /// Starts a design up to 21 times, then replays the whole log through it and adds its row.
    private mutating func measure(
      _ name: String, file: String, _ list: ExportedList, diskBytes: Int
    ) throws(CommandFailure) {
      func arguments(interval: Int) -> [String] {
        ["run", name, file, list.model, String(list.fieldCount), log, String(interval)]
      }
      var row = FootprintRow(design: name)
      row.diskBytes = diskBytes
      // The first start reads the executable, which was evicted; it does not count.
      var spent = 0
      for number in 0...20 {
        if number > 1, spent > 1_000_000_000 { break }
        progress.show("\(name): start \(number + 1)")
        let start = try startTime(of: try child(arguments(interval: 0)), name)
        if number > 0 {
          row.starts.append(start)
          spent += start
        }
      }
      progress.show("\(name): \(QueryRunner.grouped(keyCount)) keys")
      let child = try child(arguments(interval: max(1, keyCount / 100)))
      row.starts.append(try startTime(of: child, name))
      for line in child.output { row.read(line) }
      guard row.figures["keys"] == keyCount, row.figures["peak_resident"] != nil, !row.samples.isEmpty else {
        throw CommandFailure(
          status: .inputOutput, message: "the memory of processes is unknown here; run footprint on a system with /proc"
        )
      }
      rows.append(row)
      if let own = rows.first, own.answers != row.answers {
        throw CommandFailure(
          status: .negative,
          message:
            "\(name) gives other answers than shardq (\(row.answers), not \(own.answers)): its figures mean nothing")
      }
    }

    /// Nanoseconds from before the start of a process to its first answer.
    private func startTime(of child: ChildProcess, _ name: String) throws(CommandFailure) -> Int {
      guard child.status == 0 else {
        let reason = child.errors.isEmpty ? "" : ": " + child.errors
        throw CommandFailure(
          status: ExitStatus(rawValue: child.status) ?? .inputOutput,
          message: "\(name) ended with status \(child.status)\(reason)")
      }
      guard let line = child.output.first(where: { $0.hasPrefix("first ") }), let clock = Int(line.dropFirst(6))
      else {
        throw CommandFailure(status: .inputOutput, message: "\(name) gave no answer")
      }
      return clock - child.start
    }

    private func child(_ arguments: [String]) throws(CommandFailure) -> ChildProcess {
      do throws(ChildProcess.ProcessError) {
        return try ChildProcess.run(program, arguments)
      } catch {
        switch error {
        case .stopped: throw CommandFailure(status: .inputOutput, message: "")
        case .cannotStart(let path, let code):
          throw CommandFailure(
            status: .notFound, message: "cannot run \(path): \(String(cString: strerror(code)))")
        }
      }
    }

    private func lines(_ arguments: [String]) throws(CommandFailure) -> [Substring] {
      let child = try child(arguments)
      guard child.status == 0 else {
        throw CommandFailure(
          status: ExitStatus(rawValue: child.status) ?? .inputOutput,
          message: child.errors.isEmpty ? "\(program) ended with status \(child.status)" : child.errors)
      }
      return child.output
    }
  }

  /// The progress line on a terminal; elsewhere nothing is shown.
  struct FootprintProgress {
    let isShown: Bool

    init(isWanted: Bool) { isShown = isWanted && isatty(STDERR_FILENO) == 1 }

    func show(_ text: String) {
      guard isShown else { return }
      var output = Output(STDERR_FILENO)
      try? output.write("\r" + text + "\u{1b}[K")
      try? output.flush()
    }

    func clear() { show("") }
  }
#endif
