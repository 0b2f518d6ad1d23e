extension ManifestReader {
  /// Whether the index has starts.
  package var hasStarts: Bool { root.chains.starts != nil }

  /// Opens the starts: their head, and the manifest behind it.
  func openStarts(
    in directory: IndexDirectory, contexts: DecompressorPool, keeping limit: Int
  ) throws(IndexError) -> (StartsHead, ManifestReader)? {
    guard let chain = root.chains.starts, let range = range(of: chain) else { return nil }
    guard chain.contentSize <= StartsHead.contentLimit else {
      throw .corrupt(path: file.path, cause: .invalid(reason: "has too large a frame of starts", offset: 0))
    }
    // The starts are inside the manifest's file. A carrier that keeps files apart may fetch all of them.
    let whole = try Archive(files: [], in: file, of: directory, holder: self)
      .window(on: file, directory.manifestName, from: Int64(range.lowerBound), size: range.count)
    let most = min(chain.size, ZstdFrame.sizeLimit(content: chain.contentSize))
    let (head, start) = try whole.frame(0..<most, firstOf: chain, name: "starts", with: contexts) {
      (content, size) throws(FormatError) in (try StartsHead(content, room: chain.size - size), size)
    }
    return (head, try startsManifest(head, from: start, of: whole, in: directory, contexts: contexts, keeping: limit))
  }

  private func startsManifest(
    _ head: StartsHead, from start: Int, of whole: borrowing IndexFile, in directory: IndexDirectory,
    contexts: DecompressorPool, keeping limit: Int
  ) throws(IndexError) -> ManifestReader {
    var (starts, next): ([Int64], Int64) = ([], Int64(start))
    for size in head.sizes {
      starts.append(next)
      next += Int64(size)
    }
    let archive = Archive(files: Array(starts.dropFirst()), in: whole, of: directory, holder: self)
    let manifest = try archive.window(on: whole, directory.manifestName, from: Int64(start), size: head.sizes[0])
    let reader = try ManifestReader(manifest, contexts: contexts, keeping: limit)
    let found = UInt32(truncatingIfNeeded: reader.rootChecksum)
    guard found == head.rootChecksum else {
      throw .corrupt(path: file.path, cause: .wrongChecksum(found: found, expected: head.rootChecksum))
    }
    guard !reader.hasStarts else {
      throw .corrupt(path: file.path, cause: .invalid(reason: "has starts in its starts", offset: 0))
    }
    return reader
  }
}
