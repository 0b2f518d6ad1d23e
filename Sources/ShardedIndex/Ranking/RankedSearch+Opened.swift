extension RankedSearch {
  /// The numbers of pages, shards and parts that a search has opened.
  struct Opened: Sendable {
    var pages = 0
    var shards = 0
    var parts = 0

    /// Returns whether the search has used up a budget.
    ///
    /// - Parameter start: The numbers before the search had the budget.
    func isOver(_ budget: ShardedIndex.SearchBudget?, since start: Opened) -> Bool {
      switch budget {
      case .shards(let limit): shards - start.shards >= limit
      case .parts(let limit): parts - start.parts >= limit
      case .until(let isOver): isOver()
      case nil: false
      }
    }
  }
}
