/// The first frame of a chain of maxima: the end of each page's frame, and the greatest values of each page. Source:
/// docs/format.md sections 3.11 and 3.15.
package final class MaximaHead: ChainContent {
  /// The size of the frame, in bytes.
  package let frameSize: Int
  package let form: MaximaForm
  private let ends: [UInt32]
  private let checksums: [UInt32]
  /// For each column, the greatest value of each page.
  private let maxima: [UInt64]

  /// - Parameters:
  ///   - content: The content of the frame.
  ///   - frameSize: The size of the frame, in bytes.
  ///   - chainSize: The size of all frames of the chain, in bytes.
  ///   - pageCount: The number of the index's pages.
  package init(
    _ content: [UInt8], frameSize: Int, chainSize: Int, pageCount: Int, form: MaximaForm = .ranks
  ) throws(FormatError) {
    (self.frameSize, self.form) = (frameSize, form)
    (ends, checksums, maxima) = unsafe try content.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      var reader = unsafe ByteReader(bytes)
      let magic = try reader.read(UInt32.self)
      guard magic == form.magic else { throw .wrongMagic(found: magic, expected: form.magic) }
      let count = try reader.readCount()
      guard count == pageCount, reader.remaining == (8 + 8 * form.columns) * count else {
        throw .invalid(
          reason: "has maxima of \(count) pages in \(reader.remaining) bytes, not of \(pageCount)", offset: 4)
      }
      var (ends, checksums, maxima): ([UInt32], [UInt32], [UInt64]) = ([], [], [])
      for _ in 0..<count { ends.append(try reader.read(UInt32.self)) }
      for _ in 0..<count { checksums.append(try reader.read(UInt32.self)) }
      for column in 0..<form.columns {
        for _ in 0..<count {
          let number = try reader.read(UInt64.self)
          guard form.isValid(number) else {
            throw .invalid(reason: "has a weight of over 63 bits, or a number that is none", offset: reader.offset)
          }
          maxima.append(form.value(number, column: column))
        }
      }
      return (ends, checksums, maxima)
    }
    guard zip(ends, ends.dropFirst()).allSatisfy({ $0 < $1 }), ends.first != 0,
      Int64(frameSize) + Int64(ends.last ?? 0) == Int64(chainSize)
    else {
      throw .invalid(reason: "has ends of frames that do not rise to the end of the chain", offset: 8)
    }
  }

  /// The memory of the head, in bytes.
  var size: Int { 8 * (ends.count + maxima.count) }

  /// Returns the range of a page's frame, in bytes from the end of the first frame.
  package func range(ofPage number: Int) -> Range<Int> { (number > 0 ? Int(ends[number - 1]) : 0)..<Int(ends[number]) }

  /// Returns the checksum that the frame of a page must have.
  func checksum(ofPage number: Int) -> UInt32 { checksums[number] }

  /// Returns the greatest value of a column in some pages.
  ///
  /// - Complexity: O(*n*): *n* pages.
  package func maximum(ofPages numbers: Range<Int>, column: Int = 0) -> UInt64 {
    let first = column * ends.count
    return maxima[first + numbers.lowerBound..<first + numbers.upperBound].max() ?? 0
  }

  /// Returns for each column the greatest value of a page.
  func maxima(ofPage number: Int) -> [UInt64] {
    (0..<form.columns).map { maximum(ofPages: number..<number + 1, column: $0) }
  }
}
