import ShardedIndex
import TestSupport
import Testing

/// `|` stands for the separator.
private func bytes(_ text: String) -> [UInt8] { text.utf8.map { $0 == UInt8(ascii: "|") ? Fold.separator : $0 } }

private func isPlain(_ folded: [UInt8]) -> Bool {
  unsafe folded.withUnsafeBufferPointer { unsafe PlainForm.isPlain($0) }
}

@Suite("The plain form") struct PlainFormTests {
  /// Folds, plain forms, closed forms.
  static let examples = [
    ("", "", ""), ("york|us", "york|us", "york|us"), ("st. louis|us", "st louis|us", "st louis|us"),
    ("l'aquila|it", "l aquila|it", "laquila|it"), ("n'djamena", "n djamena", "ndjamena"),
    ("d.c.|us", "d c|us", "dc|us"),
    ("winston-salem", "winston salem", "winston salem"), ("a/b(c)\"d\"", "a b c d", "a b c d"),
    ("a |- b", "a|b", "a|b"),
    ("-", "", ""), ("a|-", "a|", "a|"), ("|", "|", "|"), ("a||b", "a||b", "a||b"), ("(a) (b)", "a b", "a b"),
    ("o'|us", "o|us", "o|us"), ("a .. b", "a b", "a b"), ("' a", "a", "a"), ("a_b+c", "a_b+c", "a_b+c"),
  ]

  @Test("signs are white space, or nothing in the closed form", arguments: examples)
  func signs(folded: String, plain: String, closed: String) {
    #expect(PlainForm.plain(bytes(folded)) == bytes(plain))
    #expect(PlainForm.closed(bytes(folded)) == bytes(closed))
    #expect(isPlain(bytes(folded)) == (folded == plain))
  }

  @Test(
    "as many of the last separators stay as a template has",
    arguments: [
      ("a|b", 0, "a b"), ("a|b|c", 1, "a b|c"), ("a|b|c", 2, "a|b|c"), ("a|b|c", 0, "a b c"), ("|a||b|", 1, "a b|"),
      ("a-|b|c", 1, "a b|c"), ("|||", 1, "|"), ("|||", 0, ""), ("a|b", 9, "a|b"), ("o'|b.c|d", 1, "o b c|d"),
    ])
  func separators(folded: String, separators: Int, plain: String) {
    #expect(PlainForm.plain(bytes(folded), separators: separators) == bytes(plain))
    bytes(folded).withUnsafeBufferPointer {
      #expect(unsafe PlainForm.isPlain($0, separators: separators) == (folded == plain))
    }
    #expect(bytes(plain).withUnsafeBufferPointer { unsafe PlainForm.isPlain($0, separators: separators) })
  }

  @Test("one space stays at the end of a typed text")
  func finished() {
    for (folded, spaced) in [("paris ", "paris "), ("paris-", "paris "), ("paris. ", "paris "), ("paris|-", "paris|")] {
      #expect(PlainForm.spaced(bytes(folded)) == bytes(spaced))
    }
  }

  @Test(
    "texts that look alike have one plain form",
    arguments: [
      ("\u{62E}\u{627}\u{646}\u{6C0}", "\u{62E}\u{627}\u{646}\u{647}\u{654}"),
      ("\u{62E}\u{627}\u{646}\u{6C0}", "\u{62E}\u{627}\u{646}\u{647}"),
      ("\u{E19}\u{E4D}\u{E49}\u{E32}\u{E15}\u{E01}", "\u{E19}\u{E49}\u{E33}\u{E15}\u{E01}"),
      ("\u{E99}\u{ECD}\u{EC9}\u{EB2}", "\u{E99}\u{EC9}\u{EB3}"), ("神ヶ丘", "神ケ丘"), ("ヵ", "カ"),
      ("फ़रीदाबाद", "फरीदाबाद"), ("ग़ाज़ियाबाद", "गाजियाबाद"), ("سدة الهندية", "سده الهنديه"),
    ]) func lookAlikes(a: String, b: String)
  {
    #expect(PlainForm.plain(Fold.fold(a)) == PlainForm.plain(Fold.fold(b)))
    #expect(!(isPlain(Fold.fold(a)) && isPlain(Fold.fold(b)) && Fold.fold(a) != Fold.fold(b)))
  }

  @Test("a text is plain if it is its own plain form, and every plain form is plain")
  func random() {
    var random = SystemRandomNumberGenerator()
    let scalars = Array("ab|  -.'(ह़फ\u{E4D}\u{E48}\u{E49}\u{E01}\u{ECD}\u{EC8}ヶケةە\u{10FFFF}é".unicodeScalars)
    for _ in 0..<20000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...8, using: &random) { text.append(scalars.randomElement(using: &random)!) }
      let folded = bytes(String(text))
      let plain = PlainForm.plain(folded)
      #expect(isPlain(folded) == (plain == folded), "\(String(text))")
      #expect(isPlain(plain), "\(String(text))")
    }
  }

  @Test("bytes that are no UTF-8 are kept") func illFormed() {
    for text in [[0xe0], [0xe0, 0xb9], [0xd8], [0x80, 0xff], [0xe0, 0xb9, 0x8d, 0xe0]] as [[UInt8]] {
      #expect(PlainForm.plain(text) == text)
      #expect(isPlain(text))
    }
  }
}
