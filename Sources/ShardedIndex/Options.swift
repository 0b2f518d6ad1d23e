extension ShardedIndex {
  /// How an index is opened.
  public struct Options: Sendable {
    /// The most bytes of decompressed shards that stay resident.
    ///
    /// A shard that is larger than this still answers, and is not kept. While a shard is loaded its compressed
    /// file is in memory as well. On top of it come the manifest's root, about 46 bytes for every 64 shards, and the pages
    /// of the manifest that were used last: at most an eighth of this, or 256 KiB if that is more, or one page where that alone is larger.
    public var cacheLimitBytes: Int

    /// How many shard files stay open for the next part that is read of them; nil for 128, or an eighth of the files that the
    /// process may have open if that is less.
    ///
    /// With 0 each load opens its file and closes it, which takes a fifth more time. Files of an older generation are closed by
    /// ``ShardedIndex/reload()``; until then what a rebuild removes of them still takes disk space.
    public var openFileLimit: Int?

    /// How often a query looks whether there is a newer generation, at most; nil if none ever does.
    ///
    /// A look is two system calls, under two microseconds; with zero every query has one, and is answered from the
    /// newest generation there was when it began. Without it, ``ShardedIndex/reload()`` is the only way to another one.
    public var reloadInterval: Duration?

    /// The SHA-256 of the manifest: with it, nothing but that generation of that index is ever answered from.
    ///
    /// The manifest is read whole and held in memory, at most 16 MiB; every shard file that is loaded is read whole and
    /// must have the digest that the manifest says. So a load takes longer, by 4.4 us for every KiB of the shard's
    /// file; what is resident answers as fast as ever. ``reloadInterval`` means nothing then, and reloading stays. Changes
    /// beside the shards, which the digest is not of, do not count.
    public var expectedDigest: ManifestDigest?

    /// - Parameters:
    ///   - cacheLimitBytes: In bytes, at least 0. Default: 8 MiB.
    ///   - openFileLimit: At least 0. Default: what the process may have open decides.
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
