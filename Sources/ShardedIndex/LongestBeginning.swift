/// The longest beginning of a text that a record of a generation matches, for a text without matches.
package struct LongestBeginning {
  private let generation: Generation
  /// Whether only the beginnings of keys count as matches, even if the index has words and other names.
  private let inKeys: Bool

  package init(in generation: Generation, inKeys: Bool) { (self.generation, self.inKeys) = (generation, inKeys) }

  /// Returns the beginning; nil if there is none.
  ///
  /// The function takes characters from the end, as typed. The result has no spaces at its end.
  ///
  /// - Complexity: O(log *n*) queries: *n* characters.
  package func find(_ text: String) throws(IndexError) -> String? {
    var (bytes, ends) = (Array(text.utf8), [0])
    for character in text { ends.append(ends[ends.count - 1] + character.utf8.count) }
    var (matched, missed) = (0, ends.count - 1)
    while missed - matched > 1 {
      let middle = (matched + missed) / 2
      if try hasMatch(of: Fold.fold(String(decoding: bytes[..<ends[middle]], as: UTF8.self))) {
        matched = middle
      } else {
        missed = middle
      }
    }
    guard matched > 0 else { return nil }
    bytes.removeSubrange(ends[matched]...)
    while bytes.last == Fold.space { bytes.removeLast() }
    let beginning = String(decoding: bytes, as: UTF8.self)
    return Fold.fold(beginning).isEmpty ? nil : beginning
  }

  private func hasMatch(of folded: [UInt8]) throws(IndexError) -> Bool {
    let keys = try folded.withFoldedPrefix { (text) throws(IndexError) in
      try generation.answer(to: text, limit: 1).range.count
    }
    if keys == 0, !inKeys, generation.manifest.isRanked {
      var hits = try ShardedIndex.RankedHits(folded, typos: .none, in: generation)
      try hits.find(1)
      return hits.count > 0
    }
    return keys > 0
  }
}
