/// The kind of a field's value in the dataset.
@frozen
public enum ValueKind: UInt8, Sendable {
  /// Text.
  case string = 0
  /// A number, with the digits of the dataset.
  case number = 1
  /// Another JSON value, as JSON text: `true`, `false`, `null`, an array or an empty object.
  case literal = 2

  /// Whether the stored text of a value of this kind is `null`.
  @inline(__always)
  static func isNull(_ kind: UInt8, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe kind == literal.rawValue && text.first == UInt8(ascii: "n")
  }
}
