/// A record to be sorted, with eight bytes of its folded key at hand.
struct SortEntry {
  var head: UInt64
  var record: RecordBlob
}

/// Sorts records that lie in memory.
struct EntrySort {
  let order: RecordOrder
  let threads: Int

  /// Fewer records are not worth a second thread.
  private static let parallelCount = 4096

  /// Returns the records of all chunks in order, in memory that ``PageAllocator`` takes back.
  ///
  /// They are dealt into ranges of the folded key's first bytes, by a sample, and the ranges sorted on all threads:
  /// nothing is left to merge. Takes 16 bytes a record besides the chunks.
  func sorted(_ chunks: [RecordArena]) -> UnsafeMutableBufferPointer<SortEntry> {
    let count = chunks.reduce(0) { $0 + $1.count }
    let memory = PageAllocator.allocate(count * MemoryLayout<SortEntry>.stride)
    let output = UnsafeMutableBufferPointer(
      start: memory.baseAddress!.assumingMemoryBound(to: SortEntry.self), count: count)
    let splitters = threads > 1 && count >= Self.parallelCount ? self.splitters(chunks, count) : []
    // Each chunk knows where its own go in each range, so that all are dealt at once.
    let buckets = splitters.count + 1
    let places = Places(count: chunks.count * buckets)
    let shared = Shared(entries: output)
    WorkerPool.forEach(chunks.count, threads: threads) { number in
      let next = places.memory.baseAddress! + number * buckets
      let chunk = chunks[number]
      for entry in chunk.entries {
        next[Self.bucket(RecordArena.head(of: chunk.record(entry), from: 0), splitters)] += 1
      }
    }
    var starts: [Int] = []
    var total = 0
    for bucket in 0..<buckets {
      starts.append(total)
      for number in chunks.indices {
        let size = places.memory[number * buckets + bucket]
        places.memory[number * buckets + bucket] = total
        total += size
      }
    }
    starts.append(total)
    WorkerPool.forEach(chunks.count, threads: threads) { number in
      let next = places.memory.baseAddress! + number * buckets
      // As they came, which is mostly some order, and sorting finds it.
      let chunk = chunks[number]
      for entry in chunk.entries {
        let record = chunk.record(entry)
        let head = RecordArena.head(of: record, from: 0)
        let bucket = Self.bucket(head, splitters)
        (shared.entries.baseAddress! + next[bucket])
          .initialize(to: SortEntry(head: head, record: record))
        next[bucket] += 1
      }
    }
    WorkerPool.forEach(buckets, threads: threads) { [starts] bucket in
      sort(UnsafeMutableBufferPointer(rebasing: shared.entries[starts[bucket]..<starts[bucket + 1]]))
    }
    return output
  }

  /// Per chunk and range a number; each thread touches its own chunk's.
  private final class Places: @unchecked Sendable {
    let memory: UnsafeMutableBufferPointer<Int>
    init(count: Int) {
      memory = .allocate(capacity: count)
      memory.initialize(repeating: 0)
    }
    deinit { memory.deallocate() }
  }

  private struct Shared: @unchecked Sendable {  // Each thread touches its own range.
    let entries: UnsafeMutableBufferPointer<SortEntry>
  }

  /// Gives back what ``sorted(_:)`` returned, or whole pages of it.
  static func deallocate(_ entries: UnsafeMutableBufferPointer<SortEntry>) {
    PageAllocator.deallocate(
      UnsafeMutableRawBufferPointer(
        start: entries.baseAddress, count: max(1, entries.count * MemoryLayout<SortEntry>.stride)))
  }

  private func splitters(_ chunks: [RecordArena], _ count: Int) -> [UInt64] {
    let step = max(1, count / 1024)
    var sample: [UInt64] = []
    var skipped = 0
    for chunk in chunks {
      while skipped < chunk.count {
        sample.append(RecordArena.head(of: chunk.record(skipped), from: 0))
        skipped += step
      }
      skipped -= chunk.count
    }
    sample.sort()
    let buckets = threads * 8
    var splitters: [UInt64] = []
    for index in 1..<buckets {
      let splitter = sample[index * sample.count / buckets]
      if splitter != splitters.last { splitters.append(splitter) }
    }
    return splitters
  }

  /// How many splitters are at or below `head`.
  @inline(__always)
  private static func bucket(_ head: UInt64, _ splitters: [UInt64]) -> Int {
    var (low, high) = (0, splitters.count)
    while low < high {
      let middle = (low + high) / 2
      if splitters[middle] <= head { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Sorts by eight bytes of the key at a time, as far as the keys go on and are many; leaves `head` undefined.
  func sort(_ entries: UnsafeMutableBufferPointer<SortEntry>) {
    var pending = [(start: 0, end: entries.count, depth: 0)]  // Not recursion: keys may agree for 64 KiB.
    while let (start, end, depth) = pending.popLast() {
      var group = UnsafeMutableBufferPointer(rebasing: entries[start..<end])
      // Far down a whole comparison is no dearer than another round.
      if group.count <= 16 || depth > 256 {
        insertionOrMergeSort(group)
        continue
      }
      group.sort { $0.head < $1.head }
      var first = 0
      while first < group.count {
        var end = first + 1
        while end < group.count, group[end].head == group[first].head { end += 1 }
        if end - first > 1 {
          let same = UnsafeMutableBufferPointer(rebasing: group[first..<end])
          if same.count > 16, same.allSatisfy({ $0.record.foldedCount > depth + 8 }) {
            for index in same.indices { same[index].head = RecordArena.head(of: same[index].record, from: depth + 8) }
            pending.append((start + first, start + end, depth + 8))
          } else {
            // Equal heads: some of these keys may have ended within them.
            for index in same.indices { same[index].head = 0 }
            insertionOrMergeSort(same)
          }
        }
        first = end
      }
    }
  }

  /// Sorts entries whose heads all start at the same depth of keys that agree up to there.
  private func insertionOrMergeSort(_ group: UnsafeMutableBufferPointer<SortEntry>) {
    guard group.count <= 16 else {
      var group = group
      group.sort { isBefore($0, $1) }
      return
    }
    for index in 1..<max(1, group.count) {
      let entry = group[index]
      var hole = index
      while hole > 0, isBefore(entry, group[hole - 1]) {
        group[hole] = group[hole - 1]
        hole -= 1
      }
      group[hole] = entry
    }
  }

  @inline(__always)
  private func isBefore(_ a: SortEntry, _ b: SortEntry) -> Bool {
    a.head != b.head ? a.head < b.head : order.compare(a.record, b.record) < 0
  }
}
