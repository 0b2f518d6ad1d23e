/// The styles of the parts of the screen: colours, or only bold and reverse.
package struct Theme: Sendable {
  package let isASCII: Bool
  package let hasColor: Bool
  /// Whether right-to-left names are isolated. Terminals without Unicode would show the marks.
  package let isolates: Bool

  package init(hasColor: Bool, isASCII: Bool) {
    (self.hasColor, self.isASCII) = (hasColor, isASCII)
    isolates = !isASCII
  }

  package let reset = "\u{1b}[0m"
  var matched: String { hasColor ? "\u{1b}[1;32m" : "\u{1b}[1m" }
  var unmatched: String { "\u{1b}[0m" }
  let selected = "\u{1b}[7m"
  let selectedMatched = "\u{1b}[1;4m"
  let selectedUnmatched = "\u{1b}[22;24m"
  var quiet: String { hasColor ? "\u{1b}[90m" : "" }
  var prompt: String { hasColor ? "\u{1b}[1;34m" : "\u{1b}[1m" }
  var info: String { hasColor ? "\u{1b}[33m" : "" }
  var failure: String { hasColor ? "\u{1b}[1;31m" : "\u{1b}[7m" }

  package func map(_ layer: WorldMap.Layer) -> String {
    switch layer {
    case .sea: ""
    case .land: hasColor ? "\u{1b}[90m" : ""
    case .match: hasColor ? "\u{1b}[1;32m" : "\u{1b}[1m"
    case .selected: hasColor ? "\u{1b}[1;7;31m" : "\u{1b}[1;7m"
    }
  }

  var ellipsis: String { isASCII ? "~" : "\u{2026}" }
  var microseconds: String { isASCII ? "us" : "\u{b5}s" }
  var between: String { isASCII ? " - " : " \u{b7} " }
  var pointer: String { "> " }
}
