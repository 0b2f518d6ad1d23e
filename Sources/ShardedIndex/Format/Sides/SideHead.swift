/// The first frame of the chain of sides: the end of the frame of each group of pages. Source: docs/format.md section
/// 3.12.
package final class SideHead: ChainContent {
  package static let magic: UInt32 = 0x3153_5153  // "SQS1"
  /// The number of pages in one frame of the chain.
  package static let groupCapacity = 64

  /// The size of the frame, in bytes.
  let frameSize: Int
  private let ends: [UInt32]
  private let checksums: [UInt32]

  /// - Parameters:
  ///   - content: The content of the frame.
  ///   - frameSize: The size of the frame, in bytes.
  ///   - chainSize: The size of all frames of the chain, in bytes.
  ///   - pageCount: The number of the index's pages.
  package init(_ content: [UInt8], frameSize: Int, chainSize: Int, pageCount: Int) throws(FormatError) {
    self.frameSize = frameSize
    (ends, checksums) = unsafe try content.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      var reader = unsafe ByteReader(bytes)
      let magic = try reader.read(UInt32.self)
      guard magic == Self.magic else { throw .wrongMagic(found: magic, expected: Self.magic) }
      let count = try reader.readCount()
      let groups = Self.groupCount(pages: pageCount)
      guard count == pageCount, reader.remaining == 8 * groups else {
        throw .invalid(
          reason: "has sides of \(count) pages in \(reader.remaining) bytes, not of \(pageCount)", offset: 4)
      }
      var (ends, checksums): ([UInt32], [UInt32]) = ([], [])
      for _ in 0..<groups { ends.append(try reader.read(UInt32.self)) }
      for _ in 0..<groups { checksums.append(try reader.read(UInt32.self)) }
      return (ends, checksums)
    }
    guard zip(ends, ends.dropFirst()).allSatisfy({ $0 < $1 }), ends.first != 0,
      Int64(frameSize) + Int64(ends.last ?? 0) == Int64(chainSize)
    else {
      throw .invalid(reason: "has ends of frames that do not rise to the end of the sides", offset: 8)
    }
  }

  /// Returns the number of groups of `pages` pages.
  package static func groupCount(pages: Int) -> Int { (pages + groupCapacity - 1) / groupCapacity }

  /// The memory of the head, in bytes.
  var size: Int { 8 * ends.count }

  /// Returns the range of a group's frame, in bytes from the end of the first frame.
  package func range(ofGroup number: Int) -> Range<Int> { (number > 0 ? Int(ends[number - 1]) : 0)..<Int(ends[number]) }

  /// Returns the checksum that the frame of a group must have.
  func checksum(ofGroup number: Int) -> UInt32 { checksums[number] }
}
