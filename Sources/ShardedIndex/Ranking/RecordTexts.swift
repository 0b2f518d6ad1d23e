/// The match of a record and a text.
package struct RecordMatch: Sendable {
  enum Matched: Sendable {
    /// The beginning of the key.
    case key
    /// The beginning of the key's closed form.
    case closedKey
    /// The beginning of a later word, by its offset in the matching form of the key.
    case word(Int)
    /// Words of the key, in any order: the range of each in the matching form of the key.
    case words([Range<Int>])
    /// Another name, by its number in ``RecordTexts/names``.
    case name(Int)
  }

  /// The bonus, in octaves of weight.
  var bonus: Int
  var matched: Matched

  /// Returns the bonus of a text that is the whole of a key, which is the greatest one. A text whose last word is not
  /// finished may be the beginning of a longer one.
  static func wholeBonus(isFinished: Bool) -> Int { isFinished ? 8 : 6 }
  /// Returns the bonus of a text that is the whole of another name.
  static func wholeNameBonus(isFinished: Bool) -> Int { isFinished ? 4 : 2 }
  /// Whether a match without edits is by a whole text.
  static func isWhole(bonus: Int) -> Bool { bonus > 0 }
  /// The greatest bonus of a text that begins another name.
  static let nameBonus = -1
  static let wordBonus = -3
  static let wordsBonus = -6
  /// What a match with edits gains if the whole text is corrected, or the last corrected word ends.
  static let wholeNearBonus = 2
  static let wordNearBonus = 1
  /// What such a match loses if the first byte of the text is another one.
  static let otherStartBonus = -2
}

/// One other name: its plain form, and its spelling in the record.
struct OtherName {
  var plain: [UInt8]
  var spelled: [UInt8]

  /// What a beginning of a name loses if nothing of the name is typed, in octaves.
  private static let untypedLoss = 8

  /// Returns the bonus of a text that is a name, or begins it. It falls with the share of the name that is not typed, so
  /// that the many names of large places do not stand before the names of others that begin with a few letters.
  ///
  /// - Parameter size: The size of the name in bytes.
  static func bonus(of text: RankedText, isWhole: Bool, size: Int) -> Int {
    if isWhole { return RecordMatch.wholeNameBonus(isFinished: text.isFinished) }
    return RecordMatch.nameBonus - untypedLoss * max(0, size - text.text.count) / max(1, size)
  }

  /// Returns the size of the name in an entry, which has the last component of the record's key behind it.
  static func size(inEntry key: Span<UInt8>) -> Int {
    for offset in key.indices.reversed() where key[offset] == Fold.separator { return offset }
    return key.count
  }
}

/// The texts of a record to compare with a typed text. Source: docs/ranking.md section 3.
package struct RecordTexts {
  /// The matching form of the key: its plain form, or its fold if the index has no entries.
  let key: [UInt8]
  /// The closed form of the key; nil if it equals the plain form.
  let closed: [UInt8]?
  private(set) var names: [OtherName] = []

  package init(_ folded: [UInt8], _ rules: MatchRules) {
    guard rules.isPlain else {
      (key, closed) = (folded, nil)
      return
    }
    key = PlainForm.plain(folded, separators: rules.separators)
    let closed = PlainForm.closed(folded, separators: rules.separators)
    self.closed = closed == key ? nil : closed
    if rules.hasInitials { add(name: HangulInitials.initials(of: Array(key.prefix { $0 != Fold.separator }))) }
  }

  /// Adds another name, unless it is empty or the record's name. Of two equal names the first matches.
  private mutating func add(name spelled: some Collection<UInt8>) {
    let spelled = Array(spelled)
    var folded: [UInt8] = []
    unsafe spelled.withUnsafeBufferPointer { unsafe Fold.fold($0, into: &folded) }
    let plain = PlainForm.plain(folded, separators: 0)
    guard !plain.isEmpty, plain != key.prefix(while: { $0 != Fold.separator }) else { return }
    names.append(OtherName(plain: plain, spelled: spelled))
  }

  /// Adds the names in a field's value: the elements of an array, or the texts between commas.
  package mutating func add(namesIn value: [UInt8], _ kind: ValueKind) {
    guard kind == .literal else {
      for var name in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: true) {
        // Lists show the name without the spaces around the comma.
        name = name.drop { $0 == Fold.space }
        while name.last == Fold.space { name.removeLast() }
        add(name: name)
      }
      return
    }
    var names: [[UInt8]] = []
    unsafe value.withUnsafeBufferPointer { value in
      unsafe FieldTexts.forEach(value, kind) { names.append(unsafe Array($0)) }
    }
    for name in names { add(name: name) }
  }

  /// The offset of the last separator; nil if the key has one component.
  var lastSeparator: Int? { key.lastIndex(of: Fold.separator) }

  /// Returns the end of the part of the key whose words lead to the record.
  func bodyEnd(_ rules: MatchRules) -> Int { rules.words == .all ? key.count : lastSeparator ?? key.count }

  /// Returns the best match by the key's rules; nil if the key does not match.
  func keyMatch(_ text: RankedText, _ rules: MatchRules) -> RecordMatch? {
    let whole = RecordMatch.wholeBonus(isFinished: text.isFinished)
    if text.isWhole(key[...]) { return RecordMatch(bonus: whole, matched: .key) }
    if let closed, text.isWhole(closed[...]) { return RecordMatch(bonus: whole, matched: .closedKey) }
    if text.isBeginning(of: key[...]) { return RecordMatch(bonus: 0, matched: .key) }
    if let closed, text.isBeginning(of: closed[...]) { return RecordMatch(bonus: 0, matched: .closedKey) }
    guard rules.words != nil, !text.isEmpty else { return nil }
    let bodyEnd = bodyEnd(rules)
    if let start = laterWord(text, bodyEnd: bodyEnd) {
      return RecordMatch(bonus: RecordMatch.wordBonus, matched: .word(start))
    }
    return wordRanges(text, bodyEnd: bodyEnd).map { RecordMatch(bonus: RecordMatch.wordsBonus, matched: .words($0)) }
  }

  /// Returns the best match; nil if no text of the record matches.
  package func match(_ text: RankedText, _ rules: MatchRules) -> RecordMatch? {
    if rules.acrossNames { return acrossMatch(text, rules) }
    let ofKey = keyMatch(text, rules)
    guard !names.isEmpty, ofKey.map({ !RecordMatch.isWhole(bonus: $0.bonus) }) ?? true else { return ofKey }
    let ofName = nameMatch(text)
    guard let ofName, ofKey.map({ $0.bonus < ofName.bonus }) ?? true else { return ofKey }
    return ofName
  }

  /// Returns the match by words that begin words of the body or other names, at least one of them a name; nil if a word
  /// begins neither.
  private func acrossMatch(_ text: RankedText, _ rules: MatchRules) -> RecordMatch? {
    let (words, body) = (text.words, RankedText.words(of: key[..<bodyEnd(rules)]))
    var ranges: [Range<Int>] = []
    var isByName = false
    for (number, word) in words.enumerated() {
      let isWhole = text.isFinished && number == words.count - 1
      if let own = body.first(where: { isWhole ? $0 == word : $0.starts(with: word) }) {
        ranges.append(own.startIndex..<own.startIndex + word.count)
        continue
      }
      let beginsName = names.contains { name in
        name.plain.starts(with: word)
          && (!isWhole || name.plain.count == word.count || name.plain[word.count] == Fold.space)
      }
      guard beginsName else { return nil }
      isByName = true
    }
    return isByName ? RecordMatch(bonus: RecordMatch.wordsBonus, matched: .words(ranges)) : nil
  }

  /// Returns the best match by other names; nil if none matches.
  private func nameMatch(_ text: RankedText) -> RecordMatch? {
    let ending = lastSeparator.map { key[$0...] } ?? []
    var best: RecordMatch?
    for (number, name) in names.enumerated() {
      let whole = name.plain + ending
      let isWhole = text.variants.contains { $0 == name.plain || $0 == whole }
      guard isWhole || text.isBeginning(of: whole[...]) else { continue }
      let bonus = OtherName.bonus(of: text, isWhole: isWhole, size: name.plain.count)
      if best.map({ $0.bonus < bonus }) ?? true { best = RecordMatch(bonus: bonus, matched: .name(number)) }
      if isWhole { break }
    }
    return best
  }

  /// Returns the offset of the first later word at which the key begins with the text; nil if there is none.
  private func laterWord(_ text: RankedText, bodyEnd: Int) -> Int? {
    for start in 1..<max(1, bodyEnd) where key[start - 1] == Fold.space || key[start - 1] == Fold.separator {
      if text.isBeginning(of: key[start...]) { return start }
    }
    return nil
  }

  /// Returns, for each word of the text, the range at the beginning of a word of the key. The words must differ and be
  /// in the body; the last one may be in the rest. Returns nil if a word has no range.
  private func wordRanges(_ text: RankedText, bodyEnd: Int) -> [Range<Int>]? {
    let words = text.words
    guard text.hasSearchableWords else { return nil }
    let body = RankedText.words(of: key[..<bodyEnd])
    if let starts = Self.assigned(words[...], to: body, isLastWhole: text.isFinished) { return starts }
    guard var starts = Self.assigned(words.dropLast(), to: body, isLastWhole: false) else { return nil }
    guard let end = text.lastWord(in: key[bodyEnd...]) else { return nil }
    starts.append(end)
    return starts
  }

  /// Returns, for each word, the range at the beginning of a free word of its own; nil if a word has none.
  ///
  /// The longest word is assigned first, to the shortest free word that fits, since a shorter word with the same
  /// beginning fits wherever a longer one does.
  private static func assigned(
    _ words: ArraySlice<ArraySlice<UInt8>>, to free: [ArraySlice<UInt8>], isLastWhole: Bool
  ) -> [Range<Int>]? {
    guard words.count <= free.count else { return nil }
    var free = free
    var starts: [Range<Int>] = []
    let last = isLastWhole ? words.indices.last : nil
    let order = words.indices.sorted { a, b in
      if words[a].count != words[b].count { return words[a].count > words[b].count }
      return (a == last ? 0 : 1, a) < (b == last ? 0 : 1, b)
    }
    for index in order {
      let word = words[index]
      var best: Int?
      for (number, other) in free.enumerated() where index == last ? other == word : other.starts(with: word) {
        if best.map({ other.count < free[$0].count }) ?? true { best = number }
      }
      guard let best else { return nil }
      let start = free.remove(at: best).startIndex
      starts.append(start..<start + word.count)
    }
    return starts
  }
}
