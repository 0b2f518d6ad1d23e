/// Texts made fit for a terminal: no control character reaches it raw.
package enum ControlText {
  /// `\u001b` for the escape character.
  static func escape(of scalar: UInt32) -> [UInt8] {
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
        columns += width(scalar)
      }
    }
    return columns
  }

  private static func isControl(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0..<0x20, 0x7f..<0xa0, 0x061c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff: true
    default: false
    }
  }

  /// Columns that terminals give a character: two for East Asian wide ones and pictures, none for marks.
  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0..<0x300: return 1
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xa000...0xa4cf,
      0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f,
      0x1f680...0x1f6ff, 0x1f900...0x1f9ff, 0x20000...0x3fffd:
      return 2
    default:
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format: return 0
      default: return 1
      }
    }
  }
}
