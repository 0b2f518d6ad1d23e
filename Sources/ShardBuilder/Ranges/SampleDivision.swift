import ShardedIndex

/// A planned range that has far more records of the sample than a range has on average.
///
/// The range begins with a key of many records. All records of a key are in one range, and a range has fewer records of
/// other keys than an even division would give it. So no other choice of bounds avoids such a range.
package struct RangeSkew: Equatable, Sendable {
  /// Whether it is a range of entries instead of records.
  package var isOfEntries: Bool
  package var range: Int
  /// The number of the range's records in the sample.
  package var records: Int
  /// The number of all records in the sample.
  package var total: Int
  /// The folded key at which the range begins.
  package var key: [UInt8]
  /// The number of records in the sample with this key.
  package var recordsOfKey: Int
}

/// The division of a sample's sorted records into ranges of about equal numbers of records.
struct SampleDivision {
  /// A range, by its first record in the sample.
  private struct SampleRange {
    var position: Int
    var key: [UInt8]
    var recordsOfKey: Int
  }

  private let sorted: SortedRecords
  private let ranges: Int
  private var starts: [SampleRange] = []
  /// The key of the last record, and the position of the first record with this key.
  private var key: [UInt8] = []
  private var keyPosition = 0

  init(of sorted: SortedRecords, _ ranges: Int) { (self.sorted, self.ranges) = (sorted, ranges) }

  /// Returns the keys at which the second and the later ranges begin.
  ///
  /// - Parameter observe: Called with all records, in order.
  mutating func bounds(observe: ([RecordBlob]) throws(BuildError) -> Void) throws(BuildError) -> [[UInt8]] {
    var (position, range) = (0, 0)
    while let batch = try sorted.nextBatch() {
      try observe(batch)
      for (index, record) in batch.enumerated() {
        if isOther(record, than: index > 0 ? batch[index - 1] : nil) { endKey(at: position + index) }
        while range < ranges, range * sorted.count / ranges == position + index {
          // A range begins with the first record of its key. So equal keys are in one range.
          if starts.last?.position != keyPosition {
            starts.append(SampleRange(position: keyPosition, key: unsafe Array(record.folded), recordsOfKey: 0))
          }
          range += 1
        }
      }
      position += batch.count
      if let last = batch.last { key = unsafe Array(last.folded) }
      sorted.release()
    }
    endKey(at: position)
    return starts.dropFirst().map(\.key)
  }

  /// Returns whether a record has another key than the record before it.
  ///
  /// - Parameter before: The record before it; nil for the last record of the batch before, which is gone.
  private func isOther(_ record: RecordBlob, than before: RecordBlob?) -> Bool {
    guard let before else { return unsafe compareBytes(key.span, record.folded.span) != 0 }
    return unsafe compareBytes(before.folded.span, record.folded.span) != 0
  }

  /// Notes that the records of a key end before a position, at which the next key begins.
  private mutating func endKey(at position: Int) {
    if let last = starts.indices.last, starts[last].position == keyPosition {
      starts[last].recordsOfKey = position - keyPosition
    }
    keyPosition = position
  }

  /// Returns the largest range if it has over twice as many records as a range has on average.
  func skew(isOfEntries: Bool) -> RangeSkew? {
    let ends = starts.dropFirst().map(\.position) + [sorted.count]
    let counts = zip(starts, ends).map { $1 - $0.position }
    guard let largest = counts.indices.max(by: { counts[$0] < counts[$1] }),
      counts[largest] * counts.count > 2 * sorted.count
    else { return nil }
    return RangeSkew(
      isOfEntries: isOfEntries, range: largest, records: counts[largest], total: sorted.count,
      key: starts[largest].key, recordsOfKey: starts[largest].recordsOfKey)
  }
}
