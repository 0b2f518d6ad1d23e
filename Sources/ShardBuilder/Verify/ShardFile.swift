import ShardedIndex

/// Reads shards' files and compares them with the digests of the manifest.
enum ShardFile {
  enum Fault: Error {
    case damaged(reason: String)
    /// The system did not hand it out.
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

  /// Checks that a shard's file has the size and the digest that the manifest says.
  static func check(_ shard: Manifest.Shard, in directory: IndexDirectory) throws(Fault) {
    try read(shard, in: directory) { _ in }
  }

  /// Checks the same of a side file.
  static func check(_ side: SidePage, in directory: IndexDirectory) throws(Fault) {
    try read(side.fileName, side.fileSize, in: directory, digest: side.digest) { _ in }
  }

  /// Returns the bytes of a side file, which are what the manifest says.
  static func bytes(of side: SidePage, in directory: IndexDirectory) throws(Fault) -> [UInt8] {
    try bytes(of: Pack.File(side), in: directory)
  }

  /// Returns the bytes of a file that a manifest names, which are what the manifest says.
  static func bytes(of file: Pack.File, in directory: IndexDirectory) throws(Fault) -> [UInt8] {
    try read(file.name, file.size, in: directory, digest: file.digest) { Array(copying: $0) }
  }

  /// Returns the bytes of a shard's file, which are what the manifest says.
  static func bytes(of shard: Manifest.Shard, in directory: IndexDirectory) throws(Fault) -> [UInt8] {
    try read(shard, in: directory) { Array(copying: $0) }
  }

  private static func read<Value>(
    _ shard: Manifest.Shard, in directory: IndexDirectory, _ body: (Span<UInt8>) -> Value
  ) throws(Fault) -> Value {
    let digest = unsafe Array(shard.digest)
    return try read(shard.source.fileName, shard.file.size, in: directory, digest: digest, body)
  }

  private static func read<Value>(
    _ name: FileName, _ size: Int, in directory: IndexDirectory, digest: [UInt8], _ body: (Span<UInt8>) -> Value
  ) throws(Fault) -> Value {
    do throws(IndexError) {
      let file = try directory.read(name, size: size)
      if Digest.sha256(file.span).starts(with: digest) { return body(file.span) }
    } catch {
      throw Fault(error)
    }
    throw .damaged(reason: "has another SHA-256 than the manifest says")
  }
}
