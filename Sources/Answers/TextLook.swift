/// The look of text output for people: coordinates are rounded and aligned at the point.
package struct TextLook: Equatable, Sendable {
  /// Whether the letters that matched and the coordinates have colours.
  package var isColored: Bool
  /// Whether coordinates are links to the place.
  package var hasLinks: Bool

  package init(isColored: Bool, hasLinks: Bool) { (self.isColored, self.hasLinks) = (isColored, hasLinks) }

  static let matched = Array("\u{1b}[1;32m".utf8)
  static let quiet = Array("\u{1b}[90m".utf8)
  static let reset = Array("\u{1b}[0m".utf8)
}
