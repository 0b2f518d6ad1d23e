import ShardedIndex

extension Verifier {
  /// Compares the records of the index with those of a dataset, by the sums of shards; names the different records.
  mutating func checkDataset(_ source: Source, _ template: KeyTemplate) throws(VerifyError) {
    var records = 0
    var unused = UnusedRecords()
    let generation = index.generation.manifest
    var sums = sums
    self.sums = []
    var bytes: [UInt8] = []
    let weights = try weights(of: source)
    let settings = IndexSettings(of: generation.root)
    let notation = NumberNotation(
      decimal: source.options.dialect.decimal, weight: settings.weight, coordinates: settings.coordinates)
    let encoder = RecordEncoder(
      template: template, keep: source.keep, notation: notation, skipsEmptyKeys: settings.skipsEmptyKeys)
    try Self.read(source, template, encoder, weights, &unused) { record, names in
      records += 1
      if records & 0xfff == 0 {
        progress?(Progress(phase: .dataset, done: records, total: index.recordCount))
      }
      RecordSum.serialize(record, names, into: &bytes)
      unsafe sums[Self.shard(of: record.folded.span, in: generation)].add(bytes)
    }
    summary.sourceRecords = records
    (summary.badRecords, summary.recordsLeftOut) = (unused.bad, unused.leftOut)
    let differing = sums.indices.filter { !sums[$0].isZero }
    guard !differing.isEmpty else { return }
    guard !source.inputs.contains("-") else {
      // The dataset cannot be read again: only the number of different shards is known.
      summary.differences = differing.count
      return
    }
    // Memory grows with the examined shards, so the check examines few.
    let examined = Set(differing.prefix(Self.reportLimit))
    var differences = DifferenceReport(of: index, shards, examined: examined, report)
    differences.countIndexed()
    try Self.read(source, template, encoder, weights, &unused) { differences.count($0, $1) }
    try Self.read(source, template, encoder, weights, &unused) { differences.listIfMissing($0, $1) }
    differences.listUnexpected()
    differences.finish()
    summary.unlisted = differences.unlisted
    summary.causes = differences.causes
    summary.unexaminedShards = differing.count - examined.count
    // Each unexamined shard has at least one difference.
    summary.differences = differences.count + summary.unexaminedShards
  }

  /// Returns the weights that a file gave to the dataset's records; nil if there is no such file.
  private func weights(of source: Source) throws(VerifyError) -> AddedWeights? {
    let settings = IndexSettings(of: index.generation.manifest.root)
    guard settings.weights != nil, let id = settings.id, let path = settings.weight else { return nil }
    guard let file = source.weightsFile else {
      throw .template(
        .dataset(
          .options, message: "\(displayed(path: index.path)): was built with \(.weightsFile); name that file as well"))
    }
    do throws(BuildError) {
      return AddedWeights(try WeightTable(file, memory: .max), id: id, path: path)
    } catch {
      throw .template(error)
    }
  }

  /// The numbers of records of a dataset that are not compared.
  private struct UnusedRecords {
    /// The number of records that do not fit into an index.
    var bad = 0
    /// The number of records that the index leaves out.
    var leftOut = 0
  }

  /// Delivers the dataset's records in the form of the builder.
  ///
  /// - Parameters:
  ///   - encoder: The encoder of one input; each input gets a copy.
  ///   - weights: The weights from a file.
  ///   - unused: The function sets it to the numbers of records that it does not deliver.
  private static func read(
    _ source: Source, _ template: KeyTemplate, _ encoder: RecordEncoder, _ weights: AddedWeights?,
    _ unused: inout UnusedRecords, _ body: (RecordBlob, [String]) -> Void
  ) throws(VerifyError) {
    unused = UnusedRecords()
    var batch = RecordBatch()
    var fieldCheck = FieldCheck()
    fieldCheck.add(template, source.template == nil ? .indexKey : .key)
    for name in source.keep ?? [] where name != weights?.path { fieldCheck.add(name, .keep) }
    var options = source.options
    options.fields = Set(template.fields)
    for input in source.inputs {
      // Each file has its own numbers of names.
      var names = FieldNames()
      var weights = weights
      var encoder = encoder
      let reader: DatasetReader
      do throws(DatasetError) {
        reader = try DatasetReader(path: input, options: options)
      } catch {
        throw .source(error)
      }
      var isChecked = false
      func read() throws(VerifyError) -> Bool {
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
        names.add(reader.names, of: &batch)
        if weights != nil {
          weights!.learn(&names)
          _ = weights!.add(to: &batch)
        }
        let flawed = encoder.encode(batch, names: names, into: records)
        let leftOut = flawed.count { $0.flaw == .emptyKey }
        (unused.bad, unused.leftOut) = (unused.bad + flawed.count - leftOut, unused.leftOut + leftOut)
        for record in 0..<records.count { body(records.record(record), names.names) }
      }
      unused.bad += reader.badCount
    }
  }
}
