import CLibrary
import ShardedIndex

/// The first half of a build: it reads datasets and gives sorted records.
struct Intake: ~Copyable {
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
    plan = MemoryPlan(memory: options.memoryBytes, threads: options.jobs, shardLimit: options.shardLimitBytes)
    sort = ExternalSort(
      memory: options.memoryBytes, directory: directory, threads: options.jobs)
  }

  /// Reads a dataset, and adds its records.
  ///
  /// - Parameter observe: Called with each added record. If it returns a reason, the build ends with that reason.
  mutating func read(
    _ path: String, _ summary: inout BuildSummary, _ progress: ((BuildProgress) -> Void)?,
    observe: ((RecordBlob) -> String?)? = nil
  ) throws(BuildError) {
    var datasetOptions = try DatasetOptions(of: options)
    datasetOptions.blockSizeBytes = plan.blockSize
    let input: InputPassage
    do throws(DatasetError) {
      input = InputPassage(try DatasetReader(path: path, options: datasetOptions, column: rangeColumn), path: path)
    } catch {
      throw BuildError(error)
    }
    let reader = input.reader
    summary.notes += reader.notes
    formats.append(reader.format)
    hasHeader = hasHeader || reader.hasHeader
    try WorkerPool.orderedMap(
      threads: options.jobs, limit: plan.batches, budget: options.memoryBytes / 4, cost: { unsafe 3 * $0.batch.charge },
      next: { () throws(BuildError) -> BatchCarrier? in
        guard let carrier = try nextBatch(of: input) else { return nil }
        progress?(
          BuildProgress(
            phase: .reading, done: reader.bytesRead, total: reader.bytesTotal,
            records: summary.recordsRead + reader.recordsRead))
        return carrier
      },
      transform: { (carrier) throws(BuildError) -> BatchCarrier in
        carrier.encode()
        return carrier
      },
      deliver: { (carrier) throws(BuildError) in
        try input.checkAdded(to: carrier, weights?.path)
        if weights != nil { summary.weightsFound = (summary.weightsFound ?? 0) + carrier.weightsFound }
        unsafe summary.emptyKeyCount += carrier.emptyKeyCount
        for index in summary.fieldUses.indices { unsafe summary.fieldUses[index].add(carrier.uses[index]) }
        try input.note(badRecordsOf: carrier, skipsBad: options.skipBad)
        if let observe { try input.show(carrier, to: observe) }
        try takeIn(carrier, of: input)
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
  private mutating func nextBatch(of input: InputPassage) throws(BuildError) -> BatchCarrier? {
    let reader = input.reader
    let carrier = input.idle.popLast() ?? BatchCarrier(sort.emptyChunk())
    defer { input.count(carrier, carrier.charge) }
    var spilling: BuildError?
    let isMore = try unsafe reader.read(
      into: &carrier.batch, isChecked: &input.isChecked,
      // The sort gives up memory for a large record before the reader holds the record.
      makeRoom: { byteCount in
        sort.heldElsewhere = reader.charge + input.carried
        do throws(BuildError) {
          try sort.makeRoom(for: byteCount, names: names)
        } catch {
          spilling = spilling ?? error
        }
      },
      { (columns, batch) throws(BuildError) in
        let template = try chooseTemplate(columns, of: reader, batch)
        try fieldCheck(template).check(columns, of: [input.path])
        try checkKey(template)
      })
    guard isMore else { return nil }
    if let spilling { throw spilling }
    let own = reader.names.names
    while input.numbers.count < own.count { input.numbers.append(names.number(of: own[input.numbers.count])) }
    if input.encoder == nil {
      let template = try unsafe chooseTemplate(own, of: reader, carrier.batch)
      try checkKey(template)
      input.encoder = RecordEncoder(
        template: template, keep: options.keep, id: isChange ? options.id : nil, notation: NumberNotation(options))
      input.template = template
      usualId = reader.format == .geonames ? "geonameid" : "_id"
    }
    carrier.renumber(input.numbers)
    if var weights {
      weights.learn(&names)
      self.weights = weights
      unsafe carrier.weights = weights
    }
    unsafe carrier.names = names
    unsafe carrier.uses = isChange ? [] : FieldUse.all(options, readsWeight: weights == nil)
    if unsafe carrier.encoder == nil { unsafe carrier.encoder = input.encoder }
    return carrier
  }

  /// Gives a batch's records to the sort, and reuses the carrier.
  private mutating func takeIn(_ carrier: BatchCarrier, of input: InputPassage) throws(BuildError) {
    // After a large record this memory is not kept. It comes from no chunk, which would leave a hole in a block.
    let isLarge = unsafe carrier.batch.charge > 16 * plan.blockSize
    if isLarge { unsafe carrier.batch = RecordBatch() }
    unsafe input.count(carrier, carrier.batch.charge)
    sort.heldElsewhere = input.reader.charge + input.carried
    try unsafe sort.add(carrier.chunk, names: carrier.names)
    if isLarge {
      input.count(carrier, 0)
    } else {
      unsafe carrier.chunk = sort.emptyChunk()
      input.count(carrier, carrier.charge)
      input.idle.append(carrier)
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
    for name in options.alias where name != HangulInitials.setting { check.add(name, .alias) }
    for name in options.filter where name != weights?.path { check.add(name, .filter) }
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

/// A batch on its way from the reader to the sort. It is used again and again, without the chunk, which the sort keeps.
///
/// It has one owner at a time: the caller's thread, a worker, the caller's thread again.
private final class BatchCarrier: @unchecked Sendable {
  @exclusivity(unchecked) var batch = RecordBatch()
  @exclusivity(unchecked) var names = FieldNames()
  @exclusivity(unchecked) var encoder: RecordEncoder?
  @exclusivity(unchecked) var weights: AddedWeights?
  @exclusivity(unchecked) private(set) var added = AddedWeights.Result()
  @exclusivity(unchecked) private(set) var bad: [UnindexableRecord] = []
  @exclusivity(unchecked) private(set) var emptyKeyCount = 0
  /// The counts of this batch.
  @exclusivity(unchecked) var uses: [FieldUse] = []
  @exclusivity(unchecked) var chunk: RecordArena
  /// The carrier's last counted share of ``InputPassage/carried``.
  @exclusivity(unchecked) var counted = 0

  init(_ chunk: RecordArena) { unsafe self.chunk = chunk }

  /// The bytes of memory that the carrier holds.
  var charge: Int { unsafe batch.charge + chunk.charge }

  /// Gives the fields the numbers of their names among the names of all inputs.
  func renumber(_ numbers: [UInt32]) {
    guard !numbers.indices.allSatisfy({ numbers[$0] == UInt32($0) }) else { return }
    for field in unsafe batch.fields.indices {
      unsafe batch.fields[field].name = unsafe numbers[Int(batch.fields[field].name)]
    }
  }

  /// The number of records that fit into an index and whose id is in the weights.
  var weightsFound: Int { unsafe added.isFound.count { $0 } - bad.count { unsafe added.isFound[$0.index] } }

  /// Makes blobs from the batch's records.
  func encode() {
    if let weights = unsafe weights { unsafe added = weights.add(to: &batch) }
    var encoder = unsafe encoder.take()!  // In place, each byte would check its owner.
    let emptyBefore = encoder.emptyKeyCount
    unsafe bad = unsafe encoder.encode(batch, names: names, into: chunk)
    unsafe emptyKeyCount = encoder.emptyKeyCount - emptyBefore
    for index in unsafe uses.indices { unsafe uses[index].count(chunk, names: names.names) }
    unsafe self.encoder = encoder
  }
}

/// The passage of one input through the intake; only the caller's thread uses it.
private final class InputPassage {
  let reader: DatasetReader
  let path: String
  var encoder: RecordEncoder?
  var template: KeyTemplate?
  /// Whether the settings were checked against the names of the columns.
  var isChecked = false
  /// For each field name of this reader, its number among the names of all inputs.
  var numbers: [UInt32] = []
  var idle: [BatchCarrier] = []
  /// The bytes of memory that carriers hold, idle or not.
  private(set) var carried = 0
  /// The first of the records that do not fit into an index.
  private(set) var unindexable: [DatasetReader.BadRecord] = []
  private(set) var unindexableCount = 0

  init(_ reader: DatasetReader, path: String) { (self.reader, self.path) = (reader, path) }

  /// Notes the bytes that a carrier holds now.
  func count(_ carrier: BatchCarrier, _ charge: Int) {
    unsafe carried += charge - carrier.counted
    unsafe carrier.counted = charge
  }

  /// Lists the records of a batch that do not fit into an index, or throws the first of them.
  func note(badRecordsOf carrier: BatchCarrier, skipsBad: Bool) throws(BuildError) {
    for bad in unsafe carrier.bad {
      unindexableCount += 1
      if skipsBad, unindexable.count == DatasetReader.badRecordsKept { continue }
      var record = unsafe badRecord(
        bad.index, of: carrier, bad.reason(template: template!, in: carrier.batch, names: carrier.names))
      guard skipsBad else {
        record.advice = unsafe bad.advice(template: template!, in: carrier.batch, names: carrier.names)
        throw BuildError(DatasetError.bad(record))
      }
      unindexable.append(record)
    }
  }

  /// Throws the first record of a batch that has a field with the name of the weights' field.
  func checkAdded(to carrier: BatchCarrier, _ field: String?) throws(BuildError) {
    guard let field, let index = unsafe carrier.added.taken else { return }
    var record = badRecord(
      index, of: carrier, "has a field \(quoted(field)), the name for the weights of the file")
    record.advice = "choose another name with \(.weight)"
    throw .dataset(.options, message: record.message)
  }

  /// Calls `observe` with each record of a batch that fits into an index, and throws the first reason that it returns.
  func show(_ carrier: BatchCarrier, to observe: (RecordBlob) -> String?) throws(BuildError) {
    var bad = unsafe carrier.bad[...]
    var index = 0  // The position in the batch.
    for number in unsafe 0..<carrier.chunk.count {
      while bad.first?.index == index {
        bad.removeFirst()
        index += 1
      }
      if let reason = unsafe observe(carrier.chunk.record(number)) {
        throw BuildError(DatasetError.bad(badRecord(index, of: carrier, reason)))
      }
      index += 1
    }
  }

  private func badRecord(_ index: Int, of carrier: BatchCarrier, _ reason: String) -> DatasetReader.BadRecord {
    let place = unsafe carrier.batch.place(of: index)
    return DatasetReader.BadRecord(
      path: path, line: place.line, column: place.column, record: place.record, reason: reason)
  }
}

extension DatasetOptions {
  init(of options: BuildOptions) throws(BuildError) {
    let format = options.inputFormat.map { DatasetFormat(rawValue: $0) }
    if let format, format == nil {
      throw .dataset(
        .options, message: "unknown input format \(options.inputFormat ?? ""); the formats are \(DatasetFormat.list)")
    }
    self.init(format: format ?? nil, columns: options.columns, skipBad: options.skipBad)
    dialect = options.dialect
    let key = options.key.flatMap { try? KeyTemplate(checking: $0) }?.fields ?? []
    let single = [options.id, options.weightsFile == nil ? options.weight : nil].compactMap { $0 }
    fields = Set(key + single + options.alias + options.filter + (options.keep ?? []) + (options.coordinates ?? []))
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
