import ShardBuilder
import ShardedIndex

import CLibrary

/// The bench of a plan: it builds one candidate after the other, plays the log through each, and counts.
struct PlanBench {
  let log: String
  /// The sessions and keystrokes of the log's halves.
  let counts: [LogHalves.HalfCounts]
  let directory: WorkDirectory
  let options: PlanOptions
  /// The most candidates that the plan may measure.
  let total: Int
  let progress: ((ShardPlanner.Progress) -> Void)?
  /// The number of the next candidate, from 1.
  private var number = 1

  init(
    log: String, counts: [LogHalves.HalfCounts], directory: WorkDirectory, options: PlanOptions, total: Int,
    progress: ((ShardPlanner.Progress) -> Void)?
  ) {
    (self.log, self.counts, self.directory) = (log, counts, directory)
    (self.options, self.total, self.progress) = (options, total, progress)
  }

  /// Measures the candidate of the usual sizes.
  ///
  /// - Returns: The index whose records the other candidates get: the source, or the index built from datasets.
  mutating func measureUsual(
    _ source: ShardPlanner.Source
  ) throws(PlanError) -> (index: ShardedIndex, usual: PlanCandidate) {
    switch source {
    case .index(let path):
      let index = try PlanError.ofIndex { () throws(IndexError) in try ShardedIndex(opening: path) }
      return (index, try measure(.usual, of: index))
    case .datasets(let inputs):
      // The sorted runs on disk are about as large as the dataset.
      try ShardPlanner.checkRoom(2 * inputs.reduce(0) { $0 + Self.size(of: $1) }, in: directory.parentPath)
      let path = directory.path + "/usual"
      let (build, report) = (build(.usual), report(.usual))
      try PlanError.ofBuild { () throws(BuildError) in
        _ = try ShardBuilder.build(inputs, into: path, options: build, progress: report)
      }
      let usual = try measure(.usual, at: path)
      return (try PlanError.ofIndex { () throws(IndexError) in try ShardedIndex(opening: path) }, usual)
    }
  }

  /// Builds a candidate from an index's records, measures the candidate and removes it.
  mutating func measure(_ sizes: ShardSizes, of source: ShardedIndex) throws(PlanError) -> PlanCandidate {
    // A candidate with small shards and small parts takes up to half as much again as the usual candidate.
    try ShardPlanner.checkRoom(2 * source.bytesOfFiles, in: directory.parentPath)
    let path = directory.path + "/candidate"
    let (build, report) = (build(sizes), report(sizes))
    try PlanError.ofBuild { () throws(BuildError) in
      _ = try ShardBuilder.repack(source, into: path, options: build, progress: report)
    }
    let candidate = try measure(sizes, at: path)
    directory.remove("candidate")
    return candidate
  }

  /// Measures the candidate in a directory.
  private mutating func measure(_ sizes: ShardSizes, at path: String) throws(PlanError) -> PlanCandidate {
    var candidate = try Self.files(at: path, sizes)
    let figures = try Player.replay(log, on: path, cacheLimitBytes: options.cacheLimitBytes, rows: options.rows)
    for half in 0...1 where figures[half].counts != counts[half] { throw .logChanged(path: log) }
    (candidate.choosing, candidate.heldOut) = (figures[0], figures[1])
    number += 1
    return candidate
  }

  private func build(_ sizes: ShardSizes) -> BuildOptions {
    var build = options.build
    (build.shardLimitBytes, build.partSizeBytes) = (sizes.shardBytes, sizes.partBytes)
    return build
  }

  private func report(_ sizes: ShardSizes) -> (BuildProgress) -> Void {
    { [progress, number, total] in progress?(.init(sizes: sizes, number: number, total: total, build: $0)) }
  }

  /// Returns the candidate with the figures of its files.
  private static func files(at path: String, _ sizes: ShardSizes) throws(PlanError) -> PlanCandidate {
    try PlanError.ofIndex { () throws(IndexError) in
      let manifest = try ShardedIndex(opening: path).generation.manifest
      var candidate = PlanCandidate(sizes: sizes)
      func add(_ size: Int) {
        candidate.files += 1
        candidate.bytes += size
        candidate.diskBytes += (size + 4095) & ~4095
      }
      var names: Set<String> = []
      for shard in try manifest.shards() where names.insert(shard.fileName).inserted {
        add(shard.file.size)
        candidate.directoryBytes += shard.file.headerContentSize
      }
      candidate.meanShardBytes = candidate.bytes / max(1, candidate.files)
      add(manifest.fileSize)
      candidate.directoryBytes += manifest.size
      return candidate
    }
  }

  /// Returns the size of a file in bytes; 0 for anything but a regular file.
  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
  }
}

extension ShardedIndex {
  /// The size of all files, in bytes.
  fileprivate var bytesOfFiles: Int {
    (try? generation.manifest.shards().reduce(generation.manifest.fileSize) { $0 + $1.file.size }) ?? 0
  }
}
