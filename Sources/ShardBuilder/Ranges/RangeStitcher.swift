/// A range of records that was cut by itself.
package protocol CutRange: AnyObject {
  /// The number of pieces, at least 1.
  var pieceCount: Int { get }
  /// Returns ``Piece/isRestart`` of a piece.
  func isRestart(_ piece: Int) -> Bool
  /// Calls `body` with the records of a piece, in order, each valid for the call; ends where it returns false.
  func forEachRecord(ofPiece piece: Int, _ body: (RecordBlob) -> Bool) throws(BuildError)
  /// Returns the last record of a piece, alone.
  func lastRecord(ofPiece piece: Int) throws(BuildError) -> RecordArena
}

/// The pieces of ranges that were cut by themselves and follow each other, as a cut of all their records has them.
///
/// Inside of a range they are the range's own. A *region* runs from the last piece of a range that is certain over the
/// border into the next range, and is cut anew. Source: docs/format.md section 9.4, docs/distributed.md.
///
/// A piece of a later range is one of the whole cut, with all behind it, if
/// - it begins more than a window behind the first record of the range, since the range does not know the weight of that
///   record, which depends on the record before, nor the boundaries within a window of it;
/// - the cut can begin anew there, so that no forced cut before decided it;
/// - nothing is cut by force between the piece before and the boundary's being found, a window later.
///
/// Holds the records of a few pieces, whatever the ranges have.
package final class RangeStitcher<Range: CutRange> {
  /// What comes next.
  package enum Part {
    /// A piece that was cut anew.
    case piece(Piece)
    /// Pieces of a range that stay; and the last key of the last, which is empty where no records follow.
    case kept(Swift.Range<Int>, of: Range, lastKey: [UInt8])
  }

  private let open: (Int) throws(BuildError) -> Range
  private let rangeCount: Int
  private let makeCutter: () -> Cutter
  private var ready: [Part] = []
  private var next = 0

  /// The range at hand, its number, and its first piece that is neither kept nor taken into the region.
  private var range: Range?
  private var number = 0
  private var piece = 0
  /// The region; nil before the first range and behind the last kept piece of the last.
  private var region: Cutter?
  /// The region's weight up to and with the first record of the range; nil before that.
  private var rangeStart: Int?
  /// The record that was taken into the region last.
  private var last = RecordArena(capacity: 0)
  private var isOver = false
  /// The number of records that were cut anew.
  package private(set) var regionRecordCount = 0

  /// - Parameters:
  ///   - rangeCount: The number of ranges; each has a record.
  ///   - makeCutter: Returns a cutter as the ranges and the whole have it.
  ///   - open: Returns a range by its number; called once for each, in order.
  package init(
    rangeCount: Int, makeCutter: @escaping () -> Cutter, open: @escaping (Int) throws(BuildError) -> Range
  ) {
    (self.rangeCount, self.makeCutter, self.open) = (rangeCount, makeCutter, open)
    isOver = rangeCount == 0
  }

  /// Returns what comes next; nil behind the last piece.
  package func nextPart() throws(BuildError) -> Part? {
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
      try take(piece, of: range)
    }
  }

  private func end() {
    isOver = true
    guard var region else { return }
    region.finish()
    hand(&region)
  }

  /// Hands out the pieces that the region has finished.
  private func hand(_ region: inout Cutter) {
    ready += region.finished.map { .piece($0) }
    region.finished.removeAll(keepingCapacity: true)
  }

  /// Whether a piece of the range at hand is one of the whole cut, and all behind it are.
  private func isCertain(_ piece: Int, of range: Range) throws(BuildError) -> Bool {
    // Nothing lies before the first range.
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
    // Records of the next range may settle it later than this knows.
    guard settle > region.window || number == rangeCount - 1 else { return false }
    var trial = region
    trial.finish()
    guard let piece = trial.finished.last else { return false }
    return piece.weight + settle <= region.longestWeight
  }

  /// Ends the region, and keeps the pieces from one on, but those from which on the next range may change them.
  private func keep(from first: Int, of range: Range) throws(BuildError) {
    if var region {
      region.finish()
      hand(&region)
      self.region = nil
    }
    if number == rangeCount - 1 {
      ready.append(.kept(first..<range.pieceCount, of: range, lastKey: []))
      piece = range.pieceCount
      return
    }
    var stop = range.pieceCount - 1
    while !range.isRestart(stop), stop > first { stop -= 1 }
    var region = makeCutter()
    if stop > 0 {
      last = try range.lastRecord(ofPiece: stop - 1)
      region.begin(behind: last.record(0))
      if stop > first { ready.append(.kept(first..<stop, of: range, lastKey: unsafe Array(last.record(0).folded))) }
    }
    self.region = region
    piece = stop
    try take(stop, of: range)
  }

  /// Takes the records of a piece into the region.
  private func take(_ piece: Int, of range: Range) throws(BuildError) {
    guard var region else { preconditionFailure("a piece that is not certain, and no region") }
    self.region = nil  // One owner: it is changed in place.
    try range.forEachRecord(ofPiece: piece) { record in
      region.append(record)
      if rangeStart == nil { rangeStart = region.position }
      regionRecordCount += 1
      if !region.finished.isEmpty { hand(&region) }
      return true
    }
    last = try range.lastRecord(ofPiece: piece)
    self.region = region
    self.piece += 1
  }
}

extension RecordWeight {
  /// Returns a record's weight behind another.
  static func weight(of record: RecordBlob, after previous: RecordBlob) -> Int {
    unsafe weight(of: record, after: previous, common: commonPrefix(previous.folded, record.folded))
  }
}

extension RecordArena {
  /// An arena with a copy of one record.
  package convenience init(of record: RecordBlob) {
    self.init(capacity: 0)
    append(record)
  }
}
