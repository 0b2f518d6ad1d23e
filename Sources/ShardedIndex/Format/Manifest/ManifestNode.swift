/// Which pages and nodes a manifest has, and which of them lies below which: all of it follows from how many shards
/// there are. Source: docs/format.md §3.
///
/// Pages have level 0. Node `number` of level 1 lists pages from 64 × `number` on, one of level 2 nodes of level 1, and
/// so on; the root lists what is on level ``height``.
package struct ManifestTree: Equatable, Sendable {
  let shardCount: Int
  /// Of what the root lists.
  let height: Int

  /// - Parameter hasNodes: Else the root lists pages, however many there are.
  package init(shardCount: Int, hasNodes: Bool) {
    self.shardCount = shardCount
    var height = 0
    while hasNodes, Self.count(shardCount, height) > Manifest.pageCapacity { height += 1 }
    self.height = height
  }

  @inline(__always) private static func shift(_ level: Int) -> Int {
    Manifest.pageCapacity.trailingZeroBitCount &* (level &+ 1)
  }

  @inline(__always) private static func count(_ shardCount: Int, _ level: Int) -> Int {
    (shardCount &+ (1 &<< shift(level)) &- 1) &>> shift(level)
  }

  /// Pages, or nodes, of a level.
  func count(ofLevel level: Int) -> Int { Self.count(shardCount, level) }

  /// All pages and nodes.
  var count: Int { (0...height).reduce(0) { $0 + count(ofLevel: $1) } }

  /// Tells a page or node from all others: from 0 on, pages first.
  @inline(__always) func slot(_ number: Int, level: Int) -> Int {
    var slot = number
    var below = 0
    while below < level {
      slot &+= Self.count(shardCount, below)
      below &+= 1
    }
    return slot
  }

  /// Shards of a page, or below a node.
  @inline(__always) func shards(below number: Int, level: Int) -> Int {
    let first = number &<< Self.shift(level)
    return max(0, min(shardCount &- first, 1 &<< Self.shift(level)))
  }

  /// What a node lists.
  @inline(__always) func children(of number: Int, level: Int) -> Int {
    (shards(below: number, level: level) &+ (1 &<< Self.shift(level &- 1)) &- 1) &>> Self.shift(level &- 1)
  }
}

/// What a manifest's root, or one of its nodes, says of the pages or nodes that it lists: its children.
/// Source: docs/format.md §3.2, §3.10.
///
/// The bytes belong to the manifest.
struct ManifestNode {
  /// Where a child lies. Sizes in bytes.
  struct Entry {
    /// From where the first child begins: its frame, and behind a node's all that is below it.
    var start: Int
    var end: Int
    var frameSize: Int
    var contentSize: Int
    /// Its content and that of all below it.
    var totalSize: Int
    /// The frame's own checksum of its content.
    var checksum: UInt32
    /// Whether the shard before ends in keys equal to its lower bound.
    var isContinuation: Bool

    @inline(__always) static func width(ofLevel level: Int) -> Int { level == 0 ? 20 : 32 }
    /// Of ``totalSize``: 64 of them can be added up.
    static let totalLimit = 1 << 56
  }

  /// What a child is checked against when it is read; valid as long as the node is.
  struct Promise {
    let number: Int
    let level: Int
    let entry: Entry
    /// Where its frame begins in the file.
    let start: Int
    let bound: UnsafeBufferPointer<UInt8>
    let firstRecord: Int
    let recordCount: Int
    let next: Next?
  }

  /// The lower bound of what stands behind.
  struct Next {
    let bound: UnsafeBufferPointer<UInt8>
    let isContinuation: Bool
  }

  private let number: Int
  /// Of its children.
  private let level: Int
  let tables: ManifestTables
  /// Where in the file the first child begins.
  private let start: Int
  /// Records in all shards before it.
  let firstRecord: Int
  /// nil behind the last.
  private let next: Next?

  var count: Int { tables.bounds.count }
  var bounds: BoundTable { tables.bounds }

  /// The root's. Nothing of it but the tables' bounds was checked.
  init(level: Int, _ tables: ManifestTables, start: Int) {
    (number, self.level) = (0, level)
    self.tables = tables
    (self.start, firstRecord, next) = (start, 0, nil)
  }

  /// A view of content whose bounds were checked.
  init(
    _ content: UnsafePointer<UInt8>, number: Int, level: Int, of tree: ManifestTree, start: Int, firstRecord: Int,
    next: Next?
  ) {
    self.number = number
    self.level = level - 1
    tables = ManifestTables(content, count: tree.children(of: number, level: level), level: level - 1)
    (self.start, self.firstRecord, self.next) = (start, firstRecord, next)
  }

  /// Checks the content of a node, also against what the list above it says.
  static func check(
    _ content: UnsafeBufferPointer<UInt8>, _ promise: Promise, of tree: ManifestTree
  ) throws(FormatError) {
    let count = tree.children(of: promise.number, level: promise.level)
    let fixed = ManifestTables.fixedSize(children: count, level: promise.level - 1)
    guard content.count >= fixed else { throw .truncated(offset: 0, needed: fixed, available: content.count) }
    let start = content.baseAddress!
    _ = try BoundTable(
      count: count, heads: start, ends: start + 16 * count + 8, texts: UnsafeBufferPointer(rebasing: content[fixed...]))
    let node = ManifestNode(
      start, number: promise.number, level: promise.level, of: tree, start: 0, firstRecord: 0, next: nil)
    try promise.checkEnds(node.bounds, isContinuation: node.entry(0).isContinuation)
    let entry = promise.entry
    let size = try node.check(records: promise.recordCount, of: tree)
    guard node.end == entry.end - entry.start - entry.frameSize, size == entry.totalSize - entry.contentSize else {
      throw .invalid(reason: "what it lists has another size than was promised", offset: 0)
    }
  }

  /// Checks what is said of each child; returns the size of the content of all that is below, in bytes.
  func check(records: Int, of tree: ManifestTree) throws(FormatError) -> Int {
    guard firstRecord(of: 0) == 0, firstRecord(of: count) == records else {
      throw .invalid(reason: "records do not add up", offset: 24)
    }
    var size = 0
    for child in 0..<count {
      // A page has a record for each of its shards at least.
      let (first, next) = (firstRecord(of: child), firstRecord(of: child + 1))
      let shards = tree.shards(below: number &* Manifest.pageCapacity &+ child, level: level)
      guard first >= 0, next >= first, next - first >= shards else {
        throw .invalid(reason: "\(name(child)) has fewer records than shards", offset: 0)
      }
      let entry = entry(child)
      guard entry.start <= entry.end, entry.contentSize <= Manifest.contentLimit,
        entry.frameSize <= entry.end - entry.start, entry.frameSize <= ZstdFrame.sizeLimit(content: entry.contentSize),
        entry.contentSize <= entry.totalSize, entry.totalSize < Entry.totalLimit
      else { throw .invalid(reason: "\(name(child)) is misplaced", offset: 0) }
      guard child > 0 || number > 0 || !entry.isContinuation else {
        throw .invalid(reason: "the first shard continues another", offset: 0)
      }
      try tables.bounds.checkOrder(child, isContinuation: entry.isContinuation)
      size &+= entry.totalSize
    }
    return size
  }

  private func name(_ child: Int) -> String { level == 0 ? "page \(child)" : "node \(child)" }

  private func firstRecord(of child: Int) -> Int { tables.firstRecord(of: child) }

  func entry(_ child: Int) -> Entry {
    let entry = tables.entry(child)
    func long(_ entry: UnsafeRawPointer, _ offset: Int) -> Int {
      Int(clamping: UInt64(littleEndian: entry.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
    func word(_ offset: Int) -> UInt32 {
      UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    let (start, end) = (child == 0 ? 0 : long(entry - Entry.width(ofLevel: level), 0), long(entry, 0))
    let contentSize = Int(word(8))
    return Entry(
      start: start, end: end, frameSize: level == 0 ? end &- start : Int(word(20)), contentSize: contentSize,
      totalSize: level == 0 ? contentSize : long(entry, 24), checksum: word(12), isContinuation: word(16) & 1 == 1)
  }

  /// Where the last child ends, in bytes from where the first begins.
  var end: Int { count == 0 ? 0 : entry(count - 1).end }

  func promise(_ child: Int) -> Promise {
    let (entry, first) = (entry(child), firstRecord(of: child))
    let behind = child + 1
    return Promise(
      number: number &* Manifest.pageCapacity &+ child, level: level, entry: entry, start: start + entry.start,
      bound: bounds[child], firstRecord: firstRecord + first, recordCount: firstRecord(of: behind) - first,
      next: behind < count ? Next(bound: bounds[behind], isContinuation: tables.isContinuation(behind)) : next)
  }

}

/// The tables of a root or a node: what a search needs of it.
///
/// The bytes belong to the manifest.
struct ManifestTables {
  let bounds: BoundTable
  /// u64 per child and one more: records in the children before it.
  private let firstRecords: UnsafeRawPointer
  private let entries: UnsafeRawPointer
  private let entryWidth: Int

  /// Those of a root. Nothing of them but `bounds` was checked.
  ///
  /// - Parameter level: Of the children.
  init(_ bounds: BoundTable, firstRecords: UnsafePointer<UInt8>, entries: UnsafePointer<UInt8>, level: Int) {
    self.bounds = bounds
    self.firstRecords = UnsafeRawPointer(firstRecords)
    self.entries = UnsafeRawPointer(entries)
    entryWidth = ManifestNode.Entry.width(ofLevel: level)
  }

  /// Those of a node, whose bounds were checked.
  @inline(__always)
  init(_ content: UnsafePointer<UInt8>, count: Int, level: Int) {
    entryWidth = ManifestNode.Entry.width(ofLevel: level)
    bounds = BoundTable(
      checked: count, heads: content, ends: content + (16 &* count &+ 8),
      texts: content + Self.fixedSize(children: count, level: level))
    firstRecords = UnsafeRawPointer(content + (8 &* count))
    entries = UnsafeRawPointer(content + (20 &* count &+ 8))
  }

  /// Bytes of a node besides its bounds.
  @inline(__always)
  static func fixedSize(children: Int, level: Int) -> Int {
    (20 &+ ManifestNode.Entry.width(ofLevel: level)) &* children &+ 8
  }

  /// Records in the children before this one.
  @inline(__always) func firstRecord(of child: Int) -> Int {
    // A number above what an Int holds is negative here, and refused.
    Int(bitPattern: UInt(littleEndian: firstRecords.loadUnaligned(fromByteOffset: 8 &* child, as: UInt.self)))
  }

  @inline(__always) fileprivate func entry(_ child: Int) -> UnsafeRawPointer { entries + entryWidth &* child }

  @inline(__always) fileprivate func isContinuation(_ child: Int) -> Bool {
    UInt32(littleEndian: entry(child).loadUnaligned(fromByteOffset: 16, as: UInt32.self)) & 1 == 1
  }

  /// The child that keys which begin with the prefix begin in, if there are any.
  @inline(__always) func first(forPrefix prefix: UnsafeBufferPointer<UInt8>, head: UInt64) -> Int {
    // A bound that is the prefix begins the run of keys equal to it, unless that run began before.
    let below = bounds.countBelow(prefix, head: head)
    let isBeginning =
      below < bounds.count && bounds.head(below) == head && bounds.equals(below, prefix) && !isContinuation(below)
    return isBeginning ? below : max(0, below &- 1)
  }

  /// The child that they end in, which none of the first `from` is.
  @inline(__always) func last(forPrefix prefix: UnsafeBufferPointer<UInt8>, head: UInt64, from: Int) -> Int {
    bounds.countNotAbove(prefix, head: head, from: from) &- 1
  }
}

extension ManifestNode.Promise {
  /// Checks the lower bounds of a page or node where it meets its neighbours.
  func checkEnds(_ bounds: BoundTable, isContinuation: Bool) throws(FormatError) {
    guard bounds.equals(0, bound), isContinuation == entry.isContinuation else {
      throw .invalid(reason: "begins with another lower bound than was promised", offset: 0)
    }
    guard let next else { return }
    let last = bounds[bounds.count - 1]
    guard BoundTable.isBelow(last, next.bound) || (next.isContinuation && bounds.equals(bounds.count - 1, next.bound))
    else { throw .invalid(reason: "its last lower bound is not below the next one", offset: 0) }
  }
}
