import ShardBuilder
import ShardedIndex

/// The candidates and the conditions of a plan.
package struct PlanOptions: Sendable {
  /// Shard sizes to try, in bytes.
  package var shardSizes = [20, 40, 80, 160, 320].map { $0 << 10 }
  /// Part sizes to try, in bytes. The plan skips part sizes above the shard size.
  package var partSizes = [1, 1.5, 2, 3, 4, 5, 6, 8, 12, 16].map { Int($0 * 1024) }
  /// Whether the plan tries all sizes. If not, the plan moves from the usual sizes to better neighbours until no
  /// neighbour is better.
  package var triesAll = false

  /// A limit of the bytes that a candidate may take on disk.
  package enum DiskLimit: Sendable, Equatable {
    case bytes(Int)
    /// The usual candidate's size on disk plus this percentage.
    case percentMore(Int)
  }
  package var diskLimit = DiskLimit.percentMore(5)
  /// The limit of the cache through which the log is played, in bytes.
  package var cacheLimitBytes = ShardedIndex.Options().cacheLimitBytes
  /// The number of matches shown after each keystroke.
  package var rows = 20
  /// The options for reading datasets, the level of zstd, and the limits of each build.
  package var build = BuildOptions()

  package init() {}
}
