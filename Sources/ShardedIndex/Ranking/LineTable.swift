/// Lines of columns with tabs between, sorted by their first columns, from a setting of the manifest. Source:
/// docs/format.md section 3.6.
struct LineTable: Sendable {
  private let bytes: [UInt8]
  /// The start of each line.
  private let starts: [Int]

  /// - Parameter setting: The value of the setting; nil for no lines.
  init(_ setting: String?) {
    bytes = setting.map { Array($0.utf8) } ?? []
    var starts: [Int] = []
    for place in bytes.indices where place == 0 || bytes[place - 1] == UInt8(ascii: "\n") { starts.append(place) }
    self.starts = starts
  }

  /// Returns the columns behind the first one, of each line whose first column is a text.
  ///
  /// - Parameter isBegun: Whether the first column begins with the text instead, and is longer.
  /// - Complexity: O(log *n* + *k*): *n* lines, *k* of which begin with the text.
  func rows(_ text: [UInt8], isBegun: Bool = false) -> [[String]] {
    var rows: [[String]] = []
    var line = partitionPoint(starts.count) { columns($0)[0].lexicographicallyPrecedes(text) }
    while line < starts.count {
      let columns = columns(line)
      guard columns[0].starts(with: text) else { break }
      if (columns[0].count > text.count) == isBegun {
        rows.append(columns.dropFirst().map { String(decoding: $0, as: UTF8.self) })
      }
      line += 1
    }
    return rows
  }

  private func columns(_ line: Int) -> [ArraySlice<UInt8>] {
    let end = line + 1 < starts.count ? starts[line + 1] : bytes.count
    return bytes[starts[line]..<end].filter { $0 != UInt8(ascii: "\n") }.split(
      separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
  }
}
