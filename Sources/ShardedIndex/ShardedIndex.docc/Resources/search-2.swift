import SearchModel
import ShardedIndex

@MainActor func citySearch(index path: String) throws -> SearchModel {
  let options = ShardedIndex.Options(cacheLimitBytes: 2 << 20)
  return SearchModel(try ShardedIndex(opening: path, options: options))
}

extension SearchModel.Row {
  var title: String {
    guard let record else { return "..." }
    if case .otherName(let name) = hit?.via { return "\(record.key) (\(name))" }
    return record.key
  }
}
