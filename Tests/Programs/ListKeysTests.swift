import Answers
import Foundation
import QueryOutput
import ShardedIndex
import TestSupport
import Testing

import ShardqCommands

@Suite("Keys and their actions") struct KeyBindingsTests {
  private static func mistake(_ text: String) -> String? {
    var table = KeyBindings(marks: false, hasHistory: false)
    do throws(KeyBindings.BindingError) {
      try table.bind(text)
      return nil
    } catch {
      return error.message
    }
  }

  @Test("bindings are read as fzf writes keys and actions")
  func binds() throws {
    var table = KeyBindings(marks: true, hasHistory: false)
    try table.bind(
      "ctrl-k:up,alt-a:select-all+accept,::put(a,b+c),,:down,f2:toggle-down,SPACE:Put(x)".replacing("Put", with: "put"))
    #expect(table[.letter("k")] == [ListAction(.up)])
    #expect(table[.alt(.text("a"))] == [ListAction(.selectAll), ListAction(.accept)])
    #expect(table[.text(":")] == [ListAction(.put, text: "a,b+c")])
    #expect(table[.text(",")] == [ListAction(.down)])
    #expect(table[.function(2)] == [ListAction(.toggle), ListAction(.down)])
    #expect(table[.text(" ")] == [ListAction(.put, text: "x")])
    // The other bindings stay.
    #expect(table[.letter("c")] == [ListAction(.abort)] && table[.tab]?.first == ListAction(.toggle))
  }

  @Test("marking several records and the history have keys of their own")
  func usual() {
    #expect(KeyBindings(marks: false, hasHistory: false)[.tab] == [ListAction(.togglePreview)])
    #expect(KeyBindings(marks: true, hasHistory: false)[.backtab] == [ListAction(.toggle), ListAction(.up)])
    #expect(KeyBindings(marks: false, hasHistory: true)[.letter("p")] == [ListAction(.previousHistory)])
  }

  @Test(
    "the message for a wrong binding says what to write",
    arguments: [
      ("", "the list is empty; write a key"), ("a", "a has no action; write a key"),
      ("a:", "a has no action; write one"),
      ("ctrl-k:upp", "there is no action upp; did you mean up?"), ("ctrl-kk:up", "there is no key ctrl-kk; names are"),
      ("a:put", "put needs a text; write put(TEXT)"), ("a:put(x", "a:put(x has a parenthesis that is not closed"),
      ("a:up(x)", "there is no action up"), ("a:execute(rm -rf /)", "execute would run a command"),
      ("a:up++down", "there is no action +down"), ("shift-a:up", "there is no key shift-a"),
    ])
  func mistakes(text: String, message: String) {
    #expect(Self.mistake(text)?.hasPrefix(message) == true, "\(Self.mistake(text) ?? "none")")
  }

  @Test("a binding of any length is read")
  func long() {
    #expect(
      Self.mistake("a:" + Array(repeating: "up", count: 101).joined(separator: "+"))?.contains("over 100") == true)
    #expect(Self.mistake(String(repeating: "alt-", count: 100_000) + "a:up")?.hasPrefix("there is no key") == true)
    #expect(Self.mistake("a:put" + String(repeating: "(", count: 100_000))?.contains("not closed") == true)
  }

  @Test("every key of the table has its own name")
  func names() throws {
    for (key, _) in KeyBindings(marks: true, hasHistory: true).table {
      let name = try #require(key.name)
      #expect(Key(named: name) == key, "\(name)")
    }
    for (name, key) in [
      ("ctrl-alt-a", Key.alt(.letter("a"))), ("alt-A", .alt(.text("A"))), ("Ctrl-Up", .control(.up)),
      ("f12", .function(12)),
      ("shift-tab", .backtab), ("ctrl-space", .letter(" ")), ("é", .text("é")), ("alt-enter", .alt(.enter)),
    ] {
      #expect(Key(named: name) == key)
    }
    for name in ["", "f0", "f13", "ctrl-", "ctrl-é", "shift-", "alt-", "xx", "\u{1b}"] {
      #expect(Key(named: name) == nil)
    }
    #expect(Key.click(column: 1, row: 1).name == nil)
  }

  @Test("the help has each action of the table, on lines of 78 columns")
  func help() throws {
    var table = KeyBindings(marks: true, hasHistory: true)
    try table.bind("f2:toggle-all+accept")
    let help = table.help
    #expect(help.allSatisfy { $0.count <= 76 }, "\(help)")
    for part in ["f1 ", "ctrl-c, ctrl-g", "toggle-all+accept", "alt-a "] {
      #expect(help.contains { $0.contains(part) }, "\(part)")
    }
  }

  @Test("a list of expected keys is read, with a comma among them")
  func expected() throws {
    #expect(try KeyBindings.keys("ctrl-o,f1,,").map(\.name) == ["ctrl-o", "f1", ","])
    #expect(throws: KeyBindings.BindingError.self) { try KeyBindings.keys("ctrl-o,none") }
    #expect(throws: KeyBindings.BindingError.self) { try KeyBindings.keys("ctrl-o,") }
  }
}

@Suite("A popup of tmux") struct PopupPlaceTests {
  @Test("the place and the sizes are read as fzf reads them")
  func reads() throws {
    for (text, arguments) in [
      ("", "-x C -y C -w 50% -h 50%"), ("center,80%", "-x C -y C -w 80% -h 80%"), ("60%,12", "-x C -y C -w 60% -h 12"),
      ("bottom,40%", "-x C -y 9999 -w 100% -h 40%"), ("left,30%,20", "-x 0 -y C -w 30% -h 20"),
      ("up", "-x C -y 0 -w 100% -h 50%"),
    ] {
      #expect(try PopupPlace.read(text).get().arguments.joined(separator: " ") == arguments)
    }
    for (text, word) in [("middle", "middle"), ("center,0", "0"), ("left,1,2,3", "3"), ("center,-E", "-E")] {
      #expect(PopupPlace.read(text) == .failure(UnknownWord(word: word)))
    }
  }
}

@Suite("Colours of the list") struct ThemeSpecificationTests {
  @Test("--color says when to colour and which colours")
  func reads() throws {
    let theme = try ThemeSpecification(
      "always,hl:red:bold,fg+:#ff8000,bg+:236,pointer:-1,info:bright-blue:italic,gutter:3")
    #expect(theme.mode == .always)
    #expect(theme.styles[.match] == ThemeStyle(.number(1), [.bold]))
    #expect(theme.styles[.selectedText] == ThemeStyle(.rgb(0xff8000)))
    #expect(theme.styles[.selectedBackground] == ThemeStyle(.number(236)))
    #expect(theme.styles[.pointer] == ThemeStyle(.usual))
    #expect(theme.styles[.info] == ThemeStyle(.number(12), [.italic]))
    #expect(theme.styles.count == 5)
    #expect(try ThemeSpecification("bw").mode == .never)
    #expect(try ThemeSpecification("dark").mode == nil)
    let made = Theme(hasColor: true, isASCII: false, styles: theme.styles)
    #expect(made.matched == "\u{1b}[1;31m" && made.selected == "\u{1b}[38;2;255;128;0;48;5;236m")
    // A theme without colour has none, even if the specification names some.
    #expect(Theme(hasColor: false, isASCII: false, styles: theme.styles).matched == "\u{1b}[1m")
  }

  @Test(
    "the message for a wrong colour names it",
    arguments: [
      ("blue", "there is no blue; choose auto"), ("hl:rde", "there is no colour rde"),
      ("hk:red", "there is no part hk; did you mean"),
      ("hl:256", "there is no colour 256"), ("hl:#12345", "there is no colour #12345"),
      ("hl:#+12345", "there is no colour"),
      ("hl:", "there is no colour"), ("", "there is no ;"), ("hl:-2", "there is no colour -2"),
      ("hl:\u{1b}[31m", "there is no colour \u{1b}[31m"), ("always,,never", "there is no ;"),
    ])
  func mistakes(text: String, message: String) {
    do throws(ThemeSpecification.ThemeError) {
      let theme = try ThemeSpecification(text)
      Issue.record("\(theme)")
    } catch {
      #expect(error.message.hasPrefix(message), "\(error.message)")
    }
  }
}

@Suite("The history of typed texts") struct QueryHistoryTests {
  @Test("the history goes back and forth, and is kept in a file")
  func goes() throws {
    let directory = TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let path = directory.path + "/history"
    try "old\n\n\u{1b}[31mred\nlast\n".write(toFile: path, atomically: true, encoding: .utf8)
    var history = try QueryHistory(path, limit: 3)
    #expect(history.previous("typed") == "last" && history.previous("last") == "\u{1b}[31mred")
    #expect(history.previous("x") == "old" && history.previous("old") == nil)
    #expect(history.next() == "\u{1b}[31mred" && history.next() == "last" && history.next() == "typed")
    #expect(history.next() == nil)
    try history.add("last")
    try history.add("")
    try history.add("new")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "\u{1b}[31mred\nlast\nnew\n")
  }

  @Test("a missing history file is made; a path that is no file is refused")
  func files() throws {
    let directory = TemporaryDirectory()
    var history = try QueryHistory(directory.path + "/none", limit: 10)
    #expect(history.previous("x") == nil)
    try history.add("a")
    try history.add("b")
    #expect(try String(contentsOfFile: directory.path + "/none", encoding: .utf8) == "a\nb\n")
    for path in [directory.path, "/dev/zero", directory.path + "/no/file"] {
      #expect(throws: QueryHistory.HistoryError.self) {
        var history = try QueryHistory(path, limit: 10)
        try history.add("x")
      }
    }
  }
}

@Suite("Marked records") struct MarkedRecordsTests {
  private let directory = TemporaryDirectory()

  private func model(_ names: [String]) throws -> ListModel {
    let path = directory.path + "/l.jsonl"
    try names.map { "{\"name\":\"\($0)\"}\n" }.joined().write(toFile: path, atomically: true, encoding: .utf8)
    let built = Program.run(["build", path, "--key", "{name}", "-i", directory.path + "/i"])
    #expect(built.status == 0, "\(built)")
    var model = ListModel(try ShardedIndex(opening: directory.path + "/i"))
    model.canMark = true
    model.resize(height: 3)
    model.search("")
    return model
  }

  @Test("records stay marked while the text changes, and come in the order of marking")
  func stay() throws {
    var model = try model(["Aa", "Ab", "Ba", "Bb", "Bb"])
    model.select(2)
    _ = model.toggleMark()
    model.search("ab")
    _ = model.toggleMark()
    #expect(model.isMarked(0) && model.marks.count == 2)
    model.search("")
    #expect((0..<3).map { model.isMarked($0) } == [false, true, true])
    #expect(model.marks.records.map { $0.first?.key } == ["Ba", "Ab"])
    _ = model.markAll(inverting: true)
    // Two equal records are marked one by one.
    #expect(model.marks.records.map { $0.first?.key } == ["Aa", "Bb", "Bb"])
    model.unmarkAll()
    #expect(model.marks.count == 0)
    model.search("b")
    let hasRoom = model.markAll(inverting: false)
    #expect(hasRoom && model.marks.count == 3)
  }

  @Test("the number of marked records has a limit")
  func limit() throws {
    var model = try model((0...MarkedRecords.limit).map { "A\($0)" })
    var hasRoom = model.markAll(inverting: false)
    #expect(!hasRoom && model.marks.count == 0)
    model.search("a1")
    hasRoom = model.markAll(inverting: false)
    #expect(hasRoom && model.marks.count == 112)
  }
}
