import Answers
import QueryOutput

/// The value of the list's `--color`: when there are colours, and which.
///
/// Both are one list, as in fzf, since both choose the colours of the output: a word alone says when (`always`), a word
/// with a colon the style of a part (`hl:red:bold`).
package struct ThemeSpecification: Equatable, Sendable {
  package var mode: StyleMode?
  package var styles: [ThemePart: ThemeStyle] = [:]

  /// The reason why a value means nothing, and a value to write.
  package struct ThemeError: Error, Equatable { package var message: String }

  /// Parts of fzf's screen that this one has not, so that a theme made for fzf works.
  private static let foreign: Set<String> = [
    "gutter", "spinner", "disabled", "separator", "preview-bg", "preview-border", "preview-scrollbar", "preview-label",
    "selected-fg", "selected-bg", "selected-hl", "list-fg", "list-bg", "list-border", "input-border", "header-border",
  ]

  private static let colors = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]

  package init(_ text: String) throws(ThemeError) {
    for word in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      if let mode = StyleMode(rawValue: word) {
        self.mode = mode
      } else if word == "bw" {
        mode = .never
      } else if ["dark", "light", "16"].contains(word) {
        // fzf's schemes: the terminal's own 16 colours are right in all of them.
        styles = [:]
      } else if let colon = word.firstIndex(of: ":") {
        let name = String(word[..<colon])
        if Self.foreign.contains(name) { continue }
        guard let part = ThemePart(rawValue: name) else {
          let names = ThemePart.allCases.map(\.rawValue)
          let near = Misspelling.nearest(to: name, among: names).map { "; did you mean \($0)?" }
          throw ThemeError(message: "there is no part \(name)" + (near ?? "; choose " + names.joined(separator: ", ")))
        }
        styles[part] = try Self.style(String(word[word.index(after: colon)...]))
      } else {
        throw ThemeError(
          message: "there is no \(word); choose auto, always, never, or a part and its colour, as hl:red:bold")
      }
    }
  }

  /// Returns a style of words with colons between.
  private static func style(_ text: String) throws(ThemeError) -> ThemeStyle {
    var style = ThemeStyle(nil)
    for word in text.split(separator: ":", omittingEmptySubsequences: false).map(String.init) {
      if let attribute = ThemeStyle.Attribute.allCases.first(where: { $0.name == word }) {
        if !style.attributes.contains(attribute) { style.attributes.append(attribute) }
      } else if word == "regular" {
        style.attributes = []
      } else if let color = color(word) {
        style.color = color
      } else {
        throw ThemeError(
          message: "there is no colour \(word); choose 0 to 255, -1, #rrggbb, \(colors.joined(separator: ", ")), "
            + "bright-red and so on, or bold, dim, italic, underline, reverse, strikethrough")
      }
    }
    return style
  }

  private static func color(_ word: String) -> ThemeStyle.Color? {
    if word == "-1" || word == "default" { return .usual }
    if let number = colors.firstIndex(of: word) { return .number(number) }
    if word.hasPrefix("bright-"), let number = colors.firstIndex(of: String(word.dropFirst(7))) {
      return .number(number + 8)
    }
    if word.hasPrefix("#"), word.utf8.count == 7, word.utf8.dropFirst().allSatisfy({ $0 != 0x2b && $0 != 0x2d }) {
      return Int(word.dropFirst(), radix: 16).map(ThemeStyle.Color.rgb)
    }
    guard word.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(word), number < 256 else { return nil }
    return .number(number)
  }
}
