/// The answer of one generation to a folded text: the positions and the number of the matches, without decoded records.
package struct KeyMatches: Sendable {
  /// The positions of the matches in the order of the whole index, or of its shards for a query below the overlay. For
  /// two runs: the first position, and the number of both.
  let range: Range<Int>
  /// Whether the limit left out further matches.
  let hasMore: Bool
  private let source: MatchSource

  /// The runs of the matches.
  private enum MatchSource: Sendable {
    /// One run. The part of the first match, or the part before it, is known.
    case part(PartReference)
    /// One run of records of the shards.
    case shards
    /// One run, whose positions count the generation's overlay.
    case overlaid
    /// Two runs, with other records between them.
    indirect case runs(KeyMatches, KeyMatches)
  }

  /// - Parameter range: The known matches: all matches, unless there are more than the limit.
  @inline(__always)
  init(range: Range<Int>, limit: Int, first: PartReference) {
    (self.range, hasMore) = Self.cut(range, limit)
    source = .part(first)
  }

  /// Makes an answer without a known part.
  ///
  /// - Parameter isOverlaid: Whether positions count the generation's overlay.
  init(range: Range<Int>, limit: Int, isOverlaid: Bool = false) {
    (self.range, hasMore) = Self.cut(range, limit)
    source = isOverlaid ? .overlaid : .shards
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
    source = .runs(first, second)
  }

  /// Whether positions count the generation's overlay.
  var isOverlaid: Bool { if case .overlaid = source { true } else { false } }

  /// The part of the first match, or the part before it, as the query found it.
  @inline(__always) var first: PartReference? { if case .part(let part) = source { part } else { nil } }

  /// Calls `body` with the part of the first match, without counting a reference: the part lives as long as the answer.
  @inline(__always)
  private func withFirst<Result>(_ body: (_ part: LoadedPart, _ shard: Int, _ start: Int) -> Result?) -> Result? {
    guard case .part(let first) = source else { return nil }
    return unsafe Unmanaged.passUnretained(first.part)._withUnsafeGuaranteedRef { body($0, first.shard, first.start) }
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
  var positions: [Range<Int>] {
    if case .runs(let first, let second) = source { [first.range, second.range] } else { [range] }
  }

  /// Calls `body` with each run of some positions of the answer, and with their positions in that run. An answer of one
  /// run is its own run.
  func forEachRun(
    from lower: Int, to upper: Int, _ body: (KeyMatches, Range<Int>) throws(IndexError) -> Void
  ) throws(IndexError) {
    guard case .runs(let first, let second) = source else { return try body(self, lower..<upper) }
    let end = first.range.upperBound
    if lower < end { try body(first, lower..<min(upper, end)) }
    let distance = second.range.lowerBound - end
    if upper > end { try body(second, max(lower, end) + distance..<upper + distance) }
  }
}
