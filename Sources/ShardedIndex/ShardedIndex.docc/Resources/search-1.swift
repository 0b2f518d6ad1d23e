import Observation
import ShardedIndex

@Observable final class CitySearch {
  private var session: ShardedIndex.Session

  init(index path: String) throws {
    let options = ShardedIndex.Options(cacheLimitBytes: 2 << 20)
    session = try ShardedIndex(opening: path, options: options).session()
  }
}
