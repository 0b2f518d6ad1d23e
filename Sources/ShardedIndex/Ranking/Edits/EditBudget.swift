/// The most edits of the matches of a typed text. Source: docs/tiers.md section 2.
package struct EditBudget: Sendable {
  /// The most edits that lead to a beginning of a text.
  package private(set) var text = 0
  /// The most edits of all words together, where the words match in any order; 0 if they do not.
  package private(set) var words = 0

  /// The most edits of the words of a text together.
  static let mostEdits = 3
  /// The most words of a text that match in any order with edits.
  static let mostWords = 8

  /// The most edits of a match.
  package var limit: Int { max(text, words) }

  package init(_ typed: RankedText, _ rules: MatchRules) {
    self.init(typed.forEdits.text, inAnyOrder: rules.words != nil, editsDigits: rules.editsDigits)
  }

  /// - Parameters:
  ///   - text: The folded text, without a space at its end.
  ///   - inAnyOrder: Whether the words may match in any order.
  ///   - editsDigits: Whether words with digits may have edits.
  package init(_ text: [UInt8], inAnyOrder: Bool, editsDigits: Bool = false) {
    let characters = FoldedCharacters.all(of: text)
    guard characters.count <= EditAutomaton.longestQuery else { return }
    let typed = characters.split(separator: UInt32(Fold.space))
    // Spaces in words with digits may be missing, or too many.
    self.text = Self.limit(ofWord: typed.reduce(0) { $0 + $1.count }, isAlone: typed.count == 1)
    var (sum, longest, count) = (0, 0, 0)
    for word in typed {
      let limit = Self.limit(of: word, isAlone: typed.count == 1, editsDigits: editsDigits)
      (sum, longest, count) = (sum + limit, max(longest, word.count), count + 1)
    }
    if inAnyOrder, 2...Self.mostWords ~= count, longest >= NearWords.leastLeader {
      // Without edits the words may still match in an order in which short words do not match otherwise.
      words = max(1, min(Self.mostEdits, sum))
    }
  }

  /// Returns the most edits of a word of so many characters: none if it has fewer than three, one if fewer than eight,
  /// else two. A word alone may have two from five characters on, and three from eight.
  static func limit(ofWord characters: Int, isAlone: Bool) -> Int {
    if characters < 3 { return 0 }
    if isAlone { return characters < 5 ? 1 : characters < 8 ? 2 : 3 }
    return characters < 8 ? 1 : 2
  }

  /// Returns the most edits of a word: none if it has a digit, unless such words may have edits.
  static func limit(of word: some Collection<UInt32>, isAlone: Bool, editsDigits: Bool) -> Int {
    hasDigit(word) && !editsDigits ? 0 : limit(ofWord: word.count, isAlone: isAlone)
  }

  static func hasDigit(_ word: some Collection<UInt32>) -> Bool { word.contains { 0x30...0x39 ~= $0 } }
}
