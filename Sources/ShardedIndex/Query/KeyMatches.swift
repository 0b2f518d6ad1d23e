/// The answer of one generation to a folded text: the positions and the number of the matches, without decoded records.
struct KeyMatches: Sendable {
  /// The positions of the matches in the order of the whole index, or of its shards for a query below the overlay. For
  /// two runs: the first position, and the number of both.
  let range: Range<Int>
  /// Whether the limit left out further matches.
  let hasMore: Bool
  /// The part of the first match, or the part before it; or the two runs; or, for neither, another object. It is not an
  /// optional: a program would make an optional's type at run time when it frees its first answer. That takes about 0.7
  /// MB of code and tables.
  private let holder: AnyObject & Sendable
  private let firstShard: Int
  private let firstStart: Int

  /// - Parameter range: The known matches: all matches, unless there are more than the limit.
  @inline(__always)
  init(range: Range<Int>, limit: Int, first: PartReference) {
    (self.range, hasMore) = Self.cut(range, limit)
    (holder, firstShard, firstStart) = (first.part, first.shard, first.start)
  }

  /// Makes an answer without a known part.
  ///
  /// - Parameters:
  ///   - shards: The reader of the generation's shards.
  ///   - isOverlaid: Whether positions count the generation's overlay.
  init(_ shards: ShardReader, range: Range<Int>, limit: Int, isOverlaid: Bool = false) {
    (self.range, hasMore) = Self.cut(range, limit)
    (holder, firstShard, firstStart) = (shards, isOverlaid ? Self.overlaid : -1, 0)
  }

  /// Makes an answer from two runs of records, with other records between them.
  init(_ first: KeyMatches, then second: KeyMatches) {
    if first.range.isEmpty || second.range.isEmpty && !second.hasMore {
      self = first.range.isEmpty ? second : first
      return
    }
    let start = first.range.lowerBound
    range = start..<start + first.range.count + second.range.count
    hasMore = second.hasMore
    (holder, firstShard, firstStart) = (TwoRuns(first, second), Self.inTwoRuns, 0)
  }

  /// These values take the place of a shard's number.
  private static var overlaid: Int { -2 }
  private static var inTwoRuns: Int { -3 }

  /// The two runs; nil for an answer in one run.
  private var runs: TwoRuns? { unsafe firstShard == Self.inTwoRuns ? unsafeDowncast(holder, to: TwoRuns.self) : nil }

  /// Whether positions count the generation's overlay.
  var isOverlaid: Bool { firstShard == Self.overlaid }

  /// The part of the first match, or the part before it, as the query found it.
  @inline(__always) var first: PartReference? {
    guard firstShard >= 0 else { return nil }
    return unsafe PartReference(part: unsafeDowncast(holder, to: LoadedPart.self), shard: firstShard, start: firstStart)
  }

  /// Calls `body` with the part of the first match, without counting a reference: the part lives as long as the answer.
  @inline(__always)
  private func withFirst<Result>(_ body: (_ part: LoadedPart, _ shard: Int, _ start: Int) -> Result?) -> Result? {
    guard firstShard >= 0 else { return nil }
    return unsafe Unmanaged.passUnretained(unsafeDowncast(holder, to: LoadedPart.self))._withUnsafeGuaranteedRef {
      body($0, firstShard, firstStart)
    }
  }

  /// Decodes records of the part that a query found, if all are in this part and its fields are unpacked; returns
  /// whether they are.
  ///
  /// Mostly all requested records are in this part.
  @inline(__always)
  func readFirst(
    from lower: Int, to upper: Int, in shards: ShardReader, into buffer: RecordBuffer
  ) throws(IndexError) -> Bool {
    let shard = withFirst { part, shard, start -> Int? in
      guard start <= lower, upper <= start &+ part.keys.count, let columns = part.columns else { return nil }
      buffer.decode(lower &- start..<upper &- start, part.keys, columns)
      return shard
    }
    guard let shard else { return false }
    try buffer.check(shards, shard)
    return true
  }

  @inline(__always)
  private static func cut(_ range: Range<Int>, _ limit: Int) -> (Range<Int>, hasMore: Bool) {
    range.count > limit ? (range.lowerBound..<range.lowerBound + limit, true) : (range, false)
  }

  /// The positions of the matches among all records of the index: one run or two, in order.
  var positions: [Range<Int>] { runs.map { [$0.first.range, $0.second.range] } ?? [range] }

  /// Whether the answer has two runs.
  @inline(__always) var hasTwoRuns: Bool { firstShard == Self.inTwoRuns }

  /// Calls `body` with each run of some positions of the answer, and with their positions in that run. An answer of one
  /// run is its own run.
  func forEachRun(
    from lower: Int, to upper: Int, _ body: (KeyMatches, Range<Int>) throws(IndexError) -> Void
  ) throws(IndexError) {
    guard let runs else { return try body(self, lower..<upper) }
    let end = runs.first.range.upperBound
    if lower < end { try body(runs.first, lower..<min(upper, end)) }
    let distance = runs.second.range.lowerBound - end
    if upper > end { try body(runs.second, max(lower, end) + distance..<upper + distance) }
  }
}

/// The two runs of a ``KeyMatches``.
private final class TwoRuns: Sendable {
  let first: KeyMatches
  let second: KeyMatches

  init(_ first: KeyMatches, _ second: KeyMatches) { (self.first, self.second) = (first, second) }
}
