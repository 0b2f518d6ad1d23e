import ShardedIndex

/// The formats of all number columns together, a combination for each record. Source: docs/format.md section 4.
struct RowFormats {
  /// Per combination the format in each column.
  private(set) var table: [[UInt8]] = []
  /// Per record its combination; none without number columns.
  private(set) var codes: [UInt8] = []

  /// The most combinations that a shard has.
  private static let limit = 256

  /// - Returns: nil if there are too many combinations.
  init?(_ numbers: [NumberColumnEncoder], records: Int) {
    guard !numbers.isEmpty else { return }
    codes = [UInt8](repeating: 0, count: records)
    var firstRows = [0]  // Per combination, in order of first appearance.
    for number in numbers {
      let formats = number.formats.count
      var known = [Int](repeating: -1, count: firstRows.count * formats)
      firstRows.removeAll()
      for row in 0..<records {
        let pair = Int(codes[row]) * formats + Int(number.codes[row])
        if known[pair] < 0 {
          guard firstRows.count < Self.limit else { return nil }
          known[pair] = firstRows.count
          firstRows.append(row)
        }
        codes[row] = UInt8(truncatingIfNeeded: known[pair])
      }
    }
    table = firstRows.map { row in numbers.map { $0.codes[row] } }
  }
}

/// The encoder of the rows of bits that have the numbers of a shard's records. Source: docs/format.md section 6.
struct NumberRowsEncoder {
  private let table: [[UInt8]]
  /// Per record its combination of formats.
  let codes: [UInt8]
  /// The code that the combinations are packed by.
  private(set) var code = HuffmanEncoder()
  /// Per record the values of its row.
  private var values: [NumberColumnEncoder.Value]
  private let columnCount: Int
  /// Per column the bits that a format's number takes.
  private let formatWidths: [Int]

  init(_ numbers: [NumberColumnEncoder], _ formats: RowFormats, _ suffixField: SuffixField) {
    (table, codes) = (formats.table, formats.codes)
    if table.count > 1 { code = HuffmanEncoder(codes) }
    columnCount = numbers.count
    formatWidths = numbers.map { Int.bitWidth - ($0.formats.count - 1).leadingZeroBitCount }
    values = Array(repeating: NumberColumnEncoder.Value(0, width: 0), count: codes.count * numbers.count)
    for (index, number) in numbers.enumerated() {
      number.store(to: &values, from: index, stride: numbers.count, suffixField)
    }
  }

  /// Unpacked, in bytes.
  var size: Int { codes.count + values.reduce(0) { $0 + $1.width } / 8 }

  /// Writes the combinations of formats and the lengths of their codes, as the shard's header has them.
  func writeFormats(to header: inout ByteWriter) {
    var bits = BitWriter(bitCount: 8 * table.count * columnCount)
    for formats in table {
      for (format, width) in zip(formats, formatWidths) { bits.write(UInt64(format), width) }
    }
    header.write(bits.finish())
    if table.count > 1 { code.writeLengths(to: &header) }
  }

  /// Returns the rows of some records, and how many bits each block of them takes.
  func bits(_ range: Range<Int>) -> (bytes: [UInt8], blocks: [UInt16]) {
    guard columnCount > 0 else { return ([], []) }
    let values = values[range.lowerBound * columnCount..<range.upperBound * columnCount]
    var writer = BitWriter(bitCount: values.reduce(0) { $0 + $1.width })
    var blocks: [UInt16] = []
    let blockSize = KeyBlocks.blockSize * columnCount
    for start in stride(from: values.startIndex, to: values.endIndex, by: blockSize) {
      let before = writer.bitCount
      for value in values[start..<min(start + blockSize, values.endIndex)] { writer.write(value.value, value.width) }
      blocks.append(UInt16(writer.bitCount - before))
    }
    return (writer.finish(), blocks)
  }
}
