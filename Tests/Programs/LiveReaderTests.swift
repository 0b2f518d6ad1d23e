import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

import CLibrary

/// An index that is built again and again; every record has the number of its build.
private final class LiveIndex: Sendable {
  static let stems = ["al", "be", "ko", "sa"]
  static let countPerStem = 6
  static let recordCount = stems.count * countPerStem

  let directory = TemporaryDirectory()
  var path: String { directory.path + "/index" }

  static func text(_ generation: Int, extra: String = "") -> String {
    stems.flatMap { stem in
      (0..<countPerStem).map { "{\(extra)\"name\":\"\(stem)-\($0)\",\"g\":\(generation)}\n" }
    }.joined()
  }

  func build(_ generation: Int, extra: String = "") throws {
    directory.write(Self.text(generation, extra: extra), to: "dataset.jsonl")
    var options = BuildOptions()
    (options.key, options.shardLimitBytes, options.level, options.jobs) = ("{name}", 150, 1, 1)
    _ = try ShardBuilder.build([directory.path + "/dataset.jsonl"], into: path, options: options)
  }

  /// The same records with ids, which ``change(_:)`` needs.
  func buildWithIDs(_ generation: Int) throws {
    directory.write(Self.identified(generation), to: "dataset.jsonl")
    var options = BuildOptions()
    (options.key, options.id, options.shardLimitBytes, options.level, options.jobs) = ("{name}", "_id", 150, 1, 1)
    _ = try ShardBuilder.build([directory.path + "/dataset.jsonl"], into: path, options: options)
  }

  private static func identified(_ generation: Int) -> String {
    var number = 0
    return text(generation).split(separator: "\n").map {
      number += 1
      return "{\"_id\":\(number)," + $0.dropFirst() + "\n"
    }.joined()
  }

  /// Changes every record, beside the shards or in them.
  func change(_ generation: Int, writesOverlay: Bool) throws {
    directory.write(Self.identified(generation), to: "changes.jsonl")
    var options = BuildOptions()
    (options.jobs, options.writesOverlay) = (1, writesOverlay)
    _ = try ShardBuilder.update(path, upsert: [directory.path + "/changes.jsonl"], delete: [], options: options)
  }

  /// Shard files and any other files that a build may have left.
  var files: [String] {
    Files.names(in: path).filter { $0 != "manifest" && $0 != ".lock" }
  }

  var shardNames: Set<String> {
    get throws {
      let manifest = try ShardedIndex(opening: path).generation.manifest
      return try withExtendedLifetime(manifest) { Set(try manifest.shards().map(\.fileName)) }
    }
  }

  /// The generation of all records of an answer; nil if the answer mixes generations or is not whole.
  static func generation(ofJSON answer: String, count: Int) -> Int? {
    let found = answer.split(separator: "\"g\":").dropFirst().map { Int($0.prefix { $0.isNumber }) }
    guard found.count == count, let first = found.first, found.allSatisfy({ $0 == first }) else { return nil }
    return first
  }

  static func generation(of matches: ShardedIndex.Matches, count: Int) throws(IndexError) -> Int? {
    let found = try matches.records(in: 0..<Int.max).map { Int($0["g"] ?? "") }
    guard found.count == count, let first = found.first, found.allSatisfy({ $0 == first }) else { return nil }
    return first
  }
}

@Suite(
  "Readers while an index is rebuilt a thousand times", .serialized,
  .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct LiveReaderTests {
  /// The counts of the readers' answers.
  private final class Record: Sendable {
    let newest = Atomic(0)
    let isOver = Atomic(false)
    let answers = Atomic(0)
    let overtaken = Atomic(0)
    let faults = Lock<[String]>([])

    func fault(_ text: String) { faults.withLock { if $0.count < 20 { $0.append(text) } } }

    /// Asks until the test ends.
    ///
    /// - Parameters:
    ///   - isCurrent: Whether no answer may be older than the generation before the question.
    ///   - ask: Gives the generation of an answer, nil if it is mixed, -1 for an answer that rebuilds overtook.
    func read(_ who: String, isCurrent: Bool, _ ask: () -> (generation: Int?, what: String)) {
      var last = 0
      while !isOver.load(ordering: .acquiring) {
        let before = newest.load(ordering: .acquiring)
        let (generation, what) = ask()
        guard generation != -1 else {
          overtaken.add(1, ordering: .relaxed)
          continue
        }
        guard let generation else {
          fault("\(who): \(what)")
          return
        }
        if generation < last { fault("\(who): back from \(last) to \(generation)") }
        if isCurrent, generation < before { fault("\(who): \(generation) when \(before) was there") }
        last = max(last, generation)
        answers.add(1, ordering: .relaxed)
        usleep(300)  // Leaves the builder some of the machine.
      }
    }
  }

  @Test("lasting and short processes and eight threads see no error, no mixture and no step back")
  func thousandRebuilds() throws {
    let live = LiveIndex()
    try live.build(0)
    let rebuilds = 1000
    try watch(live, rebuilds: rebuilds) { try live.build($0) }
    // Only the last two generations are left.
    let before = try live.shardNames
    try live.build(rebuilds + 1)
    let now = try live.shardNames
    #expect(now.isDisjoint(with: before))
    #expect(Set(live.files) == now.union(before))
  }

  @Test("over overlays, updates and builds readers see no error, no mixture and no step back")
  func overlays() throws {
    let live = LiveIndex()
    try live.buildWithIDs(0)
    try watch(live, rebuilds: 1000) { generation in
      // An overlay over none, over another and after a merge; merges and builds with an overlay and without.
      switch generation % 7 {
      case 3, 4: try live.change(generation, writesOverlay: false)
      case 6: try live.buildWithIDs(generation)
      default: try live.change(generation, writesOverlay: true)
      }
    }
  }

  /// Has readers of all kinds ask while the index changes.
  private func watch(_ live: LiveIndex, rebuilds: Int, _ rebuild: @escaping @Sendable (Int) throws -> Void) throws {
    let count = LiveIndex.recordCount
    let record = Record()
    // Threads share an index, as in an app; two threads have an index each and reload it themselves.
    let looking = try ShardedIndex(
      opening: live.path, options: .init(cacheLimitBytes: 3000, reloadInterval: .zero))
    let seldom = try ShardedIndex(opening: live.path, options: .init(reloadInterval: .milliseconds(5)))
    WorkerPool.forEach(12, threads: 12) { number in
      switch number {
      case 0:
        defer { record.isOver.store(true, ordering: .releasing) }
        do {
          for generation in 1...rebuilds {
            try rebuild(generation)
            record.newest.store(generation, ordering: .releasing)
          }
        } catch {
          record.fault("building: \(error)")
        }
      case 1...8:
        guard let own = try? ShardedIndex(opening: live.path) else { return record.fault("cannot open") }
        let index = number <= 4 ? looking : number <= 6 ? seldom : own
        var round = number
        record.read("thread \(number)", isCurrent: number <= 4 || number > 6) {
          round += 1
          let stem = LiveIndex.stems[round % LiveIndex.stems.count]
          do throws(IndexError) {
            if number > 6 { try own.reload() }
            let matches = try index.matches(forPrefix: round % 3 == 0 ? "" : stem)
            let all = round % 3 == 0 ? count : LiveIndex.countPerStem
            return (try LiveIndex.generation(of: matches, count: all), "a mixture")
          } catch {
            // After two builds between a question and the reading of its answer, the answer's shards are gone.
            if case .superseded = error { return (-1, "") }
            return (nil, "\(error)")
          }
        }
      case 9, 10:
        let errors = live.directory.path + "/errors-\(number)"
        let program = Conversation(["query", "--stdin", "--all", "-i", live.path], errors: errors)
        record.read("process \(number)", isCurrent: true) {
          let answer = program.ask(number == 9 ? "" : "ko")
          let all = number == 9 ? count : LiveIndex.countPerStem
          let said = live.directory.read("errors-\(number)")
          return (answer.flatMap { LiveIndex.generation(ofJSON: $0, count: all) }, "\(answer ?? "nothing") \(said)")
        }
        let status = program.end()
        if status != 0 { record.fault("process \(number) ended with \(status)") }
      default:
        record.read("processes", isCurrent: true) {
          let result = Program.run(["", "--all", "--format", "json", "-i", live.path])
          let generation = LiveIndex.generation(ofJSON: result.output, count: count)
          return (result.status == 0 ? generation : nil, "\(result)")
        }
      }
    }
    #expect(record.faults.withLock { $0 } == [])
    #expect(record.newest.load(ordering: .relaxed) == rebuilds)
    // At least as many answers as rebuilds: readers and builder did run side by side.
    #expect(record.answers.load(ordering: .relaxed) >= rebuilds)
    #expect(looking.statistics.reloads > 0 && looking.statistics.residentBytes <= 3000)
    print(
      "live: \(rebuilds) rebuilds, \(record.answers.load(ordering: .relaxed)) answers,",
      "\(record.overtaken.load(ordering: .relaxed)) asked anew")
  }

  // MARK: One program, two generations

  @Test("every line of standard input is answered from the generation at its reading")
  func lines() throws {
    let live = LiveIndex()
    try live.build(0)
    let digest = try ShardedIndex(opening: live.path).manifestDigest()
    let program = Conversation(["query", "--stdin", "-i", live.path])
    let pinned = Conversation(
      ["query", "--stdin", "-i", live.path, "--expect-digest", digest.description],
      errors: live.directory.path + "/errors")
    func generation(_ program: Conversation, _ question: String) -> Int? {
      program.ask(question).flatMap { LiveIndex.generation(ofJSON: $0, count: LiveIndex.countPerStem) }
    }
    #expect(generation(program, "al") == 0 && generation(pinned, "al") == 0)
    try live.build(1)
    #expect(generation(program, "al") == 1 && generation(program, "be") == 1)
    #expect(generation(pinned, "al") == 0 && generation(pinned, "be") == 0)
    // A field before the others: names and shapes of the previous generation would give other objects.
    try live.build(2, extra: "\"first\":true,")
    #expect(program.ask("sa-0")?.contains("[{\"first\":true,\"name\":\"sa-0\",\"g\":2}]") == true)
    #expect(generation(pinned, "al") == 0, "decoded parts stay in memory")
    // The shards that the pinned program would have to load are gone; nothing takes their place.
    #expect(pinned.ask("ko") == nil)
    #expect(pinned.end() == 65 && live.directory.read("errors").contains("has SHA-256"))
    #expect(program.end() == 0)
  }

  @Test("a line of standard input is answered with the overlay that was written before its reading")
  func overlaidLines() throws {
    let live = LiveIndex()
    try live.buildWithIDs(0)
    let program = Conversation(["query", "--stdin", "-i", live.path])
    func generation(_ question: String) -> Int? {
      program.ask(question).flatMap { LiveIndex.generation(ofJSON: $0, count: LiveIndex.countPerStem) }
    }
    #expect(generation("al") == 0)
    try live.change(1, writesOverlay: true)
    #expect(generation("al") == 1 && generation("be") == 1)
    try live.change(2, writesOverlay: true)
    #expect(generation("al") == 2)
    try live.change(2, writesOverlay: false)
    #expect(generation("al") == 2 && !live.files.contains("overlay"))
    try live.change(3, writesOverlay: true)
    #expect(generation("ko") == 3)
    // An overlay of another manifest, as a killed update may leave it, changes nothing.
    let overlay = Files.bytes(live.path + "/overlay")
    try live.buildWithIDs(4)
    #expect(generation("ko") == 4 && !live.files.contains("overlay"))
    live.directory.write(overlay, to: "index/overlay")
    #expect(generation("ko") == 4)
    #expect(program.end() == 0)
  }

  @Test("the second of two builders ends with 75 and harms nothing")
  func twoBuilders() throws {
    let live = LiveIndex()
    try live.build(0)
    let build = ["build", "-i", live.path, "--input-format", "jsonl", "--key", "{name}"]
    let first = Conversation(build + ["-"])
    first.tell(LiveIndex.text(1))
    // The first builder takes the lock before it reads.
    for _ in 0..<3000 where !isLocked(live.path + "/.lock") { usleep(10_000) }
    #expect(isLocked(live.path + "/.lock"))
    let before = live.files
    let second = Program.run(build + ["-"], input: LiveIndex.text(2))
    #expect(second.status == 75 && second.output == "" && second.error.contains("another build"), "\(second)")
    #expect(live.files == before)
    let index = try ShardedIndex(opening: live.path)
    #expect(try LiveIndex.generation(of: index.matches(forPrefix: ""), count: LiveIndex.recordCount) == 0)
    #expect(first.end() == 0)
    #expect(try index.reload())
    #expect(try LiveIndex.generation(of: index.matches(forPrefix: ""), count: LiveIndex.recordCount) == 1)
    #expect(Program.run(["verify", "-i", live.path]).status == 0)
    #expect(Program.run(build + ["-"], input: LiveIndex.text(3)).status == 0, "the lock went with its holder")
  }

  private func isLocked(_ path: String) -> Bool {
    let file = open(path, O_RDWR)
    guard file >= 0 else { return false }
    defer { close(file) }
    return flock(file, LOCK_EX | LOCK_NB) != 0
  }

  // MARK: Pinned

  @Test("with --expect-digest a query answers from no other index")
  func pinned() throws {
    let live = LiveIndex()
    try live.build(0)
    let digest = try ShardedIndex(opening: live.path).manifestDigest().description
    #expect(Program.run(["stats", "-i", live.path]).output.contains("sha256 "))
    #expect(
      Program.run(["stats", "-i", live.path, "--format", "json"]).output
        .contains("\"manifest_sha256\":\"\(digest)\""))
    let commands = [
      ["al"], ["query", "al", "--count"], ["stats"], ["verify"], ["export"], ["query", "--stdin"],
    ]
    for command in commands {
      let pinned = Program.run(command + ["-i", live.path, "--expect-digest", digest], input: "al\n")
      let plain = Program.run(command + ["-i", live.path], input: "al\n")
      #expect(pinned == plain && pinned.status == 0, "\(command): \(pinned)")
    }
    #expect(Program.run(["--expect-digest", digest.uppercased(), "-i", live.path, "al", "--count"]).output == "6\n")
    try live.build(1)
    let other = try ShardedIndex(opening: live.path).manifestDigest().description
    for command in commands {
      let refused = Program.run(command + ["-i", live.path, "--expect-digest", digest], input: "al\n")
      #expect(refused.status == 65 && refused.output == "", "\(command): \(refused)")
      #expect(refused.error.contains(digest) && refused.error.contains(other))
    }
    for wrong in ["", "12", digest + "00", String(digest.dropLast()) + "x"] {
      let usage = Program.run(["al", "-i", live.path, "--expect-digest", wrong])
      #expect(usage.status == 64 && usage.output == "", "\(wrong): \(usage)")
    }
  }
}
