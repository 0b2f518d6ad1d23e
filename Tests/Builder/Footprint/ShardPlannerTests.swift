import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

import Footprint

import CLibrary

@Suite("Choosing shard size and part size for a query log") struct ShardPlannerTests {
  /// A list, its index and typing for it, shared by the tests, which do not change them.
  private struct Typed: Sendable {
    let directory = TemporaryDirectory.untilExit()
    var dataset: String { directory + "/list.jsonl" }
    var index: String { directory + "/index" }
    var log: String { directory + "/typing.log" }

    init() throws {
      Files.write(GeneratedList.bytes(count: 5000, seed: 3, format: .jsonl), to: dataset)
      _ = try ShardBuilder.build([dataset], into: index, options: options.build)
      try Files.write(Self.typing(600, of: index, seed: 1), to: log)
    }

    var options: PlanOptions {
      var options = PlanOptions()
      (options.build.key, options.build.level) = ("{name}, {country}", 1)
      (options.shardSizes, options.partSizes) = ([16 << 10, 80 << 10], [1 << 10, 3 << 9])
      (options.cacheLimitBytes, options.diskLimit) = (64 << 10, .percentMore(50))
      return options
    }

    static func typing(_ count: Int, of index: String, seed: UInt64) throws -> [UInt8] {
      var generator = try TypingGenerator(index: ShardedIndex(opening: index), seed: seed)
      var bytes: [UInt8] = []
      for _ in 0..<count { if let keystroke = try generator.next() { bytes += keystroke.line.utf8 } }
      return bytes
    }

    static let shared = Result { try Typed() }
  }

  private let typed: Typed
  init() throws { typed = try Typed.shared.get() }

  // MARK: Repacking

  @Test("a repacked index has the bytes of a build of its dataset", arguments: 0..<4)
  func repacked(number: Int) throws {
    let directory = TemporaryDirectory()
    let input = directory.write(GeneratedList.bytes(count: 3000, seed: 9, format: .jsonl), to: "list.jsonl")
    var options = BuildOptions()
    (options.key, options.level, options.id, options.weight) = ("{name}, {country}", 3, "_id", "_id")
    if number == 1 { options.keep = ["name", "country", "_id"] }
    _ = try ShardBuilder.build([input], into: directory("index"), options: options)
    let sizes = [(64 << 10, 3 << 10), (2000, 300), (8 << 10, 1), (16 << 20, 700)]
    (options.shardLimitBytes, options.partSizeBytes) = sizes[number]
    options.jobs = 1 + number % 2
    let index = try ShardedIndex(opening: directory("index"))
    let summary = try ShardBuilder.repack(index, into: directory("repacked"), options: options)
    _ = try ShardBuilder.build([input], into: directory("built"), options: options)
    let built = Files.contents(of: directory("built"))
    #expect(Files.contents(of: directory("repacked")) == built)
    #expect(summary.recordsIndexed == 3000 && summary.shardCount == built.count - 1)
    #expect(try ShardBuilder.level(of: index) == 3)
  }

  @Test("an index that does not store its keys cannot be repacked")
  func keysNotStored() throws {
    let directory = TemporaryDirectory()
    var options = typed.options
    options.build.keep = ["_id"]
    _ = try ShardBuilder.build([typed.dataset], into: directory("index"), options: options.build)
    #expect {
      try ShardPlanner.plan(log: typed.log, source: .index(directory("index")), in: directory.path, options: options)
    } throws: {
      "\($0)".contains("name the dataset instead")
    }
    #expect(!Files.names(in: directory.path).contains { $0.hasPrefix("shardq-plan") })
  }

  // MARK: The log

  @Test("sessions alternate between the halves; one begins after a clear, or with another first character")
  func halves() throws {
    let directory = TemporaryDirectory()
    func halves(_ text: String) throws -> [String] {
      var halves = try LogHalves(opening: directory.write(text, to: "log"))
      var texts = ["", ""]
      while let (text, half) = try halves.next() { texts[half] += text + " " }
      let counts = halves.counts
      return texts + ["\(counts[0].sessions) \(counts[0].keystrokes), \(counts[1].sessions) \(counts[1].keystrokes)"]
    }
    #expect(try halves("1\t\n5\ta\n5\tab\n\n5\tac\n1\t\n1\t\n5\tx\n") == ["a ab x ", "ac ", "2 3, 1 1"])
    #expect(try halves("san\nnew york\nnew\nberlin\nbern") == ["san berlin bern ", "new york new ", "2 3, 1 2"])
    #expect(try halves("\n\n") == ["", "", "0 0, 0 0"])
  }

  @Test("a log that is no use for planning is refused before anything is built")
  func badLogs() throws {
    let directory = TemporaryDirectory()
    func error(_ log: String) -> PlanError? {
      do {
        // There is no index: a log that is read gives another error.
        _ = try ShardPlanner.plan(log: log, source: .index(directory("none")), in: directory.path)
        return nil
      } catch { return error }
    }
    #expect(error(directory("missing")) == .log(.io(operation: "open", path: directory("missing"), errno: ENOENT)))
    #expect(error(directory(".")) == .logNotRegular(path: directory(".")))
    #expect(mkfifo(directory("pipe"), 0o600) == 0)
    #expect(error(directory("pipe")) == .logNotRegular(path: directory("pipe")))
    let log = directory.write("", to: "log")
    #expect(error(log) == .tooFewSessions(path: log, sessions: 0))
    _ = directory.write("a\nab\nabc\n", to: "log")
    #expect(error(log) == .tooFewSessions(path: log, sessions: 1))
    _ = directory.write("a\nb\nx\ty\n", to: "log")
    #expect(error(log) == .log(.badPause(path: log, line: 3)))
    _ = directory.write([0x61, 0x0a, 0xff], to: "log")
    #expect(error(log) == .log(.notUTF8(path: log, line: 2)))
    _ = directory.write("a\nb\n", to: "log")
    #expect(error(log) == .index(.notFound(path: directory("none"))))
    #expect(!Files.names(in: directory.path).contains { $0.hasPrefix("shardq-plan") })
  }

  @Test("percentiles are those of the sorted sizes; above 64 KiB they are rounded up to a KiB")
  func percentiles() {
    var random = TestSupport.SplitMix64(seed: 4)
    for round in 0..<60 {
      var counts = SizeCounts()
      let top = [10, 70_000, 5_000_000][round % 3]
      let sizes = (0..<Int.random(in: 1...300, using: &random)).map { _ in Int.random(in: 0...top, using: &random) }
      for size in sizes { counts.add(size) }
      for percent in [50, 99, 100] {
        let expected = sizes.sorted()[(sizes.count * percent + 99) / 100 - 1]
        #expect(counts.percentile(percent) == (expected < 65_536 ? expected : (expected + 1023) / 1024 * 1024))
      }
    }
    #expect(SizeCounts().percentile(99) == 0)
  }

  // MARK: Plans

  @Test("the measures of a candidate are those of an index that is built and asked")
  func counted() throws {
    let directory = TemporaryDirectory()
    var options = typed.options
    options.triesAll = true
    let plan = try ShardPlanner.plan(
      log: typed.log, source: .datasets([typed.dataset]), in: directory.path, options: options)
    #expect(plan.candidates.map(\.sizes.shardBytes) == [16 << 10, 16 << 10, 80 << 10, 80 << 10])
    #expect(plan.candidates.map(\.sizes.partBytes) == [1 << 10, 3 << 9, 1 << 10, 3 << 9])
    for candidate in plan.candidates {
      var build = options.build
      (build.shardLimitBytes, build.partSizeBytes) = (candidate.sizes.shardBytes, candidate.sizes.partBytes)
      Files.remove(directory("index"))
      let summary = try ShardBuilder.build([typed.dataset], into: directory("index"), options: build)
      #expect((candidate.files, candidate.bytes) == (summary.shardCount + 1, summary.bytes))
      let files = Files.contents(of: directory("index"))
      #expect(candidate.diskBytes == files.values.reduce(0) { $0 + ($1.count + 4095) / 4096 * 4096 })
      for half in 0...1 {
        var halves = try LogHalves(opening: typed.log)
        let index = try ShardedIndex(
          opening: directory("index"), options: .init(cacheLimitBytes: options.cacheLimitBytes))
        var keystrokes = 0
        while let (text, own) = try halves.next() {
          guard own == half else { continue }
          _ = try index.matches(forPrefix: text).records(in: 0..<options.rows)
          keystrokes += 1
        }
        let (figures, statistics) = (half == 0 ? candidate.choosing : candidate.heldOut, index.statistics)
        #expect(figures.keystrokes == keystrokes && keystrokes > 200)
        #expect(figures.loads == statistics.loads && figures.loadedBytes == statistics.loadedBytes)
        #expect(figures.residentBytes == statistics.residentBytes)
        #expect(figures.loadedBytesP99 > 0 && figures.loadedBytesP99 <= figures.loadedBytes)
      }
    }
    let best = plan.candidates.filter { $0.diskBytes <= plan.diskLimitBytes }.map(\.choosing.loadedBytes).min()
    #expect(plan.best.choosing.loadedBytes == best)
    #expect(plan.diskLimitBytes == plan.usual.diskBytes + plan.usual.diskBytes / 100 * 50)
  }

  @Test("the same log and records give the same plan, from an index or a dataset, and no files are left")
  func deterministic() throws {
    let directory = TemporaryDirectory()
    let before = Files.contents(of: typed.index)
    let plans = try [.index(typed.index), .datasets([typed.dataset]), .index(typed.index)].map {
      (source: ShardPlanner.Source) in
      var options = typed.options
      options.build.jobs = 2
      return try ShardPlanner.plan(log: typed.log, source: source, in: directory.path, options: options)
    }
    #expect(plans[0].candidates == plans[1].candidates && plans[0].candidates == plans[2].candidates)
    #expect(plans[0].choice == plans[1].choice && plans[0].candidates.count > 1)
    #expect(plans[0].candidates.contains(plans[0].usual))
    #expect(Files.names(in: directory.path).isEmpty)
    #expect(Files.contents(of: typed.index) == before)
  }

  @Test("the sessions of the other half do not affect the choice")
  func heldOut() throws {
    let directory = TemporaryDirectory()
    let text = String(decoding: Files.read(typed.log)!, as: UTF8.self)
    // As many other sessions replace the sessions that are held out.
    var (half, other) = (1, "")
    var before = ""
    for line in text.split(separator: "\n") {
      let typed = line.split(separator: "\t", omittingEmptySubsequences: false)[1]
      if !typed.isEmpty, before.first != typed.first { half = 1 - half }
      before = String(typed)
      other += half == 0 || typed.isEmpty ? line + "\n" : "7\t\(typed.first!)zzz\n"
    }
    let changed = directory.write(other, to: "other.log")
    let plans = try [typed.log, changed].map {
      try ShardPlanner.plan(log: $0, source: .index(typed.index), in: directory.path, options: typed.options)
    }
    #expect(plans[0].candidates.map(\.choosing) == plans[1].candidates.map(\.choosing))
    #expect(plans[0].best.sizes == plans[1].best.sizes)
    #expect(plans[0].usual.heldOut.loadedBytes != plans[1].usual.heldOut.loadedBytes)
    #expect(plans[0].usual.heldOut.keystrokes == plans[1].usual.heldOut.keystrokes)
  }

  @Test("a limit below every candidate is an error with the smallest size; too little room is another error")
  func limits() throws {
    let directory = TemporaryDirectory()
    var options = typed.options
    options.diskLimit = .bytes(1000)
    let error = #expect(throws: PlanError.self) {
      try ShardPlanner.plan(log: typed.log, source: .index(typed.index), in: directory.path, options: options)
    }
    guard case .noneFits(1000, let smallest) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    options.diskLimit = .bytes(smallest)
    let plan = try ShardPlanner.plan(log: typed.log, source: .index(typed.index), in: directory.path, options: options)
    #expect(plan.best.diskBytes <= smallest)
    #expect(throws: Never.self) { try ShardPlanner.checkRoom(1, in: directory.path) }
    #expect(throws: PlanError.self) { try ShardPlanner.checkRoom(.max, in: directory.path) }
  }

  // MARK: Choosing

  /// A candidate with the measures that decide.
  private static func candidate(_ shard: Int, _ part: Int, disk: Int, _ choosing: Int, _ heldOut: Int) -> PlanCandidate
  {
    var candidate = PlanCandidate(sizes: ShardSizes(shardBytes: shard, partBytes: part))
    (candidate.diskBytes, candidate.choosing.loadedBytes, candidate.heldOut.loadedBytes) = (disk, choosing, heldOut)
    return candidate
  }

  @Test("the choice is the best that fits, or the default if the other half does not confirm it")
  func choice() {
    let usual = Self.candidate(ShardSizes.usual.shardBytes, ShardSizes.usual.partBytes, disk: 100, 50, 50)
    func chosen(_ candidates: [PlanCandidate], limit: Int = 105) -> (best: ShardSizes, choice: ShardSizes) {
      var search = PlanSearch(usual: usual, diskLimitBytes: limit)
      for candidate in candidates { search.add(candidate) }
      let plan = Plan(candidates: search.candidates, usual: usual, best: search.best, diskLimitBytes: limit)
      return (plan.best.sizes, plan.choice.sizes)
    }
    let (good, large) = (Self.candidate(1, 1, disk: 105, 40, 49), Self.candidate(2, 1, disk: 106, 30, 30))
    let (lucky, same) = (Self.candidate(3, 1, disk: 90, 39, 50), Self.candidate(4, 1, disk: 100, 50, 40))
    #expect(chosen([good, large]) == (good.sizes, good.sizes))
    #expect(chosen([large]) == (.usual, .usual))
    #expect(chosen([good, lucky]) == (lucky.sizes, .usual))
    #expect(chosen([same]) == (.usual, .usual))
    // If the default is too large, any candidate that fits is the choice.
    #expect(chosen([lucky], limit: 95) == (lucky.sizes, lucky.sizes))
  }

  @Test("the search goes a step at a time and skips sizes that must be too large")
  func search() {
    let usual = Self.candidate(64, 5, disk: 100, 50, 50)
    var search = PlanSearch(usual: usual, diskLimitBytes: 105)
    let neighbours = search.neighbours(of: usual.sizes, [16, 64, 256], [1, 4, 5, 6])
    #expect(
      neighbours.map { [$0.shardBytes, $0.partBytes] } == [
        [16, 6], [64, 6], [256, 6], [16, 5], [64, 5], [256, 5], [16, 4], [64, 4], [256, 4],
      ])
    #expect(neighbours.filter(search.isWorthwhile).count == 8)
    search.add(Self.candidate(16, 6, disk: 110, 20, 20))
    #expect(!search.isWorthwhile(ShardSizes(shardBytes: 16, partBytes: 4)))
    #expect(search.isWorthwhile(ShardSizes(shardBytes: 16, partBytes: 8)))
    #expect(search.best == usual)
    #expect(
      search.neighbours(of: ShardSizes(shardBytes: 2, partBytes: 2), [1, 2], [1, 2]).allSatisfy {
        $0.partBytes <= $0.shardBytes
      })
  }

  // MARK: The directory

  @Test("the working directory is removed with its files; the next one removes an abandoned one")
  func workDirectory() throws {
    let directory = TemporaryDirectory()
    let held = try WorkDirectory(in: directory.path)
    Files.write([1], to: held.path + "/file")
    mkdir(held.path + "/candidate", 0o700)
    Files.write([1], to: held.path + "/candidate/shard.zst")
    Files.link(held.path + "/candidate/link", to: directory.path)
    // A directory of a killed plan, a directory of another program, and a file.
    mkdir(directory("shardq-plan-abandoned"), 0o700)
    Files.write([1], to: directory("shardq-plan-abandoned/file"))
    Files.write(Array("a temporary directory of shardq\n".utf8), to: directory("shardq-plan-abandoned/.shardq-work"))
    mkdir(directory("other"), 0o700)
    mkdir(directory("shardq-plan-of-a-user"), 0o700)
    Files.write([1], to: directory("shardq-plan-of-a-user/file"))
    Files.write([1], to: directory("shardq-plan-file"))
    let second = try WorkDirectory(in: directory.path)
    let own = [held, second].map { String($0.path.split(separator: "/").last!) }
    let others = ["other", "shardq-plan-file", "shardq-plan-of-a-user"]
    #expect(Set(Files.names(in: directory.path)) == Set(others + own))
    held.remove("candidate")
    #expect(Files.read(held.path + "/candidate/shard.zst") == nil && Files.read(held.path + "/file") == [1])
    held.remove()
    held.remove()
    second.remove()
    #expect(Set(Files.names(in: directory.path)) == Set(others))
    #expect(throws: BuildError.self) { try WorkDirectory(in: directory("nowhere")) }
  }
}
