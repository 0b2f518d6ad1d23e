/// The table that leads from the shards of one generation, by their numbers in its manifest, to their nodes in the
/// cache.
///
/// An entry may outlive the node that it leads to: its ticket tells. The cache's lock guards the table. Its size
/// follows the resident shards and not the index: when there is no room, entries that lead nowhere are dropped.
struct EntryTable: @unchecked Sendable {
  @safe struct Entry {
    var node: Int32
    /// The shard's number in the manifest.
    fileprivate(set) var number: UInt32 = 0
    var ticket: UInt64
    /// The shard that the node holds as long as its ticket is this one: it saves a look at the node.
    var shard: Unmanaged<LoadedShard>?

    static var none: Entry { unsafe Entry(node: 0, ticket: 0, shard: nil) }
  }

  private final class Storage {
    /// The entries by slot: a shard's is at its number modulo the capacity, or behind it, where others came first. A
    /// ticket of 0 ends the search. With room for each shard of the index nothing is ever in another's way.
    @exclusivity(unchecked) var entries: [Entry]
    @exclusivity(unchecked) var used = 0

    init(capacity: Int) { unsafe entries = Array(repeating: .none, count: capacity) }
  }
  private let storage: Storage
  private let shardCount: Int
  var identity: ObjectIdentifier { ObjectIdentifier(storage) }
  /// The number of slots.
  var capacity: Int { unsafe storage.entries.count }

  /// - Parameter count: Shards of the generation.
  init(count: Int) {
    shardCount = count
    storage = Storage(capacity: 32)
  }

  /// The entry of a shard; one that leads nowhere if it has none.
  @inline(__always) subscript(_ shard: Int) -> Entry {
    let mask = unsafe storage.entries.count - 1
    var slot = shard & mask
    while unsafe storage.entries[slot].number != UInt32(truncatingIfNeeded: shard) {
      guard unsafe storage.entries[slot].ticket != 0 else { return .none }
      slot = (slot &+ 1) & mask
    }
    return unsafe storage.entries[slot]
  }

  /// Returns the entry in a slot, and the shard that it is of.
  func entry(inSlot slot: Int) -> (shard: Int, entry: Entry) {
    unsafe (Int(storage.entries[slot].number), storage.entries[slot])
  }

  /// Sets the entry of a shard.
  ///
  /// - Parameter lru: The bookkeeping, which knows whether an entry still leads to a node.
  func set(_ shard: Int, to entry: Entry, of lru: LRU) {
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

  /// Makes the table anew with the entries that lead somewhere, four times as large as they need or more.
  private func clean(_ lru: LRU) {
    let live = unsafe storage.entries.filter { lru.resident($0) != nil }
    var capacity = 32
    while capacity < live.count * 4, capacity < shardCount { capacity *= 2 }
    unsafe (storage.entries, storage.used) = (Array(repeating: .none, count: capacity), live.count)
    for entry in live { unsafe storage.entries[slot(of: Int(entry.number))] = entry }
  }
}
