import ShardedIndex

/// The finder of the cell of the density grid that a record lies in.
struct CellFinder: Sendable {
  /// Per field number its ranks in the two lists of names; `.max` for fields that are in neither.
  private let ranks: [(latitude: UInt8, longitude: UInt8)]
  /// Whether any field could be a coordinate.
  let findsAny: Bool

  init(names: [String]) {
    func rank(_ name: String, _ list: [String]) -> UInt8 { list.firstIndex(of: name).map { UInt8($0) } ?? .max }
    ranks = names.map { (rank($0, CoordinateNames.latitudes), rank($0, CoordinateNames.longitudes)) }
    findsAny = ranks.contains { $0.latitude < .max } && ranks.contains { $0.longitude < .max }
  }

  /// Returns the cell of a record; nil if it has no coordinates.
  func cell(of record: RecordBlob) -> Int? {
    guard findsAny else { return nil }
    var (latitude, longitude) = (UInt8.max, UInt8.max)
    var (north, east) = unsafe (Text.empty, Text.empty)
    var offset = record.textsOffset
    for field in 0..<record.fieldCount {
      let rank = ranks[Int(record.fieldName(field))]
      let text = unsafe record.text(field, &offset)
      if rank.latitude < latitude { unsafe (latitude, north) = unsafe (rank.latitude, text) }
      if rank.longitude < longitude { unsafe (longitude, east) = unsafe (rank.longitude, text) }
    }
    guard latitude < .max, longitude < .max else { return nil }
    return unsafe DensityGrid.cell(latitude: north, longitude: east)
  }
}

extension CellFinder {
  /// Returns the cells of the piece's records that are on the map.
  func cells(of piece: Piece) -> [UInt32] {
    guard findsAny else { return [] }
    return (0..<piece.count).compactMap { cell(of: piece.record($0)).map { UInt32($0) } }
  }
}
