/// The table of a shard's parts, and the search in it. Source: docs/format.md section 4.
///
/// The bytes belong to the shard's header and live as long as the header.
@safe package struct PartTable: BitwiseCopyable, @unchecked Sendable {
  /// One part: a run of records with a frame of keys and a frame of fields. Sizes are in bytes.
  @safe package struct Part {
    private let (row, next): (UnsafePointer<PartRow>, UnsafePointer<PartRow>)

    @inline(__always) fileprivate init(_ row: UnsafePointer<PartRow>) { unsafe (self.row, next) = (row, row + 1) }

    /// The offset from the start of the file, in bytes.
    package var offset: Int { unsafe Int(row.pointee.offset) }
    /// The part's first record, counted within the shard.
    @inline(__always) package var firstRecord: Int { unsafe Int(row.pointee.firstRecord) }
    @inline(__always) package var recordCount: Int { unsafe Int(next.pointee.firstRecord &- row.pointee.firstRecord) }
    package var keysSize: Int { unsafe Int(row.pointee.keysSize) }
    package var keysContentSize: Int { unsafe Int(row.pointee.keysContentSize) }
    package var keysChecksum: UInt32 { unsafe row.pointee.keysChecksum }
    package var fieldsSize: Int { fileSize - keysSize }
    package var fieldsContentSize: Int { unsafe Int(row.pointee.fieldsContentSize) }
    package var fieldsChecksum: UInt32 { unsafe row.pointee.fieldsChecksum }
    package var fileSize: Int { unsafe Int(next.pointee.offset &- row.pointee.offset) }
    /// The bytes of a read: the size in the file, and the unpacked size.
    package var weight: Int { fileSize + keysContentSize + fieldsContentSize }
    /// Whether the last record before the part may have the part's first key.
    @inline(__always) package var isContinuation: Bool { unsafe row.pointee.bound & 1 == 1 }
    /// The offset and the size of its lower bound among the bounds of all parts.
    @inline(__always) fileprivate var bound: (start: Int, size: Int) {
      let start = unsafe Int(row.pointee.bound >> 1)
      return unsafe (start, Int(next.pointee.bound >> 1) &- start)
    }
  }

  /// The stored numbers of a part; the others follow from the start of the next part. A row is half a line of the
  /// processor's cache, since the cache keeps many rows, and numbers of the format have at most 32 bits.
  struct PartRow: BitwiseCopyable {
    var (firstRecord, offset): (UInt32, UInt32)
    /// The offset of its lower bound among the bounds of all parts, times two; 1 more for a continuation.
    var bound: UInt32
    var (keysSize, keysContentSize, fieldsContentSize): (UInt32, UInt32, UInt32)
    var (keysChecksum, fieldsChecksum): (UInt32, UInt32)
  }

  /// The number of parts, at least one.
  package let count: Int
  /// The heads of the parts' lower bounds, side by side for the search.
  private let heads: UnsafePointer<UInt64>
  /// The rows of the parts, and one more row for the end of the last part.
  private let rows: UnsafePointer<PartRow>
  private let bounds: UnsafePointer<UInt8>

  init(count: Int, heads: UnsafePointer<UInt64>, rows: UnsafePointer<PartRow>, bounds: UnsafePointer<UInt8>) {
    unsafe (self.count, self.heads, self.rows, self.bounds) = (count, heads, rows, bounds)
  }

  @inline(__always) package subscript(_ part: Int) -> Part { unsafe Part(rows + part) }

  package func bound(of part: Int) -> UnsafeBufferPointer<UInt8> {
    let bound = self[part].bound
    return unsafe .init(start: bounds + bound.start, count: bound.size)
  }

  /// Returns a negative number if the bound of `part` is below `key`, 0 if it equals `key`, a positive number if it is
  /// above.
  @inline(__always)
  private func compareBound(_ part: Int, with key: SearchKey) -> Int {
    let other = unsafe heads[part]
    if unsafe other != key.head { return unsafe other < key.head ? -1 : 1 }
    let bound = unsafe bound(of: part)
    for index in unsafe 0..<min(bound.count, key.count) where unsafe bound[index] != key.byte(index) {
      return unsafe bound[index] < key.byte(index) ? -1 : 1
    }
    return unsafe bound.count - key.count
  }

  /// Returns the part with the first key at or above `key`, or the part before that key.
  @inline(__always)
  package func first(for key: UnsafeBufferPointer<UInt8>, head: UInt64) -> Int {
    // There are fewer than 2^32 parts. The first part has the shard's bound. Heads alone nearly always decide.
    let part = partitionPoint(count &- 1) { unsafe heads[$0 &+ 1] < head }
    guard part &+ 1 < count, unsafe heads[part &+ 1] == head else { return part }
    return unsafe firstLong(for: SearchKey(key, head: head), from: part)
  }

  /// Returns the same if bounds behind `part` share the key's first eight bytes or equal the key.
  @inline(never)
  private func firstLong(for key: SearchKey, from part: Int) -> Int {
    let next = part + 1
    return part
      + partitionPoint(count - next) {
        let order = unsafe compareBound(next + $0, with: key)
        // Equal keys may run over several parts: then the first of them is in an earlier part.
        return order < 0 || (order == 0 && !self[next + $0].isContinuation)
      }
  }

  /// Returns the last part, from `first` on, that can have keys with the prefix.
  @inline(__always)
  package func last(for prefix: UnsafeBufferPointer<UInt8>, head: UInt64, from first: Int) -> Int {
    // Up to eight bytes of a prefix are compared at once; the bound's further bytes do not count.
    let mask = KeyBlocks.headMask(prefix.count)
    var part = first
    while part &+ 1 < count {
      let other = unsafe heads[part &+ 1] & mask
      // Bounds at or below the prefix come first, then bounds that begin with the prefix, then bounds above.
      guard
        unsafe other != head || prefix.count <= 8
          ? other <= head : isNotAbove(part &+ 1, SearchKey(prefix, head: head))
      else { break }
      part &+= 1
    }
    return part
  }

  /// Returns whether the bound of a part is at or below `prefix` or begins with it.
  @inline(never)
  private func isNotAbove(_ part: Int, _ prefix: SearchKey) -> Bool {
    if unsafe compareBound(part, with: prefix) <= 0 { return true }
    let bound = unsafe bound(of: part)
    return unsafe bound.count >= prefix.count && (0..<prefix.count).allSatisfy { unsafe bound[$0] == prefix.byte($0) }
  }

  /// Returns the part of record `record`, counted within the shard.
  @inline(__always)
  package func part(holding record: Int) -> Int {
    partitionPoint(count &- 1) { self[$0 &+ 1].firstRecord <= record }
  }
}
