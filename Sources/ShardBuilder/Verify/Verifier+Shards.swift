import ShardedIndex

extension Verifier {
  /// The most that the shards which are checked at once may take, in bytes.
  private static let budget = 16 << 20

  /// Checks shards on all processors, and their neighbourhood in their order, so that the findings do not depend on the
  /// number of threads.
  mutating func checkShards(isCompared: Bool) {
    let (index, shards, idField) = (index, shards, idField)
    let weightField = ranks == nil ? nil : try? WeightField(of: index.generation.manifest)
    let sideFields = sides?.fields
    let progress = progress
    var neighbour = KeysBefore()
    var counted: Set<String> = []
    var (given, next) = (0, 0)
    do throws(BuildError) {
      try WorkerPool.orderedMap(
        threads: WorkerPool.availableThreads, budget: Self.budget,
        // A shard takes its file, and for a large record the header, what is kept of that, and the decoded record.
        cost: { $0.file.size + 3 * $0.file.headerContentSize },
        next: { () throws(BuildError) -> Manifest.Shard? in
          given += 1
          return given <= shards.count ? shards[given - 1] : nil
        },
        transform: { (shard) throws(BuildError) in
          ShardCheck.check(
            shard, of: index, idField: idField, weightField: weightField,
            sideFields: sideFields, isCompared: isCompared)
        },
        deliver: { (checked) throws(BuildError) in
          let shard = checked.shard
          let name = shard.fileName
          // Shards with the same content are one file.
          if checked.firstKey != nil, counted.insert(name).inserted { summary.bytes += shard.file.size }
          for (number, sum) in checked.sums { sums[number].add(sum) }
          greatestID = max(greatestID, checked.greatestID)
          if shard.number != next { neighbour.isAdjacent = false }  // A page between is damaged.
          next = shard.number + 1
          progress?(Progress(phase: .shards, done: next, total: shards.count))
          let reason = checked.reason ?? neighbour.fault(before: checked)
          if let failure = checked.failure { unread(name, failure) } else if let reason { damage(name, reason) }
          let isSound = checked.reason == nil && checked.failure == nil
          checkRanks(ofShard: shard.number, isSound ? checked.greatestWeights : nil)
          checkSides(ofShard: shard.number, isSound ? checked.sides : nil)
          // Behind a shard that cannot be believed, the greatest key is not known.
          neighbour.isAdjacent = reason == nil && checked.failure == nil
          if checked.firstKey != nil, neighbour.key.lexicographicallyPrecedes(checked.lastKey) {
            neighbour.key = checked.lastKey
          }
        })
    } catch {
      preconditionFailure("nothing of this throws: \(error)")
    }
  }
}

/// The keys before a run of keys that is checked.
struct KeysBefore {
  /// The greatest one.
  var key: [UInt8] = []
  /// Whether there is one, and no other stands between.
  var isAdjacent = false

  /// Returns the fault of the beginning of a run of keys; nil if there is none.
  ///
  /// - Parameters:
  ///   - order: The order of the greatest key before and `first`.
  ///   - owner: The shard or part that the bound and the flag are of, in the genitive.
  func fault(
    first: Span<UInt8>, order: Int, bound: Span<UInt8>, isContinuation: Bool, _ owner: String
  ) -> String? {
    if compareBytes(bound, first) > 0 { return "has a key below \(owner) lower bound" }
    if isContinuation {
      return isAdjacent && order != 0 || compareBytes(bound, first) != 0
        ? "does not go on with the key before it, as \(owner) flag says" : nil
    }
    let isAbove = !isAdjacent || compareBytes(key.span, bound) < 0
    return isAbove ? nil : "follows keys that are not below \(owner) lower bound"
  }

  /// Returns the fault of the beginning of a shard that is sound by itself; nil if there is none.
  func fault(before checked: ShardCheck.Result) -> String? {
    guard let first = checked.firstKey else { return nil }
    let order = compareBytes(key.span, first.span)
    if order > 0 { return "record 0 has a key below the one before" }
    let shard = checked.shard
    return unsafe fault(
      first: first.span, order: order, bound: shard.bound.span, isContinuation: shard.file.isContinuation, "the shard's"
    ).map { "record 0 " + $0 }
  }
}
