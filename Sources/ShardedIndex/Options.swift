extension ShardedIndex {
  /// The options of opening an index.
  public struct Options: Sendable {
    /// The most bytes of decompressed shards that stay resident.
    ///
    /// A shard that is larger than this still answers, and is not kept. While a shard is loaded its compressed file is
    /// in memory as well. On top of it come the manifest's root, about 46 bytes for every 64 shards, and the pages of
    /// the manifest that were used last: at most an eighth of this, or 256 KiB if that is more, or one page where that
    /// alone is larger.
    public var cacheLimitBytes: Int

    /// The most shard files that stay open for the next part that is read of them; nil for 128, or an eighth of the
    /// files that the process may have open if that is less.
    ///
    /// With 0 each load opens its file and closes it, which takes a fifth more time. Files of an older generation are
    /// closed by ``ShardedIndex/reload()``; until then the files that a rebuild removes still take disk space.
    public var openFileLimit: Int?

    /// The shortest time between two looks of queries for a newer generation; nil if no query looks.
    ///
    /// It is rounded up to whole milliseconds. A look is two system calls, under two microseconds. With zero every query looks, and its answer is of the newest
    /// generation at the time when it began. With nil only ``ShardedIndex/reload()`` moves to another generation.
    public var reloadInterval: Duration?

    /// The SHA-256 of the manifest: with it, nothing but that generation of that index is ever answered from.
    ///
    /// The manifest is read whole and held in memory, at most 16 MiB; every shard file that is loaded is read whole and
    /// must have the digest that the manifest says. So a load takes longer, by 4.4 us for every KiB of the shard's
    /// file; resident shards answer as fast as ever. ``reloadInterval`` has no effect then, and reloading changes
    /// nothing. An overlay is ignored, since the digest does not cover it.
    public var expectedDigest: ManifestDigest?

    /// Makes the options.
    ///
    /// - Parameters:
    ///   - cacheLimitBytes: In bytes, at least 0. Default: 8 MiB.
    ///   - openFileLimit: At least 0. Default: the files that the process may have open decide.
    ///   - reloadInterval: Default: the index stays with the generation that it was opened on.
    ///   - expectedDigest: Default: any index is opened, and checked against accidents only.
    public init(
      cacheLimitBytes: Int = 8 << 20, openFileLimit: Int? = nil, reloadInterval: Duration? = nil,
      expectedDigest: ManifestDigest? = nil
    ) {
      self.cacheLimitBytes = max(0, cacheLimitBytes)
      self.openFileLimit = openFileLimit.map { max(0, $0) }
      self.reloadInterval = reloadInterval
      self.expectedDigest = expectedDigest
    }
  }
}
