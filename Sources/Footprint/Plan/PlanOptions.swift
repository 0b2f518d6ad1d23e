import ShardBuilder
import ShardedIndex

/// The candidates and the conditions of a plan.
package struct PlanOptions: Sendable {
  /// Shard sizes to try, in bytes.
  package var shardSizes = [20, 40, 80, 160, 320].map { $0 << 10 }
  /// Part sizes to try, in bytes. A part larger than the shard is not tried.
  package var partSizes = [1, 1.5, 2, 3, 4, 5, 6, 8, 12, 16].map { Int($0 * 1024) }
  /// Whether all sizes are tried. If not, the search takes steps from the usual sizes for as long as a step is better.
  package var triesAll = false

  /// A limit of the bytes that a candidate may take on disk.
  package enum DiskLimit: Sendable, Equatable {
    case bytes(Int)
    /// So many percent more than the index of the usual sizes takes.
    case percentMore(Int)
  }
  package var diskLimit = DiskLimit.percentMore(5)
  /// The limit of the cache through which the log is played, in bytes.
  package var cacheLimitBytes = ShardedIndex.Options().cacheLimitBytes
  /// The number of matches that are shown after each keystroke.
  package var rows = 20
  /// How datasets are read, zstd's level, and what each build may take of the machine.
  package var build = BuildOptions()

  package init() {}
}
