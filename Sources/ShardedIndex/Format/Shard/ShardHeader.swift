/// The first frame of a shard file: its parts, its suffix fields, and the encoding of its records' fields. Source:
/// docs/format.md section 4.
///
/// The header lays out the data for queries, and keeps none of the bytes that it was read from.
@safe package final class ShardHeader: @unchecked Sendable {
  // Sendable because nothing writes to the memory after `init`.
  package static let magic: UInt32 = 0x3448_5153  // "SQH4"
  package static let columnLimit = 4096

  package let parts: PartTable
  package let recordCount: Int
  package let layout: UnsafePointer<Layout>
  private let memory: Arena

  /// The memory that the header keeps, in bytes.
  package var charge: Int { unsafe layout.pointee.charge }
  package var columnCount: Int { unsafe layout.pointee.columnCount }

  /// Checks a header and keeps the data for queries.
  ///
  /// - Parameter name: Returns the number of a column's path among the index's field names; nil if there is none.
  package init(
    content: UnsafeBufferPointer<UInt8>, records: Int, fileSize: Int, frameSize: Int,
    name: (UnsafeBufferPointer<UInt8>) -> Int?
  ) throws(FormatError) {
    var memory = ParsingMemory()
    var reader = unsafe ByteReader(content)
    let counts = try HeaderCounts(&reader, records: records, fileSize: fileSize)
    recordCount = records
    parts = try Self.readParts(&reader, counts, fileSize: fileSize, frameSize: frameSize, &memory.kept)
    let keys = try KeyFields(&reader, counts, &memory)
    let names = unsafe try Self.readNames(&reader, counts, &memory.scratch, name: name)
    let shapes = try Shapes(&reader, counts, &memory)
    let columns = unsafe try ColumnTable(&reader, counts, names, shapes, keys.suffixFields, &memory)
    let rows = try RowFormats(&reader, counts, columns, &memory)
    guard reader.remaining == 0 else {
      throw .invalid(reason: "does not end with its last section", offset: reader.offset)
    }
    unsafe layout = Self.layOut(counts, keys, shapes, columns, rows, &memory)
    self.memory = memory.kept
  }

  /// The memory for parsing a header.
  @safe struct ParsingMemory: ~Copyable {
    /// The memory that the header keeps.
    var kept = Arena(sharing: 480)
    /// The memory that is freed after parsing.
    var scratch = Arena(sharing: 4 << 10)
    /// The memory for reading the lengths of codes: ``HuffmanCode/scratchCapacity`` numbers.
    let codeLengths: UnsafeMutablePointer<UInt16>

    init() { unsafe codeLengths = scratch.allocate(UInt16.self, HuffmanCode.scratchCapacity) }

    /// Reads the code of numbers below `limit`.
    mutating func readCode(_ reader: inout ByteReader, below limit: Int) throws(FormatError) -> HuffmanCode {
      unsafe try HuffmanCode(&reader, limit: limit, scratch: codeLengths, in: &kept)
    }
  }

  /// Lays out the data for queries.
  private static func layOut(
    _ counts: HeaderCounts, _ keys: KeyFields, _ shapes: Shapes, _ columns: ColumnTable, _ rows: RowFormats,
    _ memory: inout ParsingMemory
  ) -> UnsafePointer<Layout> {
    let ranges = Ranges(of: columns, contexts: counts.contexts, &memory)
    let suffixFields = unsafe memory.kept.copy(keys.suffixFields)
    let (models, dataCodes) = unsafe (memory.kept.copy(columns.models), memory.kept.copy(columns.dataCodes))
    let (dataColumns, textCodes) = unsafe (memory.kept.copy(columns.dataColumns), memory.kept.copy(columns.textCodes))
    let layout = unsafe memory.kept.allocate(Layout.self, 1)
    unsafe layout.initialize(
      to: Layout(
        isPlain: shapes.isPlain, hasLiterals: columns.hasLiterals, columnCount: counts.columns,
        charge: memory.kept.size, columns: .init(columns.columns), textCount: columns.textCount,
        firstText: columns.firstText, numberCount: columns.numberCount, rowModels: rows.models, models: models,
        ranges: ranges, suffixFieldMask: counts.suffixFields > 0 ? -1 : 0, formatMask: counts.rowFormats > 1 ? -1 : 0,
        zero: columns.zero, dataCount: columns.dataColumns.count, suffixFieldTable: suffixFields,
        dataColumns: dataColumns,
        dataCodes: dataCodes, textCodes: textCodes, suffixCode: keys.suffixCode, suffixFieldCode: keys.suffixFieldCode,
        shapeCode: shapes.code, rowCode: rows.code,
        packedColumnCount: columns.packedCount + (shapes.code.isPresent ? 1 : 0) + (rows.code.isPresent ? 1 : 0),
        plainColumnCount: columns.dataColumns.count - columns.packedCount, shapeCount: counts.shapes,
        shapeColumns: shapes.columns, shapeEnds: shapes.ends, rowFormatCount: counts.rowFormats))
    return unsafe .init(layout)
  }
}
