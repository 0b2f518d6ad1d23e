import Answers
import QueryOutput
import ShardedIndex

extension TypingList {
  /// Handles a key, and returns the outcome if the key ends the list.
  mutating func handle(_ key: Key) -> Ending? {
    switch key {
    case .cursor(let row, let column): return answered(row: row, column: column)
    case .wheelUp, .wheelDown, .click: if settings.usesMouse, !settings.isPlain { return mouse(key) }
    default:
      screen.notice = nil
      if screen.choice == nil, let expected = settings.expected.first(where: { $0.key == key }) {
        let outcome = accept()
        if outcome != nil { expectedKey = expected.name }
        return outcome
      }
      if let actions = settings.bindings[key] {
        for action in actions {
          if let outcome = perform(action) { return outcome }
        }
      } else if case .text(let text) = key {
        closeHelp()
        editor.insert(text)
      }
    }
    return nil
  }

  private mutating func perform(_ action: ListAction) -> Ending? {
    if screen.help != nil, performOnHelp(action.kind) { return nil }
    if screen.choice != nil, performOnChoice(action.kind) { return nil }
    if moveList(action.kind) || editText(action) || changePreview(action.kind) { return nil }
    switch action.kind {
    case .accept: return accept()
    case .acceptNonEmpty:
      synchronize()
      return model.rowCount > 0 ? accept() : nil
    case .printQuery: return .typed
    case .abort: return .cancelled
    case .cancel:
      if editor.characters.isEmpty { return .cancelled }
      editor = LineEditor()
    case .backwardDeleteCharOrEnd:
      if editor.characters.isEmpty { return .cancelled }
      editor.deleteBefore()
    case .deleteCharOrEnd:
      if editor.characters.isEmpty { return .cancelled }
      editor.deleteAfter()
    case .toggle, .toggleAll, .selectAll, .clearSelection: mark(action.kind)
    case .toggleStats: screen.showsCost.toggle()
    case .copy: copy()
    case .filters: openFilters()
    case .help:
      screen.help = ListScreen.HelpLines(lines: settings.bindings.help)
      layOut()
    case .clearScreen: painter.forget()
    case .suspend:
      Terminal.suspend()
      resume()
    default: break
    }
    return nil
  }

  // MARK: The list

  /// Does an action that goes to another row; returns whether it is one.
  private mutating func moveList(_ kind: ListAction.Kind) -> Bool {
    let page = max(1, model.height - 1)
    switch kind {
    case .up: move(by: -1)
    case .down: move(by: 1)
    case .pageUp: move(by: -page)
    case .pageDown: move(by: page)
    case .halfPageUp: move(by: -max(1, page / 2))
    case .halfPageDown: move(by: max(1, page / 2))
    case .first: select { _, _ in 0 }
    case .last: select { _, count in count - 1 }
    default: return false
    }
    return true
  }

  private mutating func mark(_ kind: ListAction.Kind) {
    guard model.canMark else { return }
    synchronize()
    var hasRoom = true
    switch kind {
    case .toggle: hasRoom = model.toggleMark()
    case .toggleAll: hasRoom = model.markAll(inverting: true)
    case .selectAll: hasRoom = model.markAll(inverting: false)
    default: model.unmarkAll()
    }
    if !hasRoom { screen.notice = "no more than \(QueryRunner.grouped(MarkedRecords.limit)) records can be selected" }
  }

  /// Searches the typed text, since the next key is about its matches.
  mutating func synchronize() {
    if screen.choice != nil { return narrowChoice() }
    if model.query != editor.text { model.search(editor.text) }
  }

  private mutating func move(by rows: Int) { select { selection, _ in selection + rows } }

  /// Selects another row, given the selected one and the number of rows.
  private mutating func select(_ row: (_ selection: Int, _ count: Int) -> Int) {
    synchronize()
    if let choice = screen.choice {
      screen.choice!.select(row(choice.selection, choice.rows.count))
    } else {
      model.select(row(model.selection, model.rowCount))
    }
  }

  private mutating func accept() -> Ending? {
    if screen.choice != nil {
      takeChoice()
      return nil
    }
    synchronize()
    if model.marks.count > 0 { return .chosen(model.marks.records) }
    // A record that cannot be read cannot be chosen. The reason stands above the list.
    if model.failure != nil { return nil }
    if model.rowCount == 0 { return .nothing }
    return model.chosenRecord().map { .chosen([$0]) }
  }

  /// Puts the selected key on the clipboard, where the terminal lets programs do so.
  private mutating func copy() {
    guard let row = model.selectedRow, row.key.utf8.count <= 4096 else { return }
    Terminal.write(Array("\u{1b}]52;c;".utf8) + Base64.encoded(Array(row.key.utf8)) + [0x07])
  }

  // MARK: The typed text

  /// Does an action that changes the text or moves its cursor; returns whether it is one.
  private mutating func editText(_ action: ListAction) -> Bool {
    switch action.kind {
    case .backwardDeleteChar: editor.deleteBefore()
    case .deleteChar: editor.deleteAfter()
    case .backwardChar: editor.moveLeft()
    case .forwardChar: editor.moveRight()
    case .beginningOfLine: editor.moveToStart()
    case .endOfLine: editor.moveToEnd()
    case .discardLine: editor.deleteToStart()
    case .killLine: editor.deleteToEnd()
    case .backwardKillWord: editor.deleteWordBefore()
    case .killWord: editor.deleteWordAfter()
    case .backwardWord: editor.moveWordLeft()
    case .forwardWord: editor.moveWordRight()
    case .clearQuery: editor = LineEditor()
    case .changeQuery: editor = LineEditor(action.text)
    case .put: editor.insert(action.text)
    case .previousHistory: if let text = history?.previous(editor.text) { editor = LineEditor(text) }
    case .nextHistory: if let text = history?.next() { editor = LineEditor(text) }
    default: return false
    }
    return true
  }

  // MARK: The preview and the help

  /// Does an action of the preview; returns whether it is one.
  private mutating func changePreview(_ kind: ListAction.Kind) -> Bool {
    let layout = screen.layout(size)
    let page = max(1, layout.fields.rows - 1)
    switch kind {
    case .togglePreview: screen.preview.isHidden.toggle()
    case .toggleMap:
      screen.showsMap = !screen.showsMap && model.hasCoordinates
      _ = showLand()
    case .togglePreviewWrap: screen.preview.wraps.toggle()
    case .previewUp: screen.scrollPreview(by: -1)
    case .previewDown: screen.scrollPreview(by: 1)
    case .previewPageUp: screen.scrollPreview(by: -page)
    case .previewPageDown: screen.scrollPreview(by: page)
    case .previewTop: screen.previewTop = 0
    case .previewBottom: screen.previewTop = .max
    case .fitMap: screen.map.nextScope()
    case .zoomIn: screen.map.zoomIn(columns: layout.map.columns)
    case .zoomOut: screen.map.zoomOut()
    default: return false
    }
    layOut()
    return true
  }

  private mutating func closeHelp() {
    guard screen.help != nil else { return }
    screen.help = nil
    layOut()
  }

  /// Goes through the help, or closes it; returns whether the action did no more than that.
  private mutating func performOnHelp(_ kind: ListAction.Kind) -> Bool {
    guard var help = screen.help else { return false }
    let rows = screen.layout(size).list.rows
    switch kind {
    case .up: help.top -= 1
    case .down: help.top += 1
    case .pageUp, .halfPageUp: help.top -= max(1, rows - 1)
    case .pageDown, .halfPageDown: help.top += max(1, rows - 1)
    case .first: help.top = 0
    case .last: help.top = help.lines.count
    default:
      closeHelp()
      return [.help, .abort, .cancel, .accept].contains(kind)
    }
    help.top = max(0, min(help.top, help.lines.count - rows))
    screen.help = help
    return true
  }

  // MARK: The mouse

  private mutating func mouse(_ key: Key) -> Ending? {
    switch key {
    case .wheelUp(let column, let row): wheel(column, row, up: true)
    case .wheelDown(let column, let row): wheel(column, row, up: false)
    case .click(let column, let row): return click(column: column, row: row)
    default: break
    }
    return nil
  }

  /// Turns the wheel over the map, which goes closer or farther, over the fields, or elsewhere.
  private mutating func wheel(_ column: Int, _ row: Int, up: Bool) {
    if screen.help != nil { return _ = performOnHelp(up ? .up : .down) }
    let layout = screen.layout(size)
    // Only a list that has been clicked, or is on the whole screen, knows its lines.
    let line = firstLine.map { row - $0 }
    let isPane = line.map { layout.pane.contains(row: $0, column: column - 1) }
    guard isPane ?? (layout.pane.column < column && column <= layout.pane.endColumn), !layout.pane.isEmpty else {
      return move(by: up ? -3 : 3)
    }
    if !layout.map.isEmpty, line.map({ layout.map.contains(row: $0, column: column - 1) }) ?? true {
      if up { screen.map.zoomIn(columns: layout.map.columns) } else { screen.map.zoomOut() }
    } else {
      screen.scrollPreview(by: up ? -3 : 3)
    }
  }

  /// Selects the clicked row; the second click on it within half a second accepts it.
  mutating func click(column: Int, row: Int) -> Ending? {
    guard let firstLine else {
      // Asked only now: a process killed before the report comes leaves it to the shell, as if it had been typed.
      openClick = (column, row)
      requestCursorPosition()
      return nil
    }
    let list = screen.layout(size).list
    let line = row - firstLine - list.row
    let rest = screen.choice.map { $0.rows.count - $0.top } ?? model.rows.count
    guard screen.help == nil, line < rest, list.contains(row: row - firstLine, column: column - 1) else { return nil }
    synchronize()
    let clicked = (screen.choice?.top ?? model.top) + line
    let now = ListModel.now
    if let lastClick, lastClick.row == clicked, now - lastClick.nanoseconds < 500_000_000 { return accept() }
    lastClick = (clicked, now)
    select { _, _ in clicked }
    return nil
  }
}
