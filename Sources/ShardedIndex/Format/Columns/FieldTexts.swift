/// The texts that a field stands for where records are found by it: of a JSON array its elements, of another value its
/// own text. Source: docs/ranking.md section 3.
package enum FieldTexts {
  /// Calls `body` with each text of a field.
  ///
  /// A string and a number have their own text. An array has those of its strings and numbers. `true`, `false`, `null`
  /// and objects have none, nor have the values of an array in the array. Texts come in order.
  ///
  /// - Complexity: O(*n*) in the size of the field.
  /// - Parameters:
  ///   - text: The field as it is stored.
  ///   - kind: The kind of its value.
  package static func forEach(
    _ text: UnsafeBufferPointer<UInt8>, _ kind: ValueKind, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    if kind != .literal { return unsafe body(text) }
    guard unsafe text.first == UInt8(ascii: "[") else { return }
    var reader = unsafe ArrayReader(text)
    while let element = reader.next() { unsafe element.withUnsafeBufferPointer { unsafe body($0) } }
  }
}

/// A reader of the strings and numbers of a JSON array. It takes any text for an array: a file from elsewhere may hold
/// another.
private struct ArrayReader: ~Escapable {
  private let text: Span<UInt8>
  private var position = 1
  private var depth = 1

  @_lifetime(borrow text)
  init(_ text: UnsafeBufferPointer<UInt8>) { self.text = unsafe text.span }

  /// Returns the text of the next string or number of the array itself; nil at its end.
  mutating func next() -> [UInt8]? {
    while depth > 0, position < text.count {
      let byte = text[position]
      position += 1
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: "\""):
        let string = readString()
        if depth == 1 { return string }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        let start = position - 1
        while position < text.count, !",]} \t\n\r".utf8.contains(text[position]) { position += 1 }
        if depth == 1 { return (start..<position).map { text[$0] } }
      default: break
      }
    }
    return nil
  }

  /// Reads a string up to its closing quote, which is passed.
  private mutating func readString() -> [UInt8] {
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

  /// Reads four hexadecimal digits, or as many as there are.
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
