/// The position of a record: its shard's number, and its number within the shard.
struct RecordPosition: Comparable {
  var shard: Int
  var record: Int

  static func < (a: RecordPosition, b: RecordPosition) -> Bool { (a.shard, a.record) < (b.shard, b.record) }
}
