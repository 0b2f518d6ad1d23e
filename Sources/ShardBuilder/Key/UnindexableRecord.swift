import ShardedIndex

/// A record that does not fit into an index, or that the index leaves out.
package struct UnindexableRecord: Equatable, Sendable {
  package enum RecordFlaw: Equatable, Sendable {
    /// The record has no field of the key template, or all such fields are `null`.
    case noKeyField
    /// A field of the key template is an array or an empty object.
    case structuredKeyField(String, isArray: Bool)
    /// The id field is missing, or its value is not a ``RecordID``.
    case noID
    /// The folded key has this many bytes, over ``RecordEncoder/foldedKeyLimit``.
    case keyTooLong(Int)
    /// The record has this many fields, more than the columns of a shard.
    case tooManyFields(Int)
    /// The record has this many bytes, over ``RecordEncoder/recordLimit``.
    case tooLarge(Int)
    /// The key is blank, and the index leaves such records out. The record is not bad.
    case emptyKey
  }
  /// The position in the batch, from 0.
  package var index: Int
  package var flaw: RecordFlaw

  package init(index: Int, flaw: RecordFlaw) {
    self.index = index
    self.flaw = flaw
  }
}

extension UnindexableRecord {
  /// Returns the fault of the record. For a record without a key, the text names the fields of the template and the
  /// fields of the record.
  func reason(template: KeyTemplate, in batch: RecordBatch, names: FieldNames) -> String {
    guard flaw == .noKeyField else { return "\(flaw)" }
    func list(_ names: some Collection<String>, _ word: String) -> String {
      let shown = names.prefix(8).map { quoted($0) }
      if names.count > shown.count { return shown.joined(separator: ", ") + " and \(names.count - shown.count) more" }
      guard shown.count > 1 else { return shown.first ?? "no fields" }
      return shown.dropLast().joined(separator: ", ") + " \(word) " + shown[shown.count - 1]
    }
    let own = fields(in: batch, names)
    if let nothing = template.fields.first(where: { own.contains($0) }) {
      return "\(quoted(nothing)) is null, and the key \(template.text) needs it"
    }
    for field in template.fields {
      guard let inner = own.first(where: { RecordEncoder.isKept($0, keep: [field]) }) else { continue }
      return "\(quoted(field)) is an object; name a text field, such as {\(printable(inner.utf8, limit: 40))}"
    }
    let lacks = template.fields.count == 1 ? "lacks the field " : "lacks the fields "
    return lacks + list(template.fields, "and") + " of the key \(template.text); it has "
      + list(own, "and")
  }
}

extension UnindexableRecord {
  /// Returns the advice for the record, if bad records end the build.
  func advice(template: KeyTemplate, in batch: RecordBatch, names: FieldNames) -> BuildMessage {
    let skipping: BuildMessage = "leave such records out with \(.skipsBad)"
    switch flaw {
    case .noKeyField:
      let own = fields(in: batch, names)
      if template.fields.contains(where: own.contains) { return "name a field that every record has, or \(skipping)" }
      // A field that no record has had so far is no fault of this record.
      return template.fields.contains(where: names.names.contains) ? skipping : ""
    case .noID, .structuredKeyField, .emptyKey: return ""
    case .keyTooLong, .tooManyFields, .tooLarge: return skipping
    }
  }

  /// Returns the names of the record's fields.
  private func fields(in batch: RecordBatch, _ names: FieldNames) -> [String] {
    let first = index > 0 ? Int(batch.recordEnds[index - 1]) : 0
    return batch.fields[first..<Int(batch.recordEnds[index])].map { names.names[Int($0.name)] }
  }
}

extension UnindexableRecord.RecordFlaw: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noKeyField: "the record has no field of its key"
    case .structuredKeyField(let field, let isArray):
      "\(quoted(field)) is an \(isArray ? "array" : "object"); name a text field"
    case .noID: "the record has no id, and a change needs one"
    case .keyTooLong(let size):
      "the key folds to \(size) bytes; the most is \(RecordEncoder.foldedKeyLimit)"
    case .tooManyFields(let count): "the record has \(count) fields; the most is \(ShardHeader.columnLimit)"
    case .emptyKey: "the key has no text"
    case .tooLarge(let size): "the record has \(size) bytes; the most is \(RecordEncoder.recordLimit)"
    }
  }
}
