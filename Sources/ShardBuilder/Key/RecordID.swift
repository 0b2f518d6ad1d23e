import ShardedIndex

/// The id of a record.
enum RecordID {
  /// Returns whether a field's value is an id: a text that is not blank, a number, `true` or `false`. `null`, an array
  /// and an empty object are not ids: all records with such a value would be one record.
  @inline(__always)
  static func isOne(_ text: UnsafeBufferPointer<UInt8>, _ kind: FieldKind) -> Bool {
    switch kind {
    case .number: true
    case .string: unsafe text.contains { $0 > 0x20 }
    case .literal: unsafe text.first == UInt8(ascii: "t") || text.first == UInt8(ascii: "f")
    }
  }
}
