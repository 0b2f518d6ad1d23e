/// One page of a manifest, which describes up to ``Manifest/pageCapacity`` shards. Source: docs/format.md section 3.4.
///
/// The bytes belong to the manifest.
@safe package struct ManifestPage {
  package let bounds: BoundTable
  /// u64 per shard and one more: the number of records in the page's shards before it.
  private let firstRecords: UnsafeRawPointer
  private let files: UnsafeRawPointer

  /// The size of a page without its bounds, in bytes.
  static func fixedSize(shards: Int) -> Int { 64 * shards + 8 }

  /// Makes a view of checked content.
  @inline(__always)
  package init(checked content: UnsafePointer<UInt8>, shards count: Int) {
    unsafe firstRecords = UnsafeRawPointer(content + (8 &* count))
    unsafe files = UnsafeRawPointer(content + (20 &* count &+ 8))
    bounds = unsafe BoundTable(
      checked: count, heads: content, ends: content + (16 &* count &+ 8), texts: content + Self.fixedSize(shards: count)
    )
  }

  /// Checks the content of a page, and compares it with its entry in the list above.
  package static func check(
    _ content: UnsafeBufferPointer<UInt8>, _ reference: ManifestNode.ChildReference, of tree: ManifestTree
  ) throws(FormatError) {
    let count = tree.shards(below: reference.number, level: 0)
    let fixed = fixedSize(shards: count)
    guard content.count >= fixed else { throw .truncated(offset: 0, needed: fixed, available: content.count) }
    let start = content.baseAddress!
    let bounds = unsafe try BoundTable(
      count: count, heads: start, ends: start + 16 * count + 8, texts: UnsafeBufferPointer(rebasing: content[fixed...]))
    let page = unsafe ManifestPage(checked: start, shards: count)
    try reference.checkEnds(bounds, isContinuation: page.isContinuation(0))
    guard page.firstRecord(0) == 0, page.firstRecord(count) == reference.recordCount else {
      throw .invalid(reason: "has counts of records that do not add up", offset: 8 * count)
    }
    for shard in 0..<count {
      guard page.firstRecord(shard) >= 0, page.firstRecord(shard) < page.firstRecord(shard + 1) else {
        throw .invalid(reason: "has shard \(shard) without records", offset: 8 * (count + shard))
      }
      try bounds.checkOrder(shard, isContinuation: page.isContinuation(shard))
      let file = page.file(shard)
      guard file.size <= Manifest.fileLimit, file.headerSize <= file.size,
        file.headerContentSize <= ZstdFrame.contentLimit,
        file.headerSize <= ZstdFrame.sizeLimit(content: file.headerContentSize)
      else {
        throw .invalid(reason: "has shard \(shard), or its header, with too large a size", offset: 0)
      }
    }
  }

  /// Returns the first shard that can have keys with the prefix, if the keys begin on this page.
  @inline(__always) func firstShard(forPrefix prefix: FoldedPrefix) -> Int {
    let index = max(0, bounds.countBelow(prefix) - 1)
    // If a bound equals the prefix, the run of keys equal to it begins there, unless the run began before.
    let next = index + 1
    let isBeginning =
      unsafe next < bounds.count && bounds.head(next) == prefix.head && bounds.equals(next, prefix.bytes)
      && !isContinuation(next)
    return isBeginning ? next : index
  }

  /// Returns the last shard, from `first` on, that can have keys with the prefix.
  @inline(__always) func lastShard(forPrefix prefix: FoldedPrefix, from first: Int) -> Int {
    bounds.countNotAbove(prefix, from: first + 1) - 1
  }

  @inline(__always) package func firstRecord(_ shard: Int) -> Int {
    unsafe Int(bitPattern: UInt(littleEndian: firstRecords.loadUnaligned(fromByteOffset: 8 &* shard, as: UInt.self)))
  }

  @inline(__always) private func word(_ shard: Int, _ index: Int) -> UInt32 {
    unsafe UInt32(
      littleEndian: files.loadUnaligned(fromByteOffset: Manifest.File.width &* shard &+ 4 &* index, as: UInt32.self))
  }

  @inline(__always) func isContinuation(_ shard: Int) -> Bool { word(shard, 4) & 1 == 1 }

  package func file(_ shard: Int) -> Manifest.File {
    Manifest.File(
      size: Int(clamping: word(shard, 0)), headerSize: Int(clamping: word(shard, 1)),
      headerContentSize: Int(clamping: word(shard, 2)),
      headerChecksum: word(shard, 3), isContinuation: isContinuation(shard))
  }

  package func digest(_ shard: Int) -> UnsafeBufferPointer<UInt8> {
    let start = unsafe files + (Manifest.File.width &* bounds.count &+ 16 &* shard)
    return unsafe UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: 16)
  }

  package func label(_ shard: Int) -> UnsafeBufferPointer<UInt8> {
    let start = unsafe files + ((Manifest.File.width &+ 16) &* bounds.count &+ 8 &* shard)
    return unsafe UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: 8)
  }
}
