import ShardedIndex

/// The numbers of the previous generation: the columns of the kept shards.
struct PreviousNumbers: Sendable {
  private let previous: PreviousIndex
  private let fields: NumberFields
  /// Whether the previous generation has numbers of the same fields.
  private let isUsable: Bool

  /// - Parameter settings: The settings of the new index.
  init?(_ previous: PreviousIndex, _ settings: IndexSettings) {
    guard let fields = NumberFields(settings, names: previous.index.fieldNames) else { return nil }
    (self.previous, self.fields) = (previous, fields)
    isUsable = previous.index.generation.manifest.numberFields == settings.number
  }

  /// Returns the columns of a shard, from its records if necessary.
  func columns(of shard: Manifest.Shard) throws(BuildError) -> [[UInt64]] {
    do throws(IndexError) {
      if isUsable { return try previous.index.generation.manifest.numberColumns(ofShard: shard.number) }
    } catch {
      // Damaged numbers count as none. If a read failed, the numbers may be sound.
      if case .io = error { throw .index(error) }
    }
    var reader = NumberFields.Reader(fields)
    return try BuildError.ofIndex { () throws(IndexError) in
      _ = try previous.index.generation.readWhole(shard) { reader.add($0) }
      return reader.finish()
    }
  }
}
