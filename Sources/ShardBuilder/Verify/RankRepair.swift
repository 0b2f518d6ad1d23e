import ShardedIndex

/// The comparison of ranks with records. A repair makes it before it trusts a manifest.
enum RankRepair {
  /// Returns for each shard of an index the greatest weights of its parts, or nil if its records cannot be read.
  /// Returns nil if the index has no ranks.
  static func weights(of index: ShardedIndex, _ shards: [Manifest.Shard]) throws(IndexError) -> [[UInt64]?]? {
    guard let field = try WeightField(of: index.generation.manifest) else { return nil }
    return WorkerPool.map(shards.count, threads: WorkerPool.availableThreads) { number in
      guard (try? ShardFile(shards[number], of: index).check(in: index.directory)) != nil else { return nil }
      var weights: [UInt64] = []
      let buffer = RecordBuffer()
      let isRead = try? index.generation.readWhole(shards[number]) { part in
        weights.append(part.greatestWeight(field: field.number, rule: field.rule, with: buffer))
      }
      return isRead == nil ? nil : weights
    }
  }

  /// Returns whether the ranks of a manifest differ from the records, as far as the records could be read.
  static func isWrong(_ manifest: ManifestReader, _ weights: [[UInt64]?]) throws(IndexError) -> Bool {
    guard var check = try RankCheck(of: manifest), manifest.shardCount == weights.count else { return true }
    for (number, weights) in weights.enumerated() where !check.faults(ofShard: number, weights).isEmpty {
      return true
    }
    return !check.unreadable.isEmpty || !check.faultsOfPages().isEmpty
  }
}
