import ShardedIndex

extension Verifier {
  /// Compares the ranks of a shard with its records, and reports each part with a wrong greatest weight.
  ///
  /// - Parameter weights: The greatest weight of each part; nil if the shard is not sound.
  mutating func checkRanks(ofShard number: Int, _ weights: [UInt64]?) {
    for fault in ranks?.faults(ofShard: number, weights) ?? [] { report(fault) }
  }

  /// Reports the pages with wrong greatest weights, and the pages that could not be read.
  mutating func finishRanks() {
    guard let ranks else { return }
    var named: Set<Int> = []
    for fault in ranks.faultsOfPages() {
      if case .page(let page, _, _) = fault { named.insert(page) }
      report(fault)
    }
    for (page, error) in ranks.unreadable.sorted(by: { $0.key < $1.key }) where !named.contains(page) {
      guard case .corrupt(_, let cause) = error else {
        unread(manifestName, error)
        continue
      }
      damage(manifestName, "page \(page) of the ranks: \(cause)")
    }
  }

  private mutating func report(_ fault: RankCheck.WeightFault) {
    wrongRanks += 1
    guard wrongRanks <= Self.reportLimit else { return }
    damage(manifestName, fault.text(shards))
  }
}
