import ShardedIndex

/// The finder of a record's cell in the density grid.
struct CellFinder: Sendable {
  /// For each field number, its ranks in the two lists of names; `.max` for fields that are in neither list.
  private let ranks: [(latitude: UInt8, longitude: UInt8)]
  private let fields: CoordinateFields
  /// Whether any field could be a coordinate.
  let findsAny: Bool

  init(names: [String], _ fields: CoordinateFields) {
    func rank(_ name: String, _ list: [String]) -> UInt8 { list.firstIndex(of: name).map { UInt8($0) } ?? .max }
    self.fields = fields
    ranks = names.map { (rank($0, fields.latitudes), rank($0, fields.longitudes)) }
    findsAny = ranks.contains { $0.latitude < .max } && ranks.contains { $0.longitude < .max }
  }

  /// Returns the cell of a record; nil if it has no coordinates.
  func cell(of record: RecordBlob) -> Int? {
    unsafe withCoordinates(of: record) { unsafe DensityGrid.cell(latitude: $0, longitude: $1) }
  }

  /// Returns the place of a record; nil if it has no coordinates.
  func place(of record: RecordBlob) -> NearPlace? {
    unsafe withCoordinates(of: record) { unsafe NearPlace(latitude: $0, longitude: $1) }
  }

  /// Returns the place of the record with these fields of a buffer.
  func place(of fields: Range<Int>, in buffer: RecordBuffer) -> NearPlace? {
    func first(_ rank: (Int) -> UInt8) -> Int? {
      let best = fields.min { rank(Int(buffer.rawName(ofField: $0))) < rank(Int(buffer.rawName(ofField: $1))) }
      return best.flatMap { rank(Int(buffer.rawName(ofField: $0))) < .max ? $0 : nil }
    }
    guard let latitude = first({ ranks[$0].latitude }), let longitude = first({ ranks[$0].longitude }) else {
      return nil
    }
    return unsafe withNumbers(in: buffer.rawField(latitude).text, buffer.rawField(longitude).text) {
      unsafe NearPlace(latitude: $0, longitude: $1)
    }
  }

  private func withCoordinates<Place>(of record: RecordBlob, _ body: (Text, Text) -> Place?) -> Place? {
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
    return unsafe withNumbers(in: north, east, body)
  }

  private func withNumbers<Place>(in latitude: Text, _ longitude: Text, _ body: (Text, Text) -> Place?) -> Place? {
    guard let numbers = unsafe fields.form.numbers(in: latitude, longitude) else { return nil }
    return unsafe body(latitude.part(numbers.latitude), longitude.part(numbers.longitude))
  }
}

extension CellFinder {
  /// Returns the cells of the piece's records that have coordinates.
  func cells(of piece: Piece) -> [UInt32] {
    guard findsAny else { return [] }
    return (0..<piece.count).compactMap { cell(of: piece.record($0)).map { UInt32($0) } }
  }
}
