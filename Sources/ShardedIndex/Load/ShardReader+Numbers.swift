extension ShardReader {
  /// Whether the shards have a column of numbers.
  func hasNumbers(_ column: Int) throws(IndexError) -> Bool {
    guard manifest.hasNumbers, !isOfEntries else { return false }
    return column < (try manifest.numberHead().form.columns)
  }

  /// Returns the greatest value of a column of numbers in each part of a shard.
  ///
  /// - Parameter count: The number of the shard's parts.
  func numbers(_ column: Int, ofShard shard: Int, parts count: Int) throws(IndexError) -> [UInt64] {
    guard try hasNumbers(column) else { return Array(repeating: .max, count: count) }
    let page = try manifest.numberPage(shard / Manifest.pageCapacity)
    let values = page.values(ofShard: shard % Manifest.pageCapacity, column: column)
    guard values.count == count else {
      let reason = "has \(count) parts, and numbers of \(values.count) parts"
      throw .corrupt(path: filePath(of: shard), cause: .invalid(reason: reason, offset: 0))
    }
    return values
  }
}
