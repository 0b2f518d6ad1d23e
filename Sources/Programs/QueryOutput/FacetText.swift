import Answers
import ShardedIndex

/// A field's values with their numbers of records, as a person reads them.
package enum FacetText {
  /// Writes a line for each value: the number of records and the value.
  ///
  /// - Parameter named: Whether a line with the field comes first, as below the records of an answer.
  package static func write(
    _ facet: ShardedIndex.Facet, named: Bool, to output: inout Output
  ) throws(WriteError) {
    if named { try output.write("\n" + escaped(facet.field) + "\n") }
    let counts = facet.values.map { QueryRunner.grouped($0.count) + (facet.isExact ? "" : "+") }
    let width = counts.map { $0.utf8.count }.max() ?? 0
    for (count, value) in zip(counts, facet.values) {
      let indent = String(repeating: " ", count: width - count.utf8.count + (named ? 2 : 0))
      try output.write(indent + count + "  " + escaped(value.value) + "\n")
    }
    if facet.hasMore, named { try output.write("  and more\n" as StaticString) }
  }

  /// Returns a text whose control characters are escaped, so that it stays on its line.
  private static func escaped(_ text: String) -> String {
    var (text, line) = (text, [UInt8]())
    _ = text.withUTF8 { unsafe ControlText.append($0, to: &line) }
    return String(decoding: line, as: UTF8.self)
  }
}
