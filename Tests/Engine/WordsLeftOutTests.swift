import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Answers without some words of the text") struct WordsLeftOutTests {
  private static let names = [
    ("Nagoya-shi", "JP", 2_190_549), ("Naga City", "PH", 174_931), ("Bronx", "US", 1_385_108),
    ("The Hague", "NL", 474_292),
    ("Springfield", "US", 166_810), ("Springfield Lakes", "AU", 12_000), ("Mapleton", "US", 9_000),
    ("Los Angeles", "US", 3_820_914),
    ("United", "US", 10), ("California", "US", 11_000),
  ]

  private static func index(typos: Bool = true) throws -> SmallIndex {
    let lines = names.map {
      #"{"name":"\#($0)","country":"\#($1)","w":\#($2),"alt":"\#($0 == "Nagoya-shi" ? "Nagoya" : "")"}"#
    }
    return try SmallIndex(json: lines.joined(separator: "\n"), key: "{name}, {country}", suffix: ".jsonl") {
      ($0.weight, $0.filter, $0.words, $0.alias, $0.typos) = ("w", ["country"], .body, ["alt"], typos)
    }
  }

  private static func keys(_ answer: ShardedIndex.Answer) -> [String] { answer.map(\.record.key) }

  @Test("the whole text comes first, else known words, the last words go before the first", arguments: [false, true])
  func dropped(typos: Bool) throws {
    let index = try Self.index(typos: typos).open
    for (text, dropped, first) in [
      ("nagoya city", ["city"], "Nagoya-shi, JP"), ("the bronx", ["the"], "Bronx, US"),
      ("springfield zoo", ["zoo"], "Springfield, US"), ("springfield zzz", ["zzz"], "Springfield, US"),
      ("zzz springfiel", ["zzz"], "Springfield, US"), ("nagoya, japan", ["japan"], "Nagoya-shi, JP"),
      (
        "los angeles, california, united states of america 90001",
        ["california", "united", "states", "of", "america", "90001"], "Los Angeles, US"
      ),
      (String(repeating: "bronx ", count: 9), Array(repeating: "bronx", count: 8), "Bronx, US"),
    ] as [(String, [String], String)] {
      let answer = try index.search(text, limit: 3)
      #expect(answer.dropped == dropped, "\(text)")
      #expect(answer.first?.record.key == first && answer.isComplete, "\(text)")
      #expect(try index.search(ShardedIndex.SearchQuery(text, words: .all)).isEmpty, "\(text)")
    }
    for text in ["zzz", "zzz yyy", "", " ", "nagoya", "springfield us"] {
      #expect(try index.search(text).dropped.isEmpty, "\(text)")
    }
    #expect(try index.search("springfeild zoo").first?.record.key == (typos ? "Springfield, US" : nil))
  }

  @Test("pages, totals and filters are those of the shorter text") func pages() throws {
    let index = try Self.index().open
    let query = ShardedIndex.SearchQuery("springfield zzz", countsMatches: true)
    let whole = try index.search("springfield ", limit: 10)
    let all = try index.search(query, limit: 10)
    #expect(Self.keys(all) == Self.keys(whole) && whole.count == 2)
    #expect(all.total == ShardedIndex.Total(2) && all.map(\.highlights) == whole.map(\.highlights))
    let first = try index.search(query, limit: 1)
    let cursor = try #require(first.cursor)
    #expect(Self.keys(first) + Self.keys(try first.next()) == Self.keys(whole))
    let second = try index.search(query, limit: 5, after: cursor)
    #expect(Self.keys(first) + Self.keys(second) == Self.keys(whole) && second.dropped == ["zzz"])
    #expect(throws: IndexError.self) {
      _ = try index.search(ShardedIndex.SearchQuery("nagoya zzz"), limit: 1, after: cursor)
    }
    #expect(throws: IndexError.self) {
      _ = try index.search(ShardedIndex.SearchQuery("springfield zzz", words: .all), limit: 1, after: cursor)
    }
    let filtered = ShardedIndex.SearchQuery("springfield zzz", filter: [.init("country", isOneOf: ["AU"])])
    #expect(Self.keys(try index.search(filtered)) == ["Springfield Lakes, AU"])
  }

  @Test("pages of a shorter text go on in an index that matches keys alone") func keys() throws {
    let names = (0..<30).map { #"{"name":"Paris \#($0)","w":\#($0)}"# } + [#"{"name":"London","w":3}"#]
    let list = names.joined(separator: "\n")
    let index = try SmallIndex(json: list, key: "{name}", suffix: ".jsonl") { $0.weight = "w" }.open
    let whole = try index.search("paris ", limit: 30)
    var (found, cursor, pages) = ([String](), ShardedIndex.Cursor?.none, 0)
    repeat {
      let page = try index.search(ShardedIndex.SearchQuery("paris zzz"), limit: 7, after: cursor)
      #expect(page.dropped == ["zzz"])
      (found, cursor, pages) = (found + Self.keys(page), page.cursor, pages + 1)
    } while cursor != nil && pages < 9
    #expect(found == Self.keys(whole) && found.count == 30)
  }

  @Test("a search that its budget ends leaves out no word") func budget() throws {
    let index = try Self.index().open
    let answer = try index.search(ShardedIndex.SearchQuery("springfield zzz", budget: .parts(0)))
    #expect(answer.isEmpty && !answer.isComplete && answer.dropped.isEmpty)
    // All searches for shorter texts share one budget.
    let text = "zzz springfeild zoo"
    let whole = try index.search(text)
    var complete = 0
    for parts in 1..<100 {
      let answer = try index.search(ShardedIndex.SearchQuery(text, budget: .parts(parts)))
      guard answer.isComplete else { continue }
      complete += 1
      #expect(Self.keys(answer) == Self.keys(whole) && answer.dropped == whole.dropped, "\(parts)")
    }
    #expect(complete > 0 && complete < 99)
  }
}
