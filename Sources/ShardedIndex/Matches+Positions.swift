extension ShardedIndex.Matches {
  /// How many records the generation has.
  package var recordCount: Int { generation.recordCount }

  /// Which of the matches stands at a position among all records of the index; nil if none does.
  package func index(ofPosition position: Int) -> Int? {
    var before = 0
    for run in positions {
      if run.contains(position) { return before + position - run.lowerBound }
      before += run.count
    }
    return nil
  }

  /// Calls `body` with the folded keys of some of the matches, in order.
  package func forEachFoldedKey(
    in positions: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) throws(IndexError) {
    try forEachFoldedKey(
      from: range.lowerBound + positions.lowerBound, to: range.lowerBound + positions.upperBound, body)
  }
}
