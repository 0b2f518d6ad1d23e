/// The match of a record and a text.
package struct RecordMatch: Sendable {
  enum Matched: Sendable {
    /// The beginning of a form of the key.
    case key(PlainForm.Form)
    /// The beginning of a later word, by its offset in a form of the key.
    case word(Int, PlainForm.Form)
    /// Words of the key, in any order: the range of each in its plain form.
    case words([Range<Int>])
    /// Another name, by its number in ``RecordTexts/names``.
    case name(Int)
    /// Words of other fields, and of the key: the range of each of the latter in its plain form.
    case field([Range<Int>])
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
  static let nameBonus = EntryKind.name.bonus
  static let wordBonus = EntryKind.word.bonus
  static let wordsBonus = -6
  /// Returns the bonus of words in any order of which a word of another field has this loss, or the worst of them.
  static func wordsBonus(loss: Int) -> Int { loss > 0 ? wordsBonus - wordBonus - loss : wordsBonus }
  /// What a match with edits gains if the whole text is corrected, or the last corrected word ends.
  static let wholeNearBonus = 4
  static let wordNearBonus = 1
  /// What such a match loses if the first byte of the text is another one.
  static let otherStartBonus = -2
}

/// A form of another name, and the spelling of the name in the record.
struct OtherName {
  var text: [UInt8]
  var form: PlainForm.Form
  var spelled: [UInt8]
  /// The loss of a match by the name, in octaves.
  var loss: Int

  /// What a beginning of a name loses if nothing of the name is typed, in octaves.
  private static let untypedLoss = 8

  /// Returns the bonus of a text that is a name, or begins it. It falls with the share of the name that is not typed, so
  /// that the many names of large places do not stand before the names of others that begin with a few letters.
  ///
  /// - Parameters:
  ///   - size: The size of the name in bytes.
  ///   - loss: The loss of a match by the name, in octaves.
  static func bonus(of text: RankedText, isWhole: Bool, size: Int, loss: Int) -> Int {
    if isWhole { return RecordMatch.wholeNameBonus(isFinished: text.isFinished) - loss }
    return RecordMatch.nameBonus - loss - untypedLoss * max(0, size - text.text.count) / max(1, size)
  }

  /// Returns the size of the name in an entry, which has the last component of the record's key behind it.
  static func size(inEntry key: Span<UInt8>) -> Int {
    for offset in key.indices.reversed() where key[offset] == Fold.separator { return offset }
    return key.count
  }
}

/// The texts of a record to compare with a typed text. Source: docs/ranking.md section 3.
package struct RecordTexts {
  /// The fold of the key.
  let folded: [UInt8]
  /// The plain form of the key, or its fold if the index has no entries.
  let key: [UInt8]
  /// The other forms of the key that differ from it.
  private let otherForms: [(form: PlainForm.Form, text: [UInt8])]
  private(set) var names: [OtherName] = []
  /// The words of other fields in all forms of their texts, each with its loss in octaves.
  private(set) var fieldWords: [(text: ArraySlice<UInt8>, loss: Int)] = []

  package init(_ folded: [UInt8], _ rules: MatchRules) {
    self.folded = folded
    if !rules.isPlain || PlainForm.isPlain(folded, rules.separators) {
      (key, otherForms) = (folded, [])
    } else {
      let forms = PlainForm.forms(folded, separators: rules.separators)
      (key, otherForms) = (forms[0].text, Array(forms.dropFirst()))
    }
    if rules.hasInitials { add(name: HangulInitials.initials(of: Array(key.prefix { $0 != Fold.separator })), loss: 0) }
  }

  /// Adds the texts of a field's value.
  package mutating func add(_ value: [UInt8], _ kind: ValueKind, of field: MatchRules.FieldRule) {
    if field.isOfNames { return add(namesIn: value, kind, loss: field.loss) }
    for text in Self.texts(of: value, kind) {
      FieldTexts.forEachPart(text, isCode: field.isCode) { add(wordsOf: $0, loss: field.loss) }
    }
  }

  private static func texts(of value: [UInt8], _ kind: ValueKind) -> [[UInt8]] {
    var texts: [[UInt8]] = []
    unsafe value.withUnsafeBufferPointer { value in
      unsafe FieldTexts.forEach(value, kind) { texts.append(unsafe Array($0)) }
    }
    return texts
  }

  private mutating func add(wordsOf text: ArraySlice<UInt8>, loss: Int) {
    var folded: [UInt8] = []
    unsafe text.withUnsafeBufferPointer { unsafe Fold.fold($0, into: &folded) }
    for (_, text) in PlainForm.nameForms(folded) {
      for word in RankedText.words(of: text[...]) { fieldWords.append((word, loss)) }
    }
  }

  /// Adds another name, unless it is empty or the record's name. Of two equal names the first matches.
  private mutating func add(name spelled: some Collection<UInt8>, loss: Int) {
    let spelled = Array(spelled)
    var folded: [UInt8] = []
    unsafe spelled.withUnsafeBufferPointer { unsafe Fold.fold($0, into: &folded) }
    for (form, text) in PlainForm.nameForms(folded) {
      guard !text.isEmpty, text != key.prefix(while: { $0 != Fold.separator }) else { continue }
      names.append(OtherName(text: text, form: form, spelled: spelled, loss: loss))
    }
  }

  /// Adds the names in a field's value: the elements of an array, or the texts between signs that divide names.
  private mutating func add(namesIn value: [UInt8], _ kind: ValueKind, loss: Int) {
    guard kind == .literal else {
      for var name in value.split(whereSeparator: FieldTexts.dividesNames) {
        // Lists show the name without the spaces around the sign.
        name = name.drop { $0 == Fold.space }
        while name.last == Fold.space { name.removeLast() }
        add(name: name, loss: loss)
      }
      return
    }
    for name in Self.texts(of: value, kind) { add(name: name, loss: loss) }
  }

  /// The offset of the last separator; nil if the key has one component.
  var lastSeparator: Int? { key.lastIndex(of: Fold.separator) }

  /// Returns the end of the part of the key whose words lead to the record.
  func bodyEnd(_ rules: MatchRules) -> Int { Self.bodyEnd(of: key, rules) }

  private static func bodyEnd(of form: [UInt8], _ rules: MatchRules) -> Int {
    rules.words == .all ? form.count : form.lastIndex(of: Fold.separator) ?? form.count
  }

  /// Calls a function with each form of the key, the plain form first.
  func forEachForm(_ body: ([UInt8], PlainForm.Form) -> Void) {
    body(key, .plain)
    for (form, text) in otherForms { body(text, form) }
  }

  /// Returns the first form of the key that passes a test; nil if none does.
  private func form(where passes: (ArraySlice<UInt8>) -> Bool) -> PlainForm.Form? {
    passes(key[...]) ? .plain : otherForms.first { passes($0.text[...]) }?.form
  }

  /// Returns the starts of the later words of a form, ascending.
  func wordStarts(_ form: [UInt8], _ rules: MatchRules) -> LazyFilterSequence<Range<Int>> {
    (1..<max(1, Self.bodyEnd(of: form, rules))).lazy.filter {
      form[$0 - 1] == Fold.space || form[$0 - 1] == Fold.separator
    }
  }

  /// Returns the best match by the key's rules; nil if the key does not match.
  func keyMatch(_ text: RankedText, _ rules: MatchRules) -> RecordMatch? {
    if let form = form(where: { text.isWhole($0) }) {
      return RecordMatch(bonus: RecordMatch.wholeBonus(isFinished: text.isFinished), matched: .key(form))
    }
    if let form = form(where: { text.isBeginning(of: $0) }) { return RecordMatch(bonus: 0, matched: .key(form)) }
    guard rules.words != nil, !text.isEmpty else { return nil }
    if let (start, form) = laterWord(text, rules) {
      return RecordMatch(bonus: RecordMatch.wordBonus, matched: .word(start, form))
    }
    return wordRanges(text, bodyEnd: bodyEnd(rules)).map {
      RecordMatch(bonus: RecordMatch.wordsBonus, matched: .words($0))
    }
  }

  /// Returns the best match; nil if no text of the record matches.
  package func match(_ text: RankedText, _ rules: MatchRules) -> RecordMatch? {
    if rules.acrossNames { return wordsMatch(text, rules) }
    let ofKey = keyMatch(text, rules)
    guard !names.isEmpty || !fieldWords.isEmpty, ofKey.map({ !RecordMatch.isWhole(bonus: $0.bonus) }) ?? true else {
      return ofKey
    }
    var best = ofKey
    if let ofName = nameMatch(text), best.map({ $0.bonus < ofName.bonus }) ?? true { best = ofName }
    if let ofField = fieldMatch(text, rules), best.map({ $0.bonus < ofField.bonus }) ?? true { best = ofField }
    return best
  }

  /// Returns the match by words of which each begins a word of the body or of another field, or another name; nil if a
  /// word begins none of them.
  ///
  /// Across names at least one word has to begin another name alone; otherwise names do not count, the last word may begin
  /// a word of the last component, and at least one word has to begin one of another field alone.
  private func wordsMatch(_ text: RankedText, _ rules: MatchRules) -> RecordMatch? {
    let (words, bodyEnd) = (text.words, bodyEnd(rules))
    let body = RankedText.words(of: key[..<bodyEnd])
    var ranges: [Range<Int>] = []
    var (bonus, isNeeded) = (RecordMatch.wordsBonus, false)
    for (number, word) in words.enumerated() {
      let isLast = number == words.count - 1
      let isWhole = text.isFinished && isLast
      if let own = body.first(where: { isWhole ? $0 == word : $0.starts(with: word) }) {
        ranges.append(own.startIndex..<own.startIndex + word.count)
        continue
      }
      if isLast, !rules.acrossNames, let end = text.lastWord(in: key[bodyEnd...]) {
        ranges.append(end)
        continue
      }
      let loss = leastLoss { isWhole ? $0 == word : $0.starts(with: word) }
      var best = loss.map { RecordMatch.wordsBonus(loss: $0) }
      for name in names where rules.acrossNames && name.text.starts(with: word) {
        guard !isWhole || name.text.count == word.count || name.text[word.count] == Fold.space else { continue }
        best = max(best ?? .min, RecordMatch.wordsBonus - name.loss)
      }
      guard let best else { return nil }
      bonus = min(bonus, best)
      isNeeded = isNeeded || !rules.acrossNames || loss == nil
    }
    return isNeeded ? RecordMatch(bonus: bonus, matched: rules.acrossNames ? .words(ranges) : .field(ranges)) : nil
  }

  /// Returns the least loss of the words of other fields that pass a test; nil if none does.
  private func leastLoss(where passes: (ArraySlice<UInt8>) -> Bool) -> Int? {
    var least: Int?
    for word in fieldWords where word.loss < least ?? .max && passes(word.text) { least = word.loss }
    return least
  }

  /// Returns the match by a word of another field, or by words in any order of which such words are some; nil if the
  /// record has none.
  private func fieldMatch(_ text: RankedText, _ rules: MatchRules) -> RecordMatch? {
    guard !fieldWords.isEmpty, !text.isEmpty else { return nil }
    if let loss = leastLoss(where: { text.isBeginning(of: $0) }) {
      return RecordMatch(bonus: -loss, matched: .field([]))
    }
    return text.hasSearchableWords ? wordsMatch(text, rules) : nil
  }

  /// Returns the best match by other names; nil if none matches.
  private func nameMatch(_ text: RankedText) -> RecordMatch? {
    let ending = lastSeparator.map { key[$0...] } ?? []
    var best: RecordMatch?
    for (number, name) in names.enumerated() {
      let whole = name.text + ending
      let isWhole = text.variants.contains { $0 == name.text || $0 == whole }
      guard isWhole || text.isBeginning(of: whole[...]) else { continue }
      let bonus = OtherName.bonus(of: text, isWhole: isWhole, size: name.text.count, loss: name.loss)
      if best.map({ $0.bonus < bonus }) ?? true { best = RecordMatch(bonus: bonus, matched: .name(number)) }
    }
    return best
  }

  /// Returns the first later word at which a form of the key begins with the text; nil if there is none.
  private func laterWord(_ text: RankedText, _ rules: MatchRules) -> (start: Int, form: PlainForm.Form)? {
    var found: (start: Int, form: PlainForm.Form)?
    forEachForm { key, form in
      guard found == nil else { return }
      found = wordStarts(key, rules).first { text.isBeginning(of: key[$0...]) }.map { ($0, form) }
    }
    return found
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
