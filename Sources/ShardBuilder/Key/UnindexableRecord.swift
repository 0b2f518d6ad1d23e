import ShardedIndex

/// A record that cannot stand in an index.
package struct UnindexableRecord: Equatable, Sendable {
  package enum Flaw: Equatable, Sendable {
    /// None of the key template's fields is in the record, or all that are there are `null`.
    case noKeyField
    /// A field of the key template is an array, or else an empty object.
    case structuredKeyField(String, isArray: Bool)
    /// The field that tells records apart is not in the record, or no ``RecordID``.
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

extension UnindexableRecord {
  /// Returns the fault of the record; for one without a key, it names the fields of the template and those of the
  /// record.
  func reason(template: KeyTemplate, in batch: RecordBatch, names: FieldNames) -> String {
    guard flaw == .noKeyField else { return "\(flaw)" }
    func list(_ names: some Collection<String>, _ word: String) -> String {
      let shown = names.prefix(8).map { quoted($0) }
      if names.count > shown.count { return shown.joined(separator: ", ") + " and \(names.count - shown.count) more" }
      guard shown.count > 1 else { return shown.first ?? "no fields" }
      return shown.dropLast().joined(separator: ", ") + " \(word) " + shown[shown.count - 1]
    }
    let first = index > 0 ? Int(batch.recordEnds[index - 1]) : 0
    let own = batch.fields[first..<Int(batch.recordEnds[index])].map { names.names[Int($0.name)] }
    if let nothing = template.fields.first(where: { own.contains($0) }) {
      return
        "\(quoted(nothing)) is null, and the key \(template.text) is made from it; name a field that every record has"
    }
    for field in template.fields {
      guard let inner = own.first(where: { RecordEncoder.isKept($0, keep: [field]) }) else { continue }
      return "\(quoted(field)) is an object; name a field that is text, such as {\(printable(inner.utf8, limit: 40))}"
    }
    let lacks = template.fields.count == 1 ? "has no field " : "has none of the fields "
    return lacks + list(template.fields, "and") + ", which the key \(template.text) is made from; it has "
      + list(own, "and")
  }
}

extension UnindexableRecord.Flaw: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noKeyField: "the record has none of the fields that its key is made from"
    case .structuredKeyField(let field, let isArray):
      "\(quoted(field)) is an \(isArray ? "array" : "object"); name a field that is text"
    case .noID: "the record has no id, so that it is not known which record it changes"
    case .keyTooLong(let size):
      "the key folds to \(size) bytes, the most is \(RecordEncoder.foldedKeyLimit)"
    case .tooManyFields(let count): "the record has \(count) fields, the most is \(ShardHeader.columnLimit)"
    case .tooLarge(let size): "the record has \(size) bytes, the most is \(RecordEncoder.recordLimit)"
    }
  }
}
