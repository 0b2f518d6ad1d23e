/// The plain form of folded texts: signs are white space, and look-alike scalars are one.
///
/// As many of the last separators stay as the key's template has; the others are inside of a value, and white space.
/// White space at the start, behind white space and beside a separator is removed. Source: docs/matching.md section 11.
package enum PlainForm {
  /// Returns the plain form of a folded text.
  ///
  /// - Parameter separators: The most separators that stay, the last ones.
  /// - Complexity: O(*n*): *n* bytes of the text.
  package static func plain(_ folded: [UInt8], separators: Int = .max) -> [UInt8] {
    written(folded, isClosed: false, separators: separators).text
  }

  /// Returns the closed form: the plain form without apostrophes and full stops.
  package static func closed(_ folded: [UInt8], separators: Int = .max) -> [UInt8] {
    written(folded, isClosed: true, separators: separators).text
  }

  /// Returns the plain form, with one space at its end if the text ends in white space or a sign.
  package static func spaced(_ folded: [UInt8], separators: Int = .max) -> [UInt8] {
    let writer = written(folded, isClosed: false, separators: separators)
    return writer.isSpaced ? writer.text + [Fold.space] : writer.text
  }

  private static func written(_ folded: [UInt8], isClosed: Bool, separators: Int) -> Writer {
    var writer = Writer(
      isClosed: isClosed, spacedSeparators: spacedSeparators(in: folded, keeping: separators), capacity: folded.count)
    writer.append(folded[...])
    return writer
  }

  /// Returns the number of separators of a folded text that are white space in its plain form.
  static func spacedSeparators(in folded: [UInt8], keeping separators: Int) -> Int {
    guard separators < .max else { return 0 }
    return max(0, folded.count { $0 == Fold.separator } - separators)
  }

  /// A writer of a plain form from the pieces of a folded text.
  struct Writer {
    /// The plain form so far, without a space at its end.
    private(set) var text: [UInt8] = []
    /// Whether a space comes before the next byte of the component.
    fileprivate var isSpaced = false
    private let isClosed: Bool
    /// The number of the next separators that are white space.
    private var spacedSeparators: Int

    /// - Parameters:
    ///   - isClosed: Whether the closed form is written.
    ///   - spacedSeparators: The number of the first separators that are white space.
    ///   - capacity: The expected size of the plain form, in bytes.
    init(isClosed: Bool, spacedSeparators: Int, capacity: Int = 0) {
      (self.isClosed, self.spacedSeparators) = (isClosed, spacedSeparators)
      text.reserveCapacity(capacity)
    }

    /// Appends the next piece. The marks behind one letter must be in one piece.
    mutating func append(_ folded: ArraySlice<UInt8>) {
      var index = folded.startIndex
      while index < folded.endIndex {
        let byte = folded[index]
        if byte == Fold.separator, spacedSeparators == 0 {
          isSpaced = false
          text.append(byte)
        } else if byte == Fold.separator {
          spacedSeparators -= 1
          isSpaced = isSpaceWanted
        } else if isClosed, PlainForm.isClosedSign(byte) {
          // Nothing.
        } else if byte == Fold.space || PlainForm.isSign(byte) {
          isSpaced = isSpaceWanted
        } else if LookAlikes.isLead(byte) {
          let (bytes, end) = PlainForm.lookAlikes(in: folded, from: index)
          if !bytes.isEmpty { write(bytes[...]) }
          index = end
          continue
        } else {
          write(folded[index...index])
        }
        index += 1
      }
    }

    private var isSpaceWanted: Bool { text.last.map { $0 != Fold.separator } ?? false }

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
    // Whether a nikhahit came, which must stand behind a following tone mark.
    var hasMark = false
    for index in folded.indices {
      let byte = unsafe folded[index]
      if byte < 0x30 {
        if byte == Fold.space {
          if before == Fold.space || before == Fold.separator { return false }
        } else if byte == Fold.separator {
          separators -= 1
          if before == Fold.space || separators < 0 { return false }
        } else if isSign(byte) {
          return false
        }
      }
      before = byte
      if LookAlikes.isLead(byte) {
        let scalar = unsafe scalar(in: folded.span, at: index).value
        if LookAlikes.replacement(scalar) != nil || hasMark && LookAlikes.isTone(scalar) { return false }
        hasMark = LookAlikes.isNikhahit(scalar)
      } else if byte & 0xc0 != 0x80 {
        hasMark = false
      }
    }
    return before != Fold.space
  }

  /// Whether a byte of a fold is white space in its plain form.
  @inline(__always) fileprivate static func isSign(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x22, 0x27, 0x28, 0x29, 0x2d, 0x2e, 0x2f: true  // " ' ( ) - . /
    default: false
    }
  }

  /// Whether the closed form leaves out a byte of a fold.
  @inline(__always) fileprivate static func isClosedSign(_ byte: UInt8) -> Bool { byte == 0x27 || byte == 0x2e }

  /// Returns the plain form of the scalar at an index, or of the run of tone marks and nikhahits there, and its end.
  fileprivate static func lookAlikes(in folded: ArraySlice<UInt8>, from start: Int) -> (bytes: [UInt8], end: Int) {
    let (value, size) = scalar(in: folded.span, at: start - folded.startIndex)
    if let replacement = LookAlikes.replacement(value) {
      return (replacement == 0 ? [] : utf8(replacement), start + size)
    }
    guard LookAlikes.isTone(value) || LookAlikes.isNikhahit(value) else {
      return (Array(folded[start..<start + size]), start + size)
    }
    var (tones, marks): ([UInt8], [UInt8]) = ([], [])
    var end = start
    while end < folded.endIndex {
      let (value, size) = scalar(in: folded.span, at: end - folded.startIndex)
      if LookAlikes.isTone(value) {
        tones += folded[end..<end + size]
      } else if LookAlikes.isNikhahit(value) {
        marks += folded[end..<end + size]
      } else if LookAlikes.replacement(value) != 0 {
        break
      }
      end += size
    }
    return (tones + marks, end)
  }

  /// Returns the scalar of two or three bytes at an index, and its size; or a single byte if another scalar or the end
  /// of the text is there.
  @inline(__always)
  private static func scalar(in text: borrowing Span<UInt8>, at index: Int) -> (value: UInt32, size: Int) {
    let lead = UInt32(text[index])
    if lead & 0xe0 == 0xc0, index + 1 < text.count { return ((lead & 0x1f) << 6 | UInt32(text[index + 1] & 0x3f), 2) }
    if lead & 0xf0 == 0xe0, index + 2 < text.count {
      return ((lead & 0xf) << 12 | UInt32(text[index + 1] & 0x3f) << 6 | UInt32(text[index + 2] & 0x3f), 3)
    }
    return (lead, 1)
  }

  /// Returns the bytes of a scalar of two or three bytes.
  private static func utf8(_ scalar: UInt32) -> [UInt8] {
    scalar < 0x800
      ? [UInt8(0xc0 | scalar >> 6), UInt8(0x80 | scalar & 0x3f)]
      : [UInt8(0xe0 | scalar >> 12), UInt8(0x80 | scalar >> 6 & 0x3f), UInt8(0x80 | scalar & 0x3f)]
  }
}
