// This file reads the weights of a part's records.

/// The field with the weight of records, and the rule that makes weights from it.
struct WeightSource: Sendable {
  /// The number of the field; nil if no record has a weight.
  let field: Int?
  let rule: WeightRule

  init(_ manifest: ManifestReader) throws(IndexError) { (field, rule) = try manifest.weightField }
}

extension ShardReader {
  /// Returns the weights of all records of a part. The part keeps them.
  ///
  /// - Parameter marks: Returns a mark for each record. The part keeps the marks too.
  func weights(
    of reference: PartReference, _ source: WeightSource,
    marks: (PartReference) throws(IndexError) -> [UInt8]
  ) throws(IndexError) -> PartWeights {
    if let weights = reference.part.weights.load() { return weights }
    var values = [UInt64](repeating: 0, count: reference.recordCount)
    if let field = source.field {
      let rule = source.rule
      let columns = if let unpacked = reference.part.columns { unpacked } else { try unpackFields(of: reference) }
      let isNumber = unsafe columns.forEachNumber(named: field, keys: reference.part.keys) {
        record, value, format, literal, _ in
        values[record] = unsafe format.type == 0 ? rule.weight(of: literal) : rule.weight(of: value, format)
      }
      if !isNumber { try readWeights(of: reference, columns, field: field, rule: rule, into: &values) }
    }
    let weights = PartWeights(values, marks: try marks(reference))
    let kept = reference.part.weights.storeIfNil(weights)
    if kept === weights { cache.grew(reference.part, by: weights.charge) }
    return kept
  }

  /// Reads the weights of a part by decoding its records, since not all have the field, or it is not a number.
  private func readWeights(
    of reference: PartReference, _ columns: FieldColumns, field: Int, rule: WeightRule, into values: inout [UInt64]
  ) throws(IndexError) {
    let buffer = RecordBuffer()
    // At most one run at a time, since a record may be large.
    for start in stride(from: 0, to: values.count, by: 32) {
      buffer.removeAll()
      let run = start..<min(start + 32, values.count)
      decode(run, reference.part.keys, columns, into: buffer)
      try check(buffer, reference.shard)
      for record in run {
        for slot in buffer.fieldRange(record - start) where buffer.rawName(ofField: slot) == field {
          values[record] = unsafe buffer.withText(slot) { unsafe rule.weight(of: $0) }
          break
        }
      }
    }
  }
}

extension WeightRule {
  /// Returns the weight of a number of a column, as ``weight(of:)-(UnsafeBufferPointer<UInt8>)`` does for its text.
  func weight(of value: Int64, _ format: NumberFormat) -> UInt64 {
    if format.isWhole { return weight(of: value) }
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: NumberFormat.longestText) { buffer in
      let size = unsafe format.write(value, to: buffer.baseAddress!)
      return unsafe weight(of: UnsafeBufferPointer(rebasing: buffer[..<size]))
    }
  }
}

extension Overlay {
  /// Returns the weight of an added record.
  func weight(of number: Int, field: Int?, rule: WeightRule) -> UInt64 {
    var weight: UInt64?
    forEachField(of: number) { entry in
      if weight == nil, entry.name == field { weight = unsafe rule.weight(of: entry.text) }
    }
    return weight ?? 0
  }
}
