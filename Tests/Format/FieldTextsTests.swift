import TestSupport
import Testing

import ShardedIndex

@Suite struct FieldTextsTests {
  private func texts(_ value: String, _ kind: ValueKind) -> [String] {
    var texts: [String] = []
    var value = value
    value.withUTF8 { text in
      FieldTexts.forEach(text, kind) { texts.append(String(decoding: $0, as: UTF8.self)) }
    }
    return texts
  }

  @Test func aStringOrANumberIsItsText() {
    #expect(texts("[\"a\"]", .string) == ["[\"a\"]"])
    #expect(texts("12.50", .number) == ["12.50"])
  }

  @Test func anArrayIsItsStringsAndNumbers() {
    #expect(texts("[]", .literal) == [])
    #expect(
      texts(#"["Paris", 1, null, "", ["no", "]"], {"a": "}no"}, "Lutetia"]"#, .literal) == [
        "Paris", "1", "", "Lutetia",
      ])
    #expect(texts(#"["\u00e9\n\"\\\/", "\ud83d\ude00", "\ud83d"]"#, .literal) == ["é\n\"\\/", "😀", "\u{fffd}"])
    #expect(texts("true", .literal) == [])
    #expect(texts("null", .literal) == [])
  }

  /// A foreign file may have other bytes: the texts before a cut stay the same, and one more may be cut.
  @Test func aValueThatIsCutHasTheTextsBeforeTheCut() {
    let value = #"["a", ["b"], {"c": "d"}, "\u00e9", "e"]"#
    for size in 0..<value.utf8.count {
      let found = texts(String(value.utf8.prefix(size))!, .literal)
      #expect(["a", "é", "e"].starts(with: found.dropLast()) && found.count <= 3)
    }
  }
}
