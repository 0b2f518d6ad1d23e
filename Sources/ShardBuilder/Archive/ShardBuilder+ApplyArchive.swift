import ShardedIndex

extension ShardBuilder {
  /// Applies a pack to an archive, and writes a new archive.
  ///
  /// The new archive has the bytes that ``archive(_:to:replaces:progress:)`` makes of the new generation. It is written
  /// front to back, the pack is read once, and each file is compared with its digest. The old archive stays. If the old
  /// archive has the new generation already, the new archive is a copy. The new archive appears only once it is whole.
  ///
  /// - Parameters:
  ///   - pack: The path of the pack; `-` is standard input.
  ///   - old: The path of the archive that the pack begins with.
  ///   - archive: The path of the new archive.
  ///   - expected: The digest of the manifest that the pack must lead to; nil for any manifest.
  ///   - progress: Called for each file of the pack, on the caller's thread.
  /// - Throws: ``PackError``; ``PackError/exists(path:)`` if there is a file at `archive`.
  /// - Complexity: O(*n*), where *n* is the size of the new archive in bytes. Memory holds two manifests and two
  ///   shards.
  public static func apply(
    pack: String, toArchive old: String, writing archive: String, expecting expected: ManifestDigest? = nil,
    progress: ((FileProgress) -> Void)? = nil
  ) throws(PackError) -> ApplySummary {
    let (input, header) = try opened(pack, expecting: expected)
    let found = try Pack.Generation(opening: old)
    guard found.index.directory.isArchive else {
      throw .unshippable(path: old, reason: "is a directory, not an archive")
    }
    guard try self.old(header, in: old, found) != nil else {
      _ = try self.archive(old, to: archive)
      return ApplySummary(wasThere: true, digest: Digest.hexadecimal(header.new))
    }
    guard isAbsent(archive) || has(archive, header.new) else { throw .exists(path: archive) }
    let runDirectory = RunDirectory(path: Pack.Output.parent(of: archive))
    let patched = try PatchedFiles(found, input, header, in: runDirectory, progress)
    var form = try ArchiveForm(of: patched, in: runDirectory)
    var writer = PatchedWriter(patched, try Pack.Output(archive, .archive))
    try form.put(to: &writer)
    try patched.finish()
    try writer.finish(placesStart: form.placesPosition)
    return patched.summary
  }
}

/// The files of the generation that a pack leads to, from the pack or from the old generation. They are in the order of
/// the places of an archive, which is the order of the pack.
private final class PatchedFiles: ArchiveSource {
  private let header: Pack.Header
  private let input: Pack.Input
  private let place: Applier.Place
  private let progress: ((FileProgress) -> Void)?
  /// The old generation of the index, then the old generation of its entries, or nil. Both stay open for the kept
  /// files.
  private let first: Pack.Generation
  private var old: Pack.Generation?
  private var applier: Applier
  /// The manifest of the entries, once it was passed on; if the entries stay, the manifest of the old generation.
  private var entries: ManifestReader?
  /// The numbers of the files that come from the pack, in order.
  private var shipped: [Int] = []
  private var taken = 0
  /// The numbers of these files by name, and the old files by name.
  private var numbers: [String: Int] = [:]
  private var kept: [String: ShardFile] = [:]
  /// The number of files of the pack that were passed on.
  private var done = 0
  private(set) var summary: ApplySummary
  let manifest: ManifestReader
  let manifestBytes: [UInt8]

  var path: String { input.path }

  init(
    _ old: Pack.Generation, _ input: Pack.Input, _ header: Pack.Header, in runDirectory: RunDirectory,
    _ progress: ((FileProgress) -> Void)?
  ) throws(PackError) {
    let directory = old.index.directory
    place = Applier.Place(runDirectory: runDirectory, path: directory.path) { () throws(IndexError) in directory }
    (self.header, self.input, self.progress, first, self.old) = (header, input, progress, old, old)
    var applier = Applier(old: old, input: input, in: place)
    manifestBytes = try applier.manifest(size: header.newSize, digest: header.new)
    guard let manifest = applier.new else { throw applier.damaged("has no manifest") }
    (self.applier, self.manifest) = (applier, manifest)
    summary = ApplySummary(shardCount: applier.shards.count, digest: Digest.hexadecimal(header.new))
    try begin()
  }

  /// Begins with the files of a manifest.
  private func begin() throws(PackError) {
    (shipped, taken) = (try applier.shipped(), 0)
    (numbers, kept) = ([:], [:])
    for number in shipped { numbers[applier.files[number].name.text] = number }
    for file in old?.files ?? [] { kept[file.name.text] = file }
  }

  /// Returns the content of a file, after a check of its digest.
  func bytes(of file: ArchivedFile) throws(PackError) -> [UInt8] {
    let name = file.name.text
    if name.hasPrefix("entries-"), let head = try applier.entriesHead(), head.fileName.text == name {
      return try entriesBytes(head)
    }
    guard let number = numbers[name] else {
      guard let old, let file = kept[name] else { throw applier.damaged("lacks the file \(name)") }
      return try old.bytes(of: file)
    }
    guard taken < shipped.count, shipped[taken] == number else {
      throw applier.damaged("has its files in another order")
    }
    taken += 1
    done += 1
    let bytes = try applier.file(number).bytes
    if applier.files[number].isShard { summary.shardsWritten += 1 }
    progress?(FileProgress(phase: .applying, done: done, total: header.shards))
    return bytes
  }

  private func entriesBytes(_ head: EntriesHead) throws(PackError) -> [UInt8] {
    try finishFiles()
    let before = first.entries.first
    if let before, before.digest.starts(with: head.digest) {
      // All files of the entries stay.
      (old, entries, numbers, shipped) = (before, before.index.generation.manifest, [:], [])
      kept = [:]
      for file in before.files { kept[file.name.text] = file }
      summary.shardCount += before.shards.count
      return before.manifest
    }
    var applier = Applier(old: before, input: input, in: place)
    let bytes = try applier.manifest(size: head.fileSize, digest: head.digest)
    guard let new = applier.new, UInt32(truncatingIfNeeded: new.rootChecksum) == head.rootChecksum else {
      throw applier.damaged("has a manifest of entries with the wrong root")
    }
    summary.shardCount += applier.shards.count
    (old, self.applier, entries) = (before, applier, new)
    try begin()
    return bytes
  }

  func entriesManifest() throws(PackError) -> ManifestReader? { entries }

  private func finishFiles() throws(PackError) {
    guard taken == shipped.count else { throw applier.damaged("holds files that its manifests do not need") }
  }

  /// Checks that no file of the pack is left over.
  func finish() throws(PackError) {
    try finishFiles()
    guard done == header.shards else {
      throw applier.damaged("holds \(header.shards) files, and its manifests need \(done)")
    }
    try input.finish()
  }
}

/// Writes the archive that a pack leads to.
private struct PatchedWriter: ArchiveTarget {
  private let files: PatchedFiles
  private let output: Pack.Output
  /// The bytes of the file whose checksum was computed last.
  private var held: [UInt8] = []

  var placesStart: Int64 { 0 }

  init(_ files: PatchedFiles, _ output: Pack.Output) { (self.files, self.output) = (files, output) }

  mutating func checksum(of file: ArchivedFile?, at start: Int64) throws(PackError) -> UInt32 {
    held = try file.map { (file) throws(PackError) in try files.bytes(of: file) } ?? files.manifestBytes
    return Checksum.crc32(held)
  }

  mutating func putContent(of file: ArchivedFile?) throws(PackError) {
    try output.write(held)
    held = []
  }

  mutating func put(_ bytes: [UInt8], of part: () -> String) throws(PackError) { try output.write(bytes) }

  func finish(placesStart: Int64) throws(PackError) { try output.finishArchive(placesStart: placesStart) }
}
