/// A ranked search that is under way: containers of records by the bounds of their ranks, best first.
///
/// The search opens the container with the greatest bound: pages give shards, shards give parts, parts give records. A
/// record is a hit once no bound is above it. Source: docs/ranking.md section 5.
struct RankedSearch: Sendable {
  /// The numbers of pages, shards and parts that a search has opened.
  struct Opened: Sendable {
    var pages = 0
    var shards = 0
    var parts = 0
  }

  let generation: Generation
  private let runs: [RankedRun]
  private let weightField: Int?
  private let rule: WeightRule
  /// The rank that all hits are below: where a page begins.
  private let ceiling: ShardedIndex.Rank?
  private var queue = RankedHeap<RankedContainer>()
  /// Records that were found and not wanted, one of each part at least: the best of those.
  private var left: [RankedRecord] = []
  private(set) var opened = Opened()

  /// - Parameters:
  ///   - text: The folded text.
  ///   - ceiling: The rank that all hits are below; nil for none.
  init(_ text: [UInt8], in generation: Generation, below ceiling: ShardedIndex.Rank? = nil) throws(IndexError) {
    self.generation = generation
    self.ceiling = ceiling
    guard generation.manifest.hasRanks else { throw .notBuilt(feature: .ranks) }
    (weightField, rule) = try generation.manifest.weightField
    runs = try RankedRun.runs(of: text, in: generation.manifest)
    for (number, run) in runs.enumerated() {
      try open(pages: run.pages, of: number)
      if generation.overlay != nil {
        queue.push(
          RankedContainer(rank: .highest, kind: .part(.overlay(run: number), canBeWhole: true), run: number))
      }
    }
  }

  /// The greatest rank that a record behind the hits can have; nil if there are no more records.
  var highestRest: ShardedIndex.Rank? {
    left.reduce(queue.first?.rank) { greatest, record in greatest.map { max($0, record.rank) } ?? record.rank }
  }

  // MARK: Hits

  /// The hits of a page.
  struct Page: Sendable {
    var records: [RankedRecord] = []
    /// The number of hits above all bounds, which no record that was not looked at can come before.
    var settledCount = 0
    /// Whether the search ended by itself, and not by its budget.
    var isComplete = true
  }

  /// Returns the next hits, at most `limit` of them, and moves the search behind them.
  mutating func next(_ limit: Int, budget: ShardedIndex.SearchBudget?) throws(IndexError) -> Page {
    var page = Page()
    guard limit > 0 else { return page }
    var parts: Set<RankedPart> = []
    for record in left.sorted(by: { $1.rank < $0.rank }) where parts.insert(record.part).inserted {
      queue.push(
        RankedContainer(
          rank: record.rank, kind: .part(record.part, canBeWhole: true), run: record.part.run, isRest: true))
    }
    left = []
    var found = Found(limit: limit)
    let start = opened
    while page.records.count < limit {
      if let record = found.heap.first, queue.first.map({ $0.rank < record.rank }) ?? true {
        page.records.append(found.take())
      } else if queue.first == nil {
        break
      } else if let budget, budget.isOver(opened, since: start) {
        page.isComplete = false
        break
      } else if let container = queue.pop() {
        try open(container, &found)
      }
    }
    page.settledCount = page.records.count
    while page.records.count < limit, found.heap.first != nil { page.records.append(found.take()) }
    found.leaveAll()
    left = found.left
    return page
  }

  /// The records that a page of hits may be made of: no more than are wanted, or little more.
  private struct Found {
    var heap = RankedHeap<RankedRecord>()
    /// The number of hits that are still wanted.
    private var wanted: Int
    /// The rank below which no record is wanted: as many others are above.
    private var floor: ShardedIndex.Rank?
    /// Records that are not wanted: of those of a part that come one after the other, the best.
    private(set) var left: [RankedRecord] = []

    init(limit: Int) { wanted = limit }

    mutating func add(_ record: RankedRecord) {
      if let floor, record.rank < floor { return leave(record) }
      heap.push(record)
      // At times, so that each record is moved a few times at most.
      guard heap.count > wanted + max(wanted, 64) else { return }
      for rest in heap.cut(to: wanted) { leave(rest) }
      floor = heap.last?.rank
    }

    mutating func take() -> RankedRecord {
      wanted -= 1
      return heap.pop()!
    }

    private mutating func leave(_ record: RankedRecord) {
      guard let last = left.last, last.part == record.part else { return left.append(record) }
      if last.rank < record.rank { left[left.count - 1] = record }
    }

    /// Leaves all records that were not taken to a later page.
    mutating func leaveAll() { while let record = heap.pop() { leave(record) } }
  }

  // MARK: Opening containers

  private mutating func open(_ container: RankedContainer, _ found: inout Found) throws(IndexError) {
    switch container.kind {
    case .pages(let pages): try open(pages: pages, of: container.run)
    case .shard(let number): try open(shard: number, of: container.run)
    case .part(let part, let canBeWhole):
      let limit = container.isRest ? container.rank : nil
      if part.isOverlay {
        addOverlay(of: container.run, notAbove: limit, &found)
      } else {
        try open(part, canBeWhole: canBeWhole, notAbove: limit, &found)
      }
    }
  }

  /// Queues the shards of one page, or the pages of several, in groups as nodes have them where they are many.
  private mutating func open(pages: Range<Int>, of number: Int) throws(IndexError) {
    let (manifest, run) = (generation.manifest, runs[number])
    guard pages.count > 1 else { return try open(page: pages.lowerBound, of: number) }
    var size = 1
    while size * Manifest.pageCapacity < pages.count { size *= Manifest.pageCapacity }
    var first = pages.lowerBound
    while first < pages.upperBound {
      let group = first..<min((first / size + 1) * size, pages.upperBound)
      let shard = max(run.shards.lowerBound, first * Manifest.pageCapacity)
      let rank = ShardedIndex.Rank(
        weight: try manifest.greatestWeight(ofPages: group), isWhole: run.canBeWhole(fromShard: shard),
        position: position(ofPlace: try manifest.firstRecord(ofPage: first)))
      queue.push(RankedContainer(rank: rank, kind: .pages(group), run: number))
      first = group.upperBound
    }
  }

  private mutating func open(page: Int, of number: Int) throws(IndexError) {
    let (manifest, run) = (generation.manifest, runs[number])
    let weights = try manifest.rankPage(page)
    let first = page * Manifest.pageCapacity
    let shards = max(run.shards.lowerBound, first)..<min(run.shards.upperBound + 1, first + Manifest.pageCapacity)
    let starts = try manifest.withPage(page) { page, start in shards.map { start + page.firstRecord($0 - first) } }
    opened.pages += 1
    for (shard, start) in zip(shards, starts) {
      let rank = ShardedIndex.Rank(
        weight: weights.maximum(ofShard: shard - first), isWhole: run.canBeWhole(fromShard: shard),
        position: position(ofPlace: start))
      queue.push(RankedContainer(rank: rank, kind: .shard(shard), run: number))
    }
  }

  private mutating func open(shard: Int, of number: Int) throws(IndexError) {
    let reader = generation.shards
    let weights = try generation.manifest.partWeights(ofShard: shard)
    let place = try generation.manifest.shardPosition(ofShard: shard)
    let loaded = try reader.shard(shard)
    guard weights.count == loaded.parts.count else {
      let reason = "has \(loaded.parts.count) parts, and ranks of \(weights.count)"
      throw .corrupt(path: reader.filePath(of: shard), cause: .invalid(reason: reason, offset: 0))
    }
    opened.shards += 1
    let parts = runs[number].parts(of: shard, loaded.parts)
    for part in parts.range {
      let isWhole = part - parts.range.lowerBound < parts.whole
      let rank = ShardedIndex.Rank(
        weight: weights[part], isWhole: isWhole,
        position: position(ofPlace: place.firstRecord + loaded.parts[part].firstRecord))
      queue.push(
        RankedContainer(
          rank: rank, kind: .part(RankedPart(run: number, shard: shard, part: part), canBeWhole: isWhole), run: number))
    }
  }

  /// - Parameter limit: The rank that the records are not above; nil for all records.
  private mutating func open(
    _ part: RankedPart, canBeWhole: Bool, notAbove limit: ShardedIndex.Rank?, _ found: inout Found
  ) throws(IndexError) {
    let reader = generation.shards
    let place = try generation.manifest.shardPosition(ofShard: part.shard)
    let reference = try reader.part(of: place, unpacks: true) { _ in part.part }
    let weights = try reader.weights(of: reference, field: weightField, rule: rule)
    let records = runs[part.run].records(in: reference.part.keys, canBeWhole: canBeWhole)
    opened.parts += 1
    for record in records.range {
      let place = reference.start + record
      if let overlay = generation.overlay, overlay.isRemoved(place) { continue }
      let rank = ShardedIndex.Rank(
        weight: weights.values[record], isWhole: record < records.wholeEnd, position: position(ofPlace: place))
      add(RankedRecord(rank: rank, part: part, record: record), notAbove: limit, &found)
    }
  }

  private func addOverlay(of number: Int, notAbove limit: ShardedIndex.Rank?, _ found: inout Found) {
    guard let overlay = generation.overlay else { return }
    for added in overlay.added.indices {
      guard let isWhole = unsafe runs[number].match(FoldedPrefix(overlay.folded(added))) else { continue }
      let rank = ShardedIndex.Rank(
        weight: overlay.weight(of: added, field: weightField, rule: rule), isWhole: isWhole,
        position: overlay.added[added].position)
      add(RankedRecord(rank: rank, part: .overlay(run: number), record: added), notAbove: limit, &found)
    }
  }

  private func add(_ record: RankedRecord, notAbove limit: ShardedIndex.Rank?, _ found: inout Found) {
    if let ceiling, ceiling <= record.rank { return }
    if let limit, limit < record.rank { return }
    found.add(record)
  }

  /// Returns the position among all records of the index of a record of the shards.
  private func position(ofPlace place: Int) -> Int {
    guard let overlay = generation.overlay else { return place }
    return overlay.position(ofPlace: place)
  }
}

extension ShardedIndex.SearchBudget {
  /// Returns whether a search has used up its budget.
  fileprivate func isOver(_ opened: RankedSearch.Opened, since start: RankedSearch.Opened) -> Bool {
    switch self {
    case .shards(let limit): opened.shards - start.shards >= limit
    case .parts(let limit): opened.parts - start.parts >= limit
    case .until(let isOver): isOver()
    }
  }
}
