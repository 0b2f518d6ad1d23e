/// The words of a typed text, which match words of a key in any order and with a few edits each. Source: docs/tiers.md
/// section 2.
struct NearWords: Sendable {
  /// The least characters of a word by which the search goes. A single one begins too many texts.
  static let leastLeader = 2

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

  /// Returns the numbers of one or two words. Each matching key has a word near to one of them, or in the last component
  /// the last word.
  ///
  /// - Parameters:
  ///   - canEndKey: Whether a word of the last component of a key can begin with a word.
  ///   - count: Returns the number of texts that begin with a word.
  func leaders(
    canEndKey: (ArraySlice<UInt8>) -> Bool, count: ([UInt8]) throws(IndexError) -> Int
  ) throws(IndexError) -> [Int] {
    let last = words.count - 1
    var leaders: [Int] = []
    if let leader = try leader(of: words.indices, count) { leaders.append(leader) }
    if mayEndKey, leaders.first == last, canEndKey(words[last].text[...]), let other = try leader(of: 0..<last, count) {
      leaders.append(other)
    }
    return leaders
  }

  /// Returns the number of the longest word with edits that is not the given one; nil if there is none. Each record that
  /// matches by the given word has a word near to it, so the last word is none if it can end a key.
  func longest(beside leader: Int, canEndKey: (ArraySlice<UInt8>) -> Bool) -> Int? {
    let last = words.count - 1
    let inBody = mayEndKey && canEndKey(words[last].text[...]) ? 0..<last : 0..<words.count
    return longest(of: inBody, beside: leader)
  }

  private func longest(of range: Range<Int>, beside other: Int? = nil) -> Int? {
    var longest: Int?
    for number in range where number != other && words[number].limit > 0 {
      if longest.map({ words[$0].count < words[number].count }) ?? true { longest = number }
    }
    return longest
  }

  /// Returns the longest word with edits, else the word with the fewest texts; nil if none is long enough.
  private func leader(
    of range: Range<Int>, _ count: ([UInt8]) throws(IndexError) -> Int
  ) throws(IndexError) -> Int? {
    if let longest = longest(of: range) { return longest }
    var rarest: (number: Int, count: Int)?
    for number in range where words[number].canLead {
      let count = try count(words[number].text)
      if rarest.map({ count < $0.count }) ?? true { rarest = (number, count) }
    }
    return rarest?.number
  }
}
