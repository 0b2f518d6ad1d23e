/// The cutter divides sorted records into pieces. A boundary depends on the records near it alone.
///
/// A gap is a boundary if its ``GapPriority`` is above that of every other gap within `window` on either side. The
/// distance of two gaps is the ``RecordWeight`` of the records between them. The gaps before the first record and after
/// the last are above all others. So two boundaries are at least a window apart, and a change of one record adds or
/// removes at most one boundary.
///
/// The cut takes linear time. Memory holds the records since the last boundary and those of a window.
package struct Cutter {
  private let order: RecordOrder
  let window: Int
  private let longest: Int
  /// A piece weighs at most this many windows, unless a forced cut follows; see ``cutLong()``.
  package static let longestWindows = 32

  private var records = RecordArena()  // The records since the last boundary.
  private var weights: [Int] = []
  private var gaps: [Piece.Gap] = []
  /// The weight of the records since the last boundary.
  private(set) var pendingWeight = 0
  private var firstNumber = 0  // The number of the first of `records`, from 0.
  /// The weight of all records so far.
  private(set) var position = 0
  /// The most that a piece weighs, unless a forced cut follows.
  var longestWeight: Int { longest }

  /// The gaps whose window is still open, best first. A later gap with a higher priority removes the lower ones.
  private var candidates: [Candidate] = []
  private var firstCandidate = 0
  private struct Candidate {
    var number: Int  // The number of the record after the gap.
    var position: Int
    var priority: GapPriority
    var isBestToLeft: Bool
  }

  private var previousRest: [UInt8] = []  // For records with equal folded keys, see `gap`.
  private var rest: [UInt8] = []
  private let behind = RecordArena(capacity: 0)  // The record before the first, if any.
  /// The value of ``Piece/isRestart`` for the next piece.
  private(set) var isRestart = true
  /// Whether the gap at the start of this cutter is a boundary.
  enum Start: Equatable {
    case certain
    /// The gap is a boundary if no better gap comes within a window.
    case open
    /// The gap is a boundary; `weight` is the weight of the records that were appended by then.
    case found(weight: Int)
    /// The gap is no boundary: a better gap came, the records ended before, or a cut was forced.
    case lost
  }
  private(set) var start = Start.certain
  /// The finished pieces, in order; the caller takes them out.
  package var finished: [Piece] = []

  /// - Parameters:
  ///   - limit: The most weight of a shard, in bytes by the measure of ``RecordWeight``.
  ///   - window: The window in hundredths of the limit.
  package init(limit: Int, window: Int = 33, order: RecordOrder) {
    self.order = order
    self.window = max(1, limit * RecordWeight.perByte * window / 100)
    longest = Self.longestWindows * self.window
  }

  /// Begins after a record, at a boundary whose piece ``Piece/isRestart``. The cutter then cuts as if it had got all
  /// records before.
  ///
  /// - Parameter isCertain: Whether the boundary stays for any following records. If not, only the records before it
  ///   make it a boundary, and ``start`` has the result.
  package mutating func begin(behind record: RecordBlob, isCertain: Bool = true) {
    behind.append(record)
    if !isCertain { start = .open }
  }

  /// The record before the next one.
  private var last: RecordBlob? {
    records.count > 0 ? records.record(records.count - 1) : behind.count > 0 ? behind.record(0) : nil
  }

  /// The arena of the next records. Records that a caller writes there need no copy.
  var room: RecordArena { records }

  /// Appends a copy of the next record.
  package mutating func append(_ record: RecordBlob) {
    // The count comes first, so that a piece from a forced cut has no room for this record.
    count(weight(ofNext: record))
    records.append(record)
  }

  /// Appends the next record, an entry of a chunk. It is copied, unless the chunk is the ``room``.
  mutating func append(_ entry: RecordArena.BlobOffset, of chunk: RecordArena) {
    let weight = weight(ofNext: chunk.record(entry))
    // The property is read here, because a finished piece changes the room.
    if chunk === records { records.commit(entry) } else { records.append(chunk.record(entry)) }
    count(weight)
  }

  /// Notes the gap before the next record.
  private mutating func weight(ofNext record: RecordBlob) -> Int {
    var common = 0
    if let last {
      common = unsafe commonPrefix(last.folded, record.folded)
      let gap = self.gap(last, record, common)
      gaps.append(gap)
      if records.count > 0 {
        consider(gap.priority, firstNumber + records.count)
      } else if start == .open, candidates.isEmpty {
        // Only this gap has the number 0: every other gap has a record before it.
        candidates.append(Candidate(number: 0, position: 0, priority: gap.priority, isBestToLeft: true))
      }
    } else {
      gaps.append(Piece.Gap(priority: .lowest, separatorCount: 0))
    }
    // `consider` may have cut just before the last record, never after it: so the last record is still in `records`.
    return RecordWeight.weight(of: record, after: last, common: common)
  }

  private mutating func count(_ weight: Int) {
    weights.append(weight)
    position += weight
    pendingWeight += weight
    if pendingWeight > longest { cutLong() }
  }

  /// Appends consecutive records.
  mutating func append(contentsOf records: [RecordBlob]) {
    for record in records { append(record) }
  }

  /// Finishes the last piece.
  package mutating func finish() {
    // The end of the records is above every gap, as their beginning is: so no piece at either end is smaller than a
    // window.
    while firstCandidate < candidates.count {
      if position - candidates[firstCandidate].position > window { settleFirst() } else { firstCandidate += 1 }
    }
    if start == .open { start = .lost }
    if records.count > 0 { emit(records.count) }
  }

  /// Finishes the remaining pieces if the gap before the next record, `record`, is a boundary as far as earlier records
  /// say. Otherwise the caller appends that record.
  mutating func finish(before record: RecordBlob) -> Bool {
    guard records.count > 0, let last else { return false }
    let gap = unsafe gap(last, record, commonPrefix(last.folded, record.folded))
    consider(gap.priority, firstNumber + records.count)
    guard candidates[candidates.count - 1].isBestToLeft else { return false }
    emit(records.count)
    return true
  }

  private mutating func gap(_ a: RecordBlob, _ b: RecordBlob, _ common: Int) -> Piece.Gap {
    let (left, right) = unsafe (a.folded, b.folded)
    if common < right.count {
      return unsafe Piece.Gap(
        priority: .between(left, right, depth: common), separatorCount: common + 1)
    }
    previousRest.removeAll(keepingCapacity: true)
    rest.removeAll(keepingCapacity: true)
    let shared = order.serializeDifference(a, b, &previousRest, &rest)
    let priority = unsafe previousRest.withUnsafeBufferPointer { left in
      unsafe rest.withUnsafeBufferPointer { right in
        let own = unsafe commonPrefix(left, right.part(shared...))
        let depth = shared + own
        guard depth < right.count else { return GapPriority.lowest }
        return unsafe GapPriority(
          rank: UInt32(GapPriority.restRank + depth),
          value: GapPriority.best(above: own < left.count ? left[own] : nil, right, depth: depth))
      }
    }
    return Piece.Gap(priority: priority, separatorCount: right.count)
  }

  private mutating func consider(_ priority: GapPriority, _ number: Int) {
    while firstCandidate < candidates.count, position - candidates[firstCandidate].position > window {
      settleFirst()
    }
    var isBestToLeft = position > window
    while firstCandidate < candidates.count, let last = candidates.last, last.priority <= priority {
      if last.priority == priority { isBestToLeft = false }
      if last.number == 0 { start = .lost }
      candidates.removeLast()
    }
    if firstCandidate == candidates.count {
      candidates.removeAll(keepingCapacity: true)
      firstCandidate = 0
    } else {
      isBestToLeft = false
    }
    candidates.append(
      Candidate(number: number, position: position, priority: priority, isBestToLeft: isBestToLeft))
  }

  /// Ends the first candidate's window when no equal or better gap came. Cuts there if the gap is also the best on its
  /// left.
  private mutating func settleFirst() {
    let candidate = candidates[firstCandidate]
    firstCandidate += 1
    if firstCandidate > 1024, firstCandidate * 2 > candidates.count {
      candidates.removeFirst(firstCandidate)
      firstCandidate = 0
    }
    if candidate.number == 0 {
      start = pendingWeight <= longest ? .found(weight: pendingWeight) : .lost
      return
    }
    guard candidate.isBestToLeft, candidate.number > firstNumber else { return }
    emit(candidate.number - firstNumber)
    // A cutter that begins here knows the boundary from the first record on. It cuts as this cutter does. The exception
    // is a record so large that the cutter would have forced a cut within the window.
    isRestart = pendingWeight <= longest
  }

  /// Limits the memory if no boundary comes for very long, as among identical records: cuts as a piece that is too
  /// large is divided.
  private mutating func cutLong() {
    if start == .open { start = .lost }
    if let index = Piece.bestGap(0..<weights.count, weights, gaps) { emit(index) }
  }

  /// The most bytes that are reserved at first for the records after a finished piece.
  private static let largestRoom = 4 << 20

  /// Makes a piece of the first `count` waiting records.
  private mutating func emit(_ count: Int) {
    // The records after the piece are copied, at most one or two windows; the piece keeps its own.
    let rest = unsafe RecordArena(capacity: min(records.size, Self.largestRoom))
    rest.append(count..<records.count, of: records)
    finished.append(
      Piece(
        Piece.Storage(
          records: records, weights: Array(weights[..<count]), gaps: Array(gaps[..<count])),
        0..<count, isRestart: isRestart))
    isRestart = false
    records = rest
    weights.removeFirst(count)
    // The gap before the last appended record may exist before the record does.
    gaps.removeFirst(count)
    firstNumber += count
    pendingWeight = weights.reduce(0, +)
  }
}
