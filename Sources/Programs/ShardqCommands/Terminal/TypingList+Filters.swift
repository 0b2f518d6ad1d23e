import Answers
import ShardedIndex

extension TypingList {
  /// Opens the list of the fields to filter by, or of the values if there is one field.
  mutating func openFilters() {
    synchronize()
    if let refusal = model.filterRefusal {
      screen.notice = refusal
      return
    }
    let fields = model.filterFields
    choose(from: fields.count == 1 ? fields[0] : nil, line: editor)
  }

  /// Lists the fields, or the values of a field.
  ///
  /// - Parameter line: The text that was typed for records.
  private mutating func choose(from field: String?, line: LineEditor) {
    screen.choice = model.choice(of: field, start: "", line: line)
    editor = LineEditor(screen.choice == nil ? line.text : "")
    if screen.choice == nil { screen.notice = model.met?.commandMessage }
  }

  /// Lists the fields or values that begin with the typed text.
  mutating func narrowChoice() {
    guard let choice = screen.choice, choice.start != editor.text else { return }
    screen.choice = model.choice(of: choice.field, start: editor.text, line: choice.line)
    if screen.choice == nil { (editor, screen.notice) = (choice.line, model.met?.commandMessage) }
  }

  /// Returns to the records.
  private mutating func closeChoice() {
    guard let choice = screen.choice else { return }
    (editor, screen.choice) = (choice.line, nil)
  }

  /// Lists the values of the selected field, or filters by the selected value, or no longer.
  mutating func takeChoice() {
    synchronize()
    guard let choice = screen.choice, let row = choice.selectedRow else { return }
    guard let field = choice.field else { return choose(from: row.text, line: choice.line) }
    closeChoice()
    model.toggleFilter(field, row.text)
  }

  /// Does an action in the list of fields or values; returns whether it is no action of the typed text, the rows or the
  /// preview.
  mutating func performOnChoice(_ kind: ListAction.Kind) -> Bool {
    switch kind {
    case .abort, .cancel, .filters: closeChoice()
    case .backwardDeleteCharOrEnd where editor.characters.isEmpty, .deleteCharOrEnd where editor.characters.isEmpty:
      closeChoice()
    case .acceptNonEmpty: takeChoice()
    case .printQuery, .toggle, .toggleAll, .selectAll, .clearSelection, .copy, .previousHistory, .nextHistory: break
    default: return false
    }
    return true
  }
}
