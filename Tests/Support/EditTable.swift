/// The whole table of edits, as the oracle of the automaton.
package enum EditTable {
  /// The least distance of a query from a beginning of a text.
  package static func distance(_ query: [UInt32], _ text: [UInt32]) -> Int { distances(query, text).min()! }

  /// The least distance of a query from a beginning of a text with which it may match; one more than the limit if all are
  /// over the limit. A beginning with three edits has more than six characters, and the first six have at most two.
  package static func distance(_ query: [UInt32], _ text: [UInt32], limit: Int) -> Int {
    let distances = distances(query, text)
    let least = distances.min()!
    guard least == 3, limit >= 3 else { return min(limit + 1, least) }
    return distances.dropFirst(7).contains(3) && distance(Array(text.prefix(6)), query) < 3 ? 3 : limit + 1
  }

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

  /// Whether so many edits lead from a query to a text with at most two in each word of eight letters, and one in each
  /// other; a query of one word may have all.
  package static func allows(_ edits: Int, _ query: [UInt32], _ text: [UInt32]) -> Bool {
    let words = query.split(separator: 0x20)
    guard words.count > 1 else { return true }
    let most = words.map { $0.count < 8 ? 1 : 2 }
    let word = query.indices.map { at in query[at] == 0x20 ? nil : words.firstIndex { $0.indices.contains(at) } }
    func leads(_ i: Int, _ j: Int, _ left: Int, _ used: [Int]) -> Bool {
      if i == query.count, j == text.count { return left == 0 }
      if i < query.count, j < text.count, query[i] == text[j], leads(i + 1, j + 1, left, used) { return true }
      guard left > 0 else { return false }
      func follows(_ word: Int?, _ i: Int, _ j: Int) -> Bool {
        guard let word else { return leads(i, j, left - 1, used) }
        var used = used
        used[word] += 1
        return used[word] <= most[word] && leads(i, j, left - 1, used)
      }
      let here = i < query.count ? word[i] : nil
      if i < query.count, follows(here, i + 1, j) { return true }
      guard j < text.count else { return false }
      if i < query.count, follows(here, i + 1, j + 1) { return true }
      if follows(text[j] == 0x20 ? nil : i > 0 && word[i - 1] != nil ? word[i - 1] : here, i, j + 1) { return true }
      guard i + 1 < query.count, j + 1 < text.count, query[i] == text[j + 1], query[i + 1] == text[j] else {
        return false
      }
      return follows(here ?? word[i + 1], i + 2, j + 2)
    }
    return leads(0, 0, edits, [Int](repeating: 0, count: words.count))
  }
}
