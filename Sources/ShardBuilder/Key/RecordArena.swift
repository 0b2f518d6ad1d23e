import CLibrary

/// Record blobs one after the other, and the position of each blob. The memory does not move after the arena is handed
/// on.
///
/// The thread that fills an arena is its only owner. Afterwards all threads may read it, and no thread changes it.
@safe package final class RecordArena: @unchecked Sendable {
  /// The position of a blob.
  package struct BlobOffset {
    /// The offset from ``RecordArena/start``, in bytes.
    package var offset: Int
  }

  // The arena has one owner while it changes: a check of each access costs a tenth of the cut's time.
  @exclusivity(unchecked) package private(set) var start: UnsafeMutableRawPointer
  /// The bytes in use.
  @exclusivity(unchecked) package private(set) var size = 0
  @exclusivity(unchecked) package private(set) var entries: [BlobOffset] = []
  /// The size of the largest blob so far, in bytes.
  @exclusivity(unchecked) private(set) var largest = 0
  @exclusivity(unchecked) private var capacity: Int
  /// The block of the memory; nil if the memory is `malloc`'s.
  @exclusivity(unchecked) private var block: PageAllocator.Block?

  /// The bytes after the last blob that code may read, but must not use: letter case is applied eight bytes at a time.
  private static let slack = 16

  package init(capacity: Int = 1 << 16) {
    unsafe self.capacity = max(capacity, 64)
    unsafe start = unsafe Self.resized(nil, to: self.capacity + Self.slack)
  }

  /// Makes an arena in a part of a block, of at least 64 bytes. No other arena may use that part.
  init(_ room: Range<Int>, of block: PageAllocator.Block, records: Int) {
    unsafe capacity = room.count - Self.slack
    unsafe start = unsafe block.start + room.lowerBound
    unsafe self.block = block
    unsafe entries.reserveCapacity(records)
  }

  deinit {
    if unsafe block == nil { unsafe free(start) }
  }

  /// Returns resized memory. Large memory grows in place or moves with its pages: a copy would touch all pages again.
  private static func resized(_ start: UnsafeMutableRawPointer?, to byteCount: Int) -> UnsafeMutableRawPointer {
    guard let start = unsafe realloc(start, byteCount) else { PageAllocator.lack(of: byteCount) }
    return unsafe start
  }

  package var count: Int { unsafe entries.count }
  /// The bytes of memory that the arena holds.
  package var charge: Int { unsafe capacity + entries.capacity * MemoryLayout<BlobOffset>.stride }

  /// Whether other arenas use the same block, which the last of them frees.
  var sharesBlock: Bool { unsafe block.map { unsafe $0.size >= 2 * capacity } ?? false }

  /// Removes all records, and keeps the memory.
  package func removeAll() {
    unsafe (size, largest) = (0, 0)
    unsafe entries.removeAll(keepingCapacity: true)
  }

  /// Removes the positions of the blobs, and keeps the blobs.
  func forgetEntries() { unsafe entries = [] }

  /// Returns a record; valid as long as the arena, until the next append.
  package func record(_ index: Int) -> RecordBlob { unsafe RecordBlob(start + entries[index].offset) }

  /// Makes room for one more blob of at most `byteCount` bytes, and returns the room.
  package func reserve(_ byteCount: Int) -> BlobWriter {
    if unsafe capacity - size < byteCount { unsafe grow(to: max(capacity * 2, size + byteCount)) }
    return unsafe BlobWriter(start + size)
  }

  private func grow(to larger: Int) {
    if unsafe block == nil {
      unsafe start = unsafe Self.resized(start, to: larger + Self.slack)
    } else {
      let own = PageAllocator.Block(byteCount: larger + Self.slack)
      unsafe own.start.copyMemory(from: start, byteCount: size)
      unsafe (block, start) = unsafe (own, own.start)
    }
    unsafe capacity = larger
  }

  /// Adds the blob that the caller wrote to the memory of ``reserve(_:)``.
  package func commit() {
    let record = unsafe RecordBlob(start + size)
    unsafe entries.append(BlobOffset(offset: size))
    unsafe largest = unsafe max(largest, record.size)
    unsafe size += record.size
  }

  package func append(_ record: RecordBlob) {
    unsafe reserve(record.size).start.copyMemory(from: record.start, byteCount: record.size)
    commit()
  }

  /// Takes out the records from `first` on. Their blobs stay in place, so that the caller can put the records back.
  func removeEntries(from first: Int) -> [BlobOffset] {
    let taken = unsafe Array(entries[first...])
    unsafe entries.removeSubrange(first...)
    return taken
  }

  /// Adds a record, whose blob is in this arena, after the last one.
  func commit(_ entry: BlobOffset) { unsafe entries.append(entry) }

  /// Returns the record of an entry; valid as long as the arena, until the next append.
  func record(_ entry: BlobOffset) -> RecordBlob { unsafe RecordBlob(start + entry.offset) }

  /// Calls `body` with the blobs of some records. Adjacent blobs come in one call.
  func forEachRun(of range: Range<Int>, _ body: (Range<Int>, UnsafeRawBufferPointer) -> Void) {
    unsafe entries.withUnsafeBufferPointer { entries in
      var first = range.lowerBound
      while first < range.upperBound {
        var next = first
        var end = unsafe entries[first].offset
        repeat {
          unsafe end += record(entries[next]).size
          next += 1
        } while unsafe next < range.upperBound && entries[next].offset == end
        let offset = unsafe entries[first].offset
        unsafe body(first..<next, .init(start: start + offset, count: end - offset))
        first = next
      }
    }
  }

  /// Appends a run of records of another arena.
  func append(_ range: Range<Int>, of other: RecordArena) {
    unsafe entries.reserveCapacity(entries.count + range.count)
    unsafe other.forEachRun(of: range) { range, run in
      unsafe reserve(run.count).start.copyMemory(from: run.baseAddress!, byteCount: run.count)
      let offset = unsafe size - other.entries[range.lowerBound].offset
      for entry in unsafe other.entries[range] { unsafe entries.append(BlobOffset(offset: entry.offset + offset)) }
      unsafe size += run.count
    }
  }
}

extension RecordArena {
  /// Makes an arena with a copy of one record.
  package convenience init(of record: RecordBlob) {
    self.init(capacity: 0)
    append(record)
  }
}
