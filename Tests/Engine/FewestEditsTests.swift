import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Answers with the fewest edits") struct FewestEditsTests {
  private typealias Query = ShardedIndex.SearchQuery

  /// Which answers of a check ended before more edits.
  private struct Seen {
    var incomplete = 0
    var withMore = 0
    var complete = 0
    var corrected = 0
    var lighter = 0
  }

  /// Compares the answer with the fewest edits with the exact one.
  private static func check(
    _ index: ShardedIndex, _ exact: Query, limit: Int, _ seen: inout Seen
  ) throws {
    var query = exact
    query.typos = .min
    let (all, answer) = (try index.search(exact, limit: limit), try index.search(query, limit: limit))
    let edits = all.first?.edits ?? 0
    let head = all.prefix { $0.edits == edits }
    func shown(_ hits: Slice<ShardedIndex.Answer>) -> [String] {
      hits.map { "\($0.record["id"] ?? "") \($0.edits) \($0.score)" }
    }
    #expect(all.isComplete)
    #expect(shown(answer[...]) == shown(head), "\(exact.text)")
    #expect(answer.filter { !$0.isSettled }.isEmpty, "\(exact.text)")
    #expect(answer.dropped == all.dropped && answer.interpretation == all.interpretation, "\(exact.text)")
    #expect(answer.correction == all.correction, "\(exact.text)")
    let mayFollow = edits > 0 && answer.count < limit && answer.certificate.highestRest != nil
    #expect(answer.isComplete == !mayFollow, "\(exact.text)")
    if answer.isComplete { #expect(answer.count == all.count, "\(exact.text)") }
    #expect(answer.certificate.partsOpened <= all.certificate.partsOpened, "\(exact.text)")
    seen.complete += answer.isComplete ? 1 : 0
    seen.incomplete += answer.isComplete ? 0 : 1
    seen.withMore += answer.count < all.count ? 1 : 0
    seen.corrected += edits > 0 ? 1 : 0
    seen.lighter += answer.certificate.partsOpened < all.certificate.partsOpened ? 1 : 0
  }

  /// Lines of records. Their names are long enough for two edits, and many are a few edits apart.
  private static func lines(_ numbers: [Int], seed: UInt64) -> [String] {
    var random = SplitMix64(seed: seed)
    func word() -> String {
      var letters = Array(["abcabcab", "bacbacca", "cabbacab", "abba", "caca", "bacab"].randomElement(using: &random)!)
      letters[Int(random.next() % UInt64(letters.count))] = "abcd".randomElement(using: &random)!
      return String(letters)
    }
    return numbers.map { number in
      let country = ["x", "y", "bc"].randomElement(using: &random)!
      let place = #""lat":\#(Int(random.next() % 180) - 90),"lon":\#(Int(random.next() % 360) - 180)"#
      return #"{"name":"\#(word()) \#(word())","country":"\#(country)","w":\#(random.next() % 1_000_000),"#
        + #""id":"\#(number)","others":["\#(word())","\#(word()) \#(word())"],"# + place + "}"
    }
  }

  private static func index(
    _ count: Int, seed: UInt64, _ change: (inout BuildOptions) -> Void = { _ in }
  ) throws -> SmallIndex {
    try SmallIndex(
      json: lines(Array(0..<count), seed: seed).joined(separator: "\n"), key: "{name}, {country}", suffix: ".jsonl"
    ) {
      ($0.weight, $0.id, $0.shardLimitBytes, $0.partSizeBytes, $0.typos) = ("w", "id", 2048, 256, true)
      change(&$0)
    }
  }

  private static func texts(_ index: ShardedIndex, _ count: Int, seed: UInt64) throws -> [String] {
    EditedSearchTests.texts(try RankedSearchTests.scan(index), count, seed: seed)
  }

  @Test("the answer is the head of the exact one, and not complete if more may follow", arguments: [10, 400])
  func head(limit: Int) throws {
    let index = try Self.index(2000, seed: 41).open
    var seen = Seen()
    for text in try Self.texts(index, 200, seed: 6) + ["", "a", "zzzz", "abcabcabcabc"] {
      for words in [ShardedIndex.RequiredWords.automatic, .all] {
        try Self.check(index, Query(text, words: words), limit: limit, &seen)
      }
    }
    #expect(seen.withMore > 20 && seen.lighter > 20 && seen.complete > 20, "\(seen)")
    #expect(seen.corrected > seen.incomplete || limit == 400, "\(seen)")
  }

  @Test("so is the answer with entries, filters, places, readings and an overlay") func features() throws {
    let built = try Self.index(1500, seed: 42) {
      ($0.words, $0.alias, $0.filter, $0.near) = (.body, ["others"], ["country"], true)
    }
    let file = built.directory + "/changes.jsonl"
    let changes = Self.lines((0..<30).map { 40 * $0 }, seed: 44)
    Files.write(Array(changes.joined(separator: "\n").utf8), to: file)
    var options = BuildOptions()
    options.writesOverlay = true
    var seen = Seen()
    for isChanged in [false, true] {
      if isChanged { _ = try ShardBuilder.update(built.path, upsert: [file], delete: [], options: options) }
      let index = try ShardedIndex(opening: built.path)
      #expect((index.generation.overlay != nil) == isChanged)
      for (number, text) in try Self.texts(index, 60, seed: isChanged ? 7 : 8).enumerated() {
        var query = Query(number % 5 == 0 ? text + " bc" : text)
        if number % 3 == 0 { query.filter = [.init("country", isOneOf: ["x", "bc"])] }
        if number % 4 == 0 { query.near = ShardedIndex.Place(latitude: 10, longitude: 20) }
        try Self.check(index, query, limit: 12, &seen)
      }
    }
    #expect(seen.withMore > 15 && seen.lighter > 15 && seen.complete > 15, "\(seen)")
  }

  @Test("pages joined are the exact answer, by next and by cursor") func pages() throws {
    let index = try Self.index(1000, seed: 23).open
    var short = 0
    for text in try Self.texts(index, 40, seed: 4) {
      let exact = try index.search(Query(text, words: .all), limit: 200).map { $0.record["id"]! }
      let query = Query(text, typos: .min, words: .all)
      var page = try index.search(query, limit: 7)
      var (joined, behind): ([String], [String]) = ([], [])
      var cursor: ShardedIndex.Cursor?
      repeat {
        let other = try index.search(query, limit: 7, after: cursor)
        behind += other.map { $0.record["id"]! }
        joined += page.map { $0.record["id"]! }
        short += page.isComplete ? 0 : 1
        page = try page.next()
        cursor = other.cursor
      } while cursor != nil && behind.count < 200
      #expect(Array(joined.prefix(200)) == exact && Array(behind.prefix(200)) == exact, "\(text)")
    }
    #expect(short > 5)
  }

  @Test("a budget ends such an answer too") func budgets() throws {
    let index = try Self.index(1500, seed: 43).open
    for text in try Self.texts(index, 20, seed: 9) {
      let full = try index.search(Query(text, typos: .min), limit: 30).map { $0.record["id"] }
      for most in [0, 1, 2, 4, 8] {
        let answer = try index.search(Query(text, typos: .min, budget: .parts(most)), limit: 30)
        let settled = answer.prefix { $0.isSettled }.map { $0.record["id"] }
        #expect(settled == Array(full.prefix(settled.count)), "\(text), \(most)")
        #expect(answer.certificate.partsOpened <= most && (!answer.isComplete || settled == full), "\(text), \(most)")
      }
    }
  }
}
