extension ShardedIndex {
  /// The answer to a prefix: the records that match, counted. A record is decoded when a caller reads it.
  ///
  /// An answer stays with its generation when the index moves on. If builds have removed shards of that generation,
  /// reading records that are not in memory fails with ``IndexError/superseded(path:)``; then query again.
  public struct Matches: Sendable {
    /// The generation of the answer.
    package let generation: Generation
    private let answer: KeyMatches

    @inline(__always) init(_ generation: Generation, _ answer: KeyMatches) {
      self.generation = generation
      self.answer = answer
    }

    /// All records of a generation.
    package init(allOf generation: Generation) { self.init(generation, generation.allRecords) }

    /// The number of matches, at most the limit of the query. O(1); decodes no match.
    public var count: Int { answer.range.count }
    /// Whether no record matches.
    public var isEmpty: Bool { answer.range.isEmpty }
    /// Whether the limit of the query left out further matches.
    public var hasMore: Bool { answer.hasMore }

    /// The position of the first match among all records of the index, counted from 0; nil if no record matches, or if
    /// the answer comes from the starts of an index on another machine, since starts have no positions.
    ///
    /// The other matches follow the first without a gap, unless a space also stands for a comma. Then `san jo` finds
    /// `San, JO` and `San Jose`, with other records between them.
    public var firstPosition: Int? { generation.isOfStarts || isEmpty ? nil : answer.range.lowerBound }

    /// Returns some of the matches, decoded.
    ///
    /// Loads only the shards that hold these records, and decodes no record before them.
    ///
    /// - Parameter positions: Positions among the matches, from 0 on. Positions beyond the last match are left out.
    /// - Throws: ``IndexError`` if a shard cannot be read or is damaged, or was removed by builds since.
    /// - Complexity: O(*n*): *n* decoded records, and the records of one block of keys before the first.
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

    /// Decodes some of the matches into a buffer, in the place of its former records.
    ///
    /// A caller that reads many answers, or a long answer, into one buffer saves an allocation for each read.
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

    /// Positions among all records of the index, without positions beyond the last match.
    @inline(__always) private func bounds(of positions: Range<Int>) -> (lower: Int, upper: Int) {
      let range = answer.range
      return (
        range.lowerBound + min(max(0, positions.lowerBound), range.count),
        range.lowerBound + min(max(0, positions.upperBound), range.count)
      )
    }
  }
}

extension ShardedIndex.Matches: CustomStringConvertible {
  /// The number of matches: `26 matches`; `20 matches, and more` if the limit left some out.
  public var description: String { counted(count, "match", "matches") + (hasMore ? ", and more" : "") }
}

/// Returns a number with its noun.
func counted(_ count: Int, _ one: StaticString, _ many: StaticString) -> String {
  "\(count) \(count == 1 ? one : many)"
}

extension ShardedIndex.Matches {
  /// The number of all records of the generation.
  package var recordCount: Int { generation.recordCount }
  /// The position of the first match in its generation, or that of the records behind the text if none matches.
  package var lowerBound: Int { answer.range.lowerBound }
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

  /// Returns the ranges of a match's key that a folded text matched, in bytes of UTF-8: one range, or none for an empty
  /// text.
  package static func highlights(of text: [UInt8], in key: String) -> [Range<Int>] {
    guard let size = Fold.matchedSize(ofFolded: text, in: key), size > 0 else { return [] }
    return [0..<size]
  }

  /// Returns the folded keys of some of the matches. An index that does not store its keys shows its folded keys.
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

  /// Returns positions among the records of the shards: for each run of some of the matches, the range from its first
  /// to its last match. Runs without a match in a shard are left out.
  package func positionsInShards(of positions: Range<Int>) -> [Range<Int>] {
    let start = answer.range.lowerBound
    return generation.positionsInShards(
      of: answer, from: start + positions.lowerBound, to: start + positions.upperBound)
  }

  /// Returns the number of records, from one of the matches on, that a caller can decode at once in the memory of a few
  /// copies of their part; 1 if records are large. Decodes no record.
  ///
  /// - Throws: ``IndexError`` as ``read(_:into:)``, and if the record is larger than the thread's terms allow.
  package func recordsAtOnce(at position: Int) throws(IndexError) -> Int {
    try generation.recordsAtOnce(answer, at: answer.range.lowerBound + position)
  }

  /// Returns the number of shards that the answer reads: the shards at the ends of its runs, and the shards of the
  /// shown records.
  ///
  /// - Parameters:
  ///   - text: The folded text of the query.
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
