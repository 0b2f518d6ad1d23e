/// The name of a table with values of a page's records: the values of a filter's field, or cells. Source:
/// docs/format.md section 3.12.
package struct SideTable: Hashable, Sendable {
  /// The kind of the frame with the values of the page's shards. The frames of parts have the next kind.
  private let kind: UInt8
  /// The number of the table among the tables of its kind.
  private let number: Int

  private init(kind: UInt8, number: Int) { (self.kind, self.number) = (kind, number) }

  /// The table of a filter, by its number in the setting `filter`.
  package static func filter(_ number: Int) -> SideTable { SideTable(kind: 1, number: number) }
  /// The table of the cells of records.
  package static let cells = SideTable(kind: 3, number: 0)

  package var ofShards: SideFrameName { SideFrameName(kind: kind, number: number, group: 0) }
  /// Returns the frame with the values of the parts of some shards.
  package func ofParts(group: Int) -> SideFrameName { SideFrameName(kind: kind + 1, number: number, group: group) }

  /// Whether a frame belongs to the table.
  package func has(_ name: SideFrameName) -> Bool {
    name.number == number && (name.kind == kind || name.kind == kind + 1)
  }

  /// The most values of a table. A page with more values has no table.
  package static let valueLimit = 1024
  /// The most bytes of a table's values. A page with more bytes has no table.
  package static let byteLimit = 64 << 10
}

/// The values of some containers, which are shards or parts: for each value of a container, the number of its records,
/// and their greatest weight.
package struct ValueLists: Sendable {
  /// The end of each container's values.
  private var ends: [UInt32] = []
  private var numbers: [UInt16] = []
  private var counts: [UInt32] = []
  private var weights: [UInt64] = []

  /// One value of a container.
  package struct ListedValue: Equatable, Sendable {
    /// The number of the value in the page's list, or in the shard's.
    package var number: Int
    /// The number of records with the value.
    package var count: Int
    /// The greatest weight of these records.
    package var weight: UInt64

    package init(number: Int, count: Int, weight: UInt64) {
      (self.number, self.count, self.weight) = (number, count, weight)
    }
  }

  /// Reads the values of containers: a count for each container, then all gaps, all counts of records, all weights.
  ///
  /// - Parameters:
  ///   - limits: For each container, the number of values to choose from.
  ///   - steps: The steps of the weights in one byte each; nil if the weights are numbers.
  init(_ reader: inout ByteReader, limits: [Int], steps: WeightStep?) throws(FormatError) {
    var total = 0
    for limit in limits {
      let count = try reader.readVarint()
      guard count <= limit else {
        throw .invalid(reason: "has \(count) values, over the limit of \(limit)", offset: reader.offset)
      }
      total += count
      // Each value takes at least three bytes.
      guard total <= reader.remaining / 3 else {
        throw .invalid(reason: "has more values than bytes", offset: reader.offset)
      }
      ends.append(UInt32(total))
    }
    numbers.reserveCapacity(total)
    for container in limits.indices {
      var next = 0
      for _ in range(of: container) {
        let number = next + (try reader.readVarint())
        guard number < limits[container] else {
          throw .invalid(reason: "names value \(number) of \(limits[container])", offset: reader.offset)
        }
        numbers.append(UInt16(number))
        next = number + 1
      }
    }
    counts.reserveCapacity(total)
    for _ in 0..<total {
      let count = try reader.readVarint()
      guard count > 0 else { throw .invalid(reason: "has a value of no record", offset: reader.offset) }
      counts.append(UInt32(count))
    }
    weights.reserveCapacity(total)
    for _ in 0..<total {
      if let steps {
        weights.append(steps.weight(try reader.read(UInt8.self)))
      } else {
        weights.append(try reader.readWeight())
      }
    }
  }

  /// The number of containers.
  var count: Int { ends.count }
  /// The memory of the values, in bytes.
  var size: Int { 4 * ends.count + 14 * numbers.count }

  private func range(of container: Int) -> Range<Int> {
    (container > 0 ? Int(ends[container - 1]) : 0)..<Int(ends[container])
  }

  /// Returns the number of values of a container.
  func valueCount(of container: Int) -> Int { range(of: container).count }

  /// Returns the values of a container, ascending.
  func entries(of container: Int) -> [ListedValue] {
    range(of: container).map { ListedValue(number: Int(numbers[$0]), count: Int(counts[$0]), weight: weights[$0]) }
  }

  /// Adds the counts of a container's values to sums by number. A sum that is too large becomes the greatest Int.
  func addCounts(of container: Int, to sums: inout [Int]) {
    for index in range(of: container) {
      let (sum, isOver) = sums[Int(numbers[index])].addingReportingOverflow(Int(counts[index]))
      sums[Int(numbers[index])] = isOver ? .max : sum
    }
  }

  /// Returns the position of a number among a container's values, and its entry; nil if the container lacks it.
  func find(_ number: Int, in container: Int) -> (index: Int, entry: ListedValue)? {
    let range = range(of: container)
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if Int(numbers[middle]) < number { low = middle + 1 } else { high = middle }
    }
    guard low < range.upperBound, Int(numbers[low]) == number else { return nil }
    return (low - range.lowerBound, ListedValue(number: number, count: Int(counts[low]), weight: weights[low]))
  }
}

/// A weight in one byte, rounded up, for the values of parts. Source: docs/format.md section 3.12.
package enum WeightStep: Sendable {
  /// Four steps an octave of the weight of a record.
  case ofRecords
  /// Four steps an octave of the weight of an entry, which is a score.
  case ofEntries

  package init(ofEntries: Bool) { self = ofEntries ? .ofEntries : .ofRecords }

  /// The weights of entries in one step.
  private static let scores: UInt64 = 512

  /// Returns the first step that is not below a weight.
  package func step(_ weight: UInt64) -> UInt8 {
    if case .ofEntries = self { return UInt8(clamping: (weight + Self.scores - 1) / Self.scores) }
    guard weight > 0 else { return 0 }
    let exponent = 63 - weight.leadingZeroBitCount
    let steps = exponent >= 2 ? weight >> UInt64(exponent - 2) : weight << UInt64(2 - exponent)
    let isExact = exponent < 2 || steps << UInt64(exponent - 2) == weight
    return UInt8(1 + 4 * exponent + Int(steps & 3) + (isExact ? 0 : 1))
  }

  /// Returns the greatest weight of a step.
  package func weight(_ step: UInt8) -> UInt64 {
    if case .ofEntries = self { return UInt64(step) * Self.scores }
    guard step > 0 else { return 0 }
    let (exponent, quarters) = (UInt64(step - 1) >> 2, UInt64(step - 1) & 3 + 4)
    if exponent >= 63 { return WeightRule.limit }
    return exponent >= 2 ? quarters << (exponent - 2) : quarters >> (2 - exponent)
  }

  /// Returns a weight rounded up.
  package func rounded(_ weight: UInt64) -> UInt64 { self.weight(step(weight)) }
}

/// The values of a page and of its shards. Source: docs/format.md section 3.12.
package final class ValueTable: Sendable {
  private let content: [UInt8]
  /// The place of each value in the content.
  private let values: [Range<Int>]
  /// The values of each shard, as numbers of the page's values.
  let shards: ValueLists

  /// - Parameters:
  ///   - content: The content of the page's frame.
  ///   - shardCount: The number of the page's shards.
  package init(_ content: [UInt8], shardCount: Int) throws(FormatError) {
    self.content = content
    (values, shards) = unsafe try content.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      var reader = unsafe ByteReader(bytes)
      let count = try reader.readVarint()
      guard count <= SideTable.valueLimit else {
        throw .invalid(reason: "has a table of \(count) values", offset: 0)
      }
      var values: [Range<Int>] = []
      for _ in 0..<count {
        let size = try reader.readVarint()
        let start = try reader.pass(size)
        if let last = values.last, !content[last].lexicographicallyPrecedes(content[start..<start + size]) {
          throw .invalid(reason: "has values that do not ascend", offset: start)
        }
        values.append(start..<start + size)
      }
      let shards = try ValueLists(&reader, limits: Array(repeating: count, count: shardCount), steps: nil)
      guard reader.remaining == 0 else {
        throw .invalid(reason: "has \(reader.remaining) bytes behind its last weight", offset: reader.offset)
      }
      return (values, shards)
    }
  }

  /// The memory of the table, in bytes.
  var size: Int { content.count + 16 * values.count + shards.size }
  /// The number of values of the page.
  package var count: Int { values.count }

  /// Returns a value of the page by its number.
  package func value(_ number: Int) -> ArraySlice<UInt8> { content[values[number]] }

  /// Returns the number of a value; nil if the page does not have the value.
  func number(of value: [UInt8]) -> Int? {
    var (low, high) = (0, values.count)
    while low < high {
      let middle = (low + high) / 2
      if content[values[middle]].lexicographicallyPrecedes(value) { low = middle + 1 } else { high = middle }
    }
    return low < values.count && content[values[low]].elementsEqual(value) ? low : nil
  }

  /// Returns the values of the shard at a position in the page, ascending.
  package func entries(ofShard index: Int) -> [ValueLists.ListedValue] { shards.entries(of: index) }
}

/// The values of the parts of some shards of a page. Source: docs/format.md section 3.12.
package final class ValueParts: Sendable {
  /// The number of each shard's first part, and at the end the number of all parts.
  private let firstParts: [Int]
  /// The values of each part, as positions among its shard's values.
  let parts: ValueLists

  /// - Parameters:
  ///   - content: The content of the frame.
  ///   - table: The table of the page.
  ///   - shards: The positions of the frame's shards in the page.
  package init(
    _ content: [UInt8], of table: ValueTable, shards: Range<Int>, steps: WeightStep
  ) throws(FormatError) {
    (firstParts, parts) = unsafe try content.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      var reader = unsafe ByteReader(bytes)
      var firstParts = [0]
      var limits: [Int] = []
      for shard in shards {
        let count = try reader.readVarint()
        // Each part has at least a byte.
        guard count > 0, count <= reader.remaining - limits.count else {
          throw .invalid(reason: "has values of a shard of \(count) parts", offset: reader.offset)
        }
        limits += Array(repeating: table.shards.valueCount(of: shard), count: count)
        firstParts.append(limits.count)
      }
      let parts = try ValueLists(&reader, limits: limits, steps: steps)
      guard reader.remaining == 0 else {
        throw .invalid(reason: "has \(reader.remaining) bytes behind its last weight", offset: reader.offset)
      }
      return (firstParts, parts)
    }
    for (index, shard) in shards.enumerated() {
      var entries = table.entries(ofShard: shard)
      for entry in entries.indices { entries[entry].weight = steps.rounded(entries[entry].weight) }
      guard sums(ofShard: index, entries.map { $0.number }) == entries else {
        throw .invalid(reason: "has other values for a shard than for its parts", offset: 0)
      }
    }
  }

  /// Returns the values of a shard, summed over its parts.
  ///
  /// - Parameter numbers: The numbers of the values in the list of the page.
  private func sums(ofShard index: Int, _ numbers: [Int]) -> [ValueLists.ListedValue] {
    var sums = numbers.map { ValueLists.ListedValue(number: $0, count: 0, weight: 0) }
    for entry in range(ofShard: index).flatMap({ parts.entries(of: $0) }) {
      // No count of a shard is the greatest Int, so a sum that is too large is refused.
      let (sum, isOver) = sums[entry.number].count.addingReportingOverflow(entry.count)
      sums[entry.number].count = isOver ? .max : sum
      sums[entry.number].weight = max(sums[entry.number].weight, entry.weight)
    }
    return sums
  }

  /// The memory of the values, in bytes.
  var size: Int { parts.size + 8 * firstParts.count }

  /// Returns the numbers of the parts of the shard at a position in the group.
  package func range(ofShard index: Int) -> Range<Int> { firstParts[index]..<firstParts[index + 1] }

  /// Returns the values of a part, ascending, as positions among its shard's values.
  package func entries(ofPart part: Int) -> [ValueLists.ListedValue] { parts.entries(of: part) }
}
