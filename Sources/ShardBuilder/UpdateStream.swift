import ShardedIndex

/// Gives the records of an index's shards back as a build reads them.
struct IndexedRecords {
  private let index: ShardedIndex
  private let names: FieldNames
  private var encoder: RecordEncoder
  private let buffer = RecordBuffer()
  private var batch = RecordBatch()

  /// - Parameter names: The index's field names by their numbers there, and what an update adds.
  init(_ index: ShardedIndex, template: KeyTemplate, names: FieldNames) {
    (self.index, self.names) = (index, names)
    encoder = RecordEncoder(template: template)
  }

  /// All records of a shard, in order.
  mutating func records(of shard: Manifest.Shard) throws(BuildError) -> BlobChunk {
    let chunk = BlobChunk(capacity: 8 * shard.file.size)
    do throws(IndexError) {
      _ = try index.readWhole(shard) { encode(0..<$0.count, of: $0, into: chunk) }
    } catch {
      throw .index(error)
    }
    return try checked(chunk, count: shard.recordCount, of: shard)
  }

  /// The last record of a shard, alone.
  mutating func lastRecord(of shard: Manifest.Shard) throws(BuildError) -> BlobChunk {
    let chunk = BlobChunk(capacity: 0)
    do throws(IndexError) {
      _ = try index.readLast(shard) { encode($0.count - 1..<$0.count, of: $0, into: chunk) }
    } catch {
      throw .index(error)
    }
    return try checked(chunk, count: 1, of: shard)
  }

  private func checked(_ chunk: BlobChunk, count: Int, of shard: Manifest.Shard) throws(BuildError) -> BlobChunk {
    guard chunk.count == count else {
      let path = index.files.filePath(shard.fileName)
      throw .index(.corrupt(path: path, cause: .invalid(reason: "has records that no build makes", offset: 0)))
    }
    return chunk
  }

  private mutating func encode(_ range: Range<Int>, of part: PartContent, into chunk: BlobChunk) {
    // In place, each byte would ask who owns it.
    var (encoder, batch) = (encoder, batch)
    defer { (self.encoder, self.batch) = (encoder, batch) }
    // In runs: what is a few bytes in a shard may be much as text.
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 64) {
      part.decode(start..<min(start + 64, range.upperBound), into: buffer)
      for record in 0..<buffer.count {
        batch.removeAll()
        for number in buffer.rawFields(ofRecord: record) {
          let field = buffer.rawField(number)
          batch.fields.append(
            FieldSlice(
              name: UInt32(field.name), kind: FieldKind(rawValue: field.kind.rawValue)!,
              offset: UInt32(clamping: batch.bytes.count), length: UInt32(clamping: field.text.count)))
          // The encoder refuses a record of this size, and no build makes one.
          if batch.bytes.count <= RecordEncoder.recordLimit { batch.bytes += field.text }
        }
        guard batch.bytes.count <= RecordEncoder.recordLimit else { continue }
        batch.recordEnds.append(UInt32(batch.fields.count))
        _ = encoder.encode(batch, names: names, into: chunk)
      }
    }
  }
}

/// The pieces of an index with some records removed and others added: those that can be no other than before, as they
/// are, and around each change the records, cut anew.
///
/// A change moves no boundary but those within a window of it, so the cut begins anew at a boundary before that, and
/// ends where it comes upon an old one behind which all is as it was. What comes out is what a cut of all records would.
/// Source: docs/format.md §9.4.
final class UpdateStream {
  /// Where a record stands: in which shard, and counted within it.
  struct Place: Comparable {
    var shard: Int
    var record: Int

    static func < (a: Place, b: Place) -> Bool { (a.shard, a.record) < (b.shard, b.record) }
  }

  private let previous: PreviousIndex
  private let pieces: [BuildNotes.Piece]
  private let removed: [Place]
  private let added: SortedRecords
  private let order: RecordOrder
  private let shardLimit: Int
  private var source: IndexedRecords
  private let cellFinder: CellFinder
  /// How many records more than before lie in cells of the map, in what was handed out.
  private(set) var cells: [Int: Int] = [:]

  // What is left of the changes.
  private var nextRemoved = 0
  private var addedBatch: [RecordBlob] = []
  private var nextAdded = 0
  private var isAddedOver = false
  private var addedPiece: Int?  // Where the next one goes, once somebody asked.

  /// The first piece that is not handed out, outside of a region.
  private var at = 0
  private var ready: [Portion] = []
  private var nextReady = 0
  private var region: Region?

  /// A run of records that is cut anew.
  private struct Region {
    var cutter: Cutter
    var records = BlobChunk()  // Of the shard that is read.
    var record = 0
    /// The next shard to be read, and the piece that it belongs to.
    var shard: Int
    var piece: Int
    /// Records handed to the cutter, and of those the ones in finished pieces.
    var taken = 0
    var finished = 0
    /// Where in the records a piece of the index before begins with its first record.
    var starts: [(record: Int, piece: Int)] = []
    /// The last record, counted like `taken`, whose neighbour before it is another than it was, or that is new.
    var lastChanged = -1
  }

  /// - Parameters:
  ///   - removed: In order.
  ///   - added: Cut into the index, in the order of records.
  ///   - names: Those of the index by their numbers there, and those that only `added` has.
  init(
    _ previous: PreviousIndex, pieces: [BuildNotes.Piece], removed: [Place], added: SortedRecords,
    template: KeyTemplate, names: FieldNames
  ) {
    (self.previous, self.pieces, self.removed, self.added) = (previous, pieces, removed, added)
    order = RecordOrder(names: names)
    shardLimit = previous.index.generation.shardLimit
    cellFinder = CellFinder(names: names.names)
    source = IndexedRecords(previous.index, template: template, names: names)
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

  private func peekAdded() throws(BuildError) -> RecordBlob? {
    if nextAdded == addedBatch.count, !isAddedOver {
      addedBatch = try added.nextBatch() ?? []
      isAddedOver = addedBatch.isEmpty
      nextAdded = 0
    }
    return nextAdded < addedBatch.count ? addedBatch[nextAdded] : nil
  }

  private func piece(ofShard shard: Int) -> Int {
    var (low, high) = (0, pieces.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if previous.firstShards[middle] <= shard { low = middle } else { high = middle }
    }
    return low
  }

  /// The piece that the next change lies in, or before the first record of; nil when none is left.
  private func nextChange() throws(BuildError) -> Int? {
    var piece: Int?
    if nextRemoved < removed.count { piece = self.piece(ofShard: removed[nextRemoved].shard) }
    guard let record = try peekAdded() else { return piece }
    if addedPiece == nil {
      var shard = 0
      if !record.folded.isEmpty, !pieces.isEmpty {
        do throws(IndexError) {
          shard = try previous.index.generation.shards(
            forPrefix: record.folded, head: KeyBlocks.head(of: record.folded)
          ).first.number
        } catch {
          throw .index(error)
        }
      }
      addedPiece = self.piece(ofShard: shard)
    }
    return min(piece ?? .max, addedPiece!)
  }

  /// The piece at which the cut has to begin anew for a change in `piece`.
  ///
  /// The change may move its first gap and what lies within a window before that, so one restart before it is too near.
  /// Two are never nearer to each other than a window: the one before it will do. (Where a piece grew too long and was
  /// cut by force, the next boundary may be as near as that.)
  private func restart(before piece: Int) -> Int {
    func last(upTo piece: Int) -> Int {
      var restart = max(0, piece)
      while restart > 0, !pieces[restart].isRestart { restart -= 1 }
      return restart
    }
    return pieces.isEmpty ? 0 : last(upTo: last(upTo: piece) - 1)
  }

  // MARK: Regions

  private func begin() throws(BuildError) {
    guard let change = try nextChange() else {
      ready.append(.kept(at..<pieces.count, lastKey: []))
      at = max(1, pieces.count)
      return
    }
    let start = max(at, restart(before: change))
    let shard = pieces.isEmpty ? 0 : previous.firstShards[start]
    let region = Region(cutter: Cutter(limit: shardLimit, order: order), shard: shard, piece: start)
    if shard > 0 {
      let chunk = try source.lastRecord(of: previous.shards[shard - 1])
      let last = chunk.record(0)
      region.cutter.begin(behind: last)
      if start > at { ready.append(.kept(at..<start, lastKey: Array(last.folded))) }
      withExtendedLifetime(chunk) {}
    }
    self.region = region
  }

  /// Goes on until the cutter has finished a piece, or the region is over.
  private func advance() throws(BuildError) {
    var region = self.region.take()!
    while region.cutter.finished.isEmpty {
      if region.record == region.records.count {
        guard region.shard < previous.shards.count else {
          while try peekAdded() != nil { try takeAdded(&region) }
          region.cutter.finish()
          ready += region.cutter.finished.map { .records($0) }
          at = max(1, pieces.count)
          return
        }
        region.records = try source.records(of: previous.shards[region.shard])
        region.record = 0
        if region.piece + 1 < pieces.count, region.shard == previous.firstShards[region.piece + 1] { region.piece += 1 }
        region.shard += 1
      }
      try takeNext(&region)
    }
    let finished = region.cutter.finished
    region.cutter.finished.removeAll()
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

  /// Hands the cutter the next record of the shard, unless it is removed, or one that is added before it.
  private func takeNext(_ region: inout Region) throws(BuildError) {
    let record = region.records.record(region.record)
    if let added = try peekAdded(), order.compare(added, record) < 0 { return try takeAdded(&region) }
    let place = Place(shard: region.shard - 1, record: region.record)
    if nextRemoved < removed.count, removed[nextRemoved] == place {
      nextRemoved += 1
      if let cell = cellFinder.cell(of: record) { cells[cell, default: 0] -= 1 }
      region.lastChanged = region.taken
    } else {
      if region.record == 0, place.shard == previous.firstShards[region.piece] {
        region.starts.append((region.taken, region.piece))
      }
      region.cutter.append(record)
      region.taken += 1
    }
    region.record += 1
  }

  private func takeAdded(_ region: inout Region) throws(BuildError) {
    region.cutter.append(addedBatch[nextAdded])
    if let cell = cellFinder.cell(of: addedBatch[nextAdded]) { cells[cell, default: 0] += 1 }
    nextAdded += 1
    addedPiece = nil
    region.taken += 1
    region.lastChanged = region.taken
  }

  /// The piece that the records behind the finished ones begin, if they do, and all from there on is as it was up to
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
