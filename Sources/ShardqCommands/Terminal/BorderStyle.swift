/// The border around the list: the value of `--border`, in fzf's spelling.
package enum BorderStyle: String, CaseIterable, Sendable {
  case none, rounded, sharp, bold, double, horizontal, vertical, top, bottom, left, right

  private var isWhole: Bool { [.rounded, .sharp, .bold, .double].contains(self) }
  var hasTop: Bool { isWhole || self == .horizontal || self == .top }
  var hasBottom: Bool { isWhole || self == .horizontal || self == .bottom }
  var hasLeft: Bool { isWhole || self == .vertical || self == .left }
  var hasRight: Bool { isWhole || self == .vertical || self == .right }

  /// The signs of a horizontal line, of a vertical one, and of the corners, clockwise from the upper left one.
  private func signs(isASCII: Bool) -> [String] {
    if isASCII { return ["-", "|", "+", "+", "+", "+"] }
    return switch self {
    case .bold: ["\u{2501}", "\u{2503}", "\u{250f}", "\u{2513}", "\u{251b}", "\u{2517}"]
    case .double: ["\u{2550}", "\u{2551}", "\u{2554}", "\u{2557}", "\u{255d}", "\u{255a}"]
    case .sharp: ["\u{2500}", "\u{2502}", "\u{250c}", "\u{2510}", "\u{2518}", "\u{2514}"]
    default: ["\u{2500}", "\u{2502}", "\u{256d}", "\u{256e}", "\u{256f}", "\u{2570}"]
    }
  }

  /// Returns the areas that draw it around a window.
  func areas(_ size: Terminal.Size, _ theme: Theme) -> [ListScreen.Frame.Area] {
    let signs = signs(isASCII: theme.isASCII)
    func line(_ text: String) -> DisplayText {
      var line = DisplayText()
      line.control(theme.border)
      line.plain(text)
      if !theme.border.isEmpty { line.control(theme.reset) }
      return line
    }
    func edge(_ left: String, _ right: String) -> DisplayText {
      let inner = size.columns - (hasLeft ? 1 : 0) - (hasRight ? 1 : 0)
      return line((hasLeft ? left : "") + String(repeating: signs[0], count: inner) + (hasRight ? right : ""))
    }
    var areas: [ListScreen.Frame.Area] = []
    if hasTop { areas.append(.init(ScreenBox(columns: size.columns, rows: 1), [edge(signs[2], signs[3])])) }
    let (top, bottom) = (hasTop ? 1 : 0, size.rows - (hasBottom ? 1 : 0))
    for (isThere, column) in [(hasLeft, 0), (hasRight, size.columns - 1)] where isThere {
      areas.append(
        .init(
          ScreenBox(row: top, column: column, columns: 1, rows: bottom - top),
          [DisplayText](repeating: line(signs[1]), count: bottom - top)))
    }
    if hasBottom {
      areas.append(.init(ScreenBox(row: bottom, columns: size.columns, rows: 1), [edge(signs[5], signs[4])]))
    }
    return areas
  }
}
