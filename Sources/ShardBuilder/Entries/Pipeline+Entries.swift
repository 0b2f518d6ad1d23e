import ShardedIndex

extension Pipeline.ManifestParts {
  /// Writes the manifest of entries whose shards exist.
  ///
  /// - Parameter lastComponents: The last components of the records' keys.
  consuming func finishEntries(_ lastComponents: LastComponents) throws(BuildError) -> WrittenEntries {
    let file = try manifestFile()
    let digest = Digest.sha256(file)
    guard let size = unsafe file.withUnsafeBufferPointer({ unsafe ZstdFrame.size(of: $0) }) else {
      preconditionFailure("a manifest begins with a frame")
    }
    let head = EntriesHead(
      fileSize: file.count, digest: Array(digest.prefix(16)),
      rootChecksum: ZstdFrame.checksum(ofFrame: Array(file[..<size])), lastComponents: lastComponents)
    try site.publisher.add(head.fileName.text, file)
    return WrittenEntries(head: head, bytes: file.count + shardBytes)
  }
}

extension EntryCollector {
  /// Writes the collected entries.
  ///
  /// - Parameters:
  ///   - settings: The settings of the index.
  ///   - previous: The entries to be replaced.
  func write(
    _ settings: IndexSettings, at site: BuildSite, replacing previous: PreviousIndex? = nil
  ) throws(BuildError) -> WrittenEntries {
    let (entries, lastComponents) = try finish()
    let pipeline = try Pipeline(.entries, settings, names: names, at: site, replacing: previous)
    return try pipeline.write(PieceStream(entries, limit: site.packing.shardLimit, names: names))
      .finishEntries(lastComponents)
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
    names: FieldNames, at site: BuildSite
  ) throws(BuildError) -> EntryUpdate? {
    guard let rules = EntryRules(settings), let entries = previous.entries else { return nil }
    return EntryUpdate(
      of: previous, entries, rules, removed: removed,
      source: IndexedRecords(previous.index, encoder: encoder, names: names), names: names.names,
      rankField: try RankField(settings, names: names.names), at: site)
  }

  /// Writes the changed entries, once all added records were passed to `add`.
  func write() throws(BuildError) -> WrittenEntries {
    let head = try BuildError.ofIndex { () throws(IndexError) in try previous.index.generation.manifest.entriesHead() }
    guard var head, let notes = entries.notes else { preconditionFailure("the update began with entries") }
    let changes = try finish(head)
    if changes.removed.isEmpty, changes.added.count == 0 {
      // Other processes find their files by these names.
      for name in entries.fileNames ?? [] { site.publisher.keep(name) }
      let manifest = entries.index.generation.manifest
      try site.publisher.add(
        head.fileName.text, try BuildError.ofIndex { () throws(IndexError) in try manifest.fileBytes() })
      head = EntriesHead(
        fileSize: head.fileSize, digest: head.digest, rootChecksum: head.rootChecksum,
        lastComponents: changes.lastComponents)
      return WrittenEntries(head: head, bytes: entries.fileSize)
    }
    let settings = IndexSettings(of: previous.index.generation.manifest.root)
    let pipeline = try Pipeline(.entries, settings, names: names, at: site, replacing: entries)
    let stream = UpdateStream(
      pipeline.previous!, pieces: notes.pieces, removed: changes.removed, added: changes.added, encoder: .ofEntries,
      names: names)
    let output = try pipeline.write(next: { () throws(BuildError) in try stream.next() })
    return try output.finishEntries(changes.lastComponents)
  }
}
