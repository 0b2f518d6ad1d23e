/// The places at which a cut may begin again, so that the pieces of an old cut stay.
///
/// **The law.** A boundary of an old cut is a boundary of a new cut, and the new cut may begin again there, if
/// 1. all gaps within a window of the boundary, on either side, are the same in both cuts;
/// 2. the old cut forced no cut between the piece before the boundary and the end of the window behind it, and neither
///    does the new one. ``Piece/isRestart`` says this of the old cut.
///
/// **The proof.** A gap is a boundary if it is better than all other gaps within a window on either side; see
/// ``Cutter``. By 1 it is better than the same gaps in the new cut. The cutter knows this a window behind the boundary,
/// and by 2 it still has the gap then: only a forced cut takes gaps out of the list. A cutter that begins at the
/// boundary has the records that the other cutter still has when it found the boundary, and nothing else decides its
/// cut. So all pieces behind the boundary are the same, up to the next difference of records.
///
/// An update knows one old cut, and some records differ. A merge of ranges knows the cuts of several runs of records,
/// and at the borders between them the first gaps differ. Source: docs/format.md section 9.4.
package enum Seam {
  /// Returns the last piece up to `piece` at which a cut can begin again if its window is the same; else the first.
  package static func restart(upTo piece: Int, from first: Int = 0, _ isRestart: (Int) -> Bool) -> Int {
    var restart = max(first, piece)
    while restart > first, !isRestart(restart) { restart -= 1 }
    return restart
  }

  /// Returns the last piece at which a cut can certainly begin again for a change in `piece`.
  ///
  /// The change may move the first gap of its piece and the boundaries within a window before that gap, so one restart
  /// before the piece may be too near. Two restarts are at least a window apart, so the restart before that one is far
  /// enough. (After a forced cut of too long a piece, the next boundary may be nearer.)
  package static func certainRestart(before piece: Int, _ isRestart: (Int) -> Bool) -> Int {
    restart(upTo: restart(upTo: piece, isRestart) - 1, isRestart)
  }

  /// Returns whether the cut could begin where a cutter began, at a boundary whose records before it are known; nil if
  /// later records decide.
  ///
  /// - Parameter oldWeight: The weight of the old records up to the first one after a window; nil before that record.
  ///   The old cut forced no cut on the way. So none is forced now if the new weight is no greater: the weight before
  ///   the boundary is unknown, but the same.
  static func isFound(by cutter: Cutter, oldWeight: Int?) -> Bool? {
    switch cutter.start {
    case .certain: true
    case .open: nil
    case .lost: false
    case .found(let weight): oldWeight.map { weight <= $0 }
    }
  }

  /// Returns whether a boundary stays that lies at the end of a cutter's records, as far as no cut is forced before the
  /// cutter finds it.
  ///
  /// - Parameter weight: The weight of the records from the boundary to the first one after a window.
  static func isUnforced(behind cutter: Cutter, findingWeight weight: Int) -> Bool {
    var trial = cutter
    trial.finish()
    guard let piece = trial.finished.last else { return false }
    return piece.weight + weight <= cutter.longestWeight
  }
}
