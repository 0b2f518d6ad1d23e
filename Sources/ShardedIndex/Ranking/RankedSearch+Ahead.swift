// This file opens containers before the search needs them, on a far host.

extension RankedSearch {
  /// Whether a search that ends before more edits has no container left with so many edits or fewer.
  func ends(behind edits: Int) -> Bool {
    endsAtMoreEdits && queue.first.map { $0.rank.edits > edits } ?? false
  }

  /// Opens the next containers, so that a carrier fetches their bytes side by side. The search opens them again, and
  /// reports errors.
  ///
  /// Each round of requests begins the search anew. A search that has opened many containers opens half as many ahead,
  /// so a long search takes few rounds.
  ///
  /// - Parameters:
  ///   - edits: The edits of the container whose bytes are missing.
  ///   - start: The numbers before the search for the page.
  mutating func fetchAhead(behind edits: Int, since start: Opened, _ found: inout RankedFound) {
    let most = max(Self.aheadCount, (opened.shards + opened.parts - start.shards - start.parts) / 2)
    var (count, missing) = (0, -1)
    for _ in 0..<Self.aheadLimit {
      guard count < most, !ends(behind: edits), let container = queue.pop(), found.mayTake(container.rank) else {
        return
      }
      // Neighbouring keys are in one shard, whose bytes come once.
      if case .shard(missing) = container.kind { continue }
      do throws(IndexError) { try open(container, &found) } catch {
        count += 1
        if case .shard(let number) = container.kind { missing = number }
      }
    }
  }
  /// The least number of containers without bytes to open ahead.
  private static let aheadCount = 8
  /// The most containers to open ahead.
  private static let aheadLimit = 1024
}
