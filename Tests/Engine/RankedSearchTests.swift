import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Ranked answers") struct RankedSearchTests {
  /// The distribution of a list's weights.
  enum Spread: CaseIterable { case equal, zero, uniform, pareto, giant }

  /// A list of names with few letters, so that prefixes have many matches and many keys are equal.
  static func list(_ count: Int, _ spread: Spread, seed: UInt64) -> String {
    var random = SplitMix64(seed: seed)
    var lines = ""
    for number in 0..<count {
      func word(_ most: UInt64) -> String {
        String((0..<1 + random.next() % most).map { _ in "abc".randomElement(using: &random)! })
      }
      let name = word(5) + (random.next() % 3 == 0 ? " " + word(3) : "")
      let weight: UInt64 =
        switch spread {
        case .equal: 4096
        case .zero: 0
        case .uniform: random.next() % 1_000_000
        case .pareto: UInt64(1000 / (Double(random.next() % 1_000_000 + 1) / 1_000_000))
        case .giant: number == count / 2 ? 1 << 62 : random.next() % 50
        }
      let country = ["x", "y", "b c"].randomElement(using: &random)!
      // Some records have no weight: it is 0.
      let field = random.next() % 10 == 0 ? "" : #","w":\#(weight)"#
      lines += #"{"name":"\#(name)","country":"\#(country)"\#(field),"id":\#(number)}"# + "\n"
    }
    return lines
  }

  static func index(_ count: Int, _ spread: Spread, seed: UInt64, shardLimit: Int = 2048) throws -> SmallIndex {
    try SmallIndex(json: list(count, spread, seed: seed), key: "{name}, {country}", suffix: ".jsonl") {
      ($0.weight, $0.id, $0.shardLimitBytes, $0.partSizeBytes) = ("w", "id", shardLimit, 256)
    }
  }

  /// A record of a plain scan.
  struct Scanned {
    var folded: [UInt8]
    var weight: UInt64
    var id: String
  }

  static func scan(_ index: ShardedIndex) throws -> [Scanned] {
    try index.matches(forPrefix: "").records(in: 0..<index.recordCount).map {
      Scanned(folded: Fold.fold($0.key), weight: UInt64($0["w"] ?? "") ?? 0, id: $0["id"]!)
    }
  }

  /// The ids and scores of all matches, best first, by docs/ranking.md sections 2 to 4.
  static func expected(_ text: String, of records: [Scanned]) -> [(id: String, score: Int)] {
    let fold = Fold.fold(text)
    let isFinished = fold.last == 0x20
    let q = isFinished ? fold.dropLast() : fold[...]
    var readings = [Array(q)]
    if let space = q.lastIndex(of: 0x20) {
      readings.append(Array(q))
      readings[1][space] = 1
    }
    var matches: [(score: Int, weight: UInt64, position: Int)] = []
    for (position, record) in records.enumerated() {
      var bonus: Int?
      for reading in readings where record.folded.starts(with: reading) {
        let rest = record.folded.dropFirst(reading.count)
        if !reading.isEmpty, rest.isEmpty || rest.first == 1 {
          bonus = isFinished ? 8 : 6
        } else if !isFinished || rest.first == 0x20 {
          bonus = max(bonus ?? 0, 0)
        }
      }
      if let bonus {
        matches.append((WeightRule.code(record.weight) + 2048 * bonus, record.weight, position))
      }
    }
    matches.sort { ($1.score, $1.weight, $0.position) < ($0.score, $0.weight, $1.position) }
    return matches.map { (records[$0.position].id, $0.score) }
  }

  static func check(_ index: ShardedIndex, _ records: [Scanned], _ text: String, limit: Int = 10) throws {
    let all = expected(text, of: records)
    let answer = try index.search(ShardedIndex.SearchQuery(text, words: .all), limit: limit)
    #expect(answer.map { $0.record["id"] } == all.prefix(limit).map(\.id), "\(text)")
    #expect(answer.map(\.score) == all.prefix(limit).map(\.score), "\(text)")
    #expect(answer.isComplete && answer.allSatisfy(\.isSettled))
    if !answer.hasMore { #expect(answer.total == ShardedIndex.Total(all.count), "\(text)") }
    if let last = answer.certificate.lastHit, let rest = answer.certificate.highestRest {
      #expect(rest < last, "\(text)")
    }
  }

  static let texts: [String] = {
    var texts = [""]
    var last = [""]
    for _ in 0..<3 {
      last = last.flatMap { text in ["a", "b", "c", " ", ","].map { text + $0 } }
      texts += last
    }
    return texts + ["aab b", "abc a,", "ab c x", "ab  b c", "a b b c", "zzz", "a, b c", "ab,x", "b c x "]
  }()

  @Test("ranked answers are those of a plain scan, for any weights", arguments: Spread.allCases)
  func scan(spread: Spread) throws {
    let built = try Self.index(3000, spread, seed: 1)
    let records = try Self.scan(built.open)
    for text in Self.texts { try Self.check(built.open, records, text) }
    for text in Self.texts.prefix(31) { try Self.check(built.open, records, text, limit: 300) }
  }

  @Test("ranked answers of many pages and of nodes are those of a plain scan")
  func pages() throws {
    let built = try Self.index(5000, .pareto, seed: 2, shardLimit: 48)
    #expect(built.open.shardCount > 64 * Manifest.pageCapacity)
    let records = try Self.scan(built.open)
    for text in Self.texts.prefix(156) { try Self.check(built.open, records, text) }
  }

  @Test("ranked answers open few parts", arguments: [Spread.equal, .uniform, .pareto])
  func parts(spread: Spread) throws {
    let built = try Self.index(20_000, spread, seed: 3, shardLimit: 16_384)
    for text in Self.texts.prefix(31) {
      let answer = try built.open.search(text)
      let certificate = answer.certificate
      #expect(certificate.partsOpened <= 12, "\(text): \(certificate)")
      #expect(certificate.shardsOpened <= 12, "\(text): \(certificate)")
    }
  }

  @Test("pages joined are one page, by next and by cursor, and no part is opened twice")
  func paging() throws {
    let built = try Self.index(5000, .uniform, seed: 4)
    for text in ["", "a", "ab", "b c", "ca "] {
      let whole = try built.open.search(text, limit: 700)
      let ids = whole.map { $0.record["id"]! }
      var page = try built.open.search(text, limit: 7)
      var (joined, behind): ([String], [String]) = ([], [])
      var cursor: ShardedIndex.Cursor?
      for _ in 0..<100 {
        joined += page.map { $0.record["id"]! }
        let other = try built.open.search(ShardedIndex.SearchQuery(text), limit: 7, after: cursor)
        behind += other.map { $0.record["id"]! }
        if let found = other.cursor { cursor = ShardedIndex.Cursor(found.description) }
        page = try page.next()
      }
      #expect(joined == ids, "\(text)")
      #expect(behind == ids || ids.count < 700, "\(text)")
      #expect(try whole.total == ShardedIndex.Total(built.open.matches(forPrefix: text).count))
    }
  }

  @Test("a cursor of another query or generation is refused, and so is a text that is no cursor")
  func cursors() throws {
    let built = try Self.index(500, .uniform, seed: 5)
    let other = try Self.index(500, .uniform, seed: 6)
    let cursor = try #require(try built.open.search("a", limit: 3).cursor)
    func failure(_ index: ShardedIndex, _ text: String) -> IndexError? {
      do throws(IndexError) {
        _ = try index.search(ShardedIndex.SearchQuery(text), after: cursor)
        return nil
      } catch {
        return error
      }
    }
    #expect(failure(built.open, "a") == nil)
    #expect(failure(built.open, "b") == .refused(.wrongCursor(reason: "belongs to another query")))
    #expect(failure(other.open, "a") == .refused(.wrongCursor(reason: "belongs to another generation of the index")))
    let text = cursor.description
    #expect(ShardedIndex.Cursor(text) == cursor)
    for position in text.indices {
      var forged = text
      forged.replaceSubrange(position...position, with: text[position] == "0" ? "1" : "0")
      #expect(ShardedIndex.Cursor(forged) == nil)
    }
    for forged in ["", "0", text + "00", text.uppercased() + "", String(repeating: "z", count: text.count)]
    where forged != text {
      #expect(ShardedIndex.Cursor(forged) == nil)
    }
  }

  @Test("the settled hits under a budget are the beginning of the full answer")
  func budgets() throws {
    let built = try Self.index(5000, .uniform, seed: 7)
    for text in ["", "a", "ab", "b c"] {
      let full = try built.open.search(text, limit: 50).map { $0.record["id"] }
      for most in 0..<12 {
        let answer = try built.open.search(ShardedIndex.SearchQuery(text, budget: .parts(most)), limit: 50)
        let settled = answer.prefix { $0.isSettled }
        #expect(settled.map { $0.record["id"] } == Array(full.prefix(settled.count)), "\(text), \(most)")
        #expect(answer.dropFirst(settled.count).allSatisfy { !$0.isSettled })
        #expect(answer.certificate.partsOpened <= most)
        #expect(!answer.isComplete || settled.count == full.count)
        #expect(answer.isComplete || settled.count < 50)
      }
    }
    #expect(try built.open.search(ShardedIndex.SearchQuery("a", budget: .until { true })).isEmpty)
  }

  @Test("ranked answers follow the overlay")
  func overlay() throws {
    let built = try Self.index(2000, .uniform, seed: 8)
    var (changes, random) = ("", SplitMix64(seed: 9))
    for number in 0..<40 {
      let name = ["ab", "abc", "b a", "c"].randomElement(using: &random)!
      changes += #"{"name":"\#(name)","country":"x","w":\#(random.next() % 2_000_000),"id":\#(60 * number)}"#
      changes += "\n"
    }
    let file = built.directory + "/changes.jsonl"
    Files.write(Array(changes.utf8), to: file)
    var options = BuildOptions()
    options.writesOverlay = true
    _ = try ShardBuilder.update(built.path, upsert: [file], delete: [], options: options)
    let changed = try ShardedIndex(opening: built.path)
    #expect(changed.generation.overlay != nil)
    let records = try Self.scan(changed)
    for text in Self.texts.prefix(156) { try Self.check(changed, records, text) }
    var page = try changed.search("a", limit: 5)
    var joined: [String] = []
    for _ in 0..<20 {
      joined += page.map { $0.record["id"]! }
      page = try page.next()
    }
    #expect(joined == Self.expected("a", of: records).prefix(100).map(\.id))
  }

  @Test("a changed byte of the ranks is refused, or changes nothing")
  func damage() throws {
    let built = try Self.index(2000, .uniform, seed: 12)
    let (path, size) = (built.path + "/manifest", built.open.generation.manifest.ranksSize)
    let sound = try #require(Files.read(path))
    let expected = try ["", "a", "b c"].map { try built.open.search($0).map { $0.record["id"] } }
    #expect(size > 300)
    var refused = 0
    for position in sound.count - size..<sound.count {
      var damaged = sound
      damaged[position] ^= 1 << UInt8(position % 8)
      Files.write(damaged, to: path)
      let index = try ShardedIndex(opening: built.path)
      for (text, ids) in zip(["", "a", "b c"], expected) {
        do throws(IndexError) {
          #expect(try index.search(text).map { $0.record["id"] } == ids, "byte \(position)")
        } catch {
          guard case .corrupt(path, _) = error else { throw error }
          refused += 1
        }
      }
      // An alphabetical query never reads the ranks.
      #expect(try index.count(ofPrefix: "a") > 0)
    }
    #expect(refused > 2 * size)
  }

  @Test("ranked answers need an index with ranks")
  func notBuilt() throws {
    let built = try SmallIndex(json: Self.list(10, .uniform, seed: 10), key: "{name}", suffix: ".jsonl")
    #expect(throws: IndexError.refused(.notBuilt(feature: .ranks))) { try built.open.search("a") }
  }

  @Test("a session's ranked answers are those of its text")
  func session() throws {
    let built = try Self.index(1000, .pareto, seed: 11)
    var session = built.open.session()
    try session.append("ab ")
    #expect(
      try session.search(limit: 5).map { $0.record["id"] }
        == (try built.open.search("ab ", limit: 5).map { $0.record["id"] }))
    session.removeLast()
    _ = try session.search(limit: 5)
    try session.append(" ")
    let before = built.open.statistics.loads
    _ = try session.search(limit: 5)
    session.removeLast()
    _ = try session.search(limit: 5)
    #expect(built.open.statistics.loads == before)
  }
}
