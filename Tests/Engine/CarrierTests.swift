import CLibrary
import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Indexes behind a carrier") struct CarrierTests {
  /// Made-up cities with every feature of an index, in many small shards and parts.
  private static let index = Result {
    try SmallIndex(
      json: GeneratedList.text(count: 6000, seed: 3, format: .jsonl), key: "{name}, {country}", suffix: ".jsonl"
    ) {
      ($0.shardLimitBytes, $0.partSizeBytes, $0.level) = (4096, 1024, 3)
      ($0.weight, $0.words, $0.typos, $0.near, $0.filter) = ("_id", .body, true, true, ["country"])
    }
  }

  /// Beginnings of keys, and texts with which no key begins.
  private static func texts(of index: ShardedIndex, count: Int) throws -> [String] {
    var random = SplitMix64(seed: 5)
    let matches = try index.matches(forPrefix: "")
    let beginnings = try (0..<count).map { _ in
      let place = Int.random(in: 0..<matches.count, using: &random)
      let key = try matches.records(in: place..<place + 1)[0].key
      return String(key.prefix(Int.random(in: 1...key.count, using: &random)))
    }
    return beginnings + ["", "zzzzzz", "a ", "san f", "\u{0}"]
  }

  private static func keys(_ matches: ShardedIndex.Matches) throws(IndexError) -> [String] {
    try matches.records(in: 0..<min(10, matches.count)).map(\.key)
  }

  @Test("answers are those of the directory, whichever bytes are present") func sameAnswers() throws {
    let small = try Self.index.get()
    let files = CarriedFiles(small.path, hasAll: true)
    defer { withExtendedLifetime(files) {} }
    let all = try files.open()
    for text in try Self.texts(of: small.open, count: 200) {
      let (expected, found) = try (small.open.matches(forPrefix: text), all.matches(forPrefix: text))
      #expect(found.count == expected.count)
      #expect(try Self.keys(found) == Self.keys(expected))
      let query = ShardedIndex.SearchQuery(text)
      #expect(try all.search(query).records.map(\.key) == small.open.search(query).records.map(\.key))
    }
  }

  @Test("a query waits for bytes at most five times, and its answer is right")
  func rounds() throws {
    let small = try Self.index.get()
    var worst = (keys: 0, ranked: 0)
    for text in try Self.texts(of: small.open, count: TestData.count(40, 400)) {
      // Each text has an index without cached bytes.
      let files = CarriedFiles(small.path, hasAll: false)
      let index = try files.asking { () throws(IndexError) in try files.open() }.value
      let (keys, rounds) = try files.asking { () throws(IndexError) in
        do throws(IndexError) {
          return try Self.keys(index.matches(forPrefix: text))
        } catch {
          var query = ShardedIndex.SearchQuery(text)
          (query.order, query.needs.keys) = (.key, .always)
          query.prefetch(in: index.generation)
          throw error
        }
      }
      #expect(try keys == Self.keys(small.open.matches(forPrefix: text)), "\(text)")
      worst.keys = max(worst.keys, rounds)
      let query = ShardedIndex.SearchQuery(text)
      let (found, more) = try files.asking { () throws(IndexError) in try index.search(query).records.map(\.key) }
      #expect(try found == small.open.search(query).records.map(\.key), "\(text)")
      worst.ranked = max(worst.ranked, more)
    }
    #expect(worst.keys <= 5)
    print("rounds: \(worst.keys) of keys, \(worst.ranked) of ranked answers behind them")
  }

  @Test("a query waits for a gathering carrier at most three times, and fetches damage anew") func gathering() throws {
    let small = try Self.index.get()
    for text in try Self.texts(of: small.open, count: TestData.count(40, 400)) {
      let files = CarriedFiles(small.path, hasAll: false)
      files.gathers = true
      let index = try files.open()
      let opening = files.waits
      let matches = try index.matches(forPrefix: text)
      #expect(files.waits - opening <= 4, "\(text)")
      #expect(try Self.keys(matches) == Self.keys(small.open.matches(forPrefix: text)), "\(text)")
      let query = ShardedIndex.SearchQuery(text)
      #expect(try index.search(query).records.map(\.key) == small.open.search(query).records.map(\.key), "\(text)")
    }
    let files = CarriedFiles(small.path, hasAll: false)
    files.gathers = true
    let index = try files.open()
    let sound = files.files
    for name in sound.keys where name != "manifest" { files.files[name]![9] ^= 4 }
    let damaged = #expect(throws: IndexError.self) { try index.matches(forPrefix: "s") }
    guard case .corrupt = damaged else { Issue.record("\(String(describing: damaged))"); return }
    files.wrong = ["read": -70_000]
    #expect(throws: IndexError.unreachable(path: "carried/manifest", reason: "sentence 70000")) { try files.open() }
    (files.wrong, files.files) = ([:], sound)
    #expect(try Self.keys(index.matches(forPrefix: "s")) == Self.keys(small.open.matches(forPrefix: "s")))
  }

  @Test("opening takes one read of at most 16 KiB of the manifest") func firstRead() throws {
    let small = try Self.index.get()
    let files = CarriedFiles(small.path, hasAll: true)
    _ = try files.open()
    #expect(files.reads.map(\.name) == ["manifest"])
    #expect(files.reads[0].range == 0..<min(16_384, files.files["manifest"]!.count))
  }

  @Test("a query with a limit reads fewer pages, and answers the same") func limit() throws {
    let small = try SmallIndex(
      json: GeneratedList.text(count: 6000, seed: 3, format: .jsonl), key: "{name}, {country}", suffix: ".jsonl"
    ) { ($0.shardLimitBytes, $0.partSizeBytes, $0.level) = (1024, 512, 3) }
    let all = small.open
    // The manifest has several pages.
    #expect(all.shardCount > 192)
    let files = CarriedFiles(small.path, hasAll: true)
    var pages = (limited: 0, whole: 0)
    for text in try Set(
      Self.texts(of: all, count: 300).flatMap { [String($0.prefix(1)), String($0.prefix(2)), $0 + " "] })
    {
      let expected = try all.matches(forPrefix: text)
      for limit in [0, 1, 10, 200, Int.max] {
        let index = try files.open()
        let before = files.reads.count
        let found = try index.matches(forPrefix: text, limit: limit)
        let read = files.reads[before...].count { $0.name == "manifest" }
        if limit == 10 { pages.limited += read }
        if limit == .max { pages.whole += read }
        #expect(found.count == min(limit, expected.count), "\(text) \(limit)")
        #expect(found.hasMore == (expected.count > limit), "\(text) \(limit)")
        #expect(found.lowerBound == expected.lowerBound, "\(text) \(limit)")
        #expect(try Self.keys(found) == Array(Self.keys(expected).prefix(limit)), "\(text) \(limit)")
      }
    }
    #expect(pages.limited < pages.whole)
    print("pages read: \(pages.limited) with a limit, \(pages.whole) without")
  }

  @Test("the index throws a carrier's errors, and the same query works when asked again") func errors() throws {
    let small = try Self.index.get()
    let files = CarriedFiles(small.path, hasAll: true)
    let carrier = try files.open(.init(cacheLimitBytes: 0))
    let expected = try Self.keys(small.open.matches(forPrefix: "s"))
    #expect(try Self.keys(carrier.matches(forPrefix: "s")) == expected)
    for (call, result, error) in [
      ("open", Int64(-EACCES), EACCES), ("read", Int64(-EIO), EIO), ("read", Int64(-EAGAIN), EAGAIN),
      ("open", Int64(-EAGAIN), EAGAIN),
    ] {
      let index = try files.open(.init(cacheLimitBytes: 0))
      files.wrong = [call: result]
      let thrown = #expect(throws: IndexError.self) { try Self.keys(index.matches(forPrefix: "s")) }
      guard case .io(_, let path, let number) = thrown else { Issue.record("\(String(describing: thrown))"); continue }
      #expect(number == error && path.hasPrefix("carried/"))
      files.wrong = [:]
      #expect(try Self.keys(index.matches(forPrefix: "s")) == expected)
    }
    for size in [Int64(-EIO), 0, 1, .max] {
      files.wrong = ["size": size]
      #expect(throws: IndexError.self) { try files.open() }
    }
    files.wrong = [:]
    let index = try files.open()
    let manifest = files.files["manifest"]!
    let shards = files.files.keys.filter { $0 != "manifest" }
    for shard in shards { files.files[shard] = nil }
    guard case .vanished = #expect(throws: IndexError.self, performing: { try index.matches(forPrefix: "s") }) else {
      Issue.record("a missing shard is no vanished shard")
      return
    }
    files.files = [:]
    #expect(throws: IndexError.notFound(path: "carried")) { try files.open() }
    files.files = ["manifest": Array(manifest.dropLast())]
    #expect(throws: IndexError.self) { try files.open() }
  }

  @Test("reload takes the carrier's manifest, and reads nothing more if it is the same") func reload() throws {
    let directory = TemporaryDirectory()
    func build(_ names: [String]) throws {
      let input = directory.write(names.map { "{\"name\":\"\($0)\"}\n" }.joined(), to: "list.jsonl")
      var options = BuildOptions()
      options.key = "{name}"
      _ = try ShardBuilder.build([input], into: directory("index"), options: options)
    }
    try build(["one", "two"])
    let files = CarriedFiles(directory("index"), hasAll: true)
    let index = try files.open()
    #expect(try index.count(ofPrefix: "") == 2)
    let reads = files.reads.count
    #expect(try !index.reload())
    #expect(files.reads.count == reads)
    try build(["one", "two", "three"])
    files.files = Files.contents(of: directory("index"))
    #expect(try index.count(ofPrefix: "") == 2)
    #expect(try index.reload())
    #expect(try index.count(ofPrefix: "") == 3)
  }
}
