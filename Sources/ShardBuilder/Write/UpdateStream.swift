import ShardedIndex

/// The stream of an index's pieces after some records are removed and others added. Pieces that cannot change stay as
/// they are; the records around each change are cut again.
///
/// A change moves only boundaries within a window of it. So the cut begins again at the last boundary before the
/// change, if that stays a boundary, or else at the boundary before, which certainly does. The cut ends at an old
/// boundary after which nothing has changed. The result is that of a cut of all records: ``Seam`` has the proof.
final class UpdateStream {
  private let kept: KeptIndex
  private let previous: PreviousIndex
  private let pieces: [BuildNotes.NotedPiece]
  private let order: RecordOrder
  private let shardLimit: Int
  private var source: IndexedRecords
  private let cellFinder: CellFinder
  /// The changes of the density grid by the portions so far.
  private(set) var cells = CellChanges()

  private var changes: RemainingChanges
  /// The next piece outside of a region.
  private var at = 0
  private var ready: [Portion] = []
  private var nextReady = 0
  private var region: Region?

  /// The remaining changes.
  private struct RemainingChanges {
    let removed: [RecordPosition]
    let added: SortedRecords
    var nextRemoved = 0
    var batch: [RecordBlob] = []
    var nextAdded = 0  // The position in the batch.
    var batchedCount = 0  // Added records up to the end of this batch.
    var addedPiece: Int?  // The piece for the next one, once it was searched.
    /// Called with added records after they were read.
    let observe: (([RecordBlob]) throws(BuildError) -> Void)?

    /// Whether the next record is in an unread batch: reading that batch ends the current one.
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

  /// A run of records that is cut again.
  private struct Region {
    var cutter: Cutter
    /// The first piece of the region, and the last key before the piece.
    let start: Int
    var keyBefore: [UInt8] = []
    /// The changes to return to, as long as the cut may not begin at the region's start; all are in one batch.
    var retreat: RemainingChanges?
    /// Whether the stream must return to these changes.
    var isLost = false
    /// The changes for ``UpdateStream/cells`` if the stream does not return.
    var cells: [(cell: Int, more: Int)] = []

    var records: RecordRun  // The records of the current shard.
    var record = 0
    /// The next shard to read, and its piece.
    var shard: Int
    var piece: Int
    /// The number of records that the cutter got, and the number of records in finished pieces.
    var taken = 0
    var finished = 0
    /// The records at which a piece of the old index begins, if the piece's first record stays.
    var starts: [(record: Int, piece: Int)] = []
    /// The number, counted like `taken`, of the last record that is new or has a new neighbour before it.
    var lastChanged = -1

    /// The weights of old records: of the read records, of the records up to their piece, and of the records up to the
    /// first one after a window.
    var oldPosition = 0
    var oldPieceStart = 0
    var oldStartWeight: Int?
    /// The last record before the current shard.
    var oldLast = RecordArena(capacity: 0)
  }

  /// - Parameters:
  ///   - removed: The positions of the removed records, in order.
  ///   - added: The added records, in order.
  ///   - encoder: The encoder that makes the blobs of the index's records.
  ///   - names: The field names of the index by their numbers there, then the names that only `added` has.
  ///   - observe: Called with added records, in order, after they were read.
  init(
    _ kept: KeptIndex, pieces: [BuildNotes.NotedPiece], removed: [RecordPosition], added: SortedRecords,
    encoder: RecordEncoder, names: FieldNames, observe: (([RecordBlob]) throws(BuildError) -> Void)? = nil
  ) {
    (self.kept, previous, self.pieces) = (kept, kept.index, pieces)
    changes = RemainingChanges(removed: removed, added: added, observe: observe)
    order = RecordOrder(names: names)
    shardLimit = previous.index.generation.manifest.shardLimit
    cellFinder = CellFinder(names: names.names, kept.coordinates)
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

  /// Returns the piece with the next change, or the piece that begins after it; nil after the last change.
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

  /// Returns the last piece at which the cut can certainly begin again for a change in `piece`.
  private func restart(before piece: Int) -> Int {
    pieces.isEmpty ? 0 : Seam.certainRestart(before: piece) { pieces[$0].isRestart }
  }

  // MARK: Regions

  /// - Parameter isCertain: Whether to begin at a place where the cut can begin for any change.
  private func begin(isCertain: Bool = false) throws(BuildError) {
    guard let change = try nextChange() else {
      ready.append(.kept(at..<pieces.count, of: kept, lastKey: []))
      at = max(1, pieces.count)
      return
    }
    let certain = max(at, restart(before: change))
    let start =
      isCertain || pieces.isEmpty ? certain : max(at, Seam.restart(upTo: change) { pieces[$0].isRestart })
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

  /// Passes on the pieces before a region.
  private func keepPieces(before region: Region) {
    if region.start > at { ready.append(.kept(at..<region.start, of: kept, lastKey: region.keyBefore)) }
  }

  /// Continues until there is a portion, or until the region ends.
  private func advance() throws(BuildError) {
    var region = self.region.take()!
    var isOver = false
    repeat {
      if region.record < region.records.count {
        try appendNext(&region)
      } else if region.shard < previous.shards.count {
        if try end(behindPieceOf: &region) { return }
        try readShard(&region)
      } else {
        while !isOutOfReach(&region), try changes.peekAdded() != nil { try appendAdded(&region) }
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

  /// Returns whether the cut could begin at the start of the region; nil if that is still open.
  private func isStartFound(_ region: Region) -> Bool? {
    region.isLost ? false : Seam.isFound(by: region.cutter, oldWeight: region.oldStartWeight)
  }

  /// Returns whether reading the next change would lose changes that the stream may return to.
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

  /// Gives the cutter the next record of the shard, unless it is removed, or an added record before it.
  private func appendNext(_ region: inout Region) throws(BuildError) {
    guard !isOutOfReach(&region) else { return }
    let record = region.records.record(region.record)
    if let added = try changes.peekAdded(), order.compare(added, record) < 0 { return try appendAdded(&region) }
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

  private func appendAdded(_ region: inout Region) throws(BuildError) {
    guard !isBeforeFirst(&region) else { return }
    let record = changes.batch[changes.nextAdded]
    region.cutter.append(record)
    count(record, 1, &region)
    changes.nextAdded += 1
    changes.addedPiece = nil
    region.taken += 1
    region.lastChanged = region.taken
  }

  /// Returns whether a change comes before the first record of a region, so that the gap there changes.
  private func isBeforeFirst(_ region: inout Region) -> Bool {
    if region.retreat != nil, region.taken == 0 { region.isLost = true }
    return region.isLost
  }

  /// Returns the old weight of the shard's next record, after its old neighbour.
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

  /// Ends the region after the last read piece if the next piece still begins at the same record. Then nothing changes
  /// from there to the start of the next region.
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

  /// Returns the piece that begins with the records after the finished ones, if nothing changes from there to the start
  /// of the next region.
  private func end(of region: inout Region) throws(BuildError) -> Int? {
    while let start = region.starts.first, start.record < region.finished { region.starts.removeFirst() }
    guard let start = region.starts.first, start.record == region.finished, pieces[start.piece].isRestart,
      region.lastChanged < region.finished
    else { return nil }
    if let change = try nextChange(), restart(before: change) <= start.piece { return nil }
    return start.piece
  }
}
