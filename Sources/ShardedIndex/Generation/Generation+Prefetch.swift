extension ShardedIndex.SearchQuery {
  /// Asks a carrier for all bytes that the search will certainly read. So missing bytes of several places come side by
  /// side. The search, which stopped at the first place, reports errors.
  package func prefetch(in generation: Generation) {
    // Starts that the carrier is fetching may answer the search.
    let folded = Fold.fold(text)
    guard let query = try? checked(in: generation.manifest),
      let source = try? query.source(generation, folded), !source.isOfStarts,
      let limit = query.keyLimit(generation, of: source)
    else { return }
    for reading in Fold.readings(of: folded) {
      reading.withFoldedPrefix { generation.prefetch($0, limit: limit) }
    }
  }
}

extension Generation {
  /// Asks for the same bytes for a folded text.
  func prefetch(_ text: FoldedPrefix, limit: Int) {
    let run = TypedRun(text)
    if let last = run.word.lastSpace {
      text.withSeparator(at: last) { shards.prefetch(TypedRun($0), limit: limit) }
    }
    // Starts that are being fetched will answer texts with matches in several shards.
    let awaitsStarts = !text.hasSpace && mayAnswerFromStarts(limit) && lazyStarts.load() == nil
    shards.prefetch(run, limit: limit, isOfOneShard: awaitsStarts)
  }
}

extension ShardReader {
  /// Loads the parts at both ends of a run, as far as their bytes have arrived. The end is left out if the shards
  /// between have more records than the limit.
  ///
  /// - Parameter isOfOneShard: Whether parts are loaded only if all matches are in one shard.
  fileprivate func prefetch(_ run: TypedRun, limit: Int, isOfOneShard: Bool = false) {
    guard manifest.shardCount > 0, !run.word.isEmpty else { return }
    let first = try? manifest.shardPositions(forPrefix: run.word, limit: 0).first
    let last = try? manifest.shardPositions(forPrefix: run.text, limit: limit).last
    if isOfOneShard, first == nil || first?.number != last?.number { return }
    if let first { _ = try? part(of: first, unpacks: true) { $0.first(for: run.word) } }
    guard let last else { return }
    if let first, last.firstRecord - first.firstRecord - first.recordCount > limit { return }
    _ = try? part(of: last) { $0.last(for: run.text, from: 0) }
  }
}
