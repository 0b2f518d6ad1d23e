import ShardedIndex

extension Pipeline {
  /// Writes the shards of entries, and their manifest.
  ///
  /// - Parameters:
  ///   - lastComponents: The last components of the records' keys.
  ///   - next: Returns the portions of entries, in order; called on this thread.
  func writeEntries(
    _ lastComponents: LastComponents, next: () throws(BuildError) -> Portion?
  ) throws(BuildError) -> WrittenEntries {
    try write(next: next) { _ in }.finishEntries(settings, packing, lastComponents, publisher, threads: threads)
  }
}

extension Pipeline.Output {
  /// Writes the manifest of entries whose shards exist.
  ///
  /// - Parameter settings: The settings of the entries' manifest.
  func finishEntries(
    _ settings: IndexSettings, _ packing: EncodingOptions, _ lastComponents: LastComponents, _ publisher: Publisher,
    threads: Int
  ) throws(BuildError) -> WrittenEntries {
    var manifest = manifest
    let file = try manifest.file(
      shardLimit: packing.shardLimit, partSize: packing.partSize, fieldNames: fieldNames,
      settings: settings.pairs(fieldNames: fieldNames), notes: notes, threads: threads)
    try ManifestEncoder.checkSize(of: file, hasStarts: false)
    let digest = Digest.sha256(file)
    guard let size = unsafe file.withUnsafeBufferPointer({ unsafe ZstdFrame.size(of: $0) }) else {
      preconditionFailure("a manifest begins with a frame")
    }
    let head = EntriesHead(
      fileSize: file.count, digest: Array(digest.prefix(16)),
      rootChecksum: ZstdFrame.checksum(ofFrame: Array(file[..<size])), lastComponents: lastComponents)
    let outcome = try publisher.add(head.fileName.text, file)
    return WrittenEntries(
      head: head, shardCount: manifest.shardCount,
      bytes: file.count + manifest.shardBytes + (manifest.sides?.fileBytes ?? 0),
      otherFilesWritten: (outcome == .kept ? 0 : 1) + (manifest.sides?.newCount ?? 0))
  }
}

extension EntryUpdate {
  /// Returns the changes of entries that follow from the changes of an index; nil if the index has no entries.
  ///
  /// - Parameters:
  ///   - removed: The positions of the removed records, in order.
  ///   - encoder: The encoder that makes the blobs of the index's records.
  ///   - names: The names of the records' fields.
  static func of(
    _ previous: PreviousIndex, _ settings: IndexSettings, removed: [RecordPosition], encoder: RecordEncoder,
    names: FieldNames, _ options: BuildOptions, _ plan: MemoryPlan, _ directory: RunDirectory
  ) throws(BuildError) -> EntryUpdate? {
    guard let rules = EntryRules(settings), let entries = previous.entries else { return nil }
    return EntryUpdate(
      of: previous, entries, rules, removed: removed,
      source: IndexedRecords(previous.index, encoder: encoder, names: names), names: names.names,
      rankField: try RankField(settings, names: names.names), options: options, plan: plan, directory: directory)
  }

  /// Writes the changed entries, once all added records were passed to `add`.
  func write(to publisher: Publisher, _ packing: EncodingOptions, threads: Int) throws(BuildError) -> WrittenEntries {
    let head = try BuildError.ofIndex { () throws(IndexError) in try previous.index.generation.manifest.entriesHead() }
    guard var head, let notes = entries.notes else { preconditionFailure("the update began with entries") }
    let changes = try finish(head)
    if changes.removed.isEmpty, changes.added.count == 0 {
      // Other processes find their files by these names.
      for name in entries.fileNames ?? [] { publisher.keep(name) }
      publisher.keep(head.fileName.text)
      head = EntriesHead(
        fileSize: head.fileSize, digest: head.digest, rootChecksum: head.rootChecksum,
        lastComponents: changes.lastComponents)
      return WrittenEntries(head: head, shardCount: entries.shards.count, bytes: entries.fileSize)
    }
    let settings = EntryRules.settings(of: IndexSettings(of: previous.index.generation.manifest.root))
    let kept = try KeptIndex(entries, settings)
    let stream = UpdateStream(
      kept, pieces: notes.pieces, removed: changes.removed, added: changes.added, encoder: .ofEntries, names: names)
    var writer = Pipeline(
      publisher: publisher, plan: plan, names: names.names, packing: packing, previous: kept,
      settings: settings)
    (writer.makesDensityGrid, writer.checksKeptSides) = (false, false)
    writer.threads = threads
    return try writer.writeEntries(changes.lastComponents) { () throws(BuildError) in try stream.next() }
  }
}
