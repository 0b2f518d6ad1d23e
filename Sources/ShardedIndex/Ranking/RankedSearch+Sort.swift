extension RankedSearch {
  /// Returns the greatest key of the records of a shard in an order by numbers; 0 without.
  func key(ofShard shard: Int, of set: KeySet) throws(IndexError) -> UInt64 {
    try sort?.key(ofShard: shard, of: reader(of: set)) ?? 0
  }

  /// Returns the same for each part of a shard; nil without an order by numbers.
  func keys(ofShard shard: Int, parts count: Int, of set: KeySet) throws(IndexError) -> [UInt64]? {
    try sort?.keys(ofShard: shard, parts: count, of: reader(of: set))
  }
}
