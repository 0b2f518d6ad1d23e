/// Texts for a terminal, which gets no raw control character.
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

  /// Appends `text` with escaped control characters, and returns the columns that it takes.
  ///
  /// The function escapes C0 and C1, the line and paragraph separators, and the direction overrides and isolates, with
  /// which a name could turn a line around. Bytes that are not UTF-8 come out as U+FFFD.
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

  /// Appends UTF-8 with escaped control characters, except line feeds, tabs and a carriage return before a line feed.
  ///
  /// - Parameter isEnd: Whether the text ends here. If not, an incomplete character at the end is left for the next
  ///   call.
  /// - Returns: The number of bytes taken.
  package static func show(_ bytes: UnsafeBufferPointer<UInt8>, isEnd: Bool, in output: inout [UInt8]) -> Int {
    var (start, at) = (0, 0)
    func next(_ distance: Int) -> UInt8? { at + distance < bytes.count ? unsafe bytes[at + distance] : nil }
    while at < bytes.count {
      let byte = unsafe bytes[at]
      if byte >= 0x20 && byte < 0x7f || byte == 0x09 || byte == 0x0a {
        at += 1
        continue
      }
      // Every escaped scalar begins with one of these bytes.
      let size =
        switch byte {
        case 0x0d: 2
        case 0..<0x20, 0x7f: 1
        case 0xc2, 0xd8: 2
        case 0xe2, 0xef: 3
        default: 0
        }
      if at + size > bytes.count, !isEnd { break }
      let scalar: UInt32? =
        switch (byte, next(1), next(2)) {
        case (0x0d, 0x0a?, _): nil
        case (0..<0x20, _, _), (0x7f, _, _): UInt32(byte)
        case (0xc2, let low?, _), (0xd8, let low?, _): UInt32(byte & 0x1f) << 6 | UInt32(low & 0x3f)
        case (0xe2, let middle?, let low?), (0xef, let middle?, let low?):
          UInt32(byte & 0x0f) << 12 | UInt32(middle & 0x3f) << 6 | UInt32(low & 0x3f)
        default: nil
        }
      guard let scalar, isControl(scalar) else {
        at += 1
        continue
      }
      unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<at]))
      output += escape(of: scalar)
      at += byte < 0x80 ? 1 : size
      start = at
    }
    unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<at]))
    return at
  }

  /// Whether a scalar must not reach a terminal raw.
  package static func isControl(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0..<0x20, 0x7f..<0xa0, 0x061c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff: true
    default: false
    }
  }
}
