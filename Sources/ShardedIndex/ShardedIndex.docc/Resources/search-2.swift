import Observation
import ShardedIndex

@Observable final class CitySearch {
  private var session: ShardedIndex.Session
  var text = "" {
    didSet { try? session.replace(with: text) }
  }
  var count: Int { session.matches.count }

  init(index path: String) throws {
    let options = ShardedIndex.Options(cacheLimitBytes: 2 << 20)
    session = try ShardedIndex(opening: path, options: options).session()
  }
}
