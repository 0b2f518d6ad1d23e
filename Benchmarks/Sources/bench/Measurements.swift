import CProcessors
import Glibc

/// The measurements of one dataset. Times are in microseconds where no other unit is named, sizes in bytes.
struct Measurements {
  struct Program {
    var milliseconds: Double
    var p10: Double
    var p99: Double
    var peakKiB: Double
  }
  struct Memory {
    var residentKiB: Int
    /// The private dirty pages, which the process cannot give back.
    var dirtyKiB: Int
  }
  struct Build {
    var seconds: Double
    var peakKiB: Double
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
  /// The times under a cache limit of 1 MiB.
  var small: [String: Times] = [:]
  var resident: [String: Memory] = [:]
  /// The builds: shardq's from the dataset, a rival's from sorted records.
  var builds: [String: Build] = [:]
  /// The time before a rival's build, and the time of the whole array.
  var (sortingSeconds, arraySeconds) = (0.0, 0.0)
  var readingMilliseconds = 0.0
  var prefixCount = 0
  var memory = ""
  /// The times of updates in milliseconds.
  var updates: [String: Double] = [:]
  /// The name of each contender, and its mean of Q1 for each of ``Effort/limits``; nil where it did not finish.
  var limited: [(name: String, means: [Double?])] = []
  /// The read-ahead of the device where that was measured, in KiB.
  var readAheadKiB: Int?
}

/// The extent of the measurements.
struct Effort {
  var prefixes = 10_000
  var rounds = 9
  var starts = 250
  var builds = 5
  var seed: UInt64 = 1
  /// Whether prefixes end within the name.
  var namesOnly = false
  /// A log of typing instead of random prefixes.
  var log: String?
  /// The value of `shardq build --memory` for one more build in little memory.
  static let leanMemory = "16MiB"
  /// The value of `shardq build --memory`; nil for its default.
  var memory: String?
  /// The names of the rivals.
  var rivals = RivalKind.all.map(\.name)
  /// The limits of all memory that contenders get in turn, in MiB.
  var limits: [Int] = []
  /// Whether rivals that walk all matches count them, which takes minutes on large lists.
  var walks = true
}

struct Bench {
  let shardq: String
  let programs: Programs
  let residentProgram: String
  let work: String
  let effort: Effort

  /// The rivals that could be built.
  private var rivals: [RivalKind] {
    RivalKind.all.filter { effort.rivals.contains($0.name) && programs.has($0.program) }
  }

  private func database(_ kind: RivalKind) -> String { work + "/cities." + kind.name }

  func measure(_ json: String, name: String) throws -> Measurements {
    var result = Measurements()
    result.name = name
    result.clock = Clock.cost()
    let data = Dataset(json: json, array: work + "/cities.array", index: work + "/index")
    note("\(name): building")
    try build(data, &result)
    result.sizes["shardq"] = Files.size(data.index)
    result.sizes["array"] = Files.size(data.array)
    for kind in rivals { result.sizes[kind.name] = Files.size(database(kind)) }

    Files.recache(data.array)
    let array = SortedArray(data.array)
    result.records = array.recordCount
    let prefixes =
      if let log = effort.log {
        try Prefixes(log: log, count: effort.prefixes, in: array, work: work)
      } else {
        Prefixes(of: array, count: effort.prefixes, seed: effort.seed, namesOnly: effort.namesOnly, work: work)
      }
    result.prefixCount = prefixes.count
    try prefixes.withAll { typed in
      try queries(data, array, prefixes, typed, &result)
      note("\(name): starting programs")
      start(data, typed, &result)
    }
    note("\(name): resident memory")
    resident(data, prefixes, &result)
    if !effort.limits.isEmpty {
      note("\(name): queries in little memory")
      limited(data, prefixes, &result)
    }
    note("\(name): changing a record")
    update(data, array, &result)
    rivals.forEach { Files.remove(database($0)) }
    return result
  }

  // MARK: Queries

  private func queries(
    _ data: Dataset, _ array: SortedArray, _ all: Prefixes, _ prefixes: [Prefix], _ result: inout Measurements
  ) throws {
    func serve(_ kind: RivalKind, _ limit: Int) -> Rival {
      Rival(
        kind.label, program: programs.path(kind.program), database: database(kind), prefixes: all.foldedPath,
        count: all.count, cacheLimitBytes: limit)
    }
    /// shardq too is timed in a process of its own, whose memory holds nothing else.
    func serveOwn(_ limit: Int) -> Rival {
      Rival(
        "shardq", program: residentProgram, database: data.index, prefixes: all.typedPath, count: all.count,
        cacheLimitBytes: limit)
    }
    // Contenders would each stay on one processor, and the host may give one processor half of the time of the other.
    if !processors_keep_one() { note("bench: contenders may run on different processors") }
    defer { processors_keep_all() }
    let (own, ownSmall) = (serveOwn(1 << 31), serveOwn(1 << 20))
    let cached = rivals.map { ($0, serve($0, 0)) }
    let limited = rivals.filter(\.hasCacheLimit).map { ($0, serve($0, 1 << 20)) }
    note("\(result.name): comparing answers")
    // Nothing is evicted: 10,000 prefixes touch less of the largest list.
    let engine = try Engine(data.index, cacheLimitBytes: 1 << 31)
    let small = try Engine(data.index, cacheLimitBytes: 1 << 20)
    Timing.compare(array, engine, prefixes, "the sorted array and shardq")
    Timing.compare(array, small, prefixes, "the sorted array and shardq with a small cache")
    for (kind, rival) in cached + limited {
      rival.readAnswers(prefixes)
      Timing.compare(array, rival, prefixes, "the sorted array and \(kind.label)")
    }
    result.meanAnswer = Double(prefixes.reduce(0) { $0 + array.firstMatches($1) }) / Double(prefixes.count)

    note("\(result.name): timing queries")
    func measure(
      _ own: [(String, Timing.Pass)], _ others: [(RivalKind, Rival)], _ order: Character, _ rounds: Int
    ) -> [String: Times] {
      let all = own + others.map { ($0.0.name, $0.1.pass(order)) }
      return Dictionary(
        uniqueKeysWithValues: zip(all.map(\.0), Timing.measure(all.map(\.1), prefixes, rounds: rounds)))
    }
    result.first = measure(
      [("shardq", own.pass("f")), ("array", Timing.firstMatches(array))], cached, "f", effort.rounds)
    let fast = cached.filter(\.0.countsByEnds)
    result.counts = measure(
      [("shardq", own.pass("c")), ("array", Timing.counts(array))], fast, "c", effort.rounds)
    if effort.walks {
      // Walkers count apart from the others and less often: one round takes seconds.
      let walkers = cached.filter { !$0.0.countsByEnds }
      result.counts.merge(measure([], walkers, "c", max(1, effort.rounds / 4))) { own, _ in own }
    }
    result.small = measure(
      [("shardq", ownSmall.pass("f"))], limited, "f", max(3, effort.rounds / 2))
  }

  // MARK: Building

  private func build(_ data: Dataset, _ result: inout Measurements) throws {
    result.memory = effort.memory ?? "256 MiB"
    func command(_ index: String, _ memory: String?) -> [String] {
      [shardq, "build", "--index", index, "--jobs", "2"] + (memory.map { ["--memory", $0] } ?? []) + [data.json]
    }
    var commands = [("shardq", data.index, command(data.index, effort.memory))]
    if effort.memory == nil {
      // The limit is about the memory of the leanest rival, which gets sorted records.
      let lean = data.index + "-lean"
      commands.append(("shardq, lean", lean, command(lean, Effort.leanMemory)))
    }
    for kind in rivals {
      commands.append(
        (kind.name, database(kind), [programs.path(kind.program), database(kind), "--build", data.array]))
    }
    var runs: [String: [Programs.Run]] = [:]
    var (readings, sortings, arrays): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<effort.builds {
      // Each build is a process of its own: one that has sorted before has memory for it.
      Files.remove(data.array)
      sync()
      let taken = Programs.numbers(
        [CommandLine.arguments[0], "--shardq", shardq, "--data", data.json, "--array", data.array], work: work)
      sortings.append(Double(taken[0]) / 1e9)
      arrays.append(Double(taken[1]) / 1e9)
      for (name, files, command) in commands {
        Files.remove(files)
        sync()  // No contender writes another's data.
        let run = programs.run([command], rounds: 1).runs[0][0]
        guard run.status == 0 else { stop("\(command) failed with status \(run.status): \(programs.said)") }
        runs[name, default: []].append(run)
      }
      readings.append(Double(try data.readingTime()) / 1e6)
    }
    result.readingMilliseconds = median(readings)
    result.sortingSeconds = median(sortings)
    result.arraySeconds = median(arrays)
    for (name, runs) in runs {
      result.builds[name] = Measurements.Build(
        seconds: median(runs.map { Double($0.nanoseconds) / 1e9 }), peakKiB: median(runs.map { Double($0.peakKiB) }))
    }
  }

  // MARK: Changing

  /// Changes the latitude of one record again and again, and checks each change.
  private func update(_ data: Dataset, _ array: SortedArray, _ result: inout Measurements) {
    // A record in the middle with a unique key in ASCII, since it stands in arguments and in JSON.
    func isSuitable(_ number: Int) -> Bool {
      let (folded, fields) = array.record(number)
      let isPlain = fields[1].allSatisfy { (0x61...0x7a).contains($0 | 0x20) } && !fields[1].isEmpty
      return isPlain && !folded.elementsEqual(array.record(number - 1).folded)
        && !folded.elementsEqual(array.record(number + 1).folded)
    }
    guard let number = (array.recordCount / 2..<array.recordCount - 1).first(where: isSuitable) else { return }
    let (folded, fields) = array.record(number)
    let texts = fields.map { String(decoding: $0, as: UTF8.self) }
    let key = String(decoding: folded, as: UTF8.self)
    var taken: [String: [Double]] = [:]
    for round in 0..<max(3, 5 * effort.builds) {
      let latitude = "\(round + 1).5"
      // First into shards, which removes the overlay; then in a new overlay; then in that one. Each has another value.
      let ways = [("shardq, shards", "5"), ("shardq, first", "75"), ("shardq", "25")]
      var commands = ways.map { (name, fraction) in
        let own = "\(round + 1).\(fraction)"
        let file = work + "/changed-\(fraction).json"
        Files.write(
          "[{\"country\":\"\(texts[0])\",\"name\":\"\(texts[1])\",\"_id\":\(texts[2]),"
            + "\"coord\":{\"lon\":\(texts[3]),\"lat\":\(own)}}]\n", to: file)
        let beside = name == "shardq, shards" ? [] : ["--overlay"]
        return (
          name, [shardq, "update"] + beside + ["--index", data.index, "--upsert", file],
          [shardq, "-i", data.index, "\(texts[1]), \(texts[0])"], own
        )
      }
      for kind in rivals where kind.isChangeable {
        let program = programs.path(kind.program)
        commands.append(
          (
            kind.name, [program, database(kind), "--update", key, "0", "\(round + 1)500000"],
            [program, database(kind), key], latitude
          ))
      }
      for (name, command, query, wanted) in commands {
        sync()
        let run = programs.run([command], rounds: 1).runs[0][0]
        guard run.status == 0 else { stop("\(command) failed with status \(run.status): \(programs.said)") }
        taken[name, default: []].append(Double(run.nanoseconds) / 1e6)
        Programs.start(query, output: work + "/printed")
        let line = String(decoding: Files.read(work + "/printed"), as: UTF8.self).split(separator: "\n").first
        guard line?.split(separator: "\t").contains(Substring(wanted)) == true else {
          stop("\(name) has not changed: \(line ?? "nothing printed")")
        }
      }
    }
    for (name, times) in taken { result.updates[name] = median(times) }
  }

  // MARK: Programs

  private func start(_ data: Dataset, _ prefixes: [Prefix], _ result: inout Measurements) {
    // Five prefixes that mean the same to a shell, to SQL and to shardq.
    let asked = prefixes.lazy.filter { prefix in
      (3...6).contains(prefix.folded.count) && prefix.folded.allSatisfy { (0x61...0x7a).contains($0) }
    }.prefix(5)
    var runs: [String: [Programs.Run]] = [:]
    for prefix in asked {
      let text = String(decoding: prefix.folded, as: UTF8.self)
      let hex = prefix.folded.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      var commands: [(String, [String])] = [("shardq", [shardq, "-i", data.index, text])]
      commands.append(("array", [programs.path("array_query"), data.array, text]))
      for kind in rivals { commands.append((kind.name, [programs.path(kind.program), database(kind), text])) }
      if let shell = Self.find("sqlite3"), let sqlite = rivals.first(where: { $0.name == "sqlite" }) {
        commands.append(
          (
            "sqlite3",
            [
              shell, database(sqlite),
              "SELECT country, name, id, lon / 1e6, lat / 1e6 FROM cities WHERE folded >= x'\(hex)' "
                + "AND folded < x'\(hex)ff' ORDER BY folded, ordinal LIMIT 20",
            ]
          ))
      }
      commands.append(("read40k", [programs.path("read40k"), work + "/40k.zst"]))
      commands.append(("empty", [programs.path("empty")]))
      if runs.isEmpty {
        commands.forEach { Files.evict($0.1[0]) }
        Files.evict(data.index)
        ([data.array] + rivals.map(database)).forEach { Files.recache($0) }
      }
      _ = programs.run(commands.map(\.1), rounds: 2)  // Reads the evicted files.
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
    for kind in rivals {
      for (suffix, limit) in [("", 0), (" 1 MiB", 1 << 20)] where limit == 0 || kind.hasCacheLimit {
        programs.append(
          (
            kind.name + suffix,
            [
              self.programs.path(kind.program), database(kind), "--resident", prefixes.foldedPath, "\(limit)",
            ]
          ))
      }
    }
    ([data.array] + rivals.map(database)).forEach { Files.recache($0) }
    programs.forEach { Files.evict($0.1[0]) }
    for (name, command) in programs {
      let runs = (0..<3).map { _ in Programs.numbers(command, work: work) }.sorted { $0[0] < $1[0] }
      result.resident[name] = Measurements.Memory(residentKiB: runs[1][0], dirtyKiB: runs[1][1])
    }
  }

  /// Measures Q1 where all memory of a contender is limited, the cached pages of its files included.
  private func limited(_ data: Dataset, _ prefixes: Prefixes, _ result: inout Measurements) {
    var contenders: [(name: String, program: String, database: String, prefixes: String, cache: Int)] = []
    for (cache, bytes) in [("512 KiB", 512 << 10), ("1 MiB", 1 << 20), ("2 MiB", 2 << 20), ("all", 1 << 31)] {
      contenders.append(("shardq, cache of \(cache)", residentProgram, data.index, prefixes.typedPath, bytes))
    }
    // A copy of the file, since pages that this process has mapped would stay in memory.
    let array = data.array + ".again"
    Files.copy(data.array, to: array)
    defer { Files.remove(array) }
    contenders.append(("sorted array, mapped", programs.path("array_query"), array, prefixes.foldedPath, 0))
    for kind in rivals {
      let program = programs.path(kind.program)
      contenders.append((kind.label, program, database(kind), prefixes.foldedPath, 0))
      guard kind.hasCacheLimit else { continue }
      contenders.append((kind.label + ", cache of 1 MiB", program, database(kind), prefixes.foldedPath, 1 << 20))
    }
    result.readAheadKiB = Files.readAhead(data.array)
    for contender in contenders {
      var means: [Double?] = []
      for limit in effort.limits {
        // The first reader of a page is charged for it.
        [contender.program, contender.database].forEach(Files.evict)
        guard let group = MemoryGroup(limitBytes: limit << 20) else {
          return note("no memory can be limited here: that table is missing")
        }
        var rival: Rival? = Rival(
          contender.name, program: contender.program, database: contender.database, prefixes: contender.prefixes,
          count: prefixes.count, cacheLimitBytes: contender.cache, group: group)
        // One pass fills caches. Each pass has a second for a thousand prefixes.
        var rounds: [Double] = []
        for round in 0...3 {
          guard let times = rival!.times("f", within: CInt(max(1000, prefixes.count))) else {
            rounds = []
            break
          }
          if round > 0 { rounds.append(Double(times.reduce(0) { $0 + Int($1) }) / Double(times.count) / 1000) }
        }
        rival = nil
        group.remove()
        means.append(rounds.isEmpty ? nil : median(rounds))
      }
      result.limited.append((contender.name, means))
    }
  }
}
