import ShardedIndex

extension ShardBuilder {
  /// Changes some records of an index: what comes out is, byte for byte, what a build of the changed dataset makes.
  ///
  /// With ``BuildOptions/writesOverlay`` few changes are left beside the shards, in one file, as an overlay of
  /// up to some 64 KiB: answers are the same, and no shard nor the manifest is written. They are written into shards
  /// by the next update without it, which may have no changes of its own, or by one with too many for the overlay, with a
  /// field that the index does not have, or of an index that has an id twice.
  ///
  /// Records are told apart by the text of the field that ``BuildOptions/id`` named when the index was built. One that
  /// is upserted replaces all that have its id, and is added if there are none. Only shards in which a change lies, or
  /// next to which, are encoded and written. A record that is replaced is looked for where its key is; the ids of all
  /// records are read only if one is not there, or if the index has an id twice.
  ///
  /// - Parameters:
  ///   - directory: The index; it answers as before until the new generation is complete, and on any error.
  ///   - upsert: Datasets of records that are new or changed, as for ``build(_:into:options:progress:)``.
  ///   - delete: Datasets of which each record's id is removed; it needs no other field.
  ///   - options: What belongs to the index is taken from it: key, fields, weight, id, shard size, part size and level.
  /// - Throws: ``BuildError``, ``BuildError/notUpdatable(path:reason:)`` among them for an index that has no id.
  /// - Complexity: O(changes + shards); O(records), some 80 ns each, where all ids are read. Holds the changes' ids.
  public static func update(
    _ directory: String, upsert: [String], delete: [String], options: BuildOptions = BuildOptions(),
    progress: ((BuildProgress) -> Void)? = nil
  ) throws(BuildError) -> BuildSummary {
    func unusable(_ reason: String) -> BuildError { .notUpdatable(path: directory, reason: reason) }
    try checkStandardInput(upsert + delete)
    // Nothing is created where no index is.
    _ = try BuildError.ofIndex { () throws(IndexError) in try ShardedIndex(opening: directory) }
    let publisher = try Publisher(directory: directory)
    let previous = try PreviousIndex(
      try BuildError.ofIndex { () throws(IndexError) in
        try ShardedIndex(publisher.openDirectory(), options: .init())
      })
    let index = previous.index
    let settings = IndexSettings(of: index.generation.manifest)
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
    var changes = Changes(previous)
    let idNumber = names.number(of: id)
    let nameCount = names.names.count
    var intake = Intake(options: options, publisher, names: names, isChange: true)
    var upsertedSize = 0
    var hasNewFields = false
    for input in upsert {
      try intake.read(input, &summary, progress) { record in
        upsertedSize += record.size
        for field in 0..<record.fieldCount where record.fieldName(field) >= nameCount { hasNewFields = true }
        return record.id(ofField: idNumber).flatMap { changes.add($0, folded: record.folded) }
      }
    }
    let template = try KeyTemplate(settings.key)
    let upserted = changes.ids.count
    for input in delete {
      try readIDs(of: input, id, template, options, &summary) { changes.add($0, folded: $1) }
    }
    names = intake.names

    // The records that they take the place of.
    var found = Found(isFound: Array(repeating: false, count: changes.ids.count))
    let overlay = index.generation.overlay
    var draft = OverlayDraft(index, template: template, names: names)
    if let overlay {
      try draft.take(overlay, field: idNumber) { text in
        guard let number = changes.ids.number(of: text) else { return false }
        found.isFound[number] = true
        return true
      }
    }
    try find(
      changes, in: previous, field: index.fieldNames.firstIndex(of: id), threads: options.jobs, isNew: draft.isNew,
      &found)
    summary.recordsRemoved = found.places.count + (overlay?.added.count ?? 0) - draft.addedCount
    summary.idsNotFound = (upserted..<changes.ids.count).count { !found.isFound[$0] }

    let plan = intake.plan
    if options.writesOverlay, notes.repeatedIDs == 0, !hasNewFields,
      upsertedSize + 16 * found.places.count + (overlay?.size ?? 0) <= OverlayDraft.usualLimit
    {
      // Said where it saves the next one a look: where records came to be added.
      if let greatest = found.greatestID, found.isFound[..<upserted].contains(false) { draft.greatestID = greatest }
      for place in found.places { try draft.remove(previous.shards[place.shard].firstRecord + place.record) }
      let added = try intake.finish()
      while let batch = try added.nextBatch() {
        for record in batch { try draft.add(record) }
      }
      let changed = draft.encoded()
      let published = try publisher.publish(overlay: changed, isOverStale: overlay == nil)
      summary.isUnchanged = !published.isChanged
      summary.overlayBytes = published.fileSize
      summary.recordsIndexed = index.recordCount - summary.recordsRemoved + upserted
      summary.shardCount = previous.shards.count
      summary.bytes = previous.fileSize + published.fileSize
      return summary
    }
    let removed = (found.places + draft.removed.map { previous.place(ofRecord: $0) }).sorted()
    if overlay != nil { try intake.add(try draft.records()) }
    let added = try intake.finish()
    let total = index.generation.manifest.recordCount - removed.count + added.count
    let stream = UpdateStream(
      previous, pieces: notes.pieces, removed: removed, added: added, template: template, names: names)
    // Read before anything is written: a damaged one ends the update.
    let dots = try BuildError.ofIndex { () throws(IndexError) in try index.generation.manifest.densityBands() }
    previous.offerPieces(for: options.packing)
    // Few changes are made sooner than threads are started.
    let threads = min(options.jobs, max(1, (removed.count + added.count) / 4))
    var writer = Pipeline(
      publisher: publisher, plan: plan, names: names.names, packing: options.packing, previous: previous)
    writer.makesDots = false
    writer.threads = threads
    var output = try writer.write(next: { () throws(BuildError) in try stream.next() }) {
      progress?(BuildProgress(phase: .writing, done: $0, total: total, records: $0))
    }
    output.notes.recordsWithoutID = notes.recordsWithoutID
    // Where there is an overlay, no id was there twice.
    output.notes.repeatedIDs =
      overlay == nil
      ? notes.repeatedIDs(replacing: found.places.count, of: found.isFound.count { $0 }) : notes.repeatedIDs
    summary.recordsIndexed = output.manifest.recordCount
    let moved = try BuildError.ofIndex { () throws(IndexError) in
      try index.generation.manifest.densityBands(dots, changedBy: stream.cells)
    }
    try output.publish(
      settings, options.packing, dots: moved, to: publisher, previous, threads: threads, &summary)
    return summary
  }

  /// The ids of the records that are upserted or deleted, and where in the index they are likely to be.
  private struct Changes {
    private(set) var ids = IDTable()
    /// By shard, whether it may have a key that a change has.
    private(set) var isLikely: [Bool]
    /// By shard, the least and the greatest of these keys.
    private(set) var least: [[UInt8]]
    private(set) var greatest: [[UInt8]]
    private let previous: PreviousIndex

    init(_ previous: PreviousIndex) {
      self.previous = previous
      isLikely = Array(repeating: false, count: previous.shards.count)
      least = Array(repeating: [], count: previous.shards.count)
      greatest = least
    }

    /// - Parameter folded: The folded key, if it is known.
    /// - Returns: What is wrong with it.
    mutating func add(_ id: UnsafeBufferPointer<UInt8>, folded: UnsafeBufferPointer<UInt8>?) -> String? {
      guard ids.insert(id) else { return "the id \(printable(id, limit: 60)) stands in the changes twice" }
      if let folded, !previous.shards.isEmpty {
        for shard in previous.shards(ofKey: folded) {
          func order(_ key: [UInt8]) -> Int { key.withUnsafeBufferPointer { compareBytes(folded, $0) } }
          if !isLikely[shard] || order(least[shard]) < 0 { least[shard] = Array(folded) }
          if !isLikely[shard] || order(greatest[shard]) > 0 { greatest[shard] = Array(folded) }
          isLikely[shard] = true
        }
      }
      return nil
    }
  }

  /// Calls `take` with the id of each record of a dataset, and with its folded key, if it has the fields for one; its
  /// reason ends the update.
  private static func readIDs(
    of path: String, _ id: String, _ template: KeyTemplate, _ options: BuildOptions, _ summary: inout BuildSummary,
    _ take: (_ id: UnsafeBufferPointer<UInt8>, _ folded: UnsafeBufferPointer<UInt8>?) -> String?
  ) throws(BuildError) {
    let datasetOptions = try DatasetOptions(of: options)
    let reader: DatasetReader
    do throws(DatasetError) { reader = try DatasetReader(path: path, options: datasetOptions) } catch {
      throw BuildError(error)
    }
    if !summary.notes.contains(reader.notes) { summary.notes += reader.notes }
    var encoder = RecordEncoder(template: template)
    let chunk = RecordArena()
    var batch = RecordBatch()
    var missing = 0
    var isChecked = false
    var check = FieldCheck()
    check.add(id, .indexID)
    while try reader.read(
      into: &batch, isChecked: &isChecked, { (columns) throws(BuildError) in try check.check(columns, of: [path]) })
    {
      let names = reader.names
      chunk.removeAll()
      var keyless = encoder.encode(batch, names: names, into: chunk)[...]
      var keyed = 0
      var first = 0
      for (index, end) in batch.recordEnds.enumerated() {
        var folded: UnsafeBufferPointer<UInt8>?
        if keyless.first?.index == index {
          keyless.removeFirst()
        } else {
          folded = chunk.record(keyed).folded
          keyed += 1
        }
        let field = batch.fields[first..<Int(end)].first { names.names[Int($0.name)] == id }
        first = Int(end)
        var hasID = false
        let reason = batch.bytes.withUnsafeBufferPointer { bytes -> String? in
          guard let field else { return "has no field \(quoted(id)), by which records are told apart" }
          let text = UnsafeBufferPointer(rebasing: bytes[Int(field.offset)..<Int(field.offset) + Int(field.length)])
          hasID = RecordID.isOne(text, field.kind)
          return hasID ? take(text, folded) : "\(UnindexableRecord.Flaw.noID)"
        }
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

  /// The number that a value's text is, as ``Overlay/wholeNumber(_:)`` takes it; 0 if it is none.
  private static func wholeNumber(_ value: Int64, _ format: NumberFormat) -> UInt64 {
    format.isWhole ? UInt64(max(0, value)) : format.withText(of: value) { Overlay.wholeNumber($0) ?? 0 }
  }

  /// The records of an index that have one of the ids.
  private struct Found {
    /// In order.
    var places: [UpdateStream.Place] = []
    /// Per id.
    var isFound: [Bool]
    /// As ``Overlay/greatestID``, if all records were looked at.
    var greatestID: UInt64?
  }

  /// - Parameters:
  ///   - isNew: Whether it is known that no record of the shards has an id.
  ///   - found: With the ids that records of the overlay have; comes to have those of the shards.
  private static func find(
    _ changes: Changes, in previous: PreviousIndex, field: Int?, threads: Int,
    isNew: (UnsafeBufferPointer<UInt8>) -> Bool, _ found: inout Found
  ) throws(BuildError) {
    let ids = changes.ids
    guard let field else { return }
    let (overlay, overlaid) = (previous.index.generation.overlay, found)
    /// - Parameter isLikely: Whether no more is looked at than where the changes' keys would be.
    func look(in shards: [Int], isLikely: Bool) throws(BuildError) {
      var next = 0
      var greatest: UInt64 = 0
      // A run of shards at a time: one takes less than handing it to a thread.
      let run = 8
      try WorkerPool.orderedMap(
        threads: shards.count > run ? threads : 1,
        next: { () throws(BuildError) -> ArraySlice<Int>? in
          defer { next += run }
          return next < shards.count ? shards[next..<min(next + run, shards.count)] : nil
        },
        transform: { (shards) throws(BuildError) -> (hits: [(place: UpdateStream.Place, id: Int)], greatest: UInt64) in
          let buffer = RecordBuffer()
          var hits: [(place: UpdateStream.Place, id: Int)] = []
          var greatest: UInt64 = 0
          for shard in shards {
            let first = previous.shards[shard].firstRecord
            func hit(_ record: Int, _ id: Int) {
              if overlay?.isRemoved(first + record) == true { return }
              hits.append((UpdateStream.Place(shard: shard, record: record), id))
            }
            do throws(IndexError) {
              let keys = isLikely ? (changes.least[shard], changes.greatest[shard]) : nil
              _ = try previous.index.generation.read(previous.shards[shard], keys: keys) { part in
                part.forEachField(field, with: buffer) { record, value, format in
                  greatest = max(greatest, wholeNumber(value, format))
                  if let id = ids.number(of: value, format) { hit(part.firstRecord + record, id) }
                } text: { record, text, kind in
                  guard RecordID.isOne(text, FieldKind(kind)) else { return }
                  if let number = Overlay.wholeNumber(text) { greatest = max(greatest, number) }
                  if let id = ids.number(of: text) { hit(part.firstRecord + record, id) }
                }
              }
            } catch {
              throw .index(error)
            }
          }
          return (hits, greatest)
        },
        deliver: { (looked) throws(BuildError) in
          greatest = max(greatest, looked.greatest)
          for (place, id) in looked.hits {
            found.places.append(place)
            found.isFound[id] = true
          }
        })
      if !isLikely { found.greatestID = greatest }
    }
    // Where no two records have the same id, one that is found is all there is.
    if previous.notes?.repeatedIDs == 0 {
      try look(in: previous.shards.indices.filter { changes.isLikely[$0] }, isLikely: true)
      if ids.indices.allSatisfy({ found.isFound[$0] || ids.text($0).withUnsafeBufferPointer(isNew) }) { return }
      found = overlaid
    }
    try look(in: Array(previous.shards.indices), isLikely: false)
  }
}
