import ShardedIndex

extension ShardBuilder {
  /// Builds another index from the records of an index: byte for byte the build of their dataset with these options.
  ///
  /// The records are in order, so that the function sorts nothing; ``BuildOptions/memoryBytes`` limits its memory.
  /// Changes beside the shards, in an overlay, are left out.
  ///
  /// - Parameters:
  ///   - source: The index. It may be in use, and does not change.
  ///   - directory: The directory of the new index.
  ///   - options: The options of the build. Key, fields, weight, words, other names and id are those of `source`.
  /// - Throws: ``BuildError``, also for an index that does not store its keys, because its keys cannot be made again.
  package static func repack(
    _ source: ShardedIndex, into directory: String, options: BuildOptions, progress: ((BuildProgress) -> Void)? = nil
  ) throws(BuildError) -> BuildSummary {
    let settings = IndexSettings(of: source.generation.manifest.root)
    guard source.storesKeys || source.generation.manifest.recordCount == 0 else {
      throw .dataset(
        .options,
        message: "\(source.path) does not store all fields of its key, \(settings.key); name the dataset instead")
    }
    let names = FieldNames(source.fieldNames)
    guard names.names.count == source.fieldNames.count else {
      throw .dataset(.bad, message: "\(source.path) has a manifest that names a field twice; build the index again")
    }
    let publisher = try Publisher(directory: directory)
    let shards = try BuildError.ofIndex { () throws(IndexError) in try source.generation.manifest.shards() }
    let site = BuildSite(publisher, options)
    var records = IndexedRecords(source, template: try KeyTemplate(checking: settings.key), names: names)
    var cutter = Cutter(limit: options.shardLimitBytes, order: RecordOrder(names: names))
    var (nextShard, nextPiece) = (0, 0)
    var isOver = false
    let count = source.generation.manifest.recordCount
    let pipeline = try Pipeline(.index(id: settings.id, records: count), settings, names: names, at: site)
    let collector = try EntryCollector(settings, names: names, options: options, directory: publisher.runDirectory)
    var output = try pipeline.write {
      () throws(BuildError) in
      while nextPiece == cutter.finished.count {
        if isOver { return nil }
        cutter.finished.removeAll(keepingCapacity: true)
        nextPiece = 0
        if nextShard < shards.count {
          let run = try records.records(of: shards[nextShard], into: cutter.room)
          nextShard += 1
          try collector?.add((0..<run.count).map { run.record($0) })
          for entry in run.entries { cutter.append(entry, of: run.chunk) }
        } else {
          cutter.finish()
          isOver = true
        }
      }
      nextPiece += 1
      return .records(cutter.finished[nextPiece - 1])
    } progress: {
      progress?(BuildProgress(phase: .writing, done: $0, total: count, records: $0))
    }
    output.noteID(settings.id)
    let entries = try collector?.write(settings, at: site)
    var summary = BuildSummary()
    (summary.recordsRead, summary.recordsIndexed) = (count, output.manifest.recordCount)
    try Publication(of: output, entries: entries).publish(&summary)
    return summary
  }

  /// Returns the level of zstd that an index was built with; nil if the index has no notes with the level.
  package static func level(of index: ShardedIndex) throws(BuildError) -> Int? {
    try PreviousIndex(index).notes?.level
  }
}
