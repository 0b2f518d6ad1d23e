import ShardedIndex

/// The sizes of what the keys of a shard have in common, each with the one before it, and the parts that are best made.
struct SharedPrefixes {
  private var ofKeys: [UInt32] = []
  private(set) var ofStems: [UInt32] = []
  /// The bytes that the keys take as one part.
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
      // A stem that runs on where the last one had its suffix field shares no more than that stem.
      let ofStem = min(common, stem, previousStem)
      ofStems.append(UInt32(ofStem))
      size += stem - (index % KeyBlocks.blockSize == 0 ? 0 : ofStem)
      unsafe (previous, previousStem) = unsafe (key, stem)
    }
  }

  /// Returns the records of `count` parts: a part begins where equally long ones would, or near that where it separates
  /// fewer first matches.
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

  /// Returns how many prefixes have first matches both before a record and from it on.
  ///
  /// They are what the record shares with the one before it, less those that begin so early that their first matches
  /// end before the record: a prefix begins at a record that shares less than it with the one before.
  private func separated(at record: Int) -> UInt32 {
    ofKeys[record] - ofKeys[max(0, record - Self.firstMatches + 1)...record].min()!
  }

  /// The matches that should lie in one part: twenty, which a list shows, and one that says that there are more.
  private static let firstMatches = 21
}
