/// The texts that a ranked search tries in the place of a text that nothing matches: the text without some of its words.
/// Source: docs/tiers.md section 4.
struct ShorterTexts {
  let typed: TypedWords
  /// The filters of the query.
  let filters: [ShardedIndex.Filter]

  /// Whether the text has words to leave out.
  var canShorten: Bool { typed.count > 1 }

  /// Returns the texts without the last words, the longest first, and then without the first words.
  ///
  /// - Parameter known: The positions of the words that may stay; nil for the first eight.
  func all(of known: [Int]? = nil) -> [OtherText] {
    let known = known ?? Array(searched)
    var texts: [OtherText] = []
    func add(_ kept: ArraySlice<Int>) {
      guard kept.count < typed.count else { return }
      let dropped = typed.words.indices.filter { !kept.contains($0) }.map { typed.words[$0].word }
      texts.append(OtherText(text: typed.text(Array(kept)), filters: filters, dropped: dropped))
    }
    for end in (1...known.count).reversed() { add(known[..<end]) }
    for start in 1..<known.count { add(known[start...]) }
    return texts
  }

  /// The positions of the words that are searched.
  private var searched: Range<Int> { 0..<min(typed.count, TypedWords.mostWords) }

  /// The words that are searched, in their order.
  var searchedWords: [String] { searched.map { typed.words[$0].word } }
}
