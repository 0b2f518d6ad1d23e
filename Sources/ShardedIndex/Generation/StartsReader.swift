/// The starts of a generation: an index of their own with the first and the best records of texts with matches in
/// several shards. Source: docs/format.md section 3.14.
package final class StartsReader: Sendable {
  package let head: StartsHead
  /// The generation of the starts' records, with positions of its own.
  package let generation: Generation

  init(_ head: StartsHead, _ generation: Generation) { (self.head, self.generation) = (head, generation) }
}

extension ManifestReader {
  /// Whether the index has starts.
  package var hasStarts: Bool { root.chains.starts != nil }

  /// Opens the starts: their head, and the manifest behind it.
  fileprivate func openStarts(
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

extension Generation {
  /// Returns the starts. The first call reads their head and the root of their manifest.
  ///
  /// - Returns: nil if the index has none.
  package func starts() throws(IndexError) -> StartsReader? {
    if let reader = lazyStarts.load() { return reader }
    guard
      let (head, starts) = try manifest.openStarts(
        in: directory, contexts: contexts, keeping: shards.cache.pagesLimitBytes)
    else { return nil }
    let reader = ShardReader(
      starts, cache: shards.cache, loader: shards.loader, openFileLimit: shards.files.limit, named: manifest)
    return lazyStarts.storeIfNil(StartsReader(head, Generation(reader, nil, isOfStarts: true)))
  }

  /// Returns the generation that answers a text with the fewest reads: the starts, if each read is a round trip and
  /// they answer the text; else this one.
  ///
  /// - Parameters:
  ///   - text: The folded text.
  ///   - count: The number of matches to find, from the first on.
  package func nearest(to text: [UInt8], count: Int) throws(IndexError) -> Generation {
    guard mayAnswerFromStarts(count), !text.isEmpty, text.count <= StartsHead.textSizeLimit,
      let starts = try starts(), starts.head.answers(text),
      // Keys are made from the fields of the starts' records.
      starts.generation.schema.isKeyStored == schema.isKeyStored
    else { return self }
    return starts.generation
  }

  /// Returns the same for a folded prefix.
  func nearest(to text: FoldedPrefix, count: Int) throws(IndexError) -> Generation {
    guard mayAnswerFromStarts(count) else { return self }
    return unsafe try nearest(to: Array(text.bytes), count: count)
  }

  /// Whether starts may answer some texts with fewer reads.
  ///
  /// - Parameter count: The number of matches to find, from the first on.
  package func mayAnswerFromStarts(_ count: Int) -> Bool {
    directory.carried != nil && overlay == nil && manifest.hasStarts && count <= StartsHead.depth
  }
}
