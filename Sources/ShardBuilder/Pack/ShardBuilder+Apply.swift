import CLibrary
import ShardedIndex

/// The counts of what applying a pack did.
public struct ApplySummary: Sendable, Equatable {
  /// Whether the index was what the pack leads to before: then only the pack's header was read, and nothing written.
  public var wasThere = false
  /// Shards of the pack that were written.
  public var shardsWritten = 0
  /// Shards of the pack that were there already, such as after an apply that was killed.
  public var shardsKept = 0
  /// The number of shards of the generation that is there now.
  public var shardCount = 0
  /// SHA-256 of the manifest that is there now, in hexadecimal.
  public var digest = ""
}

extension ShardBuilder {
  /// Brings the index in `directory` from the generation that the pack begins with to the one it ends with.
  ///
  /// Readers of the index are not disturbed. If `apply` is killed at any moment, one generation or the other is there,
  /// and it may be called again. Memory holds two manifests and two shards, whatever the size of the pack, which is
  /// read once from front to back. Nothing of it is used before its digest was compared.
  ///
  /// - Parameters:
  ///   - pack: A path; `-` is standard input.
  ///   - expected: The manifest that the pack must lead to; nil for any.
  ///   - progress: Called for each file of the pack, on the caller's thread.
  /// - Throws: ``PackError``; the index is as it was.
  public static func apply(
    pack: String, to directory: String, expecting expected: ManifestDigest? = nil,
    progress: ((FileProgress) -> Void)? = nil
  ) throws(PackError) -> ApplySummary {
    let input = try Pack.Input(pack)
    let header = try Pack.Header(input.bytes(Pack.Header.size), of: pack)
    if let expected, expected.bytes != header.new {
      throw .unexpected(path: pack, found: Digest.hexadecimal(header.new), expected: expected.description)
    }
    // This comes before anything is locked or made: an index that is there already may be on a read-only medium.
    let found = try Pack.Generation(opening: directory)
    do throws(BuildError) { try Publisher.refuse(archive: found.index.directory) } catch { throw .build(error) }
    if try old(header, in: directory, found) == nil {
      return try wasThere(header, directory)
    }
    let publisher: Publisher
    do throws(BuildError) { publisher = try Publisher(directory: directory) } catch { throw .build(error) }
    // Another build may have ended meanwhile.
    let held = try Pack.Generation { () throws(IndexError) in try publisher.openDirectory() }
    guard let old = try old(header, in: directory, held) else { return try wasThere(header, directory) }
    var applier = Applier(old: old, input: input, publisher)
    // What is known of shards lies in their manifests.
    defer { withExtendedLifetime((old.index, applier.new)) {} }
    let manifest = try applier.manifest(size: header.newSize, digest: header.new)
    var summary = ApplySummary(shardCount: applier.shards.count, digest: Digest.hexadecimal(header.new))
    var done = 0
    let step = {
      done += 1
      progress?(FileProgress(phase: .applying, done: done, total: header.shards))
    }
    var shipped = try applier.addFiles(to: &summary, step: step)
    if let head = try applier.entriesHead() {
      shipped += try addEntries(head, from: old.entries.first, input, publisher, &summary, step: step)
    }
    guard shipped == header.shards else {
      throw .damagedPack(path: pack, reason: "holds \(header.shards) files where its manifests need \(shipped)")
    }
    try input.finish()
    do throws(BuildError) {
      _ = try publisher.publish(manifest: manifest, previous: old.fileNames)
    } catch {
      throw .build(error)
    }
    return summary
  }

  /// Adds the files of the entries, unless they are there; returns the number of shards that the pack holds of them.
  private static func addEntries(
    _ head: EntriesHead, from old: Pack.Generation?, _ input: Pack.Input, _ publisher: Publisher,
    _ summary: inout ApplySummary, step: () -> Void
  ) throws(PackError) -> Int {
    if let old, old.digest.starts(with: head.digest) {
      summary.shardCount += old.shards.count
      return 0
    }
    var applier = Applier(old: old, input: input, publisher)
    defer { withExtendedLifetime((old?.index, applier.new)) {} }
    let manifest = try applier.manifest(size: head.fileSize, digest: head.digest)
    guard let new = applier.new, UInt32(truncatingIfNeeded: new.rootChecksum) == head.rootChecksum else {
      throw .damagedPack(path: input.path, reason: "has a manifest of entries with another root than it says")
    }
    summary.shardCount += applier.shards.count
    do throws(BuildError) { _ = try publisher.add(head.fileName.text, manifest) } catch { throw .build(error) }
    return try applier.addFiles(to: &summary, step: step)
  }

  /// Returns the generation that is there, if the pack begins with it; nil if it is the one that the pack ends with.
  private static func old(
    _ header: Pack.Header, in directory: String, _ generation: Pack.Generation
  ) throws(PackError) -> Pack.Generation? {
    if generation.digest == header.new { return nil }
    guard generation.digest == header.old, generation.manifest.count == header.oldSize else {
      throw .doesNotFit(
        directory: directory, found: Digest.hexadecimal(generation.digest), from: Digest.hexadecimal(header.old),
        to: Digest.hexadecimal(header.new))
    }
    return generation
  }

  private static func wasThere(_ header: Pack.Header, _ directory: String) throws(PackError) -> ApplySummary {
    // The one that brought it there may have been killed before it knew that a power cut leaves it there.
    let file = SystemFile.open(directory, in: AT_FDCWD, O_RDONLY | O_DIRECTORY)
    guard file >= 0 else { throw .build(.io(operation: "open directory", path: directory, errno: errno)) }
    defer { _ = close(file) }
    do throws(BuildError) {
      try SystemFile.sync(file, path: directory)
    } catch {
      // A medium that nobody writes to has nothing to lose.
      guard case .io(_, _, let code) = error, code == EROFS || code == EINVAL else { throw .build(error) }
    }
    return ApplySummary(wasThere: true, digest: Digest.hexadecimal(header.new))
  }
}

/// The applier of a pack: it puts files together from the old generation and the bytes of the pack.
private struct Applier {
  /// nil where there is nothing to copy from.
  private let old: Pack.Generation?
  private let input: Pack.Input
  private let publisher: Publisher
  /// The shards of the new generation, once its manifest was read; they lead into `new`.
  private(set) var shards: [Manifest.Shard] = []
  /// All files of the new generation, likewise.
  private(set) var files: [Pack.File] = []
  private(set) var new: ManifestReader?
  /// Old files that were copied from, by number: neighbours often have the same.
  private var held: [Int: [UInt8]] = [:]

  init(old: Pack.Generation?, input: Pack.Input, _ publisher: Publisher) {
    (self.old, self.input, self.publisher) = (old, input, publisher)
  }

  /// The files to copy from.
  private var oldFiles: [Pack.File] { old?.files ?? [] }

  /// Returns where the entries of the new generation are; nil if it has none.
  func entriesHead() throws(PackError) -> EntriesHead? {
    do throws(IndexError) {
      return try new?.entriesHead()
    } catch {
      if case .corrupt(_, let cause) = error { throw damaged("has a manifest that \(cause)") }
      throw .index(error)
    }
  }

  /// Adds the files that the old generation lacks, and calls `step` after each; returns their number.
  mutating func addFiles(to summary: inout ApplySummary, step: () -> Void) throws(PackError) -> Int {
    let path = input.path
    let numbers = try Pack.shipped(from: oldFiles, to: files) { .damagedPack(path: path, reason: $0) }
    try checkKept(except: Set(numbers))
    for number in numbers {
      let (name, bytes) = try file(number)
      do throws(BuildError) {
        let outcome = try publisher.add(name, bytes)
        step()
        if !files[number].isShard { continue }
        if outcome == .kept { summary.shardsKept += 1 } else { summary.shardsWritten += 1 }
      } catch {
        throw .build(error)
      }
    }
    return numbers.count
  }

  private func damaged(_ reason: String) -> PackError { .damagedPack(path: input.path, reason: reason) }

  /// Reads the segments of a file of `size` bytes and hands out its bytes.
  private func put(
    _ size: Int, copy: (Pack.Segment) throws(PackError) -> Void,
    literal: (Span<UInt8>) throws(PackError) -> Void
  ) throws(PackError) {
    var count = try input.bytes(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    var left = size
    while count > 0 {
      let segment = try Pack.Segment(input.bytes(Pack.Segment.size), left: left, of: input.path)
      if segment.copied > 0 { try copy(segment) }
      try input.take(segment.literal, literal)
      left -= segment.copied + segment.literal
      count -= 1
    }
    guard left == 0 else { throw damaged("has pieces that leave \(left) bytes of a file out") }
  }

  /// Returns the new manifest, checked.
  ///
  /// - Parameters:
  ///   - size: Its size, in bytes.
  ///   - digest: Its SHA-256, or the beginning of that.
  ///
  /// It goes through a file that has no name, so that it is held in memory only when all of it is known to be one.
  mutating func manifest(size: Int, digest: [UInt8]) throws(PackError) -> [UInt8] {
    let descriptor: CInt
    do throws(BuildError) {
      descriptor = try SystemFile.openTemporary(in: publisher.runDirectory)
    } catch {
      throw .build(error)
    }
    var isOwned = true
    defer { if isOwned { _ = close(descriptor) } }
    var hash = Digest.Stream()
    var behind = 0
    func write(_ bytes: [UInt8]) throws(PackError) {
      unsafe hash.update(bytes.span.bytes)
      do throws(BuildError) {
        try SystemFile.write(bytes, to: descriptor, path: publisher.directory)
      } catch {
        throw .build(error)
      }
    }
    let before = old?.manifest ?? []
    try put(size) { (segment) throws(PackError) in
      // Copies that ascend make no more of the old manifest than there is: a small pack cannot fill a disk.
      guard segment.source == 0, segment.offset >= behind, segment.copied <= before.count,
        segment.offset <= before.count - segment.copied
      else { throw damaged("has a piece of its manifest that is not in the old one") }
      behind = segment.offset + segment.copied
      try write(Array(before[segment.offset..<behind]))
    } literal: { (run) throws(PackError) in
      try write(Array(copying: run))
    }
    guard hash.finish().starts(with: digest) else { throw damaged("has another manifest than its digest says") }
    do throws(IndexError) {
      isOwned = false
      let manifest = try ManifestReader(descriptor: descriptor, of: publisher.openDirectory())
      shards = try manifest.shards()
      files = try Pack.File.all(of: manifest, shards)
      new = manifest
      return try manifest.fileBytes()
    } catch {
      if case .corrupt(_, let cause) = error { throw damaged("has a manifest that \(cause)") }
      throw .index(error)
    }
  }

  /// Checks that the files which are not shipped are there.
  func checkKept(except numbers: Set<Int>) throws(PackError) {
    // Two shards with the same content are one file, which may be shipped for the first of them.
    let shipped = Set(numbers.map { files[$0].name.text })
    for (number, file) in files.enumerated() where !numbers.contains(number) {
      let name = file.name.text
      if shipped.contains(name) { continue }
      let path = publisher.path(name)
      var status = stat()
      guard retrying({ unsafe fstatat(publisher.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) }) == 0 else {
        throw errno == ENOENT
          ? .damagedShard(path: path, reason: "is missing")
          : .build(.io(operation: "examine", path: path, errno: errno))
      }
      guard status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == file.size else {
        throw .damagedShard(path: path, reason: "is not what the manifest says")
      }
    }
  }

  /// Returns the name and the content of a shipped file.
  mutating func file(_ number: Int) throws(PackError) -> (name: String, bytes: [UInt8]) {
    let file = files[number]
    let size = file.size
    guard size <= Pack.shardLimit else {
      throw damaged("has a shard of \(size) bytes; no pack holds one of more than \(Pack.shardLimit)")
    }
    var bytes: [UInt8] = []
    var held = held
    var sources: Set<Int> = []
    try put(size) { (segment) throws(PackError) in
      guard segment.source >= 1, segment.source <= oldFiles.count, let old else {
        throw damaged("has a piece of a shard that the old index does not have")
      }
      let number = segment.source - 1
      let source = old.files[number]
      guard source.size <= Pack.shardLimit, segment.copied <= source.size,
        segment.offset <= source.size - segment.copied
      else { throw damaged("has a piece that is not in the shard it names") }
      if sources.insert(number).inserted {
        // Each is read and hashed whole: a few bytes of pack must not ask for that over and over.
        guard sources.count <= Pack.sourceLimit else {
          throw damaged("has a shard of more than \(Pack.sourceLimit) old ones")
        }
        if held[number] == nil {
          let bytes = try old.bytes(of: source)
          if held.count == Pack.sourceLimit { held = held.filter { sources.contains($0.key) } }
          held[number] = bytes
        }
      }
      bytes.append(contentsOf: held[number]![segment.offset..<segment.offset + segment.copied])
    } literal: { (run) throws(PackError) in
      bytes.append(copying: run)
    }
    self.held = held
    guard Digest.sha256(bytes).starts(with: file.digest) else {
      throw damaged(
        file.isShard
          ? "has another shard \(number) than its manifest says"
          : "has another \(file.name.text) than its manifest says")
    }
    return (file.name.text, bytes)
  }
}
