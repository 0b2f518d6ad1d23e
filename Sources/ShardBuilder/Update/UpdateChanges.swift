import ShardedIndex

/// The ids of the upserted or deleted records, and the shards of the index that may have them.
struct UpdateChanges {
  /// The upserted ids, then the deleted ids.
  private(set) var ids = IDTable()
  /// For each shard, whether it may have the key of a change.
  private(set) var isLikely: [Bool]
  /// For each shard, the least and the greatest of these keys.
  private(set) var least: [[UInt8]]
  private(set) var greatest: [[UInt8]]
  private(set) var upsertedCount = 0
  /// The number of upserted records that the index leaves out: their ids have no record afterwards.
  private(set) var leftOutCount = 0
  /// The size of the upserted records, in bytes.
  private(set) var upsertedSize = 0
  /// Whether an upserted record has a field that no record of the index has.
  private(set) var hasNewFields = false
  private let previous: PreviousIndex
  private let idField: UInt32
  private let fieldCount: Int

  /// - Parameter idField: The number of the field with the id.
  init(_ previous: PreviousIndex, idField: UInt32) {
    (self.previous, self.idField, fieldCount) = (previous, idField, previous.index.fieldNames.count)
    isLikely = Array(repeating: false, count: previous.shards.count)
    least = Array(repeating: [], count: previous.shards.count)
    greatest = least
  }

  /// Adds an upserted record; all these come before the deletions.
  ///
  /// - Returns: The fault of the id; nil if there is none.
  mutating func upsert(_ change: ChangedRecord) -> String? {
    defer { upsertedCount = ids.count }
    guard case .stored(let record) = change else {
      guard case .leftOut(let id) = change else { return nil }
      leftOutCount += 1
      return ids.insert(id.span) ? nil : Self.repeated(id)
    }
    upsertedSize += record.size
    for field in 0..<record.fieldCount where record.fieldName(field) >= fieldCount { hasNewFields = true }
    return unsafe record.id(ofField: idField).flatMap { unsafe add($0, folded: record.folded) }
  }

  private static func repeated(_ id: some Sequence<UInt8>) -> String {
    "the id \(printable(id, limit: 60)) is in the changes twice"
  }

  /// Adds a change.
  ///
  /// - Parameter folded: The folded key; nil if unknown.
  /// - Returns: The fault of the id; nil if there is none.
  mutating func add(_ id: UnsafeBufferPointer<UInt8>, folded: UnsafeBufferPointer<UInt8>?) -> String? {
    guard unsafe ids.insert(id.span) else { return unsafe Self.repeated(id) }
    guard let folded = unsafe folded, !previous.shards.isEmpty else { return nil }
    for shard in unsafe previous.shards(ofKey: folded) {
      func order(_ key: [UInt8]) -> Int { unsafe compareBytes(folded.span, key.span) }
      if !isLikely[shard] || order(least[shard]) < 0 { least[shard] = unsafe Array(folded) }
      if !isLikely[shard] || order(greatest[shard]) > 0 { greatest[shard] = unsafe Array(folded) }
      isLikely[shard] = true
    }
    return nil
  }
}

/// The ids of one dataset of records to delete.
struct Deletions {
  private let path: String
  private let id: String
  private let options: BuildOptions
  private let reader: DatasetReader
  private var encoder: RecordEncoder
  private var check = FieldCheck()

  init(
    of path: String, id: String, _ template: KeyTemplate, _ options: BuildOptions
  ) throws(BuildError) {
    let datasetOptions = DatasetOptions(of: options)
    do throws(DatasetError) { reader = try DatasetReader(path: path, options: datasetOptions) } catch {
      throw BuildError(error)
    }
    (self.path, self.id, self.options) = (path, id, options)
    encoder = RecordEncoder(template: template)
    check.add(id, .indexID)
  }

  /// Calls `take` with the id of each record, and with its folded key if the record has the fields of the key. If
  /// `take` returns a reason, the update ends with that reason.
  mutating func read(
    _ summary: inout BuildSummary,
    _ take: (_ id: UnsafeBufferPointer<UInt8>, _ folded: UnsafeBufferPointer<UInt8>?) -> String?
  ) throws(BuildError) {
    if !summary.notes.contains(reader.notes) { summary.notes += reader.notes }
    let records = RecordArena()
    var batch = RecordBatch()
    var missing = 0
    var isChecked = false
    let (path, check) = (path, check)
    while try reader.read(
      into: &batch, isChecked: &isChecked,
      { (columns, _) throws(BuildError) in try check.check(ids: columns, of: path) })
    {
      let names = reader.names
      records.removeAll()
      var keyless = encoder.encode(batch, names: names, into: records)[...]
      var keyed = 0
      for index in batch.recordEnds.indices {
        var folded: UnsafeBufferPointer<UInt8>?
        if keyless.first?.index == index {
          keyless.removeFirst()
        } else {
          unsafe folded = unsafe records.record(keyed).folded
          keyed += 1
        }
        let (reason, hasID) = unsafe reason(toRefuse: index, of: batch, names) { unsafe take($0, folded) }
        guard let reason else { continue }
        let place = batch.place(of: index)
        let bad = DatasetReader.BadRecord(
          path: path, line: place.line, column: place.column, record: place.record, reason: reason)
        guard !hasID, options.skipBad else { throw BuildError(DatasetError.bad(bad)) }
        missing += 1
        if summary.badRecords.count < DatasetReader.badRecordsKept { summary.badRecords.append("\(bad)") }
      }
    }
    let count = reader.recordsRead + reader.badCount
    if count == 0 { summary.emptyInputs.append(reader.emptiness(path, hasHeader: options.columns == nil)) }
    summary.recordsRead += count
    summary.badRecordCount += reader.badCount + missing
    let room = DatasetReader.badRecordsKept - summary.badRecords.count
    summary.badRecords += reader.badRecords.prefix(room).map(\.description)
  }

  /// Returns the reason why a record has no id, or the reason why `take` refuses the id; nil for an accepted id.
  private func reason(
    toRefuse record: Int, of batch: RecordBatch, _ names: FieldNames, _ take: (UnsafeBufferPointer<UInt8>) -> String?
  ) -> (reason: String?, hasID: Bool) {
    let first = record == 0 ? 0 : Int(batch.recordEnds[record - 1])
    let fields = batch.fields[first..<Int(batch.recordEnds[record])]
    guard let field = fields.first(where: { names.names[Int($0.name)] == id }) else {
      return ("has no field \(quoted(id)), the id of a record", false)
    }
    return unsafe batch.bytes.withUnsafeBufferPointer { bytes in
      let text = unsafe bytes.part(Int(field.offset)..<Int(field.offset) + Int(field.length))
      guard unsafe RecordID.isOne(text, field.kind) else { return ("\(UnindexableRecord.RecordFlaw.noID)", false) }
      return unsafe (take(text), true)
    }
  }
}
