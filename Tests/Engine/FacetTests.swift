import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Facets") struct FacetTests {
  private static let syllables = ["san ", "st. ", "new-", "ville", "york", "a", "b "]
  private static let brands = ["Alma", "ALMA", "\u{c1}lma", "Zoe", "Bo & Co", "bo & co", "C, D", "7"]
  /// Texts of JSON, each with its values.
  private static let tags: [(json: String, values: [String])] = [
    (#""river""#, ["river"]), (#"["River","RIVER","a b"]"#, ["River", "a b"]), ("[]", []), ("7", ["7"]),
    (#"["lake",7,["river"],{"x":"lake"}]"#, ["lake", "7"]), ("true", ["true"]), ("null", []),
    (#"["\u00c9t\u00e9","lake"]"#, ["\u{c9}t\u{e9}", "lake"]),
  ]

  private static func list(_ count: Int, seed: UInt64, from first: Int = 0) -> String {
    var random = SplitMix64(seed: seed)
    return (first..<first + count).map { number in
      let name = (0...random.next() % 3).map { _ in syllables.randomElement(using: &random)! }.joined()
      let brand = random.next() % 5 == 0 ? "" : #","brand":"\#(brands.randomElement(using: &random)!)""#
      let tag = random.next() % 5 == 0 ? "" : #","tag":\#(tags.randomElement(using: &random)!.json)"#
      return #"{"id":\#(number),"name":"\#(name)","w":\#(random.next() % 1000)\#(brand)\#(tag)}"#
    }.joined(separator: "\n")
  }

  enum Kind: CaseIterable { case plain, manyPages, typos, words, all }

  private static func built(_ kind: Kind, count: Int = 700, seed: UInt64 = 1) throws -> SmallIndex {
    try SmallIndex(json: list(count, seed: seed), key: "{name}", suffix: ".jsonl") {
      ($0.weight, $0.filter, $0.id) = ("w", ["brand", "tag"], "id")
      ($0.shardLimitBytes, $0.partSizeBytes) = kind == .manyPages ? (160, 64) : (1024, 128)
      $0.typos = kind == .typos || kind == .all
      $0.words = kind == .all ? .all : kind == .words ? .body : nil
    }
  }

  /// The values of a field of a record, by the texts that the list was made of.
  private static func values(_ record: ShardedIndex.Record, _ field: String) -> [String] {
    guard let text = record[field] else { return [] }
    if field == "tag", let known = tags.first(where: { $0.json == text || $0.json == "\"\(text)\"" }) {
      return known.values
    }
    return [text]
  }

  /// A facet as all matches have it, with the text of the first match in the order of the index.
  private static func expected(
    _ field: String, _ records: [(position: Int, record: ShardedIndex.Record)], limit: Int
  ) -> (values: [String], hasMore: Bool) {
    var found: [[UInt8]: (text: String, count: Int)] = [:]
    for (_, record) in records.sorted(by: { $0.position < $1.position }) {
      for value in values(record, field) { found[Fold.fold(value), default: (value, 0)].count += 1 }
    }
    let order = found.sorted { one, other in
      one.value.count != other.value.count
        ? one.value.count > other.value.count : one.key.lexicographicallyPrecedes(other.key)
    }
    return (order.prefix(limit).map { "\($0.value.count) \($0.value.text)" }, order.count > limit)
  }

  private static func check(
    _ facet: ShardedIndex.Facet, _ records: [(position: Int, record: ShardedIndex.Record)], limit: Int, _ place: String
  ) {
    let wanted = expected(facet.field, records, limit: limit)
    #expect(facet.values.map { "\($0.count) \($0.value)" } == wanted.values, "\(place)")
    #expect(facet.isExact && facet.hasMore == wanted.hasMore, "\(place)")
  }

  /// All matches of a query, page by page.
  private static func matches(
    _ query: ShardedIndex.SearchQuery, in index: ShardedIndex
  ) throws -> [(position: Int, record: ShardedIndex.Record)] {
    var query = query
    query.facets = []
    var answer = try index.search(query, limit: 150)
    var found: [(position: Int, record: ShardedIndex.Record)] = []
    while true {
      #expect(answer.facets.isEmpty)
      found += answer.map { ($0.rank.position, $0.record) }
      guard answer.hasMore else { return found }
      answer = try answer.next()
    }
  }

  private static let texts = [
    "", " ", "s", "san", "san ", "san y", "york", "york san", "new", "new y", "ville", "yorkk", "snaville", "zzz",
    "b a",
  ]
  private static let filters: [[ShardedIndex.Filter]] = [
    [], [.init("brand", isOneOf: ["alma"])], [.init("tag", isOneOf: ["lake", "7"])],
    [.init("brand", isOneOf: ["zoe"]), .init("tag", isOneOf: ["river"])], [.init("brand", isOneOf: ["nobody"])],
  ]

  /// Compares the facets of many queries with all matches of the same queries, without the filters of the field.
  private static func check(_ index: ShardedIndex, limits: [Int] = [100, 2]) throws {
    for text in texts {
      for filter in filters {
        var query = ShardedIndex.SearchQuery(text, filter: filter, words: .all, facets: ["tag", "brand", "tag"])
        for limit in limits {
          query.facetLimit = limit
          let answer = try index.search(query, limit: 3)
          #expect(answer.facets.map(\.field) == ["tag", "brand"])
          for facet in answer.facets {
            var own = query
            own.filter.removeAll { $0.field == facet.field }
            check(facet, try matches(own, in: index), limit: limit, "\(text), \(filter), \(facet.field), \(limit)")
          }
          if limit == 100 {
            query.facetStart = "R"
            let narrowed = try index.search(query, limit: 3).facets[0].values
            let expected = answer.facets[0].values.filter { Fold.fold($0.value).starts(with: Fold.fold("r")) }
            #expect(narrowed == expected, "\(text), \(filter)")
            query.facetStart = ""
          }
          #expect(try answer.next().facets == answer.facets)
          if let cursor = answer.cursor {
            #expect(try index.search(query, limit: 3, after: cursor).facets == answer.facets)
          }
          query.countsMatches = true
          let counted = try index.search(query, limit: 3)
          query.facets = []
          #expect(try counted.total == index.search(query, limit: 3).total && counted.facets == answer.facets)
          (query.facets, query.countsMatches) = (["tag", "brand", "tag"], false)
        }
      }
    }
  }

  @Test("counts are those of all matches", arguments: Kind.allCases) func oracle(kind: Kind) throws {
    let built = try Self.built(kind)
    if kind == .manyPages { #expect(built.open.generation.manifest.pageCount > 2) }
    try Self.check(built.open)
  }

  @Test("counts of the beginning of keys are those of a plain scan", arguments: [Kind.plain, .manyPages])
  func scan(kind: Kind) throws {
    let index = try Self.built(kind, seed: 2).open
    let all = try index.matches(forPrefix: "").records(in: 0..<index.recordCount)
    for text in ["", "s", "sa", "st", "new", "york", "a", "b", "villev", "yorkyork", "zzz"] {
      let fold = Fold.fold(text)
      let wanted = all.enumerated().filter { Fold.fold($1.key).starts(with: fold) }.map { (position: $0, record: $1) }
      for order in [ShardedIndex.SearchQuery.MatchOrder.rank, .key] {
        var query = ShardedIndex.SearchQuery(text, facets: ["brand", "tag"])
        (query.order, query.facetLimit, query.limit) = (order, 100, 2)
        var search = try ShardedIndex.Search(query, in: index.generation)
        try search.findAll()
        for facet in try search.counts().facets { Self.check(facet, wanted, limit: 100, "\(text), \(order)") }
      }
    }
  }

  @Test("counts follow the overlay", arguments: [Kind.plain, .all]) func overlay(kind: Kind) throws {
    let built = try Self.built(kind, seed: 3)
    let file = built.directory + "/changes.jsonl"
    Files.write(Array(Self.list(30, seed: 4, from: 690).utf8), to: file)
    var options = BuildOptions()
    options.writesOverlay = true
    _ = try ShardBuilder.update(built.path, upsert: [file], delete: [], options: options)
    let changed = try ShardedIndex(opening: built.path)
    #expect(changed.generation.overlay != nil && changed.recordCount == 720)
    try Self.check(changed, limits: [100])
    let all = try changed.matches(forPrefix: "").records(in: 0..<720).enumerated().map { (position: $0, record: $1) }
    Self.check(try changed.facets("brand"), all, limit: 100, "whole")
  }

  @Test("counts are those of the reading and of the shorter text") func readings() throws {
    let built = try Self.built(.all)
    for (text, words) in [("york alma", "york "), ("york qqq", "york ")] {
      let answer = try built.open.search(ShardedIndex.SearchQuery(text, facets: ["brand", "tag"]), limit: 3)
      let plain = ShardedIndex.SearchQuery(
        words, filter: answer.interpretation?.filters ?? [], words: .all, facets: ["brand", "tag"])
      #expect(answer.interpretation != nil || answer.dropped == ["qqq"], "\(text)")
      var own = plain
      for facet in answer.facets {
        own.facets = []
        Self.check(facet, try Self.matches(own, in: built.open), limit: 10, "\(text) \(facet.field)")
      }
    }
  }

  // MARK: Bounds

  private static func many(_ count: Int, words: Bool, code: Bool = false) throws -> SmallIndex {
    let lines = (0..<count).map {
      #"{"name":"St. San \#($0)","w":\#($0 % 7),"even":"\#($0 % 2)"\#(code ? #","code":"C\#($0)""# : "")}"#
    }
    return try SmallIndex(json: lines.joined(separator: "\n"), key: "{name}", suffix: ".jsonl") {
      ($0.weight, $0.words, $0.filter) = ("w", words ? .all : nil, code ? ["even", "code"] : ["even"])
    }
  }

  @Test("more than 10,000 matches are counted by tables, or the first 10,000 of them") func bound() throws {
    let count = 10_500
    let query = ShardedIndex.SearchQuery("st", countsMatches: true, facets: ["even"])
    let tables = try Self.many(count, words: false).open.search(query, limit: 3).facets[0]
    #expect(tables.isExact && tables.values.map(\.count) == [count / 2, count / 2])
    let index = try Self.many(count, words: true).open
    let answer = try index.search(query, limit: 3)
    let walk = answer.facets[0]
    #expect(!walk.isExact && walk.values.reduce(0) { $0 + $1.count } == 10_000 && !walk.hasMore)
    #expect(answer.total == ShardedIndex.Total(10_000, isExact: false))
    // All matches of the empty text are in the tables.
    let whole = try index.search(ShardedIndex.SearchQuery("", facets: ["even"]), limit: 3).facets[0]
    #expect(whole.isExact && whole.values.map(\.count) == [count / 2, count / 2])
    #expect(try index.facets("even") == whole)
    // The first 10,000 in the order of the answer.
    let first = try index.search(ShardedIndex.SearchQuery("st"), limit: 10_000).count { $0.record["even"] == "1" }
    #expect(walk.values.first { $0.value == "1" }?.count == first)
  }

  @Test("a budget bounds the walk") func budget() throws {
    let index = try Self.built(.all).open
    for budget in [ShardedIndex.SearchBudget.parts(2), .shards(2), .until { true }] {
      let query = ShardedIndex.SearchQuery("san y", budget: budget, facets: ["brand", "tag"])
      let answer = try index.search(query, limit: 3)
      #expect(answer.facets.count == 2 && answer.facets.allSatisfy { !$0.isExact })
    }
  }

  @Test("a page of over 1,024 values is read, or its first 10,000 records are") func manyValues() throws {
    let index = try Self.many(10_500, words: false, code: true).open
    #expect(try index.generation.values(.filter(1), ofPage: 0) == nil)
    let some = try index.search(ShardedIndex.SearchQuery("st. san 10", facets: ["code", "even"]), limit: 3)
    #expect(some.facets[0].isExact && some.facets[0].hasMore && some.facets[0].values.allSatisfy { $0.count == 1 })
    #expect(some.facets[1].isExact && some.facets[1].values.reduce(0) { $0 + $1.count } == 611)
    let all = try index.search(ShardedIndex.SearchQuery("", facets: ["code"]), limit: 3).facets[0]
    #expect(!all.isExact && all.hasMore && all.values.count == 10)
    let listed = try index.facets("code", startingWith: "c1023", limit: 5)
    #expect(!listed.isExact && listed.values.map(\.value).allSatisfy { $0.hasPrefix("C1023") })
    let few = try Self.many(3000, words: false, code: true).open.facets("code", startingWith: "C123")
    #expect(few.isExact && !few.hasMore && few.values.map(\.value) == ["C123"] + (0..<10).map { "C123\($0)" })
  }

  @Test("values of the whole index begin with a text") func values() throws {
    for kind in Kind.allCases {
      let index = try Self.built(kind).open
      let all = try index.matches(forPrefix: "").records(in: 0..<index.recordCount)
      for (start, field) in [("", "brand"), ("AL", "brand"), ("bo ", "brand"), ("la", "tag"), ("x", "tag")] {
        let fold = Fold.fold(start)
        let listed = try index.facets(field, startingWith: start)
        let wanted = Self.expected(
          field, all.enumerated().map { (position: $0, record: $1) }, limit: 100
        ).values.filter { Fold.fold($0.drop { $0 != " " }.dropFirst()).starts(with: fold) }
        #expect(listed.values.map { "\($0.count) \($0.value)" } == wanted && listed.isExact, "\(kind) \(start)")
        #expect(try index.facets(field, startingWith: start, limit: 1).hasMore == (wanted.count > 1))
      }
    }
  }

  @Test("a field without a filter has no facet") func unknown() throws {
    let index = try Self.built(.plain, count: 20).open
    for field in ["name", "", "Brand"] {
      let fault = IndexError.refused(.noFilter(field: field, filters: ["brand", "tag"]))
      #expect(throws: fault) { try index.search(ShardedIndex.SearchQuery("s", facets: [field])) }
      #expect(throws: fault) { try index.facets(field) }
    }
    let plain = try SmallIndex(json: Self.list(20, seed: 1), key: "{name}", suffix: ".jsonl") { $0.weight = "w" }.open
    #expect(throws: IndexError.refused(.notBuilt(feature: .filter))) { try plain.facets("brand") }
  }
}
