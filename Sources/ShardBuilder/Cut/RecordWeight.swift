/// The size that a record is likely to take in a shard, in sixteenths of a byte.
///
/// A function of the record and the one before it alone: whatever changes elsewhere, it stays.
package enum RecordWeight {
  package static let perByte = 16

  /// Returns a record's weight, with the mean sizes of the city list's columns: 0.42 bytes a digit of a number and so
  /// on.
  ///
  /// - Parameter common: How many bytes the two folded keys have in common from their beginning.
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
        // The same record layout is the rule; where it differs, the field is looked for by name.
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
    // However much it shares with the one before: what lies between two boundaries is held in memory as it is.
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
}
