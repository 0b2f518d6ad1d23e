#if CommandLineTool
  import QueryLog
  import QueryOutput
  import ShardedIndex

  import CSystem

  /// What was measured of one design.
  struct FootprintRow {
    struct Sample {
      var keys: Int
      /// Bytes.
      var resident: Int
      var privatePages: Int
    }
    var design: String
    /// Nanoseconds from before the process was started to its first answer, one for each start.
    var starts: [Int] = []
    var samples: [Sample] = []
    /// By the names that ``Replay`` gives them. Times in nanoseconds, sizes in bytes.
    var figures: [String: Int] = [:]
    var answers = ""
    var diskBytes = 0

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
    /// Whether it is in the executable that links SQLite.
    let isSQLite: Bool

    private init(_ name: String, _ meaning: String, hasFile: Bool = false, isSQLite: Bool = false) {
      (self.name, self.meaning, self.hasFile, self.isSQLite) = (name, meaning, hasFile, isSQLite)
    }

    /// In bytes of the folded key: behind that the tries' recursion takes more stack than there is.
    static let longestTrieKey = 1000
  }

  /// Runs one query log through the designs, each in processes of its own.
  struct FootprintRun {
    var index: String
    var log: String
    /// How many keys the log has.
    var keyCount: Int
    var scratch: String
    /// nil: all that there are.
    var wanted: [String]?
    var progress: FootprintProgress

    private(set) var rows: [FootprintRow] = []
    private(set) var leftOut: [(design: String, reason: String)] = []

    private let replay: String
    private let designs: String
    private let sqlite: String

    init(
      index: String, log: String, keyCount: Int, scratch: String, wanted: [String]?, progress: FootprintProgress
    ) throws(CommandFailure) {
      (self.index, self.log, self.keyCount, self.scratch) = (index, log, keyCount, scratch)
      (self.wanted, self.progress) = (wanted, progress)
      replay = try InstalledProgram.path("shardq-replay")
      designs = try InstalledProgram.path("shardq-footprint")
      sqlite = try InstalledProgram.path("shardq-footprint-sqlite")
    }

    mutating func run() throws(CommandFailure) {
      var model = "records"
      var fieldCount = 0
      var selected: [FootprintDesign] = []
      let dataset = scratch + "/dataset.json"
      let available = try (lines(designs, ["designs"]) + lines(sqlite, ["designs"])).map { String($0) }
      for design in FootprintDesign.others where wanted?.contains(design.name) != false {
        if available.contains(design.name) {
          selected.append(design)
        } else {
          leftOut.append((design.name, "built without SQLite (libsqlite3-dev)"))
        }
      }
      if !selected.isEmpty {
        progress.show("writing the dataset as JSON")
        var longest = 0
        for line in try lines(designs, ["export", index, dataset]) {
          let words = line.split(separator: " ")
          guard words.count == 2 else { continue }
          if words[0] == "model" { model = String(words[1]) }
          if words[0] == "fields" { fieldCount = Int(words[1]) ?? 0 }
          if words[0] == "longest" { longest = Int(words[1]) ?? 0 }
        }
        if longest > FootprintDesign.longestTrieKey {
          for design in selected where design.name.hasSuffix("trie") {
            leftOut.append((design.name, "a key of \(QueryRunner.grouped(longest)) bytes is too deep for it"))
          }
          selected.removeAll { $0.name.hasSuffix("trie") }
        }
      } else {
        // Only to know how the answers are compared; nothing is compared then.
        model = "records"
      }
      let interval = max(1, keyCount / 100)
      evict([replay, designs, sqlite])
      readThrough(Self.files(in: index))
      try measure(
        FootprintDesign.own, replay, disk: Self.files(in: index).reduce(0) { $0 + Self.size($1) }
      ) { interval in [index, log, model, String(interval), String(Options().cacheLimitBytes)] }
      for design in selected {
        let program = design.isSQLite ? sqlite : designs
        let file = design.hasFile ? scratch + "/" + design.name : dataset
        if design.hasFile {
          progress.show("\(design.name): writing its file")
          let made = try child(
            program,
            ["prepare", design.name, design.isSQLite ? index : dataset, model, String(fieldCount), file])
          guard made.status == 0 else {
            leftOut.append((design.name, made.errors.isEmpty ? "status \(made.status)" : made.errors))
            continue
          }
        }
        readThrough([file])
        try measure(design.name, program, disk: Self.size(file)) { interval in
          ["run", design.name, file, model, String(fieldCount), log, String(interval)]
        }
        if design.hasFile { unlink(file) }
      }

      func measure(
        _ name: String, _ program: String, disk: Int, _ arguments: (Int) -> [String]
      ) throws(CommandFailure) {
        var row = FootprintRow(design: name)
        row.diskBytes = disk
        // The first start reads the executable, which was evicted; it does not count.
        var spent = 0
        for number in 0...20 {
          if number > 1, spent > 1_000_000_000 { break }
          progress.show("\(name): start \(number + 1)")
          let child = try self.child(program, arguments(0))
          let start = try started(child, name)
          if number > 0 {
            row.starts.append(start)
            spent += start
          }
        }
        progress.show("\(name): \(QueryRunner.grouped(keyCount)) keys")
        let child = try self.child(program, arguments(interval))
        row.starts.append(try started(child, name))
        for line in child.output {
          let words = line.split(separator: " ")
          let numbers = words.dropFirst().compactMap { Int($0) }
          if words[0] == "sample", numbers.count == 3 {
            row.samples.append(
              .init(keys: numbers[0], resident: numbers[1] << 10, privatePages: numbers[2] << 10))
          } else if words[0] == "answers", words.count == 2 {
            row.answers = String(words[1])
          } else if numbers.count == 1 {
            row.figures[String(words[0])] = numbers[0]
          }
        }
        guard row.figures["keys"] == keyCount, row.figures["peak_resident"] != nil, !row.samples.isEmpty else {
          throw CommandFailure(
            status: .inputOutput, message: "the system does not say what a process takes: /proc is needed")
        }
        rows.append(row)
        if let own = rows.first, own.answers != row.answers {
          throw CommandFailure(
            status: .negative,
            message:
              "\(name) answers otherwise than shardq (\(row.answers), not \(own.answers)): its figures mean nothing")
        }
      }
    }

    /// Nanoseconds from before its start to its first answer.
    private func started(_ child: ChildProcess, _ name: String) throws(CommandFailure) -> Int {
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

    private func child(_ program: String, _ arguments: [String]) throws(CommandFailure) -> ChildProcess {
      do throws(ChildProcess.Failure) {
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

    private func lines(_ program: String, _ arguments: [String]) throws(CommandFailure) -> [Substring] {
      let child = try self.child(program, arguments)
      guard child.status == 0 else {
        throw CommandFailure(
          status: ExitStatus(rawValue: child.status) ?? .inputOutput,
          message: child.errors.isEmpty ? "\(program) ended with status \(child.status)" : child.errors)
      }
      return child.output
    }

    /// Takes files out of the system's cache: what was just written lies there in pieces of up to 2 MiB, and one touch
    /// of an executable then counts 2 MiB as resident, which it does not after a restart.
    private func evict(_ paths: [String]) {
      #if os(Linux)
        for path in paths {
          let file = open(path, O_RDONLY | O_CLOEXEC)
          guard file >= 0 else { continue }
          fsync(file)
          posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
          close(file)
        }
      #endif
    }

    /// Brings files to the system's cache: a design that loads all at its start has the first start for that, one that
    /// does not would otherwise be measured with the disk in its answers.
    private func readThrough(_ paths: [String]) {
      withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
        for path in paths {
          let file = open(path, O_RDONLY | O_CLOEXEC)
          guard file >= 0 else { continue }
          while read(file, buffer.baseAddress!, buffer.count) > 0 {}
          close(file)
        }
      }
    }

    static func files(in directory: String) -> [String] {
      guard let stream = opendir(directory) else { return [] }
      defer { closedir(stream) }
      var paths: [String] = []
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
            String(cString: $0)
          }
        }
        if !name.hasPrefix(".") { paths.append(directory + "/" + name) }
      }
      return paths
    }

    private static func size(_ path: String) -> Int {
      var status = stat()
      return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
  }

  /// One line on a terminal that says what is being done; nothing elsewhere.
  struct FootprintProgress {
    let isShown = isatty(STDERR_FILENO) == 1

    func show(_ text: String) {
      guard isShown else { return }
      var output = Output(STDERR_FILENO)
      try? output.write("\r" + text + "\u{1b}[K")
      try? output.flush()
    }

    func clear() { show("") }
  }
#endif
