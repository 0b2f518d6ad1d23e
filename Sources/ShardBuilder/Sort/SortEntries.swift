/// A record for the sort, with eight bytes of its folded key.
struct SortEntry {
  var head: UInt64
  var record: RecordBlob
}

/// The records for the sort, or in order, 16 bytes for each. Read entries give their memory back to the system.
///
/// While the entries are filled and sorted, each thread has its own range.
@safe final class SortEntries: @unchecked Sendable {
  let count: Int
  private let block: PageAllocator.Block
  /// The entries in memory.
  @exclusivity(unchecked) private var held: UnsafeMutableBufferPointer<SortEntry>
  /// The number of entries already freed.
  @exclusivity(unchecked) private var released = 0

  /// The number of entries in 1 MiB, which is whole pages.
  private static let entriesPerBlock = (1 << 20) / MemoryLayout<SortEntry>.stride

  init(count: Int) {
    self.count = count
    block = PageAllocator.Block(byteCount: count * MemoryLayout<SortEntry>.stride)
    unsafe held = unsafe block.memory.bindMemory(to: SortEntry.self)
  }

  @inline(__always) subscript(index: Int) -> SortEntry {
    get { unsafe held[index - released] }
    set { unsafe held[index - released] = newValue }
  }

  /// Sorts a range of the entries; leaves `head` undefined.
  func sort(_ range: Range<Int>, by order: RecordOrder) { unsafe held.part(range).sort(by: order) }

  /// Frees the memory of entries before `end`, which the sort does not read any more.
  func release(upTo end: Int) {
    while unsafe end - released >= Self.entriesPerBlock, unsafe count - released > Self.entriesPerBlock {
      block.releaseFirst(Self.entriesPerBlock * MemoryLayout<SortEntry>.stride)
      unsafe held = unsafe held.part(Self.entriesPerBlock..<held.count)
      unsafe released += Self.entriesPerBlock
    }
  }
}

extension UnsafeMutableBufferPointer<SortEntry> {
  fileprivate func part(_ range: Range<Int>) -> Self { unsafe Self(rebasing: self[range]) }

  /// Sorts by eight bytes of the key at a time, as long as the keys go on and are many; leaves `head` undefined.
  fileprivate func sort(by order: RecordOrder) {
    var pending = [(start: 0, end: count, depth: 0)]  // A stack, no recursion: keys may share 64 KiB.
    while let (start, end, depth) = pending.popLast() {
      var group = unsafe part(start..<end)
      // Deep in the keys a whole comparison costs no more than another round.
      if group.count <= 16 || depth > 256 {
        unsafe group.sortWhole(by: order)
        continue
      }
      unsafe group.sort { $0.head < $1.head }
      var first = 0
      while first < group.count {
        var end = first + 1
        while end < group.count, unsafe group[end].head == group[first].head { end += 1 }
        if end - first > 1 {
          let same = unsafe group.part(first..<end)
          if same.count > 16, unsafe same.allSatisfy({ $0.record.foldedCount > depth + 8 }) {
            for index in same.indices { unsafe same[index].head = unsafe same[index].record.head(from: depth + 8) }
            pending.append((start + first, start + end, depth + 8))
          } else {
            // The heads are equal, so some of these keys may have ended within them.
            for index in same.indices { unsafe same[index].head = 0 }
            unsafe same.sortWhole(by: order)
          }
        }
        first = end
      }
    }
  }

  /// Sorts entries whose keys share the bytes before the heads, by whole comparisons.
  private func sortWhole(by order: RecordOrder) {
    @inline(__always) func isBefore(_ a: SortEntry, _ b: SortEntry) -> Bool {
      a.head != b.head ? a.head < b.head : order.compare(a.record, b.record) < 0
    }
    guard count <= 16 else {
      var group = unsafe self
      unsafe group.sort { isBefore($0, $1) }
      return
    }
    for index in 1..<Swift.max(1, count) {
      let entry = unsafe self[index]
      var hole = index
      while hole > 0, unsafe isBefore(entry, self[hole - 1]) {
        unsafe self[hole] = unsafe self[hole - 1]
        hole -= 1
      }
      unsafe self[hole] = entry
    }
  }
}
