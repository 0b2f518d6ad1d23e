import ShardedIndex

/// The encoder of the chain of sides and of side files. Source: docs/format.md section 3.12.
package struct SidesEncoder: Sendable {
  /// The tables, in their order.
  let tables: [SideTable]
  /// The side files of the full pages, as far as they exist.
  private(set) var pages: [SidePage] = []
  /// The shards of the current page, which is not full.
  private var page: [ShardSides] = []
  /// The shards of full pages without a side file.
  private var waiting: [[ShardSides]] = []

  package init(tables: [SideTable]) { self.tables = tables }

  /// Adds the next shard.
  mutating func add(_ sides: ShardSides) { page.append(sides) }

  /// Ends a page. The page must have a shard.
  mutating func finishPage() {
    waiting.append(page)
    page.removeAll(keepingCapacity: true)
  }

  /// Returns the shards of the first full page without a side file; ``add(file:)`` adds that file.
  package mutating func nextPage() -> [ShardSides]? { waiting.isEmpty ? nil : waiting.removeFirst() }

  /// Adds the side file of the next page.
  package mutating func add(file: SidePage) { pages.append(file) }

  /// The size of all side files, in bytes.
  var fileBytes: Int { pages.reduce(0) { $0 + $1.fileSize } }

  /// Whether all full pages have their side files.
  var isSettled: Bool { waiting.isEmpty }

  // MARK: The chain

  /// The contents of the frames of the groups of pages.
  package var groups: [[UInt8]] {
    stride(from: 0, to: pages.count, by: SideHead.groupCapacity).map { first in
      var writer = ByteWriter()
      for page in pages[first..<min(first + SideHead.groupCapacity, pages.count)] {
        writer.write(page.digest)
        writer.writeVarint(page.frames.count)
        for frame in page.frames {
          writer.write(frame.name.kind)
          writer.writeVarint(frame.name.number)
          writer.writeVarint(frame.name.group)
          writer.writeVarint(frame.size)
          writer.writeVarint(frame.contentSize)
          writer.write(frame.checksum)
        }
      }
      return writer.bytes
    }
  }

  /// Returns the content of the first frame.
  ///
  /// - Parameter frames: The frames of the groups.
  package func head(_ frames: [[UInt8]]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(SideHead.magic)
    writer.write(UInt32(pages.count))
    var end = 0
    for frame in frames {
      end += frame.count
      writer.write(UInt32(end))
    }
    for frame in frames { writer.write(ZstdFrame.checksum(ofFrame: frame)) }
    return writer.bytes
  }

  // MARK: Side files

  /// The contents of a page's side file, each with its name.
  package typealias Contents = [(name: SideFrameName, bytes: [UInt8])]

  /// Returns the side file of a page.
  ///
  /// - Parameters:
  ///   - contents: The contents of the file, in any order.
  ///   - compress: Returns the frame of a content.
  package static func file(_ contents: Contents, compress: ([UInt8]) -> [UInt8]) -> (page: SidePage, bytes: [UInt8]) {
    var page = SidePage(digest: Array(repeating: 0, count: 16), frames: [])
    var bytes: [UInt8] = []
    for content in contents.sorted(by: { $0.name.order < $1.name.order }) {
      let frame = compress(content.bytes)
      page.frames.append(
        SideFrame(
          content.name, start: bytes.count, size: frame.count, contentSize: content.bytes.count,
          checksum: ZstdFrame.checksum(ofFrame: frame)))
      bytes += frame
    }
    if !bytes.isEmpty { page.digest = Array(Digest.sha256(bytes).prefix(16)) }
    return (page, bytes)
  }
}

/// The encoder of a page's table: the values of its shards, and the values of their parts.
package enum ValueTableEncoder {
  /// Returns the frames of a table; no frames if the shards together have more values than a table holds.
  ///
  /// - Parameters:
  ///   - shards: The values of the page's shards.
  ///   - steps: The steps of the weights of parts.
  package static func contents(
    _ table: SideTable, _ shards: [Generation.ShardValues], steps: WeightStep
  ) -> SidesEncoder.Contents {
    guard let values = union(shards) else { return [] }
    var numbers: [[UInt8]: Int] = [:]
    for (number, value) in values.enumerated() { numbers[value] = number }
    var writer = ByteWriter()
    writer.writeVarint(values.count)
    for value in values {
      writer.writeVarint(value.count)
      writer.write(value)
    }
    let lists = shards.map { entries(of: $0) { numbers[$0] ?? 0 } }
    write(lists, to: &writer)
    for entry in lists.joined() { writer.write(weight: entry.weight) }
    var contents: SidesEncoder.Contents = [(table.ofShards, writer.bytes)]
    let size = SidePage.groupCapacity
    for first in stride(from: 0, to: shards.count, by: size) {
      var writer = ByteWriter()
      let group = shards[first..<min(first + size, shards.count)]
      for shard in group { writer.writeVarint(shard.parts.count) }
      write(group.flatMap(\.parts), to: &writer)
      for entry in group.lazy.flatMap(\.parts).joined() { writer.write(steps.step(entry.weight)) }
      contents.append((table.ofParts(group: first / size), writer.bytes))
    }
    return contents
  }

  /// Returns all values of some shards, ascending; nil if there are more values than a table holds.
  static func union(_ shards: [Generation.ShardValues]) -> [[UInt8]]? {
    var values: Set<[UInt8]> = []
    for shard in shards {
      values.formUnion(shard.values)
      if values.count > SideTable.valueLimit { return nil }
    }
    guard values.reduce(0, { $0 + $1.count }) <= SideTable.byteLimit else { return nil }
    return values.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Returns the values of a whole shard.
  private static func entries(
    of shard: Generation.ShardValues, number: ([UInt8]) -> Int
  ) -> [ValueLists.ListedValue] {
    var entries = zip(shard.values, shard.weights).map {
      ValueLists.ListedValue(number: number($0), count: 0, weight: $1)
    }
    for entry in shard.parts.joined() { entries[entry.number].count += entry.count }
    return entries
  }

  /// Writes the values of containers without weights: a count for each container, all gaps, all counts of records.
  private static func write(_ containers: [[ValueLists.ListedValue]], to writer: inout ByteWriter) {
    for entries in containers { writer.writeVarint(entries.count) }
    for entries in containers {
      var next = 0
      for entry in entries {
        writer.writeVarint(entry.number - next)
        next = entry.number + 1
      }
    }
    for entry in containers.joined() { writer.writeVarint(entry.count) }
  }
}
