extension ShardedIndex {
  /// The options of opening an index.
  public struct Options: Sendable {
    /// The limit of the cache: the most bytes of decompressed shards that stay in memory.
    ///
    /// A shard that is larger than the limit still answers, and leaves memory afterwards. While a shard is loaded, its
    /// compressed file is in memory too. The limit does not count the manifest's root, about 46 bytes for every 64
    /// shards, and the most recently used pages of the manifest. These pages take at most an eighth of the limit, or
    /// 256 KiB if that is more; a larger single page is kept alone.
    public var cacheLimitBytes: Int

    /// The most shard files that stay open for the next read. With nil it is 128, or an eighth of the files that the
    /// process may have open if that is less.
    ///
    /// With 0 each load opens its file and closes it, which takes a fifth more time. ``ShardedIndex/reload()`` closes
    /// the files of an older generation; until then the files that a rebuild removed still take disk space.
    public var openFileLimit: Int?

    /// The shortest time between two checks for a newer generation, which queries make; nil if no query checks.
    ///
    /// The index rounds the time up to whole milliseconds. A check is two system calls and takes less than 2 us. With
    /// zero every query checks, and answers from the newest generation at the time when the query began. With nil only
    /// ``ShardedIndex/reload()`` moves to another generation.
    public var reloadInterval: Duration?

    /// The SHA-256 of the manifest. With a digest the index answers from the generation of that manifest and from no
    /// other.
    ///
    /// The index then reads the whole manifest and holds it in memory, at most 64 MiB. A load reads a whole shard file,
    /// whose digest must be the one in the manifest: 4.4 us more for every KiB of the file. Shards in the cache answer
    /// as fast as without a digest. ``reloadInterval`` and reloading have no effect. The index ignores an overlay,
    /// since the digest does not cover it.
    public var expectedDigest: ManifestDigest?

    /// Makes the options.
    ///
    /// - Parameters:
    ///   - cacheLimitBytes: In bytes, at least 0. Default: 8 MiB.
    ///   - openFileLimit: At least 0. Default: 128, or an eighth of the files that the process may have open.
    ///   - reloadInterval: Default: the index stays with the generation that it was opened on.
    ///   - expectedDigest: Default: none; any index opens, and checksums find accidental damage only.
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
