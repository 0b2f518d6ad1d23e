/// Sorts records in memory.
struct EntrySort {
  let order: RecordOrder
  let threads: Int

  /// The fewest records that are worth a second thread.
  private static let parallelCount = 4096

  /// Returns the records of all chunks in order.
  ///
  /// A sample divides the records into ranges of the folded key's first bytes, and all threads sort ranges: so no merge
  /// follows. The sort takes 16 bytes for each record besides the chunks.
  func sorted(_ chunks: [RecordArena]) -> SortEntries {
    let entries = SortEntries(count: chunks.reduce(0) { $0 + $1.count })
    let splitters = threads > 1 && entries.count >= Self.parallelCount ? self.splitters(chunks, entries.count) : []
    // Each chunk knows the place of its records in each range, so that all threads can distribute records at once.
    let counts = WorkerPool.map(chunks.count, threads: threads) { number in
      let chunk = chunks[number]
      var counts = [Int](repeating: 0, count: splitters.count + 1)
      for entry in unsafe chunk.entries { counts[Self.range(of: chunk.record(entry).head(from: 0), splitters)] += 1 }
      return counts
    }
    let (firsts, bounds) = Self.layOut(counts, ranges: splitters.count + 1)
    WorkerPool.forEach(chunks.count, threads: threads) { number in
      // The records stay in the order of their arrival, which is mostly some order; the sort makes use of it.
      let chunk = chunks[number]
      var next = firsts[number]
      for entry in unsafe chunk.entries {
        let record = chunk.record(entry)
        let head = record.head(from: 0)
        let range = Self.range(of: head, splitters)
        entries[next[range]] = SortEntry(head: head, record: record)
        next[range] += 1
      }
    }
    WorkerPool.forEach(splitters.count + 1, threads: threads) { range in
      entries.sort(bounds[range]..<bounds[range + 1], by: order)
    }
    return entries
  }

  /// Returns the start of each chunk's records in each range, and the start of each range, then the end.
  ///
  /// - Parameter counts: For each chunk, the number of its records in each range.
  private static func layOut(_ counts: [[Int]], ranges: Int) -> (firsts: [[Int]], bounds: [Int]) {
    var firsts = counts
    var bounds = [0]
    var total = 0
    for range in 0..<ranges {
      for number in counts.indices {
        firsts[number][range] = total
        total += counts[number][range]
      }
      bounds.append(total)
    }
    return (firsts, bounds)
  }

  private func splitters(_ chunks: [RecordArena], _ count: Int) -> [UInt64] {
    let step = max(1, count / 1024)
    var sample: [UInt64] = []
    var skipped = 0
    for chunk in chunks {
      while skipped < chunk.count {
        sample.append(chunk.record(skipped).head(from: 0))
        skipped += step
      }
      skipped -= chunk.count
    }
    sample.sort()
    let ranges = threads * 8
    var splitters: [UInt64] = []
    for index in 1..<ranges {
      let splitter = sample[index * sample.count / ranges]
      if splitter != splitters.last { splitters.append(splitter) }
    }
    return splitters
  }

  /// Returns the number of splitters at or below `head`.
  @inline(__always)
  private static func range(of head: UInt64, _ splitters: [UInt64]) -> Int {
    var (low, high) = (0, splitters.count)
    while low < high {
      let middle = (low + high) / 2
      if splitters[middle] <= head { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
