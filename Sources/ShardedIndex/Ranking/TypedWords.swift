/// The words of a typed text, which white space and commas divide. Source: docs/tiers.md section 3.
struct TypedWords: Sendable {
  /// The most words of a text that are searched.
  static let mostWords = 8

  /// Each word, with the white space and the commas before it.
  private(set) var words: [(gap: String, word: String)] = []
  /// The white space and the commas behind the last word.
  private(set) var end = ""

  init(_ text: String) {
    for scalar in text.unicodeScalars {
      let folded = Fold.fold("a" + String(scalar) + "a")
      if folded.count == 3, folded[1] == Fold.space || folded[1] == Fold.separator {
        end.unicodeScalars.append(scalar)
        continue
      }
      if words.isEmpty || !end.isEmpty {
        words.append((end, ""))
        end = ""
      }
      words[words.count - 1].word.unicodeScalars.append(scalar)
    }
  }

  var count: Int { words.count }

  /// Returns some words as they were typed, with all that was typed between them.
  func typed(_ kept: [Int]) -> String {
    var text = ""
    for word in kept { text += (word == kept[0] ? "" : words[word].gap) + words[word].word }
    return text
  }

  /// Returns some words as a text to search. If another word follows the last one, that is finished.
  func text(_ kept: [Int]) -> String { typed(kept) + (kept.last == count - 1 ? end : " ") }

  /// Returns some words in plain form.
  func plain(_ kept: Range<Int>) -> [UInt8] { PlainForm.plain(Fold.fold(typed(Array(kept))), separators: 0) }

  /// Returns a word with spaces between its digits and its letters, or two words without a space between a digit and a
  /// letter; nil if there are none.
  func respaced(_ kept: Range<Int>) -> String? {
    var (text, before, isRespaced) = ("", Unicode.Scalar(0 as UInt8), false)
    for word in kept {
      for (place, scalar) in words[word].word.unicodeScalars.enumerated() {
        let isBorder = Self.isDigit(before) && Self.isLetter(scalar) || Self.isLetter(before) && Self.isDigit(scalar)
        if kept.count == 1, isBorder { text += " " }
        // Of two words the border must be between them.
        if kept.count == 1 ? isBorder : place == 0 && isBorder { isRespaced = true }
        text.unicodeScalars.append(scalar)
        before = scalar
      }
    }
    return kept.count <= 2 && isRespaced ? text : nil
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { 0x30...0x39 ~= scalar.value }

  /// Whether a scalar is a letter of ASCII, or is beyond ASCII.
  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x80 || 0x61...0x7a ~= scalar.value | 0x20
  }

  /// Returns the words with others in the place of some of them. The others are one word.
  func replacing(_ replaced: Range<Int>, with word: String) -> TypedWords {
    var copy = self
    let gap = words[replaced.lowerBound].gap
    copy.words = words[..<replaced.lowerBound] + [(gap, word)] + words[replaced.upperBound...]
    return copy
  }
}

/// A text and filters that a ranked search tries if nothing matches the typed text.
struct OtherText: Sendable {
  let text: String
  let filters: [ShardedIndex.Filter]
  /// Whether words match across the key and other names, and in no other way.
  var acrossNames = false
  /// What the answer says of a reading of the typed text; nil for a shorter text.
  var interpretation: ShardedIndex.Interpretation?
  /// The typed words that the text leaves out.
  var dropped: [String] = []
}
