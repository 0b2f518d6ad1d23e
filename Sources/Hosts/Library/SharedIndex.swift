import Answers
import CLibrary
import ShardedIndex

/// An index that all handles of one path and cache size share.
final class SharedIndex: Sendable {
  let index: ShardedIndex
  private let key: Key
  /// The positions of a generation's records by their ids. The first lookup makes them.
  private let ids = Lock<(generation: UInt64, positions: IDPositions)?>(nil)

  private init(_ index: ShardedIndex, _ key: Key) { (self.index, self.key) = (index, key) }

  private struct Key: Equatable {
    let path: String
    /// The directory or archive at the path. The path may later name another.
    let device: dev_t
    let number: ino_t
    let cacheSize: Int?
    /// A child of a fork shares no index with its parent, whose threads may have held locks.
    let process = getpid()
  }

  private static let opened = Lock<[(shared: SharedIndex, handles: Int)]>([])

  /// Returns the index at a path. The caller closes the index.
  ///
  /// - Parameter cacheSize: The limit of the cache in bytes; nil for the engine's default.
  static func opening(_ path: String, cacheSize: Int?) throws(Refusal) -> SharedIndex {
    var status = stat()
    // If nothing is at the path, the opening fails with a message.
    let isThere = stat(path, &status) == 0
    let key = Key(path: path, device: status.st_dev, number: status.st_ino, cacheSize: cacheSize)
    if isThere, let found = opened.withLock({ take(key, of: &$0) }) { return found }
    var options = ShardedIndex.Options(reloadInterval: .seconds(1))
    if let cacheSize { options.cacheLimitBytes = cacheSize }
    let index: ShardedIndex
    do throws(IndexError) { index = try ShardedIndex(opening: path, options: options) } catch { throw Refusal(error) }
    return opened.withLock { (opened) -> SharedIndex in
      // Another thread may have opened the index meanwhile.
      if let found = take(key, of: &opened) { return found }
      opened.append((SharedIndex(index, key), 1))
      return opened[opened.count - 1].shared
    }
  }

  /// Returns an index whose files come from elsewhere, for one handle alone.
  static func fetching(
    _ address: String, isArchive: Bool, cacheSize: Int?, _ files: FetchedFiles
  ) throws(Refusal) -> SharedIndex {
    // Each look for a newer index is a request.
    var options = ShardedIndex.Options(reloadInterval: .seconds(60))
    if let cacheSize { options.cacheLimitBytes = cacheSize }
    let directory = IndexDirectory(carrier: files.functions(), path: address, isArchive: isArchive)
    do throws(IndexError) {
      let index = try ShardedIndex(directory, options: options)
      return SharedIndex(index, Key(path: address, device: 0, number: 0, cacheSize: cacheSize))
    } catch {
      throw Refusal(error)
    }
  }

  private static func take(_ key: Key, of opened: inout [(shared: SharedIndex, handles: Int)]) -> SharedIndex? {
    guard let place = opened.firstIndex(where: { $0.shared.key == key }) else { return nil }
    opened[place].handles += 1
    return opened[place].shared
  }

  /// Returns the position of the first record with an id; nil if no record has the id.
  ///
  /// - Parameter records: All records of the generation.
  func position(
    of id: String, in records: ShardedIndex.Matches, of generation: Generation
  ) throws(IndexError) -> Int? {
    guard let field = generation.schema.id else { return nil }
    let positions = try ids.withLock { (made) throws(IndexError) -> IDPositions in
      if let made, made.generation == generation.identity { return made.positions }
      // The table of an older generation goes first, so that memory holds one.
      made = nil
      let positions = try IDPositions(records, field: field)
      made = (generation.identity, positions)
      return positions
    }
    return try positions.position(of: id, in: records)
  }

  /// Gives up one handle. The last handle closes the index.
  func close() {
    // The index closes after the lock is released.
    _ = Self.opened.withLock { (opened) -> SharedIndex? in
      guard let place = opened.firstIndex(where: { $0.shared === self }) else { return nil }
      opened[place].handles -= 1
      return opened[place].handles == 0 ? opened.remove(at: place).shared : nil
    }
  }
}
