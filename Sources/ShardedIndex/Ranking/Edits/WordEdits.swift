/// The edits of each word of a typed text that matches a beginning of another. Source: docs/tiers.md section 2.
struct WordEdits: Sendable {
  /// The characters of the text, with the space that finishes it.
  private let typed: [UInt32]
  /// For each character the number of its word; nil for a space.
  private let words: [Int?]
  /// The most edits of each word.
  private let most: [Int]

  private static let space = UInt32(Fold.space)

  /// - Returns: nil if each word may have all edits of the text.
  init?(_ text: RankedText, limit: Int, _ rules: MatchRules) {
    let characters = FoldedCharacters.all(of: text.text)
    let split = characters.split(separator: Self.space)
    most = split.map { word in
      if !rules.editsDigits, EditBudget.hasDigit(word) { return 0 }
      // One edit is allowed in words of any size.
      return max(1, EditBudget.limit(ofWord: word.count, isAlone: split.count == 1))
    }
    guard most.contains(where: { $0 < limit }) else { return nil }
    var words: [Int?] = []
    for (number, word) in split.enumerated() {
      words += [Int?](repeating: nil, count: word.startIndex - words.count)
      words += [Int?](repeating: number, count: word.count)
    }
    typed = characters + (text.isFinished ? [Self.space] : [])
    self.words = words + [Int?](repeating: nil, count: typed.count - words.count)
  }

  /// Returns whether so many edits lead to another text so that no word has more edits than it may. Fewer edits must not
  /// lead there.
  func allow(_ edits: Int, to other: [UInt32]) -> Bool { allow(edits, 0, other[...], first: nil) }

  /// - Parameters:
  ///   - place: The number of the typed text's first character that is left.
  ///   - other: The characters of the other text that are left.
  ///   - first: The word with an edit before; nil for none.
  private func allow(_ edits: Int, _ place: Int, _ other: ArraySlice<UInt32>, first: Int?) -> Bool {
    guard abs(typed.count - place - other.count) <= edits else { return false }
    guard place < typed.count || !other.isEmpty else { return true }
    if place < typed.count, typed[place] == other.first,
      allow(edits, place + 1, other.dropFirst(), first: first)
    {
      return true
    }
    guard edits > 0 else { return false }
    /// Returns whether the rest may follow an edit in a word.
    func follows(_ word: Int?, _ next: Int, _ rest: ArraySlice<UInt32>) -> Bool {
      if let word, most[word] <= (first == word ? 1 : 0) { return false }
      return allow(edits - 1, next, rest, first: word ?? first)
    }
    let here = place < typed.count ? words[place] : nil
    // A deletion from the text, a replaced character, an insertion, an exchange.
    if place < typed.count, follows(here, place + 1, other) { return true }
    guard let added = other.first else { return false }
    if place < typed.count, follows(here, place + 1, other.dropFirst()) { return true }
    let before = place > 0 ? words[place - 1] : nil
    if follows(added == Self.space ? nil : before ?? here, place, other.dropFirst()) { return true }
    guard place + 1 < typed.count, other.count > 1, typed[place] == other[other.startIndex + 1],
      typed[place + 1] == added
    else { return false }
    return follows(here ?? words[place + 1], place + 2, other.dropFirst(2))
  }
}
