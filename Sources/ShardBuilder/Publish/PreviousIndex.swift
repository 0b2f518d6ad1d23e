import ShardedIndex

/// The previous generation, which a build finds in its directory. The build need not make the parts again that stay.
final class PreviousIndex: @unchecked Sendable {  // Only read.
  let index: ShardedIndex
  /// The shards in order; valid as long as `index`.
  let shards: [Manifest.Shard]
  /// The notes; nil if there are none, or if they cannot be read.
  let notes: BuildNotes?
  /// The generation's entries, as an index of their own; nil if there are none, or if they cannot be read.
  let entries: PreviousIndex?
  /// For each piece of the notes the number of its first shard, and at the end the number of shards.
  let firstShards: [Int]
  /// The numbers of pieces by open addressing, -1 in a free slot. The count is a power of two, and at most half is in
  /// use.
  private var slots: [Int32] = []
  private(set) var offersFrames = false
  /// Whether all files were compared with their digests, or need no comparison.
  private(set) var isCompared = false

  /// Returns nil if the directory has no index, or an index with a damaged manifest; then `summary` has the damage.
  static func found(in publisher: Publisher, _ summary: inout BuildSummary) throws(BuildError) -> PreviousIndex? {
    do throws(BuildError) {
      return try PreviousIndex(
        try BuildError.ofIndex { () throws(IndexError) in
          try ShardedIndex(publisher.openDirectory(), options: .init())
        })
    } catch {
      switch error {
      case .index(.notFound), .index(.vanished): return nil
      case .index(.io(let operation, let path, let code)): throw .io(operation: operation, path: path, errno: code)
      case .index(let damage):
        summary.previousDamage = damage.description
        return nil
      default: throw error
      }
    }
  }

  /// Reads the whole manifest of the index.
  init(_ index: ShardedIndex) throws(BuildError) {
    let shards = try BuildError.ofIndex { () throws(IndexError) in try index.generation.manifest.shards() }
    (self.index, self.shards) = (index, shards)
    var notes: BuildNotes?
    do throws(IndexError) {
      if let frames = try index.generation.manifest.notes() {
        notes = try? BuildNotes(frames, shardCount: shards.count)
      }
    } catch {
      // Damaged notes count as none. If a read failed, the notes may be sound.
      if case .io = error { throw .index(error) }
    }
    self.notes = notes
    entries = try Self.entries(of: index)
    var firstShards = [0]
    for piece in notes?.pieces ?? [] { firstShards.append(firstShards.last! + piece.shardCount) }
    self.firstShards = firstShards
  }

  /// Returns the entries of an index; nil if there are none, or damaged ones.
  private static func entries(of index: ShardedIndex) throws(BuildError) -> PreviousIndex? {
    do throws(BuildError) {
      let entries = try BuildError.ofIndex { () throws(IndexError) in try ShardedIndex(entriesOf: index) }
      return try entries.map { (entries) throws(BuildError) in try PreviousIndex(entries) }
    } catch {
      // If a read failed, the entries may be sound.
      if case .index(.io) = error { throw error }
      return nil
    }
  }

  /// Notes that all files were compared with their digests, or need no comparison.
  func noteCompared() {
    isCompared = true
    entries?.noteCompared()
  }

  /// Returns the options of the build of this index, with this level of zstd.
  func packing(level: Int) -> EncodingOptions {
    EncodingOptions(
      shardLimit: index.generation.manifest.shardLimit, partSize: index.generation.manifest.partSize, level: level)
  }

  /// Offers the previous pieces and frames by their content, if this program with these options makes the same bytes
  /// from that content.
  func offerPieces(for packing: EncodingOptions) {
    entries?.offerPieces(for: packing)
    guard let notes, notes.isOfThisEncoder, self.packing(level: notes.level) == packing else { return }
    var size = 64
    while size < 2 * notes.pieces.count { size *= 2 }
    slots = Array(repeating: -1, count: size)
    for (number, piece) in notes.pieces.enumerated() {
      slots[slot(of: piece.digest, in: notes.pieces)] = Int32(truncatingIfNeeded: number)
    }
    offersFrames = true
  }

  /// Returns the frames of the shards that may have had records of a piece, as far as they can be read.
  func knownFrames(for piece: Piece) -> KnownFrames {
    var known = KnownFrames(contexts: index.generation.contexts)
    guard offersFrames, !shards.isEmpty, piece.count > 0 else { return known }
    let first = unsafe shards(ofKey: piece.record(0).folded).lowerBound
    let last = unsafe shards(ofKey: piece.record(piece.count - 1).folded).upperBound
    for shard in shards[first...max(first, last)] {
      guard
        let file = try? index.directory.read(shard.source.fileName, size: shard.file.size, at: nil)
      else { continue }
      known.add(framesOf: file)
    }
    return known
  }

  /// The frames of the manifest.
  var knownManifestFrames: KnownFrames {
    var known = KnownFrames(contexts: index.generation.contexts)
    if offersFrames, let manifest = try? index.generation.manifest.fileBytes() { known.add(framesOf: manifest) }
    return known
  }

  /// The size of the manifest and all shards in bytes, with those of the entries.
  var fileSize: Int {
    shards.reduce(index.generation.manifest.fileSize) { $0 + $1.file.size } + (entries?.fileSize ?? 0)
  }

  /// The names of all files but the manifest; nil if a part of a manifest is damaged, so that not all names are known.
  var fileNames: [String]? {
    guard let sides = try? index.generation.manifest.sidePages() else { return nil }
    let own = shards.map(\.fileName) + sides.map(\.fileName.text)
    guard index.generation.manifest.hasEntries else { return own }
    guard let entries, let head = try? index.generation.manifest.entriesHead(), let others = entries.fileNames else {
      return nil
    }
    return own + others + [head.fileName.text]
  }

  /// Returns the shards that may have records with this folded key.
  func shards(ofKey folded: UnsafeBufferPointer<UInt8>) -> ClosedRange<Int> {
    /// Returns the number of shards that begin before the key, or at it.
    func count(orAt: Bool) -> Int {
      var (low, high) = (0, shards.count)
      while low < high {
        let middle = (low + high) / 2
        let order = unsafe compareBytes(shards[middle].bound, folded)
        if order < 0 || (orAt && order == 0) { low = middle + 1 } else { high = middle }
      }
      return low
    }
    // Equal keys may be in several shards, and begin in a shard that has a lower bound.
    return max(0, count(orAt: false) - 1)...max(0, count(orAt: true) - 1)
  }

  /// The seed is random in each process: digests come from a file, which may have any digests.
  private static let seed = UInt64.random(in: .min ... .max)

  /// Returns the slot of a piece's number, or the slot for it.
  private func slot(of digest: PieceDigest, in pieces: [BuildNotes.NotedPiece]) -> Int {
    let mixed = (digest.low ^ Self.seed).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB ^ digest.high)
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: mixed.high ^ mixed.low) & mask
    while slots[slot] >= 0, pieces[Int(slots[slot])].digest != digest { slot = (slot + 1) & mask }
    return slot
  }

  /// Returns the shards of a piece; nil if the piece is not among the offered pieces.
  func shards(ofPiece digest: PieceDigest) -> ArraySlice<Manifest.Shard>? {
    guard let notes, !slots.isEmpty else { return nil }
    let number = Int(slots[slot(of: digest, in: notes.pieces)])
    return number < 0 ? nil : shards[firstShards[number]..<firstShards[number + 1]]
  }
}
