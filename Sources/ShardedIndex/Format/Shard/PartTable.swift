/// The parts of a shard, and which of them hold what. Source: docs/format.md section 4.
///
/// The bytes belong to the shard's header and live as long as it does.
@safe package struct PartTable: BitwiseCopyable, @unchecked Sendable {
  /// One part: a run of records whose keys are one frame and whose fields are the next. Sizes in bytes.
  @safe package struct Part {
    private let (row, next): (UnsafePointer<Row>, UnsafePointer<Row>)

    @inline(__always) fileprivate init(_ row: UnsafePointer<Row>) { unsafe (self.row, next) = (row, row + 1) }

    /// Bytes from the start of the file.
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
    /// The bytes that reading it takes: those in the file, and those that they unpack to.
    package var weight: Int { fileSize + keysContentSize + fieldsContentSize }
    /// Whether the last record before it may have the key that it begins with.
    @inline(__always) package var isContinuation: Bool { unsafe row.pointee.bound & 1 == 1 }
    /// The offset and the size of its lower bound among those of all parts.
    @inline(__always) fileprivate var bound: (start: Int, size: Int) {
      let start = unsafe Int(row.pointee.bound >> 1)
      return unsafe (start, Int(next.pointee.bound >> 1) &- start)
    }
  }

  /// The numbers that are kept of a part; the others follow from where the next part begins. Half a line of the
  /// processor's cache: many are kept, and no number that the format counts with has more than 32 bits.
  struct Row: BitwiseCopyable {
    var (firstRecord, offset): (UInt32, UInt32)
    /// The offset of its lower bound among those of all parts, times two; 1 more for a continuation.
    var bound: UInt32
    var (keysSize, keysContentSize, fieldsContentSize): (UInt32, UInt32, UInt32)
    var (keysChecksum, fieldsChecksum): (UInt32, UInt32)
  }

  /// The number of parts, at least one.
  package let count: Int
  /// The heads of the parts' lower bounds, side by side for the search.
  private let heads: UnsafePointer<UInt64>
  /// The rows of the parts, and one behind them: the end of the last part.
  private let rows: UnsafePointer<Row>
  private let bounds: UnsafePointer<UInt8>

  init(count: Int, heads: UnsafePointer<UInt64>, rows: UnsafePointer<Row>, bounds: UnsafePointer<UInt8>) {
    unsafe (self.count, self.heads, self.rows, self.bounds) = (count, heads, rows, bounds)
  }

  @inline(__always) package subscript(_ part: Int) -> Part { unsafe Part(rows + part) }

  package func bound(of part: Int) -> UnsafeBufferPointer<UInt8> {
    let bound = self[part].bound
    return unsafe .init(start: bounds + bound.start, count: bound.size)
  }

  /// Returns a negative number if the bound of `part` is below `key`, 0 if it is the key, a positive one if it is
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

  /// Returns the part in which the first key at or above `key` lies, or behind whose end it lies.
  @inline(__always)
  package func first(for key: UnsafeBufferPointer<UInt8>, head: UInt64) -> Int {
    // Parts are fewer than 2^32. The first one's bound is that of the shard. By heads alone first: nearly always that
    // is all.
    let part = partitionPoint(count &- 1) { unsafe heads[$0 &+ 1] < head }
    guard part &+ 1 < count, unsafe heads[part &+ 1] == head else { return part }
    return unsafe firstLong(for: SearchKey(key, head: head), from: part)
  }

  /// Returns the same where bounds behind `part` have the key's first eight bytes, or are the key.
  @inline(never)
  private func firstLong(for key: SearchKey, from part: Int) -> Int {
    let next = part + 1
    return part
      + partitionPoint(count - next) {
        let order = unsafe compareBound(next + $0, with: key)
        // Equal keys may run over several parts: then the first of them lies in one before.
        return order < 0 || (order == 0 && !self[next + $0].isContinuation)
      }
  }

  /// Returns the last part, from `first` on, that can hold keys which begin with `prefix`.
  @inline(__always)
  package func last(for prefix: UnsafeBufferPointer<UInt8>, head: UInt64, from first: Int) -> Int {
    // Up to eight bytes of a prefix are compared at once: those of the bound behind them do not count.
    let mask = KeyBlocks.headMask(prefix.count)
    var part = first
    while part &+ 1 < count {
      let other = unsafe heads[part &+ 1] & mask
      // Bounds at or below the prefix come before those that begin with it, and then come those above.
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

  /// Returns the part that holds record `record`, counted within the shard.
  @inline(__always)
  package func part(holding record: Int) -> Int {
    partitionPoint(count &- 1) { self[$0 &+ 1].firstRecord <= record }
  }
}
