// This file reads records of the shards by their positions among all records of the shards.

extension ShardReader {
  /// The largest weight of a part whose records are decoded together, in bytes.
  static var usualWeight: Int { 256 << 10 }

  /// Decodes records of the part that a query found, if all are in this part and its fields are unpacked; returns
  /// whether they are.
  ///
  /// Mostly all requested records are in this part.
  @inline(__always)
  func readFirst(of answer: KeyMatches, from lower: Int, to upper: Int, into buffer: RecordBuffer) throws(IndexError)
    -> Bool
  {
    let shard = answer.withFirst { part, shard, start -> Int? in
      guard start <= lower, upper <= start &+ part.keys.count, let columns = part.columns else { return nil }
      decode(lower &- start..<upper &- start, part.keys, columns, into: buffer)
      return shard
    }
    guard let shard else { return false }
    try check(buffer, shard)
    return true
  }

  /// Decodes records into a buffer, behind its present records.
  func read(
    from lower: Int, to upper: Int, first: PartReference?, into buffer: RecordBuffer
  ) throws(IndexError) {
    try forEachRun(from: lower, to: upper, first: first) { (part, records) throws(IndexError) in
      let columns = if let unpacked = part.part.columns { unpacked } else { try unpackFields(of: part) }
      decode(records, part.part.keys, columns, into: buffer)
      try check(buffer, part.shard)
    }
  }

  /// Calls `body` with the folded keys of records, in order.
  func forEachFoldedKey(
    from lower: Int, to upper: Int, first: PartReference?, _ body: (FoldedPrefix) -> Void
  ) throws(IndexError) {
    try forEachRun(from: lower, to: upper, first: first) { (part, records) in
      unsafe part.part.keys.forEachKey(in: records) { _, key in unsafe body(FoldedPrefix(key)) }
    }
  }

  /// Returns the number of records, from `position` on, that a caller can decode at once in the memory of a few copies
  /// of their part; 1 if records are large. Decodes no record.
  ///
  /// - Throws: ``IndexError`` as reading does, and if the record is larger than the thread's terms allow.
  func recordsAtOnce(at position: Int, first: PartReference?) throws(IndexError) -> Int {
    let part = try part(holding: position, first: first)
    let weight = part.part.weight
    if weight <= Self.usualWeight { return part.start + part.recordCount - position }
    try ReadingTerms.admit(weight, in: directory)
    return 1
  }

  // MARK: Parts

  /// Calls `body` with each part that has some of the records, and with their range within the part.
  @inline(__always)
  private func forEachRun(
    from lower: Int, to upper: Int, first: PartReference?,
    _ body: (PartReference, Range<Int>) throws(IndexError) -> Void
  ) throws(IndexError) {
    var (part, position) = (try self.part(holding: lower, first: first), lower)
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
  private func part(holding position: Int, first: PartReference?) throws(IndexError) -> PartReference {
    if let first, first.start <= position, position < first.start + first.recordCount { return first }
    return try part(holding: position, of: manifest.shardPosition(holding: position))
  }

  private func part(holding position: Int, of shard: Manifest.ShardPosition) throws(IndexError) -> PartReference {
    try part(of: shard, promotes: false, unpacks: true) { $0.part(holding: position - shard.firstRecord) }
  }

  /// Returns the part that begins at the end of another one. Reads the manifest only if the part is in another shard.
  private func part(at position: Int, behind known: PartReference) throws(IndexError) -> PartReference {
    let (firstRecord, recordCount) = unsafe Unmanaged.passUnretained(known.part)._withUnsafeGuaranteedRef {
      ($0.firstRecord, $0.header.recordCount)
    }
    let start = known.start - firstRecord
    guard position < start + recordCount else {
      return try part(holding: position, of: manifest.shardPosition(holding: position))
    }
    return try part(
      holding: position, of: Manifest.ShardPosition(number: known.shard, firstRecord: start, recordCount: recordCount))
  }

  // MARK: Decoding

  @inline(__always)
  func decode(_ range: Range<Int>, _ keys: KeyBlocks, _ columns: FieldColumns, into buffer: RecordBuffer) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: FieldColumns.scratchSize(keys)) { scratch in
      unsafe columns.decode(range, keys: keys, scratch: scratch.baseAddress!, into: &buffer.output.pointee)
    }
  }

  /// Throws an error if a record is larger than the limit of all records, and removes the decoded ones.
  @inline(__always)
  func check(_ buffer: RecordBuffer, _ shard: Int) throws(IndexError) {
    if unsafe buffer.output.pointee.isOverlong { throw overlong(shard, buffer) }
  }

  @inline(never)
  private func overlong(_ shard: Int, _ buffer: RecordBuffer) -> IndexError {
    buffer.removeAll()
    let reason = "has a record of over \(FieldColumns.recordLimit) bytes"
    return .corrupt(path: filePath(of: shard), cause: .invalid(reason: reason, offset: 0))
  }
}
