import Answers
import QueryOutput
import ShardedIndex

extension TypingList {
  /// Runs the list for screen readers and for terminals that cannot move the cursor: every change is one line of text.
  ///
  /// A line has the typed text, the number of matches and the selected one; nothing is drawn over.
  mutating func runPlain() -> Ending {
    Terminal.enter(farewell: [])
    for line in settings.header { say(line) }
    say("Type the first letters. Down and up go through the matches, Enter takes one, Escape ends, F1 lists the keys.")
    sayConditions()
    model.resize(height: 1)
    model.search(editor.text)
    sayState()
    var said = state
    while true {
      var keys: [Key] = []
      switch Terminal.next(within: decoder.delay) {
      case .input(let bytes): keys = decoder.feed(bytes)
      case .nothing: keys = decoder.timedOut()
      case .stop:
        Terminal.suspend()
        Terminal.resume()
      case .continued: Terminal.resume()
      case .resized: break
      case .closed: return .closed
      }
      for key in keys {
        if let outcome = handlePlain(key) {
          Terminal.leave()
          return outcome
        }
      }
      synchronize()
      if let notice = screen.notice { say(notice) }
      screen.notice = nil
      if said != state {
        if said.filters != state.filters { sayConditions() }
        said = state
        sayState()
      }
    }
  }

  /// The state that a line says.
  private struct State: Equatable {
    var text: String
    var selection: Int
    var marks: Int
    var filters: [String]
    /// The field whose values are listed; an empty text for the list of fields.
    var choice: String?
  }
  private var state: State {
    let choice = screen.choice
    return State(
      text: editor.text, selection: choice?.selection ?? model.selection, marks: model.marks.count,
      filters: model.filterNotes, choice: choice.map { $0.field ?? "" })
  }

  private mutating func handlePlain(_ key: Key) -> Ending? {
    switch settings.bindings[key]?.map(\.kind) ?? [] {
    case [.help]: for line in settings.bindings.help { say(line) }
    case [.togglePreview], [.clearScreen]: sayState()
    case [.suspend]:
      Terminal.suspend()
      Terminal.resume()
    default: return handle(key)
    }
    return nil
  }

  private func say(_ text: String) {
    var line = DisplayText()
    line.text(text, limit: 400, ellipsis: "...", isolates: false)
    Terminal.write(line.bytes + [0x0a])
  }

  private func sayConditions() {
    let conditions = model.filterNotes + settings.conditions
    if !conditions.isEmpty { say("Conditions: " + conditions.joined(separator: ", ")) }
  }

  /// Says the selected field or value, and where it stands.
  private func say(_ choice: FilterChoice) {
    let row = choice.selectedRow
    let parts = [
      row?.title, row.flatMap { $0.count.isEmpty ? nil : $0.count + " matches" },
      row?.isChosen == true && choice.field != nil ? "selected" : nil,
      row == nil ? "no match" : screen.position(in: choice),
    ]
    say(screen.prompt(of: choice) + parts.compactMap { $0 }.joined(separator: ", "))
  }

  private mutating func sayState() {
    if let choice = screen.choice { return say(choice) }
    var line = DisplayText()
    line.text(editor.text, limit: 200, ellipsis: "...", isolates: false)
    line.plain(editor.characters.isEmpty ? "" : ": ")
    if let failure = model.failure {
      line.text(failure.commandMessage, limit: 400, ellipsis: "...", isolates: false)
    } else if let row = model.selectedRow {
      if let results = model.results {
        line.text(results + ": ", limit: 200, ellipsis: "...", isolates: false)
      }
      line.plain("\(QueryRunner.grouped(model.selection + 1)) of \(ListScreen.count(model)), ")
      line.text(row.title, limit: 200, ellipsis: "...", isolates: false)
      if let latitude = row.latitude, let longitude = row.longitude {
        line.text(", " + latitude + ", " + longitude, limit: 60, ellipsis: "...", isolates: false)
      }
      if model.isMarked(0) { line.plain(", selected") }
    } else {
      line.plain("no match" + (model.isFiltered ? " passes the filter" : ""))
      line.text(model.advice, limit: 200, ellipsis: "...", isolates: false)
      if let nearest = model.nearest {
        line.plain("; nearest: ")
        line.text(nearest, limit: 200, ellipsis: "...", isolates: false)
      }
    }
    if model.marks.count > 0 { line.plain("; \(QueryRunner.grouped(model.marks.count)) selected") }
    Terminal.write(line.bytes + [0x0a])
  }
}
