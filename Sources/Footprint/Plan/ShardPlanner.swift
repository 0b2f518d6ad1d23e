import ShardBuilder
import ShardedIndex

import CSystem

/// What an index may be packed like.
package struct ShardSizes: Hashable, Sendable {
  /// See ``BuildOptions/shardLimitBytes``.
  package var shardBytes: Int
  /// See ``BuildOptions/partSizeBytes``.
  package var partBytes: Int

  package init(shardBytes: Int, partBytes: Int) { (self.shardBytes, self.partBytes) = (shardBytes, partBytes) }

  /// What a build makes that is told nothing else.
  package static let usual = ShardSizes(
    shardBytes: BuildOptions().shardLimitBytes, partBytes: BuildOptions().partSizeBytes)
}

/// What a plan is made of.
package struct PlanOptions: Sendable {
  /// Shard sizes to try, in bytes.
  package var shardSizes = [20, 40, 80, 160, 320].map { $0 << 10 }
  /// Part sizes to try, in bytes; what is larger than a shard is left out.
  package var partSizes = [1, 1.5, 2, 3, 4, 5, 6, 8, 12, 16].map { Int($0 * 1024) }
  /// Whether all of them are tried, and not only those on the way from the usual one to one without a better neighbour.
  package var triesAll = false
  /// What a candidate may take on disk.
  package enum DiskLimit: Sendable, Equatable {
    case bytes(Int)
    /// So many percent more than the index that is packed as usual.
    case percentMore(Int)
  }
  package var diskLimit = DiskLimit.percentMore(5)
  /// Of the cache through which the log is played, in bytes.
  package var cacheLimitBytes = ShardedIndex.Options().cacheLimitBytes
  /// How many matches are shown after each keystroke.
  package var rows = 20
  /// How datasets are read, and what all builds may take of the machine; the level of zstd too.
  package var build = BuildOptions()

  package init() {}
}

/// One packing, built and measured. Sizes in bytes.
package struct PlanCandidate: Sendable, Equatable {
  package var packing: ShardSizes
  /// Shards and the manifest.
  package var files = 0
  /// Of all files together.
  package var bytes = 0
  /// Of a shard's file, in the mean: what the change of a record writes anew.
  package var meanShardBytes = 0
  /// The same with each file filled up to blocks of 4,096 bytes.
  package var diskBytes = 0
  /// Of the manifest and the headers of all shards, when they are in memory: what choosing among parts takes at most.
  package var directoryBytes = 0
  /// Of the half of the log that the choice is made by.
  package var choosing = ReplayFigures()
  /// Of the other half.
  package var heldOut = ReplayFigures()
}

/// What came of it.
package struct Plan: Sendable {
  /// All that was measured, by shard size, then by part size.
  package var candidates: [PlanCandidate] = []
  package var usual: PlanCandidate
  /// That of the fewest bytes decompressed on the choosing half of those within ``diskLimitBytes``.
  package var best: PlanCandidate
  package var diskLimitBytes: Int

  /// Whether the half held out bears the choice out: `best` is not as usual, and decompresses less there as well, or the
  /// usual packing takes too much of the disk.
  package var isConfirmed: Bool {
    best.packing != usual.packing
      && (best.heldOut.loadedBytes < usual.heldOut.loadedBytes || usual.diskBytes > diskLimitBytes)
  }
  /// What to build.
  package var choice: PlanCandidate { isConfirmed ? best : usual }
}

/// Chooses how an index is packed, for what people type.
///
/// Every candidate is built and the log is played through the engine: what is printed is what was counted. Sessions of the
/// log belong to two halves by turns. The choice is made by one of them, and checked on the other.
package enum ShardPlanner {
  /// Where the records come from.
  package enum Source: Sendable {
    /// An index, by its directory; it has to store its keys.
    case index(String)
    /// As for ``ShardBuilder/build(_:into:options:progress:)``.
    case datasets([String])
  }

  /// How far planning is.
  package struct Progress: Sendable {
    /// What is being built or measured.
    package var packing: ShardSizes
    /// From 1.
    package var number: Int
    /// At most.
    package var total: Int
    package var build: BuildProgress
  }

  /// Measures candidates and chooses one.
  ///
  /// - Parameters:
  ///   - log: A file, read once for each candidate.
  ///   - parent: Where a directory is made for the candidates, and removed in the end: one of them is there at a time,
  ///     and for datasets an index of theirs beside it. What a process that was killed has left goes too.
  /// - Complexity: A build of the records for each candidate, in the memory that ``PlanOptions/build`` says.
  package static func plan(
    log: String, source: Source, in parent: String, options: PlanOptions = PlanOptions(),
    progress: ((Progress) -> Void)? = nil
  ) throws(PlanError) -> Plan {
    try checkLog(log)
    let directory = try PlanError.ofBuild { () throws(BuildError) in try WorkDirectory(in: parent) }
    defer { directory.remove() }
    return try plan(log: log, source: source, in: directory, options: options, progress: progress)
  }

  /// The same in a directory that the caller removes.
  package static func plan(
    log: String, source: Source, in directory: WorkDirectory, options: PlanOptions = PlanOptions(),
    progress: ((Progress) -> Void)? = nil
  ) throws(PlanError) -> Plan {
    let counts = try checkLog(log)
    var build = options.build
    var number = 1
    // The way to the others begins with the usual one.
    let shardSizes = Set(options.shardSizes + (options.triesAll ? [] : [ShardSizes.usual.shardBytes])).sorted()
    let partSizes = Set(options.partSizes + (options.triesAll ? [] : [ShardSizes.usual.partBytes])).sorted()
    let packings = shardSizes.flatMap { shard in
      partSizes.filter { $0 <= shard }.map { ShardSizes(shardBytes: shard, partBytes: $0) }
    }
    let total = Set(packings + [.usual]).count

    /// Builds one, measures it and removes it.
    func measured(
      _ packing: ShardSizes, in name: String, keeps: Bool = false, _ make: (String) throws(BuildError) -> Void
    ) throws(PlanError) -> PlanCandidate {
      let path = directory.path + "/" + name
      try PlanError.ofBuild { () throws(BuildError) in try make(path) }
      var candidate = try sizes(of: path, packing)
      let figures = try Player.replay(
        log, on: path, cacheLimitBytes: options.cacheLimitBytes, rows: options.rows)
      for half in 0...1 where (figures[half].sessions, figures[half].keystrokes) != counts[half] {
        throw .logChanged(path: log)
      }
      (candidate.choosing, candidate.heldOut) = (figures[0], figures[1])
      if !keeps { directory.remove(name) }
      number += 1
      return candidate
    }
    func reporting(_ packing: ShardSizes) -> (BuildProgress) -> Void {
      { [number] in progress?(Progress(packing: packing, number: number, total: total, build: $0)) }
    }
    func repacked(_ source: ShardedIndex, _ packing: ShardSizes) throws(PlanError) -> PlanCandidate {
      (build.shardLimitBytes, build.partSizeBytes) = (packing.shardBytes, packing.partBytes)
      // Small shards of small parts take up to half as much again as the usual ones.
      try checkRoom(2 * source.bytesOfFiles, in: directory.parentPath)
      return try measured(packing, in: "candidate") { (path) throws(BuildError) in
        _ = try ShardBuilder.repack(source, into: path, options: build, progress: reporting(packing))
      }
    }

    let index: ShardedIndex
    let usual: PlanCandidate
    switch source {
    case .index(let path):
      index = try PlanError.ofIndex { () throws(IndexError) in try ShardedIndex(opening: path) }
      usual = try repacked(index, .usual)
    case .datasets(let inputs):
      (build.shardLimitBytes, build.partSizeBytes) = (ShardSizes.usual.shardBytes, ShardSizes.usual.partBytes)
      // What is sorted outside of memory is about as large as the dataset.
      try checkRoom(2 * inputs.reduce(0) { $0 + fileSize($1) }, in: directory.parentPath)
      usual = try measured(.usual, in: "usual", keeps: true) { (path) throws(BuildError) in
        _ = try ShardBuilder.build(inputs, into: path, options: build, progress: reporting(.usual))
      }
      index = try PlanError.ofIndex { () throws(IndexError) in
        try ShardedIndex(opening: directory.path + "/usual")
      }
    }
    let limit =
      switch options.diskLimit {
      case .bytes(let bytes): bytes
      case .percentMore(let percent): usual.diskBytes + usual.diskBytes / 100 * percent
      }
    var search = PlanSearch(usual: usual, diskLimitBytes: limit)
    if options.triesAll {
      // From large parts to small: what is too large with these is too large with smaller ones.
      for packing in packings.sorted(by: { $0.partBytes > $1.partBytes }) where search.isWorthwhile(packing) {
        search.add(try repacked(index, packing))
      }
    } else {
      var here: ShardSizes?
      while here != search.best.packing {
        here = search.best.packing
        for packing in search.neighbours(of: search.best.packing, shardSizes, partSizes)
        where search.isWorthwhile(packing) {
          search.add(try repacked(index, packing))
        }
      }
    }
    guard search.best.diskBytes <= limit else {
      throw .noneFits(limit: limit, smallest: search.candidates.map(\.diskBytes).min()!)
    }
    return Plan(
      candidates: search.candidates.sorted {
        ($0.packing.shardBytes, $0.packing.partBytes) < ($1.packing.shardBytes, $1.packing.partBytes)
      }, usual: usual, best: search.best, diskLimitBytes: limit)
  }

  // MARK: The log

  /// Counts of its halves.
  ///
  /// - Throws: ``PlanError``, for a log that nothing can be planned by.
  @discardableResult
  package static func checkLog(_ log: String) throws(PlanError) -> [(Int, Int)] {
    var status = stat()
    guard stat(log, &status) == 0 else { throw .log(.io(operation: "open", path: log, errno: errno)) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .logNotRegular(path: log) }
    let counts = try LogHalves.counts(of: log)
    guard counts[1].sessions > 0 else {
      throw .tooFewSessions(path: log, sessions: counts[0].sessions)
    }
    return counts.map { ($0.sessions, $0.keystrokes) }
  }

  // MARK: Files

  private static func sizes(of path: String, _ packing: ShardSizes) throws(PlanError) -> PlanCandidate {
    try PlanError.ofIndex { () throws(IndexError) in
      let manifest = try ShardedIndex(opening: path).generation.manifest
      var candidate = PlanCandidate(packing: packing)
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

  /// 0 for what is no file.
  private static func fileSize(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
  }

  static func checkRoom(_ needed: Int, in directory: String) throws(PlanError) {
    var status = statvfs()
    guard statvfs(directory, &status) == 0 else { return }  // What cannot be known is found out by writing.
    let available = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
    guard !available.overflow, available.partialValue < needed else { return }
    throw .noRoom(path: directory, needed: needed, available: available.partialValue)
  }

}

extension ShardedIndex {
  /// Of all files, in bytes.
  fileprivate var bytesOfFiles: Int {
    (try? generation.manifest.shards().reduce(generation.manifest.fileSize) { $0 + $1.file.size }) ?? 0
  }
}
