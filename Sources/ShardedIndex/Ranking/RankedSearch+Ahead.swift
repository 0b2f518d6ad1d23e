// This file opens containers before the search needs them, on a far host.

extension RankedSearch {
  /// Whether a search that ends before more edits has no container left with so many edits or fewer.
  func ends(behind edits: Int) -> Bool {
    endsAtMoreEdits && queue.first.map { $0.rank.edits > edits } ?? false
  }

  /// Opens the next containers, so that a carrier fetches their bytes side by side. The search opens them again, and
  /// reports errors.
  mutating func fetchAhead(behind edits: Int, _ found: inout RankedFound) {
    var (count, missing) = (0, -1)
    for _ in 0..<Self.aheadLimit {
      guard count < Self.aheadCount, !ends(behind: edits), let container = queue.pop() else { return }
      // Neighbouring keys are in one shard, whose bytes come once.
      if case .shard(missing) = container.kind { continue }
      count += 1
      do throws(IndexError) { try open(container, &found) } catch {
        if case .shard(let number) = container.kind { missing = number }
      }
    }
  }
  /// The number of parts that most answers need.
  private static let aheadCount = 11
  /// The most containers to open ahead.
  private static let aheadLimit = 1024
}
