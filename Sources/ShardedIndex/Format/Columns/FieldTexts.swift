/// The texts that a field's value holds: those of an array, or the value itself. Source: docs/ranking.md section 3.
package enum FieldTexts {
  /// Calls `body` with each text of a value, in order: of a JSON array the elements that are strings, their escapes
  /// resolved; of a string or a number its text; of another value none.
  ///
  /// A value that is no JSON, which no builder stores, has the texts before the fault.
  ///
  /// - Complexity: O(*n*) in the size of the value.
  package static func forEach(
    _ text: UnsafeBufferPointer<UInt8>, _ kind: ValueKind, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    guard kind == .literal else { return unsafe body(text) }
    var reader = unsafe ArrayReader(text)
    guard reader.enter() else { return }
    while let element = reader.next() {
      if element { unsafe reader.withString { unsafe body($0) } }
    }
  }
}

/// A cursor over the elements of a JSON array.
private struct ArrayReader: ~Escapable {
  private let text: Span<UInt8>
  private var position = 0
  /// The bytes of the last string.
  private var string: [UInt8] = []

  @_lifetime(borrow text)
  init(_ text: UnsafeBufferPointer<UInt8>) { self.text = unsafe text.span }

  /// Goes behind the bracket that begins an array; returns whether there is one.
  mutating func enter() -> Bool {
    guard text.count > 0, text[0] == UInt8(ascii: "[") else { return false }
    position = 1
    return true
  }

  /// Goes behind the next element; returns whether it is a string, or nil behind the last one.
  mutating func next() -> Bool? {
    while position < text.count {
      let byte = text[position]
      position += 1
      switch byte {
      case UInt8(ascii: "]"): return nil
      case UInt8(ascii: "\""):
        string.removeAll(keepingCapacity: true)
        return readString() ? true : nil
      case UInt8(ascii: "["), UInt8(ascii: "{"): skipNested()
      default: break  // White space, a comma, a number or a literal.
      }
    }
    return nil
  }

  func withString(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    unsafe string.withUnsafeBufferPointer { unsafe body($0) }
  }

  /// Goes behind the array or object whose bracket was just read.
  private mutating func skipNested() {
    var depth = 1
    while position < text.count, depth > 0 {
      let byte = text[position]
      position += 1
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: "\""): _ = readString()
      default: break
      }
    }
  }

  /// Appends the string whose quotation mark was just read; returns false where it has no end.
  private mutating func readString() -> Bool {
    while position < text.count {
      let byte = text[position]
      position += 1
      if byte == UInt8(ascii: "\"") { return true }
      guard byte == UInt8(ascii: "\\") else {
        string.append(byte)
        continue
      }
      guard position < text.count else { return false }
      let escape = text[position]
      position += 1
      switch escape {
      case UInt8(ascii: "b"): string.append(0x08)
      case UInt8(ascii: "f"): string.append(0x0c)
      case UInt8(ascii: "n"): string.append(0x0a)
      case UInt8(ascii: "r"): string.append(0x0d)
      case UInt8(ascii: "t"): string.append(0x09)
      case UInt8(ascii: "u"): appendEscapedScalar()
      default: string.append(escape)
      }
    }
    return false
  }

  /// Appends the scalar of `\u` and four digits, or of two such escapes that are a surrogate pair.
  private mutating func appendEscapedScalar() {
    var value = readDigits()
    if 0xd800..<0xdc00 ~= value, position + 1 < text.count, text[position] == UInt8(ascii: "\\"),
      text[position + 1] == UInt8(ascii: "u")
    {
      position += 2
      value = 0x10000 + (value & 0x3ff) << 10 | readDigits() & 0x3ff
    }
    let scalar = Unicode.Scalar(value) ?? "\u{fffd}"
    if let bytes = UTF8.encode(scalar) { string += bytes }
  }

  /// Reads up to four hexadecimal digits.
  private mutating func readDigits() -> UInt32 {
    var value: UInt32 = 0
    var count = 0
    while count < 4, position < text.count, let digit = Self.digit(text[position]) {
      value = value << 4 | digit
      position += 1
      count += 1
    }
    return value
  }

  private static func digit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
