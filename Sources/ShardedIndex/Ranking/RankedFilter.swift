/// The filters of a ranked query, in an index with their tables. Source: docs/ranking.md section 7.
struct RankedFilter: Sendable {
  /// The accepted values of one field. A record needs one of them.
  struct FieldFilter: Sendable {
    let table: SideTable
    /// The number of the field; nil if no record has the field.
    let number: Int?
    let values: AcceptedValues
  }

  /// The accepted numbers of one field. A record needs one of them.
  struct NumberFilter: Sendable {
    let field: NumberField
    var accepted: AcceptedNumbers
  }

  let fields: [FieldFilter]
  let numbers: [NumberFilter]

  /// - Parameter manifest: Of an index with a filter by each of the fields, or with numbers of the field.
  /// - Returns: nil if there are no filters.
  init?(_ filters: [ShardedIndex.Filter], in manifest: ManifestReader) throws(IndexError) {
    guard !filters.isEmpty else { return nil }
    let built = manifest.filterFields
    var values: [(table: Int, values: [[UInt8]])] = []
    var numbers: [NumberFilter] = []
    for filter in filters {
      if let field = NumberField(filter.field, in: manifest), let ranges = try field.ranges(filter.values, in: manifest)
      {
        if let same = numbers.firstIndex(where: { $0.field.number == field.number }) {
          numbers[same].accepted.add(ranges)
        } else {
          numbers.append(NumberFilter(field: field, accepted: AcceptedNumbers(ranges)))
        }
        continue
      }
      guard let table = built.number(of: filter.field) else { continue }
      let folded = filter.values.map { Fold.fold($0) }
      if let same = values.firstIndex(where: { $0.table == table }) {
        values[same].values += folded
      } else {
        values.append((table, folded))
      }
    }
    fields = values.map { table, values in
      FieldFilter(
        table: .filter(table),
        number: unsafe Array(built[table].utf8).withUnsafeBufferPointer {
          unsafe manifest.root.fieldNumber(of: $0)
        },
        values: AcceptedValues(values))
    }
    self.numbers = numbers
  }

  /// Returns the filters with the tables of a page.
  func page(_ number: Int, of reader: ShardReader) throws(IndexError) -> FilteredPage {
    var page = FilteredPage()
    let bounded = try boundedNumbers(in: reader)
    if !bounded.isEmpty {
      page.numbers = (bounded, try reader.manifest.numberPage(number))
      page.hasNumbers = try mayPass(pages: number..<number + 1, of: reader)
    }
    for field in fields {
      guard let values = try reader.table(field.table, ofPage: number) else { continue }
      page.tables.append((field.table, values, field.values.texts.compactMap { values.number(of: $0) }))
    }
    return page
  }

  /// Returns whether the numbers of some pages let a record pass.
  func mayPass(pages: Range<Int>, of reader: ShardReader) throws(IndexError) -> Bool {
    let bounded = try boundedNumbers(in: reader)
    guard !bounded.isEmpty else { return true }
    let head = try reader.manifest.numberHead()
    return bounded.allSatisfy { filter in
      filter.mayPass { head.maximum(ofPages: pages, column: $0) }
    }
  }

  /// Returns the filters by numbers for which some shards have bounds. Entries have none.
  private func boundedNumbers(in reader: ShardReader) throws(IndexError) -> [NumberFilter] {
    var bounded: [NumberFilter] = []
    for filter in numbers where try reader.hasNumbers(2 * filter.field.number + 1) { bounded.append(filter) }
    return bounded
  }

  /// Returns whether each of some records of a part passes.
  ///
  /// - Parameter range: The records, counted within the part.
  func passes(
    _ range: Range<Int>, of reference: PartReference, in reader: ShardReader
  ) throws(IndexError) -> [Bool] {
    var passes = try passes(range, of: reference, in: reader) { $0.number }
    for filter in numbers {
      var found = [Bool](repeating: false, count: range.count)
      try filter.field.forEach(range, of: reference, in: reader) { record, code in
        if filter.accepted.contains(code) { found[record - range.lowerBound] = true }
      }
      for index in passes.indices where !found[index] { passes[index] = false }
    }
    return passes
  }

  /// Returns whether the records of each of some entries of a part can pass. Entries have no numbers.
  func passes(
    entries range: Range<Int>, of reference: PartReference, in entries: EntriesReader
  ) throws(IndexError) -> [Bool] {
    try passes(range, of: reference, in: entries.shards, areEntries: true) { field in
      entries.filterField(field.table.ofShards.number)
    }
  }

  /// - Parameters:
  ///   - areEntries: Whether the records are entries. Their fields list folded values, and a literal that is not a list
  ///     stands for more values than a table holds.
  ///   - number: Returns the number of the field with the values; nil if no record has the field.
  private func passes(
    _ range: Range<Int>, of reference: PartReference, in reader: ShardReader, areEntries: Bool = false,
    number: (FieldFilter) -> Int?
  ) throws(IndexError) -> [Bool] {
    var passes = [Bool](repeating: true, count: range.count)
    for field in fields {
      var found = [Bool](repeating: false, count: range.count)
      if let number = number(field) {
        var matcher = ValueMatcher(field.values, areFolded: areEntries)
        try unsafe PartReader(reader, reference).forEachField(number, in: range) { record, text, kind in
          let isAny = unsafe areEntries && kind == .literal && text.first != UInt8(ascii: "[")
          found[record - range.lowerBound] = unsafe isAny || matcher.meets(text, kind)
        }
      }
      for index in passes.indices where !found[index] { passes[index] = false }
    }
    return passes
  }

  /// Returns whether an added record of the overlay passes.
  func passes(added number: Int, in overlay: Overlay) -> Bool {
    fields.allSatisfy { field in
      guard let wanted = field.number else { return false }
      var matcher = ValueMatcher(field.values)
      var found: Bool?
      overlay.forEachField(of: number) { entry in
        guard found == nil, entry.name == wanted else { return }
        found = unsafe matcher.meets(entry.text, ValueKind(rawValue: entry.kind) ?? .literal)
      }
      return found ?? false
    }
      && numbers.allSatisfy { filter in
        var isFound = false
        filter.field.forEach(added: number, in: overlay) { if filter.accepted.contains($0) { isFound = true } }
        return isFound
      }
  }

  /// Adds the filters to the bytes that tell queries apart.
  func write(to bytes: inout [UInt8]) {
    for field in fields {
      bytes += [0, field.table.ofShards.kind, UInt8(truncatingIfNeeded: field.table.ofShards.number)]
      for value in field.values.texts { bytes += [0] + value }
    }
    for filter in numbers {
      bytes += [0, 0xfc, UInt8(truncatingIfNeeded: filter.field.number)]
      for range in filter.accepted.ranges {
        for end in [range.lowerBound, range.upperBound] {
          for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: end >> UInt64(shift))) }
        }
      }
    }
  }
}

extension RankedFilter.NumberFilter {
  /// Returns whether some records can pass.
  ///
  /// - Parameter greatest: Returns the greatest value of the records in a column of numbers.
  func mayPass(_ greatest: (Int) -> UInt64) -> Bool {
    let column = 2 * field.number
    return accepted.mayContain(NumberCode.negated(greatest(column + 1)), greatest(column))
  }
}

/// The filters of a query with the tables of one page. If the page has no table of a field, that field gives no bound.
struct FilteredPage {
  /// For each table, the numbers of the accepted values on the page.
  fileprivate(set) var tables: [(table: SideTable, values: ValueTable, accepted: [Int])] = []

  /// The accepted numbers, and the numbers of the page; nil without.
  fileprivate(set) var numbers: (filters: [RankedFilter.NumberFilter], page: MaximaPage)?
  /// Whether the page has accepted numbers.
  fileprivate(set) var hasNumbers = true

  /// Whether no record of the page passes.
  var isEmpty: Bool { !hasNumbers || tables.contains { $0.accepted.isEmpty } }

  /// Returns the greatest weight of a record in a shard that passes; nil if no record there passes.
  ///
  /// - Parameters:
  ///   - weight: The greatest weight of all records of the shard.
  ///   - index: The position of the shard in the page.
  func greatest(_ weight: UInt64, ofShard index: Int) -> UInt64? {
    if let numbers {
      for filter in numbers.filters where !filter.mayPass({ numbers.page.maximum(ofShard: index, column: $0) }) {
        return nil
      }
    }
    var bound = weight
    for (_, values, accepted) in tables {
      var greatest: UInt64?
      for number in accepted {
        if let (_, entry) = values.shards.find(number, in: index) { greatest = max(greatest ?? 0, entry.weight) }
      }
      guard let greatest else { return nil }
      bound = min(bound, greatest)
    }
    return bound
  }

  /// Returns the same for each part of a shard.
  ///
  /// - Parameters:
  ///   - weights: The greatest weight of all records of each part.
  ///   - shard: The number of the shard.
  func greatest(
    _ weights: [UInt64], ofPartsOf shard: Int, in reader: ShardReader
  ) throws(IndexError) -> [UInt64?] {
    var bounds: [UInt64?] = weights.map { $0 }
    for filter in numbers?.filters ?? [] {
      let column = 2 * filter.field.number
      let greatest = try reader.numbers(column, ofShard: shard, parts: weights.count)
      let least = try reader.numbers(column + 1, ofShard: shard, parts: weights.count)
      for part in weights.indices where !filter.accepted.mayContain(NumberCode.negated(least[part]), greatest[part]) {
        bounds[part] = nil
      }
    }
    for (table, values, accepted) in tables {
      let (parts, index) = try reader.parts(of: table, values, shard: shard)
      let range = try reader.range(of: parts, ofShard: index, count: weights.count, shard: shard)
      let numbers = accepted.compactMap { values.shards.find($0, in: shard % Manifest.pageCapacity)?.index }
      for part in weights.indices {
        guard let bound = bounds[part] else { continue }
        var greatest: UInt64?
        for number in numbers {
          if let (_, entry) = parts.parts.find(number, in: range.lowerBound + part) {
            greatest = max(greatest ?? 0, entry.weight)
          }
        }
        bounds[part] = greatest.map { min($0, bound) }
      }
    }
    return bounds
  }
}

// MARK: Totals

extension RankedSearch {
  /// Returns the number of all matches, if opening the two ends of a run is enough to know it.
  ///
  /// - Returns: nil for several words or values, for several filters, for a page without a table, for a filter with an
  ///   overlay, for a radius, and in an index of entries.
  func countMatches(of text: [UInt8]) throws(IndexError) -> Int? {
    if let filter, !filter.numbers.isEmpty { return nil }
    let manifest = generation.manifest
    guard manifest.setting("words") == nil, manifest.setting("alias") == nil, nearness?.isLimited != true else {
      return nil
    }
    guard let filter else {
      guard !text.isEmpty else { return generation.recordCount }
      return try text.withFoldedPrefix { (text) throws(IndexError) in
        try generation.answer(to: text, limit: .max).range.count
      }
    }
    guard let field = filter.fields.first, filter.fields.count == 1, field.values.texts.count == 1,
      generation.overlay == nil, runs.count <= 1
    else { return nil }
    guard let run = runs.first else { return 0 }
    guard run.pages.count <= Self.countedPages else { return nil }
    var count = 0
    func add(_ more: Int) throws(IndexError) {
      guard more <= generation.recordCount - count else {
        throw .corrupt(
          path: manifest.path, cause: .invalid(reason: "has filters of more records than it has", offset: 0))
      }
      count += more
    }
    for page in run.pages {
      let first = page * Manifest.pageCapacity
      guard let (_, values, accepted) = try filter.page(page, of: generation.shards).tables.first else { return nil }
      for shard in max(run.shards.lowerBound, first)...min(run.shards.upperBound, first + Manifest.pageCapacity - 1) {
        guard let number = accepted.first, let (index, entry) = values.shards.find(number, in: shard - first) else {
          continue
        }
        if run.covers(shard: shard) {
          try add(entry.count)
        } else {
          try add(try self.count(run, in: shard, field.table, values, index, filter))
        }
      }
    }
    return count
  }

  /// The most pages whose tables a count reads.
  private static var countedPages: Int { 64 }

  /// Returns the number of matches in the shard at the beginning or the end of the run.
  private func count(
    _ run: RankedRun, in shard: Int, _ table: SideTable, _ values: ValueTable, _ number: Int, _ filter: RankedFilter
  ) throws(IndexError) -> Int {
    let reader = generation.shards
    let loaded = try reader.shard(shard)
    let (tables, index) = try reader.parts(of: table, values, shard: shard)
    let first = try reader.range(of: tables, ofShard: index, count: loaded.parts.count, shard: shard).lowerBound
    let parts = run.parts(of: shard, loaded.parts).range
    var count = 0
    for part in parts {
      guard let (_, entry) = tables.parts.find(number, in: first + part) else { continue }
      if !run.isAll, part == parts.lowerBound || part == parts.upperBound {
        let place = try generation.manifest.shardPosition(ofShard: shard)
        let reference = try reader.part(of: place, unpacks: true) { _ in part }
        let records = run.records(in: reference.part.keys, canBeWhole: false).range
        count += try filter.passes(records, of: reference, in: reader).count { $0 }
      } else {
        count += entry.count
      }
    }
    return count
  }
}
