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
    let (input, header) = try opened(pack, expecting: expected)
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
    var shipped = try applier.addFiles(with: publisher, to: &summary, step: step)
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

  /// Opens a pack, and reads its header.
  ///
  /// - Parameter expected: The manifest that the pack must lead to; nil for any.
  static func opened(
    _ pack: String, expecting expected: ManifestDigest?
  ) throws(PackError) -> (Pack.Input, Pack.Header) {
    let input = try Pack.Input(pack)
    let header = try Pack.Header(input.bytes(Pack.Header.size), of: pack)
    if let expected, expected.bytes != header.new {
      throw .unexpected(path: pack, found: Digest.hexadecimal(header.new), expected: expected.description)
    }
    return (input, header)
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
    return try applier.addFiles(with: publisher, to: &summary, step: step)
  }

  /// Returns the generation that is there, if the pack begins with it; nil if it is the one that the pack ends with.
  static func old(
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
