/// Texts made fit for a terminal: no control character reaches it raw.
package enum ControlText {
  /// `\u001b` for the escape character.
  package static func escape(of scalar: UInt32) -> [UInt8] {
    var text: [UInt8] = [0x5c, 0x75]
    for shift in [12, 8, 4, 0] as [UInt32] { text.append(hexadecimalDigit(UInt8(scalar >> shift & 15))) }
    return text
  }

  @inline(__always) static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? 0x30 &+ value : 0x57 &+ value
  }

  /// Appends `text`, control characters escaped, and returns how many columns it takes.
  ///
  /// Escaped are C0 and C1, the direction overrides and isolates (a name could otherwise turn a line around) and the
  /// line and paragraph separators. Bytes that are no UTF-8 come out as U+FFFD.
  package static func append(_ text: UnsafeBufferPointer<UInt8>, to line: inout [UInt8]) -> Int {
    if unsafe !text.contains(where: { $0 < 0x20 || $0 >= 0x7f }) {
      unsafe line.append(contentsOf: text)
      return text.count
    }
    var columns = 0
    for scalar in unsafe String(decoding: text, as: UTF8.self).unicodeScalars {
      if isControl(scalar.value) {
        line += escape(of: scalar.value)
        columns += 6
      } else {
        line.append(contentsOf: UTF8.encode(scalar)!)
        columns += DisplayWidth.columns(of: scalar)
      }
    }
    return columns
  }

  /// Whether a scalar has no business on a terminal as it is.
  package static func isControl(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0..<0x20, 0x7f..<0xa0, 0x061c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff: true
    default: false
    }
  }
}
