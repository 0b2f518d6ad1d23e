import ShardedIndex

/// One update of an index, from the changes to the new generation.
struct IndexUpdate {
  let shown: String
  private let publisher: Publisher
  let previous: PreviousIndex
  private let notes: BuildNotes
  let settings: IndexSettings
  let template: KeyTemplate
  let options: BuildOptions
  private let weights: WeightTable?
  /// The names of the index's fields, and of the id field.
  private let names: FieldNames
  private let id: String
  let idNumber: UInt32

  /// Opens the new index for its starts, if the publisher's directory lacks some of its files.
  private let open: (([UInt8]) throws(BuildError) -> ShardedIndex)?

  /// - Parameter shown: The name of the index in messages.
  init(
    of previous: PreviousIndex, at publisher: Publisher, shown: String, _ options: BuildOptions, hasUpserts: Bool,
    open: (([UInt8]) throws(BuildError) -> ShardedIndex)? = nil
  ) throws(BuildError) {
    func unusable(_ reason: BuildMessage) -> BuildError { .notUpdatable(path: shown, reason: reason) }
    let index = previous.index
    let settings = IndexSettings(of: index.generation.manifest.root)
    guard let notes = previous.notes else { throw unusable("it has no notes for updates") }
    guard notes.isOfThisEncoder else { throw unusable("another version of shardq or of zstd built it") }
    guard let id = settings.id else { throw unusable("it was built without \(.id), the field with the id of a record") }
    guard (EntryRules(settings) != nil) == index.generation.manifest.hasEntries else {
      throw unusable("its manifest and its settings differ on words and other names")
    }
    if index.generation.manifest.hasEntries, previous.entries?.notes?.isOfThisEncoder != true {
      throw unusable("its words and other names cannot be read, or another version of shardq built them")
    }
    guard index.storesKeys || index.recordCount == 0 else {
      throw unusable("it does not store all fields of its key, \(settings.key)")
    }
    var names = FieldNames(index.fieldNames)
    guard names.names.count == index.fieldNames.count else { throw unusable("its manifest names a field twice") }

    var options = options
    options.key = settings.key
    options.keep = settings.keep
    options.skipEmptyKeys = settings.skipsEmptyKeys
    options.id = id
    options.weight = settings.weight
    options.coordinates = settings.coordinates
    if settings.weights == nil, options.weightsFile != nil {
      throw .dataset(
        .options, message: "\(displayed(path: shown)): was built without \(.weightsFile); leave it out")
    }
    if settings.weights != nil, options.weightsFile == nil, hasUpserts {
      throw .dataset(
        .options,
        message: """
          \(displayed(path: shown)): was built with \(.weightsFile); name the file again, because changed records \
          would lose their weights
          """)
    }
    options.packing = previous.packing(level: notes.level)
    weights = try WeightTable(of: &options)
    template = try KeyTemplate(checking: settings.key)
    (self.publisher, self.previous, self.notes, self.settings) = (publisher, previous, notes, settings)
    (self.shown, self.open) = (shown, open)
    self.id = id
    idNumber = names.number(of: id)
    (self.options, self.names) = (options, names)
  }

  private var overlay: Overlay? { previous.index.generation.overlay }

  /// Reads the changes, and writes them.
  func run(
    _ upsert: [DatasetSource], _ delete: [String], _ progress: ((BuildProgress) -> Void)?
  ) throws(BuildError) -> BuildSummary {
    var intake = makeIntake()
    var (changes, summary) = (makeChanges(), BuildSummary())
    try read(upsert: upsert, delete: delete, into: &changes, &intake, &summary, progress)
    return try write(changes, intake, summary, progress)
  }

  func makeIntake() -> RecordIntake {
    RecordIntake(options: options, publisher.runDirectory, names: names, weights: weights, isChange: true)
  }

  func makeChanges() -> UpdateChanges { UpdateChanges(previous, idField: idNumber) }

  /// Reads the changes: all their ids, and the upserted records.
  func read(
    upsert: [DatasetSource], delete: [String], into changes: inout UpdateChanges, _ intake: inout RecordIntake,
    _ summary: inout BuildSummary, _ progress: ((BuildProgress) -> Void)?
  ) throws(BuildError) {
    for input in upsert { try intake.read(input, &summary, progress) { changes.upsert($0) } }
    for input in delete {
      var deletions = try Deletions(of: input, id: id, template, options)
      try unsafe deletions.read(&summary) { unsafe changes.add($0, folded: $1) }
    }
  }

  /// Writes the changes beside the shards, or into them.
  private func write(
    _ changes: UpdateChanges, _ intake: consuming RecordIntake, _ summary: BuildSummary,
    _ progress: ((BuildProgress) -> Void)?
  ) throws(BuildError) -> BuildSummary {
    var summary = summary
    var draft = OverlayDraft(previous.index, template: template, names: intake.names)
    let found = try findReplaced(changes, &draft)
    summary.recordsRemoved = found.positions.count + (overlay?.added.count ?? 0) - draft.addedCount
    summary.recordsIndexed =
      previous.index.recordCount - summary.recordsRemoved + changes.upsertedCount - changes.leftOutCount
    if summary.recordsIndexed == 0, previous.index.recordCount > 0, !options.allowsEmpty {
      throw .noRecord(
        reason: "the changes remove all records", path: shown, held: previous.index.recordCount)
    }
    summary.idsNotFound = (changes.upsertedCount..<changes.ids.count).count { !found.isFound[$0] }
    if fitsOverlay(changes, found) {
      try writeOverlay(draft, changes, found, intake, &summary)
    } else {
      try writeShards(draft, found, intake, &summary, progress)
    }
    return summary
  }

  /// Returns the settings of the index with the fields of the changes.
  func settings(with intake: borrowing RecordIntake) -> IndexSettings {
    var settings = settings
    // A version that knew fewer names may have built the index: its records keep the places that they have.
    if CoordinateProposal.fields(of: previous.index.fieldNames) == nil {
      settings.chooseCoordinates(among: intake.names.names)
    }
    settings.flat = intake.flatNames(beside: previous.index.fieldNames, settings)
    return settings
  }

  /// Finds the records that the changes replace or delete, first in the overlay, then in the shards.
  private func findReplaced(
    _ changes: UpdateChanges, _ draft: inout OverlayDraft
  ) throws(BuildError) -> ReplacedRecords {
    var found = ReplacedRecords(idCount: changes.ids.count)
    if let overlay {
      try unsafe draft.adopt(overlay, field: idNumber) { text in
        guard let number = unsafe changes.ids.number(of: text.span) else { return false }
        found.isFound[number] = true
        return true
      }
    }
    if let field = previous.index.fieldNames.firstIndex(of: id) {
      try unsafe found.search(changes, in: previous, field: field, threads: options.jobs, isNew: draft.isNew)
    }
    return found
  }

  /// Returns whether the changes should stay beside the shards, and are few enough.
  private func fitsOverlay(_ changes: UpdateChanges, _ found: ReplacedRecords) -> Bool {
    options.writesOverlay && notes.repeatedIDs == 0 && !changes.hasNewFields
      && changes.upsertedSize + 16 * found.positions.count + (overlay?.size ?? 0) <= OverlayDraft.usualLimit
  }

  /// Writes the changes beside the shards.
  private func writeOverlay(
    _ draft: consuming OverlayDraft, _ changes: UpdateChanges, _ found: ReplacedRecords,
    _ intake: consuming RecordIntake, _ summary: inout BuildSummary
  ) throws(BuildError) {
    // The overlay notes the greatest id if this saves the next update a search: after an update that added records.
    if let greatest = found.greatestID, found.isFound[..<changes.upsertedCount].contains(false) {
      draft.greatestID = greatest
    }
    for position in found.positions {
      try draft.remove(previous.shards[position.shard].firstRecord + position.record)
    }
    let added = try intake.finish()
    while let batch = try added.nextBatch() {
      for record in batch { try draft.add(record) }
    }
    let changed = draft.encoded()
    let size = changed?.count ?? 0
    summary.isUnchanged = !(try publisher.publish(overlay: changed, isOverStale: overlay == nil))
    summary.overlayBytes = size
    summary.shardCount = previous.shards.count
    summary.bytes = previous.fileSize + size
  }

  /// Writes the changes, and those of the overlay, into shards.
  private func writeShards(
    _ draft: consuming OverlayDraft, _ found: ReplacedRecords, _ intake: consuming RecordIntake,
    _ summary: inout BuildSummary, _ progress: ((BuildProgress) -> Void)?
  ) throws(BuildError) {
    let names = intake.names
    let settings = settings(with: intake)
    let manifest = previous.index.generation.manifest
    let removed = (found.positions + draft.removed.map { RecordPosition(ofRecord: $0, in: previous) }).sorted()
    if overlay != nil { try intake.add(try draft.records()) }
    let added = try intake.finish(
      held: manifest.hasEntries ? EntryCollector.share(of: options.workMemory) : 0)
    let total = manifest.recordCount - removed.count + added.count
    let encoder = RecordEncoder(template: template)
    var site = BuildSite(publisher, options)
    // Few changes are done sooner than threads are started.
    site.threads = min(options.jobs, max(1, (removed.count + added.count) / 4))
    let entryUpdate = try EntryUpdate.of(
      previous, settings, removed: removed, encoder: encoder, names: names, at: site)
    let pipeline = try Pipeline(.joined, settings, names: names, at: site, replacing: previous)
    let stream = UpdateStream(
      pipeline.previous!, pieces: notes.pieces, removed: removed, added: added, encoder: encoder, names: names,
      observe: { (records) throws(BuildError) in try entryUpdate?.add(records) })
    // This read comes before any write: a damaged grid ends the update.
    let grid = try BuildError.ofIndex { () throws(IndexError) in try manifest.densityBands() }
    previous.offerPieces(for: options.packing)
    var output = try pipeline.write(next: { () throws(BuildError) in try stream.next() }) {
      progress?(BuildProgress(phase: .writing, done: $0, total: total, records: $0))
    }
    let entries = try entryUpdate?.write()
    output.notes.recordsWithoutID = notes.recordsWithoutID
    // With an overlay, no id was in the index twice.
    output.notes.repeatedIDs =
      overlay != nil
      ? notes.repeatedIDs
      : notes.repeatedIDs(replacing: found.positions.count, of: found.isFound.count { $0 })
    summary.recordsIndexed = output.manifest.recordCount
    output.densityGrid = try BuildError.ofIndex { () throws(IndexError) in
      try manifest.densityBands(grid, changedBy: stream.cells)
    }
    try Publication(of: output, entries: entries, replacing: previous, open: open).publish(&summary)
  }
}
