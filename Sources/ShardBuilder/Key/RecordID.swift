import ShardedIndex

/// The value that tells records apart.
enum RecordID {
  /// Whether a field's value is an id: text that is more than blanks, a number, `true` or `false`. Not `null`, an array
  /// or an empty object: records that have those would all be one.
  @inline(__always)
  static func isOne(_ text: UnsafeBufferPointer<UInt8>, _ kind: FieldKind) -> Bool {
    switch kind {
    case .number: true
    case .string: unsafe text.contains { $0 > 0x20 }
    case .literal: unsafe text.first == UInt8(ascii: "t") || text.first == UInt8(ascii: "f")
    }
  }
}

extension FieldKind {
  init(_ kind: ValueKind) { self = FieldKind(rawValue: kind.rawValue)! }
}
