/// The changes of the counts of a density grid, cell by cell.
///
/// The changes take 16 bytes for each cell, and twice as many during ``sums``.
package struct CellChanges: Sendable {
  private var changes: [(cell: Int, more: Int)] = []
  private var summedCount = 0

  package init() {}

  /// Adds to the count of a cell; `more` may be negative.
  ///
  /// - Parameter cell: The cell, as ``DensityGrid/cell(latitude:longitude:)`` gives it.
  package mutating func add(_ more: Int, to cell: Int) {
    changes.append((cell, more))
    if changes.count > 2 * summedCount + 1024 {
      changes = sums
      summedCount = changes.count
    }
  }

  /// The changes with each cell once, in order.
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

/// A density grid in the form of a manifest: the contents of its frames. A change decodes only the frames of its cells.
/// Source: docs/format.md section 3.9.
package struct DensityBands: Sendable {
  private static let magic: UInt32 = 0x3144_5153  // "SQD1"

  /// The bands that have records, from the north, each with the content of its frame.
  package private(set) var bands: [(number: Int, content: [UInt8])] = []

  /// Makes a grid without records.
  package init() {}

  package init(_ map: DensityGrid) {
    for number in 0..<DensityGrid.bandCount {
      if let content = Self.content(map.counts(ofBand: number)) { bands.append((number, content)) }
    }
  }

  /// Checks the list of bands and their checksums, but not their content.
  ///
  /// - Parameter frames: Contents and checksums of the grid's frames, in order.
  package init(_ frames: [(content: [UInt8], checksum: UInt32)]) throws(FormatError) {
    var numbers: [Int] = []
    try Self.reading(frames.first?.content ?? []) { (reader) throws(FormatError) in
      let magic = try reader.read(UInt32.self)
      guard magic == Self.magic else { throw .wrongMagic(found: magic, expected: Self.magic) }
      let present = try reader.read(UInt32.self)
      numbers = (0..<32).filter { present >> UInt32($0) & 1 == 1 }
      guard numbers.last ?? 0 < DensityGrid.bandCount, numbers.count == frames.count - 1 else {
        throw .invalid(
          reason: "has \(frames.count - 1) bands of the density grid, not \(numbers.count)", offset: reader.offset)
      }
      for frame in frames.dropFirst() {
        let expected = try reader.read(UInt32.self)
        guard frame.checksum == expected else { throw .wrongChecksum(found: frame.checksum, expected: expected) }
      }
    }
    for (number, frame) in zip(numbers, frames.dropFirst()) { bands.append((number, frame.content)) }
  }

  /// Changes the counts of some cells.
  ///
  /// - Complexity: O(*n* + *c*): *n* changes, *c* cells of their bands.
  package mutating func change(_ changes: CellChanges) throws(FormatError) {
    var rest = changes.sums.filter { $0.more != 0 }[...]
    while let number = rest.first.map({ $0.cell / DensityGrid.bandCells }) {
      let changes = rest.prefix { $0.cell / DensityGrid.bandCells == number }
      rest.removeFirst(changes.count)
      var counts = [UInt32](repeating: 0, count: DensityGrid.bandCells)
      let slot = bands.firstIndex { $0.number >= number } ?? bands.count
      let isThere = slot < bands.count && bands[slot].number == number
      if isThere { try Self.read(bands[slot].content) { counts[$0] = $1 } }
      // A grid with wrong counts stays wrong.
      for change in changes { counts[change.cell % DensityGrid.bandCells] &+= UInt32(truncatingIfNeeded: change.more) }
      if isThere { bands.remove(at: slot) }
      if let content = Self.content(counts[...]) { bands.insert((number, content), at: slot) }
    }
  }

  /// The content of the first frame.
  ///
  /// - Parameter checksums: The checksums of the other frames.
  package func head(checksums: [UInt32]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(bands.reduce(UInt32(0)) { $0 | 1 << UInt32($1.number) })
    for checksum in checksums { writer.write(checksum) }
    return writer.bytes
  }

  /// The content of a band's frame; nil if the band has no records.
  private static func content(_ counts: ArraySlice<UInt32>) -> [UInt8]? {
    unsafe counts.withUnsafeBufferPointer { counts in
      let cells = counts.indices.filter { unsafe counts[$0] > 0 }
      guard !cells.isEmpty else { return nil }
      var writer = ByteWriter()
      writer.writeVarint(cells.count)
      var next = 0
      for cell in cells {
        writer.writeVarint(cell - next)
        next = cell + 1
      }
      for cell in cells { unsafe writer.writeVarint(Int(counts[cell]) - 1) }
      return writer.bytes
    }
  }

  /// Calls `body` with each cell of a band that has records, and the number of them.
  static func read(_ content: [UInt8], _ body: (Int, UInt32) -> Void) throws(FormatError) {
    try reading(content) { (reader) throws(FormatError) in
      let count = try reader.readVarint()
      guard 1...DensityGrid.bandCells ~= count else {
        throw .invalid(reason: "has \(count) cells in a band of \(DensityGrid.bandCells)", offset: 0)
      }
      var cells: [Int] = []
      var next = 0
      for _ in 0..<count {
        next += try reader.readVarint()
        guard next < DensityGrid.bandCells else {
          throw .invalid(reason: "has a cell beyond the density grid", offset: reader.offset)
        }
        cells.append(next)
        next += 1
      }
      for cell in cells {
        let others = try reader.readVarint()
        guard others < UInt32.max else {
          throw .invalid(reason: "has a cell with too many records", offset: reader.offset)
        }
        body(cell, UInt32(others) + 1)
      }
    }
  }

  /// Reads all of `content`.
  private static func reading(
    _ content: [UInt8], _ body: (inout ByteReader) throws(FormatError) -> Void
  ) throws(FormatError) {
    unsafe try content.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      var reader = unsafe ByteReader(bytes)
      try body(&reader)
      guard reader.remaining == 0 else {
        throw .invalid(reason: "has bytes behind the end of its density grid", offset: reader.offset)
      }
    }
  }
}
