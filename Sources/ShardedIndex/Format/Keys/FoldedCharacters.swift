/// The characters that edits count: the Unicode scalars of folded text, with a space for the separator.
package enum FoldedCharacters {
  /// The scalar in the place of bytes that are not UTF-8.
  private static let replacement: UInt32 = 0xfffd

  /// Returns the scalar at an offset of a text, and its size in bytes. The separator stays a separator.
  @inline(__always)
  package static func scalar(in text: Span<UInt8>, at offset: Int) -> (value: UInt32, size: Int) {
    let first = text[offset]
    if first < 0x80 { return (UInt32(first), 1) }
    let size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
    guard first >= 0xc2, first < 0xf5, offset + size <= text.count else { return (replacement, 1) }
    var value = UInt32(first) & (0x7f &>> UInt32(size))
    for index in offset + 1..<offset + size {
      guard text[index] & 0xc0 == 0x80 else { return (replacement, 1) }
      value = value << 6 | UInt32(text[index] & 0x3f)
    }
    return (value, size)
  }

  /// Returns the characters of a folded text.
  package static func all(of text: [UInt8]) -> [UInt32] {
    var characters: [UInt32] = []
    var offset = 0
    while offset < text.count {
      let (value, size) = scalar(in: text.span, at: offset)
      characters.append(value == UInt32(Fold.separator) ? UInt32(Fold.space) : value)
      offset += size
    }
    return characters
  }
}
