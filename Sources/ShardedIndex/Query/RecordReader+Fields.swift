// This file reads one field of a part's records.

extension ShardReader {
  /// Calls `body` with a field of some records of a part, for each record that has the field.
  ///
  /// - Parameter range: The records, counted within the part.
  func forEachField(
    _ field: Int, of reference: PartReference, in range: Range<Int>,
    _ body: (_ record: Int, UnsafeBufferPointer<UInt8>, ValueKind) -> Void
  ) throws(IndexError) {
    try forEachRecord(of: reference, in: range) { record, slots, buffer in
      guard let slot = slots.first(where: { Int(buffer.rawName(ofField: $0)) == field }) else { return }
      let kind = ValueKind(rawValue: buffer.rawKind(ofField: slot)) ?? .literal
      unsafe buffer.withText(slot) { unsafe body(record, $0, kind) }
    }
  }

  /// Calls `body` with each of some records of a part, and the range of its fields in a buffer.
  ///
  /// - Parameter range: The records, counted within the part.
  func forEachRecord(
    of reference: PartReference, in range: Range<Int>, _ body: (_ record: Int, Range<Int>, RecordBuffer) -> Void
  ) throws(IndexError) {
    let columns = if let unpacked = reference.part.columns { unpacked } else { try unpackFields(of: reference) }
    let buffer = RecordBuffer()
    // At most one run at a time, since a record may be large.
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 32) {
      buffer.removeAll()
      let run = start..<min(start + 32, range.upperBound)
      decode(run, reference.part.keys, columns, into: buffer)
      try check(buffer, reference.shard)
      for record in run { body(record, buffer.fieldRange(record - start), buffer) }
    }
  }
}
