import CLibrary

/// The order of records in an index. It is total: only identical records are equal, so the order of the input does not
/// matter.
///
/// 1. folded key, then key: as bytes;
/// 2. the fields' texts one after the other in the record's own order. Of two numbers (JSON's grammar, any length) the
///    smaller value is first; a number is before any other text; all other texts, and equal values, compare as bytes. A
///    record without more fields is before a record with more;
/// 3. the fields' kinds, then their names as bytes.
///
/// Every step compares one list by one total order, with shorter lists first, so the whole order is transitive.
package struct RecordOrder: Sendable {
  private let names: [[UInt8]]

  /// - Parameter names: All field names in the compared records.
  package init(names: FieldNames) { self.names = names.names.map { Array($0.utf8) } }

  /// Returns a negative number if `a` is first, a positive number if `b` is first, 0 if they are identical.
  package func compare(_ a: RecordBlob, _ b: RecordBlob) -> Int {
    let order = unsafe compareBytes(a.folded, b.folded)
    return order != 0 ? order : compareRest(a, b)
  }

  /// Compares records with the same folded key, as ``compare(_:_:)`` does.
  package func compareRest(_ a: RecordBlob, _ b: RecordBlob) -> Int {
    var order = unsafe compareBytes(a.key, b.key)
    if order != 0 { return order }
    let (left, right) = (a.fieldCount, b.fieldCount)
    var (leftOffset, rightOffset) = (a.textsOffset, b.textsOffset)
    for index in 0..<min(left, right) {
      order = unsafe Self.compareText(a.text(index, &leftOffset), b.text(index, &rightOffset))
      if order != 0 { return order }
    }
    if left != right { return left - right }
    for index in 0..<left {
      order = Int(a.fieldKind(index).rawValue) - Int(b.fieldKind(index).rawValue)
      if order != 0 { return order }
    }
    for index in 0..<left {
      let (first, second) = (a.fieldName(index), b.fieldName(index))
      guard first != second else { continue }
      order = unsafe names[Int(first)].withUnsafeBufferPointer { first in
        unsafe names[Int(second)].withUnsafeBufferPointer { unsafe compareBytes(first, $0) }
      }
      if order != 0 { return order }
    }
    return 0
  }

  static func compareText(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
    let bytes = unsafe compareBytes(a, b)
    if bytes == 0 { return 0 }
    switch unsafe (DecimalText(a), DecimalText(b)) {
    case (let a?, let b?):
      let order = DecimalText.compare(a, b)
      return order != 0 ? order : bytes
    case (.some, nil): return -1
    case (nil, .some): return 1
    case (nil, nil): return bytes
    }
  }

  /// Appends bytes for all of a record but its folded key. The bytes compare as ``compareRest(_:_:)`` does, and no
  /// result is the beginning of another.
  ///
  /// In a text each byte 00 becomes 00 FF, and 00 00 ends the text. The bytes are: the key; for each field 01, the
  /// number's value (``DecimalText/serialize(into:)``) and its text, or 02 and the text; 00; a byte for each kind; the
  /// names.
  package func serializeRest(_ record: RecordBlob, into output: inout [UInt8]) {
    unsafe Self.append(record.key, to: &output)
    var offset = record.textsOffset
    for index in 0..<record.fieldCount { unsafe Self.appendField(record.text(index, &offset), to: &output) }
    output.append(0)
    for index in 0..<record.fieldCount { output.append(record.fieldKind(index).rawValue) }
    for index in 0..<record.fieldCount {
      unsafe names[Int(record.fieldName(index))].withUnsafeBufferPointer { unsafe Self.append($0, to: &output) }
    }
  }

  /// Appends the bytes of ``serializeRest(_:into:)`` for both records, up to the first difference. Only `second` gets
  /// the texts that the records have in common.
  ///
  /// - Returns: The number of bytes at the beginning of `second` that belong to `first` as well. Both must be empty
  ///   before.
  package func serializeDifference(
    _ a: RecordBlob, _ b: RecordBlob, _ first: inout [UInt8], _ second: inout [UInt8]
  ) -> Int {
    guard unsafe equalBytes(a.key, b.key) else {
      unsafe Self.append(a.key, to: &first)
      unsafe Self.append(b.key, to: &second)
      return 0
    }
    unsafe Self.append(b.key, to: &second)
    var (offset, otherOffset) = (a.textsOffset, b.textsOffset)
    for index in 0..<min(a.fieldCount, b.fieldCount) {
      let (text, other) = unsafe (a.text(index, &offset), b.text(index, &otherOffset))
      if unsafe !equalBytes(text, other) {
        let common = second.count
        unsafe Self.appendField(text, to: &first)
        unsafe Self.appendField(other, to: &second)
        return common
      }
      unsafe Self.appendField(other, to: &second)
    }
    // The bytes after the texts seldom matter.
    second.removeAll(keepingCapacity: true)
    serializeRest(a, into: &first)
    serializeRest(b, into: &second)
    return 0
  }

  private static func append(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    if let start = text.baseAddress, unsafe memchr(start, 0, text.count) == nil {
      unsafe output.append(contentsOf: text)
    } else {
      for index in text.indices {
        let byte = unsafe text[index]
        output.append(byte)
        if byte == 0 { output.append(0xFF) }
      }
    }
    output.append(0)
    output.append(0)
  }

  private static func appendField(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    if let number = unsafe DecimalText(text) {
      output.append(1)
      number.serialize(into: &output)
    } else {
      output.append(2)
    }
    unsafe append(text, to: &output)
  }
}
