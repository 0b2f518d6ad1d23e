import ShardedIndex

extension Verifier {
  /// Compares the records of the index with those of a dataset, by their sums per shard; names the records that differ.
  mutating func checkDataset(_ source: Source, _ template: KeyTemplate) throws(Failure) {
    var records = 0
    var bad = 0
    let generation = index.generation.manifest
    var sums = sums
    self.sums = []
    var bytes: [UInt8] = []
    try Self.read(source, template, bad: &bad) { record, names in
      records += 1
      RecordSum.serialize(record, names, into: &bytes)
      unsafe sums[Self.shard(of: record.folded.span, in: generation)].add(bytes)
    }
    summary.sourceRecords = records
    summary.badRecords = bad
    let differing = sums.indices.filter { !sums[$0].isZero }
    guard !differing.isEmpty else { return }
    guard !source.inputs.contains("-") else {
      // It cannot be read again: how many shards differ is all that is known.
      summary.differences = differing.count
      return
    }
    // Memory grows with the shards that are examined, so that they are few.
    let examined = Set(differing.prefix(Self.reportLimit))
    var differences = DifferenceReport(of: index, shards, examined: examined, report)
    differences.countIndexed()
    try Self.read(source, template, bad: &bad) { differences.count($0, $1) }
    try Self.read(source, template, bad: &bad) { differences.listIfMissing($0, $1) }
    differences.listUnexpected()
    differences.finish()
    summary.unlisted = differences.unlisted
    summary.causes = differences.causes
    summary.unexaminedShards = differing.count - examined.count
    // At least one per shard that was not examined.
    summary.differences = differences.count + summary.unexaminedShards
  }

  /// Delivers the dataset's records as the builder makes them.
  ///
  /// - Parameter bad: Becomes the number of records that no index can hold.
  private static func read(
    _ source: Source, _ template: KeyTemplate, bad: inout Int, _ body: (RecordBlob, [String]) -> Void
  ) throws(Failure) {
    bad = 0
    var batch = RecordBatch()
    var fieldCheck = FieldCheck()
    fieldCheck.add(template, source.template == nil ? .indexKey : .key)
    for name in source.keep ?? [] { fieldCheck.add(name, .keep) }
    for input in source.inputs {
      // Names are numbered anew in each file.
      var encoder = RecordEncoder(template: template, keep: source.keep)
      let reader: DatasetReader
      do throws(DatasetError) {
        reader = try DatasetReader(path: input, options: source.options)
      } catch {
        throw .source(error)
      }
      var isChecked = false
      func read() throws(Failure) -> Bool {
        var failure: DatasetError?
        var isMore = false
        do throws(DatasetError) { isMore = try reader.read(into: &batch) } catch { failure = error }
        if !isChecked, reader.format.hasColumns, !reader.names.names.isEmpty {
          isChecked = true
          do throws(BuildError) {
            try fieldCheck.check(reader.names.names, of: [input])
          } catch {
            throw .template(error)
          }
        }
        if let failure { throw .source(failure) }
        return isMore
      }
      while try read() {
        let records = RecordArena()
        let names = reader.names
        bad += encoder.encode(batch, names: names, into: records).count
        for record in 0..<records.count { body(records.record(record), names.names) }
      }
      bad += reader.badCount
    }
  }
}
