import TestSupport
import Testing

import ShardedIndex

@Suite("Matched ranges of keys") struct MatchedRangeTests {
  @Test(
    "the original spelling is marked",
    arguments: [
      ("sao", "São Paulo, BR", "São"), ("SÃO P", "São Paulo, BR", "São P"), ("", "São Paulo, BR", ""),
      ("sao", "Sa\u{303}o Paulo", "Sa\u{303}o"), ("sa", "Sa\u{303}o Paulo", "Sa\u{303}"),
      ("lodz, p", "Łódź, PL", "Łódź, P"), ("lodz,", "Łódź , PL", "Łódź ,"), ("san ", "San José", "San "),
      ("stras", "Straße", "Straß"), ("strass", "Straße", "Straß"), ("strasse", "Straße", "Straße"),
      ("ㅅ", "서울", "서"), ("서우", "서울", "서울"), ("が", "か\u{309b}", "か\u{309b}"), ("ヴ", "ウ\u{309b}", "ウ\u{309b}"),
      ("f", "ﬁn", "ﬁ"), ("मु", "मुंबई", "मुं"), ("b", "  Bern", "  B"), ("محمد", "مُحَمَّد", "مُحَمَّد"),
      ("a", "A\u{200d}B", "A\u{200d}"), ("صلى الله", "\u{fdfa}", "\u{fdfa}"),
      // A space that finishes a word, and one that stands for the comma.
      ("paris ", "Paris", "Paris"), ("paris ", "Paris, FR", "Paris"), ("paris\n", "Paris ; FR", "Paris "),
      ("paris ", "Paris 01, FR", "Paris "), ("paris fr", "Paris, FR", "Paris, FR"),
      ("paris f", "París , FR", "París , F"),
      ("new york u", "New York, US", "New York, U"), ("new york us ", "New York, US", "New York, US"),
      ("a b ", "A, B C", "A, B "), ("a b ", "A, B, C", "A, B"), ("a b", "A B", "A B"), ("a, b c", "A, B, C", "A, B, C"),
    ])
  func original(prefix: String, key: String, marked: String) throws {
    let range = try #require(ShardedIndex.matchedRange(ofPrefix: prefix, in: key))
    #expect(key[range] == marked)
    #expect(range.lowerBound == key.startIndex)
  }

  @Test(
    "a key that does not match has no range",
    arguments: [
      ("b", "abc"), ("abcd", "abc"), ("a ", "ab, b"), ("a", ""),
      ("paris ", "Parish, US"), ("paris f ", "Paris, FR"), ("a b c", "A, B, C"), ("a b c", "A, B C"),
      ("abc", "a" + String(repeating: "z", count: 5000)),
    ]
  )
  func none(prefix: String, key: String) { #expect(ShardedIndex.matchedRange(ofPrefix: prefix, in: key) == nil) }

  @Test("every prefix of many keys marks only the characters that fold to it")
  func everyPrefix() throws {
    var random = SplitMix64(seed: 5)
    let pieces = [
      "a", "É", "ß", " ", ",", "한", "か", "゛", "\u{301}", "ﬁ", "\u{200b}", "И", "\u{306}", "क", "\u{93f}", "\u{0}",
    ]
    for _ in 0..<20_000 {
      let key = (0..<Int.random(in: 0...8, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined()
      try Self.check(key)
    }
  }

  @Test(
    "every prefix of every city has a range",
    .enabled(if: TestData.areListsTested, Comment(rawValue: TestData.skipReason)))
  func cities() throws {
    let matches = try RealList.cities.built.open().matches(forPrefix: "")
    var last = ""
    for start in stride(from: 0, to: matches.count, by: 1000) {
      for record in try matches.records(in: start..<start + 1000) where record.key != last {
        last = record.key
        try Self.check(last)
      }
    }
  }

  private static func check(_ key: String) throws {
    let folded = Fold.fold(key)
    for count in 0...folded.count {
      let prefix = Array(folded[..<count])
      let range = try #require(Fold.matchedRange(ofFolded: prefix, in: key), "\(key.debugDescription) \(count)")
      #expect(Fold.fold(key[range]).starts(with: prefix), "\(key.debugDescription) \(count)")
      guard !range.isEmpty else { continue }
      let less = key[..<key.index(before: range.upperBound)]
      #expect(!Fold.fold(less).starts(with: prefix), "\(key.debugDescription) \(count): marks more than it has to")
    }
  }
}
