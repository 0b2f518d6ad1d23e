/// The matches of a ranked query in groups: the best record of each group stands for the others. Source: docs/groups.md.
struct RankedGroups: Sendable {
  /// The best record of each group behind the cursor, in the order of the answer.
  private var best: [RankedRecord] = []
  /// The number of the others of each group.
  private var others: [Int] = []
  /// The number of groups whose best record no unopened record can come before.
  private var settledCount = 0
  /// Whether the budget ended the search for matches.
  private let isCut: Bool
  /// The number of all groups, also of those before the cursor.
  private(set) var count = 0
  /// Whether the search found all matches, so that the numbers of groups and of others are exact.
  let isExact: Bool
  /// The number of groups that pages had.
  private var shown = 0

  /// - Parameters:
  ///   - matches: The matches from the first one on.
  ///   - isExact: Whether there are no further matches.
  ///   - rank: The rank of the last hit of the page before; nil for the first page.
  init(
    _ matches: RankedSearch.NextHits, by field: GroupField, isExact: Bool, behind rank: ShardedIndex.Rank?,
    in generation: Generation
  ) throws(IndexError) {
    (isCut, self.isExact) = (matches.isCut, isExact)
    // The number of each group among the best; -1 for a group before the cursor, which belongs to an earlier page.
    var groups: [[UInt8]: Int] = [:]
    let identities = try field.identities(of: matches.records, in: generation)
    for index in identities.indices {
      let (record, identity) = (matches.records[index], identities[index])
      if !identity.isEmpty, let group = groups[identity] {
        if group >= 0 { others[group] += 1 }
        continue
      }
      let isShown = rank.map { $0 <= record.rank } ?? false
      if !identity.isEmpty { groups[identity] = isShown ? -1 : best.count }
      count += 1
      if isShown { continue }
      best.append(record)
      others.append(0)
      if index < matches.settledCount { settledCount = best.count }
    }
  }

  /// Whether there are groups behind those that pages had.
  var hasMore: Bool { shown < best.count }

  /// The rank of the best record behind the groups that pages had; nil if there are no more.
  var highestRest: ShardedIndex.Rank? { hasMore ? best[shown].rank : nil }

  /// Returns the next groups, at most `limit` of them, and moves behind them.
  mutating func next(_ limit: Int) -> RankedSearch.NextHits {
    let end = shown + min(max(0, limit), best.count - shown)
    var page = RankedSearch.NextHits(records: Array(best[shown..<end]))
    page.others = Array(others[shown..<end])
    page.settledCount = min(max(0, settledCount - shown), page.records.count)
    let isShort = page.records.count < limit && !isExact
    page.isCut = isCut && (isShort || page.settledCount < page.records.count)
    page.endsAtWalkLimit = isShort && !isCut
    shown = end
    return page
  }
}
