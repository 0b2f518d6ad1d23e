import ShardedIndex

/// A record that cannot stand in an index.
package struct BadRecord: Equatable, Sendable {
  package enum Flaw: Equatable, Sendable {
    /// None of the key template's fields is in the record.
    case noKeyField
    /// The field that tells records apart is not in the record.
    case noID
    /// The folded key has this many bytes, more than ``RecordEncoder/foldedKeyLimit``.
    case keyTooLong(Int)
    /// The record has this many fields, more than a shard can have columns.
    case tooManyFields(Int)
    /// The record has this many bytes, more than ``RecordEncoder/recordLimit``.
    case tooLarge(Int)
  }
  /// 0-based position in its batch.
  package var index: Int
  package var flaw: Flaw

  package init(index: Int, flaw: Flaw) {
    self.index = index
    self.flaw = flaw
  }
}

extension BadRecord {
  /// What is wrong with the record, and for one without a key which fields were looked for and which are there.
  func reason(template: KeyTemplate, in batch: RecordBatch, names: FieldNames) -> String {
    guard flaw == .noKeyField else { return "\(flaw)" }
    func list(_ names: some Collection<String>, _ word: String) -> String {
      let shown = names.prefix(8).map { "\"" + printable($0.utf8, limit: 40) + "\"" }
      if names.count > shown.count { return shown.joined(separator: ", ") + " and \(names.count - shown.count) more" }
      guard shown.count > 1 else { return shown.first ?? "no fields" }
      return shown.dropLast().joined(separator: ", ") + " \(word) " + shown[shown.count - 1]
    }
    let first = index > 0 ? Int(batch.recordEnds[index - 1]) : 0
    let own = batch.fields[first..<Int(batch.recordEnds[index])].map { names.names[Int($0.name)] }
    let lacks = template.fields.count == 1 ? "has no field " : "has none of the fields "
    return lacks + list(template.fields, "and") + ", which the key \(template.text) is made from; it has "
      + list(own, "and")
  }
}

extension BadRecord.Flaw: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noKeyField: "the record has none of the fields its key is made from; see --key"
    case .noID: "the record has no id, so that it is not known which record it replaces"
    case .keyTooLong(let size):
      "the key folds to \(size) bytes, the most is \(RecordEncoder.foldedKeyLimit)"
    case .tooManyFields(let count): "the record has \(count) fields, the most is \(ShardHeader.columnLimit)"
    case .tooLarge(let size): "the record has \(size) bytes, the most is \(RecordEncoder.recordLimit)"
    }
  }
}
