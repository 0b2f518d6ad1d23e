import CLibrary

/// The count of a field's values in runs of records, by the tables of pages, shards and parts. It reads the records of the
/// parts at the ends of the runs. Source: docs/facets.md.
struct FacetTables {
  private let shards: ShardReader
  private let table: SideTable
  /// The positions of the records in the shards.
  private let runs: [Range<Int>]

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
  func count(with counter: ValueCounter) throws(IndexError) -> Bool {
    guard try hasTables() else { return false }
    var sums: [Int] = []
    var last: ValueTable?
    func flush() {
      guard let last else { return }
      for number in 0..<last.count where sums[number] > 0 { counter.add(Array(last.value(number)), sums[number]) }
    }
    for run in runs {
      for number in try manifest.shards(holding: run) {
        let shard = try shard(number, of: run)
        guard let values = try values(of: shard) else { return false }
        if last !== values {
          flush()
          (last, sums) = (values, Array(repeating: 0, count: values.count))
        }
        if shard.isWhole {
          values.shards.addCounts(of: shard.index, to: &sums)
        } else {
          try count(shard, values, &sums, counter)
        }
      }
    }
    flush()
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
  private func values(of shard: RunShard) throws(IndexError) -> ValueTable? {
    try shards.table(table, ofPage: shard.place.number / Manifest.pageCapacity)
  }

  /// Counts the records of the shard at an end of a run.
  private func count(
    _ shard: RunShard, _ values: ValueTable, _ sums: inout [Int], _ counter: ValueCounter
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
  func readTexts(of wanted: [Int], to counter: ValueCounter) throws(IndexError) {
    var wanted = wanted
    var missing: IndexError?
    for run in runs {
      for number in try manifest.shards(holding: run) where !wanted.isEmpty {
        let shard = try shard(number, of: run)
        guard let values = try values(of: shard) else { continue }
        let found = wanted.filter { position(of: counter.values[$0].folded, in: shard, values) != nil }
        guard !found.isEmpty else { continue }
        do throws(IndexError) { try readTexts(of: found, in: shard, values, to: counter, &wanted) } catch {
          // A carrier fetches the bytes of the other values side by side with these.
          guard case .io(_, _, EAGAIN) = error else { throw error }
          missing = error
          wanted = wanted.filter { !found.contains($0) }
        }
      }
    }
    if let missing { throw missing }
  }

  /// Returns the position of a value among the values of a shard; nil if the shard does not have the value.
  private func position(of value: [UInt8], in shard: RunShard, _ values: ValueTable) -> Int? {
    values.number(of: value).flatMap { values.shards.find($0, in: shard.index)?.index }
  }

  /// - Parameter found: The values that the shard has.
  private func readTexts(
    of found: [Int], in shard: RunShard, _ values: ValueTable, to counter: ValueCounter, _ wanted: inout [Int]
  ) throws(IndexError) {
    try forEachPart(of: shard, values) { (part, records, _, parts, number) throws(IndexError) in
      let here = found.filter { value in
        guard wanted.contains(value), let index = position(of: counter.values[value].folded, in: shard, values) else {
          return false
        }
        return parts.parts.find(index, in: number) != nil
      }
      var left = here
      // The first records of a part often have all of its values.
      for start in stride(from: records.lowerBound, to: records.upperBound, by: 32) where !left.isEmpty {
        try reader(of: part, shard).forEachRecord(in: start..<min(start + 32, records.upperBound)) { _, slots, buffer in
          counter.addTexts(slots, of: buffer, to: &left)
        }
      }
      wanted = wanted.filter { !here.contains($0) || left.contains($0) }
    }
  }
}
