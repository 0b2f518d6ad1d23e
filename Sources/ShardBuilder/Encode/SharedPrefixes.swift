import ShardedIndex

/// The number of bytes that each key of a shard shares with the key before it, and the best parts.
struct SharedPrefixes {
  private var ofKeys: [UInt32] = []
  private(set) var ofStems: [UInt32] = []
  /// The size of the keys in bytes as one part.
  private(set) var size: Int

  init(_ records: [RecordBlob], _ suffixField: SuffixField) {
    ofKeys.reserveCapacity(records.count)
    ofStems.reserveCapacity(records.count)
    size = records.count * (suffixField.isEmpty ? 2 : 3)
    var previous = unsafe Text.empty
    var previousStem = 0
    for (index, record) in records.enumerated() {
      let (key, stem) = unsafe (record.folded, suffixField.stem(of: record).count)
      let common = unsafe commonPrefix(previous, key)
      ofKeys.append(UInt32(common))
      // A stem that continues where the previous key had its suffix field shares no more than the previous stem.
      let ofStem = min(common, stem, previousStem)
      ofStems.append(UInt32(ofStem))
      size += stem - (index % KeyBlocks.blockSize == 0 ? 0 : ofStem)
      unsafe (previous, previousStem) = unsafe (key, stem)
    }
  }

  /// Returns the records of `count` parts. A part begins where parts of equal size would begin, or near that place
  /// where the boundary separates fewer first matches.
  func parts(_ count: Int) -> [Range<Int>] {
    let reach = ofKeys.count * 2 / (5 * count)
    let starts = (0..<count).map { part in
      guard part > 0 else { return 0 }
      let middle = ofKeys.count * part / count
      var (best, least) = (middle, separated(at: middle))
      var distance = 1
      while least > 0, distance <= reach {
        for record in stride(from: middle - distance, through: middle + distance, by: 2 * distance) {
          let count = separated(at: record)
          if count < least { (best, least) = (record, count) }
        }
        distance += 1
      }
      return best
    }
    return zip(starts, starts.dropFirst() + [ofKeys.count]).map { $0..<$1 }
  }

  /// Returns the number of prefixes with first matches both before a record and from the record on.
  ///
  /// These are the prefixes that the record shares with the record before it, without those whose first matches end
  /// before the record. A prefix begins at a record that shares fewer bytes with the record before.
  private func separated(at record: Int) -> UInt32 {
    ofKeys[record] - ofKeys[max(0, record - Self.firstMatches + 1)...record].min()!
  }

  /// The number of matches that one part should have: twenty for a list, and one more that shows that there are more.
  private static let firstMatches = 21
}
