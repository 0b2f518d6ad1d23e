extension Key {
  private static let names: [(name: String, key: Key)] = [
    ("enter", .enter), ("return", .enter), ("esc", .escape), ("tab", .tab), ("btab", .backtab), ("shift-tab", .backtab),
    ("space", .text(" ")), ("bspace", .backspace), ("bs", .backspace), ("del", .delete), ("delete", .delete),
    ("insert", .insert), ("up", .up), ("down", .down), ("left", .left), ("right", .right), ("home", .home),
    ("end", .end),
    ("page-up", .pageUp), ("pgup", .pageUp), ("page-down", .pageDown), ("pgdn", .pageDown),
    ("ctrl-space", .letter(" ")), ("ctrl-\\", .letter("\\")), ("ctrl-]", .letter("]")), ("ctrl-^", .letter("^")),
    ("ctrl-/", .letter("_")), ("ctrl-_", .letter("_")), ("ctrl-6", .letter("^")),
    // Terminals send the same byte for these.
    ("ctrl-m", .enter), ("ctrl-i", .tab), ("ctrl-h", .backspace), ("ctrl-[", .escape), ("alt-enter", .alt(.enter)),
  ]

  /// The most bytes of a name. One within another, `alt-alt-`, must not go deep.
  private static let nameLimit = 40

  /// Returns the key of a name as fzf writes it; nil for a name of none.
  package init?(named name: String) {
    guard name.utf8.count <= Self.nameLimit else { return nil }
    if name.count == 1, let sign = name.first, !sign.unicodeScalars.contains(where: { $0.value < 0x20 }) {
      self = .text(name)
      return
    }
    let lower = name.lowercased()
    if let found = Self.names.first(where: { $0.name == lower }) {
      self = found.key
    } else if lower.hasPrefix("f"), let number = Int(lower.dropFirst()), (1...12).contains(number) {
      self = .function(number)
    } else if let key = Self.held(name, lower) {
      self = key
    } else {
      return nil
    }
  }

  private static func held(_ name: String, _ lower: String) -> Key? {
    if lower.hasPrefix("ctrl-alt-"), let key = Key(named: "ctrl-" + name.dropFirst(9)) { return .alt(key) }
    if lower.hasPrefix("alt-") { return Key(named: String(name.dropFirst(4))).map(Key.alt) }
    if lower.hasPrefix("ctrl-") {
      let rest = lower.dropFirst(5)
      if rest.count == 1, let letter = rest.first, letter >= "a", letter <= "z" { return .letter(letter) }
      return movement(String(rest)).map(Key.control)
    }
    return lower.hasPrefix("shift-") ? movement(String(lower.dropFirst(6))).map(Key.shift) : nil
  }

  /// Returns the key of a name if terminals tell whether Control or Shift is held with it.
  private static func movement(_ name: String) -> Key? {
    switch Key(named: name) {
    case .up?: .up
    case .down?: .down
    case .left?: .left
    case .right?: .right
    case .home?: .home
    case .end?: .end
    case .pageUp?: .pageUp
    case .pageDown?: .pageDown
    case .delete?: .delete
    case .insert?: .insert
    case .function(let number)?: .function(number)
    default: nil
    }
  }

  /// The name that ``init(named:)`` reads; nil for a report of the mouse and all else that is no key.
  package var name: String? {
    if let found = Self.names.first(where: { $0.key == self }) { return found.name }
    return switch self {
    case .text(let text) where text.count == 1: text
    case .function(let number): "f\(number)"
    case .letter(let letter): "ctrl-\(letter)"
    case .alt(.letter(let letter)): "ctrl-alt-\(letter)"
    case .alt(let key): key.name.map { "alt-" + $0 }
    case .control(let key): key.name.map { "ctrl-" + $0 }
    case .shift(let key): key.name.map { "shift-" + $0 }
    default: nil
    }
  }
}
