import ShardedIndex

/// The formats of all number columns together: a combination for each record. Source: docs/format.md section 4.
struct FormatCombinations {
  /// For each combination the format in each column.
  private(set) var table: [[UInt8]] = []
  /// For each record its combination; empty without number columns.
  private(set) var codes: [UInt8] = []

  /// The most combinations of a shard.
  private static let limit = 256

  /// - Returns: nil if there are too many combinations.
  init?(_ numbers: [NumberColumnEncoder], records: Int) {
    guard !numbers.isEmpty else { return }
    codes = [UInt8](repeating: 0, count: records)
    var firstRows = [0]  // For each combination, in order of appearance.
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

/// The encoder of the rows of bits with the numbers of a shard's records. Source: docs/format.md section 6.
struct NumberRowsEncoder {
  private let table: [[UInt8]]
  /// For each record its combination of formats.
  let codes: [UInt8]
  /// The Huffman code that packs the combinations.
  private(set) var code = HuffmanEncoder()
  /// For each record the values of its row.
  private var values: [NumberColumnEncoder.Value]
  private let columnCount: Int
  /// For each column the number of bits of a format's number.
  private let formatWidths: [Int]

  init(_ numbers: [NumberColumnEncoder], _ formats: FormatCombinations, _ suffixField: SuffixField) {
    (table, codes) = (formats.table, formats.codes)
    if table.count > 1 { code = HuffmanEncoder(codes) }
    columnCount = numbers.count
    formatWidths = numbers.map { Int.bitWidth - ($0.formats.count - 1).leadingZeroBitCount }
    values = Array(repeating: NumberColumnEncoder.Value(0, width: 0), count: codes.count * numbers.count)
    for (index, number) in numbers.enumerated() {
      number.store(to: &values, from: index, stride: numbers.count, suffixField)
    }
  }

  /// The unpacked size in bytes.
  var size: Int { codes.count + values.reduce(0) { $0 + $1.width } / 8 }

  /// Writes the combinations of formats and the code lengths in the form of the shard's header.
  func writeFormats(to header: inout ByteWriter) {
    var bits = BitWriter(bitCount: 8 * table.count * columnCount)
    for formats in table {
      for (format, width) in zip(formats, formatWidths) { bits.write(UInt64(format), width) }
    }
    header.write(bits.finish())
    if table.count > 1 { code.writeLengths(to: &header) }
  }

  /// Returns the rows of some records, and the number of bits of each block.
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
