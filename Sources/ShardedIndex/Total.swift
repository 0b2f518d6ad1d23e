extension ShardedIndex {
  /// The number of matches of an answer. Source: docs/totals.md.
  ///
  /// Matches that correct typing errors count only if no record matches without one.
  public struct Total: Hashable, Sendable {
    /// The number of matches; if the number is not exact, there may be more.
    public let number: Int
    /// Whether there are no more matches.
    public let isExact: Bool

    package init(_ number: Int, isExact: Bool = true) { (self.number, self.isExact) = (number, isExact) }

    /// The most matches that a search of its own counts.
    package static let walkLimit = 10_000
  }
}

extension ShardedIndex.RankedHits {
  /// Returns the number of matches, as far as the search and the number of keys tell it. Reads nothing.
  ///
  /// - Parameter keys: The number of keys that begin with the text; nil if it is unknown.
  package func total(keys: Int?) -> ShardedIndex.Total {
    if search.group != nil { return ShardedIndex.Total(groups?.count ?? 0, isExact: groups?.isExact ?? false) }
    // The keys begin with the typed text.
    let keys = isOfTypedText ? keys : nil
    if !search.hasConditions, !search.rules.isPlain, let keys, keys > 0 || search.editLimit == 0 {
      return ShardedIndex.Total(keys)
    }
    if !search.hasConditions, text.isEmpty, let all = keys ?? (generation.isOfStarts ? nil : generation.recordCount) {
      return ShardedIndex.Total(all)
    }
    let rest = search.highestRest
    let right = before.right + found.records.count { $0.rank.edits == 0 }
    // Hits without typing errors come first. Behind the hits of starts there may be other ones.
    let isAtErrors = before.isKnown && (rest.map { $0.edits > 0 && !generation.isOfStarts } ?? true)
    if right > 0, isAtErrors { return ShardedIndex.Total(right) }
    if isAtErrors { return ShardedIndex.Total(before.all + count, isExact: rest == nil) }
    // All of these keys match; other records may match too.
    let least = !search.hasConditions ? min(keys ?? 0, ShardedIndex.Total.walkLimit) : 0
    return ShardedIndex.Total(Swift.max(right, least), isExact: false)
  }

  /// Returns the number of matches as ``total(keys:)`` does, or by the tables of the index.
  ///
  /// - Complexity: O(*s*) with one filter, O(log *n*) without: *s* shards of the matches, *n* records. Reads the two
  ///   parts at the ends of the matches.
  package func tableTotal(keys: Int? = nil) throws(IndexError) -> ShardedIndex.Total {
    let known = total(keys: keys)
    // Tables do not tell whether typing errors are corrected.
    guard !known.isExact, search.group == nil, search.editLimit == 0,
      let count = try search.countMatches(of: text)
    else { return known }
    return ShardedIndex.Total(count)
  }

  /// Returns the number of matches, by a search of its own for at most 10,000 of them if nothing else tells it.
  ///
  /// - Parameters:
  ///   - budget: The limit on the work of the search; nil for no limit.
  ///   - walked: The number that a walk over the matches has found; nil for no walk.
  package func countedTotal(
    keys: Int? = nil, budget: ShardedIndex.SearchBudget? = nil, walked: ShardedIndex.Total? = nil
  ) throws(IndexError) -> ShardedIndex.Total {
    let known = total(keys: keys)
    if known.isExact || search.group != nil { return known }
    if let count = try search.countMatches(of: text), count > 0 || search.editLimit == 0 {
      return ShardedIndex.Total(count)
    }
    if let walked { return max(walked, known) }
    let right = try self.walked(.none, budget)
    if search.text.isClosed, right == ShardedIndex.Total(0) {
      var plain = self
      return try plain.takePlainForm() ? try plain.countedTotal(keys: keys, budget: budget) : right
    }
    if right.number > 0 || !right.isExact || search.editLimit == 0 { return max(right, known) }
    return max(try self.walked(.automatic, budget), known)
  }

  private func walked(
    _ typos: ShardedIndex.Typos, _ budget: ShardedIndex.SearchBudget?
  ) throws(IndexError) -> ShardedIndex.Total {
    var walk = try RankedSearch(
      text, filter: search.filter, near: search.nearness?.condition(in: generation.manifest), typos: typos,
      isClosed: search.text.isClosed, acrossNames: search.rules.acrossNames, in: generation)
    let page = try walk.next(ShardedIndex.Total.walkLimit, budget: budget)
    return ShardedIndex.Total(page.records.count, isExact: walk.highestRest == nil)
  }

  /// Returns an exact number of matches, else the greater one.
  private func max(_ counted: ShardedIndex.Total, _ known: ShardedIndex.Total) -> ShardedIndex.Total {
    counted.isExact || counted.number > known.number ? counted : known
  }
}
