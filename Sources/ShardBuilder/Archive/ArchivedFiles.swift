import ShardedIndex

/// A file that the manifests of an index name. Source: docs/archive.md section 3.
struct ArchivedFile {
  let name: FileName
  /// The size in bytes.
  let size: Int
  /// The first 16 bytes of its SHA-256.
  let digest: [UInt8]
  /// Where it is in an archive; nil for a directory.
  let place: ArchivePlace?
  /// Whether the files before may have the same content: of shards, only those that begin with the key that the shard
  /// before ends with.
  let mayRepeat: Bool
}

/// The files of an index in the order of the places of an archive. Memory is a few pages of the manifests.
struct ArchivedFiles {
  let index: ShardedIndex

  /// Calls `body` with each file, the manifest aside; with nil for a page that has no side file.
  func forEach(_ body: (ArchivedFile?) throws(PackError) -> Void) throws(PackError) {
    let manifest = index.generation.manifest
    try Self.forEach(of: manifest, body)
    guard let head = try Self.reading({ () throws(IndexError) in try manifest.entriesHead() }) else { return }
    try body(
      ArchivedFile(
        name: head.fileName, size: head.fileSize, digest: head.digest, place: manifest.placeOfEntries, mayRepeat: true))
    guard let entries = try Self.reading({ () throws(IndexError) in try index.generation.entries() }) else { return }
    try Self.forEach(of: entries.manifest, body)
  }

  /// Returns the places of an archive's files by name, as far as its manifests can be read; none of a directory.
  static func places(in archive: IndexDirectory) -> [String: ArchivePlace] {
    guard archive.isArchive, let index = try? ShardedIndex(archive, options: .init()) else { return [:] }
    var places: [String: ArchivePlace] = [:]
    try? ArchivedFiles(index: index).forEach { (file) throws(PackError) in
      if let file { places[file.name.text] = file.place }
    }
    return places
  }

  private static func forEach(
    of manifest: ManifestReader, _ body: (ArchivedFile?) throws(PackError) -> Void
  ) throws(PackError) {
    for number in 0..<manifest.shardCount {
      let source = try reading { () throws(IndexError) in try manifest.source(number) }
      try body(
        ArchivedFile(
          name: source.fileName, size: source.file.size, digest: source.digestBytes,
          place: manifest.place(ofShard: number), mayRepeat: source.file.isContinuation))
    }
    guard manifest.hasSides else { return }
    for page in 0..<manifest.pageCount {
      let side = try reading { () throws(IndexError) in try manifest.sidePage(page) }
      try body(
        side.fileSize == 0
          ? nil
          : ArchivedFile(
            name: side.fileName, size: side.fileSize, digest: side.digest, place: manifest.place(ofSides: page),
            mayRepeat: true))
    }
  }

  static func reading<Value>(_ body: () throws(IndexError) -> Value) throws(PackError) -> Value {
    do throws(IndexError) { return try body() } catch { throw .index(error) }
  }

  /// Hands out the bytes of a file in runs, and compares their digest with the manifest's behind the last one.
  func read(_ file: ArchivedFile, _ body: ([UInt8]) throws(PackError) -> Void) throws(PackError) {
    var hash = Digest.Stream()
    let result: Result<Void, PackError>
    do throws(IndexError) {
      result = try index.directory.forEachRun(of: file.name, size: file.size, at: file.place) {
        (run) throws(PackError) in
        unsafe hash.update(run.span.bytes)
        try body(run)
      }
    } catch {
      guard case .vanished = error, index.generation.isSuperseded else { throw .index(error) }
      throw .index(.superseded(path: index.path))
    }
    try result.get()
    guard hash.finish().starts(with: file.digest) else {
      throw .damagedShard(
        path: index.directory.filePath(file.name.text), reason: "has another SHA-256 than the manifest says")
    }
  }

  /// Returns the bytes of a file, which are what the manifest says.
  func bytes(of file: ArchivedFile) throws(PackError) -> [UInt8] {
    var bytes: [UInt8] = []
    try read(file) { bytes += $0 }
    return bytes
  }
}
