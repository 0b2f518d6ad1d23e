import Answers
import QueryOutput
import ShardedIndex
import Testing

import ShardqCommands

@Suite("Keys, as terminals send them") struct KeyDecoderTests {
  private static func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.feed(Array(text.utf8)) + (decoder.isWaiting ? decoder.timedOut() : [])
  }

  @Test(
    "bytes give their keys",
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
      ("\u{1b}[99~\u{1b}[?1;2c\u{1b}[[A\u{1b}OPx", [.function(1), .function(1), .text("x")]),
      ("\u{1b}[", [.alt(.text("["))]),
      ("\u{1b}[1;\u{7}x", [.letter("g"), .text("x")]),
    ] as [(String, [Key])])
  func meaning(sent: String, keys: [Key]) { #expect(Self.keys(sent) == keys) }

  @Test("bytes in pieces give the keys of the whole")
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

@Suite("The typed line") struct LineEditorTests {
  @Test("keys edit the line as in a shell")
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
    // A deletion may leave a sign before the cursor that joins the text behind it: that text stays.
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

  @Test("the list and a session delete the same characters of any text")
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

  @Test("a mark joins the character before it, and control characters stay out")
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
    "texts take their columns",
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

  @Test("a match is marked to its end, or to the cut of the text")
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

  @Test("any given ranges are marked")
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

  @Test("a place stands at its latitude and longitude, and a dot of Braille beside it")
  func places() throws {
    let view = WorldMap.View(columns: 90, rows: 100, isASCII: false)
    #expect((view.columns, view.rows) == (90, 18))
    var map = WorldMap(view, land: nil)
    map.mark(try #require(Coordinates(latitude: 0, longitude: 0)), .match)
    let rows = Self.plain(map)
    let (row, line) = try #require(rows.enumerated().first { $0.element.contains { $0 != " " } })
    // A dot is two degrees; the map is a little higher than 84 degrees, to have whole rows.
    #expect((row, line.prefix { $0 == " " }.count) == (10, 45))
  }

  @Test("land is drawn from cells, for any size of the map")
  func land() {
    // One block of land: 10 to 20 degrees east, 10 to 20 degrees north.
    let land = LandGrid { column, row in (380..<400).contains(column) && (140..<160).contains(row) }
    for columns in [36, 72, 144] {
      let view = WorldMap.View(columns: columns, rows: 200, isASCII: true)
      let rows = Self.plain(WorldMap(view, land: land))
      let step = 360 / Double(columns)
      let dots = rows.joined().filter { $0 == "." }.count
      // Each character is `step` degrees wide and twice as many high; characters at the edges count whole.
      #expect((Int(10 / step)...Int(10 / step) + 2).contains(rows.map { $0.filter { $0 == "." }.count }.max()!))
      #expect(dots > 0)
    }
  }

  @Test("zooming in keeps the place in the middle; moving goes round the Earth")
  func zoom() throws {
    for longitude in [-179.5, 0, 139.7, 179.9] {
      let place = try #require(Coordinates(latitude: 35, longitude: longitude))
      let view = WorldMap.View(columns: 40, rows: 10, zoom: 8, center: place, isASCII: true)
      var map = WorldMap(view, land: nil)
      let isMarked = map.mark(place, .selected)
      #expect(isMarked)
      let rows = Self.plain(map)
      let row = try #require(rows.firstIndex { $0.contains("X") })
      #expect(abs(row - view.rows / 2) <= 1)
      #expect(abs(rows[row].prefix { $0 != "X" }.count - view.columns / 2) <= 1)
      let isOutside = !map.mark(try #require(Coordinates(latitude: -35, longitude: longitude)), .match)
      #expect(isOutside)
    }
  }

  @Test("a map fits the part of the Earth that has the records, over the date line too")
  func extents() throws {
    let japan = try #require(
      LandGrid { column, row in (616..<652).contains(column) && (88..<120).contains(row) }.extent)
    #expect(abs(japan.west + japan.width / 2 - 137) < 0.1 && (18...20).contains(japan.width))
    #expect(japan.south < 30 && japan.north > 46)
    let view = WorldMap.View(columns: 36, rows: 14, extent: japan, isASCII: false)
    var map = WorldMap(view, land: nil)
    for place in [Coordinates(latitude: 45.5, longitude: 141.9), Coordinates(latitude: 31, longitude: 130)] {
      let isOnMap = map.mark(try #require(place), .match)
      #expect(isOnMap)
    }
    let fiji = try #require(
      MapExtent(around: [Coordinates(latitude: -17, longitude: 177)!, Coordinates(latitude: -18, longitude: -179)!]))
    #expect(fiji.west > 170 && fiji.width < 10)
    #expect(MapExtent(around: []) == nil && LandGrid { _, _ in false }.extent == nil)
    #expect(LandGrid { column, _ in column.isMultiple(of: 2) }.extent == .world)
    // The map of one place has more than zero degrees.
    #expect(MapExtent(around: [Coordinates(latitude: 90, longitude: 180)!])?.width == 2)
  }

  @Test("a map finer than the cells of land draws each cell as one dot")
  func cells() throws {
    let land = LandGrid { column, row in (360..<364).contains(column) && (178..<180).contains(row) }
    let extent = try #require(land.extent)
    let rows = Self.plain(WorldMap(WorldMap.View(columns: 60, rows: 30, extent: extent, isASCII: true), land: land))
    #expect(rows.joined().filter { $0 == "." }.count == 8, "\(rows)")
  }

  @Test("no place is beyond the poles or the date line")
  func bounds() {
    #expect(Coordinates(latitude: 91, longitude: 0) == nil)
    #expect(Coordinates(latitude: "nan", longitude: "0") == nil)
    #expect(Coordinates(latitude: "x", longitude: "0") == nil)
    for (latitude, longitude) in [(90.0, 180.0), (-90, -180), (90, -180), (-90, 180)] {
      var map = WorldMap(.init(columns: 36, rows: 10, isASCII: false), land: nil)
      let isOnMap = map.mark(Coordinates(latitude: latitude, longitude: longitude)!, .match)
      #expect(isOnMap)
      var near = WorldMap(
        .init(
          columns: 36, rows: 10, zoom: 16, center: Coordinates(latitude: latitude, longitude: longitude)!,
          isASCII: false),
        land: LandGrid { _, _ in true })
      let isNear = near.mark(Coordinates(latitude: latitude, longitude: longitude)!, .match)
      #expect(isNear)
    }
  }
}

@Suite("A record's preview") struct RecordPreviewTests {
  private static func lines(_ fields: [(String, String)], columns: Int, wraps: Bool = false) -> [String] {
    let theme = Theme(hasColor: false, isASCII: false)
    let fields = fields.map { ShardedIndex.Record.Field(name: $0.0, kind: .string, text: $0.1) }
    return RecordPreview(fields, columns: columns, wraps: wraps, theme: theme).lines.map { line in
      #expect(line.columns <= columns)
      return String(decoding: line.bytes, as: UTF8.self).replacing("\u{1b}[0m", with: "")
    }
  }

  @Test("a field takes one line, or as many as it needs; empty fields are left out")
  func fields() {
    let fields = [("name", "San José"), ("notes", ""), ("text", "one two three four")]
    #expect(Self.lines(fields, columns: 16) == ["name San José", "text one two th…"])
    #expect(Self.lines(fields, columns: 16, wraps: true) == ["name San José", "text one two ", "  three four"])
    #expect(Self.lines([("a", "x\r\ny\tz")], columns: 16) == ["a x", "  y z"])
  }

  @Test("no text of a record sends control characters to a terminal of any width")
  func hostile() {
    let fields = [("\u{1b}[5mf", "\u{1b}[2J\u{202e}abc\u{9b}31m\u{7}"), ("北", String(repeating: "北京", count: 40))]
    for columns in [1, 2, 3, 5, 16, 80] {
      for wraps in [false, true] {
        let text = Self.lines(fields, columns: columns, wraps: wraps).joined()
        #expect(!text.unicodeScalars.contains { ControlText.isControl($0.value) && $0.value != 0x2068 }, "\(text)")
      }
    }
  }

  @Test("the preview of a large record has its beginning and the size of the rest")
  func large() {
    let text = String(repeating: "x", count: 10_000_000)
    let lines = Self.lines([("text", text), ("more", "y")], columns: 40, wraps: true)
    #expect(lines.count < 2000 && lines.contains("… 9,934,464 bytes more") && lines.last == "… and more fields")
    let breaks = Self.lines([("text", String(repeating: "\n", count: 60_000)), ("more", "y")], columns: 40)
    #expect(breaks.count == RecordPreview.lineLimit + 1)
  }
}

@Suite("The screen's boxes") struct ScreenLayoutTests {
  @Test("boxes do not overlap and fit any window", arguments: ["right", "left,20", "up,90%", "down,3", "down,100%"])
  func boxes(preview: String) throws {
    let window = try PreviewWindow.read(preview).get()
    for columns in [1, 2, 9, 10, 20, 59, 60, 80, 200] {
      for rows in [1, 2, 3, 5, 8, 10, 24, 60] {
        let layout = ScreenLayout(
          Terminal.Size(columns: columns, rows: rows), preview: window, headerLines: 3,
          mapShape: { (columns: $0, rows: $1) })
        let boxes = [
          layout.prompt, layout.info, layout.header, layout.list, layout.scrollbar, layout.rule, layout.map,
          layout.fields,
        ].filter { !$0.isEmpty }
        for (number, box) in boxes.enumerated() {
          #expect(box.endRow <= rows && box.endColumn <= columns)
          for other in boxes[..<number] {
            let isApart =
              box.row >= other.endRow || other.row >= box.endRow || box.column >= other.endColumn
              || other.column >= box.endColumn
            #expect(isApart, "\(columns)x\(rows): \(box) \(other)")
          }
        }
        if rows >= 3 { #expect(layout.list.rows >= 1 && layout.list.columns >= 1) }
      }
    }
  }

  @Test("the error for an unknown word names it")
  func unknown() {
    for (text, word) in [("rigth", "rigth"), ("down,0", "0"), ("down,101%", "101%"), ("up,-3", "-3"), ("x y", "x y")] {
      #expect(PreviewWindow.read(text) == .failure(UnknownWord(word: word)))
    }
    #expect(PreviewWindow.read("") == .success(PreviewWindow()))
  }
}

@Suite("A screen's lines") struct PainterTests {
  private static func frame(_ lines: [String], map: [String] = []) -> ListScreen.Frame {
    func text(_ line: String) -> DisplayText {
      var text = DisplayText()
      text.plain(line)
      return text
    }
    var areas = [ListScreen.Frame.Area(ScreenBox(columns: map.isEmpty ? 80 : 43, rows: lines.count), lines.map(text))]
    if !map.isEmpty { areas.append(.init(ScreenBox(column: 44, columns: 36, rows: lines.count), map.map(text))) }
    return ListScreen.Frame(size: Terminal.Size(columns: 80, rows: lines.count), areas: areas, cursor: .init(column: 2))
  }

  @Test("only lines that differ are drawn")
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

@Test("text for the clipboard is written in base 64")
func base64() {
  for (text, encoded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("São", "U8Ojbw==")] {
    #expect(String(decoding: Base64.encoded(Array(text.utf8)), as: UTF8.self) == encoded)
  }
}
