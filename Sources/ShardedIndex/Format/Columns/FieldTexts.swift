/// The texts by which a field finds its record: the elements of a JSON array, or the text of another value. Source:
/// docs/ranking.md section 3.
package enum FieldTexts {
  /// Whether a byte of a text divides names.
  package static func dividesNames(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x2c, 0x3b, 0x7c, 0x0a, 0x0d: true  // , ; | and line ends
    default: false
    }
  }

  /// Calls `body` with each text of a field.
  ///
  /// A string or a number has its own text. An array has the texts of its strings and numbers, in order. `true`,
  /// `false`, `null`, objects and nested arrays have no texts.
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

  /// Calls `body` with a text and, if it is code, with the rest of each word from a capital behind a small letter on:
  /// `UserName` and `Name` of `getUserName`. Of a word the first 16 such capitals count.
  ///
  /// - Complexity: O(*n*) in the size of the text.
  package static func forEachPart(_ text: [UInt8], isCode: Bool, _ body: (ArraySlice<UInt8>) -> Void) {
    body(text[...])
    guard isCode else { return }
    for word in text.split(whereSeparator: { $0 <= 0x20 }) {
      var count = 0
      for at in word.indices.dropFirst() where 0x41...0x5a ~= word[at] && 0x61...0x7a ~= word[at - 1] && count < 16 {
        count += 1
        body(word[at...])
      }
    }
  }

  /// Calls `body` with each value by which a filter finds the record: the texts, and `true` and `false` as they stand.
  package static func forEachValue(
    _ text: UnsafeBufferPointer<UInt8>, _ kind: ValueKind, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    if kind == .literal, unsafe text.elementsEqual("true".utf8) || text.elementsEqual("false".utf8) {
      return unsafe body(text)
    }
    unsafe forEach(text, kind, body)
  }
}

/// A reader of the strings and numbers of a JSON array. It accepts any text, since a file from elsewhere may hold one.
private struct ArrayReader: ~Escapable {
  private var json: JSONReader
  private var depth = 1

  @_lifetime(borrow text)
  init(_ text: UnsafeBufferPointer<UInt8>) {
    json = unsafe JSONReader(text.span)
    json.skip(1)
  }

  /// Returns the text of the next string or number of the array itself; nil at its end.
  mutating func next() -> [UInt8]? {
    while depth > 0, let byte = json.readByte() {
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: "\""):
        let string = json.readString()
        if depth == 1 { return string }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        let number = json.readWord(from: byte)
        if depth == 1 { return number }
      default: break
      }
    }
    return nil
  }
}
