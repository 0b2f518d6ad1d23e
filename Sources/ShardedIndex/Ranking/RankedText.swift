/// A typed text as ranked answers read it. Source: docs/ranking.md section 2.
struct RankedText: Sendable {
  /// The text, without the space that finishes its last word.
  let text: [UInt8]
  /// Whether a space finishes the last word.
  let isFinished: Bool
  /// The beginnings that a matching text has one of: the text, and the text with its last space as the separator.
  let variants: [[UInt8]]

  /// - Parameters:
  ///   - folded: The fold of the typed text.
  ///   - isPlain: Whether the index matches plain forms: it does where it has entries.
  init(_ folded: [UInt8], isPlain: Bool) {
    let spaced = isPlain ? PlainForm.spaced(folded) : folded
    isFinished = spaced.count > 1 && spaced.last == Fold.space
    text = isFinished ? spaced.dropLast() : spaced
    if let space = text.lastIndex(of: Fold.space) {
      variants = [text, text.replacing(space, with: Fold.separator)]
    } else {
      variants = [text]
    }
  }

  var isEmpty: Bool { text.isEmpty }

  /// The words, which white space and separators divide.
  var words: [ArraySlice<UInt8>] { Self.words(of: text[...]) }

  /// The size, in bytes, that one of the words has to have where they are matched in any order. Shorter ones stand in
  /// too many keys: a search for `san ba` would open half of all parts with keys that begin with `san`.
  private static let searchableWord = 4

  /// Whether the words are matched in any order: there are two or more, and one is long enough.
  var hasSearchableWords: Bool {
    let words = words
    return words.count > 1 && words.contains { $0.count >= Self.searchableWord }
  }

  static func words(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    text.split { $0 == Fold.space || $0 == Fold.separator }
  }

  /// Whether a key is the text, or continues behind it with a separator.
  func isWhole(_ key: ArraySlice<UInt8>) -> Bool {
    !isEmpty
      && variants.contains { variant in
        key.starts(with: variant)
          && (key.count == variant.count || key[key.startIndex + variant.count] == Fold.separator)
      }
  }

  /// Whether a text begins with the typed one; where that is finished, its last word has to be whole.
  func isBeginning(of other: ArraySlice<UInt8>) -> Bool {
    variants.contains { variant in
      guard other.starts(with: variant) else { return false }
      guard isFinished, other.count > variant.count else { return true }
      let next = other[other.startIndex + variant.count]
      return next == Fold.space || next == Fold.separator
    }
  }
}

extension [UInt8] {
  fileprivate func replacing(_ position: Int, with byte: UInt8) -> [UInt8] {
    var copy = self
    copy[position] = byte
    return copy
  }
}
