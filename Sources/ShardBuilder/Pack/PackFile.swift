import ShardedIndex

extension Pack {
  /// A file that a manifest names: a shard or a side file. Source: docs/pack.md section 4.
  struct File {
    let name: FileName
    /// The size in bytes.
    let size: Int
    /// The first 16 bytes of its SHA-256.
    let digest: [UInt8]
    /// Whether the file is a shard.
    let isShard: Bool
    /// The place of the file in an archive; nil in a directory.
    let place: ArchivePlace?

    init(_ shard: Manifest.Shard, at place: ArchivePlace?) {
      (name, size, isShard, self.place) = (shard.source.fileName, shard.file.size, true, place)
      digest = unsafe Array(shard.digest)
    }

    /// - Parameter index: The index of the shard.
    init(_ shard: Manifest.Shard, of index: ShardedIndex) {
      self.init(shard, at: index.generation.manifest.place(ofShard: shard.number))
    }

    init(_ side: SidePage, at place: ArchivePlace?) {
      (name, size, digest, isShard) = (side.fileName, side.fileSize, side.digest, false)
      self.place = place
    }

    /// Returns all files of a manifest: the shards in order, then the side files in the order of their pages.
    static func all(of manifest: ManifestReader, _ shards: [Manifest.Shard]) throws(IndexError) -> [File] {
      shards.map { File($0, at: manifest.place(ofShard: $0.number)) }
        + (try manifest.numberedSidePages()).map { File($0.side, at: manifest.place(ofSides: $0.page)) }
    }
  }
}
