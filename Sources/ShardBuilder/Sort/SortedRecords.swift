/// Sorted records, which are delivered once.
package final class SortedRecords {
  package let count: Int
  private let entries: SortEntries?
  private let chunks: [RecordArena]
  private let merge: RunMerge?
  private var position = 0
  private var batch: [RecordBlob] = []

  init(count: Int, entries: SortEntries, chunks: [RecordArena]) {
    (self.count, self.entries, self.chunks, merge) = (count, entries, chunks, nil)
  }

  init(count: Int, merge: RunMerge) { (self.count, entries, chunks, self.merge) = (count, nil, [], merge) }

  /// Frees the memory of large delivered records; they are no longer valid.
  package func release() { merge?.release() }

  /// Returns the next records in order, at least one; nil after the last. The records are valid until the next call.
  package func nextBatch() throws(BuildError) -> [RecordBlob]? {
    if let merge { return try merge.nextBatch() }
    guard let entries, position < entries.count else { return nil }
    let end = min(entries.count, position + 1024)
    batch.removeAll(keepingCapacity: true)
    for index in position..<end { batch.append(entries[index].record) }
    position = end
    // No entry is read twice, and writing takes memory as well.
    entries.release(upTo: position)
    return batch
  }
}
