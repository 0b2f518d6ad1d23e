import ShardedIndex

extension Pack {
  /// A file that a manifest names: a shard's, or a side file. Source: docs/pack.md section 4.
  struct File {
    let name: FileName
    /// The size in bytes.
    let size: Int
    /// The first 16 bytes of its SHA-256.
    let digest: [UInt8]
    /// Whether it is a shard's.
    let isShard: Bool

    init(_ shard: Manifest.Shard) {
      (name, size, isShard) = (shard.source.fileName, shard.file.size, true)
      digest = unsafe Array(shard.digest)
    }

    init(_ side: SidePage) { (name, size, digest, isShard) = (side.fileName, side.fileSize, side.digest, false) }

    /// Returns all files of a manifest: the shards' in order, then the side files in the order of their pages.
    static func all(of manifest: ManifestReader, _ shards: [Manifest.Shard]) throws(IndexError) -> [File] {
      shards.map { File($0) } + (try manifest.sidePages()).map { File($0) }
    }
  }
}
