import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

/// The text of a hit that matched, and its ranges in the spelling of the record.
@Suite("Matched texts") struct MatchedTextTests {
  private static let places = [
    #"{"name":"New York City","country":"US","w":900,"others":"NYC,Nueva York"}"#,
    #"{"name":"L'Aquila","country":"IT","w":50,"others":["Aquila degli Abruzzi"]}"#,
    #"{"name":"Saint-Denis (93)","country":"FR","w":40}"#,
    #"{"name":"Stra\u00dfe am Flo\u00df","country":"DE","w":30,"others":["Wei\u00dfer Stein"]}"#,
    #"{"name":"Bi\ufb01da Ba\ufb03n","country":"AA","w":20}"#,
    #"{"name":"Sa\u0303o Paulo","country":"BR","w":10}"#,
    #"{"name":"\ud558\ub098 \ub450\uc6b8","country":"KR","w":5}"#,
  ]

  private func index() throws -> SmallIndex {
    try SmallIndex(json: Self.places.joined(separator: "\n"), key: "{name}, {country}", suffix: ".jsonl") {
      ($0.weight, $0.words, $0.alias) = ("w", .body, ["others"])
    }
  }

  private func marked(_ hit: ShardedIndex.Hit) -> [String] {
    hit.highlights.map { String(hit.matchedText[$0]) }
  }

  @Test("each rule gives the matched text in the record's spelling") func rules() throws {
    let index = try index()
    let expected: [(text: String, via: ShardedIndex.Via, marked: [String])] = [
      ("new y", .key, ["New Y"]),
      ("york c", .word, ["York C"]),
      ("york, us", .words, ["York", "US"]),
      ("city new", .words, ["New", "City"]),
      ("us york new", .words, []),
      ("york us", .words, ["York", "US"]),
      ("nyc", .otherName("NYC"), ["NYC"]),
      ("nyc us", .otherName("NYC"), ["NYC"]),
      ("nueva y", .otherName("Nueva York"), ["Nueva Y"]),
      ("laq", .key, ["L'Aq"]),
      ("l aq", .key, ["L'Aq"]),
      ("aquila d", .otherName("Aquila degli Abruzzi"), ["Aquila d"]),
      ("saint denis", .key, ["Saint-Denis"]),
      ("denis 9", .word, ["Denis (9"]),
      ("strasse am", .key, ["Stra\u{df}e am"]),
      ("flos", .word, ["Flo\u{df}"]),
      ("weis", .otherName("Wei\u{df}er Stein"), ["Wei\u{df}"]),
      ("bif", .key, ["Bi\u{fb01}"]),
      ("baf", .word, ["Ba\u{fb03}"]),
      ("sao p", .key, ["Sa\u{303}o P"]),
      ("\u{b450}", .word, ["\u{b450}"]),
    ]
    for (text, via, marked) in expected {
      let hits = try index.open.search(ShardedIndex.SearchQuery(text, words: .all))
      if marked.isEmpty {
        #expect(hits.isEmpty, "\(text)")
        continue
      }
      let hit = try #require(hits.first, "\(text)")
      #expect(hit.via == via, "\(text)")
      #expect(self.marked(hit) == marked, "\(text)")
    }
  }

  /// The form of the marked text begins with that of the query, wherever a word of a key begins.
  @Test("matched texts begin with the query") func property() throws {
    let index = try index().open
    for record in try index.matches(forPrefix: "").records(in: 0..<Self.places.count) {
      let key = record.key
      for start in key.indices where start == key.startIndex || key[key.index(before: start)] == " " {
        for size in 1...key.distance(from: start, to: key.endIndex) {
          let query = String(key[start...].prefix(size))
          let plain = PlainForm.plain(Fold.fold(query))
          let found = try index.search(query).filter { $0.record.key == key && !plain.isEmpty }
          for hit in found where hit.via == .key || hit.via == .word {
            let marked = Fold.fold(try #require(self.marked(hit).first, "\(query)"))
            #expect(PlainForm.forms(marked).contains { $0.text.starts(with: plain) }, "\(query) in \(key)")
          }
        }
      }
    }
  }
}
