import ShardedIndex

/// Reads the contents of the frames of sides and of side files by themselves.
///
/// Input: a byte, the number of shards or pages, a u16 and as many bytes of a page's table, and the rest: the values of
/// parts, and the chain's frames.
final class SidesTarget: FuzzTarget {
  func run(_ input: UnsafeBufferPointer<UInt8>) {
    var reader = InputReader(input)
    let count = Int(reader.byte())
    let values = reader.bytes(reader.word())
    let content = Array(reader.rest)
    for end in [0, 40] {
      let head = try? SideHead(content, frameSize: 10, chainSize: 10 + end, pageCount: count)
      for group in 0..<(head == nil ? 0 : SideHead.groupCount(pages: count)) {
        require(head!.range(ofGroup: group).upperBound <= end, "a group behind the sides")
      }
    }
    if let group = try? SideGroup(content, pageCount: min(count, SideHead.groupCapacity)) {
      for page in group.pages { require(page.fileSize <= SidePage.sizeLimit, "a side file that is too large") }
    }
    let shardCount = min(count, Manifest.pageCapacity)
    guard let table = try? ValueTable(values, shardCount: shardCount) else { return }
    require(table.count <= SideTable.valueLimit, "a table of too many values")
    for shard in 0..<shardCount {
      for entry in table.entries(ofShard: shard) {
        require(entry.number < table.count && entry.weight <= WeightRule.limit, "an entry of no value")
      }
    }
    let group = 0..<min(SidePage.groupCapacity, shardCount)
    for steps in [WeightStep.ofRecords, .ofEntries] {
      guard let parts = try? ValueParts(content, of: table, shards: group, steps: steps) else { continue }
      for shard in group {
        let own = table.entries(ofShard: shard)
        for entry in parts.range(ofShard: shard).flatMap({ parts.entries(ofPart: $0) }) {
          require(entry.number < own.count && entry.count <= own[entry.number].count, "a part that is not of its shard")
        }
      }
    }
  }

  static var seeds: [(name: String, bytes: [UInt8])] {
    // Two values, and a shard with both: one part has both values, another part only the second.
    let table: [UInt8] = [2, 1, 0x61, 1, 0x62, 2, 0, 0, 2, 3, 7, 9]
    let step = WeightStep.ofRecords.step
    let parts: [UInt8] = [2, 2, 1, 0, 0, 1, 2, 1, 2, step(7), step(9), step(1)]
    var head = ByteWriter()
    head.write(SideHead.magic)
    for word in [2, 40, 1] as [UInt32] { head.write(word) }
    let page = [UInt8](repeating: 7, count: 16) + [2, 1, 0, 0, 30, 12, 1, 2, 3, 4, 2, 0, 0, 25, 12, 5, 6, 7, 8]
    return [
      ("tables", [1, UInt8(table.count), 0] + table + parts), ("head", [2, 0, 0] + head.bytes),
      ("group", [1, 0, 0] + page),
    ]
  }
}
