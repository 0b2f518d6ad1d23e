/// The greatest weights of the parts of a page's shards. Source: docs/format.md section 3.11.
package final class RankPage: ChainContent {
  private let content: [UInt8]
  /// Per shard: the greatest weight, the number of parts, and the offset of the weights of its parts.
  private let shards: [(maximum: UInt64, partCount: Int, offset: Int)]

  /// - Parameters:
  ///   - content: The content of the page's frame.
  ///   - shardCount: The number of the page's shards.
  ///   - maximum: The greatest weight of the page in the chain's first frame.
  package init(_ content: [UInt8], shardCount: Int, maximum: UInt64) throws(FormatError) {
    self.content = content
    shards = unsafe try content.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      var reader = unsafe ByteReader(bytes)
      var partCounts: [Int] = []
      for _ in 0..<shardCount {
        let count = try reader.readVarint()
        guard count > 0 else { throw .invalid(reason: "has ranks of a shard without parts", offset: reader.offset) }
        partCounts.append(count)
      }
      var shards: [(maximum: UInt64, partCount: Int, offset: Int)] = []
      for count in partCounts {
        let offset = reader.offset
        var greatest: UInt64 = 0
        for _ in 0..<count { greatest = max(greatest, try reader.readWeight()) }
        shards.append((greatest, count, offset))
      }
      guard reader.remaining == 0 else {
        throw .invalid(reason: "has \(reader.remaining) bytes behind its last weight", offset: reader.offset)
      }
      return shards
    }
    guard shards.reduce(0, { max($0, $1.maximum) }) == maximum else {
      throw .invalid(reason: "has another greatest weight for a page than for its shards", offset: 0)
    }
  }

  /// The memory of the page, in bytes.
  var size: Int { content.count + 24 * shards.count }

  /// Returns the greatest weight of the shard at a position in the page.
  package func maximum(ofShard index: Int) -> UInt64 { shards[index].maximum }

  /// Returns the greatest weight of each part of the shard at a position in the page.
  package func weights(ofShard index: Int) -> [UInt64] {
    let (_, count, offset) = shards[index]
    return unsafe content.withUnsafeBufferPointer { bytes in
      var reader = unsafe ByteReader(bytes.extracting(offset...))
      // These reads cannot fail: `init` has made them.
      return (0..<count).map { _ in (try? reader.readWeight()) ?? 0 }
    }
  }
}

extension ByteReader {
  /// Reads an unsigned LEB128 number of at most 63 bits.
  mutating func readWeight() throws(FormatError) -> UInt64 {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let byte = try read(UInt8.self)
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
      guard shift < 63 else { throw .invalid(reason: "has a weight of over 63 bits", offset: offset) }
    }
  }
}
