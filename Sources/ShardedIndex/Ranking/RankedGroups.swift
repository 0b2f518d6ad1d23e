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
  /// The number of groups; exact if the search found all matches. Then the numbers of the others are exact, too.
  let total: ShardedIndex.Total
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
    var (groups, numbers): ([[UInt8]: Int], [Int?]) = ([:], [])
    var count = 0
    for (index, identity) in try field.identities(of: matches.records, in: generation).enumerated() {
      if let identity, let group = groups[identity] {
        // A group before the cursor belongs to an earlier page.
        if let number = numbers[group] { others[number] += 1 }
        continue
      }
      if let identity { groups[identity] = count }
      count += 1
      let record = matches.records[index]
      if let rank, !(record.rank < rank) {
        numbers.append(nil)
        continue
      }
      numbers.append(best.count)
      best.append(record)
      others.append(0)
      if index < matches.settledCount { settledCount = best.count }
    }
    isCut = matches.isCut
    total = ShardedIndex.Total(count, isExact: isExact)
  }

  /// Whether there are groups behind those that pages had.
  var hasMore: Bool { shown < best.count }

  /// Returns the next groups, at most `limit` of them, and moves behind them.
  mutating func next(_ limit: Int) -> RankedSearch.NextHits {
    let end = shown + min(max(0, limit), best.count - shown)
    var page = RankedSearch.NextHits(records: Array(best[shown..<end]))
    page.others = Array(others[shown..<end])
    page.settledCount = min(max(0, settledCount - shown), page.records.count)
    let isShort = page.records.count < limit && !total.isExact
    page.isCut = isCut && (isShort || page.settledCount < page.records.count)
    page.endsAtWalkLimit = isShort && !isCut
    shown = end
    return page
  }
}
