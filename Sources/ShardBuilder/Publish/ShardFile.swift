import ShardedIndex

/// A file that a manifest names, a shard or a side file, and the comparison of its bytes with the digest in the
/// manifest. Source: docs/pack.md section 4.
struct ShardFile {
  enum FileFault: Error {
    case damaged(reason: String)
    /// The system could not read the file.
    case unread(IndexError)

    init(_ error: IndexError) {
      self =
        switch error {
        case .corrupt(_, let cause): .damaged(reason: cause.description)
        case .vanished: .damaged(reason: "is missing")
        default: .unread(error)
        }
    }
  }

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
  static func all(of manifest: ManifestReader, _ shards: [Manifest.Shard]) throws(IndexError) -> [ShardFile] {
    shards.map { ShardFile($0, at: manifest.place(ofShard: $0.number)) }
      + (try manifest.numberedSidePages()).map { ShardFile($0.side, at: manifest.place(ofSides: $0.page)) }
  }

  /// Checks that the file has the size and the digest in the manifest.
  func check(in directory: IndexDirectory) throws(FileFault) { try read(in: directory) { _ in } }

  /// Returns the bytes of the file, after a check of the digest.
  func bytes(in directory: IndexDirectory) throws(FileFault) -> [UInt8] {
    try read(in: directory) { Array(copying: $0) }
  }

  private func read<Value>(in directory: IndexDirectory, _ body: (Span<UInt8>) -> Value) throws(FileFault) -> Value {
    do throws(IndexError) {
      let bytes = try directory.read(name, size: size, at: place)
      if Digest.sha256(bytes.span).starts(with: digest) { return body(bytes.span) }
    } catch {
      throw FileFault(error)
    }
    throw .damaged(reason: "has another SHA-256 than the manifest says")
  }
}
