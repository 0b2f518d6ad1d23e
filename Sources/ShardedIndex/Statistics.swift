extension ShardedIndex {
  /// The counters of an open index. Sizes are in bytes.
  public struct Statistics: Sendable, Equatable {
    /// The number of times that a query found a shard in the cache.
    public var hits: Int
    /// The number of times that a query had to load a shard's header.
    public var misses: Int
    /// The number of parts of shards that were loaded.
    public var loads: Int
    /// The number of shards that left the cache to make room for others.
    public var evictions: Int
    /// The number of shards that are in the cache now.
    public var residentShards: Int
    /// The memory of the shards in the cache, with their bookkeeping.
    public var residentBytes: Int
    /// The memory of the manifest that the index answers from; ``residentBytes`` does not include it.
    public var manifestBytes: Int
    /// The size of all content that loads have decompressed.
    public var loadedBytes: Int
    /// The number of times that the index moved to a newer generation.
    public var reloads: Int
  }
}
