import ShardedIndex

/// The changes of an index that many processes update.
package struct RangeChanges: Sendable {
  /// The paths of datasets with new and changed records, and of datasets with ids to remove.
  package var (upsert, delete): ([String], [String])
  /// The options of reading the changes.
  package var options: BuildOptions

  package init(upsert: [String], delete: [String], options: BuildOptions) {
    (self.upsert, self.delete, self.options) = (upsert, delete, options)
  }
}

extension ShardBuilder {
  /// Makes the plan of an index that many processes will update. The plan has the index's settings, and gives each range
  /// the same share of its records.
  ///
  /// - Parameters:
  ///   - ranges: The number of ranges, at least 1. The plan has fewer ranges if the index has fewer shards.
  /// - Throws: ``BuildError/notUpdatable(path:reason:)`` for an index without ids, or of another encoder;
  ///   ``BuildError/dataset(_:message:)`` for one that an update in one process can change.
  /// - Complexity: One reading of the manifest.
  package static func planRanges(
    over index: ShardedIndex, ranges: Int, program: RangePlan.Program
  ) throws(BuildError) -> RangePlan {
    let digest = try RangeUpdate.digest(of: index)
    let previous = try PreviousIndex(index)
    let settings = IndexSettings(of: index.generation.manifest.root)
    guard settings.id != nil else {
      throw .notUpdatable(
        path: index.path, reason: "it was built without \(.id), the field with the id of a record")
    }
    guard let notes = previous.notes, notes.isOfThisEncoder else {
      throw .notUpdatable(
        path: index.path, reason: "another version of shardq or of zstd built it, or its notes cannot be read")
    }
    func needsUpdate(_ reason: BuildMessage) -> BuildError {
      RangeUpdate.refusal(.options, index, "\(reason); change it with `\(.update)`, in one process")
    }
    guard notes.repeatedIDs == 0 else {
      throw needsUpdate("has an id that several records have, or nobody counted its ids")
    }
    try RangeUpdate.checkOverlay(of: index)
    let options = BuildOptions(of: settings, packing: previous.packing(level: notes.level))
    var same = Self.settings(options, key: settings.key)
    same.id = settings.id
    guard same == settings else {
      throw needsUpdate("has weights of a file, or fields with dots in their names")
    }
    return RangePlan(
      options, over: digest, bounds: RangeUpdate.bounds(of: previous, ranges),
      entryBounds: previous.entries.map { RangeUpdate.bounds(of: $0, ranges) } ?? [], program: program)
  }

  /// Writes ranges of an index with changes, or the ranges of its entries. Other processes write the other ranges.
  ///
  /// - Parameters:
  ///   - index: The index that the plan was made over.
  ///   - changes: The changes of all ranges, and the options of reading them; nil for ranges of entries.
  ///   - input: The path of the ranges' numbers, one on each line, or of the lines of entries; `-` is standard input.
  ///   - target: The target that has the files of the index. It gets the new files.
  ///   - write: As for ``writeRanges(_:of:to:resources:progress:write:)``. A range without a record has a row too.
  /// - Complexity: The complexity of sorting the ranges' records, in bounded memory, and of reading all changes. Memory
  ///   holds the changes' ids.
  package static func writeRanges(
    _ plan: RangePlan, of input: String, over index: ShardedIndex, _ changes: RangeChanges?, to target: any RangeTarget,
    resources: BuildOptions, progress: ((BuildProgress) -> Void)? = nil,
    write: @escaping ([UInt8]) throws(BuildError) -> Void
  ) throws(BuildError) {
    try RangeUpdate.check(plan, index)
    try target.checkParent(plan)
    let previous = try PreviousIndex(index)
    // The plan's digest proves the manifest, whose names of files have parts of their digests.
    previous.noteCompared()
    guard let changes else {
      previous.entries?.offerPieces(for: plan.options.packing)
      return try writeEntryRanges(
        plan, of: input, over: previous.entries, to: target, resources: resources, progress: progress, write: write)
    }
    let numbers = try RangeUpdate.numbers(of: input, plan)
    guard !numbers.isEmpty else { return }
    var options = changes.options
    (options.memoryBytes, options.jobs) = (resources.memoryBytes, resources.jobs)
    let directories = RangeDirectories(target)
    defer { directories.removeAll() }
    let publisher = try directories.publisher()
    let update = try IndexUpdate(
      of: previous, at: publisher, shown: index.path, options, hasUpserts: !changes.upsert.isEmpty)
    previous.offerPieces(for: update.options.packing)
    let held = EntryRules(update.settings) == nil ? 0 : EntryCollector.share(of: update.options.workMemory)
    let (sorted, names) = try update.records(
      upsert: changes.upsert, delete: changes.delete, range: { RangePlan.range(of: $0, in: plan.bounds) },
      isOwn: { numbers.contains($0) }, held: held, progress)
    let writer = RangesWriter(
      plan: plan, options: update.options, settings: update.settings, names: names, target: target, previous: previous,
      numbers: numbers)
    _ = try writer.write(sorted, directories, first: publisher, progress, write)
  }

  /// Returns the names of all files of an index but its manifest; none if a part of a manifest is damaged.
  package static func fileNames(of index: ShardedIndex) throws(BuildError) -> [String] {
    try PreviousIndex(index).fileNames ?? []
  }
}

/// The checks of an index that many processes update.
enum RangeUpdate {
  static let isMissing = BuildError.dataset(
    .options, message: "the plan is for changes of an index; name the index and the changes as well")

  static func refusal(_ flaw: DatasetFlaw, _ index: ShardedIndex, _ reason: BuildMessage) -> BuildError {
    .dataset(flaw, message: "\(displayed(path: index.path)): \(reason)")
  }

  /// Refuses an index other than the one that the plan was made over.
  static func check(_ plan: RangePlan, _ index: ShardedIndex) throws(BuildError) {
    guard try digest(of: index) == plan.digestOfIndex() else {
      throw refusal(.bad, index, "is not the index that the plan was made over; make a new plan")
    }
    try checkOverlay(of: index)
  }

  /// Checks the frames of an index's manifest, and returns the digest of the manifest.
  static func digest(of index: ShardedIndex) throws(BuildError) -> String {
    try BuildError.ofIndex { () throws(IndexError) in
      try index.generation.manifest.checkFrames()
      return try index.generation.manifest.digest().description
    }
  }

  static func checkOverlay(of index: ShardedIndex) throws(BuildError) {
    guard index.generation.overlay == nil else {
      throw refusal(.options, index, "has an overlay; write it into shards with `\(.update)` and \(.merge)")
    }
  }

  /// Returns the ranges that a process writes.
  static func numbers(of input: String, _ plan: RangePlan) throws(BuildError) -> Set<Int> {
    var reader = try LineReader(input)
    var numbers: Set<Int> = []
    while let line = try reader.next() {
      guard let number = Int(String(decoding: line, as: UTF8.self)), 0...plan.bounds.count ~= number else {
        throw reader.flaw("is not the number of a range, from 0 to \(plan.bounds.count)")
      }
      numbers.insert(number)
    }
    return numbers
  }

  /// Returns bounds of ranges with about the same number of records, at the beginnings of shards.
  static func bounds(of previous: PreviousIndex, _ ranges: Int) -> [[UInt8]] {
    var bounds: [[UInt8]] = []
    let count = previous.index.recordCount
    for shard in previous.shards where bounds.count + 1 < ranges {
      let bound = unsafe Array(shard.bound)
      // Records with one key may be in several shards, and belong to one range.
      guard !bound.isEmpty, bounds.last.map({ $0.lexicographicallyPrecedes(bound) }) ?? true else { continue }
      if shard.firstRecord * ranges >= count * (bounds.count + 1) { bounds.append(bound) }
    }
    return bounds
  }
}
