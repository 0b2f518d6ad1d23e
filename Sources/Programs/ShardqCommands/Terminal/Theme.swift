/// The styles of the parts of the screen: colours, or only bold and reverse.
package struct Theme: Sendable {
  package let isASCII: Bool
  package let hasColor: Bool
  /// Whether right-to-left names are isolated. Terminals without Unicode would show the marks.
  package let isolates: Bool
  private let sequences: [ThemePart: String]

  /// - Parameter styles: The styles that a user has chosen; they count where colours do.
  package init(hasColor: Bool, isASCII: Bool, styles: [ThemePart: ThemeStyle] = [:]) {
    (self.hasColor, self.isASCII) = (hasColor, isASCII)
    isolates = !isASCII
    let chosen = hasColor ? styles : [:]
    var sequences: [ThemePart: String] = [:]
    for part in ThemePart.allCases {
      let style = chosen[part] ?? part.usual(hasColor: hasColor)
      sequences[part] = style.codes(isBackground: part.isBackground).sequence
    }
    let base = Self.joined(chosen, .text, .background)
    if !base.isEmpty { sequences[.text] = base.sequence }
    let selected = Self.joined(chosen, .selectedText, .selectedBackground)
    sequences[.selectedText] = selected.isEmpty ? "\u{1b}[7m" : selected.sequence
    self.sequences = sequences
    hasOwnSelectedMatch = chosen[.selectedMatch] != nil
  }

  private let hasOwnSelectedMatch: Bool

  private static func joined(
    _ styles: [ThemePart: ThemeStyle], _ text: ThemePart, _ background: ThemePart
  ) -> [String] {
    (styles[text]?.codes(isBackground: false) ?? []) + (styles[background]?.codes(isBackground: true) ?? [])
  }

  private subscript(part: ThemePart) -> String { sequences[part] ?? "" }

  /// The text's own colours.
  package var base: String { self[.text] }
  /// Ends all styles but those.
  package var reset: String { "\u{1b}[0m" + base }
  package var matched: String { self[.match] }
  var unmatched: String { reset }
  package var selected: String { self[.selectedText] }
  var selectedMatched: String { self[.selectedMatch] }
  var selectedUnmatched: String { hasOwnSelectedMatch ? "\u{1b}[0m" + selected : "\u{1b}[22;24m" }
  var quiet: String { self[.quiet] }
  var label: String { self[.label] }
  var previewText: String { self[.previewText] }
  var prompt: String { self[.prompt] }
  var query: String { self[.query] }
  var info: String { self[.info] }
  var header: String { self[.header] }
  var border: String { self[.border] }
  var scrollbar: String { self[.scrollbar] }
  var pointerStyle: String { self[.pointer] }
  var markerStyle: String { self[.marker] }
  var failure: String { hasColor ? "\u{1b}[1;31m" : "\u{1b}[7m" }

  package func map(_ layer: WorldMap.Layer) -> String {
    switch layer {
    case .sea: ""
    case .land: self[.land]
    case .match: self[.place]
    case .selected: self[.selectedPlace]
    }
  }

  var ellipsis: String { isASCII ? "~" : "\u{2026}" }
  var microseconds: String { isASCII ? "us" : "\u{b5}s" }
  var between: String { isASCII ? " - " : " \u{b7} " }
  var pointer: String { ">" }
  var marker: String { "*" }
  var thumb: String { isASCII ? "|" : "\u{2502}" }
  var horizontal: String { isASCII ? "-" : "\u{2500}" }
}

/// A part of the screen that has a style of its own, by its name in `--color`; fzf's names where fzf has the part.
package enum ThemePart: String, CaseIterable, Sendable {
  case text = "fg"
  case background = "bg"
  case match = "hl"
  case selectedText = "fg+"
  case selectedBackground = "bg+"
  case selectedMatch = "hl+"
  case info, prompt, query, pointer, marker, header, border, scrollbar, label
  case previewText = "preview-fg"
  /// Coordinates, and notes in the place of rows.
  case quiet = "coordinates"
  case land = "map-land"
  case place = "map-match"
  case selectedPlace = "map-selected"

  var isBackground: Bool { self == .background || self == .selectedBackground }

  fileprivate func usual(hasColor: Bool) -> ThemeStyle {
    typealias Style = ThemeStyle
    return switch self {
    case .match, .place: hasColor ? Style(.number(2), [.bold]) : Style(nil, [.bold])
    case .selectedMatch: Style(nil, [.bold, .underline])
    case .prompt: hasColor ? Style(.number(4), [.bold]) : Style(nil, [.bold])
    case .marker: hasColor ? Style(.number(5), [.bold]) : Style(nil, [.bold])
    case .selectedPlace: hasColor ? Style(.number(1), [.bold, .reverse]) : Style(nil, [.bold, .reverse])
    case .header: hasColor ? Style(.number(6)) : Style(nil)
    case .info, .border, .scrollbar, .label, .quiet, .land: hasColor ? Style(.number(8)) : Style(nil)
    default: Style(nil)
    }
  }
}

/// A colour and attributes of text.
package struct ThemeStyle: Equatable, Sendable {
  package enum Color: Equatable, Sendable {
    /// The terminal's own.
    case usual
    /// One of 256.
    case number(Int)
    case rgb(Int)
  }

  package enum Attribute: Int, CaseIterable, Sendable {
    case bold = 1
    case dim, italic, underline
    case reverse = 7
    case strikethrough = 9

    var name: String { "\(self)" }
  }

  package var color: Color?
  package var attributes: [Attribute]

  package init(_ color: Color?, _ attributes: [Attribute] = []) {
    (self.color, self.attributes) = (color, attributes)
  }

  /// The parameters of the escape sequence that selects it.
  fileprivate func codes(isBackground: Bool) -> [String] {
    var codes = attributes.map { String($0.rawValue) }
    let base = isBackground ? 40 : 30
    switch color {
    case nil: break
    case .usual: codes.append(String(base + 9))
    case .number(let number) where number < 8: codes.append(String(base + number))
    case .number(let number) where number < 16: codes.append(String(base + 52 + number))
    case .number(let number): codes.append("\(base + 8);5;\(number)")
    case .rgb(let value): codes.append("\(base + 8);2;\(value >> 16);\(value >> 8 & 255);\(value & 255)")
    }
    return codes
  }
}

extension [String] {
  /// The escape sequence with these parameters; empty for none.
  fileprivate var sequence: String { isEmpty ? "" : "\u{1b}[" + joined(separator: ";") + "m" }
}
