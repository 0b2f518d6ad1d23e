import CLibrary
import ShardedIndex

/// The files that a repair replaced, and the remaining damage.
public struct RepairSummary: Sendable, Equatable {
  public struct Damage: Sendable, Equatable {
    /// The path of the file.
    public var file: String
    public var reason: String
  }

  /// The names of the replaced files: the manifest, shards in their order, the overlay.
  public var repaired: [String] = []
  /// The size of these files in bytes.
  public var bytes = 0
  /// The damage that a verification of the index found afterwards.
  public var damage: [Damage] = []

  public var isSound: Bool { damage.isEmpty }
}

/// The reason why an index was not repaired. The index stays as it was.
@nonexhaustive
public enum RepairError: Error, Equatable, Sendable {
  /// The system refused an operation, or a build is running.
  case build(BuildError)
  /// The index or the copy does not exist, or the manifests of both are damaged.
  case index(IndexError)
  /// The copy is the index itself.
  case sameDirectory(path: String)
  /// The manifest is damaged, and nothing proves that the copy has the right one.
  case unprovenManifest(path: String, reason: String)
  /// The overlay is damaged, and nothing proves that the copy has all of its changes.
  case unprovenOverlay(path: String)
}

extension RepairError: CustomStringConvertible {
  public var description: String { message.description }

  /// The message, with settings that the library or a command names.
  package var message: BuildMessage {
    switch self {
    case .build(let error): error.message
    case .index(let error): "\(error)"
    case .sameDirectory(let path): "\(path) is the index itself; name a copy of it"
    case .unprovenManifest(let path, let reason):
      """
      \(path) is damaged, and nothing proves that the copy has the right manifest: \(reason); give the right digest \
      with \(.expectedDigest), or take the copy's manifest with \(.takesUnproven)
      """
    case .unprovenOverlay(let path):
      """
      \(path) is damaged, and the copy may lack some of its changes; \(.takesUnproven) takes the copy's \
      overlay nevertheless
      """
    }
  }
}

extension ShardBuilder {
  /// Replaces the damaged files of the index in `directory` by the files of a copy.
  ///
  /// Reads every shard of the index, and the files of the copy that the index needs. A shard may come from any copy,
  /// because the manifest has its digest. A manifest comes only from a copy that is proven to have the same one. There
  /// are three proofs: the manifest's digest; a sound root of the index, which has the checksums of all other frames;
  /// or, with a damaged root, all other frames, and the bytes of the root that do not follow from them, such as field
  /// names and settings. Ranks that differ from the records are damage: they come from a copy that has right ranks and
  /// otherwise the same manifest. The copy's overlay replaces a damaged overlay of the same generation if both have the
  /// same size and checksum. If the checksum is damaged, both must have the same bytes under the checksum.
  ///
  /// - Parameters:
  ///   - expected: The digest of the index's manifest, if known. Then a copy with this digest needs no other proof, and
  ///     no other copy is used.
  ///   - takesUnproven: Whether the copy's manifest and overlay may replace damaged ones without that proof.
  ///   - progress: Called from time to time, on the caller's thread.
  /// - Throws: ``RepairError``; the index stays as it was.
  public static func repair(
    _ directory: String, from copy: String, expecting expected: ManifestDigest? = nil, takesUnproven: Bool = false,
    progress: ((FileProgress) -> Void)? = nil
  ) throws(RepairError) -> RepairSummary {
    var repair = try Repair(directory, from: copy, expecting: expected, takesUnproven: takesUnproven)
    defer { withExtendedLifetime((repair.generation, repair.entries)) {} }
    try repair.findShards(takesUnproven: takesUnproven)
    try repair.findEntries()
    try repair.findOverlay(takesUnproven: takesUnproven)
    try repair.mendShards(progress)
    try repair.mendSides()
    try repair.publish()
    do throws(Verifier.VerifyError) {
      _ = try Verifier.verify(
        index: directory,
        progress: { progress?(FileProgress(phase: .verifying, done: $0.done, total: $0.total)) }
      ) { finding in
        switch finding {
        case .damage(let file, let reason), .unread(let file, let reason):
          repair.summary.damage.append(.init(file: file, reason: reason))
        default: break
        }
      }
    } catch {
      guard case .index(let error) = error else { preconditionFailure("there is no dataset") }
      throw .index(error)
    }
    return repair.summary
  }
}

private struct Repair {
  var summary = RepairSummary()

  private let index: IndexDirectory
  private let copy: IndexDirectory
  /// The places of the copy's files by name, if the copy is an archive.
  private let places: [String: ArchivePlace]
  private let expected: ManifestDigest?
  /// The publisher locks the index: no build may remove a file during the repair.
  private let publisher: Publisher
  private var shards: [Manifest.Shard] = []
  /// The manifest of the shards.
  private(set) var generation: ManifestReader?
  /// The manifest of the entries, to which the last of the shards belong.
  private(set) var entries: ManifestReader?
  /// The bytes that replace a damaged manifest.
  private var manifest: [UInt8]?
  /// The bytes that replace a damaged overlay.
  private var overlay: [UInt8]?

  init(
    _ directory: String, from path: String, expecting expected: ManifestDigest?, takesUnproven: Bool
  ) throws(RepairError) {
    self.expected = expected
    // A repair creates nothing in a directory without an index.
    let named = try Self.reading { () throws(IndexError) in try IndexDirectory(opening: directory) }
    try Self.building { () throws(BuildError) in try Publisher.refuse(archive: named) }
    copy = try Self.reading { () throws(IndexError) in try IndexDirectory(opening: path) }
    var (own, other) = (stat(), stat())
    for (path, status) in unsafe [(directory, stat(directory, &own)), (path, stat(path, &other))] where status != 0 {
      throw .build(.io(operation: "examine", path: path, errno: errno))
    }
    guard own.st_dev != other.st_dev || own.st_ino != other.st_ino else { throw .sameDirectory(path: path) }
    let publisher = try Self.building { () throws(BuildError) in
      try Publisher(directory: directory, provesReplaced: false)
    }
    index = try Self.reading { () throws(IndexError) in try publisher.openDirectory() }
    self.publisher = publisher
    places = ArchivedFiles.places(in: copy)
  }

  private static func reading<Value>(_ body: () throws(IndexError) -> Value) throws(RepairError) -> Value {
    do throws(IndexError) { return try body() } catch { throw .index(error) }
  }

  private static func building<Value>(_ body: () throws(BuildError) -> Value) throws(RepairError) -> Value {
    do throws(BuildError) { return try body() } catch { throw .build(error) }
  }

  /// Finds the shards that should exist: in the index's manifest, or, if that is damaged, in the copy's.
  mutating func findShards(takesUnproven: Bool) throws(RepairError) {
    var own: ShardedIndex?
    var weights: [[UInt64]?]?
    do throws(IndexError) {
      // The overlay stays, because the manifest does.
      own = try ShardedIndex(publisher.openDirectory(), options: .init(), readsOverlay: false)
      shards = try Self.allShards(of: own!.generation.manifest, readsRanks: false)
      generation = own!.generation.manifest
      weights = try RankRepair.weights(of: own!, shards)
      guard let weights, try RankRepair.isWrong(own!.generation.manifest, weights) else { return }
    } catch {
      if case .io = error { throw .index(error) }
    }
    let other = try Self.reading { () throws(IndexError) in
      try ShardedIndex(copy, options: .init(), readsOverlay: false).generation.manifest
    }
    // A copy's manifest with any fault is not used, with or without a proof.
    shards = try Self.reading { () throws(IndexError) in try Self.allShards(of: other) }
    let bytes = try Self.reading { () throws(IndexError) in try other.fileBytes() }
    if !takesUnproven {
      let doubt =
        if let weights, let generation {
          try doubt(bytes, of: other, insteadOf: generation, weights)
        } else {
          try doubt(bytes, isRootSound: own != nil)
        }
      if let doubt { throw .unprovenManifest(path: index.filePath(Manifest.fileName), reason: doubt) }
    }
    (generation, manifest) = (other, bytes)
  }

  /// Returns all shards of a manifest after a read of all its frames, except for the ranks if they are compared later.
  private static func allShards(
    of generation: ManifestReader, readsRanks: Bool = true
  ) throws(IndexError) -> [Manifest.Shard] {
    let shards = try generation.shards()
    _ = try generation.notes()
    _ = try generation.densityGrid()
    _ = try generation.sidePages()
    _ = try generation.entriesHead()
    if let first = try NumberCheck(of: generation)?.unreadable.min(by: { $0.key < $1.key }) { throw first.value }
    try generation.checkFrames()
    if readsRanks, let first = try RankCheck(of: generation)?.unreadable.min(by: { $0.key < $1.key }) {
      throw first.value
    }
    return shards
  }

  /// Returns the reason why the copy's manifest may differ from the original of the damaged one; nil if it is the
  /// original.
  private func doubt(_ bytes: [UInt8], isRootSound: Bool) throws(RepairError) -> String? {
    if let expected {
      let digest = Digest.sha256(bytes)
      return digest == expected.bytes ? nil : "the copy's has the digest \(Digest.hexadecimal(digest))"
    }
    let root = ZstdFrame.frames(of: bytes).first?.count ?? bytes.count
    let found = try foundBytes(of: Manifest.fileName, in: index, limit: bytes.count + 1)
    // A root has the checksums of its pages, of notes and of the map.
    if isRootSound { return found.starts(with: bytes[..<root]) ? nil : "the copy is of another generation" }
    return RootProof(bytes: bytes, rootSize: root).doubt(found)
  }

  /// Returns whether a manifest has an overlay, sound or not.
  private func hasOverlay(beside manifest: ManifestReader) -> Bool {
    do throws(IndexError) { return try manifest.overlay(of: index) != nil } catch { return true }
  }

  /// Returns the reason why the copy's manifest may not be the right one for an index with wrong ranks; nil if it is.
  private func doubt(
    _ bytes: [UInt8], of other: ManifestReader, insteadOf own: ManifestReader, _ weights: [[UInt64]?]
  ) throws(RepairError) -> String? {
    if expected != nil { return try doubt(bytes, isRootSound: true) }
    let found = try Self.reading { () throws(IndexError) in try own.fileBytes() }
    guard let range = other.ranksRange, let ownRange = own.ranksRange, range.lowerBound == ownRange.lowerBound,
      bytes[range.upperBound...] == found[ownRange.upperBound...]
    else { return "the copy is of another generation" }
    let start = range.lowerBound
    let root = ZstdFrame.frames(of: bytes).first?.count ?? bytes.count
    let isWrong = try Self.reading { () throws(IndexError) in try RankRepair.isWrong(other, weights) }
    if isWrong { return "the copy's ranks are wrong as well" }
    if found.starts(with: bytes[..<root]) { return nil }
    if hasOverlay(beside: own) { return "the overlay belongs to the wrong ranks; to keep its changes, build again" }
    return RootProof(bytes: Array(bytes[..<start]), rootSize: root).doubt(Array(found[..<start]))
  }

  /// Returns the bytes of a file that may be damaged, at most `limit`; no bytes if it is not a regular file.
  private func foundBytes(
    of name: String, in directory: IndexDirectory, limit: Int
  ) throws(RepairError) -> [UInt8] {
    let path = directory.filePath(name)
    let file = directory.descriptor(of: name)
    guard file >= 0 else { return [] }
    defer { _ = close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
    return try Self.building { () throws(BuildError) in
      try SystemFile.bytes(of: file, limit: limit, path: path)
    }
  }

  /// Finds the replacement of a damaged overlay, if there is one.
  mutating func findOverlay(takesUnproven: Bool) throws(RepairError) {
    guard let generation else { return }
    do throws(IndexError) {
      _ = try generation.overlay(of: index)
      return
    } catch {
      guard case .corrupt = error else { throw .index(error) }
    }
    guard let other = try? generation.overlay(of: copy) else { return }
    overlay = unsafe Array(other.bytes)
    withExtendedLifetime(other) {}
    if takesUnproven { return }
    let damaged = try foundBytes(of: Overlay.fileName, in: index, limit: Overlay.sizeLimit + 1)
    guard let overlay, Overlay.isCopy(overlay, ofDamaged: damaged) else {
      throw .unprovenOverlay(path: index.filePath(Overlay.fileName))
    }
  }

  /// Finds the shards of the entries, and replaces their manifest if it is damaged here and sound in the copy.
  mutating func findEntries() throws(RepairError) {
    guard let generation, let head = try Self.reading({ () throws(IndexError) in try generation.entriesHead() })
    else { return }
    do throws(IndexError) {
      let own = try ManifestReader(
        ofEntries: head, in: index, at: nil, contexts: DecompressorPool(), keeping: .max, checksDigest: true)
      shards += try own.shards()
      entries = own
      return
    } catch {
      if case .io = error { throw .index(error) }
    }
    let name = head.fileName.text
    guard
      let other = try? ManifestReader(
        ofEntries: head, in: copy, at: places[name], contexts: DecompressorPool(), keeping: .max, checksDigest: true),
      let bytes = try? other.fileBytes(), let found = try? other.shards()
    else { return }
    _ = try Self.building { () throws(BuildError) in try publisher.add(name, bytes) }
    summary.repaired.append(name)
    summary.bytes += bytes.count
    shards += found
    entries = other
  }

  /// Replaces the shards that are damaged here and sound in the copy.
  mutating func mendShards(_ progress: ((FileProgress) -> Void)?) throws(RepairError) {
    let (shards, index) = (shards, index)
    var damaged: [Int] = []
    var given = 0
    try Self.building { () throws(BuildError) in
      try WorkerPool.orderedMap(
        threads: WorkerPool.availableThreads,
        next: { () throws(BuildError) -> Int? in
          given += 1
          return given <= shards.count ? given - 1 : nil
        },
        transform: { (number) throws(BuildError) in
          (number: number, isSound: (try? ShardFile(shards[number], at: nil).check(in: index)) != nil)
        },
        deliver: { (shard) throws(BuildError) in
          if !shard.isSound { damaged.append(shard.number) }
          progress?(FileProgress(phase: .comparing, done: shard.number + 1, total: shards.count))
        })
    }
    var seen: Set<String> = []
    for number in damaged {
      let name = shards[number].fileName
      let file = ShardFile(shards[number], at: places[name])
      guard let bytes = try? file.bytes(in: copy) else { continue }
      try mend(name, bytes, &seen)
    }
  }

  /// Replaces the side files that are damaged here and sound in the copy.
  mutating func mendSides() throws(RepairError) {
    let (generation, entries) = (generation, entries)
    let sides = try Self.reading { () throws(IndexError) in
      (try generation?.sidePages() ?? []) + (try entries?.sidePages() ?? [])
    }
    var seen: Set<String> = []
    for side in sides where (try? ShardFile(side, at: nil).check(in: index)) == nil {
      let name = side.fileName.text
      guard let bytes = try? ShardFile(side, at: places[name]).bytes(in: copy) else { continue }
      try mend(name, bytes, &seen)
    }
  }

  /// Replaces a damaged file; once, if several files have its content.
  private mutating func mend(_ name: String, _ bytes: [UInt8], _ seen: inout Set<String>) throws(RepairError) {
    // A directory in place of the file cannot be replaced; the verification names it.
    var status = stat()
    let isDirectory =
      unsafe fstatat(publisher.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
      && status.st_mode & S_IFMT == S_IFDIR
    guard seen.insert(name).inserted, !isDirectory else { return }
    _ = try Self.building { () throws(BuildError) in try publisher.add(name, bytes) }
    summary.repaired.append(name)
    summary.bytes += bytes.count
  }

  mutating func publish() throws(RepairError) {
    let (manifest, overlay) = (manifest, overlay)
    if let overlay {
      // The overlay names the sound manifest, even if that follows later.
      try Self.building { () throws(BuildError) in try publisher.replace(damagedOverlay: overlay) }
      summary.bytes += overlay.count
      summary.repaired.append(Overlay.fileName)
    }
    if let manifest {
      // The shards of the damaged manifest's readers are unknown, so no shard is removed.
      _ = try Self.building { () throws(BuildError) in
        try publisher.publish(manifest: manifest, previous: nil, overlay: .kept)
      }
      summary.repaired.insert(Manifest.fileName, at: 0)
      summary.bytes += manifest.count
    } else if !summary.repaired.isEmpty {
      try Self.building { () throws(BuildError) in try publisher.finish() }
    }
  }
}
