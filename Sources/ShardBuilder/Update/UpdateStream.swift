import ShardedIndex

/// The stream of an index's pieces with some records removed and others added: pieces that can be no other than before,
/// as they are, and around each change the records, cut anew.
///
/// A change moves no boundary but those within a window of it. So the cut begins anew at the last boundary before it,
/// as long as that is found to be one still, or else at the one before, which is; and it ends where it comes upon an
/// old one behind which all is as it was. What comes out is what a cut of all records would. Source: docs/format.md
/// section 9.4.
///
/// A boundary stands if it is better than all gaps within a window on either side, of which the change may lie on one
/// alone: of the other it is known. What remains is that nothing is cut by force on the way. That depends on the weight
/// since the last boundary, of which only one part is known; but nothing was cut by force before, so nothing is now if
/// the other part has become no heavier.
final class UpdateStream {
  private let kept: KeptIndex
  private let previous: PreviousIndex
  private let pieces: [BuildNotes.Piece]
  private let order: RecordOrder
  private let shardLimit: Int
  private var source: IndexedRecords
  private let cellFinder: CellFinder
  /// The changes of the density grid by the portions that were handed out.
  private(set) var cells = CellChanges()

  private var changes: Changes
  /// The first piece that is not handed out, outside of a region.
  private var at = 0
  private var ready: [Portion] = []
  private var nextReady = 0
  private var region: Region?

  /// The rest of the changes.
  private struct Changes {
    let removed: [RecordPosition]
    let added: SortedRecords
    var nextRemoved = 0
    var batch: [RecordBlob] = []
    var nextAdded = 0  // In the batch.
    var batchedCount = 0  // With those of the batches before.
    var addedPiece: Int?  // Where the next one goes, once somebody asked.
    /// Called with added records once they are read.
    let observe: (([RecordBlob]) throws(BuildError) -> Void)?

    /// Whether the next record is in a batch that was not read: reading it ends the batch before.
    var needsBatch: Bool { nextAdded == batch.count && batchedCount < added.count }

    mutating func peekAdded() throws(BuildError) -> RecordBlob? {
      if needsBatch {
        batch = try added.nextBatch() ?? []
        if !batch.isEmpty { try observe?(batch) }
        nextAdded = 0
        batchedCount = batch.isEmpty ? added.count : batchedCount + batch.count
      }
      return nextAdded < batch.count ? batch[nextAdded] : nil
    }
  }

  /// A run of records that is cut anew.
  private struct Region {
    var cutter: Cutter
    /// The piece that it begins with, and the last key before that.
    let start: Int
    var keyBefore: [UInt8] = []
    /// The changes to go back to, as long as it is not certain that the cut could begin there; all lie in one batch.
    var retreat: Changes?
    /// Whether the stream has to go back to them.
    var isLost = false
    /// The changes that ``UpdateStream/cells`` gets if not.
    var cells: [(cell: Int, more: Int)] = []

    var records: RecordRun  // Of the shard that is read.
    var record = 0
    /// The next shard to be read, and the piece that it belongs to.
    var shard: Int
    var piece: Int
    /// The number of records handed to the cutter, and of those in finished pieces.
    var taken = 0
    var finished = 0
    /// The records at which a piece of the index before begins, if its first record is there.
    var starts: [(record: Int, piece: Int)] = []
    /// The last record, counted like `taken`, whose neighbour before it is another than it was, or that is new.
    var lastChanged = -1

    /// The weights of records before: of those that were read, of those up to their piece, and of those up to
    /// the first behind a window.
    var oldPosition = 0
    var oldPieceStart = 0
    var oldStartWeight: Int?
    /// The record before the shard that is read.
    var oldLast = RecordArena(capacity: 0)
  }

  /// - Parameters:
  ///   - removed: In order.
  ///   - added: Cut into the index, in the order of records.
  ///   - encoder: The encoder that makes the blobs of the index's records.
  ///   - names: Those of the index by their numbers there, and those that only `added` has.
  ///   - observe: Called with added records, in order, once they are read.
  init(
    _ kept: KeptIndex, pieces: [BuildNotes.Piece], removed: [RecordPosition], added: SortedRecords,
    encoder: RecordEncoder, names: FieldNames, observe: (([RecordBlob]) throws(BuildError) -> Void)? = nil
  ) {
    (self.kept, previous, self.pieces) = (kept, kept.index, pieces)
    changes = Changes(removed: removed, added: added, observe: observe)
    order = RecordOrder(names: names)
    shardLimit = previous.index.generation.manifest.shardLimit
    cellFinder = CellFinder(names: names.names)
    source = IndexedRecords(previous.index, encoder: encoder, names: names)
  }

  func next() throws(BuildError) -> Portion? {
    while nextReady == ready.count {
      ready.removeAll(keepingCapacity: true)
      nextReady = 0
      if region != nil {
        try advance()
      } else if at < pieces.count || (pieces.isEmpty && at == 0) {
        try begin()
      } else {
        return nil
      }
    }
    nextReady += 1
    return ready[nextReady - 1]
  }

  // MARK: Changes

  private func piece(ofShard shard: Int) -> Int {
    var (low, high) = (0, pieces.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if previous.firstShards[middle] <= shard { low = middle } else { high = middle }
    }
    return low
  }

  /// Returns the piece that has the next change, or that begins behind it; nil when none is left.
  private func nextChange() throws(BuildError) -> Int? {
    var piece: Int?
    if changes.nextRemoved < changes.removed.count {
      piece = self.piece(ofShard: changes.removed[changes.nextRemoved].shard)
    }
    guard let record = try changes.peekAdded() else { return piece }
    if changes.addedPiece == nil {
      var shard = 0
      if unsafe !record.folded.isEmpty, !pieces.isEmpty {
        do throws(IndexError) {
          shard = try unsafe previous.index.generation.manifest.shardPositions(
            forPrefix: FoldedPrefix(record.folded)
          ).first.number
        } catch {
          throw .index(error)
        }
      }
      changes.addedPiece = self.piece(ofShard: shard)
    }
    return min(piece ?? .max, changes.addedPiece!)
  }

  /// Returns the last piece up to this one that is a restart.
  private func restart(upTo piece: Int) -> Int {
    var restart = max(0, piece)
    while restart > 0, !pieces[restart].isRestart { restart -= 1 }
    return restart
  }

  /// Returns the last piece at which the cut can certainly begin anew for a change in `piece`.
  ///
  /// The change may move its first gap and what lies within a window before that, so one restart before it is too near.
  /// Two are never nearer to each other than a window: the one before it will do. (Where a piece grew too long and was
  /// cut by force, the next boundary may be as near as that.)
  private func restart(before piece: Int) -> Int {
    pieces.isEmpty ? 0 : restart(upTo: restart(upTo: piece) - 1)
  }

  // MARK: Regions

  /// - Parameter isCertain: Whether to begin where the cut can begin whatever the change is.
  private func begin(isCertain: Bool = false) throws(BuildError) {
    guard let change = try nextChange() else {
      ready.append(.kept(at..<pieces.count, of: kept, lastKey: []))
      at = max(1, pieces.count)
      return
    }
    let certain = max(at, restart(before: change))
    let start = isCertain || pieces.isEmpty ? certain : max(at, restart(upTo: change))
    let shard = pieces.isEmpty ? 0 : previous.firstShards[start]
    var region = Region(
      cutter: Cutter(limit: shardLimit, order: order), start: start,
      records: RecordRun(chunk: RecordArena(capacity: 0), entries: []), shard: shard, piece: start)
    if start > certain { region.retreat = changes }
    if shard > 0 {
      region.oldLast = try source.lastRecord(of: previous.shards[shard - 1])
      let last = region.oldLast.record(0)
      region.cutter.begin(behind: last, isCertain: start == certain)
      region.keyBefore = unsafe Array(last.folded)
    }
    if start == certain { keepPieces(before: region) }
    self.region = region
  }

  /// Hands out the pieces before a region.
  private func keepPieces(before region: Region) {
    if region.start > at { ready.append(.kept(at..<region.start, of: kept, lastKey: region.keyBefore)) }
  }

  /// Continues until there is a portion to hand out, or the region is over.
  private func advance() throws(BuildError) {
    var region = self.region.take()!
    var isOver = false
    repeat {
      if region.record < region.records.count {
        try takeNext(&region)
      } else if region.shard < previous.shards.count {
        if try end(behindPieceOf: &region) { return }
        try readShard(&region)
      } else {
        while !isOutOfReach(&region), try changes.peekAdded() != nil { try takeAdded(&region) }
        region.cutter.finish()
        region.oldStartWeight = region.oldStartWeight ?? region.oldPosition
        isOver = true
      }
      if let before = region.retreat {
        switch isStartFound(region) {
        case nil where !isOver: break
        case true?:
          region.retreat = nil
          keepPieces(before: region)
          for (cell, more) in region.cells { cells.add(more, to: cell) }
        default:
          changes = before
          source.held = (region.shard - 1, region.records)
          return try begin(isCertain: true)
        }
      }
    } while !isOver && (region.cutter.finished.isEmpty || region.retreat != nil)

    let finished = region.cutter.finished
    region.cutter.finished.removeAll()
    guard !isOver else {
      ready += finished.map { .records($0) }
      at = max(1, pieces.count)
      return
    }
    for (index, piece) in finished.enumerated() {
      ready.append(.records(piece))
      region.finished += piece.count
      let isRestart = index + 1 < finished.count ? finished[index + 1].isRestart : region.cutter.isRestart
      if isRestart, let end = try end(of: &region) {
        at = end
        return
      }
    }
    self.region = region
  }

  /// Returns whether the cut could begin where it did; nil as long as that is open.
  private func isStartFound(_ region: Region) -> Bool? {
    guard !region.isLost else { return false }
    switch region.cutter.start {
    case .certain: return true
    case .open: return nil
    case .lost: return false
    case .found(let weight): return region.oldStartWeight.map { weight <= $0 }
    }
  }

  /// Returns whether reading the next change would lose those that may have to be gone back to.
  private func isOutOfReach(_ region: inout Region) -> Bool {
    if region.retreat != nil, changes.needsBatch { region.isLost = true }
    return region.isLost
  }

  private func readShard(_ region: inout Region) throws(BuildError) {
    if region.records.count > 0 {
      region.oldLast = RecordArena(capacity: 0)
      region.oldLast.append(region.records.record(region.records.count - 1))
    }
    region.records = try source.records(of: previous.shards[region.shard], into: region.cutter.room)
    region.record = 0
    if region.piece + 1 < pieces.count, region.shard == previous.firstShards[region.piece + 1] { region.piece += 1 }
    region.shard += 1
  }

  /// Hands the cutter the next record of the shard, unless it is removed, or one that is added before it.
  private func takeNext(_ region: inout Region) throws(BuildError) {
    guard !isOutOfReach(&region) else { return }
    let record = region.records.record(region.record)
    if let added = try changes.peekAdded(), order.compare(added, record) < 0 { return try takeAdded(&region) }
    let position = RecordPosition(shard: region.shard - 1, record: region.record)
    let isFirst = region.record == 0 && position.shard == previous.firstShards[region.piece]
    if isFirst { region.oldPieceStart = region.oldPosition }
    if region.oldStartWeight == nil, region.oldPosition > region.cutter.window {
      region.oldStartWeight = region.oldPosition
    }
    if changes.nextRemoved < changes.removed.count, changes.removed[changes.nextRemoved] == position {
      guard !isBeforeFirst(&region) else { return }
      changes.nextRemoved += 1
      count(record, -1, &region)
      region.oldPosition += oldWeight(of: record, in: region)
      region.lastChanged = region.taken
    } else {
      if isFirst { region.starts.append((region.taken, region.piece)) }
      let before = region.cutter.position
      region.cutter.append(region.records.entries[region.record], of: region.records.chunk)
      let isNeighbourChanged = region.taken == region.lastChanged
      region.oldPosition +=
        isNeighbourChanged ? oldWeight(of: record, in: region) : region.cutter.position - before
      region.taken += 1
    }
    region.record += 1
  }

  private func takeAdded(_ region: inout Region) throws(BuildError) {
    guard !isBeforeFirst(&region) else { return }
    let record = changes.batch[changes.nextAdded]
    region.cutter.append(record)
    count(record, 1, &region)
    changes.nextAdded += 1
    changes.addedPiece = nil
    region.taken += 1
    region.lastChanged = region.taken
  }

  /// Returns whether a change comes before the first record of a region, so that the gap there is another.
  private func isBeforeFirst(_ region: inout Region) -> Bool {
    if region.retreat != nil, region.taken == 0 { region.isLost = true }
    return region.isLost
  }

  /// Returns the weight that the next record of the shard had behind the one that was before it.
  private func oldWeight(of record: RecordBlob, in region: Region) -> Int {
    let before: RecordBlob? =
      if region.record > 0 {
        region.records.record(region.record - 1)
      } else {
        region.oldLast.count > 0 ? region.oldLast.record(0) : nil
      }
    let common = before.map { unsafe commonPrefix($0.folded, record.folded) } ?? 0
    return RecordWeight.weight(of: record, after: before, common: common)
  }

  private func count(_ record: RecordBlob, _ more: Int, _ region: inout Region) {
    guard let cell = cellFinder.cell(of: record) else { return }
    if region.retreat != nil { region.cells.append((cell, more)) } else { cells.add(more, to: cell) }
  }

  /// Ends the region behind the piece that was read if the next one still begins where it did: all from there on is as
  /// it was up to where the next region begins.
  private func end(behindPieceOf region: inout Region) throws(BuildError) -> Bool {
    let next = region.piece + 1
    guard region.retreat == nil, next < pieces.count, pieces[next].isRestart,
      region.shard == previous.firstShards[next],
      region.lastChanged < region.taken,
      region.cutter.pendingWeight <= region.oldPosition - region.oldPieceStart
    else { return false }
    if let change = try nextChange(), restart(before: change) <= next { return false }
    let chunk = try source.firstRecord(of: previous.shards[region.shard])
    guard region.cutter.finish(before: chunk.record(0)) else { return false }
    ready += region.cutter.finished.map { .records($0) }
    at = next
    return true
  }

  /// Returns the piece that the records behind the finished ones begin, if all from there on is as it was up to
  /// where the next region begins.
  private func end(of region: inout Region) throws(BuildError) -> Int? {
    while let start = region.starts.first, start.record < region.finished { region.starts.removeFirst() }
    guard let start = region.starts.first, start.record == region.finished, pieces[start.piece].isRestart,
      region.lastChanged < region.finished
    else { return nil }
    if let change = try nextChange(), restart(before: change) <= start.piece { return nil }
    return start.piece
  }
}

extension PreviousIndex {
  /// Returns the position of the record that is this many behind the first one.
  func position(ofRecord number: Int) -> RecordPosition {
    var (low, high) = (0, shards.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if shards[middle].firstRecord <= number { low = middle } else { high = middle }
    }
    return RecordPosition(shard: low, record: number - shards[low].firstRecord)
  }
}
