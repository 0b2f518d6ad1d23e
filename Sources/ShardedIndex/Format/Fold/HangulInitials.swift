/// The leading consonants of Hangul syllables. People type them for a name. Source: docs/matching.md section 6.
package enum HangulInitials {
  /// The word for them in the setting of other names, in the place of a field.
  package static let setting = "initials"

  /// Returns the leading consonants of the syllables in a folded text, one after the other; empty if there are none.
  ///
  /// A syllable begins with a consonant before a vowel. A fold writes final consonants by the same letters.
  ///
  /// - Complexity: O(*n*): *n* bytes of the text.
  package static func initials(of folded: [UInt8]) -> [UInt8] {
    var initials: [UInt8] = []
    var index = 0
    // All these letters begin with the byte E1, which only begins scalars.
    while index + 5 < folded.count {
      defer { index += 1 }
      guard folded[index] == 0xe1, folded[index + 3] == 0xe1 else { continue }
      let (first, second) = (letter(folded, index), letter(folded, index + 3))
      if (0x1100...0x1112).contains(first), (0x1161...0x1175).contains(second) { initials += folded[index..<index + 3] }
    }
    return initials
  }

  /// Returns the scalar of three bytes at an index.
  private static func letter(_ text: [UInt8], _ index: Int) -> UInt32 {
    UInt32(text[index] & 0xf) << 12 | UInt32(text[index + 1] & 0x3f) << 6 | UInt32(text[index + 2] & 0x3f)
  }
}
