/// The readings of a typed text: the texts and the filters that a ranked search tries if nothing matches the text.
/// Source: docs/tiers.md section 3.
struct Readings: Sendable {
  /// The most readings by value words, and by synonyms.
  private static let limit = 8
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
    let end = found.count + Self.limit
    for text in replaced where found.count < end { found += byValues(text).prefix(end - found.count) }
    return found.map { $0.otherText }
  }

  // MARK: Value words

  /// Returns the readings of a text by its value words.
  private func byValues(_ whole: Reading) -> [Reading] {
    var (found, ends, begun): ([Reading], [Reading], [Reading]) = ([], [], [])
    addNames(atEndOf: whole, isBegun: false, to: &ends)
    addValues(of: 1, atEndOf: whole, to: &ends)
    if whole.words.end.isEmpty { addNames(atEndOf: whole, isBegun: true, to: &begun) }
    for ends in [ends, begun] {
      for end in ends { add(end, to: &found) }
      for end in ends {
        addNames(atEndOf: end, isBegun: false, to: &found)
        addValues(of: 1, atEndOf: end, to: &found)
      }
    }
    for size in (1..<max(1, whole.kept.count)).reversed() {
      addNames(whole.kept.lowerBound..<size, of: whole, keeping: size..<whole.kept.upperBound, to: &found)
    }
    for size in 2...3 { addValues(of: size, atEndOf: whole, to: &found) }
    return found
  }

  /// Adds the readings without the last words, which are a name, or the beginning of one.
  private func addNames(atEndOf reading: Reading, isBegun: Bool, to found: inout [Reading]) {
    let kept = reading.kept
    for split in kept.dropFirst() {
      addNames(
        split..<kept.upperBound, of: reading, keeping: kept.lowerBound..<split, isBegun: isBegun, to: &found)
    }
  }

  /// Adds the readings in which some words are a name, or the beginning of one.
  private func addNames(
    _ words: Range<Int>, of reading: Reading, keeping kept: Range<Int>, isBegun: Bool = false,
    to found: inout [Reading]
  ) {
    let name = reading.words.plain(words)
    guard !isBegun || name.count >= Self.leastBegun else { return }
    for (field, names) in fields {
      for row in names.rows(name, isBegun: isBegun) { add(reading.keeping(kept, field, row), to: &found) }
    }
  }

  /// Adds the readings without the last words, which are a value.
  private func addValues(of size: Int, atEndOf reading: Reading, to found: inout [Reading]) {
    let kept = reading.kept
    guard size < kept.count else { return }
    let split = kept.upperBound - size
    let value = reading.words.typed(Array(split..<kept.upperBound))
    for (field, _) in fields { add(reading.keeping(kept.lowerBound..<split, field, [value]), to: &found) }
  }

  /// Adds a reading that is not there yet, if there is room.
  private func add(_ reading: Reading?, to found: inout [Reading]) {
    guard let reading, found.count < Self.limit, !found.contains(where: reading.isSame) else { return }
    found.append(reading)
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
        for row in synonyms.rows(words.plain(first..<first + size)) where found.count < Self.limit {
          guard let synonym = row.first else { continue }
          replace(words.replacing(first..<first + size, with: synonym), behind: behind - size, isReplaced: true)
        }
      }
      replace(words, behind: behind - 1, isReplaced: isReplaced)
    }
    replace(typed, behind: typed.count, isReplaced: false)
    return found
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

extension ShardedIndex.Filter {
  fileprivate func hasField(of other: Self) -> Bool { field.utf8.elementsEqual(other.field.utf8) }

  fileprivate func accepts(_ value: String) -> Bool {
    let folded = Fold.fold(value)
    return values.contains { Fold.fold($0) == folded }
  }
}
