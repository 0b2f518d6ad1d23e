/// The count of the values of fields among matches. Source: docs/facets.md.
struct FacetSearch {
  private let generation: Generation
  /// The most values of a facet.
  private let limit: Int
  /// The limit on the work of walks that is left; nil for no limit.
  private var budget: ShardedIndex.SearchBudget?
  private let isStopped: (() -> Bool)?
  /// The matches of the answer, once a field needed them.
  private var matches: Walked?

  /// Matches from the first one in the order of the answer on.
  private struct Walked {
    /// The matches in the order of the index.
    var records: [RankedRecord] = []
    /// Whether there are no more matches.
    let isExact: Bool
  }

  /// The most records that a count reads, and the most bytes of these records together.
  private static let limits = (records: ShardedIndex.Total.walkLimit, bytes: 64 << 20)

  /// - Parameters:
  ///   - budget: The limit on the work of all walks together; nil for no limit.
  ///   - isStopped: A condition that ends a walk; nil for none.
  init(
    _ generation: Generation, limit: Int, budget: ShardedIndex.SearchBudget? = nil, isStopped: (() -> Bool)? = nil
  ) {
    (self.generation, self.limit) = (generation, min(max(0, limit), ShardedIndex.Facet.valueLimit))
    (self.budget, self.isStopped) = (budget, isStopped)
  }

  /// The number of matches that a walk has found; nil for no walk.
  var total: ShardedIndex.Total? { matches.map { ShardedIndex.Total($0.records.count, isExact: $0.isExact) } }

  /// Returns a counter of the values of a filter's field, or of the numbers of another field.
  ///
  /// - Parameter start: The beginning of the values that count, folded.
  private func counter(_ field: String, _ start: [UInt8] = []) -> FacetCounter {
    let number = generation.schema.names.number(of: field)
    return generation.manifest.filterFields.number(of: field) == nil
      ? .numbers(NumberCounter(field: number)) : .values(ValueCounter(field: number, start: start))
  }

  private func facet(
    _ field: String, _ counter: FacetCounter, ends: RecordNumbers? = nil, isExact: Bool
  ) -> ShardedIndex.Facet {
    switch counter {
    case .values(let values): ShardedIndex.Facet(field, values, limit: limit, isExact: isExact)
    case .numbers(let numbers): ShardedIndex.Facet(field, numbers, ends: ends ?? numbers.ends, isExact: isExact)
    }
  }

  /// Returns the least and the greatest number of a field in all records; nil if the index does not know them.
  private func ends(_ field: String, of matches: ShardedIndex.Matches) throws(IndexError) -> RecordNumbers? {
    guard generation.overlay == nil, matches.count == generation.recordCount,
      let field = NumberField(field, in: generation.manifest)
    else { return nil }
    return try field.ends(in: generation.manifest)
  }

  // MARK: Runs of keys

  /// Returns the facet of a field among runs of keys: by tables, or by reading the records if there are at most 10,000.
  ///
  /// - Parameters:
  ///   - start: The beginning of the values that count, folded.
  ///   - cuts: Whether the first 10,000 records count if there are more.
  /// - Returns: nil if the tables do not tell the counts, and there are more records than to read.
  func facet(
    _ field: String, startingWith start: [UInt8] = [], among matches: ShardedIndex.Matches, cuts: Bool
  ) throws(IndexError) -> ShardedIndex.Facet? {
    let counter = counter(field, start)
    if generation.overlay == nil, let number = generation.manifest.filterFields.number(of: field),
      case .values(let counter) = self.counter(field, start)
    {
      let tables = FacetTables(generation.shards, field: number, runs: matches.positions)
      if try tables.count(with: counter) {
        guard counter.values.allSatisfy({ $0.count <= matches.count }) else {
          let reason = "has tables of more records than it has"
          throw .corrupt(path: generation.manifest.path, cause: .invalid(reason: reason, offset: 0))
        }
        try tables.readTexts(of: counter.best(limit), to: counter)
        return facet(field, .values(counter), isExact: true)
      }
    }
    let ends = try ends(field, of: matches)
    guard cuts || ends != nil || matches.count <= Self.limits.records else { return nil }
    let isRead = try read(matches, with: counter)
    return facet(field, counter, ends: ends, isExact: isRead && matches.count <= Self.limits.records)
  }

  /// Counts the first records of runs of keys. Returns whether none is missing among the first 10,000.
  private func read(_ matches: ShardedIndex.Matches, with counter: FacetCounter) throws(IndexError) -> Bool {
    let buffer = RecordBuffer()
    let end = min(matches.count, Self.limits.records)
    var (at, bytes) = (0, 0)
    while at < end, bytes <= Self.limits.bytes {
      let next = min(end, at + min(256, try matches.recordsAtOnce(at: at)))
      try matches.read(at..<next, into: buffer)
      bytes += counter.add(allOf: buffer)
      at = next
    }
    return at == end
  }

  // MARK: Walks

  /// Returns the facet of a field among at most 10,000 matches, which a search of its own finds in the order of the
  /// answer.
  ///
  /// - Parameters:
  ///   - start: The beginning of the values that count, folded.
  ///   - hits: The hits of the answer, whose text and edits the search has.
  ///   - filters: The filters of the search; nil for those of the answer, whose matches serve several fields.
  mutating func facet(
    _ field: String, startingWith start: [UInt8], _ hits: ShardedIndex.RankedHits, filters: [ShardedIndex.Filter]?
  ) throws(IndexError) -> ShardedIndex.Facet {
    let walked: Walked
    if filters == nil, let matches { walked = matches } else { walked = try walk(hits, filters ?? hits.filters) }
    if filters == nil { matches = walked }
    let counter = counter(field, start)
    let isRead = try count(walked.records, with: counter)
    return facet(field, counter, isExact: isRead && walked.isExact)
  }

  private mutating func walk(
    _ hits: ShardedIndex.RankedHits, _ filters: [ShardedIndex.Filter]
  ) throws(IndexError) -> Walked {
    var walk = try hits.begun(with: filters)
    let start = walk.opened
    let page = try walk.next(Self.limits.records, budget: budget, isStopped: isStopped)
    budget = budget?.rest(from: start, to: walk.opened)
    var walked = Walked(isExact: walk.highestRest == nil)
    walked.records = page.records.ordered { $0.rank.position < $1.rank.position }
    return walked
  }

  /// Counts records in the order of the index.
  ///
  /// - Returns: Whether all records count; false if they are too large.
  private func count(_ records: [RankedRecord], with counter: FacetCounter) throws(IndexError) -> Bool {
    let buffer = RecordBuffer()
    var (at, bytes) = (0, 0)
    while at < records.count, bytes <= Self.limits.bytes {
      let first = records[at]
      var end = at + 1
      // Neighbours are decoded together.
      while end < records.count, end - at < 32, !first.part.isOverlay, records[end].part.shard == first.part.shard,
        records[end].part.part == first.part.part, records[end].record == first.record + end - at
      { end += 1 }
      buffer.removeAll()
      if first.part.isOverlay {
        unsafe generation.overlay?.decode(first.record, into: &buffer.output.pointee)
      } else {
        let place = try generation.manifest.shardPosition(ofShard: first.part.shard)
        let part = try generation.shards.part(of: place, promotes: false, unpacks: true) { _ in first.part.part }
        try PartReader(generation.shards, part).decode(first.record..<first.record + end - at, into: buffer)
      }
      bytes += counter.add(allOf: buffer)
      at = end
    }
    return at == records.count
  }
}

extension ShardedIndex.RankedHits {
  /// Returns the filters of the search that the hits come from, without those by which the query filters a field. A
  /// reading's filter of the field stays.
  func filters(without field: String) -> [ShardedIndex.Filter] {
    let filter = ShardedIndex.Filter(field, isOneOf: [])
    if interpretation?.filters.contains(where: { $0.hasField(of: filter) }) ?? false { return filters }
    return filters.filter { !$0.hasField(of: filter) }
  }
}

extension ShardedIndex.Search {
  /// Returns the number of matches, counted as far as the query wants it, and the facets of the query, each field once.
  /// One walk over the matches serves all.
  ///
  /// - Parameter isStopped: A condition that ends a walk; nil for none.
  package func counts(
    isStopped: (() -> Bool)? = nil
  ) throws(IndexError) -> (total: ShardedIndex.Total, facets: [ShardedIndex.Facet]) {
    guard !query.facets.isEmpty else { return (try total(), []) }
    var counting = FacetSearch(generation, limit: query.facetLimit, budget: budget, isStopped: isStopped)
    var facets: [ShardedIndex.Facet] = []
    let start = Fold.fold(query.facetStart)
    for (index, field) in query.facets.enumerated() where query.facets.number(of: field) == index {
      let filters = isRanked ? hits!.filters(without: field) : []
      if let keys = try keyMatches(filters),
        let facet = try counting.facet(field, startingWith: start, among: keys, cuts: !isRanked)
      {
        facets.append(facet)
      } else {
        let isOwn = filters.count < hits!.filters.count
        facets.append(try counting.facet(field, startingWith: start, hits!, filters: isOwn ? filters : nil))
      }
    }
    // A walk with the fewest errors ends before other matches that the total counts, and groups count otherwise.
    let isTotal = query.typos != .min && query.group == nil
    return (try total(walked: isTotal ? counting.total : nil), facets)
  }

  /// Returns the matches with some filters, if they are the records whose keys begin with the text, and no others; else
  /// nil.
  private func keyMatches(_ filters: [ShardedIndex.Filter]) throws(IndexError) -> ShardedIndex.Matches? {
    guard isRanked else { return try keyMatches(of: text) }
    guard filters.isEmpty, query.near?.radius == nil else { return nil }
    let manifest = generation.manifest
    if hits!.text.isEmpty { return try keyMatches(of: []) }
    guard manifest.setting("words") == nil, manifest.setting("alias") == nil else { return nil }
    let matches = try keyMatches(of: hits!.text)
    // Otherwise records with typing errors match.
    return matches.isEmpty && hits!.search.editLimit > 0 ? nil : matches
  }

  private func keyMatches(of text: [UInt8]) throws(IndexError) -> ShardedIndex.Matches {
    guard !text.isEmpty else { return ShardedIndex.Matches(allOf: generation) }
    return try text.withFoldedPrefix { (text) throws(IndexError) in
      ShardedIndex.Matches(generation, try generation.answer(to: text, limit: .max))
    }
  }
}
