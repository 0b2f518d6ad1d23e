/// The field with the weight of records, and the rule that makes weights from it.
struct WeightSource: Sendable {
  /// The number of the field; nil if no record has a weight.
  let field: Int?
  let rule: WeightRule

  init(_ manifest: ManifestReader) throws(IndexError) { (field, rule) = try manifest.weightField }
}

extension PartReader {
  /// Returns the weights of all records. The part keeps them.
  ///
  /// - Parameter marks: Returns a mark for each record. The part keeps the marks too.
  func weights(_ source: WeightSource, marks: () throws(IndexError) -> [UInt8]) throws(IndexError) -> PartWeights {
    if let weights = part.part.weights.load() { return weights }
    var values = [UInt64](repeating: 0, count: part.recordCount)
    if let field = source.field {
      let rule = source.rule
      let isNumber = unsafe try columns.forEachNumber(named: field, keys: part.part.keys) {
        record, value, format, literal, _ in
        values[record] = unsafe format.type == 0 ? rule.weight(of: literal) : rule.weight(of: value, format)
      }
      if !isNumber { try readWeights(field, rule, into: &values) }
    }
    let weights = PartWeights(values, marks: try marks())
    let kept = part.part.weights.storeIfNil(weights)
    if kept === weights { shards.cache.grew(part.part, by: weights.charge) }
    return kept
  }

  /// Reads the weights by decoding the records, since not all have the field, or it is not a number.
  private func readWeights(_ field: Int, _ rule: WeightRule, into values: inout [UInt64]) throws(IndexError) {
    try unsafe forEachField(field, in: 0..<values.count) { record, text, _ in
      values[record] = unsafe rule.weight(of: text)
    }
  }
}
