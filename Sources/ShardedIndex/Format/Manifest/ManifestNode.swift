/// The children of a manifest's root or of a node: the pages or nodes that it lists. Source: docs/format.md section
/// 3.2, section 3.10.
///
/// The bytes belong to the manifest.
package struct ManifestNode {
  /// The location of a child. Sizes are in bytes.
  package struct ChildLocation {
    /// The offset of the child's frame from the first child. All frames below the child follow it.
    package var start: Int
    package var end: Int
    var frameSize: Int
    var contentSize: Int
    /// The size of the child's content and of the contents of all frames below.
    var totalSize: Int
    /// The checksum that the frame has of its content.
    var checksum: UInt32
    /// Whether the shard before ends in keys that equal the child's lower bound.
    var isContinuation: Bool

    @inline(__always) static func width(ofLevel level: Int) -> Int { level == 0 ? 20 : 32 }
    /// The limit of ``totalSize``, so that the sum of 64 children cannot wrap.
    static let totalLimit = 1 << (Int.bitWidth - 8)
  }

  /// The reference to a child, which a reader checks the child against; valid as long as the node is.
  @safe package struct ChildReference {
    package let number: Int
    package let level: Int
    package let entry: ChildLocation
    /// The offset of its frame in the file.
    package let start: Int
    let bound: UnsafeBufferPointer<UInt8>
    package let firstRecord: Int
    package let recordCount: Int
    package let next: Next?
  }

  /// The lower bound of the child behind this one.
  @safe package struct Next {
    let bound: UnsafeBufferPointer<UInt8>
    let isContinuation: Bool
  }

  private let number: Int
  /// The level of its children.
  private let level: Int
  let tables: ManifestTables
  /// The offset of the first child in the file.
  private let start: Int
  /// The number of records in all shards before the first child.
  let firstRecord: Int
  /// The child behind the last child of this node; nil if there is none.
  private let next: Next?

  package var count: Int { tables.bounds.count }
  package var bounds: BoundTable { tables.bounds }

  /// Makes the root's children. Only the tables' bounds were checked.
  package init(level: Int, _ tables: ManifestTables, start: Int) {
    (number, self.level) = (0, level)
    self.tables = tables
    (self.start, firstRecord, next) = (start, 0, nil)
  }

  /// Makes a view of content whose bounds were checked.
  package init(
    _ content: UnsafePointer<UInt8>, number: Int, level: Int, of tree: ManifestTree, start: Int, firstRecord: Int,
    next: Next?
  ) {
    self.number = number
    self.level = level - 1
    tables = unsafe ManifestTables(content, count: tree.children(of: number, level: level), level: level - 1)
    (self.start, self.firstRecord, self.next) = (start, firstRecord, next)
  }

  /// Checks the content of a node, and compares it with its entry in the list above.
  package static func check(
    _ content: UnsafeBufferPointer<UInt8>, _ reference: ChildReference, of tree: ManifestTree
  ) throws(FormatError) {
    let count = tree.children(of: reference.number, level: reference.level)
    let fixed = ManifestTables.fixedSize(children: count, level: reference.level - 1)
    guard content.count >= fixed else { throw .truncated(offset: 0, needed: fixed, available: content.count) }
    let start = content.baseAddress!
    _ = unsafe try BoundTable(
      count: count, heads: start, ends: start + 16 * count + 8, texts: UnsafeBufferPointer(rebasing: content[fixed...]))
    let node = unsafe ManifestNode(
      start, number: reference.number, level: reference.level, of: tree, start: 0, firstRecord: 0, next: nil)
    try reference.checkEnds(node.bounds, isContinuation: node.entry(0).isContinuation)
    let entry = reference.entry
    let size = try node.check(records: reference.recordCount, of: tree)
    guard node.end == entry.end - entry.start - entry.frameSize, size == entry.totalSize - entry.contentSize else {
      throw .invalid(reason: "lists frames of another size than the frame above it says", offset: 0)
    }
  }

  /// Checks the entries of all children, and returns the size of the contents of all frames below, in bytes.
  package func check(records: Int, of tree: ManifestTree) throws(FormatError) -> Int {
    guard firstRecord(of: 0) == 0, firstRecord(of: count) == records else {
      throw .invalid(reason: "has counts of records that do not add up", offset: 24)
    }
    var size = 0
    for child in 0..<count {
      // A page has at least one record for each shard.
      let (first, next) = (firstRecord(of: child), firstRecord(of: child + 1))
      let shards = tree.shards(below: number &* Manifest.pageCapacity &+ child, level: level)
      guard first >= 0, next >= first, next - first >= shards else {
        throw .invalid(reason: "has fewer records than shards in \(name(child))", offset: 0)
      }
      let entry = entry(child)
      guard entry.start <= entry.end, entry.contentSize <= Manifest.contentLimit,
        entry.frameSize <= entry.end - entry.start, entry.frameSize <= ZstdFrame.sizeLimit(content: entry.contentSize),
        entry.contentSize <= entry.totalSize, entry.totalSize < ChildLocation.totalLimit
      else { throw .invalid(reason: "has \(name(child)) in a wrong place", offset: 0) }
      guard child > 0 || number > 0 || !entry.isContinuation else {
        throw .invalid(reason: "has a first shard that continues another", offset: 0)
      }
      try tables.bounds.checkOrder(child, isContinuation: entry.isContinuation)
      size &+= entry.totalSize
    }
    return size
  }

  private func name(_ child: Int) -> String { level == 0 ? "page \(child)" : "node \(child)" }

  private func firstRecord(of child: Int) -> Int { tables.firstRecord(of: child) }

  func entry(_ child: Int) -> ChildLocation {
    let entry = unsafe tables.entry(child)
    func long(_ entry: UnsafeRawPointer, _ offset: Int) -> Int {
      unsafe Int(clamping: UInt64(littleEndian: entry.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
    func word(_ offset: Int) -> UInt32 {
      unsafe UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    let (start, end) = unsafe (child == 0 ? 0 : long(entry - ChildLocation.width(ofLevel: level), 0), long(entry, 0))
    let contentSize = Int(clamping: word(8))
    return unsafe ChildLocation(
      start: start, end: end, frameSize: level == 0 ? end &- start : Int(clamping: word(20)), contentSize: contentSize,
      totalSize: level == 0 ? contentSize : long(entry, 24), checksum: word(12), isContinuation: word(16) & 1 == 1)
  }

  /// The end of the last child, as an offset from the first one in bytes.
  package var end: Int { count == 0 ? 0 : entry(count - 1).end }

  package func reference(_ child: Int) -> ChildReference {
    let (entry, first) = (entry(child), firstRecord(of: child))
    let behind = child + 1
    return unsafe ChildReference(
      number: number &* Manifest.pageCapacity &+ child, level: level, entry: entry, start: start + entry.start,
      bound: bounds[child], firstRecord: firstRecord + first, recordCount: firstRecord(of: behind) - first,
      next: behind < count ? Next(bound: bounds[behind], isContinuation: tables.isContinuation(behind)) : next)
  }
}

extension ManifestNode.ChildReference {
  /// Checks the first and the last lower bound of a page or node against its neighbours.
  func checkEnds(_ bounds: BoundTable, isContinuation: Bool) throws(FormatError) {
    guard unsafe bounds.equals(0, bound), isContinuation == entry.isContinuation else {
      throw .invalid(reason: "begins with another lower bound than the frame above it says", offset: 0)
    }
    guard let next else { return }
    let last = unsafe bounds[bounds.count - 1]
    guard
      unsafe BoundTable.isBelow(last, next.bound)
        || (next.isContinuation && bounds.equals(bounds.count - 1, next.bound))
    else { throw .invalid(reason: "has a last lower bound that is not below the next one", offset: 0) }
  }
}
