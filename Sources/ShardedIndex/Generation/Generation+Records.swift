extension Generation {
  /// Decodes some records of an answer, with the overlay, into an empty buffer.
  ///
  /// - Parameters:
  ///   - lower: The first position in the answer.
  ///   - upper: The position behind the last; the range is not empty.
  @inline(__always)
  func read(_ answer: KeyMatches, from lower: Int, to upper: Int, into buffer: RecordBuffer) throws(IndexError) {
    if try answer.readFirst(from: lower, to: upper, in: shards, into: buffer) { return }
    try readOthers(answer, from: lower, to: upper, into: buffer)
  }

  @inline(never)
  private func readOthers(
    _ answer: KeyMatches, from lower: Int, to upper: Int, into buffer: RecordBuffer
  ) throws(IndexError) {
    try answer.forEachRun(from: lower, to: upper) { (run, positions) throws(IndexError) in
      func read(_ records: Range<Int>) throws(IndexError) {
        try reader(of: run).read(from: records.lowerBound, to: records.upperBound, into: buffer)
      }
      guard let overlay = overlay(of: run) else { return try read(positions) }
      try overlay.forEachRun(
        from: positions.lowerBound, to: positions.upperBound,
        shards: { (records) throws(IndexError) in try read(records) },
        own: { (number) throws(IndexError) in unsafe overlay.decode(number, into: &buffer.output.pointee) })
    }
  }

  /// Calls `body` with the folded keys of some records of an answer, in order.
  func forEachFoldedKey(
    of answer: KeyMatches, from lower: Int, to upper: Int, _ body: (FoldedPrefix) -> Void
  ) throws(IndexError) {
    try answer.forEachRun(from: lower, to: upper) { (run, positions) throws(IndexError) in
      func read(_ records: Range<Int>) throws(IndexError) {
        try reader(of: run).forEachFoldedKey(from: records.lowerBound, to: records.upperBound, body)
      }
      guard let overlay = overlay(of: run) else { return try read(positions) }
      try overlay.forEachRun(
        from: positions.lowerBound, to: positions.upperBound,
        shards: { (records) throws(IndexError) in try read(records) },
        own: { (number) throws(IndexError) in unsafe body(FoldedPrefix(overlay.folded(number))) })
    }
  }

  /// Returns the folded keys of some records of an answer.
  func foldedKeys(of answer: KeyMatches, from lower: Int, to upper: Int) throws(IndexError) -> FoldedKeys {
    var keys = FoldedKeys()
    if lower < upper { try forEachFoldedKey(of: answer, from: lower, to: upper) { unsafe keys.append($0.bytes) } }
    return keys
  }

  /// Returns positions among the records of the shards: for each run of some records of an answer, the range from its
  /// first to its last record. Runs without a record in a shard are left out.
  func positionsInShards(of answer: KeyMatches, from lower: Int, to upper: Int) -> [Range<Int>] {
    var found: [Range<Int>] = []
    try? answer.forEachRun(from: lower, to: upper) { (run, positions) throws(IndexError) in
      let (lower, upper) = (positions.lowerBound, positions.upperBound)
      let records = overlay(of: run)?.positionsInShards(from: lower, to: upper) ?? positions
      if !records.isEmpty { found.append(records) }
    }
    return found
  }

  /// Returns the number of records of an answer, from `position` on, that a caller can decode at once in the memory of
  /// a few copies of their part; 1 if records are large. Decodes no record.
  func recordsAtOnce(_ answer: KeyMatches, at position: Int) throws(IndexError) -> Int {
    var count: Int?
    try answer.forEachRun(from: position, to: answer.range.upperBound) { (run, positions) throws(IndexError) in
      // The run of the first record decides.
      if count == nil { count = min(positions.count, try recordsAtOnce(ofRun: run, at: positions.lowerBound)) }
    }
    return count ?? 1
  }

  private func recordsAtOnce(ofRun run: KeyMatches, at position: Int) throws(IndexError) -> Int {
    var record = position
    if let overlay = overlay(of: run) {
      let records = overlay.positionsInShards(from: record, to: record + 1)
      // The next records may belong to the overlay.
      guard !records.isEmpty, overlay.size <= RecordReader.usualWeight else { return 1 }
      record = records.lowerBound
    }
    return try reader(of: run).recordsAtOnce(at: record)
  }

  private func reader(of run: KeyMatches) -> RecordReader { RecordReader(shards, first: run.first) }

  /// The overlay that maps positions of an answer to positions in the shards; nil if both are the same.
  func overlay(of run: KeyMatches) -> Overlay? { run.isOverlaid ? overlay : nil }
}
