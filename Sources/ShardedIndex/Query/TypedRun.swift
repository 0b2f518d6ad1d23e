/// The keys that match a typed text: one run of them. Source: docs/matching.md section 8.
struct TypedRun {
  /// The beginning of the keys.
  let word: FoldedPrefix
  /// The word; where it is finished, the word and the space that finishes it. The run ends behind the keys that begin
  /// so.
  let text: FoldedPrefix

  /// Makes the run of a text.
  ///
  /// - Parameter text: The folded text. A space at its end finishes the word: the key ends behind it, or has a space or
  ///   a separator there. No byte of a fold is below the space but the separator, so such keys stand together.
  init(_ text: FoldedPrefix) {
    self.text = text
    word = text.endsInSpace ? text.withoutLast : text
  }

  var isFinished: Bool { word.count < text.count }
}
