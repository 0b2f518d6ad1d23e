/// The estimated size of a record in a shard, in sixteenths of a byte.
///
/// The weight depends on the record and the record before it alone, so it stays when other records change.
package enum RecordWeight {
  package static let perByte = 16

  /// Returns a record's weight, from the mean sizes of the city list's columns: for example 0.42 bytes for each digit
  /// of a number.
  ///
  /// - Parameter common: The number of bytes at the beginning that the two folded keys have in common.
  package static func weight(of record: RecordBlob, after previous: RecordBlob?, common: Int) -> Int {
    let suffix = max(0, record.foldedCount - record.foldedSuffixCount - common)
    var weight = (suffix + 3) * perByte  // Two bytes of lengths, one for the suffix field.
    var offset = record.textsOffset
    var textSize = 0
    var previousOffset = previous?.textsOffset ?? 0
    for index in 0..<record.fieldCount {
      let text = unsafe record.text(index, &offset)
      textSize += text.count
      var isRepeated = false
      if let previous, index < previous.fieldCount {
        // Most records have the layout of the record before. In the other records the field is searched by name.
        if previous.fieldName(index) == record.fieldName(index), previousOffset >= 0 {
          isRepeated = unsafe equalBytes(previous.text(index, &previousOffset), text)
        } else {
          previousOffset = -1
          isRepeated = unsafe repeats(text, record.fieldName(index), in: previous)
        }
      } else if let previous {
        isRepeated = unsafe repeats(text, record.fieldName(index), in: previous)
      }
      unsafe weight += isRepeated ? perByte / 4 : weightOfText(text, key: record.key)
    }
    // At least half of the record's size, however much it shares with the record before: memory holds the records
    // between two boundaries in full.
    return max(weight, (record.foldedCount + record.keyCount + textSize) / 2)
  }

  private static func repeats(_ text: UnsafeBufferPointer<UInt8>, _ name: UInt32, in record: RecordBlob) -> Bool {
    unsafe record.text(ofField: name).map { unsafe equalBytes($0, text) } ?? false
  }

  private static func weightOfText(
    _ text: UnsafeBufferPointer<UInt8>, key: UnsafeBufferPointer<UInt8>
  ) -> Int {
    guard let first = unsafe text.first else { return perByte / 4 }
    if isDigit(first) || first == UInt8(ascii: "-") {
      if let count = unsafe DecimalText.digitCount(ofPlain: text) { return count * 7 }
      if let number = unsafe DecimalText(text) { return number.digitCount * 7 }
    }
    return unsafe contains(key, text) ? perByte / 2 : text.count * perByte
  }

  private static func contains(_ key: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count <= key.count else { return false }
    for start in 0...(key.count - text.count) where unsafe key[start] == text[0] {
      if unsafe compareBytes(key.part(start..<start + text.count), text) == 0 { return true }
    }
    return false
  }

  /// Returns a record's weight after another record.
  static func weight(of record: RecordBlob, after previous: RecordBlob) -> Int {
    unsafe weight(of: record, after: previous, common: commonPrefix(previous.folded, record.folded))
  }
}
