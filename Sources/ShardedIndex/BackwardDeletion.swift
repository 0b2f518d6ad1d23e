/// The part of a character that Backspace takes: ``ShardedIndex/Session/removeLast()`` and the list in the terminal
/// share this function.
///
/// A writer of Thai or Devanagari types a vowel sign by a key of its own, so Backspace takes that sign alone. Backspace
/// takes whole emoji sequences, Hangul syllables, CR LF, and Latin, Greek or Cyrillic letters with their marks: half of
/// such a character is no letter. A variation selector goes together with the scalar before it.
package enum BackwardDeletion {
  /// The parts that Backspace takes one by one, in the order of the text; one part if Backspace takes the whole
  /// character.
  package static func steps(of character: Character) -> [String] {
    let scalars = character.unicodeScalars
    guard let base = scalars.first, scalars.count > 1, !goesWhole(base.value) else { return [String(character)] }
    var steps: [String] = []
    for scalar in scalars {
      if isVariationSelector(scalar.value), !steps.isEmpty {
        steps[steps.count - 1].unicodeScalars.append(scalar)
      } else {
        steps.append(String(scalar))
      }
    }
    return steps
  }

  /// Returns the rest that Backspace leaves of a character; empty if Backspace takes the whole character.
  package static func rest(of character: Character) -> String {
    steps(of: character).dropLast().joined()
  }

  /// Whether Backspace takes a character that begins with this scalar as a whole.
  ///
  /// The ranges are blocks of Unicode 15: Latin, Greek and Cyrillic with their marks, digits and signs (keycaps),
  /// Hangul, symbols, and emoji with flags and skin tones.
  private static func goesWhole(_ base: UInt32) -> Bool {
    switch base {
    case 0..<0x0530: true  // Latin, marks, Greek, Cyrillic; control characters, digits.
    case 0x1100..<0x1200, 0x3130..<0x3190, 0xa960..<0xa980, 0xac00..<0xd800, 0xffa0..<0xffe0: true  // Hangul.
    case 0x1c80..<0x1c90, 0x2de0..<0x2e00, 0xa640..<0xa6a0, 0x1e030..<0x1e090: true  // Cyrillic.
    case 0x1ab0..<0x1b00, 0x1d00..<0x2000: true  // Marks, Latin and Greek.
    case 0x2000..<0x2de0, 0xfe20..<0xfe30: true  // Signs, symbols, emoji; half marks.
    case 0xa700..<0xa800, 0xab30..<0xab70, 0xfb00..<0xfb07, 0xff00..<0xff60: true  // Latin.
    case 0x10780..<0x107c0, 0x1df00..<0x1e000: true  // Latin.
    case 0x3030, 0x303d, 0x3297, 0x3299, 0x1f000..<0x1fb00: true  // Emoji.
    default: false
    }
  }

  private static func isVariationSelector(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x180b...0x180d, 0x180f, 0xfe00...0xfe0f, 0xe0100...0xe01ef: true
    default: false
    }
  }
}
