import ShardedIndex

/// The records of an index that have one of the changes' ids.
struct ReplacedRecords {
  /// The positions of such records in the shards, in order.
  private(set) var positions: [RecordPosition] = []
  /// For each id, whether a record has it.
  var isFound: [Bool]
  /// The greatest id as ``Overlay/greatestID`` defines it, if all records were read.
  private(set) var greatestID: UInt64?

  init(idCount: Int = 0) { isFound = Array(repeating: false, count: idCount) }

  /// The records of some shards that have one of the ids, and the greatest id of all read records.
  private struct Hits: Sendable {
    var records: [(position: RecordPosition, id: Int)] = []
    var greatest: UInt64 = 0
  }

  /// Searches the shards. The caller has searched the overlay, if there is one.
  ///
  /// - Parameter isNew: Returns whether no record of the shards can have an id.
  mutating func search(
    _ changes: UpdateChanges, in previous: PreviousIndex, field: Int, threads: Int,
    isNew: (UnsafeBufferPointer<UInt8>) -> Bool
  ) throws(BuildError) {
    let ids = changes.ids
    let ofOverlay = self
    // If no two records have the same id, the search for an id ends with its first record.
    if previous.notes?.repeatedIDs == 0 {
      let likely = previous.shards.indices.filter { changes.isLikely[$0] }
      _ = try search(likely, changes, isLikely: true, in: previous, field: field, threads: threads)
      if ids.indices.allSatisfy({ unsafe isFound[$0] || ids.text($0).withUnsafeBufferPointer(isNew) }) { return }
      self = ofOverlay
    }
    let all = Array(previous.shards.indices)
    greatestID = try search(all, changes, isLikely: false, in: previous, field: field, threads: threads)
  }

  /// - Parameter isLikely: Whether to read only the parts where the changes' keys would be.
  /// - Returns: The greatest id of the read records.
  private mutating func search(
    _ shards: [Int], _ changes: UpdateChanges, isLikely: Bool, in previous: PreviousIndex, field: Int, threads: Int
  ) throws(BuildError) -> UInt64 {
    var next = 0
    var greatest: UInt64 = 0
    // A task has several shards: one shard takes less time than handing it to a thread.
    let run = 8
    try WorkerPool.orderedMap(
      threads: shards.count > run ? threads : 1,
      next: { () throws(BuildError) -> ArraySlice<Int>? in
        defer { next += run }
        return next < shards.count ? shards[next..<min(next + run, shards.count)] : nil
      },
      transform: { (shards) throws(BuildError) -> Hits in
        try Self.hits(in: shards, changes, isLikely: isLikely, of: previous, field: field)
      },
      deliver: { (hits) throws(BuildError) in
        greatest = max(greatest, hits.greatest)
        for (position, id) in hits.records {
          positions.append(position)
          isFound[id] = true
        }
      })
    return greatest
  }

  private static func hits(
    in shards: ArraySlice<Int>, _ changes: UpdateChanges, isLikely: Bool, of previous: PreviousIndex, field: Int
  ) throws(BuildError) -> Hits {
    let (ids, overlay) = (changes.ids, previous.index.generation.overlay)
    let buffer = RecordBuffer()
    var hits = Hits()
    for shard in shards {
      let first = previous.shards[shard].firstRecord
      func hit(_ record: Int, _ id: Int) {
        if overlay?.isRemoved(first + record) == true { return }
        hits.records.append((RecordPosition(shard: shard, record: record), id))
      }
      do throws(IndexError) {
        let keys = isLikely ? (changes.least[shard], changes.greatest[shard]) : nil
        _ = try previous.index.generation.read(previous.shards[shard], keys: keys) { part in
          unsafe part.forEachField(field, with: buffer) { record, value, format in
            hits.greatest = max(hits.greatest, wholeNumber(value, format))
            if let id = ids.number(of: value, format) { hit(part.firstRecord + record, id) }
          } text: { record, text, kind in
            guard unsafe RecordID.isOne(text, FieldKind(kind)) else { return }
            if let number = unsafe Overlay.wholeNumber(text) { hits.greatest = max(hits.greatest, number) }
            if let id = unsafe ids.number(of: text.span) { hit(part.firstRecord + record, id) }
          }
        }
      } catch {
        throw .index(error)
      }
    }
    return hits
  }

  /// Returns the number of a value's text, as ``Overlay/wholeNumber(_:)`` defines it; 0 if the text is not such a
  /// number.
  private static func wholeNumber(_ value: Int64, _ format: NumberFormat) -> UInt64 {
    unsafe format.isWhole ? UInt64(max(0, value)) : format.withText(of: value) { unsafe Overlay.wholeNumber($0) ?? 0 }
  }
}
