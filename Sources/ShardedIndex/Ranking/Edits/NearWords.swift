/// The words of a typed text, which match words of a key in any order and with a few edits each. Source: docs/tiers.md
/// section 2.
struct NearWords: Sendable {
  /// The least characters of a word by which the search goes. A single one begins too many texts.
  static let leastLeader = 2
  /// The most texts that begin with words by which the search goes without edits.
  private static let rareTexts = 1 << 13

  struct NearWord: Sendable {
    let text: [UInt8]
    /// The most edits of the word.
    let limit: Int
    /// The number of characters.
    let count: Int
    /// Whether the word has to be the whole of a word of the key.
    let isFinished: Bool
    /// The word for comparisons with one edit, and with two, as far as it may have so many.
    let near: [NearText]

    /// Returns the word for comparisons with at most so many edits. It must have edits.
    func near(edits: Int) -> NearText { near[min(edits, near.count) - 1] }

    var canLead: Bool { count >= NearWords.leastLeader }

    /// Returns the edits to the nearest beginning of a word of a key, and the size of the beginning; nil if the edits
    /// are too many.
    func nearest(in other: ArraySlice<UInt8>) -> (edits: Int, size: Int)? {
      guard let near = near.last else {
        return (isFinished ? other.elementsEqual(text) : other.starts(with: text)) ? (0, text.count) : nil
      }
      let found = near.nearest(in: other)
      return found.distance <= limit ? (found.distance, found.size) : nil
    }
  }

  private let text: RankedText
  let words: [NearWord]
  /// Whether the last word may also begin a word of the key's last component, without edits.
  private let mayEndKey: Bool

  init(_ text: RankedText, _ rules: MatchRules) {
    let typed = text.words
    words = typed.enumerated().map { number, word in
      let isFinished = text.isFinished && number == typed.count - 1
      let characters = FoldedCharacters.all(of: Array(word))
      let limit = EditBudget.limit(of: characters, isAlone: false, editsDigits: rules.editsDigits)
      let ranked = RankedText(isFinished ? word + [Fold.space] : Array(word))
      let near = (0..<limit).map { NearText(ranked, limit: $0 + 1) }
      return NearWord(text: Array(word), limit: limit, count: characters.count, isFinished: isFinished, near: near)
    }
    (self.text, mayEndKey) = (text, rules.words == .body)
  }

  /// The match of some words.
  struct Match {
    var edits = 0
    /// The greatest loss of a word of another field among them, in octaves; 0 if all are words of the key.
    var loss = 0
    /// The ranges of the words in the key.
    var ranges: [Range<Int>] = []

    func isBetter(than other: Match?) -> Bool { other.map { (edits, loss) < ($0.edits, $0.loss) } ?? true }
  }

  /// Returns the match with the fewest edits, at least 1, and of these the least loss; nil if the words do not match.
  ///
  /// - Complexity: O(2^*n* *n* *m*): *n* typed words, at most 8, and *m* words of the key and of other fields.
  func match(_ texts: RecordTexts, _ rules: MatchRules) -> Match? {
    let (key, bodyEnd) = (texts.key, texts.bodyEnd(rules))
    // For each set of typed words the best match with the words so far.
    var best = [Match?](repeating: nil, count: 1 << words.count)
    best[0] = Match()
    func add(_ other: ArraySlice<UInt8>, loss: Int) {
      let found = words.map { $0.nearest(in: other) }
      guard found.contains(where: { $0 != nil }) else { return }
      for set in best.indices.reversed() {
        guard let before = best[set] else { continue }
        for (number, nearest) in found.enumerated() where set & 1 << number == 0 {
          guard let nearest else { continue }
          let larger = set | 1 << number
          var match = before
          match.edits += nearest.edits
          match.loss = max(match.loss, loss)
          guard match.edits <= EditBudget.mostEdits, match.isBetter(than: best[larger]) else { continue }
          if loss == 0 { match.ranges.append(other.startIndex..<other.startIndex + nearest.size) }
          best[larger] = match
        }
      }
    }
    for word in RankedText.words(of: key[..<bodyEnd]) { add(word, loss: 0) }
    for word in texts.fieldWords { add(word.text, loss: word.loss) }
    var match = best[best.count - 1]
    if mayEndKey, words.dropLast().contains(where: { $0.canLead }), var before = best[best.count / 2 - 1],
      before.isBetter(than: match), let end = text.lastWord(in: key[bodyEnd...])
    {
      before.ranges.append(end)
      match = before
    }
    if match?.edits == 0 { match?.edits = 1 }
    return match
  }

  /// Returns the numbers of words so that each match with at most so many edits has one of them without edits; nil if
  /// no words are rare enough.
  ///
  /// - Parameters:
  ///   - edits: The most edits of all words together.
  ///   - canEndKey: Whether a word of the last component of a key can begin with a word.
  ///   - count: Returns the number of texts that begin with a word.
  func rightWords(
    edits: Int, canEndKey: (ArraySlice<UInt8>) -> Bool, count: ([UInt8]) throws(IndexError) -> Int
  ) throws(IndexError) -> [Int]? {
    var counted: [(number: Int, count: Int)] = []
    for number in inBody(canEndKey) where words[number].canLead {
      counted.append((number, try count(words[number].text)))
    }
    var (found, sum): ([Int], Int) = ([], 0)
    for (number, count) in counted.ordered(by: { $0.count < $1.count }) {
      sum += count
      guard sum < Self.rareTexts || nearest(of: words.indices, edits) == nil else { return nil }
      // Of more words than the edits one has none, and neither has a word that may have none.
      if words[number].limit == 0 { return [number] }
      found.append(number)
      if found.count > edits { return found }
    }
    return nil
  }

  /// Returns the numbers of one or two words with edits. Each matching key has a word near to one of them, or in the last
  /// component the last word.
  func nearWords(edits: Int, canEndKey: (ArraySlice<UInt8>) -> Bool) -> [Int] {
    guard let nearest = nearest(of: words.indices, edits) else { return [] }
    let inBody = inBody(canEndKey)
    guard !inBody.contains(nearest), let other = self.nearest(of: inBody, edits) else { return [nearest] }
    return [nearest, other]
  }

  /// Returns the words that each match has in its body: all but a last word that can end a key; all if none of these is
  /// long enough.
  private func inBody(_ canEndKey: (ArraySlice<UInt8>) -> Bool) -> Range<Int> {
    let last = words.count - 1
    let canEnd = mayEndKey && canEndKey(words[last].text[...])
    return canEnd && words[..<last].contains(where: { $0.canLead }) ? 0..<last : words.indices
  }

  /// Returns the number of a word with edits that is not the given one, near to which the fewest texts are; nil if there
  /// is none. Each record that matches by the given word has a word near to it, so the last word is none if it can end a
  /// key.
  func nearWord(beside leader: Int, canEndKey: (ArraySlice<UInt8>) -> Bool) -> Int? {
    nearest(of: inBody(canEndKey), EditBudget.mostEdits, beside: leader)
  }

  /// Returns the number of the longest word; of words of five letters and more, the longest with the fewest edits. More
  /// texts are near to a long word with two edits than to such a word with one.
  private func nearest(of range: Range<Int>, _ edits: Int, beside other: Int? = nil) -> Int? {
    var best: (number: Int, order: (Int, Int))?
    for number in range where number != other && words[number].limit > 0 {
      let count = words[number].count
      let order = (count < 5 || min(edits, words[number].limit) > 1 ? 0 : 1, count)
      if best.map({ $0.order < order }) ?? true { best = (number, order) }
    }
    return best?.number
  }
}
