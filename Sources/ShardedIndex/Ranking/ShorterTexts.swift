/// The texts that a ranked search tries in the place of a text that nothing matches: the text without some of its words.
/// Source: docs/tiers.md section 3.
struct ShorterTexts {
  /// The most words of a text that are searched. Those behind are always left out.
  private static let mostWords = 8

  /// A text, and the words that it leaves out.
  struct Shorter {
    let text: String
    let dropped: [String]
  }

  /// Each word of the text, with the white space and the commas before it.
  private let words: [(gap: Substring, word: Substring)]
  /// The white space and the commas behind the last word.
  private let end: Substring

  init(_ text: String) {
    var words: [(gap: Substring, word: Substring)] = []
    let scalars = text.unicodeScalars
    var (end, start) = (scalars.startIndex, scalars.startIndex)
    func isDivider(_ scalar: Unicode.Scalar) -> Bool {
      let folded = Fold.fold("a" + String(scalar) + "a")
      return folded.count == 3 && (folded[1] == Fold.space || folded[1] == Fold.separator)
    }
    while let first = scalars[start...].firstIndex(where: { !isDivider($0) }) {
      start = scalars[first...].firstIndex(where: isDivider) ?? scalars.endIndex
      words.append((text[end..<first], text[first..<start]))
      end = start
    }
    (self.words, self.end) = (words, text[end...])
  }

  /// Whether the text has words to leave out.
  var canShorten: Bool { words.count > 1 }

  /// Returns the texts without the last words, the longest first, and then without the first words.
  ///
  /// - Parameter known: The positions of the words that may stay; nil for the first eight.
  func all(of known: [Int]? = nil) -> [Shorter] {
    let known = known ?? Array(searched)
    let beginnings = (1...known.count).reversed().map { known[..<$0] }
    let ends = (1..<known.count).map { known[$0...] }
    return (beginnings + ends).filter { $0.count < words.count }.map { shorter($0) }
  }

  /// The positions of the words that are searched.
  private var searched: Range<Int> { 0..<min(words.count, Self.mostWords) }

  /// The words that are searched, in their order.
  var searchedWords: [String] { searched.map { String(words[$0].word) } }

  /// Returns the text with some of its words. A word behind which others are left out is finished.
  private func shorter(_ kept: ArraySlice<Int>) -> Shorter {
    var text = ""
    for position in kept {
      if position != kept.first { text += words[position].gap }
      text += words[position].word
    }
    text += kept.last == words.count - 1 ? end : " "
    return Shorter(
      text: text, dropped: words.indices.filter { !kept.contains($0) }.map { String(words[$0].word) })
  }
}
