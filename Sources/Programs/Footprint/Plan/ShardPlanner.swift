import ShardBuilder
import ShardedIndex

import CLibrary

/// The planner: it chooses the sizes of an index's shards and parts for a query log.
///
/// The planner builds every candidate and plays the log through the engine: the figures are counts, not estimates. The
/// sessions of the log belong to the two halves in turn. One half chooses, the other half checks the choice.
package enum ShardPlanner {
  /// The records that the plan is for.
  package enum Source: Sendable {
    /// The directory of an index. The index has to store its keys.
    case index(String)
    /// The paths of datasets, as for ``ShardBuilder/build(_:into:options:progress:)``.
    case datasets([String])
  }

  /// The progress of a plan.
  package struct Progress: Sendable {
    /// The sizes of the candidate under construction or measurement.
    package var sizes: ShardSizes
    /// The number of this candidate, from 1.
    package var number: Int
    /// The most candidates that the plan may measure.
    package var total: Int
    package var build: BuildProgress
  }

  /// Measures candidates and chooses one.
  ///
  /// - Parameters:
  ///   - log: The path of a file, which the plan reads once for each candidate.
  ///   - parent: The directory for the plan's temporary directory. That directory has one candidate at a time; a plan
  ///     of datasets also keeps the usual candidate there. The plan removes it in the end, also that of a killed
  ///     process.
  /// - Complexity: One build of the records for each candidate, in the memory of ``PlanOptions/build``.
  package static func plan(
    log: String, source: Source, in parent: String, options: PlanOptions = PlanOptions(),
    progress: ((Progress) -> Void)? = nil
  ) throws(PlanError) -> Plan {
    try checkLog(log)
    let directory = try PlanError.ofBuild { () throws(BuildError) in try WorkDirectory(in: parent) }
    defer { directory.remove() }
    return try plan(log: log, source: source, in: directory, options: options, progress: progress)
  }

  /// Measures candidates and chooses one, in a directory that the caller removes.
  package static func plan(
    log: String, source: Source, in directory: WorkDirectory, options: PlanOptions = PlanOptions(),
    progress: ((Progress) -> Void)? = nil
  ) throws(PlanError) -> Plan {
    // The search begins at the usual sizes.
    let shardSizes = Set(options.shardSizes + (options.triesAll ? [] : [ShardSizes.usual.shardBytes])).sorted()
    let partSizes = Set(options.partSizes + (options.triesAll ? [] : [ShardSizes.usual.partBytes])).sorted()
    let all = shardSizes.flatMap { shard in
      partSizes.filter { $0 <= shard }.map { ShardSizes(shardBytes: shard, partBytes: $0) }
    }
    var bench = PlanBench(
      log: log, counts: try checkLog(log), directory: directory, options: options, total: Set(all + [.usual]).count,
      progress: progress)
    let (index, usual) = try bench.measureUsual(source)
    let limit =
      switch options.diskLimit {
      case .bytes(let bytes): bytes
      case .percentMore(let percent): usual.diskBytes + usual.diskBytes / 100 * percent
      }
    var search = PlanSearch(usual: usual, diskLimitBytes: limit)
    if options.triesAll {
      // Large parts come first: a shard size that takes too much disk takes more with smaller parts.
      for sizes in all.sorted(by: { $0.partBytes > $1.partBytes }) where search.isWorthwhile(sizes) {
        search.add(try bench.measure(sizes, of: index))
      }
    } else {
      var here: ShardSizes?
      while here != search.best.sizes {
        here = search.best.sizes
        for sizes in search.neighbours(of: search.best.sizes, shardSizes, partSizes)
        where search.isWorthwhile(sizes) {
          search.add(try bench.measure(sizes, of: index))
        }
      }
    }
    guard search.best.diskBytes <= limit else {
      throw .noneFits(limit: limit, smallest: search.candidates.map(\.diskBytes).min()!)
    }
    return Plan(
      candidates: search.candidates.sorted {
        ($0.sizes.shardBytes, $0.sizes.partBytes) < ($1.sizes.shardBytes, $1.sizes.partBytes)
      }, usual: usual, best: search.best, diskLimitBytes: limit)
  }

  // MARK: Checks

  /// Counts the sessions and keystrokes of a log's halves.
  ///
  /// - Throws: ``PlanError`` if the log does not fit a plan.
  @discardableResult
  package static func checkLog(_ log: String) throws(PlanError) -> [LogHalves.HalfCounts] {
    var status = stat()
    guard stat(log, &status) == 0 else { throw .log(.io(operation: "open", path: log, errno: errno)) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .logNotRegular(path: log) }
    let counts = try LogHalves.counts(of: log)
    guard counts[1].sessions > 0 else {
      throw .tooFewSessions(path: log, sessions: counts[0].sessions)
    }
    return counts
  }

  /// Checks that a file system has `needed` bytes free.
  package static func checkRoom(_ needed: Int, in directory: String) throws(PlanError) {
    var status = statvfs()
    guard statvfs(directory, &status) == 0 else { return }  // Then a write fails.
    let available = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
    guard !available.overflow, available.partialValue < needed else { return }
    throw .noRoom(path: directory, needed: needed, available: available.partialValue)
  }
}
