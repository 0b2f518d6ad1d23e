import CLibrary
import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Starts") struct StartsTests {
  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let set: @Sendable (inout BuildOptions) -> Void
  }

  private static let cases = [
    Case(testDescription: "alphabetical") { _ in },
    Case(testDescription: "weights") { $0.weight = "_id" },
    Case(testDescription: "weights, words, filters, cells, typing errors") {
      ($0.weight, $0.words, $0.typos, $0.near, $0.filter) = ("_id", .body, true, true, ["country"])
    },
    Case(testDescription: "typing errors and no weights") { $0.typos = true },
  ]

  private static func index(_ set: (inout BuildOptions) -> Void, count: Int = 4000) throws -> SmallIndex {
    try SmallIndex(
      json: GeneratedList.text(count: count, seed: 3, format: .jsonl), key: "{name}, {country}", suffix: ".jsonl"
    ) {
      ($0.shardLimitBytes, $0.partSizeBytes, $0.level, $0.starts) = (4096, 1024, 3, true)
      set(&$0)
    }
  }

  /// The hits of a text, with the content that a list shows.
  private static func hits(_ text: [UInt8], _ limit: Int, in generation: Generation) throws -> [String] {
    var hits = try ShardedIndex.RankedHits(text, in: generation)
    try hits.find(limit)
    return try hits.records(in: 0..<hits.count).enumerated().map { number, record in
      "\(record.key) \(record["_id"] ?? "") \(hits.hit(number, record).matched)"
    }
  }

  @Test("starts have the first and the best matches of each text with matches in several shards", arguments: cases)
  func answers(_ test: Case) throws {
    let index = try Self.index(test.set).open
    let starts = try #require(try index.generation.starts())
    #expect(starts.head.texts.count > 8)
    for text in starts.head.texts {
      let typed = String(decoding: text.map { $0 == 1 ? UInt8(ascii: ",") : $0 }, as: UTF8.self)
      let shards = try index.generation.manifest.shards(forTyped: text)
      #expect(shards.allSatisfy { $0.count > 1 }, "\(typed)")
      let whole = try index.matches(forPrefix: typed)
      for limit in [1, 10, 20] {
        let found = try index.matches(forPrefix: typed, limit: limit, in: starts.generation)
        #expect(found.hasMore == (whole.count > limit), "\(typed)")
        #expect(try found.prefix(limit).map { $0["_id"] } == whole.prefix(limit).map { $0["_id"] }, "\(typed)")
        guard index.generation.manifest.isRanked else { continue }
        let best = try Self.hits(text, limit, in: index.generation)
        #expect(try Self.hits(text, limit, in: starts.generation) == best, "\(typed)")
      }
    }
  }

  @Test("a remote index answers from starts alone; a changed byte is an error or harmless") func far() throws {
    let small = try Self.index { ($0.weight, $0.words) = ("_id", .body) }
    let files = CarriedFiles(small.path, hasAll: true)
    defer { withExtendedLifetime(files) {} }
    let texts = try #require(try small.open.generation.starts()).head.texts
    func answer(_ text: [UInt8]) throws(IndexError) -> [String]? {
      let index = try files.open()
      let generation = try index.generation.nearest(to: text, count: 10)
      guard generation.isOfStarts else { return nil }
      var hits = try ShardedIndex.RankedHits(text, in: generation)
      try hits.find(10)
      return try hits.records(in: 0..<hits.count).map(\.key)
    }
    let right = try texts.map { try answer($0) }
    #expect(right.allSatisfy { $0?.count == 10 })
    #expect(files.reads.allSatisfy { $0.name == "manifest" })
    let manifest = files.files["manifest"]!
    var random = SplitMix64(seed: 9)
    var counts = (right: 0, refused: 0)
    for _ in 0..<TestData.count(300, 3000) {
      var damaged = manifest
      let place = Int.random(in: 0..<damaged.count, using: &random)
      damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      files.files["manifest"] = damaged
      let number = Int.random(in: 0..<texts.count, using: &random)
      do throws(IndexError) {
        let found = try answer(texts[number])
        #expect(found == right[number], "byte \(place)")
        counts.right += 1
      } catch {
        counts.refused += 1
      }
    }
    #expect(counts.right > 0 && counts.refused > 0)
  }

  @Test("starts answer up to 20 matches of a remote index, without their positions") func limited() throws {
    let small = try Self.index { _ in }
    let near = try small.open
    let files = CarriedFiles(small.path, hasAll: false)
    files.gathers = true
    let far = try files.open()
    let texts = try #require(try near.generation.starts()).head.texts.filter { !$0.contains(Fold.separator) }
    #expect(texts.count > 8)
    for text in texts {
      let typed = String(decoding: text, as: UTF8.self)
      let (found, right) = (
        try far.matches(forPrefix: typed, limit: 20), try near.matches(forPrefix: typed, limit: 20)
      )
      let (records, expected) = (try found.prefix(20), try right.prefix(20))
      #expect(records.map { $0["_id"] } == expected.map { $0["_id"] }, "\(typed)")
      #expect((found.count, found.hasMore) == (right.count, right.hasMore), "\(typed)")
      #expect(found.firstPosition == -1 && right.firstPosition >= 0)
      // Identities of records differ.
      #expect(Set(records.map(\.id)).count == records.count)
      #expect(Set(records.map(\.id)).isDisjoint(with: (0..<near.recordCount).map { .position($0) }))
    }
    #expect(files.reads.allSatisfy { $0.name == "manifest" })
    let whole = try far.matches(forPrefix: String(decoding: texts[0], as: UTF8.self), limit: 21)
    #expect(try whole.firstPosition == near.matches(forPrefix: String(decoding: texts[0], as: UTF8.self)).firstPosition)
    #expect(files.reads.contains { $0.name != "manifest" })
  }

  @Test("an update makes starts anew, verify checks them, and a killed build's go") func update() throws {
    let small = try Self.index { $0.id = "_id" }
    let text = try #require(
      try small.open.generation.starts()?.head.texts.first { $0.allSatisfy { (0x61...0x7A).contains($0) } })
    let typed = String(decoding: text, as: UTF8.self)
    let last = try #require(try small.open.matches(forPrefix: "").records(in: 3999..<4000).first)
    let leftover = small.path + "/.shardq-starts"
    try #require(mkdir(leftover, 0o755) == 0)
    Files.write(Files.read(small.path + "/manifest")!, to: leftover + "/manifest")
    let changes = small.directory + "/changes.jsonl"
    // The record's key is the first that begins with the text.
    Files.write(
      Array("{\"_id\":\(last["_id"]!),\"name\":\"\(typed)\",\"country\":\"AA\"}\n".utf8), to: changes)
    _ = try ShardBuilder.update(small.path, upsert: [changes], delete: [])
    #expect(access(leftover, F_OK) != 0)
    try small.open.reload()
    let starts = try #require(try small.open.generation.starts())
    #expect(starts.head.answers(text))
    #expect(try small.open.matches(forPrefix: typed, limit: 1, in: starts.generation).first?.key == "\(typed), AA")
    var findings: [String] = []
    _ = try Verifier.verify(index: small.path) { findings.append("\($0)") }
    // The files that the update replaced stay for a while.
    #expect(findings.allSatisfy { $0.hasPrefix("stray") })
  }
}
