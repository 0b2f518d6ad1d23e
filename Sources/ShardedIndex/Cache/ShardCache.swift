/// Decompressed shards of all generations that are open, at most `limitBytes` of them resident; safe to use from any thread.
///
/// A shard is named by the table of its generation and its place there. However many threads ask for what is not
/// resident, one loads it and the others wait
/// for that one. A failed load is forgotten: the next who asks tries again.
final class ShardCache: Sendable {
  private struct State: Sendable {
    var lru: LRU
    /// Loads that are under way, few: linked.
    var loading: Loading?
    /// One that is over, for the next.
    var spare: Loading?
    var hits = 0
    var misses = 0
    var loads = 0
    var loadedBytes = 0

    mutating func join(_ shard: Int, _ table: EntryTable) -> Loading {
      var entry = loading
      while let found = entry, found.shard != shard || found.table != table.identity { entry = found.next }
      let joined = entry ?? spare.take() ?? Loading()
      if entry == nil {
        (joined.shard, joined.table, joined.next) = (shard, table.identity, loading)
        loading = joined
      }
      joined.count += 1
      return joined
    }

    mutating func leave(_ left: Loading) {
      left.count -= 1
      guard left.count == 0 else { return }
      if loading === left {
        loading = left.next
      } else {
        var entry = loading
        while let found = entry, found.next !== left { entry = found.next }
        entry?.next = left.next
      }
      left.next = nil
      spare = left
    }

    /// The shard, and of it the part that `choose` names, as far as they are resident.
    @inline(__always)
    mutating func find(
      _ id: Int, _ table: EntryTable, promotes: Bool, _ choose: (PartTable) -> Int
    ) -> (shard: Unmanaged<LoadedShard>, part: LoadedPart?)? {
      guard let shard = lru.use(table[id], promotes: promotes) else { return nil }
      // The cache holds it, and nobody else changes the cache meanwhile.
      return shard._withUnsafeGuaranteedRef { (shard, lru.use(choose($0.parts), of: $0, promotes: promotes)) }
    }

    /// The same, for whoever loads what is missing.
    @inline(__always)
    mutating func look(
      _ id: Int, _ table: EntryTable, promotes: Bool, _ choose: (PartTable) -> Int
    ) -> (shard: LoadedShard?, part: LoadedPart?) {
      guard let (shard, part) = find(id, table, promotes: promotes, choose) else { return (nil, nil) }
      if part != nil { hits &+= 1 }
      return (shard.takeUnretainedValue(), part)
    }
  }

  /// Whoever loads of one shard, one after the other.
  private final class Loading: Sendable {
    /// Held by the one that loads. ``loads`` once more, for whoever has no other lock.
    let turn = Lock<Int>(0)
    // Guarded by the cache's own lock.
    nonisolated(unsafe) var shard = 0
    nonisolated(unsafe) var table: ObjectIdentifier?
    nonisolated(unsafe) var count = 0
    nonisolated(unsafe) var next: Loading?
    /// Loads that were done with it: whoever comes to the turn and finds as many as after looking need not look again.
    nonisolated(unsafe) var loads = 0
  }

  private let state: Lock<State>
  let limitBytes: Int
  /// What queries keep of the pages of a manifest, at most: an eighth of the limit on top of it, or, where that is more,
  /// those of some eight million records. One page that is larger than that is kept alone.
  var pagesLimitBytes: Int { max(256 << 10, limitBytes / 8) }

  init(limitBytes: Int) {
    self.limitBytes = limitBytes
    state = Lock(State(lru: LRU(limitBytes: limitBytes)))
  }

  /// The part of shard `id` that `choose` names, if it is in memory.
  @inline(__always)
  func part(of id: Int, in table: EntryTable, promotes: Bool, choose: (PartTable) -> Int) -> LoadedPart? {
    state.withLock { (state) -> LoadedPart? in
      guard let part = state.find(id, table, promotes: promotes, choose)?.part else { return nil }
      state.hits &+= 1
      part.prefetchFields()
      return part
    }
  }

  /// The part that was not in memory: by `load`, which is told the shard if that is resident.
  func part(
    of id: Int, in table: EntryTable, promotes: Bool, choose: (PartTable) -> Int,
    load: (LoadedShard?) throws(IndexError) -> (LoadedShard, LoadedPart)
  ) throws(IndexError) -> LoadedPart {
    var resident: LoadedShard?
    var found: LoadedPart?
    var seen = 0
    let joined = state.withLock { (state) -> Loading? in
      (resident, found) = state.look(id, table, promotes: promotes, choose)
      guard found == nil else { return nil }
      let loading = state.join(id, table)
      seen = loading.loads
      return loading
    }
    guard let loading = joined else { return found! }
    // Left while its turn is still held: whoever is next to use it waits for that.
    return try loading.turn.withLock { (done) throws(IndexError) -> LoadedPart in
      if done != seen {
        state.withLock { (state) -> Void in
          (resident, found) = state.look(id, table, promotes: promotes, choose)
          if found != nil { state.leave(loading) }
        }
        if let found { return found }
      }
      let (shard, part): (LoadedShard, LoadedPart)
      do throws(IndexError) {
        (shard, part) = try load(resident)
      } catch {
        state.withLock { $0.leave(loading) }
        throw error
      }
      state.withLock { (state) -> Void in
        if resident == nil {
          state.misses &+= 1
          state.loadedBytes &+= shard.charge
          if let entry = state.lru.insert(shard) {
            table.set(id, to: entry, of: state.lru)
          }
        }
        state.loads &+= 1
        state.loadedBytes &+= part.charge
        state.lru.insert(part, of: shard, at: table[id])
        loading.loads &+= 1
        state.leave(loading)
      }
      done &+= 1
      return part
    }
  }

  /// Charges what a part has grown by when its fields were unpacked.
  func grew(_ part: LoadedPart, by charge: Int) {
    state.withLock { (state) -> Void in
      state.loadedBytes &+= charge
      state.lru.addCharge(charge, to: part)
    }
  }

  /// Lets go of a part that turned out to be damaged, so that the next who asks reads it again.
  func forget(_ part: LoadedPart) { state.withLock { $0.lru.remove(part) } }

  /// Describes what of shard `id` is resident; nil if nothing is. Is no use of it.
  func resident<Description: Sendable>(
    _ id: Int, in table: EntryTable, _ describe: (LoadedShard, [LoadedPart]) -> Description
  ) -> Description? {
    state.withLock { (state) -> Description? in
      guard let shard = state.lru.resident(table[id]) else { return nil }
      return describe(shard, (0..<shard.parts.count).compactMap { shard.slots[$0] })
    }
  }

  /// Which shards of a generation are resident, and where.
  func residents(in table: EntryTable) -> [(shard: Int, entry: EntryTable.Entry)] {
    var found: [(shard: Int, entry: EntryTable.Entry)] = []
    // Queries get their turn in between.
    var start = 0
    var isEnd = false
    while !isEnd {
      found += state.withLock { (state) -> [(shard: Int, entry: EntryTable.Entry)] in
        // Where it was made anew in between, some are passed over: those are loaded again.
        isEnd = start + 1024 >= table.capacity
        return (min(start, table.capacity)..<min(table.capacity, start + 1024)).compactMap { slot in
          let found = table.entry(inSlot: slot)
          return state.lru.resident(found.entry) == nil ? nil : found
        }
      }
      start += 1024
    }
    return found
  }

  /// Notes where a shard is that came in with another generation.
  func adopt(_ entry: EntryTable.Entry, of shard: Int, in table: EntryTable) {
    state.withLock { (state) -> Void in table.set(shard, to: entry, of: state.lru) }
  }

  func removeAll() { state.withLock { $0.lru.removeAll() } }

  struct Counts: Sendable {
    var hits: Int
    var misses: Int
    var loads: Int
    var evictions: Int
    var residentShards: Int
    var residentBytes: Int
    var loadedBytes: Int
  }

  var counts: Counts {
    state.withLock {
      Counts(
        hits: $0.hits, misses: $0.misses, loads: $0.loads, evictions: $0.lru.evictions,
        residentShards: $0.lru.shardCount, residentBytes: $0.lru.residentBytes, loadedBytes: $0.loadedBytes)
    }
  }
}

/// A part in memory and where it belongs; it stays usable when the cache lets go of it.
struct PartReference: Sendable {
  let part: LoadedPart
  /// By its place in the manifest.
  let shard: Int
  /// Where the part's first record stands among all records of the index.
  let start: Int

  /// Records in the part. Nothing is counted for a look: this holds it.
  @inline(__always) var recordCount: Int { Unmanaged.passUnretained(part)._withUnsafeGuaranteedRef { $0.keys.count } }
}
