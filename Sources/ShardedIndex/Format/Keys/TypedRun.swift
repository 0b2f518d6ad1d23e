/// One run of the keys that match a typed text. Source: docs/matching.md section 8.
struct TypedRun {
  /// The beginning of the keys.
  let word: FoldedPrefix
  /// The word, with a space behind it if the word is finished. The run ends behind the keys that begin with this text.
  let text: FoldedPrefix

  /// Makes the run of a text.
  ///
  /// - Parameter text: The folded text. A space at its end finishes the word: then the key ends behind the word, or has
  ///   a space or a separator there. Of the bytes of a fold only the separator is below the space, so these keys stand
  ///   together.
  init(_ text: FoldedPrefix) {
    self.text = text
    word = text.endsInSpace ? text.withoutLast : text
  }

  var isFinished: Bool { word.count < text.count }
}
