/// The starts of a generation: an index of its own with the first and the best records of the texts whose matches are in
/// several shards. Source: docs/format.md section 3.14.
package final class StartsReader: Sendable {
  package let head: StartsHead
  /// The generation of the records, whose positions are their own.
  package let generation: Generation

  init(_ head: StartsHead, _ generation: Generation) { (self.head, self.generation) = (head, generation) }
}

extension ManifestReader {
  /// Whether the index has starts.
  package var hasStarts: Bool { root.chains.starts != nil }

  /// Returns the head of the starts, and where their first file begins in the manifest's.
  fileprivate func startsHead() throws(IndexError) -> (StartsHead, end: Int) {
    let chain = root.chains.starts
    guard chain?.contentSize ?? 0 <= StartsHead.contentLimit else {
      throw .corrupt(path: file.path, cause: .invalid(reason: "the frame of starts is too large", offset: 0))
    }
    let start = range(of: chain)?.lowerBound ?? 0
    return try head(of: chain, name: "starts") { (content, size, chain) throws(FormatError) in
      (try StartsHead(content, room: chain.size - size), start + size)
    }
  }

  /// Opens the manifest of the starts.
  fileprivate func startsManifest(
    _ head: StartsHead, from start: Int, in directory: IndexDirectory, contexts: DecompressorPool, keeping limit: Int
  ) throws(IndexError) -> ManifestReader {
    var (starts, next): ([Int64], Int64) = ([], Int64(start))
    for size in head.sizes {
      starts.append(next)
      next += Int64(size)
    }
    let archive = Archive(files: Array(starts.dropFirst()), in: file, of: directory, holder: self)
    let manifest = try archive.window(on: file, directory.manifestName, from: Int64(start), size: head.sizes[0])
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

extension Generation {
  /// Returns the starts; reads their head and the root of their manifest, if those were not read yet.
  ///
  /// - Returns: nil if the index has none.
  package func starts() throws(IndexError) -> StartsReader? {
    if let reader = lazyStarts.load() { return reader }
    guard manifest.hasStarts else { return nil }
    let (head, start) = try manifest.startsHead()
    let starts = try manifest.startsManifest(
      head, from: start, in: directory, contexts: contexts, keeping: shards.cache.pagesLimitBytes)
    let reader = ShardReader(
      starts, cache: shards.cache, loader: shards.loader, openFileLimit: shards.files.limit, named: manifest)
    return lazyStarts.storeIfNil(StartsReader(head, Generation(reader, nil, isOfStarts: true)))
  }

  /// Returns the generation that answers a text with fewer reads, if there is one: where each read is a round trip, the
  /// starts.
  ///
  /// - Parameters:
  ///   - text: The folded text.
  ///   - count: The matches that are wanted, from the first on.
  package func nearest(to text: [UInt8], count: Int) throws(IndexError) -> Generation {
    guard directory.carried != nil, overlay == nil, manifest.hasStarts, count <= StartsHead.depth, !text.isEmpty,
      text.count <= StartsHead.textSizeLimit, let starts = try starts(), starts.head.answers(text)
    else { return self }
    return starts.generation
  }
}
