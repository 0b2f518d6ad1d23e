/// Which shards and parts are resident, what they cost, and who goes first. No lock, no files.
///
/// Two lists, each in order of use as of the last load: an entry comes in on *probation* and is *protected* from its second use on, so
/// that a scan over many shards, each used once, drives out nothing that is used again and again. Four fifths of
/// the limit may be protected; beyond that the least recently used protected entry returns to probation.
///
/// A shard's header and each of its parts are entries of their own. A header is used whenever a part of it is, so
/// parts go first; with a header that goes all the same, its parts go too.
struct LRU: @unchecked Sendable {
  private struct Node {
    var shard: Int32
    /// -1 for the header.
    var part: Int32
    var previous: Int32
    var next: Int32
    var isProtected: Bool
    /// ``LRU/insertions`` when it was last moved to the front of its list.
    var moved: UInt32
    var charge: Int
    /// The header's node holds the shard; a part's node leads to it by `shard`.
    var value: LoadedShard?
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
      start.deinitialize(count: count)
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
      start[Int(number)].value = nil
      start[Int(number)].next = firstFree
      firstFree = number
    }
  }

  let limitBytes: Int
  private(set) var residentBytes = 0
  private(set) var shardCount = 0
  private(set) var evictions = 0
  private var protectedBytes = 0
  /// Counts what came in and what grew: only between two of these does it matter who was used before whom.
  private var insertions: UInt32 = 0
  /// 0 and 1 are the lists' heads: probation and protected. Their `next` is the most recently used.
  private let nodes: NodeTable
  /// Per shard its header's node; 0 if it is not resident. Pages of it that no resident shard lies in are never touched.
  private let nodeOf: ZeroedTable

  init(limitBytes: Int, shardCount: Int) {
    self.limitBytes = limitBytes
    nodes = NodeTable()
    _ = nodes.take(Node(shard: -1, part: -1, previous: 0, next: 0, isProtected: false, moved: 0, charge: 0, value: nil))
    _ = nodes.take(Node(shard: -1, part: -1, previous: 1, next: 1, isProtected: true, moved: 0, charge: 0, value: nil))
    nodeOf = ZeroedTable(count: shardCount)
  }

  /// The shard if it is resident; its header is the most recently used from now on.
  ///
  /// - Parameter promotes: Whether this is a use that protects. A reader that walks through many records uses each part
  ///   several times and is a scan all the same.
  @inline(__always)
  mutating func use(_ shard: Int, promotes: Bool) -> LoadedShard? {
    let node = nodeOf[shard]
    guard node != 0 else { return nil }
    touch(node, promotes)
    return nodes[Int(node)].value
  }

  /// The shard if it is resident; that is no use of it.
  func resident(_ shard: Int) -> LoadedShard? {
    let node = nodeOf[shard]
    return node == 0 ? nil : nodes[Int(node)].value
  }

  /// A part of a resident shard if it is resident too; it is the most recently used from now on.
  @inline(__always)
  mutating func use(_ part: Int, of shard: LoadedShard, promotes: Bool) -> LoadedPart? {
    let node = shard.slots[part].node
    guard node != 0 else { return nil }
    touch(node, promotes)
    return shard.slots[part].part
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
    while protectedBytes > limitBytes / 5 * 4, nodes[1].previous != node {
      let last = nodes[1].previous
      unlink(last)
      nodes[Int(last)].isProtected = false
      protectedBytes -= nodes[Int(last)].charge
      link(last, behind: 0)
    }
  }

  /// Makes a shard's header resident, evicting others; one that is larger than the limit is not kept.
  mutating func insert(_ value: LoadedShard, as shard: Int) {
    guard nodeOf[shard] == 0, value.charge <= limitBytes else { return }
    let node = newNode(shard, part: -1, charge: value.charge, value: value)
    nodeOf[shard] = node
    shardCount += 1
    shrink(to: limitBytes, sparing: shard)
  }

  /// Makes a part resident if its shard is and it fits.
  mutating func insert(_ part: LoadedPart, of value: LoadedShard, as shard: Int) {
    let (node, number) = (nodeOf[shard], part.number)
    guard node != 0, nodes[Int(node)].value === value, value.slots[number].node == 0,
      value.charge + part.charge <= limitBytes
    else { return }
    value.slots[number] = LoadedShard.Slot(
      part: part, node: newNode(shard, part: Int32(number), charge: part.charge, value: nil))
    shrink(to: limitBytes, sparing: shard, number)
  }

  /// Adds to what a part costs, if it is resident.
  mutating func addCharge(_ charge: Int, to part: LoadedPart, of shard: Int) {
    let number = part.number
    guard let value = resident(shard), number < value.slotCount, value.slots[number].part === part else { return }
    let node = Int(value.slots[number].node)
    insertions &+= 1
    nodes[node].charge += charge
    residentBytes += charge
    if nodes[node].isProtected { protectedBytes += charge }
    shrink(to: limitBytes, sparing: shard, number)
    if residentBytes > limitBytes { removePart(Int32(node)) }
  }

  /// Lets go of everything. Nothing is evicted: nobody needed the room.
  mutating func removeAll() {
    let evicted = evictions
    shrink(to: 0, sparing: -1)
    evictions = evicted
  }

  private mutating func newNode(_ shard: Int, part: Int32, charge: Int, value: LoadedShard?) -> Int32 {
    let node = nodes.take(
      Node(
        shard: Int32(shard), part: part, previous: 0, next: 0, isProtected: false, moved: 0,
        charge: charge, value: value))
    insertions &+= 1
    link(node, behind: 0)
    residentBytes += charge
    return node
  }

  /// Evicts until `limit` holds, but not the header of shard `spared` nor, of it, part `part`.
  private mutating func shrink(to limit: Int, sparing spared: Int, _ part: Int = -1) {
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
      if Int(nodes[Int(node)].shard) == spared, nodes[Int(node)].part == -1 || Int(nodes[Int(node)].part) == part {
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
    let (shard, part) = (Int(nodes[Int(node)].shard), Int(nodes[Int(node)].part))
    nodes[Int(nodeOf[shard])].value!.slots[part] = LoadedShard.Slot(part: nil, node: 0)
    release(node)
  }

  private mutating func removeShard(_ node: Int32) {
    let index = Int(node)
    let value = nodes[index].value!
    for part in 0..<value.slotCount where value.slots[part].node != 0 {
      release(value.slots[part].node)
      value.slots[part] = LoadedShard.Slot(part: nil, node: 0)
    }
    nodeOf[Int(nodes[index].shard)] = 0
    shardCount -= 1
    release(node)
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

/// Numbers that are 0 until set, in memory that the system hands out when it is touched.
struct ZeroedTable: @unchecked Sendable {
  private final class Storage {
    let words: UnsafeMutablePointer<Int32>
    init(_ count: Int) {
      guard let memory = calloc(max(count, 1), MemoryLayout<Int32>.stride) else { fatalError("out of memory") }
      words = memory.bindMemory(to: Int32.self, capacity: max(count, 1))
    }
    deinit { free(words) }
  }
  private let storage: Storage

  init(count: Int) { storage = Storage(count) }

  @inline(__always) subscript(_ index: Int) -> Int32 {
    get { storage.words[index] }
    nonmutating set { storage.words[index] = newValue }
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
