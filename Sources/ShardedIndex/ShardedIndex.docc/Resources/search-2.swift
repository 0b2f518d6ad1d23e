import Observation
import ShardedIndex

@Observable final class CitySearch {
  private var session: ShardedIndex.Session
  private(set) var hits: [ShardedIndex.Hit] = []
  var text = "" {
    didSet {
      try? session.replace(with: text)
      hits = (try? session.search(limit: 50).hits) ?? []
    }
  }

  init(index path: String) throws {
    let options = ShardedIndex.Options(cacheLimitBytes: 2 << 20)
    session = try ShardedIndex(opening: path, options: options).session()
  }
}
