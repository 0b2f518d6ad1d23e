import ShardedIndex

/// The encoder of the fields of a shard, in parts. ``FieldColumns`` is the decoder. Source: docs/format.md section 4,
/// section 6.
struct FieldColumnsEncoder {
  struct ColumnCounts {
    var columns: Int
    var shapes: Int
    var rowFormats: Int

    /// The counts of records that have more fields than a shard can have.
    static let tooMany = ColumnCounts(columns: Int.max, shapes: 1, rowFormats: 0)
  }

  let counts: ColumnCounts
  /// The names, shapes, columns and row formats: the last section of the shard's header.
  private(set) var header: [UInt8] = []
  private let shapeCodes: [Int]
  private var shapeCode = HuffmanEncoder()
  /// The columns that have data outside of the rows.
  private let columns: [ColumnEncoder.Data]
  private let rows: NumberRowsEncoder

  /// - Parameter names: Field names by the numbers that the records use.
  /// - Returns: nil if the records have more fields than a shard can have.
  init?(_ records: [RecordBlob], _ suffixField: SuffixField, names: [String]) {
    guard let shapes = RecordShapes(records, nameCount: names.count) else { return nil }
    let all = ColumnTexts(records, shapes)
    let encoder = ColumnEncoder(records, suffixField)
    var numbers: [NumberColumnEncoder] = []
    var numberSections: [Int] = []  // The sections for the number columns.
    var sections: [ByteWriter] = []
    var data: [ColumnEncoder.Data?] = []
    for column in shapes.columns.indices {
      let (texts, kinds) = unsafe (all.texts(column), all.kinds(column))
      let isMixed = kinds.contains { $0 != kinds.first }
      var writer = ByteWriter()
      writer.write(isMixed ? ShardHeader.mixedKinds : kinds.first!)
      if isMixed {
        unsafe data.append(ColumnEncoder.chooseText(texts, kinds: kinds, into: &writer))
      } else {
        switch unsafe encoder.choose(texts, numberColumns: numbers.count, into: &writer) {
        case .inHeader: data.append(nil)
        case .data(let own): data.append(own)
        case .number(let number):
          numbers.append(number)
          numberSections.append(sections.count)
          data.append(nil)
        }
      }
      sections.append(writer)
    }
    var formats = FormatCombinations(numbers, records: records.count)
    while formats == nil {
      // There are too many combinations: the column with the most formats becomes text.
      let worst = numbers.indices.max { numbers[$0].formats.count < numbers[$1].formats.count }!
      numbers.remove(at: worst)
      let column = numberSections.remove(at: worst)
      data[column] = unsafe ColumnEncoder.chooseText(all.texts(column), into: &sections[column])
      formats = FormatCombinations(numbers, records: records.count)
    }
    for (number, section) in zip(numbers, numberSections) {
      number.write(to: &sections[section], contexts: suffixField.contextCount)
    }
    rows = NumberRowsEncoder(numbers, formats!, suffixField)
    counts = ColumnCounts(columns: shapes.columns.count, shapes: shapes.count, rowFormats: formats!.table.count)
    shapeCodes = shapes.codes
    columns = data.compactMap { $0 }

    var writer = ByteWriter()
    shapes.write(names: names, to: &writer)
    if 2...256 ~= shapes.count {
      shapeCode = HuffmanEncoder(shapeCodes.map { UInt8($0) })
      shapeCode.writeLengths(to: &writer)
    }
    for section in sections { writer.write(section.bytes) }
    rows.writeFormats(to: &writer)
    header = writer.bytes
  }

  /// The size of all parts in bytes, uncompressed and unpacked.
  var size: Int {
    var size = counts.shapes > 1 ? shapeCodes.count : 0
    for column in columns { size += column.size }
    return size + rows.size
  }

  /// Returns the content of the fields' frame of a part.
  func content(_ range: Range<Int>) -> ShardEncoder.FrameContent {
    var part = PartWriter(range)
    part.write(shapeCodes, limit: counts.shapes, shapeCode)
    for column in columns {
      switch column {
      case .codes(let values, let limit, let code): part.write(values, limit: limit, code)
      case .texts(let texts, let sizeCode, let textCode): part.write(texts, sizeCode, textCode)
      }
    }
    let bits = rows.bits(range)
    if counts.rowFormats > 1 { part.write(rows.codes[range], rows.code) }
    part.write(blockBits: bits.blocks)
    return part.content(rows: bits.bytes)
  }
}

/// The writer of the fields' frame of one part.
private struct PartWriter {
  private let range: Range<Int>
  /// The plain bytes, and the packed bytes.
  private var (plain, packed) = (ByteWriter(), ByteWriter())
  /// The unpacked size of the packed numbers, and the unpacked size of the packed texts, in bytes.
  private var (unpackedSize, packedTexts) = (0, 0)

  init(_ range: Range<Int>) { self.range = range }

  /// Writes the range's numbers below `limit`.
  mutating func write(_ numbers: [Int], limit: Int, _ code: HuffmanEncoder) {
    guard limit > 1 else { return }
    if limit > 256 {
      for number in numbers[range] { plain.write(UInt16(number)) }
    } else {
      write(numbers[range].lazy.map { UInt8($0) }, code)
    }
  }

  /// Writes numbers, packed if there is a code.
  mutating func write(_ numbers: some RandomAccessCollection<UInt8>, _ code: HuffmanEncoder) {
    guard code.isPresent else { return plain.write(numbers) }
    code.pack(numbers, to: &packed)
    unpackedSize += numbers.count
  }

  mutating func write(_ texts: FlatTexts, _ sizeCode: HuffmanEncoder, _ textCode: HuffmanEncoder) {
    var (total, long) = (0, [(Int, Int)]())
    for record in range {
      let size = texts.size(record)
      total += size
      if size >= 255 { long.append((record - range.lowerBound, size)) }
    }
    plain.writeVarint(total)
    plain.writeVarint(long.count)
    write(range.lazy.map { UInt8(min(texts.size($0), 255)) }, sizeCode)
    for (record, size) in long {
      plain.write(UInt32(record))
      plain.write(UInt32(size))
    }
    if textCode.isPresent {
      textCode.pack(texts.bytes(range), to: &packed)
      packedTexts += total
    } else {
      plain.write(texts.bytes(range))
    }
  }

  /// Writes the size of each block's rows.
  mutating func write(blockBits: [UInt16]) {
    guard let least = blockBits.min(), let most = blockBits.max() else { return }
    let width = most == least ? 0 : most - least < 256 ? 1 : 2
    plain.writeVarint(Int(least))
    plain.write(UInt8(width))
    for bits in blockBits {
      if width > 0 { plain.write(UInt8(truncatingIfNeeded: bits - least)) }
      if width > 1 { plain.write(UInt8(truncatingIfNeeded: (bits - least) >> 8)) }
    }
  }

  consuming func content(rows: [UInt8]) -> ShardEncoder.FrameContent {
    var content = ByteWriter()
    content.write(FieldColumns.magic)
    for size in [range.count, rows.count, packed.bytes.count, packedTexts] { content.writeVarint(size) }
    content.write(plain.bytes)
    let codesLiterals = Self.hasEntropyToSave(content.bytes)
    // Packed columns and rows do not compress, so they are stored in their own blocks. The content before them is
    // short: one block of it is as small as several blocks, and decompresses faster.
    var cuts = [content.bytes.count]
    content.write(packed.bytes)
    if !packed.bytes.isEmpty, !rows.isEmpty { cuts.append(content.bytes.count) }
    content.write(rows)
    return ShardEncoder.FrameContent(
      bytes: content.bytes, plainSize: content.bytes.count - packed.bytes.count + unpackedSize + packedTexts,
      cuts: cuts, codesLiterals: codesLiterals)
  }

  /// Returns whether a Huffman code would save 128 of these bytes, without its table. A code that saves less takes a
  /// reader more time than all other work on a block.
  private static func hasEntropyToSave(_ bytes: [UInt8]) -> Bool {
    var counts = [Int](repeating: 0, count: 256)
    for byte in bytes { counts[Int(byte)] += 1 }
    let whole = binaryLogarithm(max(1, bytes.count))
    let bits = counts.reduce(0) { $1 > 0 ? $0 + $1 * (whole - binaryLogarithm($1)) / 64 : $0 }
    return bytes.count - bits / 8 >= 128
  }
}
