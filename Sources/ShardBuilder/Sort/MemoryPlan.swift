/// The division of the memory that `--memory` allows a build.
///
/// | stage | held in memory |
/// |---|---|
/// | reading | the reader, the batches under way, and with all that is left the sort |
/// | writing | the merge or the sorted records, the pieces under way, a list of the shards |
///
/// The batches or pieces under way get a quarter at most. The program itself, and for each thread one shard that is
/// being encoded, come on top: the floor, see docs/history/builds.md.
package struct MemoryPlan {
  /// The most batches that are under way.
  package let batches: Int
  /// Bytes of a dataset that become one batch.
  package let blockSize: Int
  /// Bytes for the pieces under way and what encoding them takes.
  package let pieces: Int
  /// Threads that encode pieces: each keeps some memory for the next one, so there are no more than pieces under way.
  package let writers: Int
  /// Bytes for the ids that are counted.
  package let ids: Int

  private let memory: Int
  private let shardLimit: Int

  /// A block of city records as a batch and as blobs, in blocks: 1 of text, 0.9 of fields, 0.9 of blobs and where they
  /// are, and what these have room for beyond that.
  private static let blocksPerBatch = 4
  private static let blockRange = 16 << 10...128 << 10

  package init(memory: Int, threads: Int, shardLimit: Int) {
    (self.memory, self.shardLimit) = (memory, shardLimit)
    pieces = memory / 4
    ids = memory / 32
    writers = min(threads, max(2, pieces / (Self.costPerPiece * max(1, shardLimit))))
    let blocks = memory / 4 / Self.blocksPerBatch
    batches = min(2 * threads + 2, max(2, blocks / Self.blockRange.lowerBound))
    blockSize = min(Self.blockRange.upperBound, max(Self.blockRange.lowerBound, blocks / batches))
  }

  /// The memory that zstd takes to compress a content of megabytes, in bytes.
  private static let largeTables = 50 << 20

  /// Blobs are two and a half times as large as the shard, and the columns that they become five times that.
  private static let costPerPiece = 16

  /// Returns the memory that writing takes beside the records, when they are `size` bytes as blobs, and the largest of
  /// them `largest`.
  package func heldWhileWriting(_ size: Int, largest: Int = 0) -> Int {
    // The one that is encoded, as a blob, as columns and as a frame, and the one that follows it.
    if largest > ExternalSort.largeRecord { return heldWhileWriting(size) + 5 * largest + Self.largeTables }
    // A shard of 80 KiB has 200 KB of blobs; its line in the manifest, its names and digests take 0.7 KB. A record's id
    // takes 24 bytes, and its blob three times that.
    return pieces + min(memory / 4, size / max(1, 5 * shardLimit / 2) * 700 + min(ids, size / 3))
  }
}
