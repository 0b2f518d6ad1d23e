#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Record blobs one after the other in memory that does not move once it is handed on, and a sort entry for each.
///
/// Whoever fills a chunk is its only owner; afterwards it is only read, from any thread.
package final class BlobChunk: @unchecked Sendable {
  /// What sorting looks at first.
  package struct Entry {
    /// The folded key's first eight bytes, big-endian, zeros behind a shorter one.
    package var head: UInt64
    /// Of the blob, in bytes from ``BlobChunk/start``.
    package var offset: Int
  }

  // One owner while it changes: checking each access again costs a tenth of the cut's time.
  @exclusivity(unchecked) package private(set) var start: UnsafeMutableRawPointer
  /// Bytes in use.
  @exclusivity(unchecked) package private(set) var size = 0
  @exclusivity(unchecked) package private(set) var entries: [Entry] = []
  @exclusivity(unchecked) private var capacity: Int

  /// Bytes behind the last blob that may be read, though not used: letter case is applied eight bytes at a time.
  private static let slack = 16

  package init(capacity: Int = 1 << 16) {
    self.capacity = max(capacity, 64)
    start = Self.resized(nil, to: self.capacity + Self.slack)
  }

  deinit { free(start) }

  /// Memory that grows where it lies, or moves with its pages, if it is large: copied, it would have to be touched anew.
  private static func resized(_ start: UnsafeMutableRawPointer?, to byteCount: Int) -> UnsafeMutableRawPointer {
    guard let start = realloc(start, byteCount) else { fatalError("out of memory: \(byteCount) bytes") }
    return start
  }

  package var count: Int { entries.count }
  /// Bytes of memory held.
  package var charge: Int { capacity + entries.capacity * MemoryLayout<Entry>.stride }

  /// Forgets all records and keeps the memory.
  package func removeAll() {
    size = 0
    entries.removeAll(keepingCapacity: true)
  }

  /// Valid while the chunk lives and nothing is appended.
  package func record(_ index: Int) -> RecordBlob { RecordBlob(start + entries[index].offset) }

  /// Makes room for one more blob of at most `byteCount` bytes and says where it goes.
  package func reserve(_ byteCount: Int) -> UnsafeMutableRawPointer {
    if capacity - size < byteCount {
      capacity = max(capacity * 2, size + byteCount)
      start = Self.resized(start, to: capacity + Self.slack)
    }
    return start + size
  }

  /// Takes in the blob that was written where ``reserve(_:)`` said.
  package func commit() {
    let record = RecordBlob(start + size)
    entries.append(Entry(head: Self.head(of: record, from: 0), offset: size))
    size += record.size
  }

  package func append(_ record: RecordBlob) {
    reserve(record.size).copyMemory(from: record.start, byteCount: record.size)
    commit()
  }

  /// A run of records as they lie, without gaps.
  func bytes(of range: Range<Int>) -> UnsafeRawBufferPointer {
    guard let first = range.first else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let offset = entries[first].offset
    let end = range.upperBound < count ? entries[range.upperBound].offset : size
    return UnsafeRawBufferPointer(start: start + offset, count: end - offset)
  }

  /// Appends a run of another chunk's records.
  func append(_ range: Range<Int>, of other: BlobChunk) {
    guard let first = range.first else { return }
    let offset = other.entries[first].offset
    let run = other.bytes(of: range)
    reserve(run.count).copyMemory(from: run.baseAddress!, byteCount: run.count)
    entries.reserveCapacity(entries.count + range.count)
    for index in range {
      let entry = other.entries[index]
      entries.append(Entry(head: entry.head, offset: entry.offset - offset + size))
    }
    size += run.count
  }

  /// Eight bytes of the folded key from `depth` on, big-endian, zeros behind its end.
  @inline(__always)
  static func head(of record: RecordBlob, from depth: Int) -> UInt64 {
    let folded = record.folded
    let left = folded.count - depth
    guard left > 0 else { return 0 }
    let bytes = UnsafeRawPointer(folded.baseAddress!) + depth
    if left >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
    var head: UInt64 = 0
    for index in 0..<left {
      head |= UInt64(bytes.load(fromByteOffset: index, as: UInt8.self)) << (56 - 8 * UInt64(index))
    }
    return head
  }
}
