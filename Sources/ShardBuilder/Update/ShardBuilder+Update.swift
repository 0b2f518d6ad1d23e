import ShardedIndex

extension ShardBuilder {
  /// Changes some records of an index. The new index is, byte for byte, that of a build of the changed dataset.
  ///
  /// With ``BuildOptions/writesOverlay`` few changes stay beside the shards, in one file, an overlay of up to about 64
  /// KiB. Answers are the same, and neither a shard nor the manifest is written. The next update without the option
  /// writes the overlay's changes into shards; it need not have changes of its own. Some updates with the option write
  /// into shards too: those with too many changes, with a new field, or of an index that has an id twice.
  ///
  /// The id of a record is the text of the field that ``BuildOptions/id`` named when the index was built. An upserted
  /// record replaces all records with its id; without such a record it is added. If the index leaves out records with
  /// empty keys, an upserted record of that kind removes the records with its id. The update encodes and writes only
  /// shards with a change and their neighbours. It searches a replaced record at the place of its key. It reads the ids
  /// of all records only if a record is not there, or if the index has an id twice.
  ///
  /// The update compares each file that was changed after the last build with its digest before it changes anything,
  /// since the new index keeps most files.
  ///
  /// - Parameters:
  ///   - directory: The directory of the index. The index answers as before until the new generation is complete, and
  ///     on any error.
  ///   - upsert: Datasets of records that are new or changed, as for ``build(_:into:options:progress:)``.
  ///   - delete: Datasets of ids to remove; a record needs no other field.
  ///   - options: The options of the update. Key, fields, weight, id, shard size, part size and level are those of the
  ///     index instead. If a file gave the index its weights, the update needs the file again for changed records.
  /// - Throws: ``BuildError``; ``BuildError/notUpdatable(path:reason:)`` for example for an index without an id.
  /// - Complexity: O(changes), a system call for each file, and one reading of the manifest; about 80 ns more for each
  ///   record if all ids are read.
  ///   Memory holds the changes' ids.
  public static func update(
    _ directory: String, upsert: [String], delete: [String], options: BuildOptions = BuildOptions(),
    progress: ((BuildProgress) -> Void)? = nil
  ) throws(BuildError) -> BuildSummary {
    try update(directory, upsert.map { .file($0) }, delete, options, progress)
  }

  /// Changes some records of an index to records of a program, which ``build(records:into:options:progress:)``
  /// describes.
  ///
  /// - Parameters:
  ///   - records: The records that are new or changed.
  ///   - delete: Datasets of ids to remove.
  /// - Throws: As ``update(_:upsert:delete:options:progress:)``.
  @discardableResult
  public static func update(
    _ directory: String, upserting records: some Sequence<some Encodable>, delete: [String] = [],
    options: BuildOptions = BuildOptions(), progress: ((BuildProgress) -> Void)? = nil
  ) throws(BuildError) -> BuildSummary {
    try update(directory, [.records(RecordText(records))], delete, options, progress)
  }

  private static func update(
    _ directory: String, _ upsert: [DatasetSource], _ delete: [String], _ options: BuildOptions,
    _ progress: ((BuildProgress) -> Void)?
  ) throws(BuildError) -> BuildSummary {
    try checkStandardInput(upsert.map(\.path) + delete)
    // An update creates nothing in a directory without an index.
    let index = try BuildError.ofIndex { () throws(IndexError) in try ShardedIndex(opening: directory) }
    try Publisher.refuse(archive: index.directory)
    try checkStandardInput(upsert.map(\.path) + delete + [options.weightsFile].compactMap { $0 })
    let publisher = try Publisher(directory: directory)
    let previous = try PreviousIndex(
      try BuildError.ofIndex { () throws(IndexError) in
        try ShardedIndex(publisher.openDirectory(), options: .init())
      })
    try previous.compareFiles(in: publisher, threads: options.jobs)
    return try IndexUpdate(of: previous, at: publisher, shown: directory, options, hasUpserts: !upsert.isEmpty)
      .run(upsert, delete, progress)
  }
}
