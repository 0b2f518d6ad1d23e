/// The typed text of a ranked query, for comparisons with texts that are a few edits away. Source: docs/ranking.md
/// section 8.
package struct NearText: Sendable {
  let automaton: EditAutomaton
  let isFinished: Bool

  /// - Parameter limit: The most edits, 1 or 2.
  package init(_ text: RankedText, limit: Int) {
    automaton = EditAutomaton(text.text, isFinished: text.isFinished, limit: limit)
    isFinished = text.isFinished
  }

  /// The distance of the typed text from the nearest beginning of a text, and the size of that beginning in bytes.
  /// Among equally near ones it is the longest that does not end between words.
  func nearest(in text: ArraySlice<UInt8>) -> (distance: Int, size: Int) {
    let text = Array(text)
    var (state, offset, best, size) = (automaton.start, 0, automaton.limit + 1, 0)
    while state.isLive, offset < text.count {
      let (scalar, bytes) = FoldedCharacters.scalar(in: text.span, at: offset)
      state = automaton.step(state, automaton.characterClass(of: scalar))
      offset += bytes
      guard let distance = automaton.distance(ofRow: state), distance <= best else { continue }
      let endsWord = scalar != UInt32(Fold.space) && scalar != UInt32(Fold.separator)
      if distance < best || endsWord { size = endsWord ? offset : offset - bytes }
      best = distance
    }
    if isFinished, offset == text.count {
      state = automaton.step(state, automaton.characterClass(of: UInt32(Fold.space)))
      if state.distance < best { (best, size) = (state.distance, text.count) }
    }
    return (best, size)
  }
}

/// The match of a record with edits.
package struct NearMatch: Sendable {
  var edits: Int
  /// The bonus and the text that matched.
  var match: RecordMatch
  /// The size of the beginning that is nearest to the typed text, in bytes of the text that matched. Another name
  /// counts with the last component of the key behind it.
  var size: Int
}

extension RecordTexts {
  /// Returns the match by the nearest text, and among equally near texts by the one with the greatest bonus; nil if all
  /// are beyond the limit. A text that matches without edits, or differs only in spaces and separators, counts as one
  /// edit away.
  package func nearMatch(_ near: NearText, _ rules: MatchRules) -> NearMatch? {
    var best: NearMatch?
    func add(_ text: ArraySlice<UInt8>, _ bonus: Int, _ matched: RecordMatch.Matched) {
      let (distance, size) = near.nearest(in: text)
      let edits = max(1, distance)
      guard edits <= near.automaton.limit else { return }
      if let best, (best.edits, -best.match.bonus) <= (edits, -bonus) { return }
      best = NearMatch(edits: edits, match: RecordMatch(bonus: bonus, matched: matched), size: size)
    }
    add(key[...], 0, .key)
    if let closed { add(closed[...], 0, .closedKey) }
    let ending = lastSeparator.map { key[$0...] } ?? []
    for (number, name) in names.enumerated() {
      add((name.plain + ending)[...], RecordMatch.nameBonus, .name(number))
    }
    guard let words = rules.words else { return best }
    let bodyEnd = words == .all ? key.count : lastSeparator ?? key.count
    for start in 1..<max(1, bodyEnd) where key[start - 1] == Fold.space || key[start - 1] == Fold.separator {
      add(key[start...], RecordMatch.wordBonus, .word(start))
    }
    return best
  }
}
