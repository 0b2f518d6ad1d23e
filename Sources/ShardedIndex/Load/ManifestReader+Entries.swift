extension ManifestReader {
  /// Whether the index has entries.
  package var hasEntries: Bool { root.chains.entries != nil }
  /// The size of the chain of entries in the file, in bytes.
  package var entriesHeadSize: Int { root.chains.entries?.size ?? 0 }
  /// The range of the chain of entries in the file; nil if the index has none.
  package var entriesRange: Range<Int>? { range(of: root.chains.entries) }

  /// Returns the content of the chain of entries; nil if the index has none. Each call reads the file.
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
  ///   - place: The place of the manifest in an archive; nil for a directory.
  ///   - checksDigest: Whether the SHA-256 of the whole file is checked before any use.
  package convenience init(
    ofEntries head: EntriesHead, in directory: IndexDirectory, at place: ArchivePlace?, contexts: DecompressorPool,
    keeping limit: Int, checksDigest: Bool
  ) throws(IndexError) {
    var file = try directory.file(head.fileName, size: head.fileSize, at: place)
    if checksDigest {
      try Self.checkSize(of: file)
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
