extension ShardedIndex {
  /// Asks a carrier for all that a query of a prefix is known to read: bytes that are missing in several places then
  /// come side by side. Errors are left to the query, which stopped at the first of those places.
  package func prefetch(forPrefix prefix: String) {
    let generation = generation
    for reading in Fold.readings(of: Array(prefix.utf8)) {
      reading.withFoldedPrefix { text in
        let run = TypedRun(text)
        if let last = run.word.lastSpace {
          text.withSeparator(at: last) { generation.shards.prefetch(TypedRun($0)) }
        }
        generation.shards.prefetch(run)
      }
    }
  }
}

extension ShardReader {
  /// Loads the parts at both ends of a run, as far as they are there.
  fileprivate func prefetch(_ run: TypedRun) {
    guard manifest.shardCount > 0, !run.word.isEmpty else { return }
    if let first = try? manifest.shardPositions(forPrefix: run.word).first {
      _ = try? part(of: first, unpacks: true) { $0.first(for: run.word) }
    }
    if let last = try? manifest.shardPositions(forPrefix: run.text).last {
      _ = try? part(of: last) { $0.last(for: run.text, from: 0) }
    }
  }
}
