import CLibrary

/// The count of a field's values in runs of records, by the tables of pages, shards and parts. It reads the records of the
/// parts at the ends of the runs. Source: docs/facets.md.
struct FacetTables {
  private let shards: ShardReader
  private let table: SideTable
  /// The positions of the records in the shards.
  private let runs: [Range<Int>]
  /// The table of the last page.
  private var page: (number: Int, values: ValueTable)?

  /// The most pages whose tables a count reads.
  private static let pageLimit = 64

  /// - Parameters:
  ///   - field: The number of the field in the setting `filter`.
  ///   - runs: The positions of the records in the shards.
  init(_ shards: ShardReader, field: Int, runs: [Range<Int>]) {
    (self.shards, table) = (shards, .filter(field))
    self.runs = runs.filter { !$0.isEmpty }
  }

  private var manifest: ManifestReader { shards.manifest }

  /// A shard with records of a run.
  private struct RunShard {
    let place: Manifest.ShardPosition
    /// The records of the run, counted within the shard.
    let records: Range<Int>
    var index: Int { place.number % Manifest.pageCapacity }
    var isWhole: Bool { records.count == place.recordCount }
  }

  // MARK: Counts

  /// Counts the records of the runs.
  ///
  /// - Returns: Whether the records were counted; false if a page has no table or the runs have too many pages.
  mutating func count(with counter: inout ValueCounter) throws(IndexError) -> Bool {
    guard try hasTables() else { return false }
    var sums: [Int] = []
    var last: ValueTable?
    func flush(_ counter: inout ValueCounter) {
      guard let last else { return }
      for number in 0..<last.count where sums[number] > 0 { counter.add(Array(last.value(number)), sums[number]) }
    }
    for run in runs {
      for number in try manifest.shards(holding: run) {
        let shard = try shard(number, of: run)
        guard let values = try values(of: shard) else { return false }
        if last !== values {
          flush(&counter)
          (last, sums) = (values, Array(repeating: 0, count: values.count))
        }
        if shard.isWhole {
          values.shards.addCounts(of: shard.index, to: &sums)
        } else {
          try count(shard, values, &sums, &counter)
        }
      }
    }
    flush(&counter)
    // The texts of the last records say nothing about the first ones.
    counter.removeTexts()
    return true
  }

  /// Whether all pages of the runs have a table. From afar, all tables come side by side.
  private func hasTables() throws(IndexError) -> Bool {
    var pages = 0
    var missing: IndexError?
    for run in runs {
      let shards = try manifest.shards(holding: run)
      let range = shards.lowerBound / Manifest.pageCapacity...shards.upperBound / Manifest.pageCapacity
      pages += range.count
      guard pages <= Self.pageLimit else { return false }
      for page in range {
        do throws(IndexError) {
          if try self.shards.table(table, ofPage: page) == nil { return false }
        } catch { missing = error }
      }
    }
    if let missing { throw missing }
    return true
  }

  private func shard(_ number: Int, of run: Range<Int>) throws(IndexError) -> RunShard {
    let place = try manifest.shardPosition(ofShard: number)
    let start = max(0, run.lowerBound - place.firstRecord)
    let end = min(place.recordCount, run.upperBound - place.firstRecord)
    return RunShard(place: place, records: start..<max(start, end))
  }

  /// Returns the table of a shard's page; nil if the page has none.
  private mutating func values(of shard: RunShard) throws(IndexError) -> ValueTable? {
    let number = shard.place.number / Manifest.pageCapacity
    if let page, page.number == number { return page.values }
    guard let values = try shards.table(table, ofPage: number) else { return nil }
    page = (number, values)
    return values
  }

  /// Counts the records of the shard at an end of a run.
  private func count(
    _ shard: RunShard, _ values: ValueTable, _ sums: inout [Int], _ counter: inout ValueCounter
  ) throws(IndexError) {
    let numbers = values.entries(ofShard: shard.index).map { $0.number }
    try forEachPart(of: shard, values) { (part, records, isWhole, parts, number) throws(IndexError) in
      if isWhole {
        for entry in parts.entries(ofPart: number) {
          let (sum, isOver) = sums[numbers[entry.number]].addingReportingOverflow(entry.count)
          sums[numbers[entry.number]] = isOver ? .max : sum
        }
      } else {
        try reader(of: part, shard).forEachRecord(in: records) { _, slots, buffer in counter.add(slots, of: buffer) }
      }
    }
  }

  /// Calls `body` with each part that has records of a run: its number, its records counted within the part, whether
  /// they are all of its records, and the tables of parts with its number in them.
  private func forEachPart(
    of shard: RunShard, _ values: ValueTable,
    _ body: (Int, Range<Int>, _ isWhole: Bool, ValueParts, Int) throws(IndexError) -> Void
  ) throws(IndexError) {
    let table = try shards.shard(shard.place.number).parts
    let (parts, index) = try shards.parts(of: self.table, values, shard: shard.place.number)
    let numbers = try shards.range(of: parts, ofShard: index, count: table.count, shard: shard.place.number)
    for part in 0..<table.count {
      let (first, count) = (table[part].firstRecord, table[part].recordCount)
      let (lower, upper) = (max(0, shard.records.lowerBound - first), min(count, shard.records.upperBound - first))
      guard lower < upper else { continue }
      try body(part, lower..<upper, upper - lower == count, parts, numbers.lowerBound + part)
    }
  }

  private func reader(of part: Int, _ shard: RunShard) throws(IndexError) -> PartReader {
    PartReader(shards, try shards.part(of: shard.place, promotes: false, unpacks: true) { _ in part })
  }

  // MARK: Texts

  /// Reads the texts of some values in the first records that have them.
  ///
  /// - Parameter wanted: The positions of the values in the counter.
  mutating func readTexts(of wanted: [Int], to counter: inout ValueCounter) throws(IndexError) {
    var wanted = wanted
    var missing: IndexError?
    for run in runs {
      for number in try manifest.shards(holding: run) where !wanted.isEmpty {
        let shard = try shard(number, of: run)
        guard let values = try values(of: shard) else { continue }
        var found: [(value: Int, index: Int)] = []
        for value in wanted {
          guard let number = values.number(of: counter.values[value].folded),
            let (index, _) = values.shards.find(number, in: shard.index)
          else { continue }
          found.append((value, index))
        }
        guard !found.isEmpty else { continue }
        do throws(IndexError) { try readTexts(of: found, in: shard, values, to: &counter, &wanted) } catch {
          // A carrier fetches the bytes of the other values side by side with these.
          guard case .io(_, _, EAGAIN) = error else { throw error }
          missing = error
          wanted = wanted.filter { value in !found.contains { $0.value == value } }
        }
      }
    }
    if let missing { throw missing }
  }

  /// - Parameter found: The values that the shard has, with their positions among the shard's values.
  private func readTexts(
    of found: [(value: Int, index: Int)], in shard: RunShard, _ values: ValueTable, to counter: inout ValueCounter,
    _ wanted: inout [Int]
  ) throws(IndexError) {
    try forEachPart(of: shard, values) { (part, records, _, parts, number) throws(IndexError) in
      var here: [Int] = []
      for (value, index) in found where wanted.contains(value) {
        if parts.parts.find(index, in: number) != nil { here.append(value) }
      }
      guard !here.isEmpty else { return }
      let before = here
      let reader = try reader(of: part, shard)
      // The first records of a part often have all of its values.
      for start in stride(from: records.lowerBound, to: records.upperBound, by: 32) where !here.isEmpty {
        try reader.forEachRecord(in: start..<min(start + 32, records.upperBound)) { _, slots, buffer in
          counter.addTexts(slots, of: buffer, to: &here)
        }
      }
      wanted = wanted.filter { !before.contains($0) || here.contains($0) }
    }
  }
}
