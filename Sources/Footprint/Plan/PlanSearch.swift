/// What was measured so far, and what may be worth it next.
struct PlanSearch {
  private(set) var candidates: [PlanCandidate]
  /// That of the fewest bytes decompressed; as long as all are too large on disk, the smallest.
  private(set) var best: PlanCandidate
  private let diskLimitBytes: Int

  init(usual: PlanCandidate, diskLimitBytes: Int) {
    (candidates, best, self.diskLimitBytes) = ([usual], usual, diskLimitBytes)
  }

  mutating func add(_ candidate: PlanCandidate) {
    candidates.append(candidate)
    // Whichever came first wins a tie: that is the usual one, or one nearer to it.
    if score(candidate) < score(best) { best = candidate }
  }

  private func score(_ candidate: PlanCandidate) -> (Int, Int, Int) {
    (max(0, candidate.diskBytes - diskLimitBytes), candidate.choosing.loadedBytes, candidate.diskBytes)
  }

  /// Not measured yet, and not too large already with larger parts.
  func isWorthwhile(_ packing: ShardSizes) -> Bool {
    !candidates.contains {
      $0.packing == packing
        || $0.packing.shardBytes == packing.shardBytes && $0.packing.partBytes > packing.partBytes
          && $0.diskBytes > diskLimitBytes
    }
  }

  /// Those one step away in one size or in both; those of large parts first.
  func neighbours(of packing: ShardSizes, _ shardSizes: [Int], _ partSizes: [Int]) -> [ShardSizes] {
    func around(_ size: Int, _ sizes: [Int]) -> ArraySlice<Int> {
      let at = sizes.firstIndex(of: size)!
      return sizes[max(0, at - 1)...min(sizes.count - 1, at + 1)]
    }
    return around(packing.partBytes, partSizes).reversed().flatMap { part in
      around(packing.shardBytes, shardSizes).filter { $0 >= part }.map { ShardSizes(shardBytes: $0, partBytes: part) }
    }
  }
}
