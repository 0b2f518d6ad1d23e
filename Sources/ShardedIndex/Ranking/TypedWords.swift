/// The words of a typed text, which white space and commas divide. Source: docs/tiers.md section 3.
struct TypedWords: Sendable {
  /// The most words of a text that are searched.
  static let mostWords = 8

  /// Each word, with the white space and the commas before it.
  private(set) var words: [(gap: String, word: String)] = []
  /// The white space and the commas behind the last word.
  private(set) var end: String

  init(_ text: String) {
    let scalars = text.unicodeScalars
    var (end, start) = (scalars.startIndex, scalars.startIndex)
    func isDivider(_ scalar: Unicode.Scalar) -> Bool {
      let folded = Fold.fold("a" + String(scalar) + "a")
      return folded.count == 3 && (folded[1] == Fold.space || folded[1] == Fold.separator)
    }
    while let first = scalars[start...].firstIndex(where: { !isDivider($0) }) {
      start = scalars[first...].firstIndex(where: isDivider) ?? scalars.endIndex
      words.append((String(text[end..<first]), String(text[first..<start])))
      end = start
    }
    self.end = String(text[end...])
  }

  var count: Int { words.count }

  /// Returns some words as they were typed, with all that was typed between them.
  func typed(_ kept: some Collection<Int>) -> String {
    kept.reduce("") { $0 + ($1 == kept.first ? "" : words[$1].gap) + words[$1].word }
  }

  /// Returns some words as a text to search. If another word follows the last one, that is finished.
  func text(_ kept: some BidirectionalCollection<Int>) -> String {
    typed(kept) + (kept.last == count - 1 ? end : " ")
  }

  /// Returns some words in plain form.
  func plain(_ kept: Range<Int>) -> [UInt8] { PlainForm.plain(Fold.fold(typed(kept)), separators: 0) }

  /// Returns the words with others in the place of some of them. The others are one word.
  func replacing(_ replaced: Range<Int>, with word: String) -> TypedWords {
    var copy = self
    copy.words.replaceSubrange(replaced, with: [(words[replaced.lowerBound].gap, word)])
    return copy
  }
}
