/// Texts of any bytes in columns of lines. A backslash and two hexadecimal digits stand for a byte that a line cannot
/// have, or that an engine on the way might change.
enum RangeText {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Appends a text to a line.
  static func append(_ text: some Collection<UInt8>, to line: inout [UInt8]) {
    // An engine replaces bytes that are not valid UTF-8.
    let isText = String(utf8: text) != nil
    for byte in text {
      if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\\") || (byte >= 0x80 && !isText) {
        line += [UInt8(ascii: "\\"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      } else {
        line.append(byte)
      }
    }
  }

  static func text(_ text: some Collection<UInt8>) -> String {
    var line: [UInt8] = []
    append(text, to: &line)
    return String(decoding: line, as: UTF8.self)
  }

  /// Returns the bytes of a column; nil for a column that ``append(_:to:)`` does not make.
  static func bytes(_ column: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(column.count)
    var at = column.startIndex
    while at < column.endIndex {
      guard column[at] == UInt8(ascii: "\\") else {
        bytes.append(column[at])
        at += 1
        continue
      }
      guard at + 2 < column.endIndex, let high = digits.firstIndex(of: column[at + 1]),
        let low = digits.firstIndex(of: column[at + 2])
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
      at += 3
    }
    return bytes
  }

  /// Returns the columns of a line.
  static func columns(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    line.split(separator: 0x09, omittingEmptySubsequences: false)
  }
}
