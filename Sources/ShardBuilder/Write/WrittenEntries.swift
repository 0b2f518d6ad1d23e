import ShardedIndex

/// The written shards and the written manifest of entries.
struct WrittenEntries {
  var head: EntriesHead
  var shardCount: Int
  /// The size of all files of the entries, in bytes.
  var bytes: Int
  /// The number of written files that are not shards.
  var otherFilesWritten = 0
}
