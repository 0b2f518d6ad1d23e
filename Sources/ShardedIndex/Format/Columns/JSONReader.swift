/// A forward cursor over JSON text. The text comes from a file and may have any bytes.
struct JSONReader: ~Escapable {
  private let text: Span<UInt8>
  private var position = 0

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) { self.text = text }

  /// The next byte, without passing it; nil at the end.
  var next: UInt8? { position < text.count ? text[position] : nil }

  mutating func skip(_ count: Int) { position += count }

  mutating func skipBlanks() { while let next, next == 0x20 || 9...13 ~= next { position += 1 } }

  /// Passes a byte and returns it; nil at the end.
  mutating func readByte() -> UInt8? {
    guard let next else { return nil }
    position += 1
    return next
  }

  /// Reads on up to a blank, a comma or a closing bracket, without passing that.
  ///
  /// - Parameter first: The first byte, which the caller has passed.
  mutating func readWord(from first: UInt8) -> [UInt8] {
    var word = [first]
    while let next, !",]} \t\n\r".utf8.contains(next) {
      word.append(next)
      position += 1
    }
    return word
  }

  /// Reads a string and passes its closing quote.
  mutating func readString() -> [UInt8] {
    var string: [UInt8] = []
    while position < text.count {
      let byte = text[position]
      position += 1
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") { readEscape(into: &string) } else { string.append(byte) }
    }
    return string
  }

  private mutating func readEscape(into string: inout [UInt8]) {
    guard position < text.count else { return }
    let byte = text[position]
    position += 1
    switch byte {
    case UInt8(ascii: "b"): string.append(0x08)
    case UInt8(ascii: "f"): string.append(0x0c)
    case UInt8(ascii: "n"): string.append(0x0a)
    case UInt8(ascii: "r"): string.append(0x0d)
    case UInt8(ascii: "t"): string.append(0x09)
    case UInt8(ascii: "u"):
      var scalar = readHexadecimal()
      if scalar & 0xfc00 == 0xd800, position + 1 < text.count, text[position] == UInt8(ascii: "\\"),
        text[position + 1] == UInt8(ascii: "u")
      {
        position += 2
        scalar = 0x10000 + (scalar & 0x3ff) << 10 + readHexadecimal() & 0x3ff
      }
      string.append(contentsOf: String(Character(Unicode.Scalar(scalar) ?? "\u{fffd}")).utf8)
    default: string.append(byte)
    }
  }

  /// Reads up to four hexadecimal digits.
  private mutating func readHexadecimal() -> UInt32 {
    var number: UInt32 = 0
    for _ in 0..<4 where position < text.count {
      let byte = text[position]
      switch byte {
      case 0x30...0x39: number = number << 4 | UInt32(byte - 0x30)
      case 0x41...0x46, 0x61...0x66: number = number << 4 | UInt32(byte & 0xf) + 9
      default: return number
      }
      position += 1
    }
    return number
  }
}
