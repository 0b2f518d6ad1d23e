import CLibrary
import ShardedIndex

/// The counts of an applied pack.
public struct ApplySummary: Sendable, Equatable {
  /// Whether the index had the pack's last generation before. Then only the pack's header was read, and nothing was
  /// written.
  public var wasThere = false
  /// The number of shards from the pack that were written.
  public var shardsWritten = 0
  /// The number of shards from the pack that existed already, for example after an apply that was killed.
  public var shardsKept = 0
  /// The number of shards of the current generation.
  public var shardCount = 0
  /// The SHA-256 of the current manifest, in hexadecimal digits.
  public var digest = ""
}

extension ShardBuilder {
  /// Updates the index in `directory` with a pack, from the pack's first generation to its last.
  ///
  /// Readers of the index go on undisturbed. If `apply` is interrupted, the index has one generation or the other; run
  /// `apply` again. Memory holds two manifests and two shards for a pack of any size. The pack is read once from front
  /// to back, and no part of it is used before a check of its digest.
  ///
  /// - Parameters:
  ///   - pack: The path of the pack; `-` is standard input.
  ///   - expected: The digest of the manifest that the pack must lead to; nil for any manifest.
  ///   - progress: Called for each file of the pack, on the caller's thread.
  /// - Throws: ``PackError``; the index stays as it was.
  public static func apply(
    pack: String, to directory: String, expecting expected: ManifestDigest? = nil,
    progress: ((FileProgress) -> Void)? = nil
  ) throws(PackError) -> ApplySummary {
    let (input, header) = try opened(pack, expecting: expected)
    // This check comes before any lock or file: an index that is up to date may be on a read-only medium.
    let found = try Pack.CheckedIndex(opening: directory)
    do throws(BuildError) { try Publisher.refuse(archive: found.index.directory) } catch { throw .build(error) }
    if try old(header, in: directory, found) == nil {
      return try wasThere(header, directory)
    }
    let publisher: Publisher
    do throws(BuildError) { publisher = try Publisher(directory: directory) } catch { throw .build(error) }
    // Another build may have ended meanwhile.
    let held = try Pack.CheckedIndex { () throws(IndexError) in try publisher.openDirectory() }
    guard let old = try old(header, in: directory, held) else { return try wasThere(header, directory) }
    var applier = Applier(old: old, input: input, publisher)
    // The facts about shards lie in the manifests.
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
      throw .damagedPack(path: pack, reason: "holds \(header.shards) files, and its manifests need \(shipped)")
    }
    try input.finish()
    do throws(BuildError) {
      _ = try publisher.publish(manifest: manifest, previous: old.fileNames)
    } catch {
      throw .build(error)
    }
    return summary
  }

  /// Opens a pack, and reads its header.
  ///
  /// - Parameter expected: The digest of the manifest that the pack must lead to; nil for any manifest.
  private static func opened(
    _ pack: String, expecting expected: ManifestDigest?
  ) throws(PackError) -> (Pack.PackInput, Pack.PackHeader) {
    let input = try Pack.PackInput(pack)
    let header = try Pack.PackHeader(input.bytes(Pack.PackHeader.size), of: pack)
    if let expected, expected.bytes != header.new {
      throw .unexpected(path: pack, found: Digest.hexadecimal(header.new), expected: expected.description)
    }
    return (input, header)
  }

  /// Adds the missing files of the entries; returns the number of shards of the entries in the pack.
  private static func addEntries(
    _ head: EntriesHead, from old: Pack.CheckedIndex?, _ input: Pack.PackInput, _ publisher: Publisher,
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
      throw .damagedPack(path: input.path, reason: "has a manifest of entries with the wrong root")
    }
    summary.shardCount += applier.shards.count
    do throws(BuildError) { _ = try publisher.add(head.fileName.text, manifest) } catch { throw .build(error) }
    return try applier.addFiles(to: &summary, step: step)
  }

  /// Returns the generation of the index, if the pack begins with it; nil if it is the pack's last generation.
  private static func old(
    _ header: Pack.PackHeader, in directory: String, _ generation: Pack.CheckedIndex
  ) throws(PackError) -> Pack.CheckedIndex? {
    if generation.digest == header.new { return nil }
    guard generation.digest == header.old, generation.manifest.count == header.oldSize else {
      throw .doesNotFit(
        directory: directory, found: Digest.hexadecimal(generation.digest), from: Digest.hexadecimal(header.old),
        to: Digest.hexadecimal(header.new))
    }
    return generation
  }

  private static func wasThere(_ header: Pack.PackHeader, _ directory: String) throws(PackError) -> ApplySummary {
    // An earlier apply may have been killed before it knew that the names survive a power cut.
    let file = SystemFile.open(directory, in: AT_FDCWD, O_RDONLY | O_DIRECTORY)
    guard file >= 0 else { throw .build(.io(operation: "open directory", path: directory, errno: errno)) }
    defer { _ = close(file) }
    do throws(BuildError) {
      try SystemFile.sync(file, path: directory)
    } catch {
      // A read-only medium has nothing to lose.
      guard case .io(_, _, let code) = error, code == EROFS || code == EINVAL else { throw .build(error) }
    }
    return ApplySummary(wasThere: true, digest: Digest.hexadecimal(header.new))
  }
}
