extension RankedSearch {
  /// The hits of a page.
  struct NextHits: Sendable {
    var records: [RankedRecord] = []
    /// The number of hits above all bounds, which no unopened record can come before.
    var settledCount = 0
    /// Whether the budget ended the search.
    var isCut = false
    /// Whether the number of edits ended the search.
    var endsAtMoreEdits = false
    /// Whether groups end with the matches that a search for groups finds at most.
    var endsAtWalkLimit = false
    /// The number of the others of each hit's group; empty without groups.
    var others: [Int] = []
    /// Whether no hit is missing.
    var isComplete: Bool { !isCut && !endsAtMoreEdits && !endsAtWalkLimit }
  }
}
