/// Record blobs one after the other from the beginning of a piece of memory, and their sort entries from its end.
///
/// One owner fills it; then it is only read, from any thread.
final class SortSlab: @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer
  private var filled = 0
  private(set) var count = 0

  /// A folded key may be read a little past its end, see ``BlobChunk``.
  private static let slack = 16
  private static let entrySize = MemoryLayout<SortEntry>.stride

  /// The least that holds a record of `byteCount` bytes.
  static func size(forRecordOf byteCount: Int) -> Int { byteCount + entrySize + slack }

  init(byteCount: Int) { memory = Pages.allocate(byteCount & ~15) }
  deinit { Pages.deallocate(memory) }

  var byteCount: Int { memory.count }

  /// The last first; valid while the slab lives and nothing is appended or removed.
  var entries: UnsafeBufferPointer<SortEntry> {
    let end = UnsafeRawPointer(memory.baseAddress! + memory.count)
    return UnsafeBufferPointer(
      start: (end - count * Self.entrySize).assumingMemoryBound(to: SortEntry.self), count: count)
  }

  func removeAll() { (filled, count) = (0, 0) }

  /// Copies records of a chunk from `first` on, as many as there is room for, and returns the first that was not.
  func append(_ chunk: BlobChunk, from first: Int) -> Int {
    let room = memory.count - filled - count * Self.entrySize - Self.slack
    return chunk.entries.withUnsafeBufferPointer { source in
      guard first < source.count else { return first }
      let origin = source[first].offset
      let target = UnsafeRawPointer(memory.baseAddress! + filled)
      var entry = (memory.baseAddress! + memory.count - count * Self.entrySize)
        .assumingMemoryBound(to: SortEntry.self)
      var (index, size) = (first, 0)
      while index < source.count {
        let end = (index + 1 < source.count ? source[index + 1].offset : chunk.size) - origin
        guard end + (index + 1 - first) * Self.entrySize <= room else { break }
        entry -= 1
        entry.initialize(
          to: SortEntry(head: source[index].head, record: RecordBlob(target + (source[index].offset - origin))))
        size = end
        index += 1
      }
      (memory.baseAddress! + filled).copyMemory(from: chunk.start + origin, byteCount: size)
      filled += size
      count += index - first
      return index
    }
  }
}
