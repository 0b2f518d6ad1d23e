/// The count of the values of fields among matches. Source: docs/facets.md.
struct FacetSearch {
  private let generation: Generation
  /// The most values of a facet.
  private let limit: Int
  /// The limit on the work of walks that is left; nil for no limit.
  private var budget: ShardedIndex.SearchBudget?
  private let isStopped: (() -> Bool)?

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

  /// Returns a counter of the values of a filter's field, or of the numbers of another field.
  ///
  /// - Parameter start: The beginning of the values that count, folded.
  func counter(_ field: String, start: [UInt8] = []) -> FacetCounter {
    let number = generation.schema.names.number(of: field)
    if generation.manifest.filterFields.number(of: field) == nil {
      return FacetCounter(values: nil, numbers: NumberCounter(field: number))
    }
    return FacetCounter(values: ValueCounter(field: number, start: start), numbers: nil)
  }

  private func facet(
    _ field: String, _ counter: FacetCounter, ends: RecordNumbers? = nil, isExact: Bool
  ) -> ShardedIndex.Facet {
    if let numbers = counter.numbers {
      return ShardedIndex.Facet(field, numbers, ends: ends ?? numbers.ends, isExact: isExact)
    }
    return ShardedIndex.Facet(field, counter.values!, limit: limit, isExact: isExact)
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
  ///   - counter: An empty counter.
  ///   - cuts: Whether the first 10,000 records count if there are more.
  /// - Returns: nil if the tables do not tell the counts, and there are more records than to read.
  func facet(
    _ field: String, _ counter: FacetCounter, among matches: ShardedIndex.Matches, cuts: Bool
  ) throws(IndexError) -> ShardedIndex.Facet? {
    if generation.overlay == nil, let number = generation.manifest.filterFields.number(of: field),
      var counter = counter.values
    {
      var tables = FacetTables(generation.shards, field: number, runs: matches.positions)
      if try tables.count(with: &counter) {
        guard counter.values.allSatisfy({ $0.count <= matches.count }) else {
          let reason = "has tables of more records than it has"
          throw .corrupt(path: generation.manifest.path, cause: .invalid(reason: reason, offset: 0))
        }
        try tables.readTexts(of: counter.best(limit), to: &counter)
        return facet(field, FacetCounter(values: counter, numbers: nil), isExact: true)
      }
    }
    let ends = try ends(field, of: matches)
    guard cuts || ends != nil || matches.count <= Self.limits.records else { return nil }
    var counter = counter
    let isRead = try read(matches, with: &counter)
    return facet(field, counter, ends: ends, isExact: isRead && matches.count <= Self.limits.records)
  }

  /// Counts the first records of runs of keys. Returns whether none is missing among the first 10,000.
  private func read(_ matches: ShardedIndex.Matches, with counter: inout FacetCounter) throws(IndexError) -> Bool {
    let buffer = RecordBuffer()
    let end = min(matches.count, Self.limits.records)
    var (at, bytes) = (0, 0)
    while at < end, bytes <= Self.limits.bytes {
      let next = min(end, at + min(256, try matches.recordsAtOnce(at: at)))
      try matches.read(at..<next, into: buffer)
      for record in 0..<buffer.count { counter.add(buffer.fieldRange(record), of: buffer) }
      bytes += unsafe buffer.output.pointee.byteCount
      at = next
    }
    return at == end
  }

  // MARK: Walks

  /// Counts the values of several fields by one walk: a search of its own for at most 10,000 matches, in the order of the
  /// answer.
  ///
  /// - Parameters:
  ///   - hits: The hits of the answer, whose text and edits the walk has.
  ///   - filters: The filters of the walk.
  mutating func facets(
    _ fields: [String], _ hits: ShardedIndex.RankedHits, _ filters: [ShardedIndex.Filter]
  ) throws(IndexError) -> (total: ShardedIndex.Total, facets: [ShardedIndex.Facet]) {
    var walk = try hits.begun(with: filters)
    let start = walk.opened
    let page = try walk.next(ShardedIndex.Total.walkLimit, budget: budget, isStopped: isStopped)
    budget = budget?.rest(from: start, to: walk.opened)
    let total = ShardedIndex.Total(page.records.count, isExact: walk.highestRest == nil)
    var counters = fields.map { counter($0) }
    let isExact = try count(page.records, with: &counters) && total.isExact
    return (total, fields.indices.map { facet(fields[$0], counters[$0], isExact: isExact) })
  }

  /// Counts the records of a walk for several fields, in the order of the index.
  ///
  /// - Returns: Whether all records count; false if they are too large.
  private func count(_ records: [RankedRecord], with counters: inout [FacetCounter]) throws(IndexError) -> Bool {
    let positions = records.map { $0.rank.position }
    let order = positions.indices.sorted { positions[$0] < positions[$1] }
    let buffer = RecordBuffer()
    var (at, bytes) = (0, 0)
    while at < order.count, bytes <= Self.limits.bytes {
      let first = records[order[at]]
      var end = at + 1
      while end < order.count, case let next = records[order[end]], next.part.shard == first.part.shard,
        next.part.part == first.part.part, next.record == first.record + end - at, !first.part.isOverlay, end - at < 32
      { end += 1 }
      buffer.removeAll()
      if first.part.isOverlay {
        unsafe generation.overlay?.decode(first.record, into: &buffer.output.pointee)
      } else {
        let place = try generation.manifest.shardPosition(ofShard: first.part.shard)
        let part = try generation.shards.part(of: place, promotes: false, unpacks: true) { _ in first.part.part }
        try PartReader(generation.shards, part).decode(first.record..<first.record + end - at, into: buffer)
      }
      for record in 0..<buffer.count {
        for number in counters.indices { counters[number].add(buffer.fieldRange(record), of: buffer) }
      }
      bytes += unsafe buffer.output.pointee.byteCount
      at = end
    }
    return at == order.count
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
  /// One walk over the matches serves both.
  ///
  /// - Parameter isStopped: A condition that ends a walk; nil for none.
  package func counts(
    isStopped: (() -> Bool)? = nil
  ) throws(IndexError) -> (total: ShardedIndex.Total, facets: [ShardedIndex.Facet]) {
    guard !query.facets.isEmpty else { return (try total(), []) }
    var fields: [String] = []
    for field in query.facets where fields.number(of: field) == nil { fields.append(field) }
    var counting = FacetSearch(generation, limit: query.facetLimit, budget: budget, isStopped: isStopped)
    var facets: [ShardedIndex.Facet?] = []
    // The fields without a filter of the query, whose values one walk counts.
    var shared: [Int] = []
    for field in fields {
      if let keys = try keyMatches(without: field),
        let facet = try counting.facet(field, counting.counter(field), among: keys, cuts: !isRanked)
      {
        facets.append(facet)
      } else if query.filter.contains(where: { $0.hasField(of: .init(field, isOneOf: [])) }) {
        facets += try counting.facets([field], hits!, hits!.filters(without: field)).facets
      } else {
        shared.append(facets.count)
        facets.append(nil)
      }
    }
    guard !shared.isEmpty else { return (try total(), facets.compactMap { $0 }) }
    let walked = try counting.facets(shared.map { fields[$0] }, hits!, hits!.filters)
    for (number, facet) in zip(shared, walked.facets) { facets[number] = facet }
    // A walk with the fewest errors ends before other matches that the total counts, and groups count otherwise.
    let isTotal = query.typos != .min && query.group == nil
    return (try total(walked: isTotal ? walked.total : nil), facets.compactMap { $0 })
  }

  /// Returns the matches, without the query's filters by a field, if they are the records whose keys begin with the text,
  /// and no others; else nil.
  private func keyMatches(without field: String) throws(IndexError) -> ShardedIndex.Matches? {
    guard isRanked else { return try keyMatches(of: text) }
    guard hits!.filters(without: field).isEmpty, query.near?.radius == nil else { return nil }
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
