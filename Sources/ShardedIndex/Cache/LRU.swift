/// Which shards and parts are resident, what they cost, and who goes first. No lock, no files.
///
/// Two lists, each in order of use as of the last load: an entry comes in on *probation* and is *protected* from its second use on, so
/// that a scan over many shards, each used once, drives out nothing that is used again and again. Nine tenths of
/// the limit may be protected; beyond that the least recently used protected entry returns to probation.
///
/// A shard's header and each of its parts are entries of their own. A header is used whenever a part of it is, so
/// parts go first; with a header that goes all the same, its parts go too.
///
/// Shards have no names here. Whoever keeps one here remembers where, in an ``EntryTable``: one for each generation of
/// an index, so that a file which two of them have is in here once.
struct LRU: @unchecked Sendable {
  private struct Node: BitwiseCopyable {
    /// The node of the shard's header: of a header itself.
    var header: Int32
    /// -1 for the header.
    var part: Int32
    var previous: Int32
    var next: Int32
    var isProtected: Bool
    /// ``LRU/insertions`` when it was last moved to the front of its list.
    var moved: UInt32
    var charge: Int
    /// Of a header that is resident, a number that no other ever had; 0 for all else.
    var ticket: UInt64
    /// The header's node holds the shard; a part's node leads to it by `header`. Counted by hand: else each node that is
    /// made or goes would be looked through for what it holds.
    var value: Unmanaged<LoadedShard>?
  }

  /// Nodes by number, and those that are free linked by their `next`. Grows, and never shrinks.
  ///
  /// Plain memory: an array of them would have its type made up at run time, which costs every start some pages.
  private final class NodeTable {
    private var start: UnsafeMutablePointer<Node>
    private var capacity = 64
    private var count = 0
    private var firstFree: Int32 = -1

    init() { start = .allocate(capacity: capacity) }

    deinit {
      for number in 0..<count { start[number].value?.release() }
      start.deallocate()
    }

    @inline(__always) subscript(_ index: Int) -> Node {
      unsafeAddress { UnsafePointer(start + index) }
      unsafeMutableAddress { start + index }
    }

    func take(_ node: Node) -> Int32 {
      if firstFree >= 0 {
        let number = firstFree
        firstFree = start[Int(number)].next
        start[Int(number)] = node
        return number
      }
      if count == capacity {
        capacity *= 2
        let grown = UnsafeMutablePointer<Node>.allocate(capacity: capacity)
        grown.moveInitialize(from: start, count: count)
        start.deallocate()
        start = grown
      }
      (start + count).initialize(to: node)
      count += 1
      return Int32(count - 1)
    }

    func giveBack(_ number: Int32) {
      start[Int(number)].value?.release()
      start[Int(number)].value = nil
      start[Int(number)].ticket = 0
      start[Int(number)].next = firstFree
      firstFree = number
    }
  }

  let limitBytes: Int
  private(set) var residentBytes = 0
  private(set) var shardCount = 0
  private(set) var evictions = 0
  private var protectedBytes = 0
  /// Counts what came in, what grew and what is protected no more: only between two of these does it matter who was used
  /// before whom.
  private var insertions: UInt32 = 0
  /// 0 and 1 are the lists' heads: probation and protected. Their `next` is the most recently used.
  private let nodes: NodeTable
  private var lastTicket: UInt64 = 0

  init(limitBytes: Int) {
    self.limitBytes = limitBytes
    nodes = NodeTable()
    for list: Int32 in 0...1 {
      // Their ticket is none that an entry has, not even one that was never set.
      _ = nodes.take(
        Node(
          header: -1, part: -1, previous: list, next: list, isProtected: list == 1, moved: 0, charge: 0,
          ticket: .max, value: nil))
    }
  }

  /// The shard if it is resident; its header is the most recently used from now on.
  ///
  /// - Parameter promotes: Whether this is a use that protects. A reader that walks through many records uses each part
  ///   several times and is a scan all the same.
  @inline(__always)
  mutating func use(_ entry: EntryTable.Entry, promotes: Bool) -> Unmanaged<LoadedShard>? {
    guard nodes[Int(entry.node)].ticket == entry.ticket else { return nil }
    touch(entry.node, promotes)
    return entry.shard
  }

  /// The shard if it is resident; that is no use of it.
  func resident(_ entry: EntryTable.Entry) -> LoadedShard? {
    nodes[Int(entry.node)].ticket == entry.ticket ? nodes[Int(entry.node)].value?.takeUnretainedValue() : nil
  }

  private func isResident(_ value: LoadedShard, at entry: EntryTable.Entry) -> Bool {
    nodes[Int(entry.node)].ticket == entry.ticket
      && nodes[Int(entry.node)].value?.toOpaque() == Unmanaged.passUnretained(value).toOpaque()
  }

  /// A part of a resident shard if it is resident too; it is the most recently used from now on.
  @inline(__always)
  mutating func use(_ part: Int, of shard: LoadedShard, promotes: Bool) -> LoadedPart? {
    guard let part = shard.slots[part] else { return nil }
    if part.protectedAt != insertions {
      touch(part.node, promotes)
      if nodes[Int(part.node)].isProtected { part.protectedAt = insertions }
    }
    return part
  }

  @inline(__always)
  private mutating func touch(_ node: Int32, _ promotes: Bool) {
    let isProtected = nodes[Int(node)].isProtected
    guard isProtected || !promotes else { return protect(node) }
    // Nothing came in since it was moved, so all that stands before it was used since then too: nothing to do. With
    // everything resident a query writes to no list.
    guard nodes[Int(node)].moved != insertions else { return }
    unlink(node)
    link(node, behind: isProtected ? 1 : 0)
  }

  private mutating func protect(_ node: Int32) {
    unlink(node)
    nodes[Int(node)].isProtected = true
    protectedBytes += nodes[Int(node)].charge
    link(node, behind: 1)
    while protectedBytes > limitBytes / 10 * 9, nodes[1].previous != node {
      let last = nodes[1].previous
      unlink(last)
      nodes[Int(last)].isProtected = false
      protectedBytes -= nodes[Int(last)].charge
      insertions &+= 1
      link(last, behind: 0)
    }
  }

  /// Makes a shard's header resident, evicting others; returns where, nil for one that is larger than the limit: that is not kept.
  mutating func insert(_ value: LoadedShard) -> EntryTable.Entry? {
    guard value.charge <= limitBytes else { return nil }
    lastTicket += 1
    let node = newNode(header: nil, part: -1, charge: value.charge, value: .passRetained(value), ticket: lastTicket)
    shardCount += 1
    shrink(to: limitBytes, sparing: node)
    return EntryTable.Entry(node: node, ticket: lastTicket, shard: Unmanaged.passUnretained(value))
  }

  /// Makes a part resident if its shard, which was put where `entry` says, still is, and it fits.
  mutating func insert(_ part: LoadedPart, of value: LoadedShard, at entry: EntryTable.Entry) {
    guard isResident(value, at: entry), value.slots[part.number] == nil, value.charge + part.charge <= limitBytes else {
      return
    }
    part.node = newNode(header: entry.node, part: Int32(part.number), charge: part.charge, value: nil, ticket: 0)
    value.slots[part.number] = part
    shrink(to: limitBytes, sparing: entry.node, part.number)
  }

  /// Adds to what a part costs, if it is resident.
  mutating func addCharge(_ charge: Int, to part: LoadedPart) {
    guard part.node != 0 else { return }
    let node = Int(part.node)
    insertions &+= 1
    nodes[node].charge += charge
    residentBytes += charge
    if nodes[node].isProtected { protectedBytes += charge }
    shrink(to: limitBytes, sparing: nodes[node].header, part.number)
    if residentBytes > limitBytes { removePart(Int32(node)) }
  }

  /// Lets go of a part, if it is resident. Nothing is evicted: it is of no use.
  mutating func remove(_ part: LoadedPart) { if part.node != 0 { removePart(part.node) } }

  /// Lets go of everything. Nothing is evicted: nobody needed the room.
  mutating func removeAll() {
    let evicted = evictions
    shrink(to: 0, sparing: -1)
    evictions = evicted
  }

  private mutating func newNode(
    header: Int32?, part: Int32, charge: Int, value: Unmanaged<LoadedShard>?, ticket: UInt64
  ) -> Int32 {
    let node = nodes.take(
      Node(
        header: header ?? 0, part: part, previous: 0, next: 0, isProtected: false, moved: 0, charge: charge,
        ticket: ticket, value: value))
    if header == nil { nodes[Int(node)].header = node }
    insertions &+= 1
    link(node, behind: 0)
    residentBytes += charge
    return node
  }

  /// Evicts until `limit` holds, but not the header `spared` nor, of its shard, part `part`.
  private mutating func shrink(to limit: Int, sparing spared: Int32, _ part: Int = -1) {
    var list = 0
    var node = nodes[0].previous
    while residentBytes > limit {
      if Int(node) == list {
        guard list == 0 else { return }
        list = 1
        node = nodes[1].previous
        continue
      }
      let previous = nodes[Int(node)].previous
      if nodes[Int(node)].header == spared, nodes[Int(node)].part == -1 || Int(nodes[Int(node)].part) == part {
        node = previous
        continue
      }
      evictions += 1
      if nodes[Int(node)].part >= 0 {
        removePart(node)
        node = previous
      } else {
        removeShard(node)
        // Its parts went with it, wherever they stood.
        node = nodes[list].previous
      }
    }
  }

  private mutating func removePart(_ node: Int32) {
    let slots = nodes[Int(nodes[Int(node)].header)].value!._withUnsafeGuaranteedRef { $0.slots }
    letGo(slots + Int(nodes[Int(node)].part))
  }

  private mutating func removeShard(_ node: Int32) {
    let value = nodes[Int(node)].value!.takeUnretainedValue()
    for part in 0..<value.parts.count where value.slots[part] != nil { letGo(value.slots + part) }
    shardCount -= 1
    release(node)
  }

  private mutating func letGo(_ slot: UnsafeMutablePointer<LoadedPart?>) {
    let part = slot.pointee!
    slot.pointee = nil
    release(part.node)
    part.node = 0
  }

  private mutating func release(_ node: Int32) {
    let index = Int(node)
    unlink(node)
    residentBytes -= nodes[index].charge
    if nodes[index].isProtected { protectedBytes -= nodes[index].charge }
    nodes.giveBack(node)
  }

  @inline(__always) private mutating func unlink(_ node: Int32) {
    let (previous, next) = (nodes[Int(node)].previous, nodes[Int(node)].next)
    nodes[Int(previous)].next = next
    nodes[Int(next)].previous = previous
  }

  @inline(__always) private mutating func link(_ node: Int32, behind head: Int32) {
    let next = nodes[Int(head)].next
    nodes[Int(node)].previous = head
    nodes[Int(node)].next = next
    nodes[Int(node)].moved = insertions
    nodes[Int(head)].next = node
    nodes[Int(next)].previous = node
  }
}

/// Where in the cache the shards of one generation were put, by their places in its manifest.
///
/// An entry outlives what it leads to: its ticket tells. Guarded by the cache's lock. As large as what is resident makes
/// it, and not as the index: entries that lead nowhere go when there is no room.
struct EntryTable: @unchecked Sendable {
  struct Entry {
    var node: Int32
    /// The shard's place in the manifest.
    fileprivate(set) var place: UInt32 = 0
    var ticket: UInt64
    /// What the node holds as long as its ticket is this one: one step less on the way there.
    var shard: Unmanaged<LoadedShard>?

    static var none: Entry { Entry(node: 0, ticket: 0, shard: nil) }
  }

  private final class Storage {
    /// A shard's is at its number modulo the capacity, or behind it, where others came first; a ticket of 0 ends the
    /// search. With room for each shard of the index nothing is ever in another's way.
    var entries: UnsafeMutablePointer<Entry>
    var mask: Int
    var used = 0

    init(capacity: Int) {
      (entries, mask) = (Self.allocate(capacity), capacity &- 1)
    }

    static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Entry> {
      guard let memory = calloc(capacity, MemoryLayout<Entry>.stride) else { fatalError("out of memory") }
      return memory.bindMemory(to: Entry.self, capacity: capacity)
    }

    deinit { free(entries) }
  }
  private let storage: Storage
  private let shardCount: Int
  var identity: ObjectIdentifier { ObjectIdentifier(storage) }
  /// Slots, for who looks through them.
  var capacity: Int { storage.mask &+ 1 }

  /// - Parameter count: Shards of the generation.
  init(count: Int) {
    shardCount = count
    storage = Storage(capacity: 32)
  }

  /// The entry of a shard; one that leads nowhere if it has none.
  @inline(__always) subscript(_ shard: Int) -> Entry {
    let (entries, mask) = (storage.entries, storage.mask)
    var slot = shard & mask
    while entries[slot].place != UInt32(truncatingIfNeeded: shard) {
      guard entries[slot].ticket != 0 else { return .none }
      slot = (slot &+ 1) & mask
    }
    return entries[slot]
  }

  /// What is in a slot, and of which shard.
  func entry(inSlot slot: Int) -> (shard: Int, entry: Entry) {
    (Int(storage.entries[slot].place), storage.entries[slot])
  }

  /// - Parameter lru: Which knows whether an entry still leads to something.
  func set(_ shard: Int, to entry: Entry, of lru: LRU) {
    var entry = entry
    entry.place = UInt32(truncatingIfNeeded: shard)
    let slot = self.slot(of: shard)
    let isNew = storage.entries[slot].ticket == 0
    storage.entries[slot] = entry
    guard isNew else { return }
    storage.used += 1
    if storage.used * 2 > capacity, capacity < shardCount { clean(lru) }
  }

  /// Where the entry of a shard is, or goes.
  private func slot(of shard: Int) -> Int {
    var slot = shard & storage.mask
    while storage.entries[slot].ticket != 0, storage.entries[slot].place != UInt32(truncatingIfNeeded: shard) {
      slot = (slot + 1) & storage.mask
    }
    return slot
  }

  /// Makes the table anew with the entries that lead somewhere, four times as large as they need or more.
  private func clean(_ lru: LRU) {
    let (old, oldCapacity) = (storage.entries, capacity)
    defer { free(old) }
    var live = 0
    for slot in 0..<oldCapacity where lru.resident(old[slot]) != nil { live += 1 }
    var capacity = 32
    while capacity < live * 4, capacity < shardCount { capacity *= 2 }
    (storage.entries, storage.mask, storage.used) = (Storage.allocate(capacity), capacity - 1, live)
    for slot in 0..<oldCapacity where lru.resident(old[slot]) != nil {
      storage.entries[self.slot(of: Int(old[slot].place))] = old[slot]
    }
  }
}

import CSystem
