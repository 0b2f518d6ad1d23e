/// The place of a ranked query, in an index with the table of cells. Source: docs/ranking.md section 9.
final class RankedNear: Sendable {
  private let query: ShardedIndex.Place
  private var place: NearPlace { query.place }
  /// The numbers of the fields with latitudes and longitudes. A record's first field from each list counts.
  private let latitudes: [Int]
  private let longitudes: [Int]
  /// The names of these fields.
  private let fields: CoordinateFields
  /// For each cell, a bound on the nearness of its records; nil for a cell beyond the radius.
  private let bounds: [Int?]
  /// The strength of nearness, in eighths.
  private let eighths: Int
  /// The greatest nearness in a score, in steps.
  let greatest: Int
  /// The places within the radius; nil for all places.
  private let circle: NearCircle?

  /// - Parameters:
  ///   - manifest: Of an index with cells.
  ///   - isCondition: Whether the radius counts alone, and the nearness of all records is 0.
  ///
  /// Embedded Swift does not free the memory of an object whose initializer returns nil, so this one does not.
  init(_ place: ShardedIndex.Place, in manifest: ManifestReader, isCondition: Bool = false) {
    let settings = IndexSettings(of: manifest.root, hasTables: false)
    let eighths = isCondition ? 0 : place.eighths
    (query, self.eighths) = (place, eighths)
    let names = manifest.fieldNames
    fields = settings.coordinateFields
    latitudes = fields.latitudes.compactMap { names.number(of: $0) }
    longitudes = fields.longitudes.compactMap { names.number(of: $0) }
    let circle = place.radius.map { NearCircle(place.place, radius: $0) }
    self.circle = circle
    bounds = (0..<NearPlace.cellCount).map { cell in
      circle?.reaches(cell: cell) ?? true ? place.place.greatestNear(inCell: cell) * eighths / 8 : nil
    }
    greatest = NearPlace.greatest * eighths / 8
  }

  /// Whether records beyond a radius do not match.
  var isLimited: Bool { circle != nil }

  /// Returns the radius as a condition alone; nil without a radius.
  func condition(in manifest: ManifestReader) -> RankedNear? {
    isLimited ? RankedNear(query, in: manifest, isCondition: true) : nil
  }

  // MARK: Bounds

  /// Returns the cells of a page.
  func page(_ number: Int, of reader: ShardReader) throws(IndexError) -> PageCells {
    guard let table = try reader.table(.cells, ofPage: number) else {
      return PageCells(table: nil, bounds: [], of: self, isOfEntries: reader.isOfEntries)
    }
    return PageCells(
      table: table,
      bounds: (0..<table.count).map { number in
        guard let cell = NearPlace.cell(ofValue: table.value(number)) else { return greatest }
        return bounds[cell]
      }, of: self, isOfEntries: reader.isOfEntries)
  }

  /// Returns the cells of a page if the query has a radius; otherwise nil.
  func limitedPage(_ number: Int, of reader: ShardReader) throws(IndexError) -> PageCells? {
    circle == nil ? nil : try page(number, of: reader)
  }

  /// The cells of a page, each with its bound.
  final class PageCells {
    fileprivate let table: ValueTable?
    fileprivate let bounds: [Int?]
    /// The bound without a table.
    fileprivate let greatest: Int
    fileprivate let withoutPlace: Int?
    /// Whether the cells are of entries. The weights of entries are raised scores, whose differences count here.
    fileprivate let isOfEntries: Bool

    fileprivate init(table: ValueTable?, bounds: [Int?], of near: RankedNear, isOfEntries: Bool) {
      (self.table, self.bounds, self.isOfEntries) = (table, bounds, isOfEntries)
      (greatest, withoutPlace) = (near.greatest, near.withoutPlace)
    }

    /// Whether all records of the page are beyond the radius.
    var isBeyond: Bool { table != nil && bounds.allSatisfy { $0 == nil } }

    /// Returns a bound on the nearness to add to the code of a weight, for the records of a shard; nil if all of them
    /// are beyond the radius.
    ///
    /// - Parameters:
    ///   - weight: The greatest weight of the records.
    ///   - index: The position of the shard in the page.
    func near(_ weight: UInt64, ofShard index: Int) -> Int? {
      guard let table else { return greatest }
      return near(weight, table.entries(ofShard: index), bounds)
    }

    /// Returns the same for each part of a shard.
    ///
    /// - Parameters:
    ///   - weights: The greatest weight of a record in each part; nil for a part without a record that passes the
    ///     filter.
    ///   - shard: The number of the shard.
    func near(
      _ weights: [UInt64?], ofPartsOf shard: Int, in reader: ShardReader
    ) throws(IndexError) -> [Int?] {
      guard let table else { return weights.map { _ in greatest } }
      let (parts, index) = try reader.parts(of: .cells, table, shard: shard)
      let range = try reader.range(of: parts, ofShard: index, count: weights.count, shard: shard)
      let own = table.entries(ofShard: shard % Manifest.pageCapacity).map { bounds[$0.number] }
      return weights.indices.map { part in
        near(weights[part] ?? 0, parts.entries(ofPart: range.lowerBound + part), own)
      }
    }

    /// Returns a bound on the nearness that cells add to the code of a weight; nil if all cells are beyond the radius.
    ///
    /// A record in a cell weighs at most the greatest weight there. A record without coordinates has a nearness of 0,
    /// and is beyond each radius.
    ///
    /// - Parameter bounds: The bounds of the cells, by their numbers.
    private func near(_ weight: UInt64, _ cells: [ValueLists.ListedValue], _ bounds: [Int?]) -> Int? {
      let own = code(weight)
      var greatest = withoutPlace
      for cell in cells {
        guard let bound = bounds[cell.number] else { continue }
        let near = code(min(weight, cell.weight)) + bound - own
        greatest = max(greatest ?? near, near)
      }
      return greatest
    }

    private func code(_ weight: UInt64) -> Int {
      isOfEntries ? EntryKind.score(ofEntry: weight, raise: 0) : WeightRule.code(weight)
    }
  }

  // MARK: Records

  /// The nearness of a record without coordinates; nil if there is a radius, because such a record does not match.
  private var withoutPlace: Int? { circle == nil ? 0 : nil }

  /// Returns the nearness of each of some records of a part; nil for a record beyond the radius.
  ///
  /// - Parameter range: The records, counted within the part.
  func values(_ range: Range<Int>, of reference: PartReference, in reader: ShardReader) throws(IndexError) -> [Int?] {
    var values = [Int?](repeating: withoutPlace, count: range.count)
    guard !latitudes.isEmpty, !longitudes.isEmpty else { return values }
    try PartReader(reader, reference).forEachRecord(in: range) { record, slots, buffer in
      func slot(_ fields: [Int]) -> Int? {
        for field in fields {
          if let slot = slots.first(where: { Int(buffer.rawName(ofField: $0)) == field }) { return slot }
        }
        return nil
      }
      guard let latitude = slot(latitudes), let longitude = slot(longitudes) else { return }
      unsafe buffer.withText(latitude) { latitude in
        unsafe buffer.withText(longitude) { longitude in
          values[record - range.lowerBound] = near(
            unsafe NearPlace(latitude: latitude, longitude: longitude, of: fields))
        }
      }
    }
    return values
  }

  /// Returns the greatest nearness of the records of each of some entries of a part; nil for an entry whose records are
  /// all beyond the radius.
  ///
  /// - Parameter field: The number of the field that lists cells; nil if no entry has the field.
  func greatest(
    _ range: Range<Int>, of reference: PartReference, field: Int?, in reader: ShardReader
  ) throws(IndexError) -> [Int?] {
    var values = [Int?](repeating: withoutPlace, count: range.count)
    guard let field else { return values }
    try unsafe PartReader(reader, reference).forEachField(field, in: range) { record, text, kind in
      unsafe FieldTexts.forEach(text, kind) { digits in
        guard let cell = unsafe NearPlace.cell(ofDigits: digits), let bound = bounds[cell] else { return }
        values[record - range.lowerBound] = max(values[record - range.lowerBound] ?? bound, bound)
      }
    }
    return values
  }

  /// Returns the nearness of an added record of the overlay; nil for a record beyond the radius.
  func value(added number: Int, in overlay: Overlay) -> Int? {
    value { field in
      var text: [UInt8]?
      overlay.forEachField(of: number) { if text == nil, $0.name == field { text = unsafe Array($0.text) } }
      return text
    }
  }

  /// Returns the nearness of a record; nil for a record beyond the radius.
  ///
  /// - Parameter text: Returns the text of a field of the record, by number; nil if the record lacks the field.
  func value(_ text: (Int) -> [UInt8]?) -> Int? {
    func first(_ fields: [Int]) -> [UInt8]? {
      for field in fields { if let text = text(field) { return text } }
      return nil
    }
    guard let latitude = first(latitudes), let longitude = first(longitudes) else { return withoutPlace }
    return near(latitude, longitude)
  }

  private func near(_ latitude: [UInt8], _ longitude: [UInt8]) -> Int? {
    let other = unsafe latitude.withUnsafeBufferPointer { latitude in
      unsafe longitude.withUnsafeBufferPointer { unsafe NearPlace(latitude: latitude, longitude: $0, of: fields) }
    }
    return near(other)
  }

  /// - Parameter other: The place of a record; nil if the record has no coordinates.
  private func near(_ other: NearPlace?) -> Int? {
    guard let other, circle?.has(other) ?? true else { return other == nil ? withoutPlace : nil }
    return place.near(other) * eighths / 8
  }

  /// Adds the place and the radius to the bytes that tell queries apart.
  func write(to bytes: inout [UInt8]) {
    bytes += [
      0, 3, UInt8(eighths), UInt8(truncatingIfNeeded: place.latitude), UInt8(truncatingIfNeeded: place.latitude >> 8),
    ]
    bytes += [UInt8(truncatingIfNeeded: place.longitude), UInt8(truncatingIfNeeded: place.longitude >> 8)]
    bytes.append(UInt8(truncatingIfNeeded: place.longitude >> 16))
    guard let radius = query.radius else { return }
    var writer = ByteWriter()
    writer.write(radius.bitPattern)
    for degrees in [place.latitudeMillionths, place.longitudeMillionths] {
      writer.write(UInt32(bitPattern: Int32(degrees)))
    }
    bytes += writer.bytes
  }
}
