/// The division of the memory of a build, as ``BuildOptions/memoryBytes`` allows it.
///
/// | stage | held in memory |
/// |---|---|
/// | reading | the reader, the batches under way; the sort has the rest |
/// | writing | the merge or the sorted records, the pieces under way, a list of the shards |
///
/// The batches or pieces under way get at most a quarter. The program itself, and one shard under construction for each
/// thread, come on top: the floor, see docs/measurements.md.
package struct MemoryPlan {
  /// The most batches under way.
  package let batches: Int
  /// The bytes of a dataset for one batch.
  package let blockSize: Int
  /// The bytes for the pieces under way and their encoding.
  package let pieces: Int
  /// The number of threads that encode pieces. Each keeps some memory for its next piece, so there are at most as many
  /// threads as pieces under way.
  package let writers: Int
  /// The bytes for counted ids.
  package let ids: Int

  private let memory: Int
  private let shardLimit: Int

  /// The memory of a block of city records as a batch and as blobs, in blocks: 1 of text, 0.9 of fields, 0.9 of blobs
  /// and their positions, and some spare room.
  private static let blocksPerBatch = 4
  private static let blockRange = 16 << 10...128 << 10

  init(_ options: BuildOptions) {
    self.init(memory: options.workMemory, threads: options.jobs, shardLimit: options.shardLimitBytes)
  }

  package init(memory: Int, threads: Int, shardLimit: Int) {
    (self.memory, self.shardLimit) = (memory, shardLimit)
    pieces = memory / 4
    ids = memory / 32
    writers = min(threads, max(2, pieces / (Self.costPerPiece * max(1, shardLimit))))
    let blocks = memory / 4 / Self.blocksPerBatch
    batches = min(2 * threads + 2, max(2, blocks / Self.blockRange.lowerBound))
    blockSize = min(Self.blockRange.upperBound, max(Self.blockRange.lowerBound, blocks / batches))
  }

  /// The memory of zstd for compressing a content of megabytes, in bytes.
  private static let largeTables = 50 << 20

  /// The blobs of a shard are two and a half times as large as the shard, and the columns made from them five times.
  private static let costPerPiece = 16

  /// Returns the memory for writing, without the records. The records have `size` bytes as blobs, the largest has
  /// `largest`.
  package func heldWhileWriting(_ size: Int, largest: Int = 0) -> Int {
    // The large record as a blob, as columns and as a frame, and the next record.
    if largest > ExternalSort.largeRecord { return heldWhileWriting(size) + 5 * largest + Self.largeTables }
    // A shard of 80 KiB has 200 KB of blobs; its line in the manifest, its names and digests take 0.7 KB. A record's id
    // takes 24 bytes, and the record's blob three times as many.
    return pieces + min(memory / 4, size / max(1, 5 * shardLimit / 2) * 700 + min(ids, size / 3))
  }
}
