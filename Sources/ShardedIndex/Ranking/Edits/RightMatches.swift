/// The matches without edits, which decide whether a search looks for matches with edits. Source: docs/tiers.md
/// section 2.
struct RightMatches: Sendable {
  /// The number of matches from which on the search looks for no others.
  private let enough: Int
  private var positions: Set<Int> = []
  private var hasWhole = false

  /// - Parameter editLimit: The most edits of a match.
  init(editLimit: Int) { enough = editLimit > 1 ? 3 : editLimit }

  /// Whether there are fewer than enough matches, and none by a whole text.
  var areFew: Bool { positions.count < enough && !hasWhole }

  /// Counts a match if it is without edits.
  mutating func add(_ rank: ShardedIndex.Rank, bonus: Int) {
    guard rank.edits == 0, areFew else { return }
    positions.insert(rank.position)
    hasWhole = RecordMatch.isWhole(bonus: bonus)
  }
}
