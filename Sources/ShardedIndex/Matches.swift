extension ShardedIndex {
  /// The answer to a prefix: the records that match, counted. A record is decoded when a caller reads it.
  ///
  /// An answer is of one generation, and stays so when the index moves on. When builds have removed shards of that
  /// generation, reading records that are not in memory fails with ``IndexError/superseded(path:)``: then query again.
  public struct Matches: Sendable {
    /// The generation that the answer is of.
    package let generation: Generation
    private let answer: KeyMatches

    @inline(__always) init(_ generation: Generation, _ answer: KeyMatches) {
      self.generation = generation
      self.answer = answer
    }

    /// The number of matches, at most the limit of the query. O(1): no match is decoded for it.
    public var count: Int { answer.range.count }
    /// Whether no record matches.
    public var isEmpty: Bool { answer.range.isEmpty }
    /// Whether there are matches beyond these, which the limit left out.
    public var hasMore: Bool { answer.hasMore }

    /// The position of the first match among all records of the index, counted from 0; -1 where the answer comes out
    /// of the starts of an index on another machine, which do not have it.
    ///
    /// The others follow at once, but for an answer in which a space stands for the comma too: `san jo` has `San, JO`
    /// first, and `San Jose` behind records that do not match.
    public var firstPosition: Int { generation.isOfStarts ? -1 : answer.range.lowerBound }

    /// Returns some of the matches, decoded.
    ///
    /// Loads the shards that hold them and no other; the records before are not decoded.
    ///
    /// - Parameter positions: Positions among the matches, from 0 on. Positions beyond the last match are left out.
    /// - Throws: ``IndexError`` if a shard cannot be read or is damaged, or was removed by builds since.
    /// - Complexity: O(*n*) in the records that are decoded, and in those of a block of keys before the first.
    public func records(in positions: Range<Int>) throws(IndexError) -> Records {
      let buffer = RecordBuffer()
      try read(positions, into: buffer)
      let schema = generation.schema
      return Records(
        buffer: buffer, schema: schema, folded: schema.isKeyStored ? nil : try foldedKeys(in: positions),
        positions: .runs(runs(of: positions)))
    }

    /// Returns the first matches, decoded.
    ///
    /// - Parameter maxLength: The most records, at least 0.
    /// - Throws: ``IndexError``, as ``records(in:)`` does.
    public func prefix(_ maxLength: Int) throws(IndexError) -> Records {
      precondition(maxLength >= 0, "a prefix has no negative length")
      return try records(in: 0..<maxLength)
    }

    /// The first match, decoded; nil if no record matches.
    ///
    /// - Throws: ``IndexError``, as ``records(in:)`` does.
    public var first: Record? {
      get throws(IndexError) { try prefix(1).first }
    }

    /// Decodes some of the matches into a buffer, whose former records are removed.
    ///
    /// Reading many answers, or a long one, into the same buffer needs no allocation for each.
    ///
    /// - Parameters:
    ///   - positions: Positions among the matches, from 0 on. Positions beyond the last match are left out.
    ///   - buffer: The buffer, which grows to the size of the records.
    /// - Throws: ``IndexError``, as ``records(in:)`` does.
    public func read(_ positions: Range<Int>, into buffer: RecordBuffer) throws(IndexError) {
      buffer.removeAll()
      let (lower, upper) = bounds(of: positions)
      guard lower < upper else { return }
      try generation.read(answer, from: lower, to: upper, into: buffer)
    }

    /// Returns the positions of some of the matches among all records of the index, in runs.
    private func runs(of positions: Range<Int>) -> [Range<Int>] {
      let (lower, upper) = bounds(of: positions)
      var runs: [Range<Int>] = []
      // No run has records to read, so nothing fails.
      try? answer.forEachRun(from: lower, to: upper) { _, records in runs.append(records) }
      return runs
    }

    /// Positions among all records of the index; those beyond the last match are left out.
    @inline(__always) private func bounds(of positions: Range<Int>) -> (lower: Int, upper: Int) {
      let range = answer.range
      return (
        range.lowerBound + min(max(0, positions.lowerBound), range.count),
        range.lowerBound + min(max(0, positions.upperBound), range.count)
      )
    }
  }
}

extension Generation {
  /// All records.
  package var allMatches: ShardedIndex.Matches { ShardedIndex.Matches(self, allRecords) }
}

extension ShardedIndex.Matches: CustomStringConvertible {
  /// The number of matches: `26 matches`; `20 matches, and more` where the limit left some out.
  public var description: String { counted(count, "match", "matches") + (hasMore ? ", and more" : "") }
}

/// Returns a number with its noun.
func counted(_ count: Int, _ one: StaticString, _ many: StaticString) -> String {
  "\(count) \(count == 1 ? one : many)"
}

extension ShardedIndex.Matches {
  /// The number of all records of the generation.
  package var recordCount: Int { generation.recordCount }
  /// The positions of the matches among all records of the index: one run or two, in order.
  package var positions: [Range<Int>] { answer.positions }

  /// Returns which of the matches stands at a position among all records of the index; nil if none does.
  package func index(ofPosition position: Int) -> Int? {
    var before = 0
    for run in positions {
      if run.contains(position) { return before + position - run.lowerBound }
      before += run.count
    }
    return nil
  }

  /// Returns the ranges of a match's key that a folded text matched, in bytes of UTF-8: one, or none of an empty text.
  package static func highlights(of text: [UInt8], in key: String) -> [Range<Int>] {
    guard let range = Fold.matchedRange(ofFolded: text, in: key), !range.isEmpty else { return [] }
    return [0..<key[range].utf8.count]
  }

  /// Returns the folded keys of some of the matches: an index that does not store its keys shows these.
  package func foldedKeys(in positions: Range<Int>) throws(IndexError) -> FoldedKeys {
    let (lower, upper) = bounds(of: positions)
    return try generation.foldedKeys(of: answer, from: lower, to: upper)
  }

  /// Calls `body` with the folded keys of some of the matches, in order.
  package func forEachFoldedKey(in positions: Range<Int>, _ body: (FoldedPrefix) -> Void) throws(IndexError) {
    let start = answer.range.lowerBound
    try generation.forEachFoldedKey(
      of: answer, from: start + positions.lowerBound, to: start + positions.upperBound, body)
  }

  /// Returns the positions among the records of the shards from the first to the last of some of the matches, for each
  /// run of them; those are left out of which none is in a shard.
  package func positionsInShards(of positions: Range<Int>) -> [Range<Int>] {
    let start = answer.range.lowerBound
    return generation.positionsInShards(
      of: answer, from: start + positions.lowerBound, to: start + positions.upperBound)
  }

  /// Returns how many records from one of the matches on are decoded together without more memory than a few copies of
  /// their part take; 1 where records are large. Decodes none.
  ///
  /// - Throws: ``IndexError`` as ``read(_:into:)``, and where the thread's terms have no room for a record so large.
  package func recordsAtOnce(at position: Int) throws(IndexError) -> Int {
    try generation.recordsAtOnce(answer, at: answer.range.lowerBound + position)
  }

  /// Returns how many shards the answer takes: those at the ends of its runs, and those that hold the records that are
  /// shown.
  ///
  /// - Parameters:
  ///   - text: The folded text that was asked for.
  ///   - shown: Positions among the matches.
  package func shardsTouched(by text: [UInt8], shown: Range<Int>) throws(IndexError) -> Int {
    let manifest = generation.manifest
    var numbers: Set<Int> = []
    if !text.isEmpty {
      for shards in try manifest.shards(forTyped: text) { numbers.formUnion([shards.lowerBound, shards.upperBound]) }
    }
    guard !shown.isEmpty else { return numbers.count }
    for records in positionsInShards(of: shown) { numbers.formUnion(try manifest.shards(holding: records)) }
    return numbers.count
  }
}
