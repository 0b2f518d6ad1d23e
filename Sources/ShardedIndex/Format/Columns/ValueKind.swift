/// The kind of value that a field's text stood for in the dataset.
@frozen
public enum ValueKind: UInt8, Sendable {
  /// Text.
  case string = 0
  /// A number, with the digits it had.
  case number = 1
  /// Another JSON value, as JSON text: `true`, `false`, `null`, an array or an empty object.
  case literal = 2

  /// Whether a value of this kind, as it is stored, is `null`.
  @inline(__always)
  static func isNull(_ kind: UInt8, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe kind == literal.rawValue && text.first == UInt8(ascii: "n")
  }
}
