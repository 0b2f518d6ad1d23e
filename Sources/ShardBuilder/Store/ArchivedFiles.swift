import ShardedIndex

/// A file that a manifest of an index names. Source: docs/archive.md section 3.
struct ArchivedFile {
  let name: FileName
  /// The size in bytes.
  let size: Int
  /// The first 16 bytes of its SHA-256.
  let digest: [UInt8]
  /// The place of the file in an archive; nil in a directory.
  let place: ArchivePlace?
  /// Whether an earlier file may have the same content. For a shard this can be true only if the previous shard ends
  /// with the key that the shard begins with.
  let mayRepeat: Bool
}

/// The files of an index in the order of the places of an archive.
struct ArchivedFiles {
  let index: ShardedIndex

  var path: String { index.path }
  var manifest: ManifestReader { index.generation.manifest }

  private func entriesManifest() throws(PackError) -> ManifestReader? {
    try Self.reading { () throws(IndexError) in try index.generation.entries()?.manifest }
  }

  /// Calls `body` with each file but the manifest, in the order of the places; with nil for a page without a side file.
  /// Memory holds a few pages of the manifests.
  func forEach(_ body: (ArchivedFile?) throws(PackError) -> Void) throws(PackError) {
    try forEach(of: manifest, body)
    guard let head = try ArchivedFiles.reading({ () throws(IndexError) in try manifest.entriesHead() }) else { return }
    try body(
      ArchivedFile(
        name: head.fileName, size: head.fileSize, digest: head.digest, place: manifest.placeOfEntries, mayRepeat: true))
    if let entries = try entriesManifest() { try forEach(of: entries, body) }
  }

  /// Returns the number of places for the files that a manifest itself names.
  private static func placeCount(of manifest: ManifestReader) -> Int {
    manifest.shardCount + (manifest.hasSides ? manifest.pageCount : 0)
  }

  private func forEach(
    of manifest: ManifestReader, _ body: (ArchivedFile?) throws(PackError) -> Void
  ) throws(PackError) {
    for number in 0..<manifest.shardCount {
      let source = try ArchivedFiles.reading { () throws(IndexError) in try manifest.source(number) }
      try body(
        ArchivedFile(
          name: source.fileName, size: source.file.size, digest: source.digestBytes,
          place: manifest.place(ofShard: number), mayRepeat: source.file.isContinuation))
    }
    guard manifest.hasSides else { return }
    for page in 0..<manifest.pageCount {
      let side = try ArchivedFiles.reading { () throws(IndexError) in try manifest.sidePage(page) }
      try body(
        side.fileSize == 0
          ? nil
          : ArchivedFile(
            name: side.fileName, size: side.fileSize, digest: side.digest, place: manifest.place(ofSides: page),
            mayRepeat: true))
    }
  }

  /// Returns the number of places.
  func placeCount() throws(PackError) -> Int {
    Self.placeCount(of: manifest) + (try entriesManifest().map { 1 + Self.placeCount(of: $0) } ?? 0)
  }

  /// Returns the places of an archive's files by name, as far as its manifests can be read; no places for a directory.
  static func places(in archive: IndexDirectory) -> [String: ArchivePlace] {
    guard archive.isArchive, let index = try? ShardedIndex(archive, options: .init()) else { return [:] }
    var places: [String: ArchivePlace] = [:]
    try? ArchivedFiles(index: index).forEach { (file) throws(PackError) in
      if let file { places[file.name.text] = file.place }
    }
    return places
  }

  static func reading<Value>(_ body: () throws(IndexError) -> Value) throws(PackError) -> Value {
    do throws(IndexError) { return try body() } catch { throw .index(error) }
  }

  /// Passes the bytes of a file to `body` in runs. After the last run it compares their digest with the manifest's.
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

  /// Returns the bytes of a file, whose digest is that of the manifest.
  func bytes(of file: ArchivedFile) throws(PackError) -> [UInt8] {
    var bytes: [UInt8] = []
    try read(file) { bytes += $0 }
    return bytes
  }
}
