/// The list of the fields to filter by, or of the values of one field, in the place of the records.
package struct FilterChoice: Sendable {
  /// A field or a value.
  package struct FilterRow: Sendable {
    /// The name of the field, or the value.
    package var text: String
    /// The number of matches with the value; empty if it is unknown, and for a field.
    package var count = ""
    /// The values that the search filters the field by; empty for a value.
    package var chosen: [String] = []
    /// Whether the search filters by it.
    package var isChosen: Bool

    /// The row as a line shows it.
    var title: String {
      let parts = ([text] + chosen).map(FilterChoice.beginning)
      return parts[0] + (chosen.isEmpty ? "" : ": " + parts.dropFirst().joined(separator: ", "))
    }
  }

  /// The field whose values are listed; nil for the list of fields.
  package let field: String?
  /// The text that was typed for records.
  let line: LineEditor
  /// The beginning of the rows.
  let start: String
  package let rows: [FilterRow]
  /// Whether there are further values.
  let hasMore: Bool
  package private(set) var selection = 0
  package private(set) var top = 0

  init(field: String?, start: String, line: LineEditor, rows: [FilterRow], hasMore: Bool) {
    (self.field, self.start, self.line, self.rows, self.hasMore) = (field, start, line, rows, hasMore)
  }

  var selectedRow: FilterRow? { selection < rows.count ? rows[selection] : nil }

  /// Selects another row.
  mutating func select(_ row: Int) { selection = max(0, min(row, rows.count - 1)) }

  /// Moves the window of some rows to the selected row.
  mutating func scroll(height: Int) {
    top = max(selection - max(1, height) + 1, min(top, selection, max(0, rows.count - height)))
  }

  /// The most characters of a value on the screen.
  private static let textLimit = 400

  /// Returns the beginning of a text of any length, as far as a line may show it.
  static func beginning(of text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(textLimit)))
  }
}
