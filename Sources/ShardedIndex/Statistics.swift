extension ShardedIndex {
  /// What an open index has done so far. Sizes in bytes.
  public struct Statistics: Sendable, Equatable {
    /// How often a shard that was asked for was resident.
    public var hits: Int
    /// How often it was not, and its header was loaded.
    public var misses: Int
    /// Parts of shards that were loaded.
    public var loads: Int
    /// Shards that left the cache because others needed the room.
    public var evictions: Int
    /// Shards that are in the cache now.
    public var residentShards: Int
    /// What resident shards cost, their bookkeeping included.
    public var residentBytes: Int
    /// The bytes in memory of the manifest that is answered from, which are not part of ``residentBytes``.
    public var manifestBytes: Int
    /// What all loads together have decompressed.
    public var loadedBytes: Int
    /// How often the index moved to a newer generation.
    public var reloads: Int
  }
}
