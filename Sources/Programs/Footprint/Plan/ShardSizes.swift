import ShardBuilder

/// The sizes by which a build divides records into shards and parts.
package struct ShardSizes: Hashable, Sendable {
  /// The limit of a shard in bytes: ``BuildOptions/shardLimitBytes``.
  package var shardBytes: Int
  /// The size of a part in bytes: ``BuildOptions/partSizeBytes``.
  package var partBytes: Int

  package init(shardBytes: Int, partBytes: Int) { (self.shardBytes, self.partBytes) = (shardBytes, partBytes) }

  /// The sizes of a build without options.
  package static let usual = ShardSizes(
    shardBytes: BuildOptions().shardLimitBytes, partBytes: BuildOptions().partSizeBytes)
}
