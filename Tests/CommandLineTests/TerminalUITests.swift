import QueryOutput
import ShardedIndex
import Testing

@testable import ShardqCommands

@Suite("Keys, as terminals send them") struct KeyDecoderTests {
  private static func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.feed(Array(text.utf8)) + (decoder.isWaiting ? decoder.timedOut() : [])
  }

  @Test(
    "what is sent and what it means",
    arguments: [
      ("a", [.text("a")]), ("é한", [.text("é"), .text("한")]), ("\r", [.enter]),
      ("\u{7f}\u{8}", [.backspace, .backspace]),
      ("\u{1}\u{17}", [.letter("a"), .letter("w")]), ("\u{1b}", [.escape]), ("\u{1b}\u{1b}", [.escape]),
      ("\u{1b}[A\u{1b}OB\u{1b}[C\u{1b}OD", [.up, .down, .right, .left]),
      ("\u{1b}[H\u{1b}[F\u{1b}[1~\u{1b}[4~\u{1b}[7~\u{1b}[8~", [.home, .end, .home, .end, .home, .end]),
      ("\u{1b}[3~\u{1b}[5~\u{1b}[6~\t\u{1b}[Z", [.delete, .pageUp, .pageDown, .tab, .backtab]),
      ("\u{1b}[1;5H\u{1b}[1;3D\u{1b}[1;2A", [.control(.home), .alt(.left), .shift(.up)]),
      ("\u{1b}b\u{1b}\u{7f}\u{1b}+", [.alt(.text("b")), .alt(.backspace), .alt(.text("+"))]),
      (
        "\u{1b}[<0;3;4M\u{1b}[<0;3;4m\u{1b}[<64;1;2M\u{1b}[<65;1;2M",
        [.click(column: 3, row: 4), .wheelUp(column: 1, row: 2), .wheelDown(column: 1, row: 2)]
      ),
      ("\u{1b}[M #$", [.click(column: 3, row: 4)]), ("\u{1b}[12;1R", [.cursor(row: 12, column: 1)]),
      ("\u{1b}[200~a\u{1b}[Ab\u{1b}[201~c", [.text("a\u{1b}[Ab"), .text("c")]),
      ("\u{1b}[200~lost", [.text("lost")]),
      ("\u{1b}[99~\u{1b}[?1;2c\u{1b}[[A\u{1b}OPx", [.text("x")]), ("\u{1b}[", [.alt(.text("["))]),
      ("\u{1b}[1;\u{7}x", [.letter("g"), .text("x")]),
    ] as [(String, [Key])])
  func meaning(sent: String, keys: [Key]) { #expect(Self.keys(sent) == keys) }

  @Test("whatever comes in pieces means what it means at once")
  func pieces() {
    let sent = Array("é\u{1b}[1;5H\u{1b}[200~né\u{1b}[201~\u{1b}[<64;10;20M한\u{1b}OAx".utf8)
    let whole = Self.keys(String(decoding: sent, as: UTF8.self))
    #expect(whole.count == 7)
    for cut in 1..<sent.count {
      var decoder = KeyDecoder()
      let keys = decoder.feed(Array(sent[..<cut])) + decoder.feed(Array(sent[cut...]))
      #expect(keys == whole, "cut at \(cut)")
    }
  }

  @Test("a paste without an end is cut off")
  func endlessPaste() {
    var decoder = KeyDecoder()
    _ = decoder.feed(Array("\u{1b}[200~".utf8) + [UInt8](repeating: 0x61, count: 1_000_000))
    let keys = decoder.timedOut()
    #expect(keys == [.text(String(repeating: "a", count: 4096))])
  }
}

@Suite("The line that is typed") struct LineEditorTests {
  @Test("keys edit it as a shell's")
  func edits() {
    var line = LineEditor("san jose, us")
    #expect(line.cursor == 12)
    line.moveWordLeft()
    line.deleteWordBefore()
    #expect((line.text, line.cursor) == ("san us", 4))
    line.moveToStart()
    line.deleteAfter()
    line.moveWordRight()
    line.insert("ão")
    #expect((line.text, line.cursor) == ("anão us", 4))
    line.deleteToEnd()
    line.deleteBefore()
    line.moveLeft()
    line.deleteToStart()
    #expect((line.text, line.cursor) == ("ã", 0))
    line.deleteWordAfter()
    #expect(line.text == "")
    line.deleteBefore()
    line.deleteAfter()
    line.moveLeft()
    line.moveRight()
    #expect(line.cursor == 0)
  }

  @Test("Backspace takes a sign where a script is typed sign by sign; Delete and the cursor go by character")
  func backspace() {
    for (typed, left) in [("กรุ", "กร"), ("दि", "द"), ("한", ""), ("e\u{301}", ""), ("👨‍👩‍👧", ""), ("葛\u{e0100}", "")] {
      var line = LineEditor(typed)
      line.deleteBefore()
      #expect(line.text.unicodeScalars.elementsEqual(left.unicodeScalars), "\(typed)")
      line = LineEditor("x" + typed + "y")
      line.moveLeft()
      line.moveLeft()
      line.deleteAfter()
      let whole = typed.last!.unicodeScalars.count
      #expect(line.text.unicodeScalars.count == 2 + typed.unicodeScalars.count - whole)
      #expect(line.text.hasSuffix("y") && line.cursor == line.characters.count - 1)
    }
    // What is taken may leave a sign before the cursor that joins what stands behind it: nothing behind it is touched.
    var line = LineEditor("क्तष")
    line.moveLeft()
    line.deleteBefore()
    #expect((line.text, line.cursor) == ("क्ष", 1))
    line.deleteBefore()
    line.deleteBefore()
    #expect((line.text, line.cursor) == ("ष", 0))
    line.insert("क्")
    line.moveRight()
    #expect((line.text, line.cursor, line.characters.count) == ("क्ष", 1, 1))
  }

  @Test("the list and a session take back the same, whatever is typed")
  func sameAsSession() throws {
    let pieces = [
      "a", "\u{301}", "क", "\u{94d}", "\u{93f}", "ก", "\u{e38}", "\u{fe0f}", "\u{200d}", "👨", "🇫", "한", "1", "\u{20e3}",
    ]
    let index = try ShardedIndex(opening: SmallIndex.shared.path)
    var random = SystemRandomNumberGenerator()
    var (line, session) = (LineEditor(), index.session())
    for _ in 0..<4000 {
      if Int.random(in: 0..<5, using: &random) < 2 {
        line.deleteBefore()
        session.removeLast()
      } else {
        let piece = pieces.randomElement(using: &random)!
        line.insert(piece)
        try session.append(piece)
      }
      #expect(line.text.unicodeScalars.elementsEqual(session.text.unicodeScalars))
      if line.characters.count > 40 {
        line.deleteToStart()
        try session.replace(with: "")
      }
    }
  }

  @Test("a mark joins what stands before it, and control characters stay out")
  func insertion() {
    var line = LineEditor("Sa")
    line.insert("\u{303}")
    #expect((line.characters.count, line.cursor) == (2, 2))
    line.insert("\n\u{1b}[31m\u{7}o")
    #expect(line.text == "Sa\u{303} [31mo")
    line.insert(String(repeating: "x", count: 5000))
    #expect(line.text.utf8.count < 100)
  }
}

@Suite("Columns of a terminal") struct DisplayTextTests {
  @Test(
    "what texts take",
    arguments: [
      ("abc", 3), ("é", 1), ("e\u{301}", 1), ("北京", 4), ("ｱ", 1), ("ア", 2), ("한글", 4), ("\u{1112}\u{1161}\u{11ab}", 2),
      ("กรุง", 3),
      ("नई", 2), ("مُ", 1), ("👨‍👩‍👧", 2), ("🏳️", 2), ("🇸🇬", 2), ("…", 1), ("±", 1), ("\u{200d}", 0), ("𠀀", 2),
    ])
  func width(text: String, columns: Int) {
    #expect(text.reduce(0) { $0 + DisplayWidth.columns(of: $1) } == columns)
  }

  @Test("a text is cut where its columns end, between characters")
  func cut() {
    func shown(_ text: String, _ limit: Int) -> String {
      var line = DisplayText()
      line.text(text, limit: limit, isolates: false)
      #expect(line.columns <= limit)
      return String(decoding: line.bytes, as: UTF8.self)
    }
    #expect(shown("abcdef", 6) == "abcdef")
    #expect(shown("abcdef", 5) == "abcd…")
    #expect(shown("abcdef", 1) == "…")
    #expect(shown("abcdef", 0) == "")
    #expect(shown("北京市", 6) == "北京市")
    #expect(shown("北京市", 5) == "北京…")
    #expect(shown("北京市", 4) == "北…")
    #expect(shown("e\u{301}e\u{301}e\u{301}", 2) == "e\u{301}…")
    #expect(shown("a\u{1b}b", 8) == "a\\u001bb")
    #expect(shown("a\u{1b}b", 7) == "a…")
    #expect(shown("\u{202e}x", 80) == "\\u202ex")
  }

  @Test("what matched is marked to its end, or to where the text is cut")
  func marks() {
    func shown(_ text: String, _ count: Int, _ limit: Int) -> String {
      var line = DisplayText()
      line.text(
        text, marks: [text.startIndex..<text.index(text.startIndex, offsetBy: count)], mark: "<", unmark: ">",
        limit: limit,
        isolates: false)
      return String(decoding: line.bytes, as: UTF8.self)
    }
    #expect(shown("São Paulo", 3, 20) == "<São> Paulo")
    #expect(shown("São", 3, 20) == "<São>")
    #expect(shown("São", 0, 20) == "São")
    #expect(shown("São Paulo", 9, 5) == "<São >…")
    #expect(shown("São Paulo", 4, 5) == "<São >…")
    #expect(shown("São Paulo", 2, 5) == "<Sã>o …")
  }

  @Test("any ranges are marked")
  func severalMarks() {
    let text = "East New York, US"
    func shown(_ words: [String], limit: Int = 80) -> String {
      var line = DisplayText()
      line.text(
        text, marks: words.compactMap { text.firstRange(of: $0) }, mark: "<", unmark: ">", limit: limit,
        isolates: false)
      return String(decoding: line.bytes, as: UTF8.self)
    }
    #expect(shown(["New", "York"]) == "East <New> <York>, US")
    #expect(shown(["US"]) == "East New York, <US>")
    #expect(shown(["New", "York"], limit: 12) == "East <New> <Yo>…")
    #expect(shown([]) == text)
  }

  @Test("right-to-left names are isolated, others are left alone")
  func isolation() {
    func shown(_ text: String, isolates: Bool = true) -> String {
      var line = DisplayText()
      line.text(text, limit: 20, isolates: isolates)
      return String(decoding: line.bytes, as: UTF8.self)
    }
    #expect(shown("مكة, SA") == "\u{2068}مكة, SA\u{2069}")
    #expect(shown("מכה") == "\u{2068}מכה\u{2069}")
    #expect(shown("مكة", isolates: false) == "مكة")
    #expect(shown("Москва 北京") == "Москва 北京")
  }
}

@Suite("The map") struct WorldMapTests {
  private static func plain(_ map: WorldMap) -> [String] {
    (0..<map.view.rows).map {
      String(decoding: map.row($0, style: { _ in "" }, reset: "", isColored: true).bytes, as: UTF8.self)
    }
  }

  @Test("a place is where it belongs, and a dot of Braille beside it")
  func places() throws {
    let view = WorldMap.View(columns: 90, rows: 100, zoom: 1, center: nil, isASCII: false)
    #expect((view.columns, view.rows) == (90, 18))
    var map = WorldMap(view, land: nil)
    map.mark(try #require(Place(latitude: 0, longitude: 0)), .match)
    let rows = Self.plain(map)
    let (row, line) = try #require(rows.enumerated().first { $0.element.contains { $0 != " " } })
    // Two degrees a dot; the map is a little higher than 84 degrees, to be of whole rows.
    #expect((row, line.prefix { $0 == " " }.count) == (10, 45))
  }

  @Test("land is drawn from cells, whatever the map's size")
  func land() {
    // One block of the Earth: 10 degrees to 20 east, 10 to 20 north.
    let land = LandGrid { column, row in (380..<400).contains(column) && (140..<160).contains(row) }
    for columns in [36, 72, 144] {
      let view = WorldMap.View(columns: columns, rows: 200, zoom: 1, center: nil, isASCII: true)
      let rows = Self.plain(WorldMap(view, land: land))
      let step = 360 / Double(columns)
      let dots = rows.joined().filter { $0 == "." }.count
      // Each character is as many degrees wide, and twice as many high; those at the edges count whole.
      #expect((Int(10 / step)...Int(10 / step) + 2).contains(rows.map { $0.filter { $0 == "." }.count }.max()!))
      #expect(dots > 0)
    }
  }

  @Test("closer, the place in the middle stays there; the Earth goes round")
  func zoom() throws {
    for longitude in [-179.5, 0, 139.7, 179.9] {
      let place = try #require(Place(latitude: 35, longitude: longitude))
      let view = WorldMap.View(columns: 40, rows: 10, zoom: 8, center: place, isASCII: true)
      var map = WorldMap(view, land: nil)
      let isMarked = map.mark(place, .selected)
      #expect(isMarked)
      let rows = Self.plain(map)
      let row = try #require(rows.firstIndex { $0.contains("X") })
      #expect(abs(row - view.rows / 2) <= 1)
      #expect(abs(rows[row].prefix { $0 != "X" }.count - view.columns / 2) <= 1)
      let isOutside = !map.mark(try #require(Place(latitude: -35, longitude: longitude)), .match)
      #expect(isOutside)
    }
  }

  @Test("no place is beyond the poles or the date line")
  func bounds() {
    #expect(Place(latitude: 91, longitude: 0) == nil)
    #expect(Place(latitude: "nan", longitude: "0") == nil)
    #expect(Place(latitude: "x", longitude: "0") == nil)
    for (latitude, longitude) in [(90.0, 180.0), (-90, -180), (90, -180), (-90, 180)] {
      var map = WorldMap(.init(columns: 36, rows: 10, zoom: 1, center: nil, isASCII: false), land: nil)
      let isOnMap = map.mark(Place(latitude: latitude, longitude: longitude)!, .match)
      #expect(isOnMap)
      var near = WorldMap(
        .init(
          columns: 36, rows: 10, zoom: 16, center: Place(latitude: latitude, longitude: longitude)!, isASCII: false),
        land: LandGrid { _, _ in true })
      let isNear = near.mark(Place(latitude: latitude, longitude: longitude)!, .match)
      #expect(isNear)
    }
  }
}

@Suite("A screen's lines") struct PainterTests {
  private static func frame(_ lines: [String], map: [String] = []) -> ListScreen.Frame {
    func text(_ line: String) -> DisplayText {
      var text = DisplayText()
      text.plain(line)
      return text
    }
    let size = Terminal.Size(columns: 80, rows: lines.count)
    return ListScreen.Frame(
      layout: .init(size: size, listColumns: map.isEmpty ? 80 : 43, mapColumns: map.isEmpty ? 0 : 36),
      left: lines.map(text), right: (0..<lines.count).map { text($0 < map.count ? map[$0] : "") }, cursor: 2)
  }

  @Test("only what differs is drawn")
  func differences() {
    for isFullScreen in [true, false] {
      var painter = Painter(isFullScreen: isFullScreen)
      func drawn(_ frame: ListScreen.Frame) -> String { String(decoding: painter.draw(frame), as: UTF8.self) }
      let first = drawn(Self.frame(["> ", "info", "one", "two"], map: ["", "map", "of", "it"]))
      for part in ["info", "one", "two", "map", "of", "it"] { #expect(first.contains(part)) }
      #expect(drawn(Self.frame(["> ", "info", "one", "two"], map: ["", "map", "of", "it"])) == "")
      let next = drawn(Self.frame(["> ", "info", "uno", "two"], map: ["", "map", "of", "IT"]))
      #expect(next.contains("uno") && next.contains("IT"))
      #expect(!next.contains("two") && !next.contains("info") && !next.contains("map"))
      painter.forget()
      #expect(drawn(Self.frame(["> ", "info", "uno", "two"])).contains("info"))
    }
  }
}

@Test("the clipboard's base 64")
func base64() {
  for (text, encoded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("São", "U8Ojbw==")] {
    #expect(String(decoding: Base64.encoded(Array(text.utf8)), as: UTF8.self) == encoded)
  }
}
