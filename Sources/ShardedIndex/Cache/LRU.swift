/// The bookkeeping of the cache: the resident shards and parts, their cost, and the order of eviction. It takes no lock
/// and reads no file.
///
/// There are two lists, each in order of use as of the last load. An entry comes in on *probation* and is *protected*
/// from its second use on. So a scan over many shards, each used once, does not evict shards that queries use again and
/// again. Nine tenths of the limit may be protected; beyond that the least recently used protected entry returns to
/// probation.
///
/// A shard's header and each of its parts are entries of their own. Each use of a part is also a use of its header, so
/// parts are evicted first. A header that is evicted takes its parts with it.
///
/// Shards have no names here. Each generation of an index has a ``ShardNodes``, which leads from its shards to nodes.
/// So a file that two generations share is in the cache once.
struct LRU: @unchecked Sendable {
  @safe private struct Node: BitwiseCopyable {
    /// The number of the shard's header node; for a header its own number.
    var header: Int32
    /// The number of the part in its shard; -1 for the header.
    var part: Int32
    var previous: Int32
    var next: Int32
    var isProtected: Bool
    /// The value of ``LRU/insertions`` when the node was last moved to the front of its list.
    var moved: UInt32
    var charge: Int
    /// A unique number for a resident header; 0 for all other nodes.
    var ticket: UInt64
    /// The shard, which its header's node holds. A part's node leads to the shard by `header`.
    ///
    /// This file counts references by hand: otherwise the runtime would look for references in each node that is made
    /// or freed.
    var value: Unmanaged<LoadedShard>?
  }

  /// Nodes by number. Free nodes are linked by their `next`. The table never shrinks.
  private struct NodeTable {
    private var nodes: [Node] = []
    private var firstFree: Int32 = -1

    @inline(__always) subscript(_ index: Int) -> Node {
      get { nodes[index] }
      _modify { yield &nodes[index] }
    }

    mutating func acquire(_ node: Node) -> Int32 {
      guard firstFree >= 0 else {
        nodes.append(node)
        return Int32(nodes.count - 1)
      }
      let number = firstFree
      firstFree = nodes[Int(number)].next
      nodes[Int(number)] = node
      return number
    }

    mutating func release(_ number: Int32) {
      unsafe nodes[Int(number)].value?.release()
      unsafe nodes[Int(number)].value = nil
      nodes[Int(number)].ticket = 0
      nodes[Int(number)].next = firstFree
      firstFree = number
    }
  }

  let limitBytes: Int
  private(set) var residentBytes = 0
  private(set) var shardCount = 0
  private(set) var evictions = 0
  private var protectedBytes = 0
  /// The number of events since which the order of uses matters: a node came in, grew, or lost its protection.
  private var insertions: UInt32 = 0
  /// The nodes. Nodes 0 and 1 are the heads of the lists, probation and protected; their `next` is the most recently
  /// used node.
  private var nodes = NodeTable()
  private var lastTicket: UInt64 = 0

  init(limitBytes: Int) {
    self.limitBytes = limitBytes
    for list: Int32 in 0...1 {
      // No entry has this ticket, not even an entry that was never set.
      _ = unsafe nodes.acquire(
        Node(
          header: -1, part: -1, previous: list, next: list, isProtected: list == 1, moved: 0, charge: 0,
          ticket: .max, value: nil))
    }
  }

  /// Returns the shard if it is resident, and makes its header the most recently used.
  ///
  /// - Parameter promotes: Whether this use protects. A walk through many records uses each part several times, and is
  ///   still a scan.
  @inline(__always)
  mutating func use(_ entry: ShardNodes.NodeReference, promotes: Bool) -> Unmanaged<LoadedShard>? {
    guard nodes[Int(entry.node)].ticket == entry.ticket else { return nil }
    touch(entry.node, promotes)
    return unsafe entry.shard
  }

  /// Returns the shard if it is resident; the call does not count as a use.
  func resident(_ entry: ShardNodes.NodeReference) -> LoadedShard? {
    unsafe nodes[Int(entry.node)].ticket == entry.ticket ? nodes[Int(entry.node)].value?.takeUnretainedValue() : nil
  }

  private func isResident(_ value: LoadedShard, at entry: ShardNodes.NodeReference) -> Bool {
    unsafe nodes[Int(entry.node)].ticket == entry.ticket
      && nodes[Int(entry.node)].value?.toOpaque() == Unmanaged.passUnretained(value).toOpaque()
  }

  /// Returns a part of a resident shard if it is resident too, and makes it the most recently used.
  @inline(__always)
  mutating func use(_ part: Int, of shard: LoadedShard, promotes: Bool) -> LoadedPart? {
    guard let part = unsafe shard.slots[part]?.takeUnretainedValue() else { return nil }
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
    // Since the node was moved, no node came in, and every node before it was used too: the order is right. If the
    // whole index is resident, a query writes to no list.
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

  /// Makes a shard's header resident, and evicts others.
  ///
  /// - Returns: The header's entry; nil for a header larger than the limit, which is not kept.
  mutating func insert(_ value: LoadedShard) -> ShardNodes.NodeReference? {
    guard value.charge <= limitBytes else { return nil }
    lastTicket += 1
    let node = unsafe newNode(
      header: nil, part: -1, charge: value.charge, value: .passRetained(value), ticket: lastTicket)
    shardCount += 1
    shrink(to: limitBytes, sparing: node)
    return unsafe ShardNodes.NodeReference(node: node, ticket: lastTicket, shard: Unmanaged.passUnretained(value))
  }

  /// Makes a part resident, if its shard is still resident at `entry` and the part fits.
  mutating func insert(_ part: LoadedPart, of value: LoadedShard, at entry: ShardNodes.NodeReference) {
    guard isResident(value, at: entry), unsafe value.slots[part.number] == nil, value.charge + part.charge <= limitBytes
    else {
      return
    }
    part.node = unsafe newNode(header: entry.node, part: Int32(part.number), charge: part.charge, value: nil, ticket: 0)
    unsafe value.slots[part.number] = .passRetained(part)
    shrink(to: limitBytes, sparing: entry.node, part.number)
  }

  /// Adds to the charge of a part, if the part is resident.
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

  /// Removes a damaged part, if it is resident. This does not count as an eviction.
  mutating func remove(_ part: LoadedPart) { if part.node != 0 { removePart(part.node) } }

  /// Frees all nodes. This does not count as an eviction, since no other entry needed the room.
  mutating func removeAll() {
    let evicted = evictions
    shrink(to: 0, sparing: -1)
    evictions = evicted
  }

  private mutating func newNode(
    header: Int32?, part: Int32, charge: Int, value: Unmanaged<LoadedShard>?, ticket: UInt64
  ) -> Int32 {
    let node = unsafe nodes.acquire(
      Node(
        header: header ?? 0, part: part, previous: 0, next: 0, isProtected: false, moved: 0, charge: charge,
        ticket: ticket, value: value))
    if header == nil { nodes[Int(node)].header = node }
    insertions &+= 1
    link(node, behind: 0)
    residentBytes += charge
    return node
  }

  /// Evicts until `limit` holds, but neither the header `spared` nor the part `part` of its shard.
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
        // Its parts left with it, so the next node is another one.
        node = nodes[list].previous
      }
    }
  }

  private mutating func removePart(_ node: Int32) {
    let shard = unsafe nodes[Int(nodes[Int(node)].header)].value!.takeUnretainedValue()
    letGo(Int(nodes[Int(node)].part), of: shard)
  }

  private mutating func removeShard(_ node: Int32) {
    let value = unsafe nodes[Int(node)].value!.takeUnretainedValue()
    for part in 0..<value.parts.count where unsafe value.slots[part] != nil { letGo(part, of: value) }
    shardCount -= 1
    release(node)
  }

  private mutating func letGo(_ number: Int, of shard: LoadedShard) {
    let part = unsafe shard.slots[number]!.takeRetainedValue()
    unsafe shard.slots[number] = nil
    release(part.node)
    part.node = 0
  }

  private mutating func release(_ node: Int32) {
    let index = Int(node)
    unlink(node)
    residentBytes -= nodes[index].charge
    if nodes[index].isProtected { protectedBytes -= nodes[index].charge }
    nodes.release(node)
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
