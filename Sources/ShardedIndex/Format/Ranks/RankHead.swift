/// The first frame of the chain of ranks: the end of each page's frame, and the greatest weight of each page. Source:
/// docs/format.md section 3.11.
package final class RankHead: ChainContent {
  package static let magic: UInt32 = 0x3152_5153  // "SQR1"

  /// The size of the frame, in bytes.
  package let frameSize: Int
  private let ends: [UInt32]
  private let checksums: [UInt32]
  private let maxima: [UInt64]

  /// - Parameters:
  ///   - content: The content of the frame.
  ///   - frameSize: The size of the frame, in bytes.
  ///   - chainSize: The size of all frames of the chain, in bytes.
  ///   - pageCount: The number of the index's pages.
  package init(_ content: [UInt8], frameSize: Int, chainSize: Int, pageCount: Int) throws(FormatError) {
    self.frameSize = frameSize
    (ends, checksums, maxima) = unsafe try content.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      var reader = unsafe ByteReader(bytes)
      let magic = try reader.read(UInt32.self)
      guard magic == Self.magic else { throw .wrongMagic(found: magic, expected: Self.magic) }
      let count = try reader.readCount()
      guard count == pageCount, reader.remaining == 16 * count else {
        throw .invalid(
          reason: "has ranks of \(count) pages in \(reader.remaining) bytes, not of \(pageCount)", offset: 4)
      }
      var (ends, checksums, maxima): ([UInt32], [UInt32], [UInt64]) = ([], [], [])
      for _ in 0..<count { ends.append(try reader.read(UInt32.self)) }
      for _ in 0..<count { checksums.append(try reader.read(UInt32.self)) }
      for _ in 0..<count { maxima.append(try reader.read(UInt64.self)) }
      return (ends, checksums, maxima)
    }
    guard zip(ends, ends.dropFirst()).allSatisfy({ $0 < $1 }), ends.first != 0,
      Int64(frameSize) + Int64(ends.last ?? 0) == Int64(chainSize)
    else {
      throw .invalid(reason: "has ends of frames that do not rise to the end of the ranks", offset: 8)
    }
    guard maxima.allSatisfy({ $0 <= WeightRule.limit }) else {
      throw .invalid(reason: "has a weight of over 63 bits", offset: 8 + 8 * pageCount)
    }
  }

  /// The memory of the head, in bytes.
  var size: Int { 16 * ends.count }

  /// Returns the range of a page's frame, in bytes from the end of the first frame.
  package func range(ofPage number: Int) -> Range<Int> { (number > 0 ? Int(ends[number - 1]) : 0)..<Int(ends[number]) }

  /// Returns the checksum that the frame of a page must have.
  func checksum(ofPage number: Int) -> UInt32 { checksums[number] }

  /// Returns the greatest weight in some pages.
  ///
  /// - Complexity: O(*n*): *n* pages.
  package func maximum(ofPages numbers: Range<Int>) -> UInt64 { maxima[numbers].max() ?? 0 }
}
