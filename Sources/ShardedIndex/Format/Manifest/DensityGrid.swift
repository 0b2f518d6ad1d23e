/// The density grid of an index: the number of records in each cell of half a degree.
/// Source: docs/format.md section 3.9.
///
/// The fields with the usual names, such as `coord.lat`, `lat` or `latitude`, give the place of a record in decimal
/// degrees; the first such field counts. A record without such fields, or beyond the globe, is in no cell. The grid
/// takes about 1 MB of memory, and about 18 KB in an index of 200,000 cities.
public struct DensityGrid: Sendable, Equatable {
  /// The number of cells from west to east. The first begins at 180 degrees west.
  public static let columns = 720
  /// The number of cells from north to south. The first begins at 90 degrees north.
  public static let rows = 360

  /// The number of rows in a frame, so that a change keeps the frames of other rows.
  private static let bandRows = 20
  static let bandCells = bandRows * columns
  static let bandCount = rows / bandRows
  /// The largest size and content of a band's frame, in bytes: two varints for each cell would be 115,200.
  static let frameLimit = 1 << 17

  /// The counts, row by row.
  private var counts: [UInt32]

  /// Makes a grid without records.
  package init() { counts = Array(repeating: 0, count: Self.columns * Self.rows) }

  /// Returns the number of records in a cell; 0 for a cell outside the grid. O(1).
  public func count(column: Int, row: Int) -> Int {
    guard 0..<Self.columns ~= column, 0..<Self.rows ~= row else { return 0 }
    return Int(counts[row * Self.columns + column])
  }

  /// Counts one more record in a cell.
  ///
  /// - Parameter cell: The cell, as ``cell(latitude:longitude:)`` gives it.
  package mutating func add(_ cell: Int) { counts[cell] &+= 1 }

  /// Adds the records of another grid.
  package mutating func add(_ other: DensityGrid) {
    for cell in counts.indices { counts[cell] &+= other.counts[cell] }
  }

  /// Adds the changes of an overlay.
  mutating func add(_ overlay: Overlay) {
    // Counts wrap: wrong cells of an overlay only make a wrong grid.
    for (cell, more) in overlay.cells { counts[cell] &+= UInt32(truncatingIfNeeded: more) }
  }

  // MARK: The index's bytes

  /// Reads a grid.
  ///
  /// - Parameter frames: Contents and checksums of the grid's frames, in order.
  package init(_ frames: [(content: [UInt8], checksum: UInt32)]) throws(FormatError) {
    self.init()
    for band in try DensityBands(frames).bands {
      try DensityBands.read(band.content) { counts[band.number * Self.bandCells + $0] = $1 }
    }
  }

  /// The cells of a band.
  func counts(ofBand band: Int) -> ArraySlice<UInt32> {
    counts[band * Self.bandCells..<(band + 1) * Self.bandCells]
  }

  // MARK: Cells

  /// The exact cell of a point; nil if the texts are not decimal degrees on the globe.
  ///
  /// A point between cells belongs to the cell south or east of it; the south pole and 180 degrees east belong to the
  /// last cells.
  package static func cell(
    latitude: UnsafeBufferPointer<UInt8>, longitude: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    guard let north = unsafe halfDegrees(latitude, limit: 90), let east = unsafe halfDegrees(longitude, limit: 180)
    else {
      return nil
    }
    // The ceiling of the latitude counts rows from the south; rows are numbered from the north.
    let row = min(rows - 1, 180 - north.ceiling)
    let column = min(columns - 1, 360 + east.floor)
    return row * columns + column
  }

  /// Returns the whole half degrees in a number without its sign, and whether there is a rest. Reads one to three
  /// digits, with or without a point and digits behind it, as nearly all texts are; nil for other texts.
  @inline(__always)
  private static func plainHalfDegrees(
    _ text: UnsafeBufferPointer<UInt8>
  ) -> (lower: Int, hasRest: Bool, isNegative: Bool)? {
    guard let start = text.baseAddress, text.count > 1 else { return nil }
    let isNegative = unsafe start[0] == UInt8(ascii: "-")
    var at = isNegative ? 1 : 0
    let first = at
    var whole = 0
    while at < text.count, unsafe start[at] &- 0x30 < 10 {
      whole = unsafe whole &* 10 &+ Int(start[at] &- 0x30)
      at += 1
    }
    guard 1...3 ~= at - first else { return nil }
    guard at < text.count else { return (2 * whole, false, isNegative) }
    guard unsafe start[at] == UInt8(ascii: "."), at + 1 < text.count, unsafe start[at + 1] &- 0x30 < 10 else {
      return nil
    }
    let tenths = unsafe start[at + 1] &- 0x30
    var rest = tenths % 5
    at += 2
    while at < text.count {
      let digit = unsafe start[at] &- 0x30
      guard digit < 10 else { return nil }
      rest |= digit
      at += 1
    }
    return (2 * whole + (tenths >= 5 ? 1 : 0), rest > 0, isNegative)
  }

  /// Returns the half degrees in a decimal number, rounded down and up; nil for another text, or a number beyond the
  /// limit.
  static func halfDegrees(
    _ text: UnsafeBufferPointer<UInt8>, limit: Int
  ) -> (floor: Int, ceiling: Int)? {
    guard text.count <= 64 else { return nil }
    if let (lower, hasRest, isNegative) = unsafe plainHalfDegrees(text) {
      guard lower < 2 * limit || lower == 2 * limit && !hasRest else { return nil }
      let upper = hasRest ? lower + 1 : lower
      return isNegative ? (-upper, -lower) : (lower, upper)
    }
    var at = 0
    /// Passes over digits, and returns their number.
    func digits() -> Int {
      let first = at
      while at < text.count, unsafe text[at] &- 0x30 < 10 { at += 1 }
      return at - first
    }
    func sign() -> Bool {
      guard at < text.count, unsafe text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") else { return false }
      at += 1
      return unsafe text[at - 1] == UInt8(ascii: "-")
    }
    let isNegative = sign()
    let first = at
    var wholeCount = digits()  // The digits before the point, after the exponent has moved it.
    var count = wholeCount
    if at < text.count, unsafe text[at] == UInt8(ascii: ".") {
      at += 1
      count += digits()
    }
    guard count > 0 else { return nil }
    let end = at
    if at < text.count, unsafe text[at] | 0x20 == UInt8(ascii: "e") {
      at += 1
      let isDown = sign()
      let start = at
      guard digits() > 0 else { return nil }
      let exponent = unsafe text[start..<at].reduce(0) { min(10 * $0 + Int($1 &- 0x30), 1000) }
      wholeCount += isDown ? -exponent : exponent
    }
    guard at == text.count else { return nil }

    var (whole, half, hasRest) = (0, 0, false)
    var digitCount = 0
    for index in first..<end where unsafe text[index] != UInt8(ascii: ".") {
      let digit = unsafe Int(text[index] &- 0x30)
      if digitCount < wholeCount {
        whole = min(10 * whole + digit, 1000)
      } else if digitCount == wholeCount {
        (half, hasRest) = (digit / 5, digit % 5 > 0)
      } else {
        hasRest = hasRest || digit > 0
      }
      digitCount += 1
    }
    for _ in 0..<min(3, max(0, wholeCount - digitCount)) { whole = min(10 * whole, 1000) }
    let lower = 2 * whole + half
    guard lower < 2 * limit || lower == 2 * limit && !hasRest else { return nil }
    let upper = hasRest ? lower + 1 : lower
    return isNegative ? (-upper, -lower) : (lower, upper)
  }
}
