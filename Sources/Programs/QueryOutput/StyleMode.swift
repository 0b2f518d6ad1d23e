import Answers
import CLibrary

/// When text output has escape sequences for colours or links.
package enum StyleMode: String, Sendable, CaseIterable {
  /// On a terminal, unless the environment says otherwise.
  case auto
  case always
  case never

  /// Returns whether output has colours. An option decides first, then `NO_COLOR`, then `CLICOLOR_FORCE`, then the
  /// terminal.
  ///
  /// Source: no-color.org, and the manual of CMake for `CLICOLOR_FORCE`.
  ///
  /// - Parameter isTerminal: Whether the output goes to a terminal.
  package static func hasColor(_ mode: StyleMode?, isTerminal: Bool) -> Bool {
    switch mode ?? .auto {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    if EnvironmentVariable.value("NO_COLOR") != nil { return false }
    if let force = EnvironmentVariable.value("CLICOLOR_FORCE"), force != "0" { return true }
    return isTerminal && !isDumb
  }

  /// Returns whether coordinates are links: yes with colours, unless an option says otherwise.
  package static func hasLinks(_ mode: StyleMode?, hasColor: Bool) -> Bool {
    switch mode ?? .auto {
    case .always: true
    case .never: false
    // The console of Linux would print a link's address.
    case .auto: hasColor && EnvironmentVariable.value("TERM") != "linux"
    }
  }

  /// Whether the terminal knows no escape sequences.
  private static var isDumb: Bool { EnvironmentVariable.value("TERM").map { $0 == "dumb" } ?? true }
}

/// A variable of the environment.
package enum EnvironmentVariable {
  /// Returns the value; nil for a variable that is unset or empty.
  package static func value(_ name: String) -> String? {
    guard let value = unsafe getenv(name), unsafe value[0] != 0 else { return nil }
    return unsafe String(cString: value)
  }
}

/// The format and the look of records on standard output.
package struct Presentation {
  package var format: OutputFormat
  /// The look of text; nil for plain text and for other formats.
  package var look: TextLook?
  /// Whether standard output is a terminal.
  package var isTerminal: Bool

  /// - Parameters:
  ///   - format: The requested format; nil for text on a terminal and tsv elsewhere.
  ///   - hasFields: Whether an option of tsv was given.
  package init(
    _ format: OutputFormat?, hasFields: Bool = false, color: StyleMode? = nil, hyperlink: StyleMode? = nil
  ) {
    isTerminal = isatty(STDOUT_FILENO) == 1
    self.format = format ?? (!hasFields && isTerminal ? .text : .tsv)
    guard self.format == .text else { return }
    let isColored = StyleMode.hasColor(color, isTerminal: isTerminal)
    let hasLinks = StyleMode.hasLinks(hyperlink, hasColor: isColored)
    if isTerminal || isColored || hasLinks { look = TextLook(isColored: isColored, hasLinks: hasLinks) }
  }

  /// An output for this presentation. Text escapes control characters itself, so that a terminal gets its escape
  /// sequences.
  package var output: Output { Output(draws: look != nil, isTerminal: isTerminal) }
}
