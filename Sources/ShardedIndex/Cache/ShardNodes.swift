/// The table from the shards of one generation to their nodes in the cache. A shard is named by its number in the
/// manifest.
///
/// An entry may outlive the node that it leads to; its ticket shows this. The cache's lock guards the table. The table
/// grows with the resident shards and not with the index: when it is full, it drops entries that lead nowhere.
struct ShardNodes: @unchecked Sendable {
  @safe struct NodeReference {
    var node: Int32
    /// The shard's number in the manifest.
    fileprivate(set) var number: UInt32 = 0
    var ticket: UInt64
    /// The shard that the node holds as long as its ticket is this one. The copy saves a look at the node.
    var shard: Unmanaged<LoadedShard>?

    static var none: NodeReference { unsafe NodeReference(node: 0, ticket: 0, shard: nil) }
  }

  private final class Storage {
    /// The entries by slot: a shard's entry is at its number modulo the capacity, or behind that slot if others were
    /// there first. A ticket of 0 ends the search. If the table has room for each shard of the index, entries never
    /// collide.
    @exclusivity(unchecked) var entries: [NodeReference]
    @exclusivity(unchecked) var used = 0

    init(capacity: Int) { unsafe entries = Array(repeating: .none, count: capacity) }
  }
  private let storage: Storage
  private let shardCount: Int
  var identity: ObjectIdentifier { ObjectIdentifier(storage) }
  /// The number of slots.
  var capacity: Int { unsafe storage.entries.count }

  /// - Parameter count: The number of shards of the generation.
  init(count: Int) {
    shardCount = count
    storage = Storage(capacity: 32)
  }

  /// The entry of a shard; an entry that leads nowhere if the shard has none.
  @inline(__always) subscript(_ shard: Int) -> NodeReference {
    let mask = unsafe storage.entries.count - 1
    var slot = shard & mask
    while unsafe storage.entries[slot].number != UInt32(truncatingIfNeeded: shard) {
      guard unsafe storage.entries[slot].ticket != 0 else { return .none }
      slot = (slot &+ 1) & mask
    }
    return unsafe storage.entries[slot]
  }

  /// Returns the entry in a slot, and the entry's shard.
  func entry(inSlot slot: Int) -> (shard: Int, entry: NodeReference) {
    unsafe (Int(storage.entries[slot].number), storage.entries[slot])
  }

  /// Sets the entry of a shard.
  ///
  /// - Parameter lru: The bookkeeping, which knows whether an entry still leads to a node.
  func set(_ shard: Int, to entry: NodeReference, of lru: LRU) {
    var entry = entry
    entry.number = UInt32(truncatingIfNeeded: shard)
    let slot = self.slot(of: shard)
    let isNew = unsafe storage.entries[slot].ticket == 0
    unsafe storage.entries[slot] = entry
    guard isNew else { return }
    unsafe storage.used += 1
    if unsafe storage.used * 2 > capacity, capacity < shardCount { clean(lru) }
  }

  /// Returns the slot of a shard's entry, or the slot that it would get.
  private func slot(of shard: Int) -> Int {
    var slot = shard & (capacity - 1)
    while unsafe storage.entries[slot].ticket != 0,
      unsafe storage.entries[slot].number != UInt32(truncatingIfNeeded: shard)
    {
      slot = (slot + 1) & (capacity - 1)
    }
    return slot
  }

  /// Rebuilds the table from the entries that lead to a node, with at least four slots for each.
  private func clean(_ lru: LRU) {
    let live = unsafe storage.entries.filter { lru.resident($0) != nil }
    var capacity = 32
    while capacity < live.count * 4, capacity < shardCount { capacity *= 2 }
    unsafe (storage.entries, storage.used) = (Array(repeating: .none, count: capacity), live.count)
    for entry in live { unsafe storage.entries[slot(of: Int(entry.number))] = entry }
  }
}
