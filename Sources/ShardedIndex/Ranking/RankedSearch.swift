import CLibrary

/// A ranked search in progress: a queue of containers by the bounds of their ranks, best first.
///
/// The search opens the container with the greatest bound. A page gives shards, a shard gives parts, and a part gives
/// records. A record is a hit once no bound is above its rank. In an index with entries, parts of the entries give
/// entries, and an entry gives the records with the key that it names. Source: docs/ranking.md section 5.
struct RankedSearch: Sendable {
  let generation: Generation
  let text: RankedText
  let rules: MatchRules
  /// The filters of the query; nil for none.
  let filter: RankedFilter?
  /// The place that near records rank higher for; nil for none.
  let nearness: RankedNear?
  /// The order by numbers; nil for the order of ranks alone.
  let sort: RankedSort?
  /// The field that makes groups of the hits; nil for none. The search itself has no groups.
  var group: GroupField?
  /// The second key set; nil if the index has none.
  let entries: EntriesReader?
  private(set) var runs: [RankedRun] = []
  let weightSource: WeightSource
  /// The most edits of a match.
  let editLimit: Int
  /// Whether a page ends before records with more edits than its last hit.
  let endsAtMoreEdits: Bool
  /// The typed text for matches with edits, once the search needs it.
  var nearQuery: NearQuery?
  /// The near beginnings of texts in shards, by the numbers in containers.
  var sketchEnds: [SketchEnds] = []
  /// The rank above all hits, at which the page begins.
  private let ceiling: ShardedIndex.Rank?
  var queue = RankedHeap<RankedContainer>()
  /// The opened parts with matching entries, and these entries without the best one, which is in the queue.
  var entryLists: [(part: RankedPart, others: RankedHeap<RankedContainer>)] = []
  /// The best records that were found and left for later pages, at least one of each part.
  private var left: [RankedRecord] = []
  /// The positions of all hits so far, since an entry may lead to a record that came already.
  private var hits: Set<Int> = []
  /// Whether a record matches without edits. Then the search looks for no record with edits.
  var hasRightMatch = false
  /// The keys that entries led to, with the number of edits before them, and the greatest bonus of these entries.
  private var resolvedKeys: [[UInt8]: Int] = [:]
  /// The keys of the records with a second word of the text.
  var keysOfWord = KeysOfWord()
  var opened = Opened()

  /// - Parameters:
  ///   - folded: The folded text.
  ///   - filter: The filters of the query; nil for none.
  ///   - near: The place that near records rank higher for; nil for none.
  ///   - sort: The order by numbers; nil for the order of ranks alone.
  ///   - typos: Whether a hit may be a few typing errors away from the text.
  ///   - isClosed: Whether the text matches in closed form.
  ///   - acrossNames: Whether words match across the key and other names, and in no other way.
  ///   - ceiling: The rank above all hits; nil for none.
  init(
    _ folded: [UInt8], filter: RankedFilter? = nil, near: RankedNear? = nil, sort: RankedSort? = nil,
    typos: ShardedIndex.Typos = .automatic, isClosed: Bool = false, acrossNames: Bool = false,
    in generation: Generation, below ceiling: ShardedIndex.Rank? = nil
  ) throws(IndexError) {
    (self.generation, self.filter, nearness, self.sort) = (generation, filter, near, sort)
    (self.ceiling, endsAtMoreEdits) = (ceiling, typos == .min)
    let manifest = generation.manifest
    entries = try generation.entries()
    var rules = MatchRules(of: manifest)
    rules.acrossNames = acrossNames
    self.rules = rules
    weightSource = try WeightSource(manifest)
    text = RankedText(folded, rules, isClosed: isClosed)
    editLimit = manifest.corrects(typos) && !acrossNames && !isClosed ? EditBudget(text, rules).limit : 0
    if manifest.shardCount > 0, try goesByNumbers() {
      try add(RankedRun(.records, .all, edits: 0, in: manifest))
    } else if manifest.shardCount > 0 {
      for variant in text.variants where !acrossNames {
        try add(try RankedRun(.records, .typed, variant, isFinished: text.isFinished, in: manifest))
      }
      try queueEntryRuns()
    }
    if generation.overlay != nil { queue.push(RankedContainer(rank: .highest, kind: .overlay, run: -1)) }
    queueEdits(1)
  }

  /// The greatest rank that a record behind the hits can have; nil if there are no more records.
  var highestRest: ShardedIndex.Rank? {
    left.reduce(restOfQueue) { greatest, record in greatest.map { max($0, record.rank) } ?? record.rank }
  }

  /// The bound of the containers in the queue; nil if it has none that the search may open.
  private var restOfQueue: ShardedIndex.Rank? {
    guard let first = queue.first else { return nil }
    if case .edits = first.kind, hasRightMatch { return nil }
    return first.rank
  }

  /// Adds a run and returns its number. The caller queues the run's shards.
  mutating func append(_ run: RankedRun) -> Int {
    var run = run
    run.raiseOfEntries = rules.raiseOfEntries
    runs.append(run)
    return runs.count - 1
  }

  /// Adds a run, and queues its shards.
  mutating func add(_ run: RankedRun) throws(IndexError) {
    try open(pages: run.pages, of: append(run))
  }

  mutating func push(_ container: RankedContainer) { queue.push(container) }

  // MARK: Hits

  /// Returns the next hits, at most `limit` of them, and moves the search behind them.
  ///
  /// - Parameters:
  ///   - mostEdits: The most edits of the first hit; nil for no limit.
  ///   - isStopped: Another condition that ends the search; nil for none.
  mutating func next(
    _ limit: Int, mostEdits: Int? = nil, budget: ShardedIndex.SearchBudget?, isStopped: (() -> Bool)? = nil
  ) throws(IndexError) -> NextHits {
    var page = NextHits()
    guard limit > 0 else { return page }
    var found = RankedFound(limit: limit)
    queueRests(left)
    left = []
    let start = opened
    while page.records.count < limit {
      if let record = found.heap.first, queue.first.map({ $0.rank < record.rank }) ?? true {
        guard let hit = try accepted(found.pop()) else { continue }
        page.records.append(hit)
        found.countHit()
      } else if found.heap.first == nil, !found.left.isEmpty {
        // Records that came twice had taken the places of these records.
        queueRests(found.removeLeft())
      } else if restOfQueue.map({ page.records.isEmpty && $0.edits > mostEdits ?? .max }) ?? true {
        break
      } else if let last = page.records.last, ends(behind: last.rank.edits) {
        page.endsAtMoreEdits = true
        break
      } else if opened.isOver(budget, since: start) || isStopped?() ?? false {
        page.isCut = true
        break
      } else if let container = queue.pop() {
        do throws(IndexError) {
          try open(container, &found)
        } catch {
          if case .io(_, _, EAGAIN) = error, generation.directory.carried != nil {
            fetchAhead(behind: container.rank.edits, since: start, &found)
          }
          throw error
        }
      }
    }
    page.settledCount = page.records.count
    while page.records.count < limit, found.heap.first != nil {
      if let hit = try accepted(found.pop()) { page.records.append(hit) }
    }
    found.leaveAll()
    left = found.left
    return page
  }

  /// Queues the parts of records that were left.
  private mutating func queueRests(_ records: [RankedRecord]) {
    var parts: Set<RankedPart> = []
    var rest = RankedHeap<RankedRecord>()
    for record in records { rest.push(record) }
    while let record = rest.pop() {
      guard parts.insert(record.part).inserted else { continue }
      queue.push(
        RankedContainer(
          rank: record.rank, kind: record.part.isOverlay ? .overlay : .part(record.part, canBeWhole: true),
          run: record.part.run, isRest: true))
    }
  }

  /// Returns a record as a hit; nil if it was a hit before.
  private mutating func accepted(_ record: RankedRecord) throws(IndexError) -> RankedRecord? {
    guard entries != nil else { return record }
    // The previous page may have this record by a better match. Matches with edits are the best matches already.
    guard hits.insert(record.rank.position).inserted else { return nil }
    guard let ceiling, record.rank.edits == 0, let best = try bestRank(of: record) else { return record }
    return best < ceiling ? record : nil
  }

  // MARK: Opening containers

  mutating func open(_ container: RankedContainer, _ found: inout RankedFound) throws(IndexError) {
    switch container.kind {
    case .pages(let pages): try open(pages: pages, of: container.run)
    case .shard(let number): try open(shard: number, of: container.run)
    case .part(let part, let canBeWhole): try open(part, canBeWhole: canBeWhole, container, &found)
    case .overlay: addOverlaid(edits: container.rank.edits, notAbove: container.limit, &found)
    case .edits(let edits): if !hasRightMatch { try open(edits: edits, &found) }
    case .sketch(let group, let page): try open(sketch: group, ofPage: page, of: container.run)
    case .nearShard(let shard, let ends): try open(nearShard: shard, sketchEnds[ends], of: container.run)
    case .entry(let number, let bonus, let list):
      queueBest(ofList: list)
      let key = try entry(number, of: entryLists[list].part).recordKey
      let edits = runs[container.run].edits
      let isOtherForm = edits == 0 && !text.isTyped(atStartOf: key)
      guard isOtherForm || !container.rank.isOtherForm else { return }
      guard try mayHaveOtherWords(key, of: runs[container.run]) else { return }
      let place = [UInt8(edits)] + key
      // Bounds are rounded up, so the entry with the better match may come second.
      if let before = resolvedKeys[place], before >= bonus { return }
      resolvedKeys[place] = bonus
      var rank = container.rank
      rank.isOtherForm = isOtherForm
      try add(RankedRun(.records, .key, key, edits: edits, entry: rank, in: generation.manifest))
    }
  }

  /// Queues the shards of one page, or several pages. Many pages are queued in groups, as under nodes.
  private mutating func open(pages: Range<Int>, of number: Int) throws(IndexError) {
    let run = runs[number]
    let manifest = reader(of: run.set).manifest
    guard pages.count > 1 else { return try open(page: pages.lowerBound, of: number) }
    var size = 1
    while size * Manifest.pageCapacity < pages.count { size *= Manifest.pageCapacity }
    var first = pages.lowerBound
    while first < pages.upperBound {
      let group = first..<min((first / size + 1) * size, pages.upperBound)
      first = group.upperBound
      if let filter, try !filter.mayPass(pages: group, of: reader(of: run.set)) { continue }
      let shard = max(run.shards.lowerBound, group.lowerBound * Manifest.pageCapacity)
      let rank = run.bound(
        manifest.hasRanks ? try manifest.greatestWeight(ofPages: group) : 0,
        canBeWhole: run.canBeWhole(fromShard: shard), near: greatestNear,
        key: try sort?.key(ofPages: group, of: reader(of: run.set)) ?? 0,
        position: position(ofPlace: try manifest.firstRecord(ofPage: group.lowerBound)))
      queue.push(RankedContainer(rank: rank, kind: .pages(group), run: number))
    }
  }

  private mutating func open(page: Int, of number: Int) throws(IndexError) {
    let run = runs[number]
    let manifest = reader(of: run.set).manifest
    let weights = manifest.hasRanks ? try manifest.rankPage(page) : nil
    let first = page * Manifest.pageCapacity
    let shards = max(run.shards.lowerBound, first)..<min(run.shards.upperBound + 1, first + Manifest.pageCapacity)
    let starts = try manifest.withPage(page) { page, start in shards.map { start + page.firstRecord($0 - first) } }
    let filtered = try filter?.page(page, of: reader(of: run.set)) ?? FilteredPage()
    let cells = try nearness?.page(page, of: reader(of: run.set))
    opened.pages += 1
    for (shard, start) in zip(shards, starts) {
      let greatest = weights?.maximum(ofShard: shard - first) ?? 0
      guard let weight = filtered.greatest(greatest, ofShard: shard - first),
        let near = cells.map({ $0.near(weight, ofShard: shard - first) }) ?? greatestNear
      else { continue }
      let rank = run.bound(
        weight, canBeWhole: run.canBeWhole(fromShard: shard), near: near, key: try key(ofShard: shard, of: run.set),
        position: position(ofPlace: start))
      queue.push(RankedContainer(rank: rank, kind: .shard(shard), run: number))
    }
  }

  private mutating func open(shard: Int, of number: Int) throws(IndexError) {
    let run = runs[number]
    let (place, loaded, bounds) = try openedShard(shard, of: run)
    let parts = run.parts(of: shard, loaded.parts)
    let nears = try nearness?.page(shard / Manifest.pageCapacity, of: reader(of: run.set)).near(
      bounds, ofPartsOf: shard, in: reader(of: run.set))
    let keys = try keys(ofShard: shard, parts: bounds.count, of: run.set)
    for part in parts.range {
      guard let weight = bounds[part], let near = nears.map({ $0[part] }) ?? greatestNear else { continue }
      let canBeWhole = part - parts.range.lowerBound < parts.whole
      let rank = run.bound(
        weight, canBeWhole: canBeWhole, near: near, key: keys?[part] ?? 0,
        position: position(ofPlace: place.firstRecord + loaded.parts[part].firstRecord))
      queue.push(
        RankedContainer(
          rank: rank, kind: .part(RankedPart(run: number, shard: shard, part: part), canBeWhole: canBeWhole),
          run: number))
    }
  }

  /// Opens a shard. Returns its position, its parts, and the greatest weight of a record in each part; nil for a part
  /// without a record that passes the filter.
  mutating func openedShard(
    _ shard: Int, of run: RankedRun
  ) throws(IndexError) -> (place: Manifest.ShardPosition, loaded: LoadedShard, bounds: [UInt64?]) {
    let reader = reader(of: run.set)
    let weights = reader.manifest.hasRanks ? try reader.manifest.partWeights(ofShard: shard) : nil
    let place = try reader.manifest.shardPosition(ofShard: shard)
    let loaded = try reader.shard(shard)
    if let weights, weights.count != loaded.parts.count {
      let reason = "has \(loaded.parts.count) parts, and ranks of \(weights.count) parts"
      throw .corrupt(path: reader.filePath(of: shard), cause: .invalid(reason: reason, offset: 0))
    }
    opened.shards += 1
    let all = weights ?? [UInt64](repeating: 0, count: loaded.parts.count)
    let filtered = try filter?.page(shard / Manifest.pageCapacity, of: reader)
    return (place, loaded, try filtered?.greatest(all, ofPartsOf: shard, in: reader) ?? all.map { Optional($0) })
  }

  private mutating func open(
    _ part: RankedPart, canBeWhole: Bool, _ container: RankedContainer, _ found: inout RankedFound
  ) throws(IndexError) {
    let run = runs[part.run]
    switch run.purpose {
    case .near, .nearWord: return try open(near: part, container, &found)
    case .typed, .word, .key, .all: break
    }
    let reader = reader(of: run.set)
    let place = try reader.manifest.shardPosition(ofShard: part.shard)
    let reference = try reader.part(of: place, unpacks: true) { _ in part.part }
    let (records, wholeEnd) = run.records(in: reference.part.keys, canBeWhole: canBeWhole)
    opened.parts += 1
    guard run.set == .records else { return try queue(entries: records, wholeEnd, of: reference, part) }
    let candidates = try candidates(records, of: reference, part, weights(of: reference), notAbove: container.limit)
    guard run.purpose == .typed else { return try addMatches(of: candidates, &found) }
    let isTyped = text.isTyped(atStartOf: run.text)
    for record in records where candidates.passes(record) {
      let isOther = rules.isPlain && !text.isEmpty && candidates.weights.marks[record] == PartWeights.otherForm
      // Entries lead to a record whose key is not its own plain form, unless its form begins as the key does.
      guard !isOther || text.matchesFolds else { continue }
      let isWhole = record < wholeEnd && !isOther
      add(
        record, of: candidates, bonus: isWhole ? RecordMatch.wholeBonus(isFinished: text.isFinished) : 0,
        isTyped: isTyped, &found)
    }
  }

  // MARK: Records

  /// Returns some records of an opened part, with all that ranks them.
  ///
  /// - Parameter limit: The greatest rank of the records to add; nil for all records.
  func candidates(
    _ records: Range<Int>, of reference: PartReference, _ part: RankedPart, _ weights: PartWeights,
    notAbove limit: ShardedIndex.Rank?
  ) throws(IndexError) -> RankedCandidates {
    RankedCandidates(
      records: records, reference: reference, part: part, weights: weights, limit: limit,
      passing: try filter?.passes(records, of: reference, in: generation.shards),
      nears: try nearness?.values(records, of: reference, in: generation.shards),
      keys: try sort?.keys(records, of: reference, in: generation.shards))
  }

  /// Adds a record of the shards, unless the overlay removes it.
  ///
  /// - Parameter isTyped: Whether its key begins with the text as it was typed.
  mutating func add(
    _ record: Int, of candidates: RankedCandidates, bonus: Int, isTyped: Bool, _ found: inout RankedFound
  ) {
    let place = candidates.reference.start + record
    if let overlay = generation.overlay, overlay.isRemoved(place) { return }
    var rank = ShardedIndex.Rank(
      weight: candidates.weights.values[record], bonus: bonus, near: candidates.near(record),
      position: position(ofPlace: place))
    (rank.edits, rank.key) = (runs[candidates.part.run].edits, candidates.key(record))
    rank.isOtherForm = rank.edits == 0 && !isTyped
    if rank.edits == 0 { hasRightMatch = true }
    add(RankedRecord(rank: rank, part: candidates.part, record: record), notAbove: candidates.limit, &found)
  }

  func add(_ record: RankedRecord, notAbove limit: ShardedIndex.Rank?, _ found: inout RankedFound) {
    if let ceiling, ceiling <= record.rank { return }
    if let limit, limit < record.rank { return }
    found.add(record)
  }

  /// Returns the weights of a part's records; in an index with entries, also the marks of keys that are their own plain
  /// form.
  func weights(of reference: PartReference) throws(IndexError) -> PartWeights {
    try PartReader(generation.shards, reference).weights(weightSource) { [rules] () throws(IndexError) in
      guard rules.isPlain else { return [] }
      var marks: [UInt8] = []
      unsafe reference.part.keys.forEachKey(in: 0..<reference.recordCount) { _, key in
        let isPlain = unsafe PlainForm.isPlain(key, separators: rules.separators)
        marks.append(isPlain ? PartWeights.ownForm : PartWeights.otherForm)
      }
      return marks
    }
  }

  /// Whether a filter or a radius leaves out records whose texts match.
  var hasConditions: Bool { filter != nil || nearness?.isLimited == true }

  /// The greatest nearness in a score, in steps.
  var greatestNear: Int { nearness?.greatest ?? 0 }

  /// Returns the reader of a key set. Runs of entries exist only in an index with entries.
  func reader(of set: KeySet) -> ShardReader {
    guard set == .entries, let entries else { return generation.shards }
    return entries.shards
  }

  /// Returns the position of a record of the shards among all records of the index.
  func position(ofPlace place: Int) -> Int {
    guard let overlay = generation.overlay else { return place }
    return overlay.position(ofPlace: place)
  }
}
