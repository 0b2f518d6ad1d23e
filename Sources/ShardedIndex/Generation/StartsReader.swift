/// The starts of a generation: an index of their own with the best records of texts with matches in several shards, or
/// without ranks the first ones. Source: docs/format.md section 3.14.
package final class StartsReader: Sendable {
  package let head: StartsHead
  /// The generation of the starts' records, with positions of its own.
  package let generation: Generation

  init(_ head: StartsHead, _ generation: Generation) { (self.head, self.generation) = (head, generation) }
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
  ///   - isByRank: Whether the matches with the highest ranks are to be found; else the first ones by key.
  package func nearest(to text: [UInt8], count: Int, isByRank: Bool) throws(IndexError) -> Generation {
    guard mayAnswerFromStarts(count, isByRank: isByRank), isByRank || !text.isEmpty,
      text.count <= StartsHead.textSizeLimit,
      let starts = try starts(), starts.head.answers(text), isByRank || !starts.head.isByRank,
      // Keys are made from the fields of the starts' records.
      starts.generation.schema.isKeyStored == schema.isKeyStored
    else { return self }
    return starts.generation
  }

  /// Returns the generation that finds the first matches of a folded prefix by key with the fewest reads.
  func nearest(to text: FoldedPrefix, count: Int) throws(IndexError) -> Generation {
    guard mayAnswerFromStarts(count, isByRank: false) else { return self }
    return unsafe try nearest(to: Array(text.bytes), count: count, isByRank: false)
  }

  /// Whether starts may answer some texts with fewer reads.
  ///
  /// Starts of an index with ranks answer by rank alone.
  ///
  /// - Parameter count: The number of matches to find, from the first on.
  package func mayAnswerFromStarts(_ count: Int, isByRank: Bool) -> Bool {
    directory.carried != nil && overlay == nil && manifest.hasStarts && count <= StartsHead.depth
      && isByRank == manifest.isRanked
  }
}
