import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Ranked answers with typing errors") struct EditedSearchTests {
  static func index(
    _ count: Int, _ spread: RankedSearchTests.Spread, seed: UInt64, shardLimit: Int = 2048
  ) throws -> SmallIndex {
    try SmallIndex(
      json: RankedSearchTests.list(count, spread, seed: seed), key: "{name}, {country}", suffix: ".jsonl"
    ) {
      ($0.weight, $0.id, $0.shardLimitBytes, $0.partSizeBytes) = ("w", "id", shardLimit, 256)
      $0.typos = true
    }
  }

  /// The ids, edits and scores of all matches, best first, by docs/ranking.md.
  static func expected(
    _ text: String, of records: [RankedSearchTests.Scanned]
  ) -> [(id: String, edits: Int, score: Int)] {
    let plain = RankedSearchTests.expected(text, of: records)
    let fold = Fold.fold(text)
    let isFinished = fold.last == 0x20
    let limit = EditBudget(isFinished ? fold.dropLast() : fold, inAnyOrder: false).limit
    guard limit > 0, plain.isEmpty else { return plain.map { (id: $0.id, edits: 0, score: $0.score) } }
    let query = FoldedCharacters.all(of: fold)
    var near: [(edits: Int, score: Int, weight: UInt64, position: Int)] = []
    for (position, record) in records.enumerated() {
      let (edits, bonus) = nearest(query, record.folded, isFinished: isFinished, limit: limit)
      if edits <= limit { near.append((edits, WeightRule.code(record.weight) + 2048 * bonus, record.weight, position)) }
    }
    near.sort { ($0.edits, $1.score, $1.weight, $0.position) < ($1.edits, $0.score, $0.weight, $1.position) }
    return near.map { (records[$0.position].id, $0.edits, $0.score) }
  }

  /// The edits from a query to the nearest beginning of a key, and its bonus by the bytes around its end: 4 where a
  /// component or the key ends, 1 where a word ends.
  private static func nearest(
    _ query: [UInt32], _ folded: [UInt8], isFinished: Bool, limit: Int
  ) -> (edits: Int, bonus: Int) {
    // The separator counts as a space, so it is told apart in the bytes of ASCII names alone.
    let bytes = folded.map(UInt32.init) + (isFinished ? [1] : [])
    let text = bytes.map { $0 == 1 ? 0x20 : $0 }
    let distances = EditTable.distances(query, text)
    func bonus(_ end: Int) -> Int {
      [end - 1, end].map { at in
        if at == bytes.count { return 4 }
        return at < 0 ? 0 : bytes[at] == 1 ? 4 : bytes[at] == 0x20 ? 1 : 0
      }.max()!
    }
    let least = EditTable.distance(query, text, limit: limit)
    // Errors in the first letter are rare.
    let start = bytes.first == query.first ? 0 : -2
    let ends = distances.indices.filter {
      distances[$0] == least && (least < 3 || $0 > 6) && EditTable.allows(least, query, Array(text[..<$0]))
    }
    guard let best = ends.map(bonus).max() else { return (limit + 1, 0) }
    return (max(1, least), start + best)
  }

  static func check(
    _ index: ShardedIndex, _ records: [RankedSearchTests.Scanned], _ text: String, limit: Int = 10
  ) throws {
    let all = expected(text, of: records)
    let answer = try index.search(ShardedIndex.SearchQuery(text, words: .all), limit: limit)
    #expect(answer.map { $0.record["id"] } == all.prefix(limit).map(\.id), "\(text)")
    #expect(answer.map(\.edits) == all.prefix(limit).map(\.edits), "\(text)")
    #expect(answer.map(\.score) == all.prefix(limit).map(\.score), "\(text)")
    if let last = answer.certificate.lastHit, let rest = answer.certificate.highestRest {
      #expect(rest < last, "\(text)")
    }
  }

  /// Texts that are near keys of a list, with letters deleted, inserted, replaced or exchanged.
  static func texts(_ records: [RankedSearchTests.Scanned], _ count: Int, seed: UInt64) -> [String] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      let key = records.randomElement(using: &random)!.folded
      var text = Array(String(decoding: key, as: UTF8.self).replacing("\u{1}", with: ","))
      if random.next() % 3 > 0 { text.removeLast(Int(random.next() % UInt64(text.count - 1))) }
      for _ in 0..<random.next() % 3 where text.count > 1 {
        let at = Int(random.next() % UInt64(text.count - 1))
        switch random.next() % 5 {
        case 0: text.insert("abc x".randomElement(using: &random)!, at: at)
        case 1: text.remove(at: at)
        case 2: text[at] = "abcz ".randomElement(using: &random)!
        default: text.swapAt(at, at + 1)
        }
      }
      return String(text) + (random.next() % 4 == 0 ? " " : "")
    }
  }

  @Test("answers with edits are those of a plain scan", arguments: RankedSearchTests.Spread.allCases)
  func scan(spread: RankedSearchTests.Spread) throws {
    let built = try Self.index(3000, spread, seed: 21)
    let records = try RankedSearchTests.scan(built.open)
    for text in Self.texts(records, 60, seed: 1) + ["abcabcabcabc", "zzzz", "aaaa aaaa", "abcb x", ",,,,", "bacca y "] {
      try Self.check(built.open, records, text)
    }
    for text in Self.texts(records, 6, seed: 2) { try Self.check(built.open, records, text, limit: 400) }
  }

  @Test("answers with edits of many pages are those of a plain scan") func pages() throws {
    let built = try Self.index(5000, .pareto, seed: 22, shardLimit: 48)
    let records = try RankedSearchTests.scan(built.open)
    for text in Self.texts(records, 15, seed: 3) { try Self.check(built.open, records, text) }
  }

  @Test("answers with edits follow the overlay") func overlay() throws {
    let built = try Self.index(2000, .uniform, seed: 24)
    var (changes, random) = ("", SplitMix64(seed: 25))
    for number in 0..<40 {
      let name = ["abac", "abcab", "b acaa", "cabba a"].randomElement(using: &random)!
      changes += #"{"name":"\#(name)","country":"x","w":\#(random.next() % 2_000_000),"id":\#(60 * number)}"# + "\n"
    }
    let file = built.directory + "/changes.jsonl"
    Files.write(Array(changes.utf8), to: file)
    var options = BuildOptions()
    options.writesOverlay = true
    _ = try ShardBuilder.update(built.path, upsert: [file], delete: [], options: options)
    let changed = try ShardedIndex(opening: built.path)
    #expect(changed.generation.overlay != nil)
    let records = try RankedSearchTests.scan(changed)
    let texts = Self.texts(records, 30, seed: 5) + ["abca", "abacc", "bacaa", "cabba", "cabbaa x"]
    for text in texts { try Self.check(changed, records, text) }
    var page = try changed.search("abcab", limit: 5)
    var joined: [String] = []
    for _ in 0..<40 {
      joined += page.map { $0.record["id"]! }
      guard page.hasMore else { break }
      page = try page.next()
    }
    let all = Self.expected("abcab", of: records).map(\.id)
    #expect(joined == Array(all.prefix(200)) && all.count > 5)
  }

  @Test("an answer has edits only if the query allows them") func modes() throws {
    let built = try Self.index(500, .uniform, seed: 26)
    let plain = try RankedSearchTests.index(500, .uniform, seed: 26)
    func hits(_ index: ShardedIndex, _ typos: ShardedIndex.Typos) throws(IndexError) -> [String] {
      let answer = try index.search(ShardedIndex.SearchQuery("abcz", typos: typos), limit: 400)
      return answer.map { $0.record["id"]! }
    }
    #expect(try hits(built.open, .none).isEmpty)
    #expect(try hits(built.open, .automatic).count > 5)
    #expect(try hits(built.open, .required) == hits(built.open, .automatic))
    #expect(try hits(plain.open, .automatic).isEmpty)
    #expect(throws: IndexError.refused(.notBuilt(feature: .typos))) { try hits(plain.open, .required) }
    let cursor = try #require(try built.open.search("abcz", limit: 2).cursor)
    #expect(throws: IndexError.refused(.wrongCursor(reason: "belongs to another query"))) {
      try built.open.search(ShardedIndex.SearchQuery("abcz", typos: .none), after: cursor)
    }
    // Sketches change no shard.
    #expect(
      try built.open.generation.manifest.shards().map(\.fileName)
        == plain.open.generation.manifest.shards().map(\.fileName))
  }

  @Test("the corrected text of a hit is marked") func corrections() throws {
    let lines = ["London", "Saint-\u{c9}tienne", "Stra\u{df}burg", "Paris"].map { #"{"name":"\#($0)","country":"xy"}"# }
    let built = try SmallIndex(json: lines.joined(separator: "\n"), key: "{name}, {country}", suffix: ".jsonl") {
      $0.typos = true
    }
    for (text, correction) in [
      ("lodnon", "London"), ("ondon", "London"), ("lnodo", "Londo"), ("saint-etiene", "Saint-\u{c9}tienne"),
      ("strasbrg", "Stra\u{df}burg"), ("pariss", "Paris"), ("parsi ", "Paris"), ("paris xz", "Paris, xy"),
    ] {
      let answer = try built.open.search(text)
      #expect(answer.correction == correction, "\(text)")
    }
    #expect(try built.open.search("london").correction == nil)
    #expect(try built.open.search("xyzxyz").isEmpty)
  }

  @Test("an entry counts with the bonus of its own match") func boundsOfEntries() throws {
    // The other names end within a word. With the bonus of a whole name each would come before the record that has it.
    let others = (0..<60).map {
      #"{"name":"q\#(100 + $0)x","country":"xx","w":2500,"others":["abcdefgh \#($0)"],"id":"\#($0)"}"#
    }
    let whole = #"{"name":"abcde","country":"xx","w":1000,"id":"whole"}"#
    let built = try SmallIndex(
      json: (others + [whole]).joined(separator: "\n"), key: "{name}, {country}", suffix: ".jsonl"
    ) {
      ($0.weight, $0.id, $0.shardLimitBytes, $0.partSizeBytes) = ("w", "id", 256, 128)
      ($0.words, $0.alias, $0.typos) = (.body, ["others"], true)
    }
    let answer = try built.open.search("abczde", limit: 1)
    #expect(answer.map { $0.record["id"] } == ["whole"])
    #expect(answer.certificate.partsOpened < 20, "\(answer.certificate)")
    #expect(try built.open.search("abczde", limit: 100).count == 61)
  }

  @Test("of equal entries, those of the first records are opened first", arguments: [nil, "w"])
  func equalEntries(weight: String?) throws {
    let records = (0..<3000).map { #"{"name":"q\#(1000 + $0) airport","country":"xx","w":1,"id":"\#($0)"}"# }
    let built = try SmallIndex(json: records.joined(separator: "\n"), key: "{name}, {country}", suffix: ".jsonl") {
      ($0.weight, $0.id, $0.words) = (weight, "id", .body)
      ($0.shardLimitBytes, $0.partSizeBytes) = (2048, 512)
    }
    let answer = try built.open.search("airp", limit: 10)
    #expect(answer.map { $0.record["id"] } == (0..<10).map { "\($0)" })
    // All parts with entries, and the first parts with records.
    let parts = try #require(try built.open.generation.entries()).manifest.shardCount * 8
    #expect(answer.certificate.partsOpened < parts && parts < 1500, "\(answer.certificate), \(parts)")
  }

  @Test("words with an error open the parts of the words without one") func partsOfWords() throws {
    var random = SplitMix64(seed: 31)
    func word() -> String { String((0..<4).map { _ in "abcdefgh".randomElement(using: &random)! }) }
    let names = (0..<4000).map { _ in "\(word()) \(word())" }
    let built = try SmallIndex(
      json: names.map { #"{"name":"\#($0)","country":"xx"}"# }.joined(separator: "\n"), key: "{name}, {country}",
      suffix: ".jsonl"
    ) {
      ($0.words, $0.typos, $0.shardLimitBytes, $0.partSizeBytes) = (.body, true, 4096, 256)
    }
    for name in names.prefix(20) {
      let words = name.split(separator: " ")
      let answer = try built.open.search(.init("\(words[1]) z\(words[0].dropFirst())", typos: .min), limit: 20)
      #expect(answer.contains { $0.record.key == name + ", xx" }, "\(name)")
      // The index has over 1,000 parts, and some dozens have a word near to one of these.
      #expect(answer.certificate.partsOpened < 24, "\(name): \(answer.certificate)")
    }
  }

  @Test("a third edit opens the parts of two edits again that have such a text") func partsOfThirdEdit() throws {
    var random = SplitMix64(seed: 37)
    func word(_ count: Int) -> String { String((0..<count).map { _ in "abc".randomElement(using: &random)! }) }
    let names = ["abcabcabcabc"] + (0..<4000).map { _ in word(12) }
    let built = try SmallIndex(
      json: names.map { #"{"name":"\#($0)","country":"xx"}"# }.joined(separator: "\n"), key: "{name}, {country}",
      suffix: ".jsonl"
    ) {
      ($0.typos, $0.shardLimitBytes, $0.partSizeBytes) = (true, 4096, 256)
    }
    func parts(_ typos: ShardedIndex.Typos) throws -> Int {
      let answer = try built.open.search(.init("abcabcxbcaxc", typos: typos), limit: 1000)
      #expect(answer.first?.record.key == "abcabcabcabc, xx" && answer.certificate.partsOpened > 100)
      return answer.certificate.partsOpened
    }
    // With two edits the search opens nearly all of them.
    let (two, three) = (try parts(.min), try parts(.automatic))
    #expect(three < two * 3 / 2, "\(two), \(three)")
  }

  @Test("pages joined are one page, by next and by cursor") func paging() throws {
    let built = try Self.index(3000, .uniform, seed: 23)
    let records = try RankedSearchTests.scan(built.open)
    for text in Self.texts(records, 12, seed: 4) + ["abcabcabc"] {
      let ids = Self.expected(text, of: records).prefix(210).map(\.id)
      var page = try built.open.search(ShardedIndex.SearchQuery(text, words: .all), limit: 7)
      var (joined, behind): ([String], [String]) = ([], [])
      var cursor: ShardedIndex.Cursor?
      for _ in 0..<30 {
        joined += page.map { $0.record["id"]! }
        page = try page.next()
        let query = ShardedIndex.SearchQuery(text, words: .all)
        let other = try built.open.search(query, limit: 7, after: cursor)
        behind += other.map { $0.record["id"]! }
        cursor = other.cursor
        if cursor == nil { break }
      }
      #expect(joined == Array(ids.prefix(joined.count)) && joined.count >= min(210, ids.count), "\(text)")
      #expect(behind == Array(ids), "\(text)")
    }
  }
}
