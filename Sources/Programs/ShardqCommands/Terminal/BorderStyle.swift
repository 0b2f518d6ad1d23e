/// The border around the list: the value of `--border`, in fzf's spelling.
package enum BorderStyle: String, CaseIterable, Sendable {
  case none, rounded, sharp

  /// The signs of a horizontal line, of a vertical one, and of the corners, clockwise from the upper left one.
  private func signs(isASCII: Bool) -> [String] {
    if isASCII { return ["-", "|", "+", "+", "+", "+"] }
    return self == .sharp
      ? ["\u{2500}", "\u{2502}", "\u{250c}", "\u{2510}", "\u{2518}", "\u{2514}"]
      : ["\u{2500}", "\u{2502}", "\u{256d}", "\u{256e}", "\u{256f}", "\u{2570}"]
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
      line(left + String(repeating: signs[0], count: size.columns - 2) + right)
    }
    let sides = [0, size.columns - 1].map { column in
      ListScreen.Frame.Area(
        ScreenBox(row: 1, column: column, columns: 1, rows: size.rows - 2),
        [DisplayText](repeating: line(signs[1]), count: size.rows - 2))
    }
    return [ListScreen.Frame.Area(ScreenBox(columns: size.columns, rows: 1), [edge(signs[2], signs[3])])] + sides + [
      ListScreen.Frame.Area(ScreenBox(row: size.rows - 1, columns: size.columns, rows: 1), [edge(signs[5], signs[4])])
    ]
  }
}
