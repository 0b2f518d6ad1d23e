import ShardedIndex

/// The generation that a build finds in its directory: what of it need not be made again.
final class PreviousIndex: @unchecked Sendable {  // Only read.
  let index: ShardedIndex
  /// In order; valid as long as `index` is.
  let shards: [Manifest.Shard]
  /// nil where it has none that can be read.
  let notes: BuildNotes?
  /// The generation's entries, as an index of their own; nil if it has none, or none that can be read.
  let entries: PreviousIndex?
  /// For each piece of the notes the number of its first shard, and at the end how many shards there are.
  let firstShards: [Int]
  /// Numbers of pieces by open addressing, -1 where there is none; a power of two, at most half of it in use.
  private var slots: [Int32] = []
  private(set) var offersFrames = false

  /// nil if the directory has no index, or one with a damaged manifest: then `summary` says so.
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

  /// Reads all of the index's manifest.
  init(_ index: ShardedIndex) throws(BuildError) {
    let shards = try BuildError.ofIndex { () throws(IndexError) in try index.generation.manifest.shards() }
    (self.index, self.shards) = (index, shards)
    var notes: BuildNotes?
    do throws(IndexError) {
      if let frames = try index.generation.manifest.notes() {
        notes = try? BuildNotes(frames, shardCount: shards.count)
      }
    } catch {
      // Damaged ones are none; those that could not be read may be sound.
      if case .io = error { throw .index(error) }
    }
    self.notes = notes
    entries = try Self.entries(of: index)
    var firstShards = [0]
    for piece in notes?.pieces ?? [] { firstShards.append(firstShards.last! + piece.shardCount) }
    self.firstShards = firstShards
  }

  /// Returns the entries of an index; nil if it has none, or damaged ones.
  private static func entries(of index: ShardedIndex) throws(BuildError) -> PreviousIndex? {
    do throws(BuildError) {
      let entries = try BuildError.ofIndex { () throws(IndexError) in try ShardedIndex(entriesOf: index) }
      return try entries.map { (entries) throws(BuildError) in try PreviousIndex(entries) }
    } catch {
      // Those that could not be read may be sound.
      if case .index(.io) = error { throw error }
      return nil
    }
  }

  /// Returns the options that it was built with, at this level of zstd.
  func packing(level: Int) -> EncodingOptions {
    EncodingOptions(
      shardLimit: index.generation.manifest.shardLimit, partSize: index.generation.manifest.partSize, level: level)
  }

  /// Offers the previous pieces and frames by their content, if this program with these options makes the same bytes
  /// of that content.
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

  /// The frames of the shards in which records of a piece may have been, as far as they can be read.
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

  /// The size of the manifest and all shards, in bytes, those of the entries included.
  var fileSize: Int {
    shards.reduce(index.generation.manifest.fileSize) { $0 + $1.file.size } + (entries?.fileSize ?? 0)
  }

  /// The names of all files but the manifest; nil if they are not known, since something of a manifest is damaged.
  var fileNames: [String]? {
    guard let sides = try? index.generation.manifest.sidePages() else { return nil }
    let own = shards.map(\.fileName) + sides.map(\.fileName.text)
    guard index.generation.manifest.hasEntries else { return own }
    guard let entries, let head = try? index.generation.manifest.entriesHead(), let others = entries.fileNames else {
      return nil
    }
    return own + others + [head.fileName.text]
  }

  /// The shards that may have records with this folded key.
  func shards(ofKey folded: UnsafeBufferPointer<UInt8>) -> ClosedRange<Int> {
    /// Returns how many shards begin before the key, or at it.
    func count(orAt: Bool) -> Int {
      var (low, high) = (0, shards.count)
      while low < high {
        let middle = (low + high) / 2
        let order = unsafe compareBytes(shards[middle].bound, folded)
        if order < 0 || (orAt && order == 0) { low = middle + 1 } else { high = middle }
      }
      return low
    }
    // Equal keys may run over several, and begin in one that has a lower bound.
    return max(0, count(orAt: false) - 1)...max(0, count(orAt: true) - 1)
  }

  /// Chosen anew in each process: digests come from a file, where they may be any.
  private static let seed = UInt64.random(in: .min ... .max)

  /// Returns the slot of a piece's number, or the slot that it would get.
  private func slot(of digest: PieceDigest, in pieces: [BuildNotes.Piece]) -> Int {
    let mixed = (digest.low ^ Self.seed).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB ^ digest.high)
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: mixed.high ^ mixed.low) & mask
    while slots[slot] >= 0, pieces[Int(slots[slot])].digest != digest { slot = (slot + 1) & mask }
    return slot
  }

  /// The shards that a piece became; nil if it is none of those that are offered.
  func shards(ofPiece digest: PieceDigest) -> ArraySlice<Manifest.Shard>? {
    guard let notes, !slots.isEmpty else { return nil }
    let number = Int(slots[slot(of: digest, in: notes.pieces)])
    return number < 0 ? nil : shards[firstShards[number]..<firstShards[number + 1]]
  }
}

extension ManifestEncoder.Shard {
  /// Makes the entry of a shard as another manifest has it.
  package init(_ shard: Manifest.Shard) {
    unsafe self.init(
      bound: Array(shard.bound), records: shard.recordCount, file: shard.file, digest: Array(shard.digest),
      label: Array(shard.label))
  }
}
