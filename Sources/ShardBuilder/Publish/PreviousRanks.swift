import ShardedIndex

/// The ranks of the previous generation: the greatest weights of the kept shards.
struct PreviousRanks: Sendable {
  private let previous: PreviousIndex
  private let rule: WeightRule
  /// The number of the field in the previous generation; nil if no record has the field.
  private let field: Int?
  /// Whether the previous generation has ranks by the same field and scale.
  private let isUsable: Bool

  /// - Parameter settings: The settings of the new index.
  init?(_ previous: PreviousIndex, _ settings: IndexSettings) {
    guard settings.isRanked, let rule = WeightRule(scale: settings.weightScale) else { return nil }
    let manifest = previous.index.generation.manifest
    let own = IndexSettings(of: manifest.root)
    (self.previous, self.rule) = (previous, rule)
    field = settings.weight.flatMap { previous.index.fieldNames.firstIndex(of: $0) }
    isUsable = manifest.hasRanks && own.weight == settings.weight && own.weightScale == settings.weightScale
  }

  /// Returns the greatest weight of each part of a shard from the ranks; nil if the ranks lack the shard or are
  /// damaged.
  func known(of shard: Manifest.Shard) throws(BuildError) -> [UInt64]? {
    guard isUsable else { return nil }
    do throws(IndexError) {
      return try previous.index.generation.manifest.partWeights(ofShard: shard.number)
    } catch {
      // Damaged ranks count as none. If a read failed, the ranks may be sound.
      if case .io = error { throw .index(error) }
      return nil
    }
  }

  /// Returns the greatest weight of each part of a shard, from its records if necessary.
  func weights(of shard: Manifest.Shard) throws(BuildError) -> [UInt64] {
    if let known = try known(of: shard) { return known }
    return try BuildError.ofIndex { () throws(IndexError) in
      var weights: [UInt64] = []
      let buffer = RecordBuffer()
      _ = try previous.index.generation.readWhole(shard) { part in
        weights.append(part.greatestWeight(field: field, rule: rule, with: buffer))
      }
      return weights
    }
  }
}

extension PartContent {
  /// Returns the greatest weight of the part's records.
  ///
  /// - Parameter field: The number of the field with weights; nil if no record has it.
  func greatestWeight(field: Int?, rule: WeightRule, with buffer: RecordBuffer) -> UInt64 {
    guard let field else { return 0 }
    var greatest: UInt64 = 0
    unsafe forEachField(field, with: buffer) { _, value, format in
      unsafe format.withText(of: value) { greatest = max(greatest, unsafe rule.weight(of: $0)) }
    } text: { _, text, _ in
      greatest = max(greatest, unsafe rule.weight(of: text))
    }
    return greatest
  }
}
