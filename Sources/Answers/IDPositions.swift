import ShardedIndex

/// The positions of one generation's records by their ids.
///
/// An index is sorted by key, and has no table of ids. This one takes 8 bytes a record: half of a hash of the id, and
/// the position.
package final class IDPositions: Sendable {
  /// The halves of the hashes, each with a position behind it, in ascending order.
  private let entries: [UInt64]
  /// The number of the field that has the ids.
  private let field: Int

  package static func size(records: Int) -> Int { records * MemoryLayout<UInt64>.stride }

  /// - Parameters:
  ///   - records: All records of a generation.
  ///   - field: The number of the field that has the ids.
  package init(_ records: ShardedIndex.Matches, field: Int) throws(IndexError) {
    self.field = field
    var entries: [UInt64] = []
    entries.reserveCapacity(records.count)
    try records.forEachID(ofField: field) { position, id in
      entries.append(UInt64(Self.hash(id)) << 32 | UInt64(position))
      return true
    }
    entries.sort()
    self.entries = entries
  }

  /// Returns the position of the first record with an id; nil if no record has it.
  ///
  /// - Parameter records: The records of the table.
  /// - Complexity: O(log *n*), and the decoding of a record.
  package func position(of id: String, in records: ShardedIndex.Matches) throws(IndexError) -> Int? {
    let wanted = Array(id.utf8)
    let hash = Self.hash(wanted)
    var (lower, upper) = (0, entries.count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if entries[middle] < UInt64(hash) << 32 { lower = middle + 1 } else { upper = middle }
    }
    let buffer = RecordBuffer()
    // Other ids with the same half of the hash are rare: the hash has a random seed in each process.
    while lower < entries.count, entries[lower] >> 32 == hash {
      let position = Int(entries[lower] & UInt64(UInt32.max))
      // A large record needs memory that other requests may have.
      _ = try records.recordsAtOnce(at: position)
      try records.read(position..<position + 1, into: buffer)
      if ShardedIndex.Record.id(ofRecord: 0, in: buffer, field: field) == wanted { return position }
      lower += 1
    }
    return nil
  }

  private static func hash(_ id: [UInt8]) -> UInt32 {
    var hasher = Hasher()
    hasher.combine(id)
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }
}
