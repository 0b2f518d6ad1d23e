import TestSupport
import Testing

import ShardqCommands

/// Bytes that a terminal or a multiplexer sends, and the pressed keys among them, if any.
@Suite("Bytes of a terminal") struct TerminalBytesTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var keys: [Key]
    var testDescription: String { name }

    init(_ name: String, _ text: String, _ keys: [Key] = []) { self.init(name, raw: Array(text.utf8), keys) }
    init(_ name: String, raw bytes: [UInt8], _ keys: [Key] = []) {
      (self.name, self.bytes, self.keys) = (name, bytes, keys)
    }
  }

  static let rows = [
    Row("primary device attributes", "\u{1b}[?64;1;2;6;9;15;22c"), Row("secondary", "\u{1b}[>41;354;0c"),
    Row("tertiary", "\u{1b}P!|00000000\u{1b}\\"), Row("its version", "\u{1b}P>|XTerm(370)\u{1b}\\"),
    Row("status", "\u{1b}[0n\u{1b}[?13n\u{1b}[?997;1n"), Row("extended cursor position", "\u{1b}[?12;40;1R"),
    Row("a cursor position", "\u{1b}[12;40R", [.cursor(row: 12, column: 40)]),
    Row("a mode", "\u{1b}[?2026;2$y\u{1b}[4;1$y"),
    Row("window sizes", "\u{1b}[8;24;80t\u{1b}[4;600;800t\u{1b}[48;24;80;600;800t"),
    Row("foreground by BEL", "\u{1b}]10;rgb:ffff/ffff/ffff\u{7}"),
    Row("background by ST", "\u{1b}]11;rgb:0000/0000/0000\u{1b}\\"),
    Row("a colour of the palette", "\u{1b}]4;1;rgb:cdcd/0000/0000\u{1b}\\"),
    Row("a title", "\u{1b}]lSão Paulo\u{1b}\\"),
    Row("the clipboard", "\u{1b}]52;c;" + String(repeating: "U2FuIA", count: 40_000) + "\u{1b}\\"),
    Row("a string with a line end and Ctrl-C", "\u{1b}]0;a\r\n\u{3}b\u{7}"),
    Row("capabilities", "\u{1b}P1+r544e=787465726d\u{1b}\\\u{1b}P0+r\u{1b}\\"), Row("settings", "\u{1b}P1$r0m\u{1b}\\"),
    Row("graphics", "\u{1b}_Gi=31;OK\u{1b}\\"), Row("a privacy message", "\u{1b}^q\u{1b}\\"),
    Row("a start of string", "\u{1b}Xq\u{1b}\\"),
    Row("handed through by tmux", "\u{1b}Ptmux;\u{1b}\u{1b}]11;?\u{7}\u{1b}\u{1b}\\\u{1b}\\"),
    Row("BEL in a device control string", "\u{1b}P1+r\u{7}abc\u{1b}\\"),
    Row("focus", "\u{1b}[I\u{1b}[O"),
    Row("a mouse of X10", "\u{1b}[M\u{20}\u{2a}\u{2b}", [.click(column: 10, row: 11)]),
    Row("its button up", "\u{1b}[M#**"),
    Row("far right", raw: [0x1b, 0x5b, 0x4d, 0x23, 0xe0, 0xff]), Row("SGR, up", "\u{1b}[<0;10;11m"),
    Row("SGR, moving", "\u{1b}[<35;10;11M\u{1b}[<32;10;11M"),
    Row("SGR, the others", "\u{1b}[<1;1;1M\u{1b}[<2;1;1M\u{1b}[<66;1;1M"),
    Row("SGR, without a place", "\u{1b}[<0;0;0M\u{1b}[<0;1M\u{1b}[<M"),
    Row("SGR, down", "\u{1b}[<0;10;11M", [.click(column: 10, row: 11)]),
    Row("urxvt", "\u{1b}[32;10;11M\u{1b}[35;10;11M\u{1b}[96;1;1M"),
    Row("a locator", "\u{1b}[2;4;10;11;0&w"),
    Row("kitty's keyboard", "\u{1b}[?1u\u{1b}[97;5u\u{1b}[13;5u\u{1b}[97;1:3u\u{1b}[57441;2u\u{1b}[1;1:3A"),
    Row("modifyOtherKeys", "\u{1b}[27;5;13~\u{1b}[27;6;99~"),
    Row(
      "function keys",
      "\u{1b}OP\u{1b}OS\u{1b}[15~\u{1b}[17~\u{1b}[24;2~\u{1b}[[A\u{1b}[[E\u{1b}[[F\u{1b}[1;2P\u{1b}[2~\u{1b}[29~",
      [
        .function(1), .function(4), .function(5), .function(6), .shift(.function(12)), .function(1), .function(5),
        .shift(.function(1)), .insert,
      ]),
    Row(
      "the keypad", "\u{1b}Op\u{1b}Oy\u{1b}Ok\u{1b}Oj\u{1b}OM",
      [.text("0"), .text("9"), .text("+"), .text("*"), .enter]),
    Row("arrows with modifiers, older", "\u{1b}O5A\u{1b}O1;3B", [.control(.up), .alt(.down)]),
    Row("Alt and an arrow", "\u{1b}\u{1b}[A\u{1b}\u{1b}OB", [.alt(.up), .alt(.down)]),
    Row("Escape, then a report", "\u{1b}\u{1b}[I", [.escape]),
    Row("Escape twice, then a letter", "\u{1b}\u{1b}x", [.escape, .alt(.text("x"))]),
    Row("Alt held down", "\u{1b}_\u{1b}_\u{1b}\\", [.alt(.text("_"))]),
    Row("intermediates", "\u{1b}[ q\u{1b}[!p\u{1b}[1 @\u{1b}[?25$p"),
    Row("private parameters", "\u{1b}[?1A\u{1b}[>2B\u{1b}[=3~\u{1b}[<1H"),
    Row("an endless sequence", "\u{1b}[" + String(repeating: "1;", count: 100_000) + "A"),
    Row("an endless one of 7", "\u{1b}[" + String(repeating: "7", count: 1000) + "~"),
    Row("numbers that overflow", "\u{1b}[99999999999999999999999999;9A", [.up]),
    Row("cancelled", "\u{1b}[1;\u{18}\u{1b}[3\u{1a}\u{1b}]0;x\u{18}"),
    Row("a sequence before another", "\u{1b}[1;\u{1b}[B", [.down]),
    Row("a string before a key", "\u{1b}]0;abc\u{1b}[B", [.down]),
    Row("an end of nothing", "\u{1b}\\", [.alt(.text("\\"))]),
    Row("a paste", "\u{1b}[200~San\r\nJosé\u{1b}[201~", [.text("San\r\nJosé")]),
    Row(
      "a paste with control bytes", "\u{1b}[200~a\u{3}\u{1b}[A\u{0}\u{1b}[20b\u{1b}[201~",
      [.text("a\u{3}\u{1b}[A\u{0}\u{1b}[20b")]),
    Row("an empty paste", "\u{1b}[200~\u{1b}[201~"), Row("an end of a paste", "\u{1b}[201~"),
    Row(
      "eight bits: arrow, cursor, colour, graphics", raw: [0x9b, 0x41, 0x8f, 0x42] + Array("\u{9d}11;rgb\u{7}".utf8),
      [.up, .down]),
    Row("eight bits in UTF-8", "\u{9b}?64c\u{9b}C\u{90}x\u{1b}\\\u{9c}\u{85}\u{8e}", [.right]),
    Row("no UTF-8", raw: [0xff, 0xfe, 0xc0, 0xaf, 0xe0, 0x80, 0x80, 0xed, 0xa0, 0x80, 0xf5, 0xbf, 0xa0]),
    Row("half a character", raw: [0xe6, 0x9d, 0x61, 0xf0, 0x9f, 0xe6, 0x9d, 0xb1], [.text("a"), .text("東")]),
    Row(
      "NUL, and controls without a letter", raw: [0, 0x1c, 0x1d, 0x1e, 0x1f],
      [.letter(" "), .letter("\\"), .letter("]"), .letter("^"), .letter("_")]),
    Row("flow", raw: [0x11, 0x13], [.letter("q"), .letter("s")]),
  ]

  private static func keys(_ pieces: [[UInt8]]) -> [Key] {
    var decoder = KeyDecoder()
    return pieces.flatMap { decoder.feed($0) } + (decoder.isWaiting ? decoder.timedOut() : [])
  }

  @Test("bytes that are no key give none, and a letter behind them is read, wherever they are cut", arguments: rows)
  func row(row: Row) {
    #expect(Self.keys([row.bytes]) == row.keys)
    let letter = row.bytes + [0x7a]
    let expected = row.keys + [.text("z")]
    #expect(Self.keys([letter]) == expected)
    #expect(Self.keys(letter.map { [$0] }) == expected)
    for cut in 1..<min(letter.count, 300) {
      #expect(Self.keys([Array(letter[..<cut]), Array(letter[cut...])]) == expected, "cut at \(cut)")
    }
  }

  @Test("a broken sequence types nothing, and the keys behind it are read")
  func brokenOff() {
    for row in Self.rows where row.keys.isEmpty {
      for size in 3..<max(4, min(row.bytes.count, 100)) where row.bytes.count >= size {
        var decoder = KeyDecoder()
        let early = decoder.feed(Array(row.bytes[..<size])) + (decoder.isWaiting ? decoder.timedOut() : [])
        // Two bytes of a sequence are Alt and a key; ESC alone is a key.
        let isQuiet = early.allSatisfy { if case .alt = $0 { true } else { false } }
        let isEscape = early == [.escape] && row.bytes[size - 1] == 0x1b
        #expect(isQuiet || isEscape, "\(row.name), \(size) bytes: \(early)")
        #expect(!decoder.isWaiting && decoder.feed([0x7a]) == [.text("z")])
      }
    }
  }

  @Test("Escape waits a moment; the rest of a sequence, a string or a paste may come late")
  func delays() {
    for (sent, delay) in [
      ("\u{1b}", KeyDecoder.escapeDelay), ("\u{1b}\u{1b}", KeyDecoder.escapeDelay), ("\u{1b}[", KeyDecoder.escapeDelay),
      ("\u{1b}O", KeyDecoder.escapeDelay), ("\u{1b}_", KeyDecoder.escapeDelay), ("\u{1b}[1", 1000), ("\u{1b}]1", 1000),
      ("\u{1b}[200~a", 1000), ("\u{1b}[M ", 1000), ("a", nil), ("\u{1b}[A", nil),
    ] as [(String, Int?)] {
      var decoder = KeyDecoder()
      _ = decoder.feed(Array(sent.utf8))
      #expect(decoder.delay == delay && decoder.isWaiting == (delay != nil), "\(sent.debugDescription)")
    }
  }

  @Test("among random bytes only the documented keys end the list, and no control character is typed")
  func random() {
    var random = SplitMix64(seed: 31)
    let common: [UInt8] = [
      0x1b, 0x5b, 0x5d, 0x50, 0x4f, 0x3b, 0x31, 0x32, 0x30, 0x7e, 0x4d, 0x5c, 0x41, 0x9b, 0xc2, 0x3f,
    ]
    for _ in 0..<6000 {
      let bytes = (0..<Int.random(in: 1...60, using: &random)).map { _ in
        Bool.random(using: &random) ? common.randomElement(using: &random)! : UInt8.random(in: 0...255, using: &random)
      }
      let keys = Self.keys([bytes])
      #expect(Self.keys(bytes.map { [$0] }) == keys)
      var line = LineEditor()
      for case .text(let text) in keys { line.insert(text) }
      #expect(line.text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
      // If Enter, Escape, Ctrl-C, Ctrl-D or Ctrl-G is among the keys, its byte is among the bytes.
      func count(_ key: Key) -> Int { keys.count { $0 == key } }
      #expect(count(.enter) <= bytes.count { $0 == 0x0d || $0 == 0x4d })
      #expect(count(.letter("c")) <= bytes.count { $0 == 3 } && count(.letter("g")) <= bytes.count { $0 == 7 })
      #expect(count(.letter("d")) <= bytes.count { $0 == 4 } && count(.escape) <= bytes.count { $0 == 0x1b })
      // A carriage return, or the keypad's key: `ESC O M`.
      let keypad = bytes.indices.count { bytes[$0] == 0x4d && bytes[..<$0].contains { $0 == 0x4f || $0 == 0x8f } }
      #expect(count(.enter) <= bytes.count { $0 == 0x0d } + keypad)
    }
  }
}
