import Answers
import ShardedIndex

/// Advice on filters that no match passes.
package enum FilterAdvice {
  /// The most pages whose tables are read for it. A page has the shards of thousands of records.
  private static let pageLimit = 64
  private static let valueLimit = 3

  /// Returns the values of the index near to a value that no record has, as the end of a sentence; an empty text if
  /// there are none, or if a look for them would cost much, as in an index on another machine.
  package static func text(on filters: [ShardedIndex.Filter], in generation: Generation) throws(IndexError) -> String {
    let manifest = generation.manifest
    guard !generation.isFar, manifest.pageCount <= pageLimit else { return "" }
    let fields = IndexSettings(of: manifest.root).filter
    for filter in filters {
      guard let number = fields.number(of: filter.field) else { continue }
      var known: Set<[UInt8]> = []
      for page in 0..<manifest.pageCount {
        // A page with too many values has no table, and may have this value.
        guard let values = try generation.values(.filter(number), ofPage: page) else { return "" }
        known.formUnion(values)
      }
      for value in filter.values.map({ Fold.fold($0) }) where !known.contains(value) {
        let near = Misspelling.nearest(valueLimit, to: value, among: known).map(readable)
        guard let last = near.last else { continue }
        let others = near.dropLast().joined(separator: ", ")
        return "; did you mean " + filter.field + "=" + others + (others.isEmpty ? "" : " or ") + last + "?"
      }
    }
    return ""
  }

  private static func readable(_ value: [UInt8]) -> String {
    let comma = Array(", ".utf8)
    return String(decoding: value.flatMap { $0 == Fold.separator ? comma : [$0] }, as: UTF8.self)
  }
}
