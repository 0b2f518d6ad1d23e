extension EntryKind {
  /// The greatest bonus of words in any order beside ``bonus``, as for an entry that is a later word.
  static let wordsBonus = RecordMatch.wordsBonus - RecordMatch.wordBonus

  /// Returns the bound of the ranks of records that entries of a weight lead to.
  ///
  /// - Parameters:
  ///   - raise: The difference between the weight of an entry and its score, in steps.
  ///   - bonus: The bonus of the match beside the bonus in the weight.
  ///   - near: The greatest nearness in the scores, in steps.
  static func bound(_ weight: UInt64, raise: Int, bonus: Int, near: Int) -> ShardedIndex.Rank {
    ShardedIndex.Rank(
      edits: 0, score: score(ofEntry: weight, raise: raise) + 2048 * bonus + near, weight: .max, isOtherForm: false,
      position: 0)
  }
}

/// A further text that leads to records. Source: docs/format.md section 3.13.
struct RecordEntry {
  var kind: EntryKind
  /// The text and the record's last component, with a separator between them.
  var key: [UInt8]
  /// The text before it in a form of the record's key, if the entry is a later word.
  var before: [UInt8]
  /// The folded key of the records.
  var recordKey: [UInt8]

  /// - Parameters:
  ///   - before: The value of the field `b`; nil if the entry has none.
  ///   - recordKey: The value of the field `t`; nil if the entry has none.
  ///   - nameLoss: The value of the field `a`; nil if the entry has none.
  ///   - fieldLoss: The value of the field `s`; nil if the entry has none.
  ///   - separators: The most separators in the plain form of a key.
  init(
    key: [UInt8], before: [UInt8]?, recordKey: [UInt8]?, nameLoss: [UInt8]?, fieldLoss: [UInt8]?, separators: Int
  ) {
    let target = EntryTarget(key: key, beginning: before, target: recordKey)
    (self.key, self.before, self.recordKey) = (key, target.beginning ?? [], target.recordKey)
    if let fieldLoss {
      kind = EntryKind(.field, loss: Self.loss(fieldLoss))
    } else if before != nil {
      kind = .word
    } else if let nameLoss {
      kind = EntryKind(.name, loss: Self.loss(nameLoss))
    } else {
      kind = PlainForm.isForm(key, of: self.recordKey, separators: separators) ? .form : .name
    }
  }

  /// Returns the loss that a text of one or two digits says.
  private static func loss(_ text: [UInt8]) -> Int {
    let number = text.prefix(2).reduce(0) { 10 * $0 + Int($1 & 0xf) }
    return min(number, TextField.losses(ofNames: true).upperBound)
  }
}

extension EntriesReader {
  /// Whether a word in the last component of a key can begin with this word. Keys of one component have none.
  func canEndKey(_ word: ArraySlice<UInt8>) -> Bool {
    lastComponents.isOver || lastComponents.hasWord(beginning: word)
  }

  /// Reads entries of a part.
  func entries(_ range: Range<Int>, of reference: PartReference) throws(IndexError) -> [RecordEntry] {
    let buffer = RecordBuffer()
    try PartReader(shards, reference).decode(range, into: buffer)
    func value(_ field: Int?, ofRecord record: Int) -> [UInt8]? {
      guard let field else { return nil }
      for slot in buffer.fieldRange(record) where Int(buffer.rawName(ofField: slot)) == field {
        return unsafe Array(buffer.rawField(slot).text)
      }
      return nil
    }
    for record in 0..<buffer.count { _ = buffer.rawFields(ofRecord: record) }
    var entries: [RecordEntry] = []
    unsafe reference.part.keys.forEachKey(in: range) { number, key in
      let record = number - range.lowerBound
      entries.append(
        RecordEntry(
          key: unsafe Array(key), before: value(beginningField, ofRecord: record),
          recordKey: value(targetField, ofRecord: record), nameLoss: value(nameLossField, ofRecord: record),
          fieldLoss: value(fieldLossField, ofRecord: record), separators: separators))
    }
    return entries
  }

  /// Returns the weights of all entries of a part, and their kinds.
  func weights(of reference: PartReference) throws(IndexError) -> PartWeights {
    if let weights = reference.part.weights.load() { return weights }
    let source = try WeightSource(manifest)
    return try PartReader(shards, reference).weights(source) { () throws(IndexError) in
      try entries(0..<reference.recordCount, of: reference).map { $0.kind.mark }
    }
  }
}
