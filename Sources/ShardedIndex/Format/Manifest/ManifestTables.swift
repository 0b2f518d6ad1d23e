/// The tables that a search needs of a root or a node.
///
/// The bytes belong to the manifest.
@safe package struct ManifestTables {
  let bounds: BoundTable
  /// u64 per child and one more: the number of records in the children before it.
  private let firstRecords: UnsafeRawPointer
  private let entries: UnsafeRawPointer
  private let entryWidth: Int

  /// Makes the tables of a root. Only `bounds` were checked.
  ///
  /// - Parameter level: The level of the children.
  init(_ bounds: BoundTable, firstRecords: UnsafePointer<UInt8>, entries: UnsafePointer<UInt8>, level: Int) {
    self.bounds = bounds
    unsafe self.firstRecords = UnsafeRawPointer(firstRecords)
    unsafe self.entries = UnsafeRawPointer(entries)
    entryWidth = ManifestNode.ChildLocation.width(ofLevel: level)
  }

  /// Makes the tables of a node, whose bounds were checked.
  @inline(__always)
  init(_ content: UnsafePointer<UInt8>, count: Int, level: Int) {
    entryWidth = ManifestNode.ChildLocation.width(ofLevel: level)
    bounds = unsafe BoundTable(
      checked: count, heads: content, ends: content + (16 &* count &+ 8),
      texts: content + Self.fixedSize(children: count, level: level))
    unsafe firstRecords = UnsafeRawPointer(content + (8 &* count))
    unsafe entries = UnsafeRawPointer(content + (20 &* count &+ 8))
  }

  /// Returns the size of a node without its bounds, in bytes.
  @inline(__always)
  static func fixedSize(children: Int, level: Int) -> Int {
    (20 &+ ManifestNode.ChildLocation.width(ofLevel: level)) &* children &+ 8
  }

  /// Returns the number of records in the children before one.
  @inline(__always) func firstRecord(of child: Int) -> Int {
    // A number that is too large for an Int is negative here, and is refused.
    unsafe Int(bitPattern: UInt(littleEndian: firstRecords.loadUnaligned(fromByteOffset: 8 &* child, as: UInt.self)))
  }

  @inline(__always) func entry(_ child: Int) -> UnsafeRawPointer { unsafe entries + entryWidth &* child }

  @inline(__always) func isContinuation(_ child: Int) -> Bool {
    unsafe UInt32(littleEndian: entry(child).loadUnaligned(fromByteOffset: 16, as: UInt32.self)) & 1 == 1
  }

  /// The first child that can have keys with the prefix.
  @inline(__always) func first(forPrefix prefix: FoldedPrefix) -> Int {
    // If a bound equals the prefix, the run of keys equal to it begins there, unless the run began before.
    let below = bounds.countBelow(prefix)
    let isBeginning =
      unsafe below < bounds.count && bounds.head(below) == prefix.head && bounds.equals(below, prefix.bytes)
      && !isContinuation(below)
    return isBeginning ? below : max(0, below &- 1)
  }

  /// The last child that can have keys with the prefix, at or behind child `from`.
  @inline(__always) func last(forPrefix prefix: FoldedPrefix, from: Int) -> Int {
    bounds.countNotAbove(prefix, from: from) &- 1
  }
}
