import ShardedIndex

/// An index with sides, from which a build keeps shards.
package protocol SidesSource: Sendable {
  /// The index's identity.
  var identity: ObjectIdentifier { get }
  /// Returns the values of a shard in a table.
  func values(_ table: Int, ofShard number: Int) throws(BuildError) -> ShardSides.SideValues
  /// Returns the sketch of a shard.
  func sketch(ofShard number: Int) throws(BuildError) -> ShardSketch?
  /// Returns the side file of the page of these shards; nil if they were not exactly the shards of one page, in order.
  func page(of shards: [ShardSides]) -> SidePage?
  /// Returns the frames of the side files of the pages that these shards of the index were in.
  func knownFrames(of shards: [ShardSides]) -> KnownFrames
  /// Returns whether the file of a page has the bytes that the manifest says.
  func isSound(_ side: SidePage) -> Bool
}

/// The share of one shard in the side file of its page.
package struct ShardSides: Sendable {
  /// The values of a shard's records in one table.
  package enum SideValues: Equatable, Sendable {
    case values(Generation.ShardValues)
    /// The shard alone has more values than a table holds.
    case tooMany
    /// The records of the shard must be read for the values.
    case unread
  }

  /// The values of each table.
  package var tables: [SideValues]
  /// The sketch; nil if the index has none, or if the sketch must be read.
  package var sketch: ShardSketch?
  /// The index from which the build keeps the shard, and the shard's number there.
  package var kept: (sides: any SidesSource, shard: Int)?

  package init(tables: [SideValues], sketch: ShardSketch? = nil) { (self.tables, self.sketch) = (tables, sketch) }

  init(tables: [SideValues], kept: (sides: any SidesSource, shard: Int)) { (self.tables, self.kept) = (tables, kept) }
}

/// A collector of the values of a shard's records, part by part.
package struct ValueCollector {
  private var numbers: [[UInt8]: Int] = [:]
  private var values: [[UInt8]] = []
  private var byteCount = 0
  /// For each part the number of records with each value, and the greatest weight of these records.
  private var parts: [[Int: (count: Int, weight: UInt64)]] = []
  /// The values of the current record.
  private var ofRecord: [Int] = []
  /// The last added text, and its number.
  private var last: (text: [UInt8], number: Int) = ([], -1)
  /// Whether there are more values than a table holds.
  private(set) var isOver = false
  /// Whether the collector counts records; otherwise a part counts as one.
  private let countsRecords: Bool
  private let steps: WeightStep

  package init(countsRecords: Bool = true, steps: WeightStep) {
    (self.countsRecords, self.steps) = (countsRecords, steps)
  }

  /// Begins the next part.
  package mutating func beginPart() { parts.append([:]) }

  /// Adds a folded value to the current record, which ``endRecord(weight:)`` ends.
  package mutating func add(_ value: [UInt8]) {
    guard !isOver else { return }
    let number = numbers[value] ?? values.count
    if number == values.count {
      byteCount += value.count
      guard number < SideTable.valueLimit, byteCount <= SideTable.byteLimit else {
        isOver = true
        return
      }
      values.append(value)
      numbers[value] = number
    }
    if !ofRecord.contains(number) { ofRecord.append(number) }
  }

  /// Adds the fold of a text.
  mutating func add(text: UnsafeBufferPointer<UInt8>) {
    // Neighbouring records often have the same text.
    if last.number >= 0, unsafe text.elementsEqual(last.text) {
      if !ofRecord.contains(last.number) { ofRecord.append(last.number) }
      return
    }
    var folded: [UInt8] = []
    unsafe Fold.fold(text, into: &folded)
    add(folded)
    if !isOver, let number = numbers[folded] { unsafe last = (Array(text), number) }
  }

  /// Notes that there are more values than a table holds.
  mutating func addTooMany() { isOver = true }

  /// Ends a record of the current part.
  package mutating func endRecord(weight: UInt64) {
    for number in ofRecord {
      let entry = parts[parts.count - 1][number] ?? (0, 0)
      parts[parts.count - 1][number] = (countsRecords ? entry.count + 1 : 1, max(entry.weight, weight))
    }
    ofRecord.removeAll(keepingCapacity: true)
  }

  /// Returns the values of all parts.
  package func finish() -> ShardSides.SideValues {
    if isOver { return .tooMany }
    let order = values.indices.sorted { values[$0].lexicographicallyPrecedes(values[$1]) }
    var ranks = [Int](repeating: 0, count: values.count)
    for (rank, number) in order.enumerated() { ranks[number] = rank }
    var weights = [UInt64](repeating: 0, count: values.count)
    let lists = parts.map { [steps] part in
      part.map { number, entry in
        weights[ranks[number]] = max(weights[ranks[number]], entry.weight)
        return ValueLists.ListedValue(
          number: ranks[number], count: entry.count, weight: steps.rounded(entry.weight))
      }.sorted { $0.number < $1.number }
    }
    return .values(Generation.ShardValues(values: order.map { values[$0] }, weights: weights, parts: lists))
  }
}
