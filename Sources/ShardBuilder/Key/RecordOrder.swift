import CLibrary

/// The order of records in an index: total, so that only identical records are equal and no input order shows.
///
/// 1. folded key, then key: as bytes;
/// 2. the fields' texts one after the other in the record's own order; of two that are numbers (JSON's grammar, any
///    length) the smaller value first, a number before any other text, otherwise and between equal values as bytes;
///    a record that has no more fields before one that has;
/// 3. the fields' kinds, then their names as bytes.
///
/// Every step compares one list by one total order, shorter lists first, so the whole is transitive.
package struct RecordOrder: Sendable {
  private let names: [[UInt8]]

  /// - Parameter names: All that occur in the records to be compared.
  package init(names: FieldNames) { self.names = names.names.map { Array($0.utf8) } }

  /// Returns a number that is negative when `a` comes first, positive when `b` does, 0 when they are identical.
  package func compare(_ a: RecordBlob, _ b: RecordBlob) -> Int {
    let order = unsafe compareBytes(a.folded, b.folded)
    return order != 0 ? order : compareRest(a, b)
  }

  /// Compares as ``compare(_:_:)`` does, records with the same folded key.
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

  /// Appends bytes for all of a record but its folded key. They compare as ``compareRest(_:_:)`` does, and none is
  /// the beginning of another.
  ///
  /// A text is written with 00 FF for each byte 00 and 00 00 behind it. The key; per field 01, the number's value
  /// (``DecimalText/serialize(into:)``) and its text, or 02 and the text; 00; a byte per kind; the names.
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

  /// Appends what ``serializeRest(_:into:)`` makes of both records, as far as is needed to find where they differ: the
  /// texts that they have in common are written to `second` alone.
  ///
  /// - Returns: How many bytes at the beginning of `second`, all empty before, stand for `first` as well.
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
    // What comes behind the texts seldom matters.
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
