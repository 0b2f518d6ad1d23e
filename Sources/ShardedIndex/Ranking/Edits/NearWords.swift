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

  /// Returns the ranges of the words in a key, and their edits together, at least 1; nil if they do not match.
  ///
  /// - Parameter bodyEnd: The end of the part of the key with words that lead to the record.
  /// - Complexity: O(2^*n* *n* *m*): *n* typed words, at most 8, and *m* words of the key.
  func match(_ key: [UInt8], bodyEnd: Int) -> (edits: Int, ranges: [Range<Int>])? {
    // For each set of typed words the fewest edits with which the words of the key so far match them.
    var best = [(edits: Int, ranges: [Range<Int>])?](repeating: nil, count: 1 << words.count)
    best[0] = (0, [])
    for other in RankedText.words(of: key[..<bodyEnd]) {
      let found = words.map { $0.nearest(in: other) }
      for set in best.indices.reversed() {
        guard let before = best[set] else { continue }
        for (number, nearest) in found.enumerated() where set & 1 << number == 0 {
          guard let nearest else { continue }
          let (larger, edits) = (set | 1 << number, before.edits + nearest.edits)
          guard edits <= EditBudget.mostEdits, best[larger].map({ edits < $0.edits }) ?? true else { continue }
          best[larger] = (edits, before.ranges + [other.startIndex..<other.startIndex + nearest.size])
        }
      }
    }
    var match = best[best.count - 1]
    if mayEndKey, words.dropLast().contains(where: { $0.canLead }), let before = best[best.count / 2 - 1],
      match.map({ before.edits < $0.edits }) ?? true,
      let end = text.lastWord(in: key[bodyEnd...])
    {
      match = (before.edits, before.ranges + [end])
    }
    return match.map { (max(1, $0.edits), $0.ranges) }
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

  /// Returns the longest word with edits, else the word with the fewest texts; nil if none is long enough.
  private func leader(
    of range: Range<Int>, _ count: ([UInt8]) throws(IndexError) -> Int
  ) throws(IndexError) -> Int? {
    let edited = range.filter { words[$0].limit > 0 }
    if let longest = edited.max(by: { words[$0].count < words[$1].count }) { return longest }
    var rarest: (number: Int, count: Int)?
    for number in range where words[number].canLead {
      let count = try count(words[number].text)
      if rarest.map({ count < $0.count }) ?? true { rarest = (number, count) }
    }
    return rarest?.number
  }
}
