import Glibc

/// All that is measured of one dataset. Times in microseconds where not said otherwise, sizes in bytes.
struct Measurements {
  struct Program {
    var milliseconds: Double
    var p10: Double
    var p99: Double
    var peakKiB: Double
  }
  struct Memory {
    var residentKiB: Int
    var peakKiB: Int
  }
  struct Build {
    var seconds: Double
    var readingMilliseconds: Double
    var peakKiB: Double
    var memory: String
  }

  var name = ""
  var records = 0
  var meanAnswer = 0.0
  var clock = 0.0
  var floorKiB = 0
  var sizes: [String: Files.Size] = [:]
  var programs: [String: Program] = [:]
  var first: [String: Times] = [:]
  var counts: [String: Times] = [:]
  var small: [String: Times] = [:]
  var resident: [String: Memory] = [:]
  var build: Build?
  var sqliteSeconds = 0.0
}

/// How much is measured.
struct Effort {
  var prefixes = 10_000
  var rounds = 9
  var starts = 250
  var builds = 5
  var seed: UInt64 = 1
  /// Whether prefixes end within the name.
  var namesOnly = false
  /// `shardq build --memory`; nil for its default.
  var memory: String?
  /// Whether SQLite counts: it walks all matches, which takes minutes on large lists.
  var sqliteCounts = true
}

struct Bench {
  let shardq: String
  let programs: Programs
  let residentProgram: String
  let work: String
  let effort: Effort

  func measure(_ json: String, name: String) throws -> Measurements {
    var result = Measurements()
    result.name = name
    result.clock = Clock.cost()
    var data = Dataset(json: json, work: work)

    note("\(name): sorting, for the rivals")
    try data.prepare()
    result.records = data.recordCount
    result.sqliteSeconds = data.sqliteSeconds
    note("\(name): building")
    result.build = try build(data)
    result.sizes["shardq"] = Files.size(data.index)
    result.sizes["array"] = Files.size(data.array)
    if Files.exists(data.sqlite) { result.sizes["sqlite"] = Files.size(data.sqlite) }

    let array = SortedArray(data.array)
    let prefixes = Prefixes(
      of: array, count: effort.prefixes, seed: effort.seed, namesOnly: effort.namesOnly, work: work)
    try prefixes.withAll { prefixes in
      note("\(name): comparing answers")
      // All of it: what 10,000 prefixes touch of the largest list is less.
      let engine = try Engine(data.index, cacheLimitBytes: 1 << 31)
      Timing.compare(array, engine, prefixes, counts: prefixes.count, "the sorted array and shardq")
      result.meanAnswer = Double(prefixes.reduce(0) { $0 + array.firstMatches($1) }) / Double(prefixes.count)
      let small = try Engine(data.index, cacheLimitBytes: 1 << 20)
      #if SQLITE
        let sqlite = SQLite(data.sqlite, cacheKiB: 1 << 20, mapped: true)
        let sqliteSmall = SQLite(data.sqlite, cacheKiB: 256, mapped: false)
        Timing.compare(
          array, sqlite, prefixes, counts: effort.sqliteCounts ? prefixes.count : 0,
          "the sorted array and SQLite")
      #endif

      note("\(name): timing queries")
      var names = ["shardq", "array"]
      var passes = [Timing.firstMatches(engine), Timing.firstMatches(array)]
      #if SQLITE
        names.append("sqlite")
        passes.append(Timing.firstMatches(sqlite))
      #endif
      for (name, times) in zip(names, Timing.measure(passes, prefixes, rounds: effort.rounds)) {
        result.first[name] = times
      }

      passes = [Timing.counts(engine), Timing.counts(array)]
      #if SQLITE
        if effort.sqliteCounts { passes.append(Timing.counts(sqlite)) }
      #endif
      for (name, times) in zip(names, Timing.measure(passes, prefixes, rounds: effort.rounds)) {
        result.counts[name] = times
      }

      names = ["shardq"]
      passes = [Timing.firstMatches(small)]
      #if SQLITE
        names.append("sqlite")
        passes.append(Timing.firstMatches(sqliteSmall))
      #endif
      for (name, times) in zip(names, Timing.measure(passes, prefixes, rounds: max(3, effort.rounds / 2))) {
        result.small[name] = times
      }
      note("\(name): starting programs")
      start(data, prefixes, &result)
    }
    note("\(name): resident memory")
    resident(data, prefixes, &result)
    return result
  }

  // MARK: Building

  private func build(_ data: Dataset) throws -> Measurements.Build {
    var command = [shardq, "build", "--index", data.index, "--jobs", "2"]
    if let memory = effort.memory { command += ["--memory", memory] }
    command.append(data.json)
    var (seconds, peaks, readings): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<effort.builds {
      Files.remove(data.index)
      let run = programs.run([command], rounds: 1).runs[0][0]
      guard run.status == 0 else { stop("shardq build failed with status \(run.status): \(programs.said)") }
      seconds.append(Double(run.nanoseconds) / 1e9)
      peaks.append(Double(run.peakKiB))
      readings.append(Double(try data.readingTime()) / 1e6)
    }
    return Measurements.Build(
      seconds: median(seconds), readingMilliseconds: median(readings), peakKiB: median(peaks),
      memory: effort.memory ?? "256 MiB")
  }

  // MARK: Programs

  private func start(_ data: Dataset, _ prefixes: [Prefix], _ result: inout Measurements) {
    // Five that mean the same to a shell, to SQL and to shardq.
    let asked = prefixes.lazy.filter { prefix in
      (3...6).contains(prefix.folded.count) && prefix.folded.allSatisfy { (0x61...0x7a).contains($0) }
    }.prefix(5)
    var runs: [String: [Programs.Run]] = [:]
    for prefix in asked {
      let text = String(decoding: prefix.folded, as: UTF8.self)
      let hex = prefix.folded.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      var commands: [(String, [String])] = [("shardq", [shardq, "-i", data.index, text])]
      commands.append(("array", [programs.path("array_query"), data.array, text]))
      if programs.has("sqlite_query"), Files.exists(data.sqlite) {
        commands.append(("sqlite", [programs.path("sqlite_query"), data.sqlite, text]))
      }
      if let shell = Self.find("sqlite3"), Files.exists(data.sqlite) {
        commands.append(
          (
            "sqlite3",
            [
              shell, data.sqlite,
              "SELECT country, name, id, lon, lat FROM cities WHERE folded >= x'\(hex)' AND folded < x'\(hex)ff' "
                + "ORDER BY folded, number LIMIT 20",
            ]
          ))
      }
      commands.append(("read40k", [programs.path("read40k"), work + "/40k.zst"]))
      commands.append(("empty", [programs.path("empty")]))
      if runs.isEmpty {
        commands.forEach { Files.evict($0.1[0]) }
        [data.index, data.sqlite].forEach { Files.evict($0) }
        Files.recache(data.array)
      }
      _ = programs.run(commands.map(\.1), rounds: 2)  // Reads what was evicted.
      let (measured, floor) = programs.run(commands.map(\.1), rounds: max(1, effort.starts / 5))
      result.floorKiB = floor
      for ((name, command), own) in zip(commands, measured) {
        guard own.allSatisfy({ $0.status == 0 && $0.printed > 0 }) else {
          stop("\(command) failed or printed nothing: \(programs.said)")
        }
        runs[name, default: []] += own
      }
    }
    for (name, own) in runs {
      let times = own.map { Double($0.nanoseconds) / 1e6 }.sorted()
      result.programs[name] = Measurements.Program(
        milliseconds: median(times), p10: times[times.count / 10], p99: times[times.count * 99 / 100],
        peakKiB: median(own.map { Double($0.peakKiB) }))
    }
  }

  private static func find(_ program: String) -> String? {
    guard let search = getenv("PATH") else { return nil }
    return String(cString: search).split(separator: ":").map { $0 + "/" + program }.first {
      access($0, X_OK) == 0
    }
  }

  // MARK: Memory

  private func resident(_ data: Dataset, _ prefixes: Prefixes, _ result: inout Measurements) {
    var programs: [(String, [String])] = []
    for (name, limit) in [("shardq", 1 << 31), ("shardq 8 MiB", 8 << 20), ("shardq 1 MiB", 1 << 20)] {
      programs.append((name, [residentProgram, data.index, prefixes.typedPath, "\(limit)"]))
    }
    programs.append(
      ("array", [self.programs.path("array_query"), data.array, "--resident", prefixes.foldedPath]))
    if self.programs.has("sqlite_query"), Files.exists(data.sqlite) {
      for (name, cache) in [("sqlite", "2000"), ("sqlite 256 KiB", "256")] {
        programs.append(
          (name, [self.programs.path("sqlite_query"), data.sqlite, "--resident", prefixes.foldedPath, cache]))
      }
    }
    Files.recache(data.array)
    programs.forEach { Files.evict($0.1[0]) }
    for (name, command) in programs {
      let runs = (0..<3).map { _ in Programs.numbers(command, work: work) }.sorted { $0[0] < $1[0] }
      result.resident[name] = Measurements.Memory(residentKiB: runs[1][0], peakKiB: runs[1][1])
    }
  }
}
