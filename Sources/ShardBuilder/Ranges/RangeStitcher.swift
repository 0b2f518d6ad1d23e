/// A range of records with its own cut.
package protocol CutRange: AnyObject {
  /// The number of pieces, at least 1.
  var pieceCount: Int { get }
  /// Returns ``Piece/isRestart`` of a piece.
  func isRestart(_ piece: Int) -> Bool
  /// Calls `body` with the records of a piece, in order, until it returns false. Each record is valid during its call.
  func forEachRecord(ofPiece piece: Int, _ body: (RecordBlob) -> Bool) throws(BuildError)
  /// Returns the last record of a piece, in an arena of its own.
  func lastRecord(ofPiece piece: Int) throws(BuildError) -> RecordArena
}

/// The pieces of consecutive ranges with their own cuts, as one cut of all their records would make them.
///
/// Inside of a range the pieces stay. A *region* begins with the last certain piece of a range, runs over the border
/// into the next range, and is cut again. Source: docs/distributed.md.
///
/// A piece of a later range, and all pieces after it, belong to the whole cut if the piece begins more than a window
/// after the first record of the range, and if ``Seam`` lets the cut begin again there. The range knows neither the
/// weight of its first record, which depends on the record before, nor the boundaries within a window of it.
///
/// Memory holds the records of a few pieces, for ranges of any size.
package final class RangeStitcher<Range: CutRange> {
  /// The next stretch of the whole cut.
  package enum Stretch {
    /// A piece from a new cut.
    case piece(Piece)
    /// Pieces of a range that stay, and the last key of the last piece; the key is empty if no records follow.
    case kept(Swift.Range<Int>, of: Range, lastKey: [UInt8])
  }

  private let open: (Int) throws(BuildError) -> Range
  private let rangeCount: Int
  private let makeCutter: () -> Cutter
  private var ready: [Stretch] = []
  private var next = 0

  /// The current range, its number, and its first piece that is neither kept nor in the region.
  private var range: Range?
  private var number = 0
  private var piece = 0
  /// The region; nil before the first range and after the last kept piece of the last range.
  private var region: Cutter?
  /// The region's weight up to the first record of the range, that record included; nil before that record.
  private var rangeStart: Int?
  /// The last record of the region.
  private var last = RecordArena(capacity: 0)
  private var isOver = false
  /// The number of records that were cut again.
  package private(set) var regionRecordCount = 0

  /// - Parameters:
  ///   - rangeCount: The number of ranges; each range has a record.
  ///   - makeCutter: Returns a cutter with the limits of the ranges and of the whole.
  ///   - open: Returns a range from its number; called once for each range, in order.
  package init(
    rangeCount: Int, makeCutter: @escaping () -> Cutter, open: @escaping (Int) throws(BuildError) -> Range
  ) {
    (self.rangeCount, self.makeCutter, self.open) = (rangeCount, makeCutter, open)
    isOver = rangeCount == 0
  }

  /// Returns the next stretch; nil after the last piece.
  package func nextStretch() throws(BuildError) -> Stretch? {
    while next == ready.count {
      ready.removeAll(keepingCapacity: true)
      next = 0
      if isOver { return nil }
      try advance()
    }
    next += 1
    return ready[next - 1]
  }

  private func advance() throws(BuildError) {
    guard let range else {
      range = try open(number)
      (piece, rangeStart) = (0, nil)
      return
    }
    if piece == range.pieceCount {
      self.range = nil
      number += 1
      if number == rangeCount { end() }
    } else if try isCertain(piece, of: range) {
      try keep(from: piece, of: range)
    } else {
      try addRecords(ofPiece: piece, of: range)
    }
  }

  private func end() {
    isOver = true
    guard var region else { return }
    region.finish()
    moveFinished(of: &region)
  }

  /// Moves the finished pieces out of the region.
  private func moveFinished(of region: inout Cutter) {
    ready += region.finished.map { .piece($0) }
    region.finished.removeAll(keepingCapacity: true)
  }

  /// Returns whether a piece of the current range, and all pieces after it, belong to the whole cut.
  private func isCertain(_ piece: Int, of range: Range) throws(BuildError) -> Bool {
    // There are no records before the first range.
    guard let region else { return true }
    guard let rangeStart, region.position - rangeStart > region.window, range.isRestart(piece) else { return false }
    var settle = 0
    var before = last
    var at = piece
    while settle <= region.window, at < range.pieceCount {
      try range.forEachRecord(ofPiece: at) { record in
        settle += RecordWeight.weight(of: record, after: before.record(0))
        before = RecordArena(of: record)
        return settle <= region.window
      }
      at += 1
    }
    // Records of the next range may decide the boundary later than this range knows.
    guard settle > region.window || number == rangeCount - 1 else { return false }
    return Seam.isUnforced(behind: region, findingWeight: settle)
  }

  /// Ends the region, and keeps the pieces from `first` on, without the last pieces, which the next range may change.
  private func keep(from first: Int, of range: Range) throws(BuildError) {
    if var region {
      region.finish()
      moveFinished(of: &region)
      self.region = nil
    }
    if number == rangeCount - 1 {
      ready.append(.kept(first..<range.pieceCount, of: range, lastKey: []))
      piece = range.pieceCount
      return
    }
    let stop = Seam.restart(upTo: range.pieceCount - 1, from: first, range.isRestart)
    var region = makeCutter()
    if stop > 0 {
      last = try range.lastRecord(ofPiece: stop - 1)
      region.begin(behind: last.record(0))
      if stop > first { ready.append(.kept(first..<stop, of: range, lastKey: unsafe Array(last.record(0).folded))) }
    }
    self.region = region
    piece = stop
    try addRecords(ofPiece: stop, of: range)
  }

  /// Adds the records of a piece to the region.
  private func addRecords(ofPiece piece: Int, of range: Range) throws(BuildError) {
    guard var region else { preconditionFailure("a piece that is not certain, and no region") }
    self.region = nil  // One owner, so that it changes in place.
    try range.forEachRecord(ofPiece: piece) { record in
      region.append(record)
      if rangeStart == nil { rangeStart = region.position }
      regionRecordCount += 1
      if !region.finished.isEmpty { moveFinished(of: &region) }
      return true
    }
    last = try range.lastRecord(ofPiece: piece)
    self.region = region
    self.piece += 1
  }
}
