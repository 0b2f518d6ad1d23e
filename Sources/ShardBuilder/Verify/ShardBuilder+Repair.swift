import CLibrary
import ShardedIndex

/// The files that a repair brought over, and the damage that is left.
public struct RepairSummary: Sendable, Equatable {
  public struct Damage: Sendable, Equatable {
    /// The path of the file.
    public var file: String
    public var reason: String
  }

  /// The names of the files that were brought over: the manifest, shards in their order, the overlay.
  public var repaired: [String] = []
  /// The size of those files.
  public var bytes = 0
  /// The damage that verifying the index found afterwards.
  public var damage: [Damage] = []

  public var isSound: Bool { damage.isEmpty }
}

/// Why an index was not repaired; it is as it was.
@nonexhaustive
public enum RepairError: Error, Equatable, Sendable {
  /// The system refused something, or a build is running.
  case build(BuildError)
  /// The index or the copy is not there, or the manifest of both is damaged.
  case index(IndexError)
  /// The copy is the index itself.
  case sameDirectory(path: String)
  /// The manifest is damaged, and nothing proves that the copy has the right one.
  case unprovenManifest(path: String, reason: String)
  /// The overlay is damaged, and nothing proves that the copy has all changes that were in it.
  case unprovenOverlay(path: String)
}

extension RepairError: CustomStringConvertible {
  public var description: String { message.description }

  /// The message, for the words of the library or of a command.
  package var message: BuildMessage {
    switch self {
    case .build(let error): error.message
    case .index(let error): "\(error)"
    case .sameDirectory(let path): "\(path) is the index itself: name another copy of it"
    case .unprovenManifest(let path, let reason):
      """
      \(path) is damaged, and nothing proves that the copy has the right one: \(reason); name the right one's digest \
      with \(.expectedDigest), or take the copy's with \(.takesUnproven)
      """
    case .unprovenOverlay(let path):
      """
      \(path) is damaged, and it is not sure that the copy has all of its changes; \(.takesUnproven) takes the copy's \
      nevertheless
      """
    }
  }
}

extension ShardBuilder {
  /// Replaces the damaged files of the index in `directory` by those of a copy.
  ///
  /// Reads every shard of the index, and of the copy what is damaged or missing. A shard is taken from any directory that
  /// has it, since the manifest says what it has to be. A damaged manifest is taken from a copy that is proven to have the
  /// very one: by its digest; or by its root, if that is sound here, which has the checksums of all else; or, if the root is
  /// damaged here, by all that follows it, and in it whatever does not follow from that: field names and settings among
  /// others. Ranks that are not those of the records are damage: they are taken from a copy that has the same manifest
  /// otherwise, and right ranks. A damaged overlay is taken from a copy of this generation if it has the size and the checksum of the copy's
  /// overlay, or, where its checksum is damaged, all bytes that the checksum is of.
  ///
  /// - Parameters:
  ///   - expected: The digest of the index's manifest, if it is known: a copy of that needs no other proof, and no other
  ///     is taken.
  ///   - takesUnproven: Takes the copy's manifest and overlay in the place of damaged ones without that proof.
  ///   - progress: Called now and then, on the caller's thread.
  /// - Throws: ``RepairError``; the index is as it was.
  public static func repair(
    _ directory: String, from copy: String, expecting expected: ManifestDigest? = nil, takesUnproven: Bool = false,
    progress: ((FileProgress) -> Void)? = nil
  ) throws(RepairError) -> RepairSummary {
    var repair = try Repair(directory, from: copy, expecting: expected)
    defer { withExtendedLifetime((repair.generation, repair.entries)) {} }
    try repair.findShards(takesUnproven: takesUnproven)
    try repair.findEntries()
    try repair.findOverlay(takesUnproven: takesUnproven)
    try repair.mendShards(progress)
    try repair.mendSides()
    try repair.publish()
    do throws(Verifier.Failure) {
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
  /// The places of the copy's files by name, where it is an archive.
  private let places: [String: ArchivePlace]
  private let expected: ManifestDigest?
  /// It locks the index: no build may remove a file that is being read.
  private let publisher: Publisher
  private var shards: [Manifest.Shard] = []
  /// The manifest that the shards lead into.
  private(set) var generation: ManifestReader?
  /// The manifest of the entries, which the rest of the shards lead into.
  private(set) var entries: ManifestReader?
  /// The bytes that replace a damaged manifest.
  private var manifest: [UInt8]?
  /// The bytes that replace a damaged overlay.
  private var overlay: [UInt8]?

  init(_ directory: String, from path: String, expecting expected: ManifestDigest?) throws(RepairError) {
    self.expected = expected
    // Nothing is created where no index is.
    let named = try Self.reading { () throws(IndexError) in try IndexDirectory(opening: directory) }
    try Self.building { () throws(BuildError) in try Publisher.refuse(archive: named) }
    copy = try Self.reading { () throws(IndexError) in try IndexDirectory(opening: path) }
    var (own, other) = (stat(), stat())
    for (path, status) in unsafe [(directory, stat(directory, &own)), (path, stat(path, &other))] where status != 0 {
      throw .build(.io(operation: "examine", path: path, errno: errno))
    }
    guard own.st_dev != other.st_dev || own.st_ino != other.st_ino else { throw .sameDirectory(path: path) }
    let publisher = try Self.building { () throws(BuildError) in try Publisher(directory: directory) }
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

  /// Finds out which shards there should be: from the manifest that is there, or, where it is damaged, the copy's.
  mutating func findShards(takesUnproven: Bool) throws(RepairError) {
    var own: ShardedIndex?
    var weights: [[UInt64]?]?
    do throws(IndexError) {
      // An overlay stays as it is, since the manifest does.
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
    // Whatever is not right in it is not taken, proven or not.
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

  /// Returns all shards of a manifest after reading all of it, but for the ranks where those are compared later.
  private static func allShards(
    of generation: ManifestReader, readsRanks: Bool = true
  ) throws(IndexError) -> [Manifest.Shard] {
    let shards = try generation.shards()
    _ = try generation.notes()
    _ = try generation.densityGrid()
    _ = try generation.sidePages()
    _ = try generation.entriesHead()
    if readsRanks, let first = try RankCheck(of: generation)?.unreadable.min(by: { $0.key < $1.key }) {
      throw first.value
    }
    return shards
  }

  /// Returns why the copy's manifest may be another one than the damaged one was; nil if it is that one.
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

  /// Whether there is an overlay of a manifest, sound or not.
  private func hasOverlay(beside manifest: ManifestReader) -> Bool {
    do throws(IndexError) { return try Overlay.reading(in: index, beside: manifest) != nil } catch { return true }
  }

  /// Returns why the copy's manifest may not be what one with wrong ranks should have been; nil if it is.
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
    if hasOverlay(beside: own) { return "the overlay belongs to the wrong ranks; to keep its changes, build anew" }
    return RootProof(bytes: Array(bytes[..<start]), rootSize: root).doubt(Array(found[..<start]))
  }

  /// Returns the bytes of a file that may be damaged, at most `limit`; none if it is no regular file.
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

  /// Finds out what takes the place of a damaged overlay, if anything can.
  mutating func findOverlay(takesUnproven: Bool) throws(RepairError) {
    guard let generation else { return }
    do throws(IndexError) {
      _ = try Overlay.reading(in: index, beside: generation)
      return
    } catch {
      guard case .corrupt = error else { throw .index(error) }
    }
    guard let other = try? Overlay.reading(in: copy, beside: generation) else { return }
    overlay = unsafe Array(other.bytes)
    withExtendedLifetime(other) {}
    if takesUnproven { return }
    let damaged = try foundBytes(of: Overlay.fileName, in: index, limit: Overlay.sizeLimit + 1)
    guard let overlay, Overlay.isCopy(overlay, ofDamaged: damaged) else {
      throw .unprovenOverlay(path: index.filePath(Overlay.fileName))
    }
  }

  /// Finds the shards of the entries, and brings over their manifest if it is damaged here and not in the copy.
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

  /// Brings over the shards that are damaged here and not in the copy.
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
          (number: number, isSound: (try? ShardFile.check(Pack.File(shards[number], at: nil), in: index)) != nil)
        },
        deliver: { (shard) throws(BuildError) in
          if !shard.isSound { damaged.append(shard.number) }
          progress?(FileProgress(phase: .comparing, done: shard.number + 1, total: shards.count))
        })
    }
    var seen: Set<String> = []
    for number in damaged {
      let name = shards[number].fileName
      let file = Pack.File(shards[number], at: places[name])
      guard let bytes = try? ShardFile.bytes(of: file, in: copy) else { continue }
      try mend(name, bytes, &seen)
    }
  }

  /// Brings over the side files that are damaged here and not in the copy.
  mutating func mendSides() throws(RepairError) {
    let (generation, entries) = (generation, entries)
    let sides = try Self.reading { () throws(IndexError) in
      (try generation?.sidePages() ?? []) + (try entries?.sidePages() ?? [])
    }
    var seen: Set<String> = []
    for side in sides where (try? ShardFile.check(Pack.File(side, at: nil), in: index)) == nil {
      let name = side.fileName.text
      guard let bytes = try? ShardFile.bytes(of: Pack.File(side, at: places[name]), in: copy) else { continue }
      try mend(name, bytes, &seen)
    }
  }

  /// Puts a file in the place of a damaged one; once, where several have its content.
  private mutating func mend(_ name: String, _ bytes: [UInt8], _ seen: inout Set<String>) throws(RepairError) {
    // A directory in its place cannot be replaced; verifying names it.
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
      // It names the manifest that is sound, also where that is still to come.
      try Self.building { () throws(BuildError) in try publisher.replace(damagedOverlay: overlay) }
      summary.bytes += overlay.count
      summary.repaired.append(Overlay.fileName)
    }
    if let manifest {
      // Which shards the readers of the damaged one have is not known: none is removed.
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
