/// The readings of a typed text: the texts and the filters that a ranked search tries if nothing matches the text.
/// Source: docs/tiers.md section 3.
struct Readings: Sendable {
  /// The most readings by names, and by synonyms.
  private static let limit = 8
  /// The most readings by values as they stand.
  private static let valueLimit = 16
  /// The fewest bytes of an unfinished name.
  private static let leastBegun = 2

  /// The fields of filters, with other names of their values.
  private let fields: [(field: String, names: LineTable)]
  private let synonyms: LineTable

  init(in manifest: ManifestReader) {
    fields = manifest.filterFields.map { ($0, LineTable(manifest.root.names(ofValuesOf: $0))) }
    synonyms = LineTable(manifest.setting("synonyms"))
  }

  /// Returns the readings of a text, in their order.
  ///
  /// - Parameter filters: The filters of the query.
  func all(of typed: TypedWords, _ filters: [ShardedIndex.Filter]) -> [OtherText] {
    guard typed.count <= TypedWords.mostWords else { return [] }
    let replaced = replaced(typed).map { Reading(words: $0, filters: filters) }
    var found = byValues(Reading(words: typed, filters: filters)) + replaced
    let end = found.count + Self.limit + Self.valueLimit
    for text in replaced where found.count < end { found += byValues(text).prefix(end - found.count) }
    return found.map { $0.otherText }
  }

  // MARK: Value words

  /// Returns the readings of a text by its value words: first those by names, then those by values as they stand.
  private func byValues(_ whole: Reading) -> [Reading] {
    var found = ReadingList(limit: Self.limit)
    for isBegun in [false, true] where !isBegun || whole.words.end.isEmpty {
      var ends = ReadingList(limit: Self.limit)
      addNames(atEndOf: whole, isBegun: isBegun, to: &ends)
      for end in ends.readings { found.add(end) }
      for end in ends.readings { addValues(before: end, to: &found) }
    }
    for size in (1..<max(1, whole.kept.count)).reversed() {
      addNames(0..<size, of: whole, keeping: size..<whole.kept.upperBound, to: &found)
    }
    found.limit = found.readings.count + Self.valueLimit
    for size in 1...3 { addValues(of: size, atEndOf: whole, to: &found) }
    var ends = ReadingList(limit: Self.valueLimit)
    addValues(of: 1, atEndOf: whole, to: &ends)
    for end in ends.readings { addValues(before: end, to: &found) }
    return found.readings
  }

  /// Adds the readings without the last words, which are a name or a value.
  private func addValues(before end: Reading, to found: inout ReadingList) {
    addNames(atEndOf: end, isBegun: false, to: &found)
    addValues(of: 1, atEndOf: end, to: &found)
  }

  /// Adds the readings without the last words, which are a name, or the beginning of one.
  private func addNames(atEndOf reading: Reading, isBegun: Bool, to found: inout ReadingList) {
    let kept = reading.kept
    for split in kept.dropFirst() {
      addNames(
        split..<kept.upperBound, of: reading, keeping: kept.lowerBound..<split, isBegun: isBegun, to: &found)
    }
  }

  /// Adds the readings in which some words are a name, or the beginning of one.
  private func addNames(
    _ words: Range<Int>, of reading: Reading, keeping kept: Range<Int>, isBegun: Bool = false,
    to found: inout ReadingList
  ) {
    let name = reading.words.plain(words)
    guard !isBegun || name.count >= Self.leastBegun else { return }
    for (field, names) in fields {
      for row in names.rows(name, isBegun: isBegun) { found.add(reading.keeping(kept, field, row)) }
    }
  }

  /// Adds the readings without the last words, which are a value.
  private func addValues(of size: Int, atEndOf reading: Reading, to found: inout ReadingList) {
    let kept = reading.kept
    guard size < kept.count else { return }
    let split = kept.upperBound - size
    let value = reading.words.typed(Array(split..<kept.upperBound))
    for (field, _) in fields { found.add(reading.keeping(kept.lowerBound..<split, field, [value])) }
  }

  // MARK: Synonyms

  /// Returns the text with synonyms in the place of some of its phrases.
  private func replaced(_ typed: TypedWords) -> [TypedWords] {
    var found: [TypedWords] = []
    /// - Parameter behind: The number of words of the text that come behind.
    func replace(_ words: TypedWords, behind: Int, isReplaced: Bool) {
      guard found.count < Self.limit else { return }
      guard behind > 0 else {
        if isReplaced { found.append(words) }
        return
      }
      let first = words.count - behind
      for size in (1...behind).reversed() {
        let phrase = first..<first + size
        let others = synonyms.rows(words.plain(phrase)).compactMap { $0.first }
        for synonym in others + (words.respaced(phrase).map { [$0] } ?? []) where found.count < Self.limit {
          replace(words.replacing(phrase, with: synonym), behind: behind - size, isReplaced: true)
        }
      }
      replace(words, behind: behind - 1, isReplaced: isReplaced)
    }
    replace(typed, behind: typed.count, isReplaced: false)
    return found
  }
}

/// Readings up to a number, each once.
private struct ReadingList {
  private(set) var readings: [Reading] = []
  var limit: Int

  init(limit: Int) { self.limit = limit }

  /// Adds a reading, if there is room for it.
  mutating func add(_ reading: Reading?) {
    guard let reading, readings.count < limit, !readings.contains(where: reading.isSame) else { return }
    readings.append(reading)
  }
}

/// One reading of a typed text.
private struct Reading: Sendable {
  /// The words of the text, with synonyms in the place of some of them.
  let words: TypedWords
  /// The words that are searched.
  private(set) var kept: Range<Int>
  /// The filters of the search.
  private(set) var filters: [ShardedIndex.Filter]
  /// The filters that words stand for.
  private var values: [ShardedIndex.Filter] = []

  init(words: TypedWords, filters: [ShardedIndex.Filter]) {
    (self.words, kept, self.filters) = (words, 0..<words.count, filters)
  }

  /// The text that is searched.
  private var text: String { words.text(Array(kept)) }
  /// The search of the reading.
  var otherText: OtherText {
    OtherText(text: text, filters: filters, interpretation: .init(text: words.typed(Array(kept)), filters: values))
  }

  /// Returns whether another reading makes the same search.
  func isSame(as other: Reading) -> Bool {
    text.utf8.elementsEqual(other.text.utf8) && values.count == other.values.count
      && values.allSatisfy { value in
        other.values.contains { $0.hasField(of: value) && $0.accepts(value.values[0]) }
      }
  }

  /// Returns the reading with fewer words and with a filter; nil if no record can pass all filters.
  ///
  /// - Parameter row: The value, and in the second place, where there is one, another filter.
  func keeping(_ kept: Range<Int>, _ field: String, _ row: [String]) -> Reading? {
    guard let value = row.first else { return nil }
    var reading = self
    reading.kept = kept
    guard reading.add(.init(field, isOneOf: [value])) else { return nil }
    guard row.count > 1 else { return reading }
    guard let condition = ShardedIndex.Filter(row[1]), reading.add(condition) else { return nil }
    return reading
  }

  /// Adds a filter of one value, in the place of filters of the same field.
  ///
  /// - Returns: Whether these accept the value.
  private mutating func add(_ filter: ShardedIndex.Filter) -> Bool {
    let same = filters.filter { $0.hasField(of: filter) }
    guard same.isEmpty || same.contains(where: { $0.accepts(filter.values[0]) }) else { return false }
    filters = filters.filter { !$0.hasField(of: filter) } + [filter]
    values = values.filter { !$0.hasField(of: filter) } + [filter]
    return true
  }
}
