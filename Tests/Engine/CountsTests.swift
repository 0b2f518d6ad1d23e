import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Numbers of matches") struct CountsTests {
  private static let syllables = ["san ", "st. ", "new-", "ville", "york", "a", "(o)", "b "]
  private static let others = ["nyc,big apple", "san,york", "x y", "ville a"]

  private static func list(_ count: Int, seed: UInt64) -> String {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { number in
      let name = (0...random.next() % 3).map { _ in syllables.randomElement(using: &random)! }.joined()
      let other = random.next() % 3 == 0 ? #","alt":"\#(others.randomElement(using: &random)!)""# : ""
      let country = ["US", "FR", "A-B"].randomElement(using: &random)!
      return #"{"name":"\#(name)","country":"\#(country)","w":\#(random.next() % 1000)\#(other)}"#
    }.joined(separator: "\n")
  }

  enum Kind: CaseIterable { case weights, typos, words, allWords, names, all }

  private static func index(_ kind: Kind, count: Int = 600, seed: UInt64 = 1) throws -> SmallIndex {
    try SmallIndex(json: list(count, seed: seed), key: "{name}, {country}", suffix: ".jsonl") {
      ($0.weight, $0.filter, $0.shardLimitBytes, $0.partSizeBytes) = ("w", ["country"], 2048, 256)
      $0.typos = kind == .typos || kind == .all
      $0.words = kind == .allWords || kind == .all ? .all : kind == .words ? .body : nil
      $0.alias = kind == .names || kind == .all ? ["alt"] : []
    }
  }

  /// The number of records that match, by the texts of each record: without typing errors, or else with them.
  private static func scan(_ query: ShardedIndex.SearchQuery, in index: ShardedIndex) throws -> Int {
    let rules = MatchRules(of: index.generation.manifest)
    let text = RankedText(Fold.fold(query.text), rules)
    let edited = NearQuery(text, rules)
    let limit = index.generation.manifest.corrects(query.typos) ? edited.budget.limit : 0
    var (right, near) = (0, 0)
    for record in try index.matches(forPrefix: "").records(in: 0..<index.recordCount) {
      if !query.filter.allSatisfy({ $0.values.contains(record[$0.field] ?? "") }) { continue }
      var texts = RecordTexts(Fold.fold(record.key), rules)
      for field in rules.fields {
        if let value = record.value(ofField: field.number) { texts.add(value.text, value.kind, of: field) }
      }
      if text.isEmpty || texts.match(text, rules) != nil {
        right += 1
      } else if limit > 0, edited.match(texts, edits: limit, rules) != nil {
        near += 1
      }
    }
    return right > 0 ? right : near
  }

  private static let texts = [
    "", "s", "san", "san ", "san y", "york", "york san", "new", "new y", "nyc", "big app", "ville", "villeville",
    "yorkk", "snaville", "st new", "zzz", "a, us", "b a", "x y, fr",
  ]
  private static let filters: [[ShardedIndex.Filter]] = [
    [], [.init("country", isOneOf: ["US"])], [.init("country", isOneOf: ["US", "A-B"])],
  ]

  @Test("a counted total is that of a plain scan, and another total is no more", arguments: Kind.allCases)
  func scan(kind: Kind) throws {
    let index = try Self.index(kind).open
    var inexact = 0
    for text in Self.texts {
      for filter in Self.filters {
        var query = ShardedIndex.SearchQuery(text, filter: filter, words: .all)
        let wanted = try Self.scan(query, in: index)
        func check(_ total: ShardedIndex.Total, _ place: String) {
          #expect(
            total.isExact ? total.number == wanted : total.number <= wanted, "\(text) \(filter) \(place): \(total)")
        }
        let first = try index.search(query, limit: 4)
        check(first.total, "first")
        check(first.knownTotal, "known")
        if !first.total.isExact { inexact += 1 }
        check(try first.next().total, "next")
        if let cursor = first.cursor { check(try index.search(query, limit: 4, after: cursor).total, "after") }
        query.needs.keys = .always
        check(try index.search(query, limit: 4).total, "keys")
        query.countsMatches = true
        #expect(try index.search(query, limit: 4).total == ShardedIndex.Total(wanted), "\(text) \(filter)")
        #expect(try index.search(query, limit: 0).next(limit: 2).total == ShardedIndex.Total(wanted), "\(text)")
      }
    }
    #expect(inexact > 0)
  }

  @Test("a total that nobody asked for reads nothing", arguments: Kind.allCases)
  func loads(kind: Kind) throws {
    let index = try Self.index(kind).open
    for text in Self.texts {
      for filter in Self.filters {
        let query = ShardedIndex.SearchQuery(text, filter: filter)
        var hits = try ShardedIndex.RankedHits(query, Fold.fold(text), in: index.generation)
        try hits.find(4)
        index.generation.shards.cache.removeAll()
        let before = index.statistics
        _ = (hits.total(keys: nil), hits.total(keys: 3))
        #expect(index.statistics == before, "\(text)")
      }
    }
  }

  @Test("more than 10,000 matches are 10,000 and more", arguments: [9_999, 10_000, 10_001])
  func bound(count: Int) throws {
    let lines = (0..<count).map { #"{"name":"St. San \#($0)","w":\#($0 % 7),"even":"\#($0 % 2)"}"# }
    let index = try SmallIndex(json: lines.joined(separator: "\n"), key: "{name}", suffix: ".jsonl") {
      ($0.weight, $0.words, $0.filter) = ("w", .all, ["even"])
    }.open
    var query = ShardedIndex.SearchQuery("san", countsMatches: true)
    #expect(
      try index.search(query, limit: 3).total == ShardedIndex.Total(min(count, 10_000), isExact: count <= 10_000))
    query.filter = [.init("even", isOneOf: ["0"])]
    #expect(try index.search(query, limit: 3).total == ShardedIndex.Total((count + 1) / 2))
  }

  @Test("a text with signs counts the records with these signs, or if there are none, those without")
  func signs() throws {
    let names = ["C++ primer", "C primer", "The C++ book", "The C book", "C# primer", "cplus", "R, c++ and c", "Yorkk"]
    let lines = (0..<40).map { #"{"name":"\#(names[$0 % 8]) \#($0)","country":"\#($0 % 3 == 0 ? "US" : "FR")"}"# }
    let index = try SmallIndex(json: lines.joined(separator: "\n"), key: "{name}", suffix: ".jsonl") {
      ($0.words, $0.filter, $0.typos) = (.all, ["country"], true)
    }.open
    let us = [ShardedIndex.Filter("country", isOneOf: ["US"])]
    for (text, filter, wanted) in [
      ("c++", [], 15), ("c++", us, 5), ("c", [], 35), ("c#", [], 5), ("primer c++", [], 15), ("book++", [], 10),
      ("book++", us, 3), ("bokk++", [], 10), ("zzz++", [], 0),
    ] {
      for limit in [0, 1, 100] {
        let query = ShardedIndex.SearchQuery(text, filter: filter, words: .all, countsMatches: true)
        let answer = try index.search(query, limit: limit)
        #expect(answer.total == ShardedIndex.Total(wanted), "\(text) \(filter) \(limit)")
        if limit > wanted { #expect(answer.count == wanted, "\(text)") }
      }
    }
  }
}
