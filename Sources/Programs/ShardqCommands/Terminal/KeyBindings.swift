import Answers
import QueryOutput

/// The table of keys and of the actions that they do.
///
/// No action presses a key, so that no binding can loop.
package struct KeyBindings: Sendable {
  package private(set) var table: [(key: Key, actions: [ListAction])] = []

  /// The reason why bindings mean nothing, and a binding to write.
  package struct BindingError: Error, Equatable { package var message: String }

  /// The most actions of one key.
  private static let actionLimit = 100

  /// Makes the usual bindings: those of fzf, and of a shell's line.
  ///
  /// - Parameters:
  ///   - marks: Whether several records can be selected.
  ///   - hasHistory: Whether there is a history of typed texts.
  package init(marks: Bool, hasHistory: Bool) {
    for (key, kinds) in Self.usual { set(key, kinds.map { ListAction($0) }) }
    if marks {
      set(.tab, [ListAction(.toggle), ListAction(.down)])
      set(.backtab, [ListAction(.toggle), ListAction(.up)])
      set(.alt(.text("a")), [ListAction(.selectAll)])
    }
    if hasHistory {
      set(.letter("p"), [ListAction(.previousHistory)])
      set(.letter("n"), [ListAction(.nextHistory)])
    }
  }

  private static let usual: [(Key, [ListAction.Kind])] = [
    (.enter, [.accept]), (.escape, [.abort]), (.letter("c"), [.abort]), (.letter("g"), [.abort]),
    (.up, [.up]), (.letter("p"), [.up]), (.down, [.down]), (.letter("n"), [.down]), (.letter("j"), [.down]),
    (.pageUp, [.pageUp]), (.alt(.text("v")), [.pageUp]), (.pageDown, [.pageDown]), (.letter("v"), [.pageDown]),
    (.control(.home), [.first]), (.alt(.text("<")), [.first]), (.control(.end), [.last]), (.alt(.text(">")), [.last]),
    (.left, [.backwardChar]), (.letter("b"), [.backwardChar]), (.right, [.forwardChar]), (.letter("f"), [.forwardChar]),
    (.home, [.beginningOfLine]), (.letter("a"), [.beginningOfLine]), (.end, [.endOfLine]), (.letter("e"), [.endOfLine]),
    (.alt(.text("b")), [.backwardWord]), (.alt(.left), [.backwardWord]), (.control(.left), [.backwardWord]),
    (.shift(.left), [.backwardWord]),
    (.alt(.text("f")), [.forwardWord]), (.alt(.right), [.forwardWord]), (.control(.right), [.forwardWord]),
    (.shift(.right), [.forwardWord]),
    (.backspace, [.backwardDeleteChar]), (.delete, [.deleteChar]), (.letter("d"), [.deleteCharOrEnd]),
    (.letter("u"), [.discardLine]), (.letter("k"), [.killLine]),
    (.letter("w"), [.backwardKillWord]), (.alt(.backspace), [.backwardKillWord]), (.alt(.text("d")), [.killWord]),
    (.tab, [.togglePreview]), (.alt(.text("p")), [.togglePreview]), (.alt(.text("w")), [.togglePreviewWrap]),
    (.shift(.up), [.previewUp]), (.shift(.down), [.previewDown]),
    (.shift(.pageUp), [.previewPageUp]), (.shift(.pageDown), [.previewPageDown]),
    (.alt(.text("m")), [.fitMap]), (.alt(.text("+")), [.zoomIn]), (.alt(.text("=")), [.zoomIn]),
    (.alt(.text("-")), [.zoomOut]), (.alt(.text("_")), [.zoomOut]),
    (.letter("_"), [.toggleStats]), (.letter("y"), [.copy]), (.letter("x"), [.filters]), (.function(1), [.help]),
    (.letter("l"), [.clearScreen]), (.letter("z"), [.suspend]),
  ]

  /// The actions of a key; nil if it has none.
  package subscript(key: Key) -> [ListAction]? { table.first { $0.key == key }?.actions }

  private mutating func set(_ key: Key, _ actions: [ListAction]) {
    if let at = table.firstIndex(where: { $0.key == key }) {
      table[at].actions = actions
    } else {
      table.append((key, actions))
    }
  }

  // MARK: --bind

  /// Changes some of the bindings, given as `ctrl-k:up,alt-a:select-all+accept`.
  package mutating func bind(_ text: String) throws(BindingError) {
    for part in try Self.parts(text) {
      guard let colon = part.dropFirst().firstIndex(of: ":") else {
        throw BindingError(message: "\(part) has no action; write a key, a colon and an action, as ctrl-k:up")
      }
      let name = String(part[..<colon])
      guard let key = Key(named: name) else { throw Self.noKey(name) }
      var actions: [ListAction] = []
      for name in try Self.chain(part[part.index(after: colon)...]) { actions += try Self.actions(name) }
      guard !actions.isEmpty else {
        throw BindingError(message: "\(name) has no action; write one behind the colon, as ctrl-k:up")
      }
      guard actions.count <= Self.actionLimit else {
        throw BindingError(message: "\(name) has over \(Self.actionLimit) actions; leave out some")
      }
      set(key, actions)
    }
  }

  /// Returns the keys of a list with commas between.
  package static func keys(_ text: String) throws(BindingError) -> [(name: String, key: Key)] {
    var keys: [(String, Key)] = []
    var rest = text[...]
    while !rest.isEmpty {
      // The first sign of a name may be a comma itself.
      let end = rest.dropFirst().firstIndex(of: ",") ?? rest.endIndex
      let name = String(rest[..<end])
      guard let key = Key(named: name) else { throw noKey(name) }
      keys.append((name, key))
      guard end < rest.endIndex else { break }
      rest = rest[rest.index(after: end)...]
      guard !rest.isEmpty else { throw BindingError(message: "the list ends with a comma; leave out the comma") }
    }
    return keys
  }

  private static func noKey(_ name: String) -> BindingError {
    BindingError(message: "there is no key \(name); names are a, ctrl-a, alt-a, f1, enter, tab, up, shift-up and so on")
  }

  private static func actions(_ name: String) throws(BindingError) -> [ListAction] {
    if let actions = ListAction.named(name) { return actions }
    if let open = name.firstIndex(of: "("), name.last == ")" {
      if let kind = ListAction.Kind(rawValue: String(name[..<open])), kind.takesText {
        return [ListAction(kind, text: String(name[name.index(after: open)...].dropLast()))]
      }
    }
    let word = String(name.prefix { $0 != "(" })
    if let kind = ListAction.Kind(rawValue: word), kind.takesText {
      throw BindingError(message: "\(word) needs a text; write \(word)(TEXT)")
    }
    if commands.contains(word) {
      throw BindingError(
        message: "\(word) would run a command, and the list runs none; end the list by a key with --expect \(example)")
    }
    let names = ListAction.Kind.allCases.map(\.rawValue)
    let near = Misspelling.nearest(to: word, among: names).map { "; did you mean \($0)?" }
    throw BindingError(message: "there is no action \(word)" + (near ?? "; docs/terminal.md lists the actions"))
  }

  private static let example = "ctrl-o"
  /// Actions of fzf that run commands.
  private static let commands: Set<String> = [
    "execute", "execute-silent", "execute-multi", "become", "reload", "reload-sync", "preview", "transform",
    "transform-query", "change-preview",
  ]

  /// Returns the bindings of a list: commas divide it, except one in parentheses or one that is the key.
  private static func parts(_ text: String) throws(BindingError) -> [Substring] {
    let parts = try divided(text[...], at: ",")
    guard !parts.isEmpty else {
      throw BindingError(message: "the list is empty; write a key, a colon and an action, as ctrl-k:up")
    }
    return parts
  }

  private static func chain(_ text: Substring) throws(BindingError) -> [String] {
    try divided(text, at: "+").map(String.init)
  }

  private static func divided(_ text: Substring, at separator: Character) throws(BindingError) -> [Substring] {
    var parts: [Substring] = []
    var (start, depth) = (text.startIndex, 0)
    for at in text.indices {
      // A separator where a part begins is a key's name.
      if text[at] == separator, depth == 0, at > start {
        parts.append(text[start..<at])
        start = text.index(after: at)
      } else if text[at] == "(", at > start {
        depth += 1
      } else if text[at] == ")", depth > 0 {
        depth -= 1
      }
    }
    guard depth == 0 else {
      throw BindingError(message: "\(text[start...]) has a parenthesis that is not closed; add )")
    }
    if start < text.endIndex { parts.append(text[start...]) }
    return parts
  }
}

extension KeyBindings {
  /// Returns a key's action in words, or the names of its actions where there are several.
  private static func words(_ actions: [ListAction]) -> String {
    if actions.count == 2, actions[0].kind == .toggle { return "select or unselect the record; go on" }
    if actions.count == 1, !actions[0].kind.takesText { return actions[0].kind.help }
    let names = actions.map(\.name).joined(separator: "+")
    return names.count <= 48 ? names : names.prefix(45) + "..."
  }

  /// The lines of the help: the keys of each action, and its words.
  package var help: [String] {
    var groups: [(words: String, keys: [String])] = []
    for (key, actions) in table {
      guard let name = key.name else { continue }
      let words = Self.words(actions)
      if let at = groups.firstIndex(where: { $0.words == words }) {
        groups[at].keys.append(name)
      } else {
        groups.append((words, [name]))
      }
    }
    let width = 26
    return groups.flatMap { words, keys in
      var lines: [String] = []
      for key in keys {
        if let last = lines.last, last.count + key.count + 2 <= width {
          lines[lines.count - 1] += ", " + key
        } else {
          lines.append(key)
        }
      }
      lines[0] += String(repeating: " ", count: max(1, width + 2 - lines[0].count)) + words
      return lines
    }
  }
}
