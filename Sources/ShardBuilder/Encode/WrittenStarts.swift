import ShardedIndex

/// The starts of a generation: an index of the first records, and of the records with the highest ranks, for the texts
/// whose matches are in several shards. Source: docs/format.md section 3.14.
package struct WrittenStarts {
  let head: StartsHead
  /// The bytes of the manifest, and of the other files by their numbers in an archive.
  let files: [[UInt8]]

  /// - Parameter rootChecksum: The checksum of the frame of the manifest's root.
  init(_ texts: [[UInt8]], _ files: [[UInt8]], rootChecksum: UInt32) {
    self.files = files
    head = StartsHead(texts: texts, sizes: files.map(\.count), rootChecksum: rootChecksum)
  }
}
