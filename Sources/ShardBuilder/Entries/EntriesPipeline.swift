import ShardedIndex

/// Entries whose shards and manifest are written.
struct WrittenEntries {
  var head: EntriesHead
  var shardCount: Int
  /// The size of all their files, in bytes.
  var bytes: Int
}

extension Pipeline {
  /// Writes the shards of entries, and their manifest.
  ///
  /// - Parameters:
  ///   - lastComponents: The last components of the records' keys.
  ///   - next: The portions of entries, in order; called on this thread.
  func writeEntries(
    _ lastComponents: LastComponents, next: () throws(BuildError) -> Portion?
  ) throws(BuildError) -> WrittenEntries {
    var output = try write(next: next) { _ in }
    output.densityGrid = nil
    let file = try output.manifest.file(
      shardLimit: packing.shardLimit, partSize: packing.partSize, fieldNames: output.fieldNames,
      settings: settings.pairs(fieldNames: output.fieldNames), notes: output.notes, threads: threads)
    let digest = Digest.sha256(file)
    guard let size = unsafe file.withUnsafeBufferPointer({ unsafe ZstdFrame.size(of: $0) }) else {
      preconditionFailure("a manifest begins with a frame")
    }
    let head = EntriesHead(
      fileSize: file.count, digest: Array(digest.prefix(16)),
      rootChecksum: ZstdFrame.checksum(ofFrame: Array(file[..<size])), lastComponents: lastComponents)
    try publisher.add(head.fileName.text, file)
    return WrittenEntries(
      head: head, shardCount: output.manifest.shardCount, bytes: file.count + output.manifest.shardBytes)
  }
}
