import ShardedIndex

/// An update of some ranges of an index's keys. Other processes update the other ranges.
extension IndexUpdate {
  /// Returns the records after the changes, in order: those of the ranges, and the upserted ones of all ranges.
  ///
  /// The update reads all shards of the ranges, because the records of a change may lie in any range.
  ///
  /// - Parameters:
  ///   - range: Returns the range of a folded key.
  ///   - isOwn: Returns whether a range is among those of this update.
  ///   - held: The memory of other work while the records are written, in bytes.
  /// - Complexity: The complexity of sorting the records of the ranges, in bounded memory. Memory holds all ids of the
  ///   changes.
  func records(
    upsert: [String], delete: [String], range: (Span<UInt8>) -> Int, isOwn: (Int) -> Bool, held: Int,
    _ progress: ((BuildProgress) -> Void)?
  ) throws(BuildError) -> (sorted: SortedRecords, names: FieldNames) {
    var intake = makeIntake()
    var (changes, summary) = (makeChanges(), BuildSummary())
    try read(upsert: upsert.map { .file($0) }, delete: delete, into: &changes, &intake, &summary, progress)
    let names = intake.names
    guard settings(with: intake) == settings else {
      throw .dataset(
        .options,
        message: """
          the changes have fields with coordinates, or with dots in their names, that the index lacks; make them with \
          `\(.update)`, in one process
          """)
    }
    var source = IndexedRecords(previous.index, template: template, names: names)
    let shards = previous.shards
    let size = shards.reduce(0) { $0 + $1.file.size }
    var readSize = 0
    for (number, shard) in shards.enumerated() {
      let first = unsafe range(shard.bound.span)
      let last = number + 1 < shards.count ? unsafe range(shards[number + 1].bound.span) : Int.max
      // Keys of the last shard have no bound.
      guard last == .max || (first...last).contains(where: isOwn) else { continue }
      let run = try source.records(of: shard, into: RecordArena(capacity: 0))
      let chunk = RecordArena()
      for index in 0..<run.count {
        let record = run.record(index)
        guard unsafe isOwn(range(record.folded.span)) else { continue }
        if let id = unsafe record.id(ofField: idNumber), unsafe changes.ids.number(of: id.span) != nil { continue }
        chunk.append(record)
      }
      if chunk.count > 0 { try intake.add(chunk) }
      readSize += shard.file.size
      progress?(BuildProgress(phase: .reading, done: readSize, total: size, records: summary.recordsRead))
    }
    progress?(BuildProgress(phase: .sorting, done: 0, total: nil, records: summary.recordsRead))
    return (try intake.finish(held: held), names)
  }
}
