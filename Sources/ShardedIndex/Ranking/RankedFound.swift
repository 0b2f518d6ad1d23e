/// The records that a page of hits may be made of: no more than are wanted, or little more.
struct RankedFound {
  private(set) var heap = RankedHeap<RankedRecord>()
  /// The number of hits that are still wanted.
  private var wanted: Int
  /// The rank below which no record is wanted: as many others are above.
  private var floor: ShardedIndex.Rank?
  /// Records that are not wanted: of those of a part that come one after the other, the best.
  private(set) var left: [RankedRecord] = []

  init(limit: Int) { wanted = limit }

  mutating func add(_ record: RankedRecord) {
    if let floor, record.rank < floor { return leave(record) }
    heap.push(record)
    // At times, so that each record is moved a few times at most.
    guard heap.count > wanted + max(wanted, 64) else { return }
    for rest in heap.cut(to: wanted) { leave(rest) }
    floor = heap.last?.rank
  }

  /// Takes the best record. There must be one.
  mutating func take() -> RankedRecord { heap.pop()! }

  /// Counts a record that was taken as a hit.
  mutating func countHit() { wanted -= 1 }

  private mutating func leave(_ record: RankedRecord) {
    guard let last = left.last, last.part == record.part else { return left.append(record) }
    if last.rank < record.rank { left[left.count - 1] = record }
  }

  /// Leaves all records that were not taken to a later page.
  mutating func leaveAll() { while let record = heap.pop() { leave(record) } }

  /// Takes the records that were not wanted: more are wanted again.
  mutating func takeLeft() -> [RankedRecord] {
    defer { left = [] }
    floor = nil
    return left
  }
}
