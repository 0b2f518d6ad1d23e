/// A reader of the records of one part.
struct PartReader {
  let shards: ShardReader
  let part: PartReference

  init(_ shards: ShardReader, _ part: PartReference) { (self.shards, self.part) = (shards, part) }

  /// The fields of the records.
  var columns: FieldColumns {
    get throws(IndexError) {
      if let unpacked = part.part.columns { unpacked } else { try shards.unpackFields(of: part) }
    }
  }

  /// Decodes some records into a buffer, behind its present records.
  ///
  /// - Parameter range: The records, counted within the part.
  func decode(_ range: Range<Int>, into buffer: RecordBuffer) throws(IndexError) {
    buffer.decode(range, part.part.keys, try columns)
    try buffer.check(shards, part.shard)
  }

  /// Calls `body` with a field of some records, for each record that has the field.
  ///
  /// - Parameter range: The records, counted within the part.
  func forEachField(
    _ field: Int, in range: Range<Int>, _ body: (_ record: Int, UnsafeBufferPointer<UInt8>, ValueKind) -> Void
  ) throws(IndexError) {
    try forEachRecord(in: range) { record, slots, buffer in
      guard let slot = slots.first(where: { Int(buffer.rawName(ofField: $0)) == field }) else { return }
      let kind = ValueKind(rawValue: buffer.rawKind(ofField: slot)) ?? .literal
      unsafe buffer.withText(slot) { unsafe body(record, $0, kind) }
    }
  }

  /// Calls `body` with each of some records, and the range of its fields in a buffer.
  ///
  /// - Parameter range: The records, counted within the part.
  func forEachRecord(
    in range: Range<Int>, _ body: (_ record: Int, Range<Int>, RecordBuffer) -> Void
  ) throws(IndexError) {
    let columns = try columns
    let buffer = RecordBuffer()
    // At most one run at a time, since a record may be large.
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 32) {
      buffer.removeAll()
      let run = start..<min(start + 32, range.upperBound)
      buffer.decode(run, part.part.keys, columns)
      try buffer.check(shards, part.shard)
      for record in run { body(record, buffer.fieldRange(record - start), buffer) }
    }
  }
}
