// This file gives the numbers of an index's files in an archive. Source: docs/archive.md section 3.

extension ManifestReader {
  /// The archive of the manifest; nil for a directory.
  package var archive: Archive? { file.archive }

  /// The place of a shard; nil for a directory.
  package func place(ofShard number: Int) -> ArchivePlace? { place(Int64(number)) }

  /// The place of a page's side file; nil for a directory.
  package func place(ofSides page: Int) -> ArchivePlace? { place(Int64(shardCount) + Int64(page)) }

  /// The place of the manifest of the entries; nil for a directory.
  package var placeOfEntries: ArchivePlace? { place(fileCount) }

  /// The number of shards and side files of the manifest; every page counts one side file, if there are any.
  private var fileCount: Int64 { Int64(shardCount) + (hasSides ? Int64(pageCount) : 0) }

  /// Calls `body` with all bytes of the manifest in order, in runs of at most 256 KiB.
  package func forEachRun<Failure: Error>(
    _ body: ([UInt8]) throws(Failure) -> Void
  ) throws(IndexError) -> Result<Void, Failure> {
    try file.forEachRun(body)
  }

  /// The number of pages.
  package var pageCount: Int { root.tree.count(ofLevel: 0) }

  private func place(_ number: Int64) -> ArchivePlace? {
    file.archive.map { ArchivePlace(archive: $0, number: firstPlace + number) }
  }
}
