import ShardedIndex

extension ShardBuilder {
  /// Changes some records of an index in a store, as ``update(_:upsert:delete:options:progress:)`` does in a directory.
  ///
  /// The update reads the manifest, and the files that the changes touch. It leaves out the comparison of all files: a
  /// file's name has a part of its digest, and the target's objects never change.
  ///
  /// - Parameters:
  ///   - index: The newest generation, whose files are in the store.
  ///   - target: The store. It gets the new files and the manifest.
  ///   - directory: The directory of the target in which the new files are made.
  package static func update(
    _ index: ShardedIndex, in target: any RangeTarget, directory: String, upsert: [String], delete: [String],
    options: BuildOptions, progress: ((BuildProgress) -> Void)?
  ) throws(BuildError) -> BuildSummary {
    try checkStandardInput(upsert + delete + [options.weightsFile].compactMap { $0 })
    try BuildError.ofIndex { () throws(IndexError) in try index.generation.manifest.checkFrames() }
    let previous = try PreviousIndex(index)
    previous.noteCompared()
    let summary = try IndexUpdate(
      of: previous, at: try Publisher(directory: directory), shown: target.shown, options, hasUpserts: !upsert.isEmpty,
      open: target.wholeOpener(directory)
    ).run(upsert.map { .file($0) }, delete, progress)
    try target.finish(directory)
    return summary
  }
}
