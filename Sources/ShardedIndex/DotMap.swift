/// How many of an index's records lie in each cell of half a degree: a map of them, which takes some 18 KB of the index
/// of 200,000 cities. Source: docs/format.md §3.9.
///
/// A record lies where its fields of the first of the usual names say, `coord.lat`, `lat` or `latitude` and likewise, in
/// decimal degrees. One that has no such fields, or in them no place on the globe, is not on the map. Takes a megabyte.
public struct DotMap: Sendable, Equatable {
  /// Cells from west to east; the first begins at 180 degrees west.
  public static let columns = 720
  /// Cells from north to south; the first begins at 90 degrees north.
  public static let rows = 360

  /// Rows whose cells have a frame of their own, so that a change leaves the frames of others as they are.
  private static let bandRows = 20
  fileprivate static let bandCells = bandRows * columns
  fileprivate static let bandCount = rows / bandRows
  /// No frame of a band is larger, nor has more content, in bytes: two varints for each cell would be 115,200.
  static let frameLimit = 1 << 17

  /// Row by row.
  private var counts: [UInt32]

  /// Without records.
  package init() { counts = Array(repeating: 0, count: Self.columns * Self.rows) }

  /// How many records lie in a cell; 0 for one that is not on the map.
  public func count(column: Int, row: Int) -> Int {
    guard 0..<Self.columns ~= column, 0..<Self.rows ~= row else { return 0 }
    return Int(counts[row * Self.columns + column])
  }

  /// - Parameter cell: As ``cell(latitude:longitude:)`` gives it.
  package mutating func add(_ cell: Int) { counts[cell] &+= 1 }

  /// Adds what an overlay changes.
  mutating func add(_ overlay: Overlay) {
    // One that is wrong about its cells makes a map that is wrong, whatever it says.
    for (cell, more) in overlay.cells { counts[cell] &+= UInt32(truncatingIfNeeded: more) }
  }

  // MARK: The index's bytes

  /// - Parameter frames: Contents and checksums of the map's frames, in order.
  package init(_ frames: [(content: [UInt8], checksum: UInt32)]) throws(FormatError) {
    self.init()
    for band in try DotBands(frames).bands {
      try DotBands.read(band.content) { counts[band.number * Self.bandCells + $0] = $1 }
    }
  }

  /// The cells of a band.
  fileprivate func counts(ofBand band: Int) -> ArraySlice<UInt32> {
    counts[band * Self.bandCells..<(band + 1) * Self.bandCells]
  }

  // MARK: Cells

  /// The cell of a place, exactly; nil where the texts are no decimal degrees on the globe.
  ///
  /// A place on a line between cells belongs to the one south or east of it, the south pole and 180 degrees east to the
  /// last.
  package static func cell(
    latitude: UnsafeBufferPointer<UInt8>, longitude: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    guard let north = halfDegrees(latitude, limit: 90), let east = halfDegrees(longitude, limit: 180) else {
      return nil
    }
    // The ceiling of a number is what is left of it below the floor of its negative.
    let row = min(rows - 1, 180 - north.ceiling)
    let column = min(columns - 1, 360 + east.floor)
    return row * columns + column
  }

  /// Half degrees in a number of one to three digits, with or without a point and digits behind it, which nearly all
  /// are: the whole ones without the sign, and whether something is left. nil for any other text.
  @inline(__always)
  private static func plainHalfDegrees(
    _ text: UnsafeBufferPointer<UInt8>
  ) -> (lower: Int, hasRest: Bool, isNegative: Bool)? {
    guard let start = text.baseAddress, text.count > 1 else { return nil }
    let isNegative = start[0] == UInt8(ascii: "-")
    var at = isNegative ? 1 : 0
    let first = at
    var whole = 0
    while at < text.count, start[at] &- 0x30 < 10 {
      whole = whole &* 10 &+ Int(start[at] &- 0x30)
      at += 1
    }
    guard 1...3 ~= at - first else { return nil }
    guard at < text.count else { return (2 * whole, false, isNegative) }
    guard start[at] == UInt8(ascii: "."), at + 1 < text.count, start[at + 1] &- 0x30 < 10 else { return nil }
    let tenths = start[at + 1] &- 0x30
    var rest = tenths % 5
    at += 2
    while at < text.count {
      let digit = start[at] &- 0x30
      guard digit < 10 else { return nil }
      rest |= digit
      at += 1
    }
    return (2 * whole + (tenths >= 5 ? 1 : 0), rest > 0, isNegative)
  }

  /// Half degrees in a decimal number, rounded down and up; nil for another text, or a number beyond the limit.
  private static func halfDegrees(
    _ text: UnsafeBufferPointer<UInt8>, limit: Int
  ) -> (floor: Int, ceiling: Int)? {
    guard text.count <= 64 else { return nil }
    if let (lower, hasRest, isNegative) = plainHalfDegrees(text) {
      guard lower < 2 * limit || lower == 2 * limit && !hasRest else { return nil }
      let upper = hasRest ? lower + 1 : lower
      return isNegative ? (-upper, -lower) : (lower, upper)
    }
    var at = 0
    /// Passes over digits; how many.
    func digits() -> Int {
      let first = at
      while at < text.count, text[at] &- 0x30 < 10 { at += 1 }
      return at - first
    }
    func sign() -> Bool {
      guard at < text.count, text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") else { return false }
      at += 1
      return text[at - 1] == UInt8(ascii: "-")
    }
    let isNegative = sign()
    let first = at
    var wholeCount = digits()  // Digits before the point, once the exponent has moved it.
    var count = wholeCount
    if at < text.count, text[at] == UInt8(ascii: ".") {
      at += 1
      count += digits()
    }
    guard count > 0 else { return nil }
    let end = at
    if at < text.count, text[at] | 0x20 == UInt8(ascii: "e") {
      at += 1
      let isDown = sign()
      let start = at
      guard digits() > 0 else { return nil }
      let exponent = text[start..<at].reduce(0) { min(10 * $0 + Int($1 &- 0x30), 1000) }
      wholeCount += isDown ? -exponent : exponent
    }
    guard at == text.count else { return nil }

    var (whole, half, hasRest) = (0, 0, false)
    var place = 0
    for byte in text[first..<end] where byte != UInt8(ascii: ".") {
      let digit = Int(byte &- 0x30)
      if place < wholeCount {
        whole = min(10 * whole + digit, 1000)
      } else if place == wholeCount {
        (half, hasRest) = (digit / 5, digit % 5 > 0)
      } else {
        hasRest = hasRest || digit > 0
      }
      place += 1
    }
    for _ in 0..<min(3, max(0, wholeCount - place)) { whole = min(10 * whole, 1000) }
    let lower = 2 * whole + half
    guard lower < 2 * limit || lower == 2 * limit && !hasRest else { return nil }
    let upper = hasRest ? lower + 1 : lower
    return isNegative ? (-upper, -lower) : (lower, upper)
  }
}

/// How many records more, or fewer, lie in some cells of a map of dots.
///
/// Takes 16 bytes for each cell, and twice that while cells are added again.
package struct CellChanges: Sendable {
  private var changes: [(cell: Int, more: Int)] = []
  private var summedCount = 0

  package init() {}

  /// - Parameter cell: As ``DotMap/cell(latitude:longitude:)`` gives it.
  package mutating func add(_ more: Int, to cell: Int) {
    changes.append((cell, more))
    if changes.count > 2 * summedCount + 1024 {
      changes = sums
      summedCount = changes.count
    }
  }

  /// Each cell once, in order.
  package var sums: [(cell: Int, more: Int)] {
    var sums: [(cell: Int, more: Int)] = []
    for change in changes.sorted(by: { $0.cell < $1.cell }) {
      if let last = sums.last, last.cell == change.cell {
        sums[sums.count - 1].more += change.more
      } else {
        sums.append(change)
      }
    }
    return sums
  }
}

/// A map of dots as it stands in a manifest: the contents of its frames, of which a few may be changed without a look at
/// the others. Source: docs/format.md §3.9.
package struct DotBands: Sendable {
  private static let magic: UInt32 = 0x3144_5153  // "SQD1"

  /// Those that have records, from the north; each with the content of its frame.
  package private(set) var bands: [(number: Int, content: [UInt8])] = []

  /// Without records.
  package init() {}

  package init(_ map: DotMap) {
    for number in 0..<DotMap.bandCount {
      if let content = Self.content(map.counts(ofBand: number)) { bands.append((number, content)) }
    }
  }

  /// Checks which bands there are, and that they are the ones that belong together; not what is in them.
  ///
  /// - Parameter frames: Contents and checksums of the map's frames, in order.
  package init(_ frames: [(content: [UInt8], checksum: UInt32)]) throws(FormatError) {
    var numbers: [Int] = []
    try Self.reading(frames.first?.content ?? []) { (reader) throws(FormatError) in
      let magic = try reader.read(UInt32.self)
      guard magic == Self.magic else { throw .wrongMagic(found: magic, expected: Self.magic) }
      let present = try reader.read(UInt32.self)
      numbers = (0..<32).filter { present >> UInt32($0) & 1 == 1 }
      guard numbers.last ?? 0 < DotMap.bandCount, numbers.count == frames.count - 1 else {
        throw .invalid(reason: "has \(frames.count - 1) bands of a map with \(numbers.count)", offset: reader.offset)
      }
      for frame in frames.dropFirst() {
        let expected = try reader.read(UInt32.self)
        guard frame.checksum == expected else { throw .wrongChecksum(found: frame.checksum, expected: expected) }
      }
    }
    for (number, frame) in zip(numbers, frames.dropFirst()) { bands.append((number, frame.content)) }
  }

  /// Changes how many records lie in some cells.
  ///
  /// - Complexity: O(changes + cells of the bands that they lie in).
  package mutating func change(_ changes: CellChanges) throws(FormatError) {
    var rest = changes.sums.filter { $0.more != 0 }[...]
    while let number = rest.first.map({ $0.cell / DotMap.bandCells }) {
      let changes = rest.prefix { $0.cell / DotMap.bandCells == number }
      rest.removeFirst(changes.count)
      var counts = [UInt32](repeating: 0, count: DotMap.bandCells)
      let place = bands.firstIndex { $0.number >= number } ?? bands.count
      let isThere = place < bands.count && bands[place].number == number
      if isThere { try Self.read(bands[place].content) { counts[$0] = $1 } }
      // A map that is wrong about its cells comes out wrong, whatever it says.
      for change in changes { counts[change.cell % DotMap.bandCells] &+= UInt32(truncatingIfNeeded: change.more) }
      if isThere { bands.remove(at: place) }
      if let content = Self.content(counts[...]) { bands.insert((number, content), at: place) }
    }
  }

  /// The content of the first frame.
  ///
  /// - Parameter checksums: Of the others.
  package func head(checksums: [UInt32]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(bands.reduce(UInt32(0)) { $0 | 1 << UInt32($1.number) })
    for checksum in checksums { writer.write(checksum) }
    return writer.bytes
  }

  /// The content of a band's frame; nil if it has no records.
  private static func content(_ counts: ArraySlice<UInt32>) -> [UInt8]? {
    counts.withUnsafeBufferPointer { counts in
      let cells = counts.indices.filter { counts[$0] > 0 }
      guard !cells.isEmpty else { return nil }
      var writer = ByteWriter()
      writer.writeVarint(cells.count)
      var next = 0
      for cell in cells {
        writer.writeVarint(cell - next)
        next = cell + 1
      }
      for cell in cells { writer.writeVarint(Int(counts[cell]) - 1) }
      return writer.bytes
    }
  }

  /// Calls `body` with each cell of a band that has records, and how many.
  fileprivate static func read(_ content: [UInt8], _ body: (Int, UInt32) -> Void) throws(FormatError) {
    try reading(content) { (reader) throws(FormatError) in
      let count = try reader.readVarint()
      guard 1...DotMap.bandCells ~= count else {
        throw .invalid(reason: "has \(count) cells in a band of \(DotMap.bandCells)", offset: 0)
      }
      var cells: [Int] = []
      var next = 0
      for _ in 0..<count {
        next += try reader.readVarint()
        guard next < DotMap.bandCells else { throw .invalid(reason: "has a cell off the map", offset: reader.offset) }
        cells.append(next)
        next += 1
      }
      for cell in cells {
        let others = try reader.readVarint()
        guard others < UInt32.max else { throw .invalid(reason: "has a cell too full", offset: reader.offset) }
        body(cell, UInt32(others) + 1)
      }
    }
  }

  /// Reads all of `content`.
  private static func reading(
    _ content: [UInt8], _ body: (inout ByteReader) throws(FormatError) -> Void
  ) throws(FormatError) {
    try content.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      var reader = ByteReader(bytes)
      try body(&reader)
      guard reader.remaining == 0 else {
        throw .invalid(reason: "has bytes behind the end of its map", offset: reader.offset)
      }
    }
  }
}

extension ShardedIndex {
  /// A map of all records of the generation that the index answers from, read from the manifest at each call.
  ///
  /// - Returns: nil if no record has coordinates.
  /// - Throws: ``IndexError``, if the manifest is damaged there or cannot be read.
  /// - Complexity: O(cells); reads no shard.
  public func dotMap() throws(IndexError) -> DotMap? { try generation.dotMap(with: overlay) }
}
