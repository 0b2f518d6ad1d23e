import ShardedIndex

extension ShardBuilder {
  /// Changes some records of an index: what comes out is, byte for byte, what a build of the changed dataset makes.
  ///
  /// Records are told apart by the text of the field that ``BuildOptions/id`` named when the index was built. One that
  /// is upserted replaces all that have its id, and is added if there are none. Only shards in which a change lies, or
  /// next to which, are encoded and written; to find the records, the ids of all are read.
  ///
  /// - Parameters:
  ///   - directory: The index; it answers as before until the new generation is complete, and on any error.
  ///   - upsert: Datasets of records that are new or changed, as for ``build(_:into:options:progress:)``.
  ///   - delete: Datasets of which each record's id is removed; it needs no other field.
  ///   - options: What belongs to the index is taken from it: key, fields, weight, id, shard size, part size and level.
  /// - Throws: ``BuildError``, ``BuildError/notUpdatable(path:reason:)`` among them for an index that has no id.
  /// - Complexity: O(records) for the ids, some 80 ns each; all else is linear in the changes. Holds the changes' ids.
  public static func update(
    _ directory: String, upsert: [String], delete: [String], options: BuildOptions = BuildOptions(),
    progress: ((BuildProgress) -> Void)? = nil
  ) throws(BuildError) -> BuildSummary {
    func unusable(_ reason: String) -> BuildError { .notUpdatable(path: directory, reason: reason) }
    func open() throws(BuildError) -> ShardedIndex {
      try PreviousIndex.opening { () throws(IndexError) in try ShardedIndex(opening: directory) }
    }
    _ = try open()  // Nothing is created where no index is.
    let publisher = try Publisher(directory: directory)
    let previous = try PreviousIndex(try open())
    let index = previous.index
    let settings = IndexSettings(of: index.generation)
    guard let notes = previous.notes else { throw unusable("it has no notes of how it was cut") }
    guard notes.isOfThisEncoder else { throw unusable("another version of shardq or of zstd built it") }
    guard let id = settings.id else { throw unusable("it was built without --id, a field that tells records apart") }
    guard index.storesKeys || index.recordCount == 0 else {
      throw unusable("it does not store all fields of its key, \(settings.key)")
    }
    var names = FieldNames()
    for name in index.fieldNames { _ = names.number(of: name) }
    guard names.names.count == index.fieldNames.count else { throw unusable("its manifest names a field twice") }

    var options = options
    options.key = settings.key
    options.keep = settings.keep
    options.id = id
    options.packing = previous.packing(level: notes.level)

    // The changes.
    var summary = BuildSummary()
    var ids = IDTable()
    let idNumber = names.number(of: id)
    func twice(_ text: UnsafeBufferPointer<UInt8>) -> String {
      "the id \(printable(text, limit: 60)) stands in the changes twice"
    }
    var intake = Intake(options: options, directory: directory, names: names, isChange: true)
    for input in upsert {
      try intake.read(input, &summary, progress) { record in
        var offset = record.textsOffset
        for field in 0..<record.fieldCount {
          let text = record.bytes(offset, record.fieldSize(field))
          if record.fieldName(field) == idNumber { return ids.insert(text) ? nil : twice(text) }
          offset += text.count
        }
        return nil
      }
    }
    let upserted = ids.count
    for input in delete {
      try readIDs(of: input, id, options, &summary) { ids.insert($0) ? nil : twice($0) }
    }
    names = intake.names

    // The records that they take the place of.
    let found = try find(ids, in: previous, field: index.fieldNames.firstIndex(of: id), threads: options.jobs)
    summary.recordsRemoved = found.places.count
    summary.idsNotFound = (upserted..<ids.count).count { !found.isFound[$0] }

    let plan = intake.plan
    let added = try intake.finish()
    let total = index.recordCount - found.places.count + added.count
    let stream = UpdateStream(
      previous, pieces: notes.pieces, removed: found.places, added: added, template: try KeyTemplate(settings.key),
      names: names, dots: try PreviousIndex.opening { () throws(IndexError) in try index.dotMap() } ?? DotMap())
    previous.offerPieces(for: options.packing)
    var writer = ShardWriter(
      publisher: publisher, plan: plan, names: names.names, packing: options.packing, previous: previous)
    writer.makesDots = false
    writer.keptFields = { found.fieldLists[found.fieldList[$0]] }
    var output = try writer.write(next: { () throws(BuildError) in try stream.next() }) {
      progress?(BuildProgress(phase: .writing, done: $0, total: total, records: $0))
    }
    output.dots = stream.dots
    summary.recordsIndexed = output.manifest.recordCount
    try publish(output, settings, options.packing, to: publisher, previous, &summary)
    return summary
  }

  /// Calls `take` with the id of each record of a dataset; its reason ends the update.
  private static func readIDs(
    of path: String, _ id: String, _ options: BuildOptions, _ summary: inout BuildSummary,
    _ take: (UnsafeBufferPointer<UInt8>) -> String?
  ) throws(BuildError) {
    let datasetOptions = try DatasetOptions(of: options)
    do throws(DatasetError) {
      let reader = try DatasetReader(path: path, options: datasetOptions)
      var batch = RecordBatch()
      var missing = 0
      while try reader.read(into: &batch) {
        let names = reader.names
        var first = 0
        for (index, end) in batch.recordEnds.enumerated() {
          let field = batch.fields[first..<Int(end)].first { names.names[Int($0.name)] == id }
          first = Int(end)
          let reason: String?
          if let field {
            reason = batch.bytes.withUnsafeBufferPointer {
              take(UnsafeBufferPointer(rebasing: $0[Int(field.offset)..<Int(field.offset) + Int(field.length)]))
            }
          } else {
            reason = "has no field \"\(id)\", by which records are told apart"
          }
          guard let reason else { continue }
          let place = batch.place(of: index)
          let bad = DatasetReader.BadRecord(
            path: path, line: place.line, column: place.column, record: place.record, reason: reason)
          guard field == nil, options.skipBad else { throw .bad(bad) }
          missing += 1
          if summary.badRecords.count < DatasetReader.badRecordsKept { summary.badRecords.append("\(bad)") }
        }
      }
      summary.recordsRead += reader.recordsRead + reader.badCount
      summary.badRecordCount += reader.badCount + missing
      let room = DatasetReader.badRecordsKept - summary.badRecords.count
      summary.badRecords += reader.badRecords.prefix(room).map(\.description)
    } catch {
      throw BuildError(error)
    }
  }

  /// What a look at all ids of an index found.
  private struct Found {
    /// Of the records with one of the ids, in order.
    var places: [UpdateStream.Place] = []
    /// Per id.
    var isFound: [Bool]
    /// The fields that a shard's records have, in the order of its columns: most shards have the same.
    var fieldLists: [[UInt32]] = []
    /// Per shard.
    var fieldList: [Int] = []
  }

  private static func find(
    _ ids: IDTable, in previous: PreviousIndex, field: Int?, threads: Int
  ) throws(BuildError) -> Found {
    struct Hits: Sendable {
      var places: [(record: Int, id: Int)] = []
      var fields: [UInt32] = []
    }
    var found = Found(isFound: Array(repeating: false, count: ids.count))
    var numbers: [[UInt32]: Int] = [:]
    var next = 0
    // A run of shards at a time: one takes less than handing it to a thread.
    let run = 8
    try WorkerPool.orderedMap(
      threads: threads,
      next: { () throws(BuildError) -> Range<Int>? in
        defer { next += run }
        return next < previous.shards.count ? next..<min(next + run, previous.shards.count) : nil
      },
      transform: { (shards) throws(BuildError) -> [Hits] in
        let buffer = RecordBuffer()
        var hits: [Hits] = []
        for shard in shards {
          var own = Hits()
          do throws(IndexError) {
            _ = try previous.index.readWhole(previous.shards[shard]) { part in
              if part.number == 0 { own.fields = part.fieldNumbers }
              guard let field else { return }
              part.forEachField(field, with: buffer) { record, value, format in
                if let id = ids.number(of: value, format) { own.places.append((part.firstRecord + record, id)) }
              } text: { record, text in
                if let id = ids.number(of: text) { own.places.append((part.firstRecord + record, id)) }
              }
            }
          } catch {
            throw .index(error)
          }
          hits.append(own)
        }
        return hits
      },
      deliver: { (run) throws(BuildError) in
        for hits in run {
          let shard = found.fieldList.count
          for hit in hits.places {
            found.places.append(UpdateStream.Place(shard: shard, record: hit.record))
            found.isFound[hit.id] = true
          }
          if numbers[hits.fields] == nil {
            numbers[hits.fields] = found.fieldLists.count
            found.fieldLists.append(hits.fields)
          }
          found.fieldList.append(numbers[hits.fields]!)
        }
      })
    return found
  }
}
