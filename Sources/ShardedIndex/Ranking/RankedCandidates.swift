/// Records of an opened part that may be hits, with all that ranks them.
struct RankedCandidates {
  let records: Range<Int>
  let reference: PartReference
  let part: RankedPart
  let weights: PartWeights
  /// The greatest rank of the records to add; nil for all records.
  let limit: ShardedIndex.Rank?
  /// Whether each of the records passes the filters; nil without filters.
  let passing: [Bool]?
  /// The nearness of each of the records, nil for a record beyond the radius; nil without a place.
  let nears: [Int?]?
  /// The key of each of the records; nil without an order by numbers.
  let keys: [UInt64]?

  /// Whether a record passes the filters, and is within the radius.
  func passes(_ record: Int) -> Bool {
    passing?[record - records.lowerBound] ?? true && (nears == nil || nears?[record - records.lowerBound] != nil)
  }

  /// The nearness of a record in its score.
  func near(_ record: Int) -> Int { nears?[record - records.lowerBound] ?? 0 }

  /// The key of a record in an order by numbers.
  func key(_ record: Int) -> UInt64 { keys?[record - records.lowerBound] ?? 0 }
}
