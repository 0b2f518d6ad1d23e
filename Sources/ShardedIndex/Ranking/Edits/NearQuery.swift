/// The typed text of a ranked query, for matches with edits. Source: docs/tiers.md section 2. The copies of a
/// search share it.
package final class NearQuery: Sendable {
  package let budget: EditBudget
  /// The text for comparisons with one edit, with two and with three, as far as it may have so many.
  private let texts: [NearText]
  /// The words of the text; nil if they do not match in any order.
  let words: NearWords?

  package init(_ text: RankedText, _ rules: MatchRules) {
    let text = text.forEdits
    budget = EditBudget(text, rules)
    texts = (0..<budget.text).map { NearText(text, limit: $0 + 1, rules) }
    words = budget.words > 0 ? NearWords(text, rules) : nil
  }

  /// Returns the text for matches with a number of edits; nil if it may have none.
  func text(edits: Int) -> NearText? { texts.isEmpty ? nil : texts[min(edits, texts.count) - 1] }

  /// Returns the best match of a record with at most so many edits: the fewest edits, then the greatest bonus; nil if
  /// there is none.
  package func match(_ texts: RecordTexts, edits: Int, _ rules: MatchRules) -> NearMatch? {
    let best = text(edits: edits).flatMap { texts.nearMatch($0, rules) }
    guard let words, let found = words.match(texts, rules), found.edits <= edits else { return best }
    let bonus = RecordMatch.wordsBonus(loss: found.loss)
    if let best, (best.edits, -best.match.bonus) <= (found.edits, -bonus) { return best }
    let matched: RecordMatch.Matched = found.loss > 0 ? .field(found.ranges) : .words(found.ranges)
    return NearMatch(edits: found.edits, match: RecordMatch(bonus: bonus, matched: matched), size: 0)
  }
}
