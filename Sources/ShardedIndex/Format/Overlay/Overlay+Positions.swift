// Positions in the answers of a generation with an overlay, from places in its shards. Source: docs/format.md section 11.

extension Overlay {
  /// How many records more the generation has than its shards.
  package var growth: Int { added.count - removed.count }

  /// How many removed records stand before a place among the records of the shards.
  package func removedCount(before place: Int) -> Int {
    Self.count(removed.count) { removed[$0] < place }
  }

  package func isRemoved(_ place: Int) -> Bool {
    let number = removedCount(before: place)
    return number < removed.count && removed[number] == place
  }

  /// Returns the position in the answer to the empty prefix of a record of the shards that is not removed.
  func position(ofPlace place: Int) -> Int {
    place - removedCount(before: place) + Self.count(added.count) { added[$0].before <= place }
  }

  /// The added records of a run of keys: from the first that begins with `word` to the last that begins with `text`.
  private func added(
    from word: UnsafeBufferPointer<UInt8>, to text: UnsafeBufferPointer<UInt8>
  ) -> Range<Int> {
    /// Returns a negative number if a key comes before all that begin with the prefix, 0 if it begins with it.
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

  /// The matches of a run of keys, from those in the shards.
  ///
  /// - Parameters:
  ///   - word: The beginning of the run's first key.
  ///   - text: The beginning of its last key.
  ///   - range: The places of its records in the shards; where there are none, the place that the first would have.
  ///   - hasMore: Whether the shards have more of them; then these are enough for `limit`.
  func matches(
    from word: UnsafeBufferPointer<UInt8>, to text: UnsafeBufferPointer<UInt8>, inShards range: Range<Int>,
    hasMore: Bool, limit: Int
  ) -> Range<Int> {
    let added = unsafe added(from: word, to: text)
    let lower = range.lowerBound - removedCount(before: range.lowerBound) + added.lowerBound
    if hasMore { return lower..<lower + limit + 1 }
    return lower..<max(lower, range.upperBound - removedCount(before: range.upperBound) + added.upperBound)
  }

  /// Calls `shards` with the places in the shards, and `own` with the number of each added record, that stand at some
  /// positions of the answer to the empty prefix, in order.
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
        let (place, nextRemoved) = self.place(ofKept: position - number)
        var end = min(upper, number < added.count ? added[number].position : .max)
        if nextRemoved < removed.count { end = min(end, position + removed[nextRemoved] - place) }
        try shards(place..<place + end - position)
        position = end
      }
    }
  }

  /// The places in the shards from the first to the last of the records at some positions; empty if all are added.
  func places(from lower: Int, to upper: Int) -> Range<Int> {
    // Counted without added and removed records.
    let (first, end) = (lower - addedCount(before: lower), upper - addedCount(before: upper))
    let start = place(ofKept: first).place
    return start..<(first < end ? place(ofKept: end - 1).place + 1 : start)
  }

  private func addedCount(before position: Int) -> Int {
    Self.count(added.count) { added[$0].position < position }
  }

  /// The place in the shards of a record that is counted among those that are not removed, and the number of the removed
  /// record behind it.
  private func place(ofKept kept: Int) -> (place: Int, nextRemoved: Int) {
    let removedCount = Self.count(removed.count) { removed[$0] - $0 <= kept }
    return (kept + removedCount, removedCount)
  }

  /// How many of `count` numbers satisfy a condition that the first of them satisfy, and the others do not.
  private static func count(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
