import ShardedIndex

/// The texts at the end of a shard's keys, stored apart if they are few: the folds of the template's last field.
/// Source: docs/format.md section 4.
package struct SuffixField: Sendable {
  /// The different texts, ascending; empty if they are not stored apart.
  private(set) var texts: [[UInt8]] = []
  /// For each record the number of its text.
  package private(set) var codes: [UInt8] = []
  /// The Huffman code of the numbers.
  private(set) var code = HuffmanEncoder()

  package init(texts: [[UInt8]] = [], codes: [UInt8] = []) { (self.texts, self.codes) = (texts, codes) }

  package init(_ records: [RecordBlob]) {
    var table = TextTable(limit: 256)
    var perRecord: [UInt8] = []
    var total = 0
    perRecord.reserveCapacity(records.count)
    for record in records {
      let size = record.foldedSuffixCount
      guard size > 0, size < 256, record.foldedCount > size else { return }
      let folded = unsafe record.folded
      guard unsafe folded[folded.count - size - 1] == Fold.separator else { return }
      let known = unsafe table.texts.count
      let number = unsafe table.number(of: folded.part((folded.count - size)...))
      if number == known {
        guard number < 256, total + size <= Int(UInt16.max) else { return }
        total += size
      }
      perRecord.append(UInt8(number))
    }
    let found = unsafe table.texts
    let order = unsafe found.indices.sorted { unsafe compareBytes(found[$0], found[$1]) < 0 }
    var codeOf = unsafe [UInt8](repeating: 0, count: found.count)
    for (code, number) in order.enumerated() { codeOf[number] = UInt8(code) }
    codes = perRecord.map { codeOf[Int($0)] }
    texts = order.map { unsafe Array(found[$0]) }
    code = HuffmanEncoder(codes)
  }

  var isEmpty: Bool { codes.isEmpty }

  /// The number of contexts that a record's text can be for another column: one if no texts are stored apart.
  package var contextCount: Int { isEmpty ? 1 : texts.count }

  /// Returns the context that a record's text is for another column.
  @inline(__always) func context(ofRecord record: Int) -> Int { isEmpty ? 0 : Int(codes[record]) }

  /// Returns the key of a record without its suffix field and the separator before it; valid as long as the record.
  func stem(of record: RecordBlob) -> Text {
    unsafe isEmpty ? record.folded : record.folded.part(0..<record.foldedCount - record.foldedSuffixCount - 1)
  }

  /// Writes the texts and the code lengths in the form of the shard's header.
  func write(to header: inout ByteWriter) {
    if let first = texts.first {
      let areEqual = texts.allSatisfy { $0.count == first.count }
      header.writeVarint(areEqual ? first.count : 0)
      if !areEqual { for text in texts { header.bytes.append(UInt8(text.count)) } }
    }
    for text in texts { header.write(text) }
    if texts.count > 1 { code.writeLengths(to: &header) }
  }
}
