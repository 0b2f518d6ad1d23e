import ShardedIndex

/// The starts of a generation: an index of the records with the highest ranks, or of the first records if answers have
/// no ranks, for the texts whose matches are in several shards. Source: docs/format.md section 3.14.
package struct WrittenStarts {
  let head: StartsHead
  /// The bytes of the manifest, and of the other files by their numbers in an archive.
  let files: [[UInt8]]

  /// - Parameters:
  ///   - rootChecksum: The checksum of the frame of the manifest's root.
  ///   - isByRank: Whether the records are the best ones of each text alone.
  init(_ texts: [[UInt8]], _ files: [[UInt8]], rootChecksum: UInt32, isByRank: Bool) {
    self.files = files
    head = StartsHead(texts: texts, sizes: files.map(\.count), rootChecksum: rootChecksum, isByRank: isByRank)
  }
}
