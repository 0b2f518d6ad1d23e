import QueryOutput
import ShardedIndex

/// The fields of a record as lines of a preview: each begins with the field's name. Empty fields are left out.
package struct RecordPreview {
  package private(set) var lines: [DisplayText] = []

  /// The most bytes of a record's texts that are shown.
  package static let limit = 1 << 16
  /// The most lines: a text of line ends alone is short.
  package static let lineLimit = 5000
  private static let indent = "  "

  /// - Parameters:
  ///   - columns: The columns of a line.
  ///   - wraps: Whether long texts take further lines; else they are cut off.
  package init(_ fields: [ShardedIndex.Record.Field], columns: Int, wraps: Bool, theme: Theme) {
    guard columns > 0 else { return }
    var room = Self.limit
    for field in fields where !field.text.isEmpty && !(field.kind == .literal && field.text == "null") {
      guard room > 0, lines.count < Self.lineLimit else {
        note("\(theme.ellipsis) and more fields", columns, theme)
        return
      }
      let size = field.text.utf8.count
      // Cut bytes may end within a character, which reads as U+FFFD.
      let text = size <= room ? field.text : String(decoding: field.text.utf8.prefix(room), as: UTF8.self)
      room -= size
      append(field.name, text, columns, wraps, theme)
      if room < 0 { note("\(theme.ellipsis) \(QueryRunner.grouped(-room)) bytes more", columns, theme) }
    }
  }

  private mutating func note(_ text: String, _ columns: Int, _ theme: Theme) {
    var line = DisplayText()
    line.control(theme.label)
    line.text(text, limit: columns, ellipsis: theme.ellipsis)
    line.control(theme.reset)
    lines.append(line)
  }

  private mutating func append(_ name: String, _ text: String, _ columns: Int, _ wraps: Bool, _ theme: Theme) {
    var line = DisplayText()
    line.control(theme.label)
    line.text(name + " ", limit: max(1, columns / 2), ellipsis: theme.ellipsis)
    line.control(theme.reset)
    line.control(theme.previewText)
    for part in text.split(omittingEmptySubsequences: false, whereSeparator: { $0.isNewline }) {
      if lines.count >= Self.lineLimit { break }
      if line.columns == 0 { line.plain(Self.indent, columns: min(2, columns)) }
      var rest = String(part.replacing("\t", with: " "))[...]
      while wraps, let cut = Self.cut(rest, columns: columns - line.columns), lines.count < Self.lineLimit {
        line.text(
          String(rest[..<cut]), limit: columns - line.columns, ellipsis: theme.ellipsis, isolates: theme.isolates)
        rest = rest[cut...]
        end(&line, theme)
        line.plain(Self.indent, columns: min(2, columns))
      }
      line.text(
        String(rest), limit: columns - line.columns, ellipsis: theme.ellipsis, isolates: theme.isolates)
      end(&line, theme)
    }
  }

  private mutating func end(_ line: inout DisplayText, _ theme: Theme) {
    line.control(theme.reset)
    lines.append(line)
    line = DisplayText()
    line.control(theme.previewText)
  }

  /// Returns the index of the first character that has no room in a number of columns; nil if all have. A space is
  /// preferred, so that words stay whole.
  private static func cut(_ text: Substring, columns: Int) -> Substring.Index? {
    var width = 0
    var space: Substring.Index?
    for at in text.indices {
      width += DisplayText.columns(of: text[at])
      if width > columns {
        if let space, text.distance(from: space, to: at) < columns / 2 { return text.index(after: space) }
        // A character that is wider than the line has one to itself.
        guard at == text.startIndex else { return at }
        let next = text.index(after: at)
        return next < text.endIndex ? next : nil
      }
      if text[at] == " " { space = at }
    }
    return nil
  }
}
