import Answers
import CLibrary
import QueryOutput
import ShardedIndex

/// A list in the terminal that follows the typed text, until a record is chosen.
package struct TypingList {
  package struct Settings: Sendable {
    package var query = ""
    /// The order and the conditions of each answer, without a text.
    package var search = ListModel.usualSearch
    /// These conditions without the filters, as the line of information has them.
    package var conditions: [String] = []
    /// The lines of the screen to use; nil for all.
    package var height: ScreenPart?
    package var preview = PreviewWindow()
    package var showsMap = true
    /// Whether the line of information says the cost of each answer.
    package var showsCost = false
    package var isASCII = false
    package var hasColor = true
    package var usesMouse = true
    /// Whether the list is spoken line by line rather than drawn.
    package var isPlain = false
    package var prompt = "> "
    package var header: [String] = []
    package var border = BorderStyle.none
    package var styles: [ThemePart: ThemeStyle] = [:]
    /// Whether several records can be selected.
    package var marks = false
    /// Whether the only match is taken without asking, and where nothing matches, the list ends at once.
    package var takesOnly = false
    package var endsEmpty = false
    package var bindings = KeyBindings(marks: false, hasHistory: false)
    /// The keys that take a record as Enter does, and that the output names.
    package var expected: [(name: String, key: Key)] = []

    package init() {}
  }

  package enum Ending: Sendable {
    /// Records were chosen, each by itself.
    case chosen([ShardedIndex.Records])
    /// Enter was pressed where nothing matched.
    case nothing
    /// The typed text alone is wanted.
    case typed
    case cancelled
    /// The terminal is gone.
    case closed
  }

  let settings: Settings
  var model: ListModel
  var screen: ListScreen
  var editor: LineEditor
  var decoder = KeyDecoder()
  var painter: Painter
  var size = Terminal.Size(columns: 80, rows: 24)
  /// The terminal's line of the list's first one; nil if it is not known.
  var firstLine: Int?
  /// A click that waits for the terminal's report of that line.
  var openClick: (column: Int, row: Int)?
  /// The number of cursor reports that are still to come.
  private var asked = 0
  /// Whether the list waits for a report before it draws: ``makeRoom(after:)``.
  private var awaitsPlace = false
  /// Whether the terminal has been seen to wrap lines anew.
  private var rewraps = false
  var lastClick: (row: Int, nanoseconds: Int)?
  var history: QueryHistory?
  /// The name of the expected key that ended the list; nil for another one.
  package internal(set) var expectedKey: String?
  private var hasLand = false
  private let loadLand: (ShardedIndex) throws(IndexError) -> LandGrid?
  private let index: ShardedIndex

  package init(
    _ index: ShardedIndex, _ settings: Settings, history: QueryHistory? = nil,
    land: @escaping (ShardedIndex) throws(IndexError) -> LandGrid? = { _ in nil }
  ) {
    self.settings = settings
    self.index = index
    self.history = history
    loadLand = land
    model = ListModel(index, search: settings.search)
    editor = LineEditor(settings.query)
    screen = ListScreen(
      theme: Theme(hasColor: settings.hasColor, isASCII: settings.isASCII, styles: settings.styles),
      showsMap: settings.showsMap && model.hasCoordinates)
    screen.preview = settings.preview
    // The list has all that there is of a record of one field.
    if model.fieldCount < 2, !screen.showsMap { screen.preview.isHidden = true }
    (screen.showsCost, screen.conditions) = (settings.showsCost, settings.conditions)
    (screen.prompt, screen.header, screen.border) = (settings.prompt, settings.header, settings.border)
    screen.holdsCursor = settings.height != nil
    screen.marksRows = settings.marks
    model.canMark = settings.marks
    painter = Painter(isFullScreen: settings.height == nil, base: screen.theme.base)
  }

  /// The typed text.
  package var query: String { (screen.choice?.line ?? editor).text }

  /// The first error after which the list went on, in a shard or in the map's land; nil without one.
  package var met: IndexError? { model.met }

  /// Takes over the terminal and follows the typing. The terminal is restored when this returns.
  ///
  /// - Throws: ``Terminal/OpenError`` if there is no terminal, before anything is drawn.
  package mutating func run() throws(Terminal.OpenError) -> Ending {
    if let outcome = endAtOnce() { return outcome }
    try Terminal.open()
    if settings.isPlain { return runPlain() }
    Terminal.enter(farewell: Painter.farewell(isFullScreen: settings.height == nil, mouse: settings.usesMouse))
    measureWindow()
    begin()
    model.search(editor.text)
    paint()
    // The first frame does not wait for these.
    Terminal.startGuard()
    if showLand() { paint() }
    let outcome = follow()
    Terminal.finish()
    return outcome
  }

  /// Loads the map's land, where a map is shown and it is not there yet; returns whether it came.
  mutating func showLand() -> Bool {
    guard screen.showsMap, !hasLand else { return false }
    hasLand = true
    do throws(IndexError) {
      guard let land = try loadLand(index) else { return false }
      screen.map.setLand(land)
      return true
    } catch {
      model.meet(error)
      return false
    }
  }

  /// Returns the outcome of a list that needs no terminal: the query has one match, or none, and that settles it.
  private mutating func endAtOnce() -> Ending? {
    guard settings.takesOnly || settings.endsEmpty else { return nil }
    model.resize(height: 2)
    model.search(editor.text)
    guard model.failure == nil else { return nil }
    if settings.endsEmpty, model.rowCount == 0 { return .nothing }
    guard settings.takesOnly, model.total == ShardedIndex.Total(1), model.rowCount == 1 else { return nil }
    return model.chosenRecord().map { .chosen([$0]) }
  }

  /// Adds the typed text to the history.
  package mutating func keepQuery() throws(QueryHistory.HistoryError) { try history?.add(editor.text) }

  private mutating func measureWindow() {
    let window = Terminal.size
    size = Terminal.Size(
      columns: max(1, window.columns), rows: settings.height?.lines(of: window.rows) ?? window.rows)
    layOut()
  }

  /// Gives the list the rows that the layout has for it.
  mutating func layOut() { model.resize(height: screen.layout(size).list.rows) }

  private mutating func begin() {
    firstLine = settings.height == nil ? 1 : nil
    Terminal.write(painter.begin(rows: size.rows, mouse: settings.usesMouse))
  }

  private mutating func paint() {
    let frame = screen.frame(&model, editor, size)
    let bytes = painter.draw(frame)
    if !bytes.isEmpty { Terminal.write(bytes) }
  }

  private mutating func follow() -> Ending {
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
      if editor.text != before || screen.choice != nil { synchronize() }
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
      requestCursorPosition()
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

  mutating func requestCursorPosition() {
    asked += 1
    Terminal.write(Painter.whereIsCursor)
  }

  mutating func answered(row: Int, column: Int) -> Ending? {
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
}

extension KeyDecoder {
  /// The milliseconds that the rest of an escape sequence may take: `$ESCDELAY`, else 100.
  package static let escapeDelay: Int = {
    guard let text = getenv("ESCDELAY"), let delay = Int(String(cString: text)), delay >= 0 else { return 100 }
    return min(delay, 1000)
  }()
}
