/// A typed text in the form for ranked answers. Source: docs/ranking.md section 2.
package struct RankedText: Sendable {
  /// The text, without the space that finishes its last word.
  package let text: [UInt8]
  /// Whether a space finishes the last word.
  let isFinished: Bool
  /// The beginnings of matching texts: the text, and the text with the separator in the place of its last space.
  let variants: [[UInt8]]

  /// - Parameters:
  ///   - folded: The fold of the typed text.
  ///   - isPlain: Whether the index matches plain forms: true if it has entries.
  package init(_ folded: [UInt8], isPlain: Bool) {
    let spaced = isPlain ? PlainForm.spaced(folded) : folded
    isFinished = spaced.count > 1 && spaced.last == Fold.space
    text = isFinished ? spaced.dropLast() : spaced
    if let space = text.lastIndex(of: Fold.space) {
      variants = [text, text.replacing(space, with: Fold.separator)]
    } else {
      variants = [text]
    }
  }

  package var isEmpty: Bool { text.isEmpty }

  /// The words, which white space and separators divide.
  var words: [ArraySlice<UInt8>] { Self.words(of: text[...]) }

  /// The least size of one of the words, in bytes, for matching words in any order. Shorter words are in too many keys:
  /// a search for `san ba` would open half of all parts with keys that begin with `san`.
  private static let searchableWord = 4

  /// Whether the words match in any order: there are at least two, and one is long enough.
  var hasSearchableWords: Bool {
    let words = words
    return words.count > 1 && words.contains { $0.count >= Self.searchableWord }
  }

  static func words(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    text.split { $0 == Fold.space || $0 == Fold.separator }
  }

  /// Whether a key equals the text, or has a separator behind it.
  func isWhole(_ key: ArraySlice<UInt8>) -> Bool {
    !isEmpty
      && variants.contains { variant in
        key.starts(with: variant)
          && (key.count == variant.count || key[key.startIndex + variant.count] == Fold.separator)
      }
  }

  /// Whether a text begins with the typed one. If the typed text is finished, its last word must be whole in the other
  /// text.
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
