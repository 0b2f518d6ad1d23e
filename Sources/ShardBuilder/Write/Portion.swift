import ShardedIndex

/// A stretch of a new index.
enum Portion: Sendable {
  /// Records that become a shard, or several.
  case records(Piece)
  /// Pieces of an old index, by number, that stay as they are, and the last key of the last of them. The key is empty
  /// if no records follow.
  case kept(Range<Int>, of: KeptIndex, lastKey: [UInt8])
}

/// An index whose pieces stay in the new index.
struct KeptIndex: Sendable {
  let index: PreviousIndex
  let ranks: PreviousRanks?
  /// The previous numbers; nil if the new index has none.
  let columns: PreviousNumbers?
  let sides: PreviousSides?
  /// The fields with coordinates in the new index.
  let coordinates: CoordinateFields
  /// For each field of the index, the number of its name among the names of the written records.
  let numbers: [UInt32]

  /// - Parameters:
  ///   - settings: The settings of the new index.
  ///   - numbers: The numbers for ``numbers``; nil if the field names of this index come first.
  init(_ index: PreviousIndex, _ settings: IndexSettings, numbers: [UInt32]? = nil) throws(BuildError) {
    self.index = index
    ranks = PreviousRanks(index, settings)
    columns = PreviousNumbers(index, settings)
    sides = try PreviousSides(index, settings)
    coordinates = settings.coordinateFields
    self.numbers = numbers ?? (0..<UInt32(index.index.generation.manifest.fieldCount)).map { $0 }
  }
}
