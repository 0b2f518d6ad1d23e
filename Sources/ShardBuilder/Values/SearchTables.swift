/// The tables of a build that searches read, in the form of the manifest. Source: docs/format.md section 3.6.
package struct SearchTables: Equatable, Sendable {
  /// Other names of the values of fields, by field.
  package var names: [String: String] = [:]
  /// Words that stand for others; nil for none.
  package var synonyms: String?
}
