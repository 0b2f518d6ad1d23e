// This file turns positions in the shards of a generation into positions in answers with an overlay. Source:
// docs/format.md section 11.

extension Overlay {
  /// The number of added records less the number of removed ones.
  package var growth: Int { added.count - removed.count }

  /// Returns the number of removed records before a position in the shards.
  package func removedCount(before position: Int) -> Int {
    Self.count(removed.count) { removed[$0] < position }
  }

  /// Returns whether the record at a position in the shards is removed.
  package func isRemoved(_ position: Int) -> Bool {
    let number = removedCount(before: position)
    return number < removed.count && removed[number] == position
  }

  /// Returns the position of a kept record of the shards in the answer to the empty prefix.
  func position(ofPlace place: Int) -> Int {
    place - removedCount(before: place) + Self.count(added.count) { added[$0].before <= place }
  }

  /// Returns the added records of a run of keys: from the first that begins with `word` to the last that begins with
  /// `text`.
  private func added(
    from word: UnsafeBufferPointer<UInt8>, to text: UnsafeBufferPointer<UInt8>
  ) -> Range<Int> {
    /// Returns a negative number if a key comes before the keys that begin with the prefix, 0 if it is one of them.
    func order(_ number: Int, _ prefix: UnsafeBufferPointer<UInt8>) -> Int {
      let key = unsafe folded(number)
      for index in 0..<min(key.count, prefix.count) where unsafe key[index] != prefix[index] {
        return unsafe key[index] < prefix[index] ? -1 : 1
      }
      return key.count < prefix.count ? -1 : 0
    }
    let lower = Self.count(added.count) { unsafe order($0, word) < 0 }
    return lower..<max(lower, Self.count(added.count) { unsafe order($0, text) <= 0 })
  }

  /// Returns the matches of a run of keys from its matches in the shards.
  ///
  /// - Parameters:
  ///   - word: The beginning of the run's first key.
  ///   - text: The beginning of its last key.
  ///   - range: The positions of the run's records in the shards; if it has none, an empty range at the first record's
  ///     position.
  ///   - hasMore: Whether the shards have more records of the run; then `range` is enough for `limit`.
  func matches(
    from word: UnsafeBufferPointer<UInt8>, to text: UnsafeBufferPointer<UInt8>, inShards range: Range<Int>,
    hasMore: Bool, limit: Int
  ) -> Range<Int> {
    let added = unsafe added(from: word, to: text)
    let lower = range.lowerBound - removedCount(before: range.lowerBound) + added.lowerBound
    if hasMore { return lower..<lower + limit + 1 }
    return lower..<max(lower, range.upperBound - removedCount(before: range.upperBound) + added.upperBound)
  }

  /// Calls `shards` with runs of positions in the shards, and `own` with the numbers of added records, in the order of
  /// the answer to the empty prefix, for its positions `lower` up to `upper`.
  func forEachRun<Failure: Error>(
    from lower: Int, to upper: Int, shards: (Range<Int>) throws(Failure) -> Void,
    own: (Int) throws(Failure) -> Void
  ) throws(Failure) {
    var position = lower
    var number = addedCount(before: lower)
    while position < upper {
      if number < added.count, added[number].position == position {
        try own(number)
        number += 1
        position += 1
      } else {
        let (start, nextRemoved) = positionInShards(ofKept: position - number)
        var end = min(upper, number < added.count ? added[number].position : .max)
        if nextRemoved < removed.count { end = min(end, position + removed[nextRemoved] - start) }
        try shards(start..<start + end - position)
        position = end
      }
    }
  }

  /// Returns the positions in the shards from the first to the last of the records at positions `lower` up to `upper`;
  /// empty if all are added.
  func positionsInShards(from lower: Int, to upper: Int) -> Range<Int> {
    // These numbers do not count added and removed records.
    let (first, end) = (lower - addedCount(before: lower), upper - addedCount(before: upper))
    let start = positionInShards(ofKept: first).position
    return start..<(first < end ? positionInShards(ofKept: end - 1).position + 1 : start)
  }

  private func addedCount(before position: Int) -> Int {
    Self.count(added.count) { added[$0].position < position }
  }

  /// Returns the position in the shards of kept record number `kept`, and the number of the removed record behind it.
  private func positionInShards(ofKept kept: Int) -> (position: Int, nextRemoved: Int) {
    let removedCount = Self.count(removed.count) { removed[$0] - $0 <= kept }
    return (kept + removedCount, removedCount)
  }

  /// Returns the number of leading numbers below `count` that satisfy a condition; the others must not satisfy it.
  private static func count(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
