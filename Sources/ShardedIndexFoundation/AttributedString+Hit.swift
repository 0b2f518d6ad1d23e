import Foundation
import ShardedIndex

/// The attribute of the letters of a text that a typed text matched.
public enum MatchedLetters: AttributedStringKey {
  /// True for matched letters; other letters lack the attribute.
  public typealias Value = Bool
  /// The name of the attribute.
  public static let name = "shardq.matchedLetters"
}

extension AttributedString {
  /// Makes the text of a hit that matched, with ``MatchedLetters`` for the letters that the typed text matched.
  ///
  /// ```swift
  /// var text = AttributedString(hit)
  /// for run in text.runs where run[MatchedLetters.self] == true { text[run.range].font = .body.bold() }
  /// ```
  ///
  /// - Complexity: O(*n*) in the size of the record's key and other names.
  public init(_ hit: ShardedIndex.Hit) {
    let text = hit.matchedText
    self.init(text)
    for highlight in hit.highlights {
      if let range = Range(highlight, in: self) { self[range][MatchedLetters.self] = true }
    }
  }
}
