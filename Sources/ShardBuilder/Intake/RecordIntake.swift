import CLibrary
import ShardedIndex

/// The first half of a build: it reads datasets and gives sorted records.
struct RecordIntake: ~Copyable {
  /// The options, with the paths of the inputs' fields.
  private(set) var options: BuildOptions
  let plan: MemoryPlan
  private(set) var names: FieldNames
  private let isChange: Bool
  private(set) var template: KeyTemplate?
  /// The name of the id field in datasets of this format.
  private(set) var usualId: String?
  /// The formats of the inputs, and whether the first line of each names its fields.
  private(set) var formats: [DatasetFormat] = []
  private(set) var hasHeader = false
  /// The column before each record that does not belong to the record.
  var rangeColumn: RangeColumn?
  /// The key of the index to be replaced: the build must have the same key. nil if any key is allowed.
  var previousKey: String?
  private let directory: String
  /// The weights from a file of weights.
  private var weights: AddedWeights?
  /// The names of columns with a dot that does not nest, and the names that JSON inputs nest.
  private var flatNames: [String] = []
  private var nestedNames: Set<String> = []
  /// The inputs in which each record names its own fields.
  private var unnamed: [String] = []
  /// The note about a key that the build chose among several fields.
  private var keyNote: BuildMessage?
  private var sort: ExternalSort

  /// - Parameters:
  ///   - names: Field names that have numbers already.
  ///   - weights: The weights of a file.
  ///   - isChange: Whether the records change an index. Then each record must have the id.
  init(
    options: BuildOptions, _ directory: RunDirectory, names: FieldNames = FieldNames(), weights: WeightTable? = nil,
    isChange: Bool = false
  ) {
    self.options = options
    self.names = names
    self.isChange = isChange
    self.directory = directory.path
    if let weights, let id = options.id, let path = options.weight {
      self.weights = AddedWeights(weights, id: id, path: path)
    }
    plan = MemoryPlan(memory: options.workMemory, threads: options.jobs, shardLimit: options.shardLimitBytes)
    sort = ExternalSort(
      memory: options.workMemory, directory: directory, threads: options.jobs)
  }

  /// Reads a dataset, and adds its records.
  ///
  /// - Parameter observe: Called with each record that is not bad, if the records change an index. If it returns a
  ///   reason, the build ends with that reason.
  mutating func read(
    _ source: DatasetSource, _ summary: inout BuildSummary, _ progress: ((BuildProgress) -> Void)?,
    observe: (ChangedRecord) -> String? = { _ in nil }
  ) throws(BuildError) {
    var datasetOptions = DatasetOptions(of: options)
    datasetOptions.blockSizeBytes = plan.blockSize
    let input: InputPassage
    do throws(DatasetError) {
      input = InputPassage(try DatasetReader(source, options: datasetOptions, column: rangeColumn))
    } catch {
      throw BuildError(error)
    }
    let (reader, path) = (input.reader, input.reader.path)
    summary.notes += reader.notes
    formats.append(reader.format)
    hasHeader = hasHeader || reader.hasHeader
    try WorkerPool.orderedMap(
      threads: options.jobs, limit: plan.batches, budget: options.workMemory / 4, cost: \.cost,
      next: { () throws(BuildError) -> BatchUnderWay? in
        guard let batch = try nextBatch(of: input) else { return nil }
        progress?(
          BuildProgress(
            phase: .reading, done: reader.bytesRead, total: reader.bytesTotal,
            records: summary.recordsRead + reader.recordsRead))
        return batch
      },
      transform: { (underWay) throws(BuildError) -> BatchUnderWay in
        var batch = underWay.batch.take()
        batch.encode()
        underWay.batch.put(batch)
        return underWay
      },
      deliver: { (underWay) throws(BuildError) in
        let batch = underWay.batch.take()
        try input.checkAdded(to: batch, weights?.path)
        if weights != nil { summary.weightsFound = (summary.weightsFound ?? 0) + batch.weightsFound }
        summary.emptyKeyCount += batch.emptyKeyCount
        summary.recordsLeftOut += batch.leftOutCount
        for index in summary.fieldUses.indices { summary.fieldUses[index].add(batch.uses[index]) }
        try input.note(badRecordsOf: batch, skipsBad: options.skipBad)
        if isChange, let id = options.id { try batch.show(to: observe, id: id, of: path) }
        try addToSort(batch, underWay, of: input)
      })
    if let note = keyNote.take() { summary.notes.append(note) }
    let count = reader.recordsRead + reader.badCount
    if count == 0 { summary.emptyInputs.append(reader.emptiness(path, hasHeader: options.columns == nil)) }
    if reader.format.hasColumns {
      flatNames += reader.flatNames
    } else {
      unnamed.append(path)
      nestedNames.formUnion(reader.names.names)
    }
    summary.recordsRead += count
    summary.badRecordCount += reader.badCount + input.unindexableCount
    let bad = (reader.badRecords + input.unindexable).sorted { $0.record < $1.record }
    summary.badRecords += bad.prefix(DatasetReader.badRecordsKept - summary.badRecords.count).map(\.description)
  }

  /// Reads the next batch of an input; nil at its end.
  private mutating func nextBatch(of input: InputPassage) throws(BuildError) -> BatchUnderWay? {
    let reader = input.reader
    let idle = input.idle.popLast()
    var batch = idle?.batch.take() ?? Batch(sort.emptyChunk())
    var spilling: BuildError?
    let isMore = try reader.read(
      into: &batch.records, isChecked: &input.isChecked,
      // The sort gives up memory for a large record before the reader holds the record.
      makeRoom: { byteCount in
        sort.heldElsewhere = reader.charge + input.carried
        do throws(BuildError) {
          try sort.makeRoom(for: byteCount, names: names)
        } catch {
          spilling = spilling ?? error
        }
      },
      { (columns, records) throws(BuildError) in
        let template = try chooseTemplate(columns, of: reader, records)
        try fieldCheck(template).check(columns, of: [reader.path])
        try checkKey(template)
      })
    guard isMore else { return nil }
    if let spilling { throw spilling }
    let own = reader.names.names
    while input.numbers.count < own.count { input.numbers.append(names.number(of: own[input.numbers.count])) }
    if input.encoder == nil {
      let template = try chooseTemplate(own, of: reader, batch.records)
      try checkKey(template)
      input.encoder = RecordEncoder(
        template: template, keep: options.keep, id: isChange ? options.id : nil, notation: NumberNotation(options),
        skipsEmptyKeys: options.skipEmptyKeys)
      input.template = template
      usualId = reader.format == .geonames ? "geonameid" : "_id"
    }
    batch.renumber(input.numbers)
    if var weights {
      weights.learn(&names)
      self.weights = weights
      batch.weights = weights
    }
    batch.names = names
    batch.uses = isChange ? [] : FieldUse.all(options, readsWeight: weights == nil)
    if batch.encoder == nil { batch.encoder = input.encoder }
    let (charge, cost) = (batch.charge, 3 * batch.records.charge)
    input.carried += charge - (idle?.charge ?? 0)
    return BatchUnderWay(batch: Parcel(batch), charge: charge, cost: cost)
  }

  /// Gives a batch's records to the sort, and keeps the batch for the next records.
  private mutating func addToSort(
    _ taken: consuming Batch, _ underWay: BatchUnderWay, of input: InputPassage
  ) throws(BuildError) {
    var batch = taken
    // After a large record this memory is not kept. It comes from no chunk, which would leave a hole in a block.
    let isLarge = batch.records.charge > 16 * plan.blockSize
    if isLarge { batch.records = RecordBatch() }
    input.carried += batch.records.charge - underWay.charge
    sort.heldElsewhere = input.reader.charge + input.carried
    try sort.add(batch.chunk, names: batch.names)
    if isLarge {
      input.carried -= batch.records.charge
    } else {
      batch.chunk = sort.emptyChunk()
      let charge = batch.charge
      input.carried += charge - batch.records.charge
      underWay.batch.put(batch)
      input.idle.append(BatchUnderWay(batch: underWay.batch, charge: charge, cost: 0))
    }
  }

  /// Compares the field names in settings with the fields of all records. This is for inputs without a header, in which
  /// each record may have any fields.
  func checkFields() throws(BuildError) {
    // If no record had a name, all records were bad or there are none, and the settings are not the reason.
    guard let template, !unnamed.isEmpty, !names.names.isEmpty else { return }
    // No record of an input has the field of the weights.
    try fieldCheck(template).check(names.names.filter { $0 != weights?.path }, of: unnamed)
  }

  private func fieldCheck(_ template: KeyTemplate) -> FieldCheck {
    var check = FieldCheck()
    check.add(template, isChange ? .indexKey : .key)
    if let id = options.id { check.add(id, isChange ? .indexID : .id) }
    guard !isChange else { return check }
    for name in options.keep ?? [] where name != weights?.path { check.add(name, .keep) }
    if let weight = options.weight, weights == nil { check.add(weight, .weight) }
    for name in options.coordinates ?? [] { check.add(name, .coordinates) }
    for field in options.textFields { check.add(field.path, field.setting) }
    for name in options.filter where name != weights?.path { check.add(name, .filter) }
    for name in options.number where name != weights?.path { check.add(name, .number) }
    return check
  }

  /// - Parameter batch: The first records.
  private mutating func chooseTemplate(
    _ fields: [String], of reader: DatasetReader, _ batch: RecordBatch
  ) throws(BuildError) -> KeyTemplate {
    options = options.naming(fields)
    if let template { return template }
    let text: String
    if let key = options.key {
      text = key
    } else {
      (text, keyNote) = try KeyChoice(reader: reader, fields: fields, batch: batch).make()
    }
    let chosen = try KeyTemplate(checking: text)
    template = chosen
    var named = options
    named.key = text
    try named.checkStoredTexts()
    return chosen
  }

  /// Throws ``BuildError/otherIndex(path:key:newKey:)`` if the index to be replaced has another key.
  private func checkKey(_ template: KeyTemplate) throws(BuildError) {
    if let previousKey, previousKey != template.text {
      throw .otherIndex(path: directory, key: previousKey, newKey: template.text)
    }
  }

  /// Returns the fields whose names have dots and do not nest, among those that an index does not have yet.
  ///
  /// - Parameter settings: The settings of that index.
  func flatNames(beside known: [String] = [], _ settings: IndexSettings? = nil) -> [String] {
    (settings?.flat ?? []) + flatNames.filter { !nestedNames.contains($0) && !known.contains($0) }
  }

  /// Adds encoded records, whose field names have numbers already.
  mutating func add(_ chunk: RecordArena) throws(BuildError) { try sort.add(chunk, names: names) }

  /// Returns the records in order.
  ///
  /// - Parameter held: The memory of other work while the records are written, in bytes.
  consuming func finish(held: Int = 0) throws(BuildError) -> SortedRecords {
    let names = self.names
    sort.heldElsewhere = plan.heldWhileWriting(sort.size, largest: sort.largest) + held
    return try sort.finish(names: names)
  }
}

/// A batch that the reader has filled, or an idle one.
private struct BatchUnderWay: Sendable {
  let batch: Parcel<Batch>
  /// The bytes of memory in ``InputPassage/carried``.
  let charge: Int
  /// The bytes of memory that its encoding takes.
  let cost: Int
}

/// The passage of one input through the intake; only the caller's thread uses it.
private final class InputPassage {
  let reader: DatasetReader
  var encoder: RecordEncoder?
  var template: KeyTemplate?
  /// Whether the settings were checked against the names of the columns.
  var isChecked = false
  /// For each field name of this reader, its number among the names of all inputs.
  var numbers: [UInt32] = []
  var idle: [BatchUnderWay] = []
  /// The bytes of memory that batches hold, idle or not.
  var carried = 0
  /// The first of the records that do not fit into an index.
  private(set) var unindexable: [DatasetReader.BadRecord] = []
  private(set) var unindexableCount = 0

  init(_ reader: DatasetReader) { self.reader = reader }

  /// Lists the records of a batch that do not fit into an index, or throws the first of them.
  func note(badRecordsOf batch: borrowing Batch, skipsBad: Bool) throws(BuildError) {
    for bad in batch.bad where bad.flaw != .emptyKey {
      unindexableCount += 1
      if skipsBad, unindexable.count == DatasetReader.badRecordsKept { continue }
      var record = batch.badRecord(
        bad.index, of: reader.path, bad.reason(template: template!, in: batch.records, names: batch.names))
      guard skipsBad else {
        record.advice = bad.advice(template: template!, in: batch.records, names: batch.names)
        throw BuildError(DatasetError.bad(record))
      }
      unindexable.append(record)
    }
  }

  /// Throws the first record of a batch that has a field with the name of the weights' field.
  func checkAdded(to batch: borrowing Batch, _ field: String?) throws(BuildError) {
    guard let field, let index = batch.added.taken else { return }
    var record = batch.badRecord(
      index, of: reader.path, "has a field \(quoted(field)), the name for the weights of the file")
    record.advice = "choose another name with \(.weight)"
    throw .dataset(.options, message: record.message)
  }
}

extension DatasetOptions {
  init(of options: BuildOptions) {
    self.init(format: options.inputFormat, columns: options.columns, skipBad: options.skipBad)
    dialect = options.dialect
    let key = options.key.flatMap { try? KeyTemplate(checking: $0) }?.fields ?? []
    let single = [options.id, options.weightsFile == nil ? options.weight : nil].compactMap { $0 }
    fields = Set(
      key + single + options.textFields.map(\.path) + options.filter + options.number + (options.keep ?? [])
        + (options.coordinates ?? []))
  }
}

extension BuildError {
  init(_ error: DatasetError) {
    let flaw: DatasetFlaw =
      switch error {
      // Trouble of a disk or of the process is no fault of the file.
      case .cannotOpen(_, EIO), .cannotOpen(_, EMFILE), .cannotOpen(_, ENFILE), .cannotOpen(_, ENOSPC), .io: .io
      case .cannotOpen, .isDirectory: .missing
      case .unknownFormat, .unusable: .options
      case .empty, .badCompression, .bad, .malformed: .bad
      }
    self = .dataset(flaw, message: error.message)
  }
}
