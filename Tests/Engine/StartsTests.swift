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

  /// The lower bounds of the shards of a manifest.
  private static func bounds(_ manifest: ManifestReader?) throws -> [[UInt8]] {
    try manifest.map { manifest in try (0..<manifest.shardCount).map { try manifest.bound($0) } } ?? []
  }

  @Test("starts have the first or the best matches of each text with matches in several shards", arguments: cases)
  func answers(_ test: Case) throws {
    let index = try Self.index(test.set).open
    let manifest = index.generation.manifest
    let starts = try #require(try index.generation.starts())
    let bounds = try (Self.bounds(manifest), Self.bounds(index.generation.entries()?.manifest))
    #expect(starts.head.texts.count > 8)
    #expect(starts.head.content.prefix(4).elementsEqual((manifest.isRanked ? "SQB2" : "SQB1").utf8))
    #expect((starts.head.texts.first == []) == manifest.isRanked)
    var best: Set<Int> = []
    for text in starts.head.texts {
      let typed = String(decoding: text.map { $0 == 1 ? UInt8(ascii: ",") : $0 }, as: UTF8.self)
      #expect((bounds.0 + bounds.1).contains { $0.count > text.count && $0.starts(with: text) }, "\(typed)")
      let whole = try index.matches(forPrefix: typed)
      for limit in [1, 10, 20] {
        if manifest.isRanked {
          let best = try Self.hits(text, limit, in: index.generation)
          #expect(try Self.hits(text, limit, in: starts.generation) == best, "\(typed)")
        } else {
          let found = try index.matches(forPrefix: typed, limit: limit, in: starts.generation)
          #expect(found.hasMore == (whole.count > limit), "\(typed)")
          #expect(try found.prefix(limit).map { $0["_id"] } == whole.prefix(limit).map { $0["_id"] }, "\(typed)")
        }
      }
      guard manifest.isRanked else { continue }
      var hits = try ShardedIndex.RankedHits(text, typos: .none, in: index.generation)
      try hits.find(StartsHead.depth + 1)
      best.formUnion(hits.positions)
    }
    if manifest.isRanked { #expect(starts.generation.recordCount == best.count) }
  }

  @Test("a remote index answers from starts alone; a changed byte is an error or harmless") func far() throws {
    let small = try Self.index { ($0.weight, $0.words) = ("_id", .body) }
    let files = CarriedFiles(small.path, hasAll: true)
    defer { withExtendedLifetime(files) {} }
    let texts = try #require(try small.open.generation.starts()).head.texts
    func answer(_ text: [UInt8]) throws(IndexError) -> [String]? {
      let index = try files.open()
      let generation = try index.generation.nearest(to: text, count: 10, isByRank: true)
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
    let near = small.open
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
      #expect(found.firstPosition == nil && right.firstPosition != nil)
      // Identities of records differ.
      #expect(Set(records.map(\.id)).count == records.count)
      #expect(Set(records.map(\.id)).isDisjoint(with: (0..<near.recordCount).map { .position($0) }))
    }
    #expect(files.reads.allSatisfy { $0.name == "manifest" })
    let whole = try far.matches(forPrefix: String(decoding: texts[0], as: UTF8.self), limit: 21)
    #expect(try whole.firstPosition == near.matches(forPrefix: String(decoding: texts[0], as: UTF8.self)).firstPosition)
    #expect(files.reads.contains { $0.name != "manifest" })
  }

  @Test("records of starts without an id have an identity that is no position") func identities() throws {
    let small = try Self.index { $0.keep = ["name", "country"] }
    let text = try #require(try small.open.generation.starts()?.head.texts.first)
    let files = CarriedFiles(small.path, hasAll: false)
    files.gathers = true
    let records = try text.withUnsafeBufferPointer { (text) throws(IndexError) in
      try files.open().search(utf8: text, order: .key, limit: 20).prefix(20)
    }
    #expect(!records.isEmpty && Set(records.map(\.id)).count == records.count)
    for record in records { #expect("\(record.id)".hasPrefix("starts#"), "\(record)") }
  }

  @Test("starts of an index with ranks answer up to 20 matches by rank, and none by key") func byRank() throws {
    let small = try Self.index { ($0.weight, $0.words) = ("_id", .body) }
    let files = CarriedFiles(small.path, hasAll: true)
    files.gathers = true
    defer { withExtendedLifetime(files) {} }
    let (near, far) = (small.open, try files.open())
    func search(
      _ text: String, _ limit: Int, _ order: ShardedIndex.SearchQuery.MatchOrder, in index: ShardedIndex
    ) throws -> ShardedIndex.Search {
      var query = ShardedIndex.SearchQuery(text)
      (query.limit, query.order, query.needs.keys) = (limit, order, .unlessStartsMayAnswer)
      return try .finding(query, in: index.generation) { (search) throws(IndexError) in try search.findAll() }
    }
    // The empty text is the list before a person types.
    let texts = try #require(try near.generation.starts()).head.texts.prefix(8).map {
      String(decoding: $0, as: UTF8.self)
    }
    #expect(texts.first == "" && texts.count == 8)
    for text in texts {
      let best = try search(text, 20, .rank, in: far)
      #expect(best.generation.isOfStarts, "\(text)")
      #expect(
        try best.records(in: best.range).map(\.key) == search(text, 20, .rank, in: near).records(in: 0..<20).map(\.key))
      #expect(try !search(text, 21, .rank, in: far).generation.isOfStarts)
      let first = try search(text, 10, .key, in: far)
      #expect(!first.generation.isOfStarts)
      #expect(try first.knownTotal == ShardedIndex.Total(near.count(ofPrefix: text)))
      #expect(try !far.matches(forPrefix: text, limit: 10).generation.isOfStarts)
    }
    let all = try search("", 20, .rank, in: far)
    #expect(try all.total() == ShardedIndex.Total(4000))
    #expect(all.keys == 4000)
  }

  @Test("beginnings of later words have starts too") func words() throws {
    let lines = (0..<3000).map { "{\"name\":\"ab\($0) zy\($0 * 7919 % 3000)\",\"w\":\($0)}\n" }.joined()
    let small = try SmallIndex(json: lines, key: "{name}", suffix: ".jsonl") {
      ($0.shardLimitBytes, $0.level, $0.weight, $0.words, $0.starts) = (4096, 3, "w", .body, true)
    }
    #expect(try #require(try small.open.generation.starts()).head.answers(Array("z".utf8)))
  }

  @Test("if starts are too large, the texts remain that save the most reads for their bytes") func choice() throws {
    /// Builds an index of names of three letters, whose records have so many bytes for each first letter.
    func texts(_ size: (_ first: UInt8, _ number: Int) -> Int) throws -> [String] {
      var random = SplitMix64(seed: 4)
      var lines = ""
      for number in 0..<3000 {
        // More names begin with later letters.
        let first = UInt8(0x61 + [0, 1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 4][number % 12])
        let rest = (0..<3).map { _ in UInt8.random(in: 0x61...0x7A, using: &random) }
        let text = (0..<size(first, number)).map { _ in UInt8.random(in: 0x30...0x7A, using: &random) }.filter {
          $0 != 0x5C
        }
        lines += "{\"name\":\"\(String(decoding: [first] + rest, as: UTF8.self)) \(number)\",\"w\":\(number),"
        lines += "\"text\":\"\(String(decoding: text, as: UTF8.self))\"}\n"
      }
      let small = try SmallIndex(json: lines, key: "{name}", suffix: ".jsonl") {
        ($0.shardLimitBytes, $0.level, $0.weight, $0.starts) = (4096, 3, "w", true)
      }
      return try #require(try small.open.generation.starts()).head.texts.map { String(decoding: $0, as: UTF8.self) }
    }
    // There is room for the records of few texts.
    let even = try texts { _, _ in 700 }
    #expect(even.contains("") && even.contains("e") && !even.contains("a"), "\(even)")
    // A letter whose best records are long leaves the room to others.
    let uneven = try texts { first, number in first == 0x65 && number > 2900 ? 12_000 : 20 }
    #expect(!uneven.contains("e") && uneven.contains("a") && uneven.contains("d"), "\(uneven)")
  }

  @Test("the manifest of entries comes beside the starts, and only a search of the index waits for it")
  func entriesBesideStarts() throws {
    let small = try Self.index { ($0.weight, $0.words) = ("_id", .body) }
    let files = CarriedFiles(small.path, hasAll: false)
    files.gathers = true
    let far = try files.open()
    func find(_ text: String) throws -> (isOfStarts: Bool, waits: Int) {
      let before = files.waits
      let search = try ShardedIndex.Search.finding(ShardedIndex.SearchQuery(text), in: far.generation) {
        (search) throws(IndexError) in try search.findAll()
      }
      return (search.generation.isOfStarts, files.waits - before)
    }
    #expect(!files.asked.contains { $0.hasPrefix("entries-") })
    #expect(try find("s").isOfStarts)
    #expect(files.asked.first { $0 != "manifest" }?.hasPrefix("entries-") ?? false)
    #expect(!files.awaited.contains { $0.hasPrefix("entries-") })
    #expect(try !find("sanka").isOfStarts)
    #expect(files.awaited.contains { $0.hasPrefix("entries-") })
    // A search by key asks for no entries.
    let other = CarriedFiles(small.path, hasAll: false)
    other.gathers = true
    #expect(try other.open().matches(forPrefix: "s", limit: 10).count == 10)
    #expect(!other.asked.contains { $0.hasPrefix("entries-") })
  }

  @Test("verify finds starts that are not the best records") func otherStarts() throws {
    // Of the same names with other weights.
    func index(_ weight: (Int) -> Int) throws -> SmallIndex {
      let lines = (0..<2000).map { "{\"name\":\"\($0 * 7919 % 2000) name\",\"w\":\(weight($0))}\n" }.joined()
      return try SmallIndex(json: lines, key: "{name}", suffix: ".jsonl") {
        ($0.shardLimitBytes, $0.level, $0.weight, $0.starts) = (4096, 3, "w", true)
      }
    }
    let (small, other) = (try index { $0 }, try index { 2000 - $0 })
    let chain = try ManifestSurgery.lastChain(13, of: Files.read(other.path + "/manifest")!)
    let manifest = Files.read(small.path + "/manifest")!
    Files.write(try ManifestSurgery.replacingChain(13, of: manifest, by: chain), to: small.path + "/manifest")
    var findings: [String] = []
    _ = try Verifier.verify(index: small.path) { findings.append("\($0)") }
    #expect(findings.count == 1 && findings[0].contains("has starts of other records"), "\(findings)")
  }

  @Test("starts by rank answer nothing in an index without ranks") func foreignStarts() throws {
    let (plain, ranked) = (try Self.index { _ in }, try Self.index { $0.weight = "_id" })
    // A text that both answer, without a separator.
    let texts = Set(try #require(try ranked.open.generation.starts()).head.texts)
    let both = try #require(try plain.open.generation.starts()).head.texts.first {
      texts.contains($0) && $0.max()! > 0x60
    }
    let text = String(decoding: try #require(both), as: UTF8.self)
    let files = CarriedFiles(plain.path, hasAll: true)
    files.gathers = true
    defer { withExtendedLifetime(files) {} }
    #expect(try files.open().matches(forPrefix: text, limit: 10).generation.isOfStarts)
    let chain = try ManifestSurgery.lastChain(13, of: Files.read(ranked.path + "/manifest")!)
    files.files["manifest"] = try ManifestSurgery.replacingChain(13, of: files.files["manifest"]!, by: chain)
    let found = try files.open().matches(forPrefix: text, limit: 10)
    #expect(!found.generation.isOfStarts)
    #expect(try found.prefix(10).map(\.key) == plain.open.matches(forPrefix: text).prefix(10).map(\.key))
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
