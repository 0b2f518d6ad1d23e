import ShardedIndex

/// The written shards and the written manifest of entries.
struct WrittenEntries {
  var head: EntriesHead
  var shardCount: Int
  /// The number of shards with a new file.
  var shardsWritten = 0
  /// The size of all files of the entries, in bytes.
  var bytes: Int
}
