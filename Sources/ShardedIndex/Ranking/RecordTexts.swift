/// One way in which a record matches a text.
struct RecordMatch: Sendable {
  enum Matched: Sendable {
    /// The beginning of the key.
    case key
    /// The beginning of the key's closed form.
    case closedKey
    /// The beginning of a later word: its offset in the key as it is matched.
    case word(Int)
    /// Words of the key, in any order: the range of each in the key as it is matched.
    case words([Range<Int>])
    /// Another name, by its number in ``RecordTexts/names``.
    case name(Int)
  }

  /// The bonus, in octaves of weight.
  var bonus: Int
  var matched: Matched

  /// The greatest bonus of all.
  static let wholeBonus = 8
  static let wholeNameBonus = 4
  static let nameBonus = -2
  static let wordBonus = -3
  static let wordsBonus = -6
}

/// The texts of a record that a typed text is matched with. Source: docs/ranking.md section 3.
struct RecordTexts {
  /// One other name: its plain form, and as the record has it.
  struct Name {
    var plain: [UInt8]
    var spelled: [UInt8]
  }

  /// The key as it is matched: its plain form, or its fold where the index has no entries.
  let key: [UInt8]
  /// The closed form of the key, where it is another text.
  let closed: [UInt8]?
  private(set) var names: [Name] = []

  init(_ folded: [UInt8], _ rules: MatchRules) {
    guard rules.isPlain else {
      (key, closed) = (folded, nil)
      return
    }
    key = PlainForm.plain(folded)
    let closed = PlainForm.closed(folded)
    self.closed = closed == key ? nil : closed
    if rules.hasInitials { add(name: HangulInitials.initials(of: Array(key.prefix { $0 != Fold.separator }))) }
  }

  /// Adds another name, unless it is empty or the record's name. Of two equal ones the first is found.
  private mutating func add(name spelled: some Collection<UInt8>) {
    let spelled = Array(spelled)
    var folded: [UInt8] = []
    unsafe spelled.withUnsafeBufferPointer { unsafe Fold.fold($0, into: &folded) }
    let plain = PlainForm.plain(folded)
    guard !plain.isEmpty, plain != key.prefix(while: { $0 != Fold.separator }) else { return }
    names.append(Name(plain: plain, spelled: spelled))
  }

  /// Adds the names that a field's value has: the elements of an array, or the texts that commas divide.
  mutating func add(namesIn value: [UInt8], _ kind: ValueKind) {
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

  /// The offset of the last separator; nil where the key has one component.
  var lastSeparator: Int? { key.lastIndex(of: Fold.separator) }

  /// Returns the best match by the key's rules; nil if the key does not match.
  func keyMatch(_ text: RankedText, _ rules: MatchRules) -> RecordMatch? {
    if text.isWhole(key[...]) { return RecordMatch(bonus: RecordMatch.wholeBonus, matched: .key) }
    if let closed, text.isWhole(closed[...]) { return RecordMatch(bonus: RecordMatch.wholeBonus, matched: .closedKey) }
    if text.isBeginning(of: key[...]) { return RecordMatch(bonus: 0, matched: .key) }
    if let closed, text.isBeginning(of: closed[...]) { return RecordMatch(bonus: 0, matched: .closedKey) }
    guard let words = rules.words, !text.isEmpty else { return nil }
    let bodyEnd = words == .all ? key.count : lastSeparator ?? key.count
    if let start = laterWord(text, bodyEnd: bodyEnd) {
      return RecordMatch(bonus: RecordMatch.wordBonus, matched: .word(start))
    }
    return wordRanges(text, bodyEnd: bodyEnd).map { RecordMatch(bonus: RecordMatch.wordsBonus, matched: .words($0)) }
  }

  /// Returns the best match; nil if nothing of the record matches.
  func match(_ text: RankedText, _ rules: MatchRules) -> RecordMatch? {
    let ofKey = keyMatch(text, rules)
    guard !names.isEmpty, ofKey.map({ $0.bonus < RecordMatch.wholeNameBonus }) ?? true else { return ofKey }
    let ofName = nameMatch(text)
    guard let ofName, ofKey.map({ $0.bonus < ofName.bonus }) ?? true else { return ofKey }
    return ofName
  }

  /// Returns the best match by other names; nil if none matches.
  private func nameMatch(_ text: RankedText) -> RecordMatch? {
    let ending = lastSeparator.map { key[$0...] } ?? []
    var beginning: RecordMatch?
    for (number, name) in names.enumerated() {
      let whole = name.plain + ending
      if text.variants.contains(where: { $0 == name.plain || $0 == whole }) {
        return RecordMatch(bonus: RecordMatch.wholeNameBonus, matched: .name(number))
      }
      if beginning == nil, text.isBeginning(of: whole[...]) {
        beginning = RecordMatch(bonus: RecordMatch.nameBonus, matched: .name(number))
      }
    }
    return beginning
  }

  /// Returns the offset of the first later word at which the key begins with the text; nil if there is none.
  private func laterWord(_ text: RankedText, bodyEnd: Int) -> Int? {
    for start in 1..<max(1, bodyEnd) where key[start - 1] == Fold.space || key[start - 1] == Fold.separator {
      if text.isBeginning(of: key[start...]) { return start }
    }
    return nil
  }

  /// Returns the range of the key that each word of the text begins, where each begins a word of its own of the body;
  /// the last one may begin a word of the rest. Returns nil where it is not so.
  private func wordRanges(_ text: RankedText, bodyEnd: Int) -> [Range<Int>]? {
    let words = text.words
    guard text.hasSearchableWords else { return nil }
    let body = RankedText.words(of: key[..<bodyEnd])
    if let starts = Self.assigned(words[...], to: body, isLastWhole: text.isFinished) { return starts }
    guard var starts = Self.assigned(words.dropLast(), to: body, isLastWhole: false) else { return nil }
    let last = words[words.count - 1]
    let rest = RankedText.words(of: key[bodyEnd...])
    guard let end = rest.first(where: { text.isFinished ? $0 == last : $0.starts(with: last) }) else { return nil }
    starts.append(end.startIndex..<end.startIndex + last.count)
    return starts
  }

  /// Returns the range that each word begins of a word of its own among those that are free; nil where one has none.
  ///
  /// The longest is assigned first, to the shortest word that fits: a shorter one fits wherever a longer one with the
  /// same beginning does, or nowhere.
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
