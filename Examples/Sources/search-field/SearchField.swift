// The model of a search field, in a terminal: each input line is the text of the field, and the tool prints the first
// rows.
//
//     printf 'r\nreykj\n' | swift run search-field ../shards
import SearchModel
import ShardedIndex

@main struct SearchField {
  @MainActor static func main() async throws {
    let path = CommandLine.arguments.dropFirst().first ?? "../shards"
    let search = SearchModel(try ShardedIndex(opening: path, options: .init(cacheLimitBytes: 2 << 20)))
    while let line = readLine() {
      search.text = line
      await search.settled()  // A view observes the model instead.
      if let error = search.error { print("error:", error) }
      print("\(line) (\(search.rows.count)\(search.rows.total.isExact ? "" : ", and more"))")
      for row in search.rows.prefix(5) { print("  \(title(of: row))") }
    }
  }

  /// The text of a row: its key, and the other name that matched.
  @MainActor static func title(of row: SearchModel.Row) -> String {
    guard let record = row.record else { return "..." }
    if case .otherName(let name) = row.hit?.via { return "\(record.key) (\(name))" }
    return record.key
  }
}
