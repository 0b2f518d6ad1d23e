/// The texts that a ranked search tries in the place of a text that nothing matches: the text without some of its words.
/// Source: docs/tiers.md section 4.
struct ShorterTexts {
  /// A text, and the words that it leaves out.
  struct Shorter {
    let text: String
    let dropped: [String]
  }

  let typed: TypedWords

  /// Whether the text has words to leave out.
  var canShorten: Bool { typed.count > 1 }

  /// Returns the texts without the last words, the longest first, and then without the first words.
  ///
  /// - Parameter known: The positions of the words that may stay; nil for the first eight.
  func all(of known: [Int]? = nil) -> [Shorter] {
    let known = known ?? Array(searched)
    let beginnings = (1...known.count).reversed().map { known[..<$0] }
    let ends = (1..<known.count).map { known[$0...] }
    return (beginnings + ends).filter { $0.count < typed.count }.map { shorter($0) }
  }

  /// The positions of the words that are searched.
  private var searched: Range<Int> { 0..<min(typed.count, TypedWords.mostWords) }

  /// The words that are searched, in their order.
  var searchedWords: [String] { searched.map { typed.words[$0].word } }

  /// Returns the text with some of its words.
  private func shorter(_ kept: ArraySlice<Int>) -> Shorter {
    Shorter(
      text: typed.text(kept), dropped: typed.words.indices.filter { !kept.contains($0) }.map { typed.words[$0].word })
  }
}
