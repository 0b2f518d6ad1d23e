/// A typed text in the form for ranked answers. Source: docs/ranking.md section 2.
package struct RankedText: Sendable {
  /// The text, without the space that finishes its last word.
  package let text: [UInt8]
  /// Whether a space finishes the last word.
  let isFinished: Bool
  /// The beginnings of matching texts: the text, with fewer of its separators, and each of these with a separator in
  /// the place of its last space.
  let variants: [[UInt8]]
  /// The fold of the text as it was typed, without a space at its end; nil if texts match in this form.
  private var typed: [UInt8]?
  /// Whether a search finds each record whose folded key begins with the text as it was typed by that key: the text is its
  /// own form and has no separator, so that a key's form begins as the key does. A finished word could end elsewhere.
  private(set) var matchesFolds = false
  /// Whether the text is in closed form, which has symbols.
  private(set) var isClosed = false

  /// - Parameters:
  ///   - folded: The fold of the typed text.
  ///   - isClosed: Whether the text matches in closed form.
  package init(_ folded: [UInt8], _ rules: MatchRules, isClosed: Bool = false) {
    guard rules.isPlain else {
      self.init(folded)
      return
    }
    let typed = folded.count { $0 == Fold.separator }
    let separators = min(typed, rules.separators)
    let form = isClosed ? PlainForm.Form.closed : .plain
    let spaced = PlainForm.spaced(folded, form, separators: separators)
    let isFinished = spaced.count > 1 && spaced.last == Fold.space
    let text = isFinished ? spaced.dropLast() : spaced
    // Each of the typed separators may be inside of a value. One at the end is not: there it ends a component.
    let least = text.last == Fold.separator ? separators : 0
    var variants: [[UInt8]] = []
    for number in (least...separators).reversed() {
      for form in PlainForm.hasAmpersand(folded) && !isClosed ? [form, .spelled] : [form] {
        let isText = number == separators && form != .spelled
        var variant = isText ? text : PlainForm.spaced(folded, form, separators: number)
        if variant.last == Fold.space { variant.removeLast() }
        variants.append(variant)
        if number < rules.separators, let other = Self.separated(variant) { variants.append(other) }
      }
    }
    let all = variants
    variants = all.indices.filter { !all[..<$0].contains(all[$0]) }.map { all[$0] }
    self.init(text, isFinished: isFinished, variants)
    self.isClosed = isClosed
    self.typed = folded.last == Fold.space ? folded.dropLast() : folded
    // A space may stand for a separator, but not in a key that has none.
    let first = rules.separators > 0 ? Fold.space : Fold.space + 1
    matchesFolds = !isClosed && !rules.acrossNames && text == folded && text.allSatisfy { $0 >= first && $0 < 0x80 }
  }

  /// Whether a folded key begins with the text as it was typed.
  func isTyped(atStartOf folded: [UInt8]) -> Bool {
    guard let typed, !text.isEmpty else { return true }
    return folded.starts(with: typed) || Self.separated(typed).map { folded.starts(with: $0) } ?? false
  }

  /// Makes the text for an index without entries, which matches folds.
  ///
  /// - Parameter folded: The fold of the typed text.
  package init(_ folded: [UInt8]) {
    let isFinished = folded.count > 1 && folded.last == Fold.space
    let text = isFinished ? folded.dropLast() : folded
    self.init(text, isFinished: isFinished, [text] + (Self.separated(text).map { [$0] } ?? []))
  }

  private init(_ text: [UInt8], isFinished: Bool, _ variants: [[UInt8]]) {
    (self.text, self.isFinished, self.variants) = (text, isFinished, variants)
  }

  /// Returns a text with the separator in the place of its last space; nil if it has no space.
  private static func separated(_ text: [UInt8]) -> [UInt8]? {
    text.lastIndex(of: Fold.space).map { text.replacing($0, with: Fold.separator) }
  }

  /// The text that matches with edits: a longer one without the characters behind the longest text with edits.
  var forEdits: RankedText {
    var (size, characters) = (0, 0)
    while size < text.count, characters < EditAutomaton.longestQuery {
      size += FoldedCharacters.scalar(in: text.span, at: size).size
      characters += 1
    }
    guard size < text.count else { return self }
    while size > 0, text[size - 1] <= Fold.space { size -= 1 }
    let cut = Array(text[..<size])
    return RankedText(cut, isFinished: false, [cut])
  }

  package var isEmpty: Bool { text.isEmpty }

  /// The words, which white space and separators divide.
  var words: [ArraySlice<UInt8>] { Self.words(of: text[...]) }

  /// The least size of one of the words, in bytes, for matching words in any order. Shorter words are in too many keys:
  /// a search for `san ba` would open half of all parts with keys that begin with `san`.
  private static let searchableWord = 4

  /// Whether the words match in any order: there are at least two, and one is long enough.
  var hasSearchableWords: Bool {
    let words = words
    return words.count > 1 && words.contains { $0.count >= Self.searchableWord }
  }

  /// Returns the words of a text, which white space and separators divide.
  package static func words(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    text.split { $0 == Fold.space || $0 == Fold.separator }
  }

  /// Returns the range of the last word at the beginning of a word of a key's last component; nil if no word begins so.
  /// If the text is finished, the word must be whole.
  func lastWord(in component: ArraySlice<UInt8>) -> Range<Int>? {
    guard let last = words.last else { return nil }
    let word = Self.words(of: component).first { isFinished ? $0 == last : $0.starts(with: last) }
    return word.map { $0.startIndex..<$0.startIndex + last.count }
  }

  /// Whether a key equals the text, or has a separator behind it.
  func isWhole(_ key: ArraySlice<UInt8>) -> Bool {
    !isEmpty
      && variants.contains { variant in
        key.starts(with: variant)
          && (key.count == variant.count || key[key.startIndex + variant.count] == Fold.separator)
      }
  }

  /// Whether a text begins with the typed one. If the typed text is finished, its last word must be whole in the other
  /// text.
  func isBeginning(of other: ArraySlice<UInt8>) -> Bool {
    variants.contains { variant in
      guard other.starts(with: variant) else { return false }
      guard isFinished, other.count > variant.count else { return true }
      let next = other[other.startIndex + variant.count]
      return next == Fold.space || next == Fold.separator
    }
  }
}

extension [UInt8] {
  fileprivate func replacing(_ position: Int, with byte: UInt8) -> [UInt8] {
    var copy = self
    copy[position] = byte
    return copy
  }
}
