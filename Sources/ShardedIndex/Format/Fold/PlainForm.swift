/// The forms of folded texts in which an index with entries compares them.
///
/// In the plain form signs are white space, and look-alike scalars are one. As many of the last separators stay as the
/// key's template has; the others are inside of a value, and white space. White space at the start, behind white space
/// and beside a separator is removed. Source: docs/matching.md section 11.
package enum PlainForm {
  /// A form of a folded text.
  package enum Form: Sendable {
    /// The plain form.
    case plain
    /// The form with symbols, and without the signs that stand inside of words.
    case closed
    /// The form with the word `and` for `&`.
    case spelled
  }

  /// The characters of a fold, by the rules that the forms have for them.
  enum Character {
    case letter
    /// White space, or a sign that divides words.
    case divider
    /// A sign of which the closed form has nothing.
    case inner
    /// A full stop: at the start of a word as a symbol, else as an inner sign.
    case stop
    case ampersand
    /// A sign that the closed form has.
    case symbol
  }

  /// Returns the plain form of a folded text.
  ///
  /// - Parameter separators: The most separators that stay, the last ones.
  /// - Complexity: O(*n*): *n* bytes of the text.
  package static func plain(_ folded: [UInt8], separators: Int = .max) -> [UInt8] {
    written(folded, .plain, separators).text
  }

  /// Returns a form, with one space at its end if the text ends in white space or in a sign that divides words.
  package static func spaced(_ folded: [UInt8], _ form: Form = .plain, separators: Int = .max) -> [UInt8] {
    let writer = written(folded, form, separators)
    return writer.isSpaced ? writer.text + [Fold.space] : writer.text
  }

  /// Returns the different forms of a key, the plain form first.
  package static func forms(_ folded: [UInt8], separators: Int = .max) -> [(form: Form, text: [UInt8])] {
    isPlain(folded, separators)
      ? [(.plain, folded)] : different([.plain, .closed, .spelled], folded, separators)
  }

  /// Whether a text is one of the forms of a key.
  static func isForm(_ text: [UInt8], of folded: [UInt8], separators: Int) -> Bool {
    if isPlain(folded, separators) { return text == folded }
    return [.plain, .closed, .spelled].contains { form in
      (form != .spelled || hasAmpersand(folded)) && written(folded, form, separators).text == text
    }
  }

  /// Returns the different forms of another name, the plain form first.
  package static func nameForms(_ folded: [UInt8]) -> [(form: Form, text: [UInt8])] {
    if isPlain(folded, 0) { return [(.plain, folded)] }
    return different([.plain] + (hasSymbol(folded) ? [.closed] : []) + [.spelled], folded, 0)
  }

  /// Whether a folded text is its own plain form.
  static func isPlain(_ folded: [UInt8], _ separators: Int) -> Bool {
    unsafe folded.withUnsafeBufferPointer { text in unsafe isPlain(text, separators: separators) }
  }

  private static func different(_ forms: [Form], _ folded: [UInt8], _ separators: Int) -> [(form: Form, text: [UInt8])]
  {
    var all: [(form: Form, text: [UInt8])] = []
    for form in forms where form != .spelled || hasAmpersand(folded) {
      let text = written(folded, form, separators).text
      if !all.contains(where: { $0.text == text }) { all.append((form, text)) }
    }
    return all
  }

  /// Whether the spelled form of a folded text differs from its plain form.
  static func hasAmpersand(_ folded: [UInt8]) -> Bool { folded.contains(0x26) }

  /// Whether the closed form of a folded text has signs.
  static func hasSymbol(_ folded: [UInt8]) -> Bool {
    let closed = written(folded, .closed, .max).text
    var index = 0
    while index < closed.count {
      let (scalar, size) = FoldedCharacters.scalar(in: closed.span, at: index)
      switch character(scalar) {
      case .symbol, .stop: return true
      default: index += size
      }
    }
    return false
  }

  private static func written(_ folded: [UInt8], _ form: Form, _ separators: Int) -> Writer {
    var writer = Writer(
      form, spacedSeparators: spacedSeparators(in: folded, keeping: separators), capacity: folded.count)
    writer.append(folded[...])
    return writer
  }

  /// Returns the number of separators of a folded text that are white space in its forms.
  static func spacedSeparators(in folded: [UInt8], keeping separators: Int) -> Int {
    guard separators < .max else { return 0 }
    return max(0, folded.count { $0 == Fold.separator } - separators)
  }

  /// A writer of a form from the pieces of a folded text.
  struct Writer {
    /// The form so far, without a space at its end.
    private(set) var text: [UInt8] = []
    /// Whether a space comes before the next byte of the component.
    fileprivate var isSpaced = false
    private let form: Form
    /// The number of the next separators that are white space.
    private var spacedSeparators: Int

    /// - Parameters:
    ///   - spacedSeparators: The number of the first separators that are white space.
    ///   - capacity: The expected size of the form, in bytes.
    init(_ form: Form, spacedSeparators: Int, capacity: Int = 0) {
      (self.form, self.spacedSeparators) = (form, spacedSeparators)
      text.reserveCapacity(capacity)
    }

    /// Appends the next piece. The marks behind one letter must be in one piece.
    mutating func append(_ folded: ArraySlice<UInt8>) {
      var index = folded.startIndex
      while index < folded.endIndex {
        let byte = folded[index]
        if PlainForm.isPlainLetter(byte) {
          let start = index
          repeat { index += 1 } while index < folded.endIndex && PlainForm.isPlainLetter(folded[index])
          write(folded[start..<index])
        } else if byte == Fold.separator, spacedSeparators == 0 {
          isSpaced = false
          text.append(byte)
          index += 1
        } else if byte == Fold.separator {
          spacedSeparators -= 1
          isSpaced = isSpaceWanted
          index += 1
        } else if LookAlikes.isLead(byte), let (bytes, end) = PlainForm.lookAlikes(in: folded, from: index) {
          if PlainForm.isDoubled(bytes), !isSpaced, text.suffix(bytes.count) == bytes {
            text[text.count - 1] += 1
          } else if !bytes.isEmpty {
            write(bytes)
          }
          index = end
        } else {
          let (scalar, size) = FoldedCharacters.scalar(in: folded.span, at: index - folded.startIndex)
          append(folded[index..<index + size], PlainForm.character(scalar))
          index += size
        }
      }
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>, _ character: Character) {
      switch character {
      case .letter: write(bytes)
      case .symbol where form == .closed, .stop where form == .closed && isAtWord: write(bytes)
      case .inner where form == .closed, .stop where form == .closed, .ampersand where form == .closed: break
      case .ampersand where form == .spelled:
        isSpaced = isSpaceWanted
        write([0x61, 0x6e, 0x64])
        isSpaced = true
      default: isSpaced = isSpaceWanted
      }
    }

    private var isSpaceWanted: Bool { text.last.map { $0 != Fold.separator } ?? false }
    private var isAtWord: Bool { isSpaced || !isSpaceWanted }

    private mutating func write(_ bytes: ArraySlice<UInt8>) {
      if isSpaced { text.append(Fold.space) }
      isSpaced = false
      text += bytes
    }
  }

  /// Whether a folded text is its own plain form.
  ///
  /// - Parameter separators: The most separators that stay.
  /// - Complexity: O(*n*): *n* bytes of the text; takes no memory.
  package static func isPlain(_ folded: UnsafeBufferPointer<UInt8>, separators: Int = .max) -> Bool {
    var separators = separators
    // The start of a text and a separator both end white space.
    var before = Fold.separator
    // The scalar before: no tone mark follows a nikhahit, and a doubled vowel not itself.
    var last: UInt32 = 0
    let text = unsafe folded.span
    var index = 0
    while index < text.count {
      let byte = text[index]
      if isPlainLetter(byte) {
        (before, last) = (byte, 0)
        index += 1
        continue
      }
      if byte == Fold.space || byte == Fold.separator {
        if before == Fold.space || byte == Fold.space && before == Fold.separator { return false }
        if byte == Fold.separator { separators -= 1 }
        if separators < 0 { return false }
        (before, last) = (byte, 0)
        index += 1
        continue
      }
      let (scalar, size) = FoldedCharacters.scalar(in: text, at: index)
      guard character(scalar) == .letter else { return false }
      if LookAlikes.isLead(byte) {
        if LookAlikes.replacement(scalar) != nil || LookAlikes.isNikhahit(last) && LookAlikes.isTone(scalar)
          || last == scalar && LookAlikes.isDoubled(scalar)
        {
          return false
        }
      }
      (before, last) = (byte, scalar)
      index += size
    }
    return before != Fold.space
  }

  /// Whether a byte is a letter or a digit of ASCII, which most texts are made of.
  @inline(__always) fileprivate static func isPlainLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x61...0x7a, 0x30...0x39: true
    default: false
    }
  }

  /// Returns the rule for a scalar of a fold.
  @inline(__always) static func character(_ scalar: UInt32) -> Character {
    switch scalar {
    case 0x27, 0x2d, 0x2f: .inner  // ' - /
    case 0x2e: .stop
    case 0x26: .ampersand
    case 0x23, 0x24, 0x2b, 0x3c...0x3e, 0x5e, 0x60, 0x7c, 0x7e: .symbol  // # $ + < = > ^ ` | ~
    case 0x20...0x2f, 0x3a...0x40, 0x5b...0x5f, 0x7b...0x7d: .divider
    case 0..<0x80: .letter
    default: wide(scalar)
    }
  }

  /// Returns the rule for a scalar beyond ASCII: that of the last boundary that is not above it.
  private static func wide(_ scalar: UInt32) -> Character {
    func boundary(_ number: Int) -> UInt32 {
      let start = unsafe Signs.boundaries.utf8Start + 3 * number
      return unsafe UInt32(start[0]) << 14 | UInt32(start[1]) << 7 | UInt32(start[2])
    }
    var (low, high) = (0, Signs.count)
    while low < high {
      let middle = (low + high) / 2
      if boundary(middle) >> 2 <= scalar { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return .letter }
    switch boundary(low - 1) & 3 {
    case 0: return .letter
    case 1: return .divider
    default: return .symbol
    }
  }

  /// Returns the plain form of the look-alike at an index, or of the run of tone marks and nikhahits there, and its end;
  /// nil if another character is there.
  fileprivate static func lookAlikes(
    in folded: ArraySlice<UInt8>, from start: Int
  ) -> (bytes: ArraySlice<UInt8>, end: Int)? {
    let (value, size) = FoldedCharacters.scalar(in: folded.span, at: start - folded.startIndex)
    if let replacement = LookAlikes.replacement(value) {
      return (replacement == 0 ? [] : utf8(replacement)[...], start + size)
    }
    if LookAlikes.isDoubled(value) { return (folded[start..<start + size], start + size) }
    guard LookAlikes.isTone(value) || LookAlikes.isNikhahit(value) else { return nil }
    var (tones, marks): ([UInt8], [UInt8]) = ([], [])
    var end = start
    while end < folded.endIndex {
      let (value, size) = FoldedCharacters.scalar(in: folded.span, at: end - folded.startIndex)
      if LookAlikes.isTone(value) {
        tones += folded[end..<end + size]
      } else if LookAlikes.isNikhahit(value) {
        marks += folded[end..<end + size]
      } else if LookAlikes.replacement(value) != 0 {
        break
      }
      end += size
    }
    return ((tones + marks)[...], end)
  }

  /// Whether bytes are a vowel that, written twice, becomes the next scalar.
  fileprivate static func isDoubled(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count == 3 && LookAlikes.isDoubled(FoldedCharacters.scalar(in: bytes.span, at: 0).value)
  }

  /// Returns the bytes of a scalar of two or three bytes.
  private static func utf8(_ scalar: UInt32) -> [UInt8] {
    scalar < 0x800
      ? [UInt8(0xc0 | scalar >> 6), UInt8(0x80 | scalar & 0x3f)]
      : [UInt8(0xe0 | scalar >> 12), UInt8(0x80 | scalar >> 6 & 0x3f), UInt8(0x80 | scalar & 0x3f)]
  }
}
