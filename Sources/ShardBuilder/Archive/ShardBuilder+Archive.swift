import CLibrary
import ShardedIndex

/// The counts of an archive.
public struct ArchiveSummary: Sendable, Equatable {
  /// The size of the archive in bytes; for a directory, the size of all its files.
  public var bytes = 0
  /// The number of the index's files in the archive, with the manifest.
  public var files = 0
  /// The number of the index's shards, without the shards of its entries.
  public var shardCount = 0
  /// The SHA-256 of the manifest, in hexadecimal digits.
  public var digest = ""
}

extension ShardBuilder {
  /// Writes all files of an index into one file, an archive. The archive gives the same answers as the directory.
  ///
  /// The archive is a ZIP of stored entries. The same index gives the same bytes. Each file is compared with its digest
  /// during the copy. The archive appears only once it is whole.
  ///
  /// - Parameters:
  ///   - path: The directory of the index, or another archive of it.
  ///   - archive: The path of the archive.
  ///   - replaces: Whether the archive replaces a file of that path.
  ///   - progress: Called for each file of the index, on the caller's thread.
  /// - Throws: ``PackError``; ``PackError/exists(path:)`` if there is a file at `archive` that must not be replaced,
  ///   ``PackError/unshippable(path:reason:)`` if the index has changes beside its shards.
  /// - Complexity: O(*n*), where *n* is the size of the index in bytes. Memory is about 1 MiB for any index.
  public static func archive(
    _ path: String, to archive: String, replaces: Bool = false, progress: ((FileProgress) -> Void)? = nil
  ) throws(PackError) -> ArchiveSummary {
    try self.archive(path, to: archive, replaces: replaces, usesZIP64: false, progress: progress)
  }

  /// - Parameter usesZIP64: Whether the archive has records of ZIP64 that it does not need, for a test of these
  ///   records.
  package static func archive(
    _ path: String, to archive: String, replaces: Bool = false, usesZIP64: Bool,
    progress: ((FileProgress) -> Void)? = nil
  ) throws(PackError) -> ArchiveSummary {
    let index = try ArchivedFiles.reading { () throws(IndexError) in
      try ShardedIndex(opening: path, options: .init(cacheLimitBytes: 0))
    }
    try refuseOverlay(of: index)
    try ArchivedFiles.reading { () throws(IndexError) in try index.generation.manifest.checkFrames() }
    var status = stat()
    if retrying({ unsafe lstat(archive, &status) }) == 0 {
      // The file may be whole, and its maker killed before the end.
      guard status.st_mode & S_IFMT == S_IFREG, replaces || has(archive, manifestOf: index) else {
        throw .exists(path: archive)
      }
    }
    let files = ArchivedFiles(index: index)
    var form = try ArchiveForm(of: files, in: RunDirectory(path: Pack.PackOutput.parent(of: archive)))
    if usesZIP64 { (form.wideSize, form.wideCount) = (0, 0) }
    var writer = ArchiveWriter(files, try Pack.PackOutput(archive, .archive, replacesAny: replaces))
    try form.put(to: &writer, step: steps(of: files, .archiving, progress))
    try writer.finish(placesStart: form.placesPosition)
    return ArchiveSummary(
      bytes: Int(form.position), files: form.entryCount - 1, shardCount: index.shardCount,
      digest: Digest.hexadecimal(writer.digest))
  }

  /// Makes a directory from the files in an archive.
  ///
  /// The names of the files follow from the manifests in the archive, and each file is compared with its digest: so no
  /// archive can write a file outside of the directory. The index appears only once it is whole.
  ///
  /// - Parameters:
  ///   - directory: The path of a directory that does not exist or is empty, or that an interrupted call left; its
  ///     parent must exist.
  ///   - progress: Called for each file of the index, on the caller's thread.
  /// - Throws: ``PackError``; ``PackError/exists(path:)`` if `directory` has other files.
  /// - Complexity: O(*n*), where *n* is the size of the archive in bytes. Memory holds the manifest and one shard.
  public static func unarchive(
    _ archive: String, into directory: String, progress: ((FileProgress) -> Void)? = nil
  ) throws(PackError) -> ArchiveSummary {
    let index = try ArchivedFiles.reading { () throws(IndexError) in
      try ShardedIndex(opening: archive, options: .init(cacheLimitBytes: 0))
    }
    guard index.directory.isArchive else {
      throw .unshippable(path: archive, reason: "is a directory, not an archive")
    }
    return try copy(index, into: directory, progress)
  }

  /// Returns a function that reports one step at each call.
  private static func steps(
    of files: ArchivedFiles, _ phase: FileProgress.Phase, _ progress: ((FileProgress) -> Void)?
  ) throws(PackError) -> () -> Void {
    guard let progress else { return {} }
    let total = try files.placeCount()
    var done = 0
    return {
      done += 1
      progress(FileProgress(phase: phase, done: done, total: total))
    }
  }

  /// Copies the files of an index into another directory, by the rules of ``unarchive(_:into:progress:)``.
  ///
  /// - Parameter path: The directory of the index, or an archive of it.
  /// - Throws: ``PackError``; ``PackError/unshippable(path:reason:)`` if the index has changes beside its shards.
  package static func copy(
    _ path: String, into directory: String, progress: ((FileProgress) -> Void)? = nil
  ) throws(PackError) -> ArchiveSummary {
    let index = try ArchivedFiles.reading { () throws(IndexError) in
      try ShardedIndex(opening: path, options: .init(cacheLimitBytes: 0))
    }
    try refuseOverlay(of: index)
    return try copy(index, into: directory, progress)
  }

  static func refuseOverlay(of index: ShardedIndex) throws(PackError) {
    guard index.generation.overlay != nil else { return }
    throw .unshippable(
      path: index.directory.filePath(Overlay.fileName),
      reason: """
        has changes beside the shards, which a copy would lack; write them into shards with \
        \(command: "\(.update) ", library: "")\(.merge)
        """)
  }

  private static func copy(
    _ index: ShardedIndex, into directory: String, _ progress: ((FileProgress) -> Void)?
  ) throws(PackError) -> ArchiveSummary {
    guard isFree(directory, for: index) else { throw .exists(path: directory) }
    let manifest = try ArchivedFiles.reading { () throws(IndexError) in
      try index.generation.manifest.checkFrames()
      return try index.generation.manifest.fileBytes()
    }
    let files = ArchivedFiles(index: index)
    var summary = ArchiveSummary(
      bytes: manifest.count, files: 1, shardCount: index.shardCount,
      digest: Digest.hexadecimal(Digest.sha256(manifest)))
    let publisher = try building { () throws(BuildError) in try Publisher(directory: directory) }
    let step = try steps(of: files, .unarchiving, progress)
    try files.forEach { (file) throws(PackError) in
      defer { step() }
      guard let file else { return }
      let bytes = try files.bytes(of: file)
      let outcome = try building { () throws(BuildError) in try publisher.add(file.name.text, bytes) }
      if outcome == .kept { return }
      summary.files += 1
      summary.bytes += bytes.count
    }
    _ = try building { () throws(BuildError) in try publisher.publish(manifest: manifest, previous: []) }
    return summary
  }

  private static func building<Value>(_ body: () throws(BuildError) -> Value) throws(PackError) -> Value {
    do throws(BuildError) { return try body() } catch { throw .build(error) }
  }

  /// Returns whether a directory does not exist, is empty, or has only files that an interrupted copy left.
  private static func isFree(_ path: String, for index: ShardedIndex) -> Bool {
    // The call that makes the directory reports any error but absence.
    var status = stat()
    if retrying({ unsafe lstat(path, &status) }) != 0 { return true }
    let directory = SystemFile.open(path, in: AT_FDCWD, O_RDONLY | O_DIRECTORY)
    guard directory >= 0 else { return false }
    defer { _ = close(directory) }
    guard let names = try? Publisher.list(directory, path: path) else { return false }
    return names.contains(Publisher.manifestName)
      ? has(path, manifestOf: index) : Publisher.otherEntry(in: path) == nil
  }

  /// Returns whether an index, in a directory or in an archive, has the manifest of another one and no overlay.
  private static func has(_ path: String, manifestOf index: ShardedIndex) -> Bool {
    guard let bytes = try? index.generation.manifest.fileBytes(),
      let found = try? ShardedIndex(opening: path, options: .init(cacheLimitBytes: 0)),
      found.generation.overlay == nil, let other = try? found.generation.manifest.fileBytes()
    else { return false }
    return other == bytes
  }
}

/// Writes an archive.
private struct ArchiveWriter: ArchiveTarget {
  private let files: ArchivedFiles
  private let output: Pack.PackOutput
  /// The bytes of the file whose checksum was computed last, if they are few.
  private var held: [UInt8]?
  /// The SHA-256 of the manifest, once the manifest was put.
  private(set) var digest: [UInt8] = []

  var placesStart: Int64 { 0 }

  init(_ files: ArchivedFiles, _ output: Pack.PackOutput) { (self.files, self.output) = (files, output) }

  private func read(_ file: ArchivedFile?, _ body: ([UInt8]) throws(PackError) -> Void) throws(PackError) {
    if let file { return try files.read(file, body) }
    try ArchivedFiles.reading { () throws(IndexError) in
      try files.index.generation.manifest.forEachRun(body)
    }.get()
  }

  mutating func checksum(of file: ArchivedFile?, at start: Int64) throws(PackError) -> UInt32 {
    var checksum: UInt32 = 0
    var hash = Digest.Stream()
    held = nil
    var only: [UInt8]? = []
    try read(file) { (run) throws(PackError) in
      checksum = Checksum.crc32(run, behind: checksum)
      if file == nil { unsafe hash.update(run.span.bytes) }
      only = only == [] ? run : nil
    }
    held = only
    if file == nil { digest = hash.finish() }
    return checksum
  }

  mutating func putContent(of file: ArchivedFile?) throws(PackError) {
    if let held { return try output.write(held) }
    try read(file) { (run) throws(PackError) in try output.write(run) }
  }

  mutating func put(_ bytes: [UInt8], of part: () -> String) throws(PackError) { try output.write(bytes) }

  /// Writes the number that the first header lacks, and gives the file its name.
  func finish(placesStart: Int64) throws(PackError) {
    var writer = ByteWriter()
    writer.write(UInt64(placesStart))
    try output.replace(ArchiveHead.placesOffset, writer.bytes)
    try output.finish()
  }
}
