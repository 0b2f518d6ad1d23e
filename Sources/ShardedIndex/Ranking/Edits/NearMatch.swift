/// The typed text of a ranked query, for comparisons with texts that are a few edits away. Source: docs/tiers.md
/// section 2. The copies of a search share it.
package final class NearText: Sendable {
  let automaton: EditAutomaton
  let isFinished: Bool
  /// The first byte of the text; nil for an empty text.
  let start: UInt8?
  /// The edits of the words; nil if each word may have all edits.
  private let words: WordEdits?

  /// - Parameters:
  ///   - limit: The most edits, 1 to 3.
  ///   - rules: The rules for the edits of words; nil if each word may have all edits.
  package init(_ text: RankedText, limit: Int, _ rules: MatchRules? = nil) {
    automaton = EditAutomaton(text.text, isFinished: text.isFinished, limit: limit)
    (isFinished, start) = (text.isFinished, text.text.first)
    words = rules.flatMap { WordEdits(text, limit: limit, $0) }
  }

  /// The beginning of a text that is nearest to the typed text.
  struct Beginning {
    /// The number of edits; one more than the limit if it is over the limit, or if a word has too many.
    var distance: Int
    /// The size in bytes, without a space or separator at the end.
    var size: Int
    /// The bonus in octaves: whether the beginning is all of the text or of its first components, ends with a word, or
    /// ends within one; and whether it has the first letter of the typed text.
    var bonus: Int
  }

  /// Returns the nearest beginning of a text, among equally near ones the one with the greatest bonus, and among these
  /// the longest.
  func nearest(in text: ArraySlice<UInt8>) -> Beginning {
    let text = Array(text)
    let startBonus = text.first == start ? 0 : RecordMatch.otherStartBonus
    let none = Beginning(distance: automaton.limit + 1, size: 0, bonus: 0)
    var (state, offset, best) = (automaton.start, 0, none)
    // The fewest edits to a beginning, and the characters so far, if words may have too many edits.
    var (least, characters): (Int, [UInt32]) = (none.distance, [])
    func add(_ distance: Int?, size: Int, behind next: UInt8) {
      let bonus =
        switch next {
        case Fold.separator: startBonus + RecordMatch.wholeNearBonus
        case Fold.space: startBonus + RecordMatch.wordNearBonus
        default: startBonus
        }
      guard let distance, distance <= least else { return }
      if distance < least { (least, best) = (distance, none) }
      guard (best.distance, -best.bonus) >= (distance, -bonus), words?.allow(distance, to: characters) ?? true else {
        return
      }
      best = Beginning(distance: distance, size: size, bonus: bonus)
    }
    while state.isLive, offset < text.count {
      let (scalar, bytes) = FoldedCharacters.scalar(in: text.span, at: offset)
      state = automaton.step(state, automaton.characterClass(of: scalar))
      offset += bytes
      let distance = automaton.distance(ofRow: state)
      if words != nil { characters.append(scalar == UInt32(Fold.separator) ? UInt32(Fold.space) : scalar) }
      if scalar == UInt32(Fold.space) || scalar == UInt32(Fold.separator) {
        add(distance, size: offset - bytes, behind: text[offset - 1])
      } else {
        add(distance, size: offset, behind: offset < text.count ? text[offset] : Fold.separator)
      }
    }
    if isFinished, offset == text.count {
      state = automaton.step(state, automaton.characterClass(of: UInt32(Fold.space)))
      characters.append(UInt32(Fold.space))
      add(automaton.distance(ofRow: state), size: text.count, behind: Fold.separator)
    }
    return best
  }
}

/// The match of a record with edits.
package struct NearMatch: Sendable {
  var edits: Int
  /// The bonus and the text that matched.
  var match: RecordMatch
  /// The size of the beginning that is nearest to the typed text, in bytes of the text that matched. Another name
  /// counts with the last component of the key behind it. 0 for words in any order.
  var size: Int
}

extension RecordTexts {
  /// Returns the match by the nearest text, and among equally near texts by the one with the greatest bonus; nil if all
  /// are beyond the limit. A text that matches without edits, or differs only in spaces and separators, counts as one
  /// edit away.
  func nearMatch(_ near: NearText, _ rules: MatchRules) -> NearMatch? {
    var best: NearMatch?
    func add(_ text: ArraySlice<UInt8>, _ bonus: Int, _ matched: RecordMatch.Matched) {
      let nearest = near.nearest(in: text)
      let (edits, bonus) = (max(1, nearest.distance), bonus + nearest.bonus)
      guard edits <= near.automaton.limit else { return }
      if let best, (best.edits, -best.match.bonus) <= (edits, -bonus) { return }
      best = NearMatch(edits: edits, match: RecordMatch(bonus: bonus, matched: matched), size: nearest.size)
    }
    forEachForm { key, form in add(key[...], 0, .key(form)) }
    let ending = lastSeparator.map { key[$0...] } ?? []
    for (number, name) in names.enumerated() {
      add((name.text + ending)[...], RecordMatch.nameBonus - name.loss, .name(number))
    }
    for word in fieldWords { add(word.text, -word.loss, .field([])) }
    guard rules.words != nil else { return best }
    forEachForm { key, form in
      for start in wordStarts(key, rules) { add(key[start...], RecordMatch.wordBonus, .word(start, form)) }
    }
    return best
  }
}
