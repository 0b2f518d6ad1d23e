import ShardedIndex

/// A collector of the entries of all records of a build, in bounded memory.
final class EntryCollector {
  private var maker: EntryMaker
  private var sort: ExternalSort?
  private var chunk: RecordArena
  private let plan: MemoryPlan
  /// The names of the entries' fields.
  let names: FieldNames
  /// The size of the entries that go to the sort together, in bytes.
  private let chunkSize: Int

  /// Returns the entries' share of the memory while records are written, in bytes.
  static func share(of memory: Int) -> Int { memory / 4 }

  /// - Parameters:
  ///   - names: The names of the records' fields.
  ///   - settings: The settings of the index.
  init?(
    _ settings: IndexSettings, names: FieldNames, options: BuildOptions, directory: RunDirectory
  ) throws(BuildError) {
    guard let rules = EntryRules(settings) else { return nil }
    let entryNames = FieldNames(rules.fieldNames)
    self.names = entryNames
    plan = MemoryPlan(options)
    maker = EntryMaker(
      rules, names: names.names, rankField: try RankField(settings, names: names.names), entryNames: entryNames)
    var sort = ExternalSort(memory: options.workMemory, directory: directory, threads: options.jobs)
    sort.heldElsewhere = options.workMemory - Self.share(of: options.workMemory)
    chunk = sort.emptyChunk()
    self.sort = consume sort
    chunkSize = min(1 << 20, Self.share(of: options.workMemory) / 8)
  }

  /// Takes consecutive records.
  func add(_ records: [RecordBlob]) throws(BuildError) {
    for record in records {
      maker.add(record, into: chunk)
      if unsafe chunk.size >= chunkSize { try flush() }
    }
  }

  private func flush() throws(BuildError) {
    try sort?.add(chunk, names: names)
    chunk = sort!.emptyChunk()
  }

  /// Returns all entries in order, and the last components of the records' keys. The caller must add no further record.
  func finish() throws(BuildError) -> (entries: SortedRecords, lastComponents: LastComponents) {
    maker.finish(into: chunk)
    try sort?.add(chunk, names: names)
    chunk = RecordArena(capacity: 0)
    guard var sort = sort.take() else { preconditionFailure("the entries are finished once") }
    sort.heldElsewhere = plan.heldWhileWriting(sort.size, largest: sort.largest)
    return (try sort.finish(names: names), maker.lastComponents.listed)
  }
}
