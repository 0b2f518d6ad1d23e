import Answers
import ShardedIndex

/// A field's values with their numbers of records, as a person reads them.
package enum FacetText {
  /// Writes the field below the records of an answer, and its values.
  static func write(belowRecords facet: ShardedIndex.Facet, to output: inout Output) throws(WriteError) {
    try output.write("\n" + escaped(facet.field) + "\n")
    try write(facet, indent: 2, to: &output)
    if facet.hasMore { try output.write("  and more\n" as StaticString) }
  }

  /// Writes a line for each value: the number of records and the value.
  ///
  /// - Parameter indent: The number of spaces before the longest number.
  package static func write(
    _ facet: ShardedIndex.Facet, indent: Int = 0, to output: inout Output
  ) throws(WriteError) {
    let counts = facet.values.map { QueryRunner.grouped($0.count) + (facet.isExact ? "" : "+") }
    let width = counts.map { $0.utf8.count }.max() ?? 0
    for (count, value) in zip(counts, facet.values) {
      let spaces = String(repeating: " ", count: width - count.utf8.count + indent)
      try output.write(spaces + count + "  " + escaped(value.value) + "\n")
    }
  }

  /// Returns a text whose control characters are escaped, so that it stays on its line.
  private static func escaped(_ text: String) -> String {
    var (text, line) = (text, [UInt8]())
    _ = text.withUTF8 { unsafe ControlText.append($0, to: &line) }
    return String(decoding: line, as: UTF8.self)
  }
}
