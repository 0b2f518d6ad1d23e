import ShardedIndex

/// The changes of an index's entries that follow from changes of its records.
///
/// An entry is made from all records with one key. So for each key of a changed record this class makes the entries of
/// the records before and after the changes. The differences are the changes of the entries.
final class EntryUpdate {
  /// The entries of the records with one key.
  private struct Side {
    var maker: EntryMaker
    let chunk = RecordArena(capacity: 4096)

    mutating func add(_ record: RecordBlob) { maker.add(record, into: chunk) }

    /// Returns the entries, in order; valid until ``clear()``.
    mutating func finish(_ order: RecordOrder) -> [RecordBlob] {
      maker.finish(into: chunk)
      return (0..<chunk.count).map { chunk.record($0) }.sorted { order.compare($0, $1) < 0 }
    }

    func clear() { chunk.removeAll() }
  }

  let previous: PreviousIndex
  let entries: PreviousIndex
  private var source: IndexedRecords
  /// The names of the entries' fields.
  let names: FieldNames
  private let order: RecordOrder
  private var before: Side
  private var after: Side
  /// The positions of the removed records, in order, and the number of positions already compared.
  private let removed: [RecordPosition]
  private var removedCount = 0
  /// The key of the current records.
  private var key: [UInt8]?
  private var goneEntries: ExternalSort?
  private var newEntries: ExternalSort?
  /// The changes that the sorts have not got yet.
  private var gone = RecordArena(capacity: 0)
  private var added = RecordArena(capacity: 0)
  /// The size of changes that go to the sorts together, in bytes.
  private static let chunkSize = 64 << 10
  let site: BuildSite
  /// The most separators in the plain form of a key.
  private let separators: Int

  /// - Parameters:
  ///   - removed: The positions of the removed records, in order.
  ///   - source: The reader of the index's records.
  ///   - names: The names of the records' fields, by number.
  init(
    of previous: PreviousIndex, _ entries: PreviousIndex, _ rules: EntryRules, removed: [RecordPosition],
    source: IndexedRecords, names: [String], rankField: RankField?, at site: BuildSite
  ) {
    (self.previous, self.entries, self.removed, self.source) = (previous, entries, removed, source)
    (self.site, separators) = (site, rules.separators)
    let entryNames = FieldNames(entries.index.fieldNames + rules.fieldNames)
    self.names = entryNames
    order = RecordOrder(names: entryNames)
    let maker = EntryMaker(rules, names: names, rankField: rankField, entryNames: entryNames)
    (before, after) = (Side(maker: maker), Side(maker: maker))
    func sort() -> ExternalSort {
      let options = site.options
      var sort = ExternalSort(
        memory: options.workMemory, directory: site.publisher.runDirectory, threads: options.jobs)
      sort.heldElsewhere = options.workMemory - EntryCollector.share(of: options.workMemory) / 2
      return sort
    }
    goneEntries = sort()
    newEntries = sort()
  }

  /// Takes the next added records, in order.
  func add(_ records: [RecordBlob]) throws(BuildError) {
    for record in records {
      let isSame =
        key.map { key in unsafe key.withUnsafeBufferPointer { unsafe equalBytes(record.folded, $0) } } ?? false
      if !isSame {
        let folded = unsafe Array(record.folded)
        try end()
        while let other = try nextRemovedKey(), other.lexicographicallyPrecedes(folded) {
          try begin(other)
          try end()
        }
        try begin(folded)
      }
      after.add(record)
    }
  }

  /// Returns the key of the next removed record; nil after the last.
  private func nextRemovedKey() throws(BuildError) -> [UInt8]? {
    guard removedCount < removed.count else { return nil }
    let position = removed[removedCount]
    let number = previous.shards[position.shard].firstRecord + position.record
    return try BuildError.ofIndex { () throws(IndexError) in
      let all = try previous.index.matchesInShards(forFoldedPrefix: .empty)
      var key: [UInt8] = []
      try all.forEachFoldedKey(in: number..<number + 1) { unsafe key = Array($0.bytes) }
      return key
    }
  }

  /// Takes the records that had a key before the changes.
  private func begin(_ folded: [UInt8]) throws(BuildError) {
    key = folded
    let (records, positions) = try source.records(withKey: folded, in: previous)
    for (index, position) in positions.enumerated() {
      let record = records.record(index)
      before.add(record)
      if removedCount < removed.count, removed[removedCount] == position {
        removedCount += 1
      } else {
        after.add(record)
      }
    }
  }

  /// Compares the entries of the current key before and after the changes.
  private func end() throws(BuildError) {
    guard key != nil else { return }
    key = nil
    let (old, new) = (before.finish(order), after.finish(order))
    var next = 0
    for entry in old {
      while next < new.count, order.compare(new[next], entry) < 0 {
        added.append(new[next])
        next += 1
      }
      if next < new.count, order.compare(new[next], entry) == 0 { next += 1 } else { gone.append(entry) }
    }
    for entry in new[next...] { added.append(entry) }
    before.clear()
    after.clear()
    if unsafe gone.size + added.size >= Self.chunkSize { try flush() }
  }

  private func flush() throws(BuildError) {
    try goneEntries?.add(gone, names: names)
    try newEntries?.add(added, names: names)
    (gone, added) = (RecordArena(capacity: 0), RecordArena(capacity: 0))
  }

  /// The changes of the entries.
  struct Changes {
    /// The positions of the removed entries, in order.
    var removed: [RecordPosition]
    var added: SortedRecords
    var lastComponents: LastComponents
  }

  /// Returns the changes. The caller must add no further record.
  func finish(_ head: EntriesHead) throws(BuildError) -> Changes {
    try end()
    while let folded = try nextRemovedKey() {
      try begin(folded)
      try end()
    }
    try flush()
    guard let gone = goneEntries.take(), var new = newEntries.take() else {
      preconditionFailure("the changes of entries are finished once")
    }
    let removed = try positions(of: try gone.finish(names: names))
    new.heldElsewhere = site.plan.heldWhileWriting(new.size, largest: new.largest)
    return Changes(
      removed: removed, added: try new.finish(names: names),
      lastComponents: try lastComponents(head.lastComponents))
  }

  /// Returns the positions of entries, in order.
  private func positions(of gone: SortedRecords) throws(BuildError) -> [RecordPosition] {
    var source = IndexedRecords(entries.index, encoder: .ofEntries, names: names)
    var positions: [RecordPosition] = []
    var (shard, next) = (-1, 0)
    var run = RecordRun(chunk: RecordArena(capacity: 0), entries: [])
    while let batch = try gone.nextBatch() {
      for entry in batch {
        let shards = unsafe entries.shards(ofKey: entry.folded)
        var isFound = false
        for number in max(shard, shards.lowerBound)...max(shard, shards.upperBound) where !isFound {
          guard number < entries.shards.count else { break }
          if number != shard {
            run = try source.records(of: entries.shards[number], into: RecordArena(capacity: 0))
            (shard, next) = (number, 0)
          }
          while next < run.count, order.compare(run.record(next), entry) < 0 { next += 1 }
          guard next < run.count else { continue }
          guard order.compare(run.record(next), entry) == 0 else { break }
          positions.append(RecordPosition(shard: shard, record: next))
          next += 1
          isFound = true
        }
        guard isFound else {
          let cause = FormatError.invalid(reason: "lacks an entry of the index's records", offset: 0)
          throw .index(.corrupt(path: entries.index.generation.manifest.path, cause: cause))
        }
      }
    }
    return positions
  }

  // MARK: Last components

  /// Returns the last components of the records' keys after the changes.
  private func lastComponents(_ listed: LastComponents) throws(BuildError) -> LastComponents {
    let (old, new) = (before.maker.lastComponents, after.maker.lastComponents)
    guard !old.isOver, !new.isOver else { return try allLastComponents(new).listed }
    var gone = old.texts.subtracting(new.texts)
    if !gone.isEmpty {
      // Another record near a removed record mostly has the same last component.
      try forEachKeptKey(from: removed.first?.shard ?? 0) { folded in
        if let component = LastComponentSet.component(of: folded, separators: separators) { gone.remove(component) }
        return !gone.isEmpty
      }
    }
    if listed.isOver { return gone.isEmpty ? listed : try allLastComponents(new).listed }
    var texts = new.texts
    for index in 0..<listed.count where !gone.contains(Array(listed[index])) { texts.insert(Array(listed[index])) }
    return LastComponents(texts)
  }

  /// Returns the last components of all records.
  private func allLastComponents(_ new: LastComponentSet) throws(BuildError) -> LastComponentSet {
    var all = new
    try forEachKeptKey(from: 0) { folded in
      if let component = LastComponentSet.component(of: folded, separators: separators) { all.insert(component[...]) }
      return !all.isOver
    }
    return all
  }

  /// Calls `body` with the folded key of each remaining record, until it returns false. The order is: the shards from
  /// `first` on, then the shards before it.
  private func forEachKeptKey(from first: Int, _ body: ([UInt8]) -> Bool) throws(BuildError) {
    let removed = removed
    func isRemoved(_ position: RecordPosition) -> Bool {
      var (low, high) = (0, removed.count)
      while low < high {
        let middle = (low + high) / 2
        if removed[middle] < position { low = middle + 1 } else { high = middle }
      }
      return low < removed.count && removed[low] == position
    }
    var goesOn = true
    for offset in previous.shards.indices where goesOn {
      let number = (first + offset) % previous.shards.count
      do throws(IndexError) {
        _ = try previous.index.generation.readWhole(previous.shards[number]) { part in
          unsafe part.forEachKey(in: 0..<part.count) { record, folded, _ in
            guard goesOn else { return }
            let position = RecordPosition(shard: number, record: part.firstRecord + record)
            if !isRemoved(position) { goesOn = unsafe body(Array(folded)) }
          }
        }
      } catch {
        throw .index(error)
      }
    }
  }
}
