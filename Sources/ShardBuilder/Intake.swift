import CSystem
import ShardedIndex

/// The first half of a build: datasets in, sorted records out.
struct Intake: ~Copyable {
  private let options: BuildOptions
  let plan: MemoryPlan
  private(set) var names: FieldNames
  private let isChange: Bool
  private(set) var template: KeyTemplate?
  /// What such datasets call the field that tells their records apart.
  private(set) var usualId: String?
  /// The key of the index that is going to be replaced: no other one may be chosen. nil where any may.
  var previousKey: String?
  private let directory: String
  /// Inputs whose records say their fields one by one.
  private var unnamed: [String] = []
  private var sort: ExternalSort

  /// - Parameters:
  ///   - names: Field names that have their numbers already.
  ///   - isChange: Whether the records change an index: then each has to have the id.
  init(options: BuildOptions, _ publisher: Publisher, names: FieldNames = FieldNames(), isChange: Bool = false) {
    self.options = options
    self.names = names
    self.isChange = isChange
    directory = publisher.directory
    plan = MemoryPlan(memory: options.memoryBytes, threads: options.jobs, shardLimit: options.shardLimitBytes)
    sort = ExternalSort(
      memory: options.memoryBytes, directory: publisher.runDirectory, threads: options.jobs)
  }

  /// A batch on its way from the reader to the sort: used over and over, all but the chunk, which the sort keeps.
  ///
  /// It has one owner at a time: the caller's thread, a worker, the caller's thread again.
  private final class Carrier: @unchecked Sendable {
    @exclusivity(unchecked) var batch = RecordBatch()
    @exclusivity(unchecked) var names = FieldNames()
    @exclusivity(unchecked) var encoder: RecordEncoder?
    @exclusivity(unchecked) var bad: [BadRecord] = []
    @exclusivity(unchecked) var emptyKeyCount = 0
    @exclusivity(unchecked) var chunk: RecordArena
    /// What was last counted of it in the bytes under way.
    @exclusivity(unchecked) var counted = 0

    init(_ chunk: RecordArena) { self.chunk = chunk }

    var charge: Int { batch.charge + chunk.charge }
  }

  /// - Parameter observe: Told of each record as it is taken in, and of its place; its reason ends the build.
  mutating func read(
    _ path: String, _ summary: inout BuildSummary, _ progress: ((BuildProgress) -> Void)?,
    observe: ((RecordBlob) -> String?)? = nil
  ) throws(BuildError) {
    var datasetOptions = try DatasetOptions(of: options)
    datasetOptions.blockSizeBytes = plan.blockSize
    let reader: DatasetReader
    do throws(DatasetError) {
      reader = try DatasetReader(path: path, options: datasetOptions)
    } catch {
      throw BuildError(error)
    }
    summary.notes += reader.notes
    var encoder: RecordEncoder?
    var chosen: KeyTemplate?
    var isChecked = false
    // Numbers of this reader's field names among those of all inputs.
    var numbers: [UInt32] = []
    var unindexable: [DatasetReader.BadRecord] = []
    var unindexableCount = 0
    let skipBad = options.skipBad
    var idle: [Carrier] = []
    var carried = 0  // Bytes that carriers hold, idle or not.
    func count(_ carrier: Carrier, _ charge: Int) {
      carried += charge - carrier.counted
      carrier.counted = charge
    }
    var spilling: BuildError?
    /// Has the sort give way to a large record before the reader holds it.
    func makeRoom(_ byteCount: Int) {
      sort.heldElsewhere = reader.charge + carried
      do throws(BuildError) { try sort.makeRoom(for: byteCount, names: names) } catch { spilling = spilling ?? error }
    }
    try WorkerPool.orderedMap(
      threads: options.jobs, limit: plan.batches, budget: options.memoryBytes / 4, cost: { 3 * $0.batch.charge },
      next: { () throws(BuildError) -> Carrier? in
        let carrier = idle.popLast() ?? Carrier(sort.emptyChunk())
        defer { count(carrier, carrier.charge) }
        let isMore = try reader.read(
          into: &carrier.batch, isChecked: &isChecked, makeRoom: { makeRoom($0) },
          { (columns) throws(BuildError) in
            let template = try chooseTemplate(columns, of: reader)
            try fieldCheck(template).check(columns, of: [path])
            try checkKey(template)
          })
        guard isMore else { return nil }
        if let spilling { throw spilling }
        let own = reader.names.names
        while numbers.count < own.count { numbers.append(names.number(of: own[numbers.count])) }
        if !numbers.indices.allSatisfy({ numbers[$0] == UInt32($0) }) {
          for field in carrier.batch.fields.indices {
            carrier.batch.fields[field].name = numbers[Int(carrier.batch.fields[field].name)]
          }
        }
        if encoder == nil {
          let template = try chooseTemplate(own, of: reader)
          try checkKey(template)
          encoder = RecordEncoder(template: template, keep: options.keep, id: isChange ? options.id : nil)
          chosen = template
          usualId = reader.format == .geonames ? "geonameid" : "_id"
        }
        progress?(
          BuildProgress(
            phase: .reading, done: reader.bytesRead, total: reader.bytesTotal,
            records: summary.recordsRead + reader.recordsRead))
        carrier.names = names
        if carrier.encoder == nil { carrier.encoder = encoder }
        return carrier
      },
      transform: { (carrier) throws(BuildError) -> Carrier in
        var encoder = carrier.encoder.take()!  // In place, each byte of a key would ask who owns it.
        let emptyBefore = encoder.emptyKeyCount
        carrier.bad = encoder.encode(carrier.batch, names: carrier.names, into: carrier.chunk)
        carrier.emptyKeyCount = encoder.emptyKeyCount - emptyBefore
        carrier.encoder = encoder
        return carrier
      },
      deliver: { (carrier) throws(BuildError) in
        summary.emptyKeyCount += carrier.emptyKeyCount
        for bad in carrier.bad {
          unindexableCount += 1
          if skipBad, unindexable.count == DatasetReader.badRecordsKept { continue }
          let place = carrier.batch.place(of: bad.index)
          let reason = bad.reason(template: chosen!, in: carrier.batch, names: carrier.names)
          let record = DatasetReader.BadRecord(
            path: path, line: place.line, column: place.column, record: place.record, reason: reason)
          guard skipBad else { throw BuildError(DatasetError.bad(record)) }
          unindexable.append(record)
        }
        if let observe {
          var bad = carrier.bad[...]
          var index = 0  // In the batch.
          for number in 0..<carrier.chunk.count {
            while bad.first?.index == index {
              bad.removeFirst()
              index += 1
            }
            if let reason = observe(carrier.chunk.record(number)) {
              let place = carrier.batch.place(of: index)
              throw BuildError(
                DatasetError.bad(
                  DatasetReader.BadRecord(
                    path: path, line: place.line, column: place.column, record: place.record, reason: reason)))
            }
            index += 1
          }
        }
        // A large record was in it: that much is not kept. No chunk is taken for it, which would leave a hole in a block.
        let isLarge = carrier.batch.charge > 16 * plan.blockSize
        if isLarge { carrier.batch = RecordBatch() }
        count(carrier, carrier.batch.charge)
        sort.heldElsewhere = reader.charge + carried
        try sort.add(carrier.chunk, names: carrier.names)
        if isLarge {
          count(carrier, 0)
        } else {
          carrier.chunk = sort.emptyChunk()
          count(carrier, carrier.charge)
          idle.append(carrier)
        }
      })
    let count = reader.recordsRead + reader.badCount
    if count == 0 { summary.emptyInputs.append(reader.emptiness(path, hasHeader: options.columns == nil)) }
    if !reader.format.hasColumns { unnamed.append(path) }
    summary.recordsRead += count
    summary.badRecordCount += reader.badCount + unindexableCount
    let bad = (reader.badRecords + unindexable).sorted { $0.record < $1.record }
    summary.badRecords += bad.prefix(DatasetReader.badRecordsKept - summary.badRecords.count).map(\.description)
  }

  /// Compares the fields that settings name with those of all records: of inputs without a header, of which any record may
  /// have any.
  func checkFields() throws(BuildError) {
    // When no record had any name, all were bad or there is none, and the settings are none of the reasons.
    guard let template, !unnamed.isEmpty, !names.names.isEmpty else { return }
    try fieldCheck(template).check(names.names, of: unnamed)
  }

  private func fieldCheck(_ template: KeyTemplate) -> FieldCheck {
    var check = FieldCheck()
    check.add(template, isChange ? .indexKey : .key)
    if let id = options.id { check.add(id, isChange ? .indexID : .id) }
    guard !isChange else { return check }
    for name in options.keep ?? [] { check.add(name, .keep) }
    if let weight = options.weight { check.add(weight, .weight) }
    return check
  }

  private mutating func chooseTemplate(_ fields: [String], of reader: DatasetReader) throws(BuildError) -> KeyTemplate {
    if let template { return template }
    let text: String
    if let key = options.key {
      text = key
    } else if reader.format == .geonames {
      text = "{name}, {country code}"
    } else if fields.contains("name"), fields.contains("country") {
      text = "{name}, {country}"
    } else if reader.hasFixedNames, fields.count == 1, !fields[0].contains("}") {
      text = "{" + fields[0] + "}"
    } else {
      throw .noTemplate(fields: fields, isHeader: reader.hasHeader)
    }
    let chosen = try KeyTemplate(text)
    template = chosen
    return chosen
  }

  /// Throws ``BuildError/otherIndex(path:key:newKey:)`` if the index that is going to be replaced has another key.
  private func checkKey(_ template: KeyTemplate) throws(BuildError) {
    if let previousKey, previousKey != template.text {
      throw .otherIndex(path: directory, key: previousKey, newKey: template.text)
    }
  }

  /// Takes in records that are encoded already, with names that were given.
  mutating func add(_ chunk: RecordArena) throws(BuildError) { try sort.add(chunk, names: names) }

  consuming func finish() throws(BuildError) -> SortedRecords {
    let names = self.names
    sort.heldElsewhere = plan.heldWhileWriting(sort.size, largest: sort.largest)
    return try sort.finish(names: names)
  }
}

extension DatasetOptions {
  init(of options: BuildOptions) throws(BuildError) {
    let format = options.inputFormat.map { DatasetFormat(rawValue: $0) }
    if let format, format == nil {
      throw .dataset(
        .options, message: "unknown input format \(options.inputFormat ?? ""): it is one of \(DatasetFormat.list)")
    }
    self.init(format: format ?? nil, columns: options.columns, skipBad: options.skipBad)
    dialect = options.dialect
  }
}

extension BuildError {
  init(_ error: DatasetError) {
    let flaw: DatasetFlaw =
      switch error {
      // A disk or a process in trouble says nothing about the file.
      case .cannotOpen(_, EIO), .cannotOpen(_, EMFILE), .cannotOpen(_, ENFILE), .cannotOpen(_, ENOSPC), .io: .io
      case .cannotOpen, .isDirectory: .missing
      case .unknownFormat, .unusable: .options
      case .empty, .badCompression, .bad, .malformed: .bad
      }
    self = .dataset(flaw, message: error.description)
  }
}
