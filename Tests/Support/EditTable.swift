/// The whole table of edits, as the oracle of the automaton.
package enum EditTable {
  /// The least distance of a query from a beginning of a text.
  package static func distance(_ query: [UInt32], _ text: [UInt32]) -> Int { distances(query, text).min()! }

  /// The distances of a query from all beginnings of a text, from the whole table.
  package static func distances(_ query: [UInt32], _ text: [UInt32]) -> [Int] {
    var rows = [Array(0...text.count)]
    for i in 1..<query.count + 1 {
      var row = [i]
      for j in 1..<text.count + 1 {
        var best = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (query[i - 1] == text[j - 1] ? 0 : 1))
        if i > 1, j > 1, query[i - 1] == text[j - 2], query[i - 2] == text[j - 1] {
          best = min(best, rows[i - 2][j - 2] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows.last!
  }
}
