/// A reader of records by their positions among all records of the shards.
struct RecordReader {
  let shards: ShardReader
  /// A part that mostly has the records; nil if no part is known.
  let first: PartReference?

  init(_ shards: ShardReader, first: PartReference?) { (self.shards, self.first) = (shards, first) }

  /// The largest weight of a part whose records are decoded together, in bytes.
  static var usualWeight: Int { 256 << 10 }

  /// Decodes records into a buffer, behind its present records.
  func read(from lower: Int, to upper: Int, into buffer: RecordBuffer) throws(IndexError) {
    try forEachRun(from: lower, to: upper) { (part, records) throws(IndexError) in
      try PartReader(shards, part).decode(records, into: buffer)
    }
  }

  /// Calls `body` with the folded keys of records, in order. Inlined, the copies of each caller's closure have 15 KB.
  @inline(never)
  func forEachFoldedKey(from lower: Int, to upper: Int, _ body: (FoldedPrefix) -> Void) throws(IndexError) {
    try forEachRun(from: lower, to: upper) { (part, records) in
      unsafe part.part.keys.forEachKey(in: records) { _, key in unsafe body(FoldedPrefix(key)) }
    }
  }

  /// Returns the number of records, from `position` on, that a caller can decode at once in the memory of a few copies
  /// of their part; 1 if records are large. Decodes no record.
  ///
  /// - Throws: ``IndexError`` as reading does, and if the record is larger than the thread's terms allow.
  func recordsAtOnce(at position: Int) throws(IndexError) -> Int {
    let part = try part(holding: position)
    let weight = part.part.weight
    if weight <= Self.usualWeight { return part.start + part.recordCount - position }
    try ReadingTerms.admit(weight, in: shards.directory)
    return 1
  }

  // MARK: Parts

  /// Calls `body` with each part that has some of the records, and with their range within the part.
  @inline(__always)
  private func forEachRun(
    from lower: Int, to upper: Int, _ body: (PartReference, Range<Int>) throws(IndexError) -> Void
  ) throws(IndexError) {
    var (part, position) = (try self.part(holding: lower), lower)
    while true {
      let end = part.start + part.recordCount
      guard end < upper else { return try body(part, position - part.start..<upper - part.start) }
      let next = try self.part(at: end, behind: part)
      // Prefetches the next part while the records of this one are decoded.
      unsafe Unmanaged.passUnretained(next.part)._withUnsafeGuaranteedRef {
        $0.prefetchKeys()
        $0.prefetch(0)
      }
      try body(part, position - part.start..<end - part.start)
      (part, position) = (next, end)
    }
  }

  /// Returns the part of a record: `first` if that has the record.
  private func part(holding position: Int) throws(IndexError) -> PartReference {
    if let first, first.start <= position, position < first.start + first.recordCount { return first }
    return try part(holding: position, of: shards.manifest.shardPosition(holding: position))
  }

  private func part(holding position: Int, of shard: Manifest.ShardPosition) throws(IndexError) -> PartReference {
    try shards.part(of: shard, promotes: false, unpacks: true) { $0.part(holding: position - shard.firstRecord) }
  }

  /// Returns the part that begins at the end of another one. Reads the manifest only if the part is in another shard.
  private func part(at position: Int, behind known: PartReference) throws(IndexError) -> PartReference {
    let (firstRecord, recordCount) = unsafe Unmanaged.passUnretained(known.part)._withUnsafeGuaranteedRef {
      ($0.firstRecord, $0.header.recordCount)
    }
    let start = known.start - firstRecord
    guard position < start + recordCount else {
      return try part(holding: position, of: shards.manifest.shardPosition(holding: position))
    }
    return try part(
      holding: position, of: Manifest.ShardPosition(number: known.shard, firstRecord: start, recordCount: recordCount))
  }
}
