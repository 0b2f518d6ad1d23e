import ShardedIndex

/// The written shards and the written manifest of entries.
struct WrittenEntries {
  var head: EntriesHead
  /// The size of all files of the entries, in bytes.
  var bytes: Int
}
