extension ManifestReader {
  /// Returns the first and the last shard that can have keys with the beginning `prefix`.
  ///
  /// Every key of the shards between them begins with the prefix. Reads at most two pages, and the nodes above them.
  /// There must be a shard, and the prefix must not be empty.
  ///
  /// - Parameter limit: The most records to find. If the first page has more matches, the page of the last shard is not
  ///   read. Then the result is the last shard of the first page.
  @inline(__always)
  package func shardPositions(
    forPrefix prefix: FoldedPrefix, limit: Int = .max
  ) throws(IndexError) -> (first: Manifest.ShardPosition, last: Manifest.ShardPosition) {
    // The first bound is empty, so at least one page, and one shard of it, is below.
    let below = root.bounds.countBelow(prefix)
    let pageNumber = max(0, below - 1)
    // Bounds that begin with the prefix follow directly. A root that lists nodes has no bounds of pages.
    let lastPage = root.bounds.countNotAbove(prefix, from: below) - 1
    // The same as withPage, whose closure the compiler would not inline into the query.
    guard lastPage == pageNumber, let frame = unsafe kept[pageNumber] else {
      return try shardPositionsByNodes(forPrefix: prefix, limit: limit)
    }
    let page = unsafe frame.page(shards: root.tree.shards(below: pageNumber, level: 0))
    let start = unsafe frame.firstRecord
    let index = page.firstShard(forPrefix: prefix)
    let first = Manifest.ShardPosition(index, of: page, number: pageNumber, firstRecord: start)
    let last = page.lastShard(forPrefix: prefix, from: index)
    return (
      first, last == index ? first : Manifest.ShardPosition(last, of: page, number: pageNumber, firstRecord: start)
    )
  }

  /// Returns the same for a manifest with nodes, or with pages that are not kept.
  @inline(never)
  private func shardPositionsByNodes(
    forPrefix prefix: FoldedPrefix, limit: Int
  ) throws(IndexError) -> (first: Manifest.ShardPosition, last: Manifest.ShardPosition) {
    // Walks down from the root, for both ends together as long as they are below the same node.
    var first = 0
    // The level and the number of the last node above such a shard, once the ways to both ends differ.
    var fork: (level: Int, number: Int)?
    for level in stride(from: root.tree.height + 1, to: 0, by: -1) {
      let isOne = fork == nil
      let (low, high) = try withTables(ofNode: first, level: level) { tables, _ in
        let low = tables.first(forPrefix: prefix)
        return (low, isOne ? tables.last(forPrefix: prefix, from: low + 1) : low)
      }
      if low < high { fork = (level - 1, first * Manifest.pageCapacity + high) }
      first = first * Manifest.pageCapacity + low
    }
    guard let fork else {
      return try withPage(first) { [first] page, start in
        let index = page.firstShard(forPrefix: prefix)
        let last = page.lastShard(forPrefix: prefix, from: index)
        return (
          Manifest.ShardPosition(index, of: page, number: first, firstRecord: start),
          Manifest.ShardPosition(last, of: page, number: first, firstRecord: start)
        )
      }
    }
    let start = Result { [first] () throws(IndexError) in
      try withPage(first) { page, start in
        (
          first: Manifest.ShardPosition(
            page.firstShard(forPrefix: prefix), of: page, number: first, firstRecord: start),
          last: Manifest.ShardPosition(page.bounds.count - 1, of: page, number: first, firstRecord: start)
        )
      }
    }
    // All records between these two match.
    if case .success(let ends) = start, ends.last.firstRecord - ends.first.firstRecord - ends.first.recordCount > limit
    {
      return ends
    }
    // Both pages are read before the first error is thrown, so that their bytes come side by side.
    let end = try lastShardPosition(forPrefix: prefix, below: fork.number, level: fork.level)
    return (try start.get().first, end)
  }

  /// Returns the last shard below a node or a page that can have keys with the prefix. The first shard below can.
  private func lastShardPosition(
    forPrefix prefix: FoldedPrefix, below node: Int, level: Int
  ) throws(IndexError) -> Manifest.ShardPosition {
    var number = node
    for level in stride(from: level, to: 0, by: -1) {
      let child = try withTables(ofNode: number, level: level) { tables, _ in tables.last(forPrefix: prefix, from: 1) }
      number = number * Manifest.pageCapacity + child
    }
    return try withPage(number) { [number] in
      Manifest.ShardPosition($0.lastShard(forPrefix: prefix, from: 0), of: $0, number: number, firstRecord: $1)
    }
  }

  /// Returns the shard of the record at `position`, which must exist.
  package func shardPosition(holding position: Int) throws(IndexError) -> Manifest.ShardPosition {
    func last(_ count: Int, _ first: (Int) -> Int) -> Int {
      var low = 0
      var size = count
      while size > 1 {
        let half = size >> 1
        if first(low + half) <= position { low += half; size -= half } else { size = half }
      }
      return low
    }
    var number = 0
    for level in stride(from: root.tree.height + 1, to: 0, by: -1) {
      let child = try withTables(ofNode: number, level: level) { tables, start in
        last(tables.bounds.count) { start &+ tables.firstRecord(of: $0) }
      }
      number = number * Manifest.pageCapacity + child
    }
    return try withPage(number) { [number] page, start in
      let index = last(page.bounds.count) { start &+ page.firstRecord($0) }
      return Manifest.ShardPosition(index, of: page, number: number, firstRecord: start)
    }
  }

  /// Returns the shards that can have matches of a folded text, as one range for each run of keys; all shards for an
  /// empty text.
  package func shards(forTyped text: [UInt8]) throws(IndexError) -> [ClosedRange<Int>] {
    guard shardCount > 0 else { return [] }
    guard !text.isEmpty else { return [0...shardCount - 1] }
    return try Fold.readings(of: text).map { (reading) throws(IndexError) in
      try reading.withFoldedPrefix { (text) throws(IndexError) in
        let run = TypedRun(text)
        let first = try shardPositions(forPrefix: run.word, limit: 0).first.number
        let last = try shardPositions(forPrefix: run.text).last.number
        return first...max(first, last)
      }
    }
  }

  /// Returns the shards of the records at some positions. The range must not be empty.
  package func shards(holding positions: Range<Int>) throws(IndexError) -> ClosedRange<Int> {
    let first = try shardPosition(holding: positions.lowerBound).number
    return first...max(first, try shardPosition(holding: positions.upperBound - 1).number)
  }
}
