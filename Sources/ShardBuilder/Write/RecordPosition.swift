/// The position of a record: its shard's number, and its number within the shard.
struct RecordPosition: Comparable {
  var shard: Int
  var record: Int

  static func < (a: RecordPosition, b: RecordPosition) -> Bool { (a.shard, a.record) < (b.shard, b.record) }
}

extension RecordPosition {
  /// Makes the position of the record that is `number` records after the first one of an index.
  init(ofRecord number: Int, in index: PreviousIndex) {
    var (low, high) = (0, index.shards.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if index.shards[middle].firstRecord <= number { low = middle } else { high = middle }
    }
    self.init(shard: low, record: number - index.shards[low].firstRecord)
  }
}
