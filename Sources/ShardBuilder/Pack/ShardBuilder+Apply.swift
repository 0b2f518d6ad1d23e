import CSystem
import ShardedIndex

/// What applying a pack did.
public struct ApplySummary: Sendable, Equatable {
  /// Whether the index was what the pack leads to before: then nothing was read of it but its header, and nothing written.
  public var wasThere = false
  /// Shards of the pack that were written.
  public var shardsWritten = 0
  /// Shards of the pack that lay there already, such as after an apply that was killed.
  public var shardsKept = 0
  /// Of the generation that is there now.
  public var shardCount = 0
  /// SHA-256 of the manifest that is there now, in hexadecimal.
  public var digest = ""
}

extension ShardBuilder {
  /// Brings the index in `directory` from the generation that the pack begins with to the one it ends with.
  ///
  /// Who reads the index is not disturbed. Killed at any moment, it leaves the one generation or the other, and may be
  /// called again. Memory holds two manifests and two shards, whatever the size of the pack, which is read once from
  /// front to back. Nothing of it is used before its digest was compared.
  ///
  /// - Parameters:
  ///   - pack: A path; `-` is standard input.
  ///   - expected: The manifest that the pack must lead to; nil for any.
  /// - Throws: ``PackError``; the index is as it was.
  public static func apply(
    pack: String, to directory: String, expecting expected: ManifestDigest? = nil
  ) throws(PackError) -> ApplySummary {
    let input = try Pack.Input(pack)
    let header = try Pack.Header(input.bytes(Pack.Header.size), of: pack)
    if let expected, expected.bytes != header.new {
      throw .unexpected(path: pack, found: Pack.hexadecimal(header.new), expected: expected.description)
    }
    // Looked at before anything is locked or made: an index that is there already may be on a medium that nobody writes.
    if try old(header, in: directory, Pack.Generation(opening: directory)) == nil {
      return try wasThere(header, directory)
    }
    let publisher: Publisher
    do throws(BuildError) { publisher = try Publisher(directory: directory) } catch { throw .build(error) }
    // Another build may have ended meanwhile.
    let held = try Pack.Generation { () throws(IndexError) in try publisher.openDirectory() }
    guard let old = try old(header, in: directory, held) else { return try wasThere(header, directory) }
    var applier = Applier(old: old, header: header, input: input, publisher)
    // What is known of shards lies in their manifests.
    defer { withExtendedLifetime((old.index, applier.new)) {} }
    let manifest = try applier.manifest()
    var summary = ApplySummary(shardCount: applier.shards.count, digest: Pack.hexadecimal(header.new))
    let places = try Pack.shipped(from: old.shards, to: applier.shards) { reason in
      .damagedPack(path: pack, reason: "\(reason)")
    }
    guard places.count == header.shards else {
      throw .damagedPack(
        path: pack, reason: "holds \(header.shards) shards where its manifest needs \(places.count)")
    }
    try applier.checkKept(except: Set(places))
    for place in places {
      let (name, bytes) = try applier.shard(place)
      do throws(BuildError) {
        switch try publisher.add(name, bytes) {
        case .kept: summary.shardsKept += 1
        default: summary.shardsWritten += 1
        }
      } catch {
        throw .build(error)
      }
    }
    try input.finish()
    do throws(BuildError) {
      _ = try publisher.publish(manifest: manifest, previous: old.shards.map(\.fileName))
    } catch {
      throw .build(error)
    }
    return summary
  }

  /// - Returns: What is there, if the pack begins with it; nil if it is what the pack ends with.
  private static func old(
    _ header: Pack.Header, in directory: String, _ generation: Pack.Generation
  ) throws(PackError) -> Pack.Generation? {
    if generation.digest == header.new { return nil }
    guard generation.digest == header.old, generation.manifest.count == header.oldSize else {
      throw .doesNotFit(
        directory: directory, found: Pack.hexadecimal(generation.digest), from: Pack.hexadecimal(header.old),
        to: Pack.hexadecimal(header.new))
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
    return ApplySummary(wasThere: true, digest: Pack.hexadecimal(header.new))
  }
}

/// Puts files together from what is there and what a pack says.
private struct Applier {
  private let old: Pack.Generation
  private let header: Pack.Header
  private let input: Pack.Input
  private let publisher: Publisher
  /// Of the new generation, once its manifest was read; they lead into `new`.
  private(set) var shards: [Manifest.Shard] = []
  private(set) var new: Manifest?
  /// Old shards that were copied from, by their places: neighbours often have the same.
  private var held: [Int: [UInt8]] = [:]

  init(old: Pack.Generation, header: Pack.Header, input: Pack.Input, _ publisher: Publisher) {
    (self.old, self.header, self.input, self.publisher) = (old, header, input, publisher)
  }

  private func damaged(_ reason: String) -> PackError { .damagedPack(path: input.path, reason: reason) }

  /// Reads the pieces of a file of `size` bytes and hands out its bytes.
  private func put(
    _ size: Int, copy: (Pack.Piece) throws(PackError) -> Void,
    literal: (UnsafeRawBufferPointer) throws(PackError) -> Void
  ) throws(PackError) {
    var count = try input.bytes(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    var left = size
    while count > 0 {
      let piece = try Pack.Piece(input.bytes(Pack.Piece.size), left: left, of: input.path)
      if piece.copied > 0 { try copy(piece) }
      try input.take(piece.literal, literal)
      left -= piece.copied + piece.literal
      count -= 1
    }
    guard left == 0 else { throw damaged("has pieces that leave \(left) bytes of a file out") }
  }

  /// The new manifest, checked.
  ///
  /// It goes through a file that has no name, so that it is held in memory only when all of it is known to be one.
  mutating func manifest() throws(PackError) -> [UInt8] {
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
    func write(_ bytes: UnsafeRawBufferPointer) throws(PackError) {
      hash.update(bytes)
      do throws(BuildError) {
        try SystemFile.write(bytes, to: descriptor, path: publisher.directory)
      } catch {
        throw .build(error)
      }
    }
    try put(header.newSize) { (piece) throws(PackError) in
      // Copies that ascend make no more of the old manifest than there is: a small pack cannot fill a disk.
      guard piece.source == 0, piece.offset >= behind, piece.copied <= old.manifest.count,
        piece.offset <= old.manifest.count - piece.copied
      else { throw damaged("has a piece of its manifest that is not in the old one") }
      behind = piece.offset + piece.copied
      let run = Array(old.manifest[piece.offset..<behind])
      var failure: PackError?
      run.withUnsafeBytes { bytes in
        do throws(PackError) { try write(bytes) } catch { failure = error }
      }
      if let failure { throw failure }
    } literal: { (bytes) throws(PackError) in
      try write(bytes)
    }
    guard hash.finish() == header.new else { throw damaged("has another manifest than its digest says") }
    do throws(IndexError) {
      isOwned = false
      let manifest = try Manifest(descriptor: descriptor, of: old.index.directory)
      shards = try manifest.shards()
      new = manifest
      return try manifest.fileBytes()
    } catch {
      if case .corrupt(_, let cause) = error { throw damaged("has a manifest that \(cause)") }
      throw .index(error)
    }
  }

  /// Sees to it that the shards which are not shipped are there.
  func checkKept(except places: Set<Int>) throws(PackError) {
    // Two shards with the same content are one file, which may be shipped for the first of them.
    let shipped = Set(places.map { shards[$0].fileName })
    for shard in shards where !places.contains(shard.number) {
      let name = shard.fileName
      if shipped.contains(name) { continue }
      let path = old.index.directory.filePath(name)
      var status = stat()
      guard SystemFile.retrying({ fstatat(publisher.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) }) == 0 else {
        throw errno == ENOENT
          ? .damagedShard(path: path, reason: "is missing")
          : .build(.io(operation: "examine", path: path, errno: errno))
      }
      guard status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == shard.file.size else {
        throw .damagedShard(path: path, reason: "is not what the manifest says")
      }
    }
  }

  /// A shard that is shipped: its file's name and content.
  mutating func shard(_ place: Int) throws(PackError) -> (name: String, bytes: [UInt8]) {
    let shard = shards[place]
    let size = shard.file.size
    guard size <= Pack.shardLimit else {
      throw damaged("has a shard of \(size) bytes; no pack holds one of more than \(Pack.shardLimit)")
    }
    var bytes: [UInt8] = []
    var held = held
    var sources: Set<Int> = []
    try put(size) { (piece) throws(PackError) in
      guard piece.source >= 1, piece.source <= old.shards.count else {
        throw damaged("has a piece of a shard that the old index does not have")
      }
      let number = piece.source - 1
      let source = old.shards[number]
      guard source.file.size <= Pack.shardLimit, piece.copied <= source.file.size,
        piece.offset <= source.file.size - piece.copied
      else { throw damaged("has a piece that is not in the shard it names") }
      if sources.insert(number).inserted {
        // Each is read and hashed whole: a few bytes of pack must not ask for that over and over.
        guard sources.count <= Pack.sourceLimit else {
          throw damaged("has a shard of more than \(Pack.sourceLimit) old ones")
        }
        if held[number] == nil {
          let bytes = try old.file(source)
          if held.count == Pack.sourceLimit { held = held.filter { sources.contains($0.key) } }
          held[number] = bytes
        }
      }
      bytes.append(contentsOf: held[number]![piece.offset..<piece.offset + piece.copied])
    } literal: { (run) throws(PackError) in
      bytes.append(contentsOf: run)
    }
    self.held = held
    guard Digest.sha256(bytes).prefix(16).elementsEqual(shard.digest) else {
      throw damaged("has another shard \(place) than its manifest says")
    }
    return (shard.fileName, bytes)
  }
}
