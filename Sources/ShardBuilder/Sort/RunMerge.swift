/// Merges sorted runs by a tree of losers: one comparison for each level and record.
final class RunMerge {
  private var readers: [RunReader] = []
  private let order: RecordOrder
  private var losers: [Int]  // Inner node n has the children 2n and 2n + 1; leaf r is node count + r.
  private var winner = 0
  private var isLive: [Bool] = []
  private var needsRefill = false
  private var isStarted = false
  private var batch: [RecordBlob] = []
  private static let batchCount = 1024

  init(_ runs: [SortRun], _ order: RecordOrder, memory: Int) throws(BuildError) {
    self.order = order
    let capacity = min(1 << 20, max(ExternalSort.bufferSize, memory / (runs.count + 1)))
    losers = Array(repeating: -1, count: runs.count)
    for run in runs { readers.append(RunReader(run, capacity: capacity)) }
  }

  /// Frees the memory of large records that were delivered.
  func release() {
    for index in isLive.indices where !isLive[index] || needsRefill && index == winner { readers[index].release() }
  }

  private func isBefore(_ a: Int, _ b: Int) -> Bool {
    guard isLive[a] else { return false }
    guard isLive[b] else { return true }
    if readers[a].head != readers[b].head { return readers[a].head < readers[b].head }
    return order.compare(readers[a].record, readers[b].record) < 0
  }

  private func replay(_ leaf: Int) {
    var (current, node) = (leaf, (leaf + readers.count) / 2)
    while node > 0 {
      if isBefore(losers[node], current) { swap(&losers[node], &current) }
      node /= 2
    }
    winner = current
  }

  private func start() throws(BuildError) {
    for index in readers.indices { isLive.append(try readers[index].refill()) }
    let count = readers.count
    var winners = Array(repeating: 0, count: 2 * count)
    for leaf in 0..<count { winners[count + leaf] = leaf }
    for node in stride(from: count - 1, to: 0, by: -1) {
      let (left, right) = (winners[2 * node], winners[2 * node + 1])
      let isLeft = !isBefore(right, left)
      winners[node] = isLeft ? left : right
      losers[node] = isLeft ? right : left
    }
    winner = count > 1 ? winners[1] : 0
    isStarted = true
  }

  func nextBatch() throws(BuildError) -> [RecordBlob]? {
    if !isStarted { try start() }
    if needsRefill {
      isLive[winner] = try readers[winner].refill()
      needsRefill = false
      replay(winner)
    }
    guard isLive[winner] else { return nil }
    batch.removeAll(keepingCapacity: true)
    while batch.count < Self.batchCount {
      batch.append(readers[winner].record)
      if readers[winner].advance() {
        replay(winner)
      } else if readers[winner].isAtEnd {
        isLive[winner] = false
        replay(winner)
        if !isLive[winner] { break }
      } else {
        needsRefill = true  // A read would move the records of the batch.
        break
      }
    }
    return batch
  }
}
