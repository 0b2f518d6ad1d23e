extension ShardedIndex {
  /// The counters of an open index. Sizes are in bytes.
  public struct Statistics: Sendable, Equatable {
    /// The number of times that a shard was resident when a query needed it.
    public var hits: Int
    /// The number of times that it was not, and its header was loaded.
    public var misses: Int
    /// The number of parts of shards that were loaded.
    public var loads: Int
    /// The number of shards that left the cache because others needed the room.
    public var evictions: Int
    /// The number of shards that are in the cache now.
    public var residentShards: Int
    /// The memory of resident shards, their bookkeeping included.
    public var residentBytes: Int
    /// The memory of the manifest that the index answers from, which is not part of ``residentBytes``.
    public var manifestBytes: Int
    /// The size of the content that all loads together have decompressed.
    public var loadedBytes: Int
    /// The number of times that the index moved to a newer generation.
    public var reloads: Int
  }
}
