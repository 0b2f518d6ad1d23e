/// The cache of decompressed shards of all open generations, with at most `limitBytes` bytes resident; safe to use from
/// any thread.
///
/// The table of its generation and its number there name a shard. When several threads ask for a part that is not
/// resident, one thread loads it and the others wait. A failed load is forgotten: the next query tries again.
package final class ShardCache: Sendable {
  private struct State: Sendable {
    var lru: LRU
    /// The loads under way, as a linked list, since they are few.
    var loading: Loading?
    /// A finished load, kept for the next one.
    var spare: Loading?
    var hits = 0
    var misses = 0
    var loads = 0
    var loadedBytes = 0

    mutating func join(_ shard: Int, _ table: ShardNodes) -> Loading {
      var entry = loading
      while let found = entry, unsafe found.shard != shard || found.table != table.identity {
        entry = unsafe found.next
      }
      let joined = entry ?? spare.take() ?? Loading()
      if entry == nil {
        unsafe (joined.shard, joined.table, joined.next) = (shard, table.identity, loading)
        loading = joined
      }
      unsafe joined.count += 1
      return joined
    }

    mutating func leave(_ left: Loading) {
      unsafe left.count -= 1
      guard unsafe left.count == 0 else { return }
      if loading === left {
        loading = unsafe left.next
      } else {
        var entry = loading
        while let found = entry, unsafe found.next !== left { entry = unsafe found.next }
        unsafe entry?.next = left.next
      }
      unsafe left.next = nil
      spare = left
    }
  }

  /// The loads of one shard, one after the other.
  private final class Loading: Sendable {
    /// The lock that the loading thread holds. Its state repeats ``loads``, for threads that hold no other lock.
    let turn = Lock<Int>(0)
    // Guarded by the cache's own lock.
    nonisolated(unsafe) var shard = 0
    nonisolated(unsafe) var table: ObjectIdentifier?
    nonisolated(unsafe) var count = 0
    nonisolated(unsafe) var next: Loading?
    /// The number of finished loads. A thread that gets its turn and finds the same number as before need not look
    /// again.
    nonisolated(unsafe) var loads = 0
  }

  private let state: Lock<State>
  let limitBytes: Int
  /// The most bytes of a manifest's pages in memory beside the limit: an eighth of the limit, or 256 KiB if that is
  /// more. 256 KiB is enough for about eight million records. A larger page is kept alone.
  var pagesLimitBytes: Int { max(256 << 10, limitBytes / 8) }

  init(limitBytes: Int) {
    self.limitBytes = limitBytes
    state = Lock(State(lru: LRU(limitBytes: limitBytes)))
  }

  // The nodes count references by hand, so the cache has to release its shards here.
  deinit { removeAll() }

  /// Returns the part of a shard with the number that `number` finds, if the part and the header are in memory.
  ///
  /// - Parameter promotes: Whether the use protects: the use of a query does, a walk through records does not.
  @inline(__always)
  func part(_ id: Int, in table: ShardNodes, promotes: Bool, number: (PartTable) -> Int) -> LoadedPart? {
    state.withLock { (state) -> LoadedPart? in
      guard let shard = unsafe state.lru.use(table[id], promotes: promotes) else { return nil }
      // The cache holds the shard, and under the lock no other thread changes the cache.
      guard
        let part = unsafe shard._withUnsafeGuaranteedRef({ state.lru.use(number($0.parts), of: $0, promotes: promotes) }
        )
      else { return nil }
      state.hits &+= 1
      part.prefetchFields()
      return part
    }
  }

  /// Returns the header of a shard if it is in memory.
  func header(_ id: Int, in table: ShardNodes, promotes: Bool) -> LoadedShard? {
    state.withLock { state in unsafe state.lru.use(table[id], promotes: promotes)?.takeUnretainedValue() }
  }

  /// Returns the header of a shard, from memory or else from `load`.
  func header(
    _ id: Int, in table: ShardNodes, promotes: Bool, load: () throws(IndexError) -> LoadedShard
  ) throws(IndexError) -> LoadedShard {
    try loading(
      id, table, find: { state in unsafe state.lru.use(table[id], promotes: promotes)?.takeUnretainedValue() },
      load: load,
      keep: { state, shard in
        state.misses &+= 1
        state.loadedBytes &+= shard.charge
        if let entry = state.lru.insert(shard) { table.set(id, to: entry, of: state.lru) }
      })
  }

  /// Returns a part of a shard, from memory or else from `load`.
  func part(
    _ shard: LoadedShard, _ number: Int, of id: Int, in table: ShardNodes, promotes: Bool,
    load: () throws(IndexError) -> LoadedPart
  ) throws(IndexError) -> LoadedPart {
    try loading(
      id, table,
      find: { state in
        let found = state.lru.use(number, of: shard, promotes: promotes)
        if found != nil { state.hits &+= 1 }
        return found
      }, load: load,
      keep: { state, part in
        state.loads &+= 1
        state.loadedBytes &+= part.charge
        state.lru.insert(part, of: shard, at: table[id])
      })
  }

  /// Returns the value that `find` finds. Otherwise `load` loads the value and `keep` puts it in the cache. One thread
  /// at a time loads from one shard.
  @inline(__always)
  private func loading<Value: Sendable>(
    _ id: Int, _ table: ShardNodes, find: (inout State) -> Value?, load: () throws(IndexError) -> Value,
    keep: (inout State, Value) -> Void
  ) throws(IndexError) -> Value {
    var found: Value?
    var seen = 0
    let joined = state.withLock { (state) -> Loading? in
      found = find(&state)
      guard found == nil else { return nil }
      let loading = state.join(id, table)
      seen = unsafe loading.loads
      return loading
    }
    guard let loading = joined else { return found! }
    // The thread still holds the turn when it leaves: the next user of the load waits for that.
    return try loading.turn.withLock { (done) throws(IndexError) -> Value in
      if done != seen {
        state.withLock { (state) -> Void in
          found = find(&state)
          if found != nil { state.leave(loading) }
        }
        if let found { return found }
      }
      let value: Value
      do throws(IndexError) {
        value = try load()
      } catch {
        state.withLock { $0.leave(loading) }
        throw error
      }
      state.withLock { (state) -> Void in
        keep(&state, value)
        unsafe loading.loads &+= 1
        state.leave(loading)
      }
      done &+= 1
      return value
    }
  }

  /// Charges the growth of a part whose fields were unpacked.
  func grew(_ part: LoadedPart, by charge: Int) {
    state.withLock { (state) -> Void in
      state.loadedBytes &+= charge
      state.lru.addCharge(charge, to: part)
    }
  }

  /// Frees a damaged part, so that the next query reads it again.
  func forget(_ part: LoadedPart) { state.withLock { $0.lru.remove(part) } }

  /// Returns the resident shards of a generation, and their entries.
  func residents(in table: ShardNodes) -> [(shard: Int, entry: ShardNodes.NodeReference)] {
    var found: [(shard: Int, entry: ShardNodes.NodeReference)] = []
    // The lock is released in between, so that queries get their turn.
    var start = 0
    var isEnd = false
    while !isEnd {
      found += state.withLock { (state) -> [(shard: Int, entry: ShardNodes.NodeReference)] in
        // If the table was rebuilt in between, the walk misses some shards; they are loaded again.
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

  /// Notes the entry of a shard that came in with another generation.
  func adopt(_ entry: ShardNodes.NodeReference, of shard: Int, in table: ShardNodes) {
    state.withLock { (state) -> Void in table.set(shard, to: entry, of: state.lru) }
  }

  package func removeAll() { state.withLock { $0.lru.removeAll() } }

  struct CacheCounts: Sendable {
    var hits: Int
    var misses: Int
    var loads: Int
    var evictions: Int
    var residentShards: Int
    var residentBytes: Int
    var loadedBytes: Int
  }

  var counts: CacheCounts {
    state.withLock {
      CacheCounts(
        hits: $0.hits, misses: $0.misses, loads: $0.loads, evictions: $0.lru.evictions,
        residentShards: $0.lru.shardCount, residentBytes: $0.lru.residentBytes, loadedBytes: $0.loadedBytes)
    }
  }
}
