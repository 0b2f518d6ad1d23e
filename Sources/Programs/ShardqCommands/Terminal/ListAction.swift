/// An action of the list, which a key does. The names are those of fzf, where fzf has the action.
package struct ListAction: Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case accept
    case acceptNonEmpty = "accept-non-empty"
    case printQuery = "print-query"
    case abort
    case cancel
    case up, down
    case pageUp = "page-up"
    case pageDown = "page-down"
    case halfPageUp = "half-page-up"
    case halfPageDown = "half-page-down"
    case first, last
    case toggle
    case toggleAll = "toggle-all"
    case selectAll = "select-all"
    case clearSelection = "clear-selection"
    case backwardChar = "backward-char"
    case forwardChar = "forward-char"
    case backwardWord = "backward-word"
    case forwardWord = "forward-word"
    case beginningOfLine = "beginning-of-line"
    case endOfLine = "end-of-line"
    case backwardDeleteChar = "backward-delete-char"
    case backwardDeleteCharOrEnd = "backward-delete-char/eof"
    case deleteChar = "delete-char"
    case deleteCharOrEnd = "delete-char/eof"
    case backwardKillWord = "backward-kill-word"
    case killWord = "kill-word"
    case killLine = "kill-line"
    case discardLine = "unix-line-discard"
    case clearQuery = "clear-query"
    case changeQuery = "change-query"
    case put
    case previousHistory = "prev-history"
    case nextHistory = "next-history"
    case togglePreview = "toggle-preview"
    case togglePreviewWrap = "toggle-preview-wrap"
    case previewUp = "preview-up"
    case previewDown = "preview-down"
    case previewPageUp = "preview-page-up"
    case previewPageDown = "preview-page-down"
    case previewTop = "preview-top"
    case previewBottom = "preview-bottom"
    case toggleMap = "toggle-map"
    case fitMap = "fit-map"
    case zoomIn = "zoom-in"
    case zoomOut = "zoom-out"
    case toggleStats = "toggle-stats"
    case copy
    case filters
    case help
    case clearScreen = "clear-screen"
    case suspend
    case ignore

    /// Whether the action has a text in parentheses.
    var takesText: Bool { self == .put || self == .changeQuery }
  }

  package var kind: Kind
  package var text = ""

  package init(_ kind: Kind, text: String = "") { (self.kind, self.text) = (kind, text) }

  /// fzf's other names for actions.
  private static let aliases = [
    "bof": Kind.beginningOfLine, "top": .first, "previous-history": .previousHistory, "deselect-all": .clearSelection,
    "unix-word-rubout": .backwardKillWord, "show-help": .help, "clear-multi": .clearSelection,
  ]

  /// Returns the actions of a name: one, or two for `toggle-down` and the like; nil for a name of none.
  static func named(_ name: String) -> [ListAction]? {
    if let kind = Kind(rawValue: name) ?? aliases[name] { return kind.takesText ? nil : [ListAction(kind)] }
    return switch name {
    case "toggle-down", "toggle-out": [ListAction(.toggle), ListAction(.down)]
    case "toggle-up", "toggle-in": [ListAction(.toggle), ListAction(.up)]
    default: nil
    }
  }

  /// The name, with the text that belongs to it.
  package var name: String { kind.takesText ? kind.rawValue + "(" + text + ")" : kind.rawValue }
}

extension ListAction.Kind {
  /// The action in the words of the help.
  var help: String {
    switch self {
    case .accept: "take the record, or the selected ones"
    case .acceptNonEmpty: "the same, unless nothing matches"
    case .printQuery: "end with the typed text alone"
    case .abort: "leave without a record"
    case .cancel: "clear the typed text, else leave"
    case .up, .down: "the record above, below"
    case .pageUp, .pageDown: "a page up, down"
    case .halfPageUp, .halfPageDown: "half a page up, down"
    case .first, .last: "the first, the last match"
    case .toggle: "select or unselect the record"
    case .toggleAll: "select the unselected, unselect the selected"
    case .selectAll, .clearSelection: "select all matches, none"
    case .backwardChar, .forwardChar: "a character left, right"
    case .backwardWord, .forwardWord: "a word left, right"
    case .beginningOfLine, .endOfLine: "to the start, the end of the line"
    case .backwardDeleteChar: "delete the character before the cursor"
    case .backwardDeleteCharOrEnd: "the same; leave where nothing is typed"
    case .deleteChar: "delete the character at the cursor"
    case .deleteCharOrEnd: "the same; leave where nothing is typed"
    case .backwardKillWord, .killWord: "delete the word before, behind the cursor"
    case .killLine: "delete to the end of the line"
    case .discardLine: "delete to the start of the line"
    case .clearQuery: "delete the typed text"
    case .changeQuery: "type another text in its place"
    case .put: "type a text"
    case .previousHistory, .nextHistory: "an earlier, a later text of the history"
    case .togglePreview: "show or hide the preview"
    case .togglePreviewWrap: "wrap long fields, or cut them off"
    case .previewUp, .previewDown: "a line of the preview up, down"
    case .previewPageUp, .previewPageDown: "a page of the preview up, down"
    case .previewTop, .previewBottom: "the first, the last line of the preview"
    case .toggleMap: "show or hide the map"
    case .fitMap: "fit the map to the list, the matches, the world"
    case .zoomIn, .zoomOut: "zoom in, zoom out on the map"
    case .toggleStats: "show or hide the costs of answers"
    case .copy: "copy the key, if the terminal lets it"
    case .filters: "filter by a value, or remove the filter"
    case .help: "show these keys, or the list"
    case .clearScreen: "draw the screen again"
    case .suspend: "stop until fg in the shell"
    case .ignore: "do nothing"
    }
  }
}
