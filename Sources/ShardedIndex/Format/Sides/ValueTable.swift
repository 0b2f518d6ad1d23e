/// A table of the values of a page's records: of a filter's field, or of cells. Source: docs/format.md section 3.12.
package struct SideTable: Hashable, Sendable {
  /// The kind of the frame with the values of the page's shards; the frames of their parts have the next one.
  private let kind: UInt8
  /// The number among the tables of its kind.
  private let number: Int

  private init(kind: UInt8, number: Int) { (self.kind, self.number) = (kind, number) }

  /// The table of a filter, by its number in the setting `filter`.
  package static func filter(_ number: Int) -> SideTable { SideTable(kind: 1, number: number) }
  /// The table of the cells that records lie in.
  package static let cells = SideTable(kind: 3, number: 0)

  package var ofShards: SideFrameName { SideFrameName(kind: kind, number: number, group: 0) }
  /// The frame with the values of the parts of some shards.
  package func ofParts(group: Int) -> SideFrameName { SideFrameName(kind: kind + 1, number: number, group: group) }

  /// Whether a frame belongs to the table.
  package func has(_ name: SideFrameName) -> Bool {
    name.number == number && (name.kind == kind || name.kind == kind + 1)
  }

  /// The most values that a table has: a page with more has no table.
  package static let valueLimit = 1024
  /// The most bytes of values, likewise.
  package static let byteLimit = 64 << 10
}

/// The values of some containers, which are shards or parts: for each its values, the number of its records with each,
/// and their greatest weight.
package struct ValueLists: Sendable {
  /// Per container where its values end.
  private var ends: [UInt32] = []
  private var numbers: [UInt16] = []
  private var counts: [UInt32] = []
  private var weights: [UInt64] = []

  /// One value of a container.
  package struct Entry: Equatable, Sendable {
    /// The number of the value in the list of the page, or in that of the shard.
    package var number: Int
    /// The number of records that have it.
    package var count: Int
    /// The greatest of their weights.
    package var weight: UInt64

    package init(number: Int, count: Int, weight: UInt64) {
      (self.number, self.count, self.weight) = (number, count, weight)
    }
  }

  /// Reads the values of containers: per container a count, then all gaps, all counts of records, all weights.
  ///
  /// - Parameters:
  ///   - limits: Per container the number of values that there are.
  ///   - isRounded: Whether each weight is a step of a byte instead of a number.
  init(_ reader: inout ByteReader, limits: [Int], isRounded: Bool) throws(FormatError) {
    var total = 0
    for limit in limits {
      let count = try reader.readVarint()
      guard count <= limit else {
        throw .invalid(reason: "has \(count) values, over the limit of \(limit)", offset: reader.offset)
      }
      total += count
      // Each takes three bytes or more.
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
      weights.append(isRounded ? WeightStep.weight(try reader.read(UInt8.self)) : try reader.readWeight())
    }
  }

  /// The number of containers.
  var count: Int { ends.count }
  /// The bytes that they keep in memory.
  var size: Int { 4 * ends.count + 14 * numbers.count }

  private func range(of container: Int) -> Range<Int> {
    (container > 0 ? Int(ends[container - 1]) : 0)..<Int(ends[container])
  }

  /// Returns how many values a container has.
  func valueCount(of container: Int) -> Int { range(of: container).count }

  /// Returns the values of a container, ascending.
  func entries(of container: Int) -> [Entry] {
    range(of: container).map { Entry(number: Int(numbers[$0]), count: Int(counts[$0]), weight: weights[$0]) }
  }

  /// Returns the index among a container's values of a number, and its entry; nil if the container lacks it.
  func find(_ number: Int, in container: Int) -> (index: Int, entry: Entry)? {
    let range = range(of: container)
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if Int(numbers[middle]) < number { low = middle + 1 } else { high = middle }
    }
    guard low < range.upperBound, Int(numbers[low]) == number else { return nil }
    return (low - range.lowerBound, Entry(number: number, count: Int(counts[low]), weight: weights[low]))
  }
}

/// A weight that is rounded up to four steps an octave, in a byte: a part's value has no more. Source: docs/format.md
/// section 3.12.
package enum WeightStep {
  /// Returns the first step that is not below a weight.
  package static func step(_ weight: UInt64) -> UInt8 {
    guard weight > 0 else { return 0 }
    let exponent = 63 - weight.leadingZeroBitCount
    let steps = exponent >= 2 ? weight >> UInt64(exponent - 2) : weight << UInt64(2 - exponent)
    let isExact = exponent < 2 || steps << UInt64(exponent - 2) == weight
    return UInt8(1 + 4 * exponent + Int(steps & 3) + (isExact ? 0 : 1))
  }

  /// Returns the greatest weight of a step.
  package static func weight(_ step: UInt8) -> UInt64 {
    guard step > 0 else { return 0 }
    let (exponent, quarters) = (UInt64(step - 1) >> 2, UInt64(step - 1) & 3 + 4)
    if exponent >= 63 { return WeightRule.limit }
    return exponent >= 2 ? quarters << (exponent - 2) : quarters >> (2 - exponent)
  }

  /// Returns a weight rounded up.
  package static func rounded(_ weight: UInt64) -> UInt64 { self.weight(step(weight)) }
}

/// The values of a page and of its shards. Source: docs/format.md section 3.12.
package final class ValueTable: Sendable {
  private let content: [UInt8]
  /// Where each value stands in the content.
  private let values: [Range<Int>]
  /// The values of each shard, as numbers into those of the page.
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
      let shards = try ValueLists(&reader, limits: Array(repeating: count, count: shardCount), isRounded: false)
      guard reader.remaining == 0 else {
        throw .invalid(reason: "has \(reader.remaining) bytes behind its last weight", offset: reader.offset)
      }
      return (values, shards)
    }
  }

  /// The bytes that it keeps in memory.
  var size: Int { content.count + 16 * values.count + shards.size }
  /// The number of values of the page.
  package var count: Int { values.count }

  /// Returns a value of the page by its number.
  package func value(_ number: Int) -> ArraySlice<UInt8> { content[values[number]] }

  /// Returns the number of a value; nil if the page has none such.
  func number(of value: [UInt8]) -> Int? {
    var (low, high) = (0, values.count)
    while low < high {
      let middle = (low + high) / 2
      if content[values[middle]].lexicographicallyPrecedes(value) { low = middle + 1 } else { high = middle }
    }
    return low < values.count && content[values[low]].elementsEqual(value) ? low : nil
  }

  /// Returns the values of a shard, which is named by its position in the page, ascending.
  package func entries(ofShard index: Int) -> [ValueLists.Entry] { shards.entries(of: index) }
}

/// The values of the parts of some shards of a page. Source: docs/format.md section 3.12.
package final class ValueParts: Sendable {
  /// Per shard the number of its first part, and at the end how many parts there are.
  private let firstParts: [Int]
  /// The values of each part, as indices into those of its shard.
  let parts: ValueLists

  /// - Parameters:
  ///   - content: The content of the frame.
  ///   - table: The table of the page.
  ///   - shards: The positions in the page of the shards that the frame is of.
  package init(_ content: [UInt8], of table: ValueTable, shards: Range<Int>) throws(FormatError) {
    (firstParts, parts) = unsafe try content.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      var reader = unsafe ByteReader(bytes)
      var firstParts = [0]
      var limits: [Int] = []
      for shard in shards {
        let count = try reader.readVarint()
        // Each part has a byte at least.
        guard count > 0, count <= reader.remaining else {
          throw .invalid(reason: "has values of a shard of \(count) parts", offset: reader.offset)
        }
        limits += Array(repeating: table.shards.valueCount(of: shard), count: count)
        firstParts.append(limits.count)
      }
      let parts = try ValueLists(&reader, limits: limits, isRounded: true)
      guard reader.remaining == 0 else {
        throw .invalid(reason: "has \(reader.remaining) bytes behind its last weight", offset: reader.offset)
      }
      return (firstParts, parts)
    }
    for (index, shard) in shards.enumerated() {
      var entries = table.entries(ofShard: shard)
      for entry in entries.indices { entries[entry].weight = WeightStep.rounded(entries[entry].weight) }
      guard sums(ofShard: index, entries.map { $0.number }) == entries else {
        throw .invalid(reason: "has other values for a shard than for its parts", offset: 0)
      }
    }
  }

  /// Returns the values of a shard as its parts have them.
  ///
  /// - Parameter numbers: The numbers of the values in the list of the page.
  private func sums(ofShard index: Int, _ numbers: [Int]) -> [ValueLists.Entry] {
    var sums = numbers.map { ValueLists.Entry(number: $0, count: 0, weight: 0) }
    for entry in range(ofShard: index).flatMap({ parts.entries(of: $0) }) {
      sums[entry.number].count += entry.count
      sums[entry.number].weight = max(sums[entry.number].weight, entry.weight)
    }
    return sums
  }

  /// The bytes that they keep in memory.
  var size: Int { parts.size + 8 * firstParts.count }

  /// Returns the numbers of the parts of a shard, which is named by its position in the group.
  package func range(ofShard index: Int) -> Range<Int> { firstParts[index]..<firstParts[index + 1] }

  /// Returns the values of a part, ascending, as indices into those of its shard.
  package func entries(ofPart part: Int) -> [ValueLists.Entry] { parts.entries(of: part) }
}
