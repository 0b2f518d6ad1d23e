// Answers to typed texts with a space in them. Source: docs/matching.md §8.

extension Fold {
  /// Whether a folded text holds a space. Only then is its answer more than the keys that begin with it.
  ///
  /// - Parameter head: ``KeyBlocks/head(of:)`` of the text.
  @inline(__always)
  static func hasSpace(_ folded: UnsafeBufferPointer<UInt8>, head: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    @inline(__always) func hasSpace(_ word: UInt64) -> Bool {
      let zeroed = word ^ (ones &* UInt64(space))
      return (zeroed &- ones) & ~zeroed & (ones &* 0x80) != 0
    }
    if hasSpace(head) { return true }
    var position = 8
    while position < folded.count {
      // The last eight bytes overlap those before.
      let start = UnsafeRawPointer(folded.baseAddress!) + min(position, folded.count &- 8)
      if hasSpace(start.loadUnaligned(as: UInt64.self)) { return true }
      position &+= 8
    }
    return false
  }
}

/// The keys that a typed text asks for: one run of them.
struct TypedRun {
  /// The keys begin with it.
  let word: UnsafeBufferPointer<UInt8>
  /// The word; where it is finished, the word and the space that finishes it. The run ends behind the keys that begin so.
  let text: UnsafeBufferPointer<UInt8>

  /// - Parameter text: Folded. A space at its end finishes the word: the key ends behind it, or goes on with a space or a
  ///   separator. No byte of a fold is below the space but the separator, so such keys stand together.
  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
    let isFinished = text.count > 1 && text[text.count - 1] == Fold.space
    word = isFinished ? UnsafeBufferPointer(rebasing: text.dropLast()) : text
  }

  var isFinished: Bool { word.count < text.count }
}

extension Generation {
  /// The answer to a folded text with a space, at most `limit` matches.
  ///
  /// Its last space, the one that finishes a word aside, may also stand for the separator. Those keys come first.
  @inline(never)
  func answer(inRuns text: UnsafeBufferPointer<UInt8>, limit: Int) throws(IndexError) -> ShardedIndex.Matches {
    let run = TypedRun(text)
    guard let last = run.word.lastIndex(of: Fold.space) else { return try matches(of: run, limit: limit) }
    let separated = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { copy in
      _ = copy.initialize(from: text)
      copy[last] = Fold.separator
      return Result { () throws(IndexError) in
        try matches(of: TypedRun(UnsafeBufferPointer(copy)), limit: limit)
      }
    }
    let first = try separated.get()
    if first.hasMore { return first }
    return ShardedIndex.Matches(first, then: try matches(of: run, limit: limit == .max ? limit : limit - first.count))
  }

  /// One run of keys, overlay included.
  private func matches(of run: TypedRun, limit: Int) throws(IndexError) -> ShardedIndex.Matches {
    guard let overlay else { return try matchesInShards(of: run, limit: limit) }
    // As many more as may be removed of them.
    let (most, isOver) = limit.addingReportingOverflow(overlay.removed.count)
    let found = try matchesInShards(of: run, limit: isOver ? .max : most)
    return ShardedIndex.Matches(
      self,
      range: overlay.matches(
        from: run.word, to: run.text, inShards: found.range, hasMore: found.hasMore, limit: limit),
      limit: limit, isOverlaid: true)
  }

  private func matchesInShards(of run: TypedRun, limit: Int) throws(IndexError) -> ShardedIndex.Matches {
    guard run.isFinished, manifest.shardCount > 0 else { return try matches(forFolded: run.text, limit: limit) }
    let (head, endHead) = (KeyBlocks.head(of: run.word), KeyBlocks.head(of: run.text))
    let first = try manifest.places(forPrefix: run.word, head: head).first
    let last = try manifest.places(forPrefix: run.text, head: endHead).last
    let part = try part(of: first, unpacks: limit < .max) { $0.first(for: run.word, head: head) }
    let (lower, _) = part.part.keys.lowerBound(of: run.word, head: head)
    let lastPart =
      first.number == last.number
      ? part.part.header.parts.last(for: run.text, head: endHead, from: part.part.number) : nil
    return try matches(forFolded: run.text, endHead, limit, from: part, lower, to: lastPart, of: last)
  }
}

extension Manifest {
  /// The shards that can hold keys which answer a folded text, once for each run of them; all for an empty text.
  package func shards(forTyped text: [UInt8]) throws(IndexError) -> [ClosedRange<Int>] {
    guard shardCount > 0 else { return [] }
    guard !text.isEmpty else { return [0...shardCount - 1] }
    return try Fold.readings(of: text).map { (reading) throws(IndexError) in
      try reading.withUnsafeBufferPointer { (bytes) throws(IndexError) in
        let run = TypedRun(bytes)
        let first = try places(forPrefix: run.word, head: KeyBlocks.head(of: run.word)).first.number
        let last = try places(forPrefix: run.text, head: KeyBlocks.head(of: run.text)).last.number
        return first...max(first, last)
      }
    }
  }

  /// The shards that hold the records at some places, of which there must be one.
  package func shards(holding places: Range<Int>) throws(IndexError) -> ClosedRange<Int> {
    let first = try place(holding: places.lowerBound).number
    return first...max(first, try place(holding: places.upperBound - 1).number)
  }

  /// How many shards an answer takes: those at the ends of its runs, and those that hold the records that are shown.
  ///
  /// - Parameters:
  ///   - text: Folded.
  ///   - shown: Positions among the matches.
  package func shardsTouched(
    by text: [UInt8], _ matches: ShardedIndex.Matches, shown: Range<Int>
  ) throws(IndexError) -> Int {
    var numbers: Set<Int> = []
    if !text.isEmpty {
      for shards in try shards(forTyped: text) { numbers.formUnion([shards.lowerBound, shards.upperBound]) }
    }
    guard !shown.isEmpty else { return numbers.count }
    for places in matches.placesInShards(of: shown) {
      numbers.formUnion(try shards(holding: places))
    }
    return numbers.count
  }
}
