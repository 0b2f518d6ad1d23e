import SearchModel
import ShardedIndex

@MainActor func citySearch(index path: String) throws -> SearchModel {
  let options = ShardedIndex.Options(cacheLimitBytes: 2 << 20)
  return SearchModel(try ShardedIndex(opening: path, options: options))
}
