/// An index of one pair of sizes, built and measured. All sizes are in bytes.
package struct PlanCandidate: Sendable, Equatable {
  package var sizes: ShardSizes
  /// The number of files: shards and the manifest.
  package var files = 0
  /// The size of all files together.
  package var bytes = 0
  /// The mean size of a shard's file: the bytes that an update of one record writes.
  package var meanShardBytes = 0
  /// The size of all files, with each file rounded up to blocks of 4,096 bytes.
  package var diskBytes = 0
  /// The manifest and the headers of all shards in memory: the most that finding a part takes.
  package var directoryBytes = 0
  /// The figures of the half of the log that chooses.
  package var choosing = ReplayFigures()
  /// The figures of the other half.
  package var heldOut = ReplayFigures()

  package init(sizes: ShardSizes) {
    self.sizes = sizes
  }
}

/// The measured candidates and the choice among them.
package struct Plan: Sendable {
  /// All measured candidates, by shard size, then by part size.
  package var candidates: [PlanCandidate] = []
  /// The candidate with the sizes of a build without options.
  package var usual: PlanCandidate
  /// The candidate within ``diskLimitBytes`` that decompresses the fewest bytes on the choosing half.
  package var best: PlanCandidate
  package var diskLimitBytes: Int

  package init(candidates: [PlanCandidate] = [], usual: PlanCandidate, best: PlanCandidate, diskLimitBytes: Int) {
    self.candidates = candidates
    self.usual = usual
    self.best = best
    self.diskLimitBytes = diskLimitBytes
  }

  /// Whether the other half supports the choice: ``best`` decompresses fewer bytes there than ``usual``, or ``usual``
  /// takes too much of the disk.
  package var isConfirmed: Bool {
    best.sizes != usual.sizes
      && (best.heldOut.loadedBytes < usual.heldOut.loadedBytes || usual.diskBytes > diskLimitBytes)
  }

  /// The candidate to build.
  package var choice: PlanCandidate { isConfirmed ? best : usual }
}
