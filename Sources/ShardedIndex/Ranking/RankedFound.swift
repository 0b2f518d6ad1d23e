/// The candidates for a page of hits: as many records as the page needs, or a few more.
struct RankedFound {
  private(set) var heap = RankedHeap<RankedRecord>()
  /// The number of hits that are still missing.
  private var wanted: Int
  /// The rank below which no record is needed, since enough others are above.
  private var floor: ShardedIndex.Rank?
  /// The records left for later pages: the best one of each run of records of a part.
  private(set) var left: [RankedRecord] = []

  init(limit: Int) { wanted = limit }

  mutating func add(_ record: RankedRecord) {
    if let floor, record.rank < floor { return leave(record) }
    heap.push(record)
    // The heap is cut now and then, so that each record moves only a few times.
    if heap.count > wanted + max(wanted, 64) { cut() }
  }

  private mutating func cut() {
    for rest in heap.cut(to: wanted) { leave(rest) }
    floor = heap.last?.rank
  }

  /// Whether a record of the rank would be one of the missing hits.
  mutating func mayTake(_ rank: ShardedIndex.Rank) -> Bool {
    if heap.count > wanted || heap.count == wanted && floor == nil { cut() }
    return floor.map { $0 < rank } ?? true
  }

  /// Removes and returns the best record. There must be one.
  mutating func pop() -> RankedRecord { heap.pop()! }

  /// Counts a taken record as a hit.
  mutating func countHit() { wanted -= 1 }

  private mutating func leave(_ record: RankedRecord) {
    guard let last = left.last, last.part == record.part else { return left.append(record) }
    if last.rank < record.rank { left[left.count - 1] = record }
  }

  /// Leaves all other records to a later page.
  mutating func leaveAll() { while let record = heap.pop() { leave(record) } }

  /// Takes back the records that were left, when more hits are needed.
  mutating func removeLeft() -> [RankedRecord] {
    defer { left = [] }
    floor = nil
    return left
  }
}
