import ShardedIndex

extension Verifier {
  /// The most bytes of the shards that are checked at once.
  private static let budget = 16 << 20

  /// Checks shards on all processors. Checks the neighbours of shards in order, so that the findings do not depend on
  /// the number of threads.
  mutating func checkShards(isCompared: Bool) {
    let (index, shards, idField) = (index, shards, idField)
    let weightField = ranks == nil ? nil : try? WeightField(of: index.generation.manifest)
    let (sideFields, numberFields) = (sides?.fields, numbers?.fields)
    let progress = progress
    var neighbour = KeysBefore()
    var counted: Set<String> = []
    var (given, next) = (0, 0)
    do throws(BuildError) {
      try WorkerPool.orderedMap(
        threads: WorkerPool.availableThreads, budget: Self.budget,
        // A shard takes the size of its file. A large record takes the header, the kept part of it, and the decoded
        // record.
        cost: { $0.file.size + 3 * $0.file.headerContentSize },
        next: { () throws(BuildError) -> Manifest.Shard? in
          given += 1
          return given <= shards.count ? shards[given - 1] : nil
        },
        transform: { (shard) throws(BuildError) in
          ShardCheck.check(
            shard, of: index, idField: idField, weightField: weightField,
            sideFields: sideFields, numberFields: numberFields, isCompared: isCompared)
        },
        deliver: { (checked) throws(BuildError) in
          let shard = checked.shard
          let name = shard.fileName
          // Shards with the same content share one file.
          if checked.firstKey != nil, counted.insert(name).inserted { summary.bytes += shard.file.size }
          for (number, sum) in checked.sums { sums[number].add(sum) }
          greatestID = max(greatestID, checked.greatestID)
          if shard.number != next { neighbour.isAdjacent = false }  // A page between them is damaged.
          next = shard.number + 1
          progress?(Progress(phase: .shards, done: next, total: shards.count))
          let reason = checked.reason ?? neighbour.fault(before: checked)
          if let failure = checked.failure { unread(name, failure) } else if let reason { damage(name, reason) }
          let isSound = checked.reason == nil && checked.failure == nil
          checkRanks(ofShard: shard.number, isSound ? checked.greatestWeights : nil)
          checkNumbers(ofShard: shard.number, isSound ? checked.numbers : nil)
          checkSides(ofShard: shard.number, isSound ? checked.sides : nil)
          // After a damaged shard the greatest key is unknown.
          neighbour.isAdjacent = reason == nil && checked.failure == nil
          if checked.firstKey != nil, neighbour.key.lexicographicallyPrecedes(checked.lastKey) {
            neighbour.key = checked.lastKey
          }
        })
    } catch {
      preconditionFailure("this cannot throw: \(error)")
    }
  }
}

/// The keys before a checked run of keys.
struct KeysBefore {
  /// The greatest key.
  var key: [UInt8] = []
  /// Whether there is a key, and no other key between it and the run.
  var isAdjacent = false

  /// Returns the fault of the beginning of a run of keys; nil if there is none.
  ///
  /// - Parameters:
  ///   - order: The order of the greatest key before and `first`.
  ///   - owner: The shard or the part with the bound and the flag, in the genitive.
  func fault(
    first: Span<UInt8>, order: Int, bound: Span<UInt8>, isContinuation: Bool, _ owner: String
  ) -> String? {
    if compareBytes(bound, first) > 0 { return "has a key below \(owner) lower bound" }
    if isContinuation {
      return isAdjacent && order != 0 || compareBytes(bound, first) != 0
        ? "does not continue the key before it, as \(owner) flag says" : nil
    }
    let isAbove = !isAdjacent || compareBytes(key.span, bound) < 0
    return isAbove ? nil : "follows keys that are not below \(owner) lower bound"
  }

  /// Returns the fault of the beginning of a sound shard; nil if there is none.
  func fault(before checked: ShardCheck.CheckedShard) -> String? {
    guard let first = checked.firstKey else { return nil }
    let order = compareBytes(key.span, first.span)
    if order > 0 { return "record 0 has a key below the previous key" }
    let shard = checked.shard
    return unsafe fault(
      first: first.span, order: order, bound: shard.bound.span, isContinuation: shard.file.isContinuation, "the shard's"
    ).map { "record 0 " + $0 }
  }
}
