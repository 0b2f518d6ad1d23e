import ShardedIndex

/// A writer of records for people: the keys, and the coordinates in columns of their own.
struct TextWriter {
  private let schema: Schema
  private var line: [UInt8] = []
  private var keys: [UInt8] = []
  private var keyEnds: [(end: Int, columns: Int)] = []
  private var keyColumns = 0
  /// The look of the lines; nil for plain text, with coordinates as in the dataset.
  var look: TextLook?
  /// The folded text whose matches are marked, in an alphabetical answer.
  var matchedText: [UInt8] = []
  /// The folded keys of the next records.
  var foldedKeys = FoldedKeys()
  /// The other name of each of the next records, for hits by other names; empty for none.
  var otherNames: [String?] = []
  /// The ranges that matched in each of the next records of a ranked answer: of the other name if there is one, else of
  /// the key.
  var highlights: [[Range<Int>]] = []
  /// The number of the others in the group of each of the next records; empty without groups.
  var others: [Int] = []

  /// Whether the buffer's records need ``foldedKeys``, since the index does not store all fields of their keys.
  var needsFoldedKeys: Bool { !schema.isKeyStored }

  /// The last column to which a long key moves the coordinates of all records.
  private static let keyColumnLimit = 48
  /// The most digits behind the point of a coordinate for people. The fourth digit is 11 metres.
  private static let digitLimit = 4

  init(_ schema: Schema) { self.schema = schema }

  /// Writes the keys of a buffer's records, and their coordinates.
  mutating func write(_ buffer: RecordBuffer, to output: inout Output) throws(WriteError) {
    keys.removeAll(keepingCapacity: true)
    keyEnds.removeAll(keepingCapacity: true)
    for record in 0..<buffer.count { addKey(buffer, record) }
    let places = look == nil ? nil : RoundedPlaces(buffer, schema, digitLimit: Self.digitLimit)
    var start = 0
    for record in 0..<buffer.count {
      let (end, columns) = keyEnds[record]
      try unsafe keys.withUnsafeBufferPointer { (keys) throws(WriteError) in
        try unsafe output.write(UnsafeBufferPointer(rebasing: keys[start..<end]))
      }
      start = end
      if let latitude = unsafe buffer.text(ofField: schema.latitude, record),
        let longitude = unsafe buffer.text(ofField: schema.longitude, record),
        let numbers = unsafe schema.coordinates.numbers(in: latitude, longitude),
        !numbers.latitude.isEmpty, !numbers.longitude.isEmpty
      {
        for _ in 0..<(max(keyColumns - columns, 0) + 4) { try output.write(0x20) }
        if let places, let place = places.rows[record] {
          try write(place, places, to: &output)
        } else {
          line.removeAll(keepingCapacity: true)
          _ = unsafe ControlText.append(.init(rebasing: latitude[numbers.latitude]), to: &line)
          line += [0x2c, 0x20]
          _ = unsafe ControlText.append(.init(rebasing: longitude[numbers.longitude]), to: &line)
          try output.write(line)
        }
      }
      try output.write(0x0a)
    }
  }

  /// Appends a record's key to the next keys, with its other name, the marks of its match and the number of others.
  private mutating func addKey(_ buffer: RecordBuffer, _ record: Int) {
    line.removeAll(keepingCapacity: true)
    if needsFoldedKeys { line += foldedKeys[record] } else { buffer.appendKey(ofRecord: record, schema, to: &line) }
    let name = record < otherNames.count ? otherNames[record] : nil
    var marks: [Range<Int>] = []
    if let look, look.isColored {
      marks =
        record < highlights.count
        ? highlights[record]
        : ShardedIndex.Matches.highlights(of: matchedText, in: String(decoding: line, as: UTF8.self))
    }
    var columns = append(name == nil ? marks : [])
    if let name {
      keys += [0x20, 0x28]
      line = Array(name.utf8)
      columns += append(marks) + 3
      keys.append(0x29)
    }
    if record < others.count, others[record] > 0 {
      let text = Array(" (+\(others[record]))".utf8)
      if look?.isColored == true { keys += TextLook.quiet + text + TextLook.reset } else { keys += text }
      columns += text.count
    }
    keyEnds.append((keys.count, columns))
    if columns <= Self.keyColumnLimit { keyColumns = max(keyColumns, columns) }
  }

  /// Appends the line to the keys, and returns its columns.
  private mutating func append(_ marks: [Range<Int>]) -> Int {
    var (columns, at) = (0, 0)
    func show(_ range: Range<Int>) -> Int {
      unsafe line[range].withUnsafeBufferPointer { unsafe ControlText.append($0, to: &keys) }
    }
    for mark in marks where mark.lowerBound >= at && mark.upperBound <= line.count && !mark.isEmpty {
      columns += show(at..<mark.lowerBound)
      keys += TextLook.matched
      columns += show(mark)
      keys += TextLook.reset
      at = mark.upperBound
    }
    return columns + show(at..<line.count)
  }

  private func write(
    _ place: RoundedPlaces.RoundedPlace, _ places: RoundedPlaces, to output: inout Output
  ) throws(WriteError) {
    guard let look else { return }
    for _ in place.latitude.utf8.count..<max(places.latitudeColumns, place.latitude.utf8.count) {
      try output.write(0x20)
    }
    if look.isColored { try output.write(TextLook.quiet) }
    if look.hasLinks {
      // Source: RFC 5870 for the address.
      try output.write("\u{1b}]8;;geo:" as StaticString)
      try output.write(place.link)
      try output.write("\u{1b}\\" as StaticString)
    }
    try output.write(place.latitude)
    try output.write(", " as StaticString)
    for _ in place.longitude.utf8.count..<max(places.longitudeColumns, place.longitude.utf8.count) {
      try output.write(0x20)
    }
    try output.write(place.longitude)
    if look.hasLinks { try output.write("\u{1b}]8;;\u{1b}\\" as StaticString) }
    if look.isColored { try output.write(TextLook.reset) }
  }
}

/// The coordinates of some records for people: rounded, all with the same number of digits behind the point.
private struct RoundedPlaces {
  struct RoundedPlace {
    var latitude: String
    var longitude: String
    /// The latitude and the longitude for a link's address, with up to six digits behind the point.
    var link: String
  }

  /// The coordinates of each record; nil if they are not usable.
  private(set) var rows: [RoundedPlace?] = []
  private(set) var latitudeColumns = 0
  private(set) var longitudeColumns = 0

  /// - Parameter digitLimit: The most digits behind the point; fewer if no record needs so many.
  init(_ buffer: RecordBuffer, _ schema: Schema, digitLimit: Int) {
    let places = (0..<buffer.count).map { Degrees.degrees(ofRecord: $0, in: buffer, schema) }
    var digits = 0
    for case let place? in places {
      digits = max(
        digits, Degrees.digitsNeeded(place.latitude, limit: digitLimit),
        Degrees.digitsNeeded(place.longitude, limit: digitLimit))
    }
    for place in places {
      rows.append(
        place.map {
          RoundedPlace(
            latitude: Degrees.rounded($0.latitude, digits: digits),
            longitude: Degrees.rounded($0.longitude, digits: digits),
            link: Degrees.rounded($0.latitude, digits: 6) + "," + Degrees.rounded($0.longitude, digits: 6))
        })
    }
    for case let row? in rows {
      latitudeColumns = max(latitudeColumns, row.latitude.utf8.count)
      longitudeColumns = max(longitudeColumns, row.longitude.utf8.count)
    }
  }
}
