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
    ("winston-salem", "winston salem", "winstonsalem"), ("a/b(c)\"d\"", "a b c d", "ab c d"),
    ("a |- b", "a|b", "a|b"),
    ("-", "", ""), ("a|-", "a|", "a|"), ("|", "|", "|"), ("a||b", "a||b", "a||b"), ("(a) (b)", "a b", "a b"),
    ("o'|us", "o|us", "o|us"), ("a .. b", "a b", "a . b"), ("' a", "a", "a"), ("a_b+c", "a b c", "a b+c"),
    ("c++", "c", "c++"), ("c#|x", "c|x", "c#|x"), (".net core", "net core", ".net core"),
    ("asp.net", "asp net", "aspnet"), ("at&t", "at t", "att"), ("a & b", "a b", "a b"), ("@a/b [c]", "a b c", "ab c"),
    ("50%", "50", "50"), ("★", "", "★"),
    ("🌱plants", "plants", "🌱plants"), ("¿qué?", "qué", "qué"), ("「あ」。い", "あ い", "あ い"), ("a . b", "a b", "a . b"),
  ]

  @Test("signs are white space, or nothing in the closed form", arguments: examples)
  func signs(folded: String, plain: String, closed: String) {
    #expect(PlainForm.plain(bytes(folded)) == bytes(plain))
    var found = PlainForm.spaced(bytes(folded), .closed)
    if found.last == Fold.space { found.removeLast() }
    #expect(found == bytes(closed))
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

  @Test(
    "a key has the forms that differ, another name those with symbols or a word for a sign",
    arguments: [
      ("york", ["york"], ["york"]), ("l'a", ["l a", "la"], ["l a"]), ("a-b", ["a b", "ab"], ["a b"]),
      ("(a)", ["a"], ["a"]),
      ("c++", ["c", "c++"], ["c", "c++"]), ("at&t", ["at t", "att", "at and t"], ["at t", "at and t"]),
      ("&", ["", "and"], ["", "and"]), ("a & b's", ["a b s", "a bs", "a and b s"], ["a b s", "a and b s"]),
    ])
  func forms(folded: String, ofKey: [String], ofName: [String]) {
    #expect(PlainForm.forms(bytes(folded)).map { $0.text } == ofKey.map { bytes($0) })
    #expect(PlainForm.nameForms(bytes(folded)).map { $0.text } == ofName.map { bytes($0) })
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
      ("माँ", "मां"), ("\u{E40}\u{E40}\u{E1B}\u{E25}\u{E01}", "\u{E41}\u{E1B}\u{E25}\u{E01}"),
      ("\u{EC0}\u{EC0}\u{EA1}", "\u{EC1}\u{EA1}"), ("\u{E40}\u{E40}\u{E40}\u{E40}", "\u{E41}\u{E41}"),
      ("\u{E01}\u{E45}", "\u{E01}\u{E32}"), ("四ッ谷", "四ツ谷"), ("四つ谷", "四ツ谷"), ("御茶ノ水", "御茶の水"),
      ("堀之内", "堀の内"), ("霞が関", "霞ヶ関"), ("霞ケ関", "霞ヶ関"), ("一か月", "一ヵ月"), ("へべぺ", "ヘベペ"),
      ("ウィンザー", "ウインザー"), ("ヱビス", "エビス"), ("ゐゑ", "いえ"), ("金澤", "金沢"), ("中嶋", "中島"), ("龍", "竜"),
    ]) func lookAlikes(a: String, b: String)
  {
    #expect(PlainForm.plain(Fold.fold(a)) == PlainForm.plain(Fold.fold(b)))
    #expect(!(isPlain(Fold.fold(a)) && isPlain(Fold.fold(b)) && Fold.fold(a) != Fold.fold(b)))
  }

  @Test(
    "words that differ by other letters have two plain forms",
    arguments: [
      ("\u{E40}-\u{E40}", "\u{E41}"), ("\u{E40}\u{EC0}", "\u{E41}"), ("ケーキ", "カーキ"), ("かって", "かつて"),
      ("リョウ", "リヨウ"), ("タイ", "たい"), ("カ", "力"), ("舟", "船"), ("के", "कै"), ("گ", "ك"),
    ]) func otherLetters(a: String, b: String)
  {
    #expect(PlainForm.plain(Fold.fold(a)) != PlainForm.plain(Fold.fold(b)))
  }

  @Test("a text is plain if it is its own plain form, and every plain form is plain")
  func random() {
    var random = SystemRandomNumberGenerator()
    let scalars = Array(
      "ab|  -.'(&+★「ह़फ\u{E4D}\u{E48}\u{E49}\u{E01}\u{ECD}\u{EC8}ヶケةە\u{E40}\u{E40}\u{EC0}\u{EC0}\u{E45}澤の\u{10FFFF}é"
        .unicodeScalars)
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
