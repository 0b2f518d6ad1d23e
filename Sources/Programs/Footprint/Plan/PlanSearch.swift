/// The search for the best candidate: the measured candidates, and the sizes worth measuring next.
package struct PlanSearch {
  package private(set) var candidates: [PlanCandidate]
  /// The candidate that decompresses the fewest bytes. As long as all candidates are too large on disk, the smallest
  /// one.
  package private(set) var best: PlanCandidate
  private let diskLimitBytes: Int

  package init(usual: PlanCandidate, diskLimitBytes: Int) {
    (candidates, best, self.diskLimitBytes) = ([usual], usual, diskLimitBytes)
  }

  package mutating func add(_ candidate: PlanCandidate) {
    candidates.append(candidate)
    // The earlier candidate wins a tie: it is the usual candidate or nearer to it.
    if score(candidate) < score(best) { best = candidate }
  }

  private func score(_ candidate: PlanCandidate) -> (Int, Int, Int) {
    (max(0, candidate.diskBytes - diskLimitBytes), candidate.choosing.loadedBytes, candidate.diskBytes)
  }

  /// Returns whether sizes are neither measured yet nor too large on disk with larger parts already.
  package func isWorthwhile(_ sizes: ShardSizes) -> Bool {
    !candidates.contains {
      $0.sizes == sizes
        || $0.sizes.shardBytes == sizes.shardBytes && $0.sizes.partBytes > sizes.partBytes
          && $0.diskBytes > diskLimitBytes
    }
  }

  /// Returns the sizes that are one step away in the shard size, the part size or both, large parts first.
  package func neighbours(of sizes: ShardSizes, _ shardSizes: [Int], _ partSizes: [Int]) -> [ShardSizes] {
    func around(_ size: Int, _ sizes: [Int]) -> ArraySlice<Int> {
      let at = sizes.firstIndex(of: size)!
      return sizes[max(0, at - 1)...min(sizes.count - 1, at + 1)]
    }
    return around(sizes.partBytes, partSizes).reversed().flatMap { part in
      around(sizes.shardBytes, shardSizes).filter { $0 >= part }.map { ShardSizes(shardBytes: $0, partBytes: part) }
    }
  }
}
