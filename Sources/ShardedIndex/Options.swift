/// How an index is opened.
public struct Options: Sendable {
  /// The most bytes of decompressed shards that stay resident.
  ///
  /// A shard that is larger than this still answers, and is not kept. While a shard is loaded its compressed
  /// file is in memory as well.
  public var cacheLimitBytes: Int

  /// - Parameter cacheLimitBytes: In bytes, at least 0. Default: 8 MiB.
  public init(cacheLimitBytes: Int = 8 << 20) { self.cacheLimitBytes = max(0, cacheLimitBytes) }
}

/// What an open index has done so far. Sizes in bytes.
public struct Statistics: Sendable, Equatable {
  /// How often a shard that was asked for was resident.
  public var hits: Int
  /// How often it was not, and its header was loaded.
  public var misses: Int
  /// Parts of shards that were loaded.
  public var loads: Int
  public var evictions: Int
  public var residentShards: Int
  /// What resident shards cost, their bookkeeping included.
  public var residentBytes: Int
  /// What all loads together have decompressed.
  public var loadedBytes: Int
}
