/// A field whose texts lead to its records, and the loss of its matches. A setting has it as `FIELD` or `FIELD:BONUS`.
/// Source: docs/format.md section 3.13.
package struct TextField: Equatable, Sendable {
  /// The path of the field.
  package let path: String
  /// The loss of a match by the field, in octaves; nil for a bonus beyond ``losses(ofNames:)``.
  package let loss: Int?

  /// The losses that fields may have, in octaves. A word of another field loses more than a later word of the key.
  package static func losses(ofNames isOfNames: Bool) -> ClosedRange<Int> { isOfNames ? 0...16 : 4...16 }

  /// The loss of a field without a bonus in its setting.
  private static func usual(ofNames isOfNames: Bool) -> Int { isOfNames ? 0 : 5 }

  /// - Parameter isOfNames: Whether the field has other names, and not words.
  package init(_ setting: String, ofNames isOfNames: Bool) {
    let bytes = Array(setting.utf8)
    guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")), let bonus = Self.bonus(bytes[(colon + 1)...]) else {
      (path, loss) = (setting, Self.usual(ofNames: isOfNames))
      return
    }
    path = String(decoding: bytes[..<colon], as: UTF8.self)
    loss = Self.losses(ofNames: isOfNames).contains(-bonus) ? -bonus : nil
  }

  /// Returns the number of a text that may have a sign; nil for another text.
  private static func bonus(_ text: ArraySlice<UInt8>) -> Int? {
    guard let first = text.first else { return nil }
    let digits = first == UInt8(ascii: "-") || first == UInt8(ascii: "+") ? text.dropFirst() : text
    guard !digits.isEmpty, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    // A number with more digits is beyond the limits too.
    var number = 0
    for digit in digits.prefix(9) { number = 10 * number + Int(digit - 0x30) }
    return first == UInt8(ascii: "-") ? -number : number
  }
}
