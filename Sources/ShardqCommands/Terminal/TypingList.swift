import CLibrary
import QueryOutput
import ShardedIndex

/// A list in the terminal that follows what is typed, until a record is chosen.
package struct TypingList {
  package struct Settings: Sendable {
    package var query = ""
    /// The lines of the screen to use; nil for all.
    package var height: ScreenPart?
    package var preview = PreviewWindow()
    package var showsMap = true
    /// Whether the line of information says what each answer cost.
    package var showsCost = false
    package var isASCII = false
    package var hasColor = true
    package var usesMouse = true
    /// Whether the list is spoken line by line rather than drawn.
    package var isPlain = false

    package init() {}
  }

  package enum Outcome: Sendable {
    /// A record was chosen, and so many keys begin with the typed text.
    case chosen(ShardedIndex.Records, keyCount: Int)
    /// Enter was pressed where nothing matched.
    case nothing
    case cancelled
    /// The terminal is gone.
    case closed
  }

  let settings: Settings
  var model: ListModel
  var screen: ListScreen
  var editor: LineEditor
  var decoder = KeyDecoder()
  private var painter: Painter
  private var size = Terminal.Size(columns: 80, rows: 24)
  /// The terminal's line of the list's first one; nil where it is not known.
  private var firstLine: Int?
  /// A click that waits for the terminal's report of that line.
  private var openClick: (column: Int, row: Int)?
  /// The number of cursor reports that are still to come.
  private var asked = 0
  /// Whether the list waits for a report before it draws: ``makeRoom(after:)``.
  private var awaitsPlace = false
  /// Whether the terminal has been seen to wrap lines anew.
  private var rewraps = false
  private var lastClick: (row: Int, nanoseconds: Int)?
  private let loadLand: (ShardedIndex) throws(IndexError) -> LandGrid?
  private let index: ShardedIndex

  package init(
    _ index: ShardedIndex, _ settings: Settings,
    land: @escaping (ShardedIndex) throws(IndexError) -> LandGrid? = { _ in nil }
  ) {
    self.settings = settings
    self.index = index
    loadLand = land
    model = ListModel(index)
    editor = LineEditor(settings.query)
    screen = ListScreen(
      theme: Theme(hasColor: settings.hasColor, isASCII: settings.isASCII),
      showsMap: settings.showsMap && model.hasCoordinates)
    screen.preview = settings.preview
    // The list has all that there is of a record of one field.
    if model.fieldCount < 2, !screen.showsMap { screen.preview.isHidden = true }
    screen.showsCost = settings.showsCost
    painter = Painter(isFullScreen: settings.height == nil, base: screen.theme.base)
  }

  /// The typed text.
  package var query: String { editor.text }

  /// The first error after which the list went on, in a shard or in the map's land; nil without one.
  package var met: IndexError? { model.met }

  /// Takes over the terminal and follows the typing. The terminal is restored when this returns.
  ///
  /// - Throws: ``Terminal/OpenError`` if there is no terminal, before anything is drawn.
  package mutating func run() throws(Terminal.OpenError) -> Outcome {
    try Terminal.open()
    if settings.isPlain { return runPlain() }
    Terminal.enter(farewell: Painter.farewell(isFullScreen: settings.height == nil, mouse: settings.usesMouse))
    measureWindow()
    begin()
    model.ask(editor.text)
    paint()
    // The first frame does not wait for these.
    Terminal.startGuard()
    if screen.showsMap {
      do throws(IndexError) {
        if let land = try loadLand(index) {
          screen.map.setLand(land)
          paint()
        }
      } catch {
        model.meet(error)
      }
    }
    let outcome = follow()
    Terminal.finish()
    return outcome
  }

  private mutating func measureWindow() {
    let window = Terminal.size
    size = Terminal.Size(
      columns: max(1, window.columns), rows: settings.height?.lines(of: window.rows) ?? window.rows)
    layOut()
  }

  /// Gives the list the rows that the layout has for it.
  private mutating func layOut() { model.resize(height: screen.layout(size).list.rows) }

  private mutating func begin() {
    firstLine = settings.height == nil ? 1 : nil
    Terminal.write(painter.begin(rows: size.rows, mouse: settings.usesMouse))
  }

  private mutating func paint() {
    let frame = screen.frame(&model, editor, size)
    let bytes = painter.draw(frame)
    if !bytes.isEmpty { Terminal.write(bytes) }
  }

  private mutating func follow() -> Outcome {
    while true {
      let event = Terminal.next(within: decoder.delay ?? (awaitsPlace ? Self.answerDelay : nil))
      var keys: [Key] = []
      switch event {
      case .input(let bytes): keys = decoder.feed(bytes)
      case .nothing where decoder.isWaiting: keys = decoder.timedOut()
      case .nothing: makeRoom(after: nil)
      case .resized: resized()
      case .stop:
        Terminal.suspend()
        resume()
      case .continued: resume()
      case .closed: return .closed
      }
      // All waiting keys are one change: the states between are not seen.
      let before = editor.text
      for key in keys {
        if let outcome = handle(key) { return outcome }
      }
      if editor.text != before { model.ask(editor.text) }
      if !awaitsPlace { paint() }
    }
  }

  // MARK: Another size

  /// The milliseconds that the list waits for a cursor report.
  private static let answerDelay = 300

  private mutating func resized() {
    measureWindow()
    guard settings.height != nil else { return painter.forget() }
    (firstLine, openClick) = (nil, nil)
    if awaitsPlace || painter.cursorColumn >= size.columns {
      awaitsPlace = true
      askForCursor()
    } else {
      Terminal.write(painter.makeRoom(rows: size.rows))
    }
  }

  /// Goes to the list's first line and makes room below it, given the cursor's column of the terminal's report; nil
  /// without a report.
  private mutating func makeRoom(after answer: (row: Int, column: Int)?) {
    guard awaitsPlace else { return }
    awaitsPlace = false
    var above = 0
    if let answer {
      above = Painter.linesAbove(
        cursorColumn: painter.cursorColumn, now: answer.column - 1, columns: size.columns, rewraps: rewraps)
      above = min(above, answer.row - 1)
      if above > 0 { rewraps = true }
    }
    Terminal.write(painter.makeRoom(rows: size.rows, above: max(0, above)))
  }

  private mutating func askForCursor() {
    asked += 1
    Terminal.write(Painter.whereIsCursor)
  }

  private mutating func answered(row: Int, column: Int) -> Outcome? {
    guard asked > 0 else { return nil }
    asked -= 1
    guard asked == 0 else { return nil }
    if awaitsPlace {
      makeRoom(after: (row, column))
    } else if let click = openClick {
      (firstLine, openClick) = (row, nil)
      return self.click(column: click.column, row: click.row)
    }
    return nil
  }

  mutating func resume() {
    Terminal.resume()
    measureWindow()
    begin()
  }

  // MARK: Keys

  /// Handles a key, and returns the outcome if the key ends the list.
  mutating func handle(_ key: Key) -> Outcome? {
    let page = max(1, model.height - 1)
    switch key {
    case .enter: return accept()
    case .escape, .letter("c"), .letter("g"): return .cancelled
    case .letter("d"):
      if editor.characters.isEmpty { return .cancelled }
      editor.deleteAfter()
    case .up, .letter("p"): move(by: -1)
    case .down, .letter("n"), .letter("j"): move(by: 1)
    case .pageUp, .alt(.text("v")): move(by: -page)
    case .pageDown, .letter("v"): move(by: page)
    case .control(.home), .alt(.text("<")):
      synchronize()
      model.select(0)
    case .control(.end), .alt(.text(">")):
      synchronize()
      model.select(model.rowCount - 1)
    case .wheelUp where ignoresMouse, .wheelDown where ignoresMouse, .click where ignoresMouse: break
    case .wheelUp(let column, let row): wheel(column, row, up: true)
    case .wheelDown(let column, let row): wheel(column, row, up: false)
    case .click(let column, let row): return click(column: column, row: row)
    case .tab:
      screen.preview.isHidden.toggle()
      layOut()
    case .alt(.text("+")), .alt(.text("=")): screen.map.zoomIn(columns: screen.layout(size).map.columns)
    case .alt(.text("-")), .alt(.text("_")): screen.map.zoomOut()
    case .alt(.text("m")): screen.map.nextScope()
    case .alt(.text("w")): screen.preview.wraps.toggle()
    case .shift(.up): screen.scrollPreview(by: -1)
    case .shift(.down): screen.scrollPreview(by: 1)
    case .letter("_"): screen.showsCost.toggle()
    case .letter("l"): painter.forget()
    case .letter("z"):
      Terminal.suspend()
      resume()
    case .letter("y"): copy()
    case .cursor(let row, let column): return answered(row: row, column: column)
    default: edit(key)
    }
    return nil
  }

  /// Whether mouse reports come though they are not wanted, because of a program that ended before.
  private var ignoresMouse: Bool { !settings.usesMouse || settings.isPlain }

  private mutating func edit(_ key: Key) {
    switch key {
    case .text(let text): editor.insert(text)
    case .backspace, .letter("h"): editor.deleteBefore()
    case .delete: editor.deleteAfter()
    case .left, .letter("b"): editor.moveLeft()
    case .right, .letter("f"): editor.moveRight()
    case .home, .letter("a"): editor.moveToStart()
    case .end, .letter("e"): editor.moveToEnd()
    case .letter("u"): editor.deleteToStart()
    case .letter("k"): editor.deleteToEnd()
    case .letter("w"), .alt(.backspace): editor.deleteWordBefore()
    case .alt(.text("d")): editor.deleteWordAfter()
    case .alt(.text("b")), .alt(.left), .control(.left): editor.moveWordLeft()
    case .alt(.text("f")), .alt(.right), .control(.right): editor.moveWordRight()
    default: break
    }
  }

  /// Searches the typed text, since the next key is about its matches.
  mutating func synchronize() {
    if model.query != editor.text { model.ask(editor.text) }
  }

  private mutating func move(by rows: Int) {
    synchronize()
    model.move(by: rows)
  }

  private mutating func accept() -> Outcome? {
    synchronize()
    // A record that cannot be read cannot be chosen. The reason stands above the list.
    if model.failure != nil { return nil }
    if model.rowCount == 0 { return .nothing }
    return model.chosenRecord().map { .chosen($0, keyCount: model.keyCount) }
  }

  /// Turns the wheel over the map, which goes closer or farther, over the fields, or elsewhere.
  private mutating func wheel(_ column: Int, _ row: Int, up: Bool) {
    let layout = screen.layout(size)
    guard layout.pane.column < column, column <= layout.pane.endColumn, !layout.pane.isEmpty else {
      return move(by: up ? -3 : 3)
    }
    // Only a list on the whole screen knows its lines without asking the terminal.
    let line = row - (firstLine ?? row)
    if firstLine == nil || layout.map.contains(row: line, column: column - 1) {
      if up { screen.map.zoomIn(columns: layout.map.columns) } else { screen.map.zoomOut() }
    } else if layout.fields.contains(row: line, column: column - 1) {
      screen.scrollPreview(by: up ? -3 : 3)
    } else {
      move(by: up ? -3 : 3)
    }
  }

  /// Selects the clicked row; the second click on it within half a second accepts it.
  private mutating func click(column: Int, row: Int) -> Outcome? {
    guard let firstLine else {
      // Asked only now: a process killed before the report comes leaves it to the shell, as if it had been typed.
      openClick = (column, row)
      askForCursor()
      return nil
    }
    let list = screen.layout(size).list
    let line = row - firstLine - list.row
    guard line < model.rows.count, list.contains(row: row - firstLine, column: column - 1) else { return nil }
    synchronize()
    let clicked = model.top + line
    let now = ListModel.now
    if let lastClick, lastClick.row == clicked, now - lastClick.nanoseconds < 500_000_000 { return accept() }
    lastClick = (clicked, now)
    model.select(clicked)
    return nil
  }

  /// Puts the selected key on the clipboard, where the terminal lets programs do so.
  private mutating func copy() {
    guard let row = model.selectedRow, row.key.utf8.count <= 4096 else { return }
    Terminal.write(Array("\u{1b}]52;c;".utf8) + Base64.encoded(Array(row.key.utf8)) + [0x07])
  }
}

extension KeyDecoder {
  /// The milliseconds that the rest of an escape sequence may take: `$ESCDELAY`, else 100.
  static let escapeDelay: Int = {
    guard let text = getenv("ESCDELAY"), let delay = Int(String(cString: text)), delay >= 0 else { return 100 }
    return min(delay, 1000)
  }()
}
