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
  func all(of typed: TypedWords, _ filters: [ShardedIndex.Filter]) -> [Reading] {
    guard typed.count <= TypedWords.mostWords else { return [] }
    let replaced = replaced(typed).map { Reading(words: $0, filters: filters) }
    let values = replaced.lazy.flatMap { byValues($0) }.prefix(Self.limit)
    return byValues(Reading(words: typed, filters: filters)) + replaced + values
  }

  // MARK: Value words

  private func byValues(_ whole: Reading) -> [Reading] {
    let ends = values(atEndOf: whole, named: true, sizes: 1...1)
    let begun = values(begunAtEndOf: whole)
    var found: [Reading] = []
    Self.add(ends, to: &found)
    for end in ends { Self.add(values(atEndOf: end, named: true, sizes: 1...1), to: &found) }
    Self.add(begun, to: &found)
    for end in begun { Self.add(values(atEndOf: end, named: true, sizes: 1...1), to: &found) }
    Self.add(values(atStartOf: whole), to: &found)
    Self.add(values(atEndOf: whole, named: false, sizes: 2...3), to: &found)
    return found
  }

  /// Adds readings that are not there yet, as far as there is room.
  private static func add(_ readings: some Sequence<Reading>, to found: inout [Reading]) {
    for reading in readings where found.count < limit && !found.contains(where: reading.isSame) {
      found.append(reading)
    }
  }

  /// Returns the readings without the last words, which are a whole name, or a value.
  ///
  /// - Parameters:
  ///   - named: Whether names count.
  ///   - sizes: The numbers of words of a value.
  private func values(atEndOf reading: Reading, named: Bool, sizes: ClosedRange<Int>) -> [Reading] {
    var found: [Reading] = []
    let kept = reading.kept
    for size in (1..<kept.count).reversed() where named {
      let split = kept.upperBound - size
      let name = reading.words.plain(split..<kept.upperBound)
      for (field, names) in fields {
        Self.add(names.rows(name).lazy.compactMap { reading.keeping(kept.lowerBound..<split, field, $0) }, to: &found)
      }
    }
    for size in sizes where size < kept.count {
      let split = kept.upperBound - size
      let value = reading.words.typed(split..<kept.upperBound)
      Self.add(fields.compactMap { reading.keeping(kept.lowerBound..<split, $0.field, [value]) }, to: &found)
    }
    return found
  }

  /// Returns the readings without the last words, which are the beginning of a name.
  private func values(begunAtEndOf reading: Reading) -> [Reading] {
    var found: [Reading] = []
    let kept = reading.kept
    guard reading.words.end.isEmpty else { return found }
    for size in (1..<kept.count).reversed() {
      let split = kept.upperBound - size
      let name = reading.words.plain(split..<kept.upperBound)
      for (field, names) in fields where name.count >= Self.leastBegun {
        Self.add(
          names.rows(name, isBegun: true).lazy.compactMap { reading.keeping(kept.lowerBound..<split, field, $0) },
          to: &found)
      }
    }
    return found
  }

  /// Returns the readings without the first words, which are a whole name.
  private func values(atStartOf reading: Reading) -> [Reading] {
    var found: [Reading] = []
    for size in (1..<reading.kept.count).reversed() {
      let name = reading.words.plain(0..<size)
      for (field, names) in fields {
        Self.add(
          names.rows(name).lazy.compactMap { reading.keeping(size..<reading.kept.upperBound, field, $0) }, to: &found)
      }
    }
    return found
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
struct Reading: Sendable {
  /// The words of the text, with synonyms in the place of some of them.
  let words: TypedWords
  /// The words that are searched.
  private(set) var kept: Range<Int>
  /// The filters of the search.
  private(set) var filters: [ShardedIndex.Filter]
  /// The filters that words stand for.
  private var values: [ShardedIndex.Filter] = []

  fileprivate init(words: TypedWords, filters: [ShardedIndex.Filter]) {
    (self.words, kept, self.filters) = (words, 0..<words.count, filters)
  }

  /// The text that is searched.
  var text: String { words.text(kept) }
  /// What the answer says of the reading.
  var interpretation: ShardedIndex.Interpretation {
    ShardedIndex.Interpretation(text: words.typed(kept), filters: values)
  }

  /// Returns whether another reading makes the same search.
  fileprivate func isSame(as other: Reading) -> Bool {
    text.utf8.elementsEqual(other.text.utf8) && values.count == other.values.count
      && values.allSatisfy { value in
        other.values.contains { $0.hasField(of: value) && $0.accepts(value.values[0]) }
      }
  }

  /// Returns the reading with fewer words and with a filter; nil if no record can pass all filters.
  ///
  /// - Parameter row: The value, and in the second place, where there is one, another filter.
  fileprivate func keeping(_ kept: Range<Int>, _ field: String, _ row: [String]) -> Reading? {
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
