extension ManifestReader {
  /// Whether the index has entries.
  package var hasEntries: Bool { root.chains.entries != nil }
  /// The bytes that the chain of the entries takes in the file.
  package var entriesHeadSize: Int { root.chains.entries?.size ?? 0 }
  /// The bytes of the file that are the chain of the entries; nil if the index has none.
  package var entriesRange: Range<Int>? { range(of: root.chains.entries) }

  /// Returns the content of the chain of entries, read from the file at each call; nil if the index has none.
  package func entriesHead() throws(IndexError) -> EntriesHead? {
    guard let chain = root.chains.entries else { return nil }
    do throws(FormatError) {
      guard chain.contentSize <= EntriesHead.contentLimit, chain.size <= ZstdFrame.sizeLimit(content: chain.contentSize)
      else { throw .invalid(reason: "has too large a frame of entries", offset: 0) }
    } catch {
      throw .corrupt(path: file.path, cause: error)
    }
    return try head(of: chain, name: "entries") { (content, size, chain) throws(FormatError) in
      guard size == chain.size else { throw .wrongSize(found: chain.size, expected: size) }
      return try EntriesHead(content)
    }
  }

  /// Opens the manifest of entries, reads its root and checks it.
  ///
  /// - Parameters:
  ///   - place: Where it is in an archive; nil for a directory.
  ///   - checksDigest: Whether nothing of the file is used before its SHA-256 is known to be the right one.
  package convenience init(
    ofEntries head: EntriesHead, in directory: IndexDirectory, at place: ArchivePlace?, contexts: DecompressorPool,
    keeping limit: Int, checksDigest: Bool
  ) throws(IndexError) {
    var file = try directory.file(head.fileName, size: head.fileSize, at: place)
    if checksDigest {
      guard file.size <= Manifest.pinnedSizeLimit else {
        throw .corrupt(path: file.path, cause: .wrongSize(found: file.size, expected: Manifest.pinnedSizeLimit))
      }
      try file.hold()
      guard try file.digest().starts(with: head.digest) else { throw .corrupt(path: file.path, cause: .wrongDigest) }
    }
    let path = file.path
    try self.init(file, contexts: contexts, keeping: limit, firstPlace: place.map { $0.number + 1 } ?? 0)
    let found = UInt32(truncatingIfNeeded: rootChecksum)
    guard found == head.rootChecksum else {
      throw .corrupt(path: path, cause: .wrongChecksum(found: found, expected: head.rootChecksum))
    }
    guard !hasEntries else {
      throw .corrupt(path: path, cause: .invalid(reason: "has entries of its own", offset: 0))
    }
  }
}
