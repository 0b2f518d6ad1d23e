/// Cuts sorted records into pieces where their content says so, whatever stands elsewhere.
///
/// A gap is a boundary when its ``GapPriority`` is above that of every other gap within `window` on either side; the
/// distance of two gaps is the ``RecordWeight`` of the records between them, and before the first record and behind the
/// last lies a gap above all others. So two boundaries are never nearer than that, and one record more, less or changed
/// adds or removes at most one.
///
/// Takes linear time, and memory for the records since the last boundary and those of a window.
package struct Cutter {
  private let order: RecordOrder
  let window: Int
  private let longest: Int
  /// No piece but those before a forced cut weighs more than this many windows; see ``cutLong()``.
  package static let longestWindows = 32

  private var records = RecordArena()  // Since the last boundary.
  private var weights: [Int] = []
  private var gaps: [Piece.Gap] = []
  /// Weight of the records since the last boundary.
  private(set) var pendingWeight = 0
  private var firstNumber = 0  // Of the first of them, counted over all records.
  /// Weight of all records so far.
  private(set) var position = 0
  /// What no piece weighs more than but those before a forced cut.
  var longestWeight: Int { longest }

  /// Gaps whose window is still open, best first; those below a later one are gone.
  private var candidates: [Candidate] = []
  private var firstCandidate = 0
  private struct Candidate {
    var number: Int  // Of the record behind the gap.
    var position: Int
    var priority: GapPriority
    var isBestToLeft: Bool
  }

  private var previousRest: [UInt8] = []  // Of two records with the same folded key, see `gap`.
  private var rest: [UInt8] = []
  private let behind = RecordArena(capacity: 0)  // The record before the first one, if there is any.
  /// The value of ``Piece/isRestart`` for the next piece.
  private(set) var isRestart = true
  /// Whether the gap that this began at is a boundary.
  enum Start: Equatable {
    case certain
    /// It is if nothing better comes within a window.
    case open
    /// Nothing did; the weight of the records that were taken in by then.
    case found(weight: Int)
    /// Something did, or the records ended before, or were cut by force.
    case lost
  }
  private(set) var start = Start.certain
  /// Pieces that are done, in order; the caller takes them out.
  package var finished: [Piece] = []

  /// - Parameters:
  ///   - limit: What a shard may weigh, in bytes by ``RecordWeight``'s measure.
  ///   - window: In hundredths of the limit.
  package init(limit: Int, window: Int = 33, order: RecordOrder) {
    self.order = order
    self.window = max(1, limit * RecordWeight.perByte * window / 100)
    longest = Self.longestWindows * self.window
  }

  /// Begins behind a record, at a boundary whose piece ``Piece/isRestart``: what comes is cut as if all records before
  /// had been taken in.
  ///
  /// - Parameter isCertain: Whether it stays a boundary whatever comes; if not, it is one as far as what lies before it
  ///   says, and ``start`` says what became of it.
  package mutating func begin(behind record: RecordBlob, isCertain: Bool = true) {
    behind.append(record)
    if !isCertain { start = .open }
  }

  /// The record before the next one.
  private var last: RecordBlob? {
    records.count > 0 ? records.record(records.count - 1) : behind.count > 0 ? behind.record(0) : nil
  }

  /// The arena of the records that are taken in next. Blobs that are put there need not be copied.
  var room: RecordArena { records }

  /// Takes in the next record; it is copied.
  package mutating func append(_ record: RecordBlob) {
    // Counted first: a piece that is cut off by force then has no room for this one as well.
    count(weight(ofNext: record))
    records.append(record)
  }

  /// Takes in the next record, which is one of a chunk's: copied, unless that is the ``room``.
  mutating func append(_ entry: RecordArena.Entry, of chunk: RecordArena) {
    let weight = weight(ofNext: chunk.record(entry))
    // Looked at now: there is other room where a piece has been finished.
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
        // Only this one is of the number 0: no other gap has no record before it.
        candidates.append(Candidate(number: 0, position: 0, priority: gap.priority, isBestToLeft: true))
      }
    } else {
      gaps.append(Piece.Gap(priority: .lowest, separatorCount: 0))
    }
    // `consider` may have cut just before the last record, never after it: it is still there.
    return RecordWeight.weight(of: record, after: last, common: common)
  }

  private mutating func count(_ weight: Int) {
    weights.append(weight)
    position += weight
    pendingWeight += weight
    if pendingWeight > longest { cutLong() }
  }

  /// Takes in records that follow each other.
  mutating func append(contentsOf records: [RecordBlob]) {
    for record in records { append(record) }
  }

  /// Finishes the last piece.
  package mutating func finish() {
    // The end of the records is above every gap, as their beginning is: no piece at either is smaller than a window.
    while firstCandidate < candidates.count {
      if position - candidates[firstCandidate].position > window { settleFirst() } else { firstCandidate += 1 }
    }
    if start == .open { start = .lost }
    if records.count > 0 { emit(records.count) }
  }

  /// Finishes the pieces left over if the gap before `record`, the one that comes next, is a boundary as far as what
  /// lies before it says; otherwise that record is still to come.
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

  /// The first candidate's window is over, or the records are, and nothing as good came: cuts if that is so to its
  /// left as well.
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
    // A cutter that begins here knows the boundary from the first record on. It cuts as this does unless a record so
    // large came with the window that it would have been cut from it by now.
    isRestart = pendingWeight <= longest
  }

  /// Bounds the memory where no boundary comes for very long, as among identical records: cuts as a piece that is
  /// too large is divided.
  private mutating func cutLong() {
    if start == .open { start = .lost }
    if let index = Piece.bestGap(0..<weights.count, weights, gaps) { emit(index) }
  }

  /// The most bytes that are reserved at first for the records behind a piece that was cut off.
  private static let largestRoom = 4 << 20

  /// Makes a piece of the first `count` records that are waiting.
  private mutating func emit(_ count: Int) {
    // What comes behind it is copied, a window or two at most; the piece keeps what it has.
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
    // The gap before the last record that was appended may be there before the record is.
    gaps.removeFirst(count)
    firstNumber += count
    pendingWeight = weights.reduce(0, +)
  }
}
