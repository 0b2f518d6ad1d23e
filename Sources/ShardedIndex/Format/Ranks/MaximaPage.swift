/// The greatest values of the parts of a page's shards. Source: docs/format.md sections 3.11 and 3.15.
package final class MaximaPage: ChainContent {
  private let content: [UInt8]
  private let form: MaximaForm
  /// Per shard its number of parts.
  private let partCounts: [Int]
  /// Per shard and column: the greatest value, and the offset of the values of the parts.
  private let columns: [(maximum: UInt64, offset: Int)]

  /// - Parameters:
  ///   - content: The content of the page's frame.
  ///   - shardCount: The number of the page's shards.
  ///   - maxima: For each column, the greatest value of the page in the chain's first frame.
  package init(
    _ content: [UInt8], shardCount: Int, maxima: [UInt64], form: MaximaForm = .ranks
  ) throws(FormatError) {
    (self.content, self.form) = (content, form)
    (partCounts, columns) = unsafe try content.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      var reader = unsafe ByteReader(bytes)
      var partCounts: [Int] = []
      for _ in 0..<shardCount {
        let count = try reader.readVarint()
        guard count > 0 else { throw .invalid(reason: "has maxima of a shard without parts", offset: reader.offset) }
        partCounts.append(count)
      }
      var columns: [(maximum: UInt64, offset: Int)] = []
      for count in partCounts {
        for column in 0..<form.columns {
          let offset = reader.offset
          var greatest: UInt64 = 0
          for _ in 0..<count { greatest = max(greatest, try form.read(&reader, column: column)) }
          columns.append((greatest, offset))
        }
      }
      guard reader.remaining == 0 else {
        throw .invalid(reason: "has \(reader.remaining) bytes behind its last value", offset: reader.offset)
      }
      return (partCounts, columns)
    }
    for column in 0..<form.columns {
      let greatest = (0..<shardCount).reduce(0) { max($0, maximum(ofShard: $1, column: column)) }
      guard greatest == maxima[column] else {
        throw .invalid(reason: "has another greatest value for a page than for its shards", offset: 0)
      }
    }
  }

  /// The memory of the page, in bytes.
  var size: Int { content.count + 8 * partCounts.count + 16 * columns.count }

  /// Returns the greatest value of the shard at a position in the page.
  package func maximum(ofShard index: Int, column: Int = 0) -> UInt64 {
    columns[index * form.columns + column].maximum
  }

  /// Returns the greatest value of each part of the shard at a position in the page.
  package func values(ofShard index: Int, column: Int = 0) -> [UInt64] {
    let offset = columns[index * form.columns + column].offset
    return unsafe content.withUnsafeBufferPointer { bytes in
      var reader = unsafe ByteReader(bytes.extracting(offset...))
      // These reads cannot fail: `init` has made them.
      return (0..<partCounts[index]).map { _ in (try? form.read(&reader, column: column)) ?? 0 }
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
