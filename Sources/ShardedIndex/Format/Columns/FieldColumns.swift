/// The fields of one part's records, decoded from the bytes they are stored in. Source: docs/format.md section 6.
///
/// How a column is encoded stands in the shard's header; here is its data. Numbers of all columns lie together, a row
/// of bits a record. Its pointers lead into its own memory, which lives until ``deallocate()``, and into the shard's
/// header, which must outlive it.
@safe package struct FieldColumns: @unchecked Sendable {
  // Sendable because nothing writes to its memory once it is made.
  package static let magic: UInt32 = 0x3346_5153  // "SQF3"
  /// Bytes behind the content that may be read, though not used.
  package static let slack = 32
  /// The head of the fields' memory: a part refers to it by one address, and has no object for its fields.
  ///
  /// Behind it stand the data of the columns that have some, the offsets at which the texts of each start, and those of
  /// rows.
  @safe struct Head: BitwiseCopyable {
    let header: UnsafePointer<ShardHeader.Layout>
    let (shapeCodes, rowFormatCodes, rows): (UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>)
    let (recordCount, contentBytes): (UInt32, UInt32)
    /// The end of the rows in bits, and the end of the last row, which need not fill its last byte.
    let (rowsEnd, lastRowEnd): (UInt32, UInt32)
    let (keptBytes, derivedBytes): (UInt32, UInt32)
    /// The offset of the starts of rows from here, in bytes.
    let rowStarts: UInt32
    let hasWideStarts: Bool
  }

  private let head: UnsafePointer<Head>

  /// The columns whose memory begins at an address.
  ///
  /// - Parameter start: ``start`` of columns that were not deallocated.
  @inline(__always) init(at start: UnsafeRawPointer) { unsafe head = start.assumingMemoryBound(to: Head.self) }

  /// The beginning of all that it keeps.
  var start: UnsafeRawPointer { unsafe UnsafeRawPointer(head) }

  var header: ShardHeader.Layout { @inline(__always) unsafeAddress { unsafe head.pointee.header } }
  /// The data of a column, by its number among those that have data.
  @inline(__always) func data(_ slot: Int) -> ColumnData {
    unsafe ColumnData(UnsafeRawPointer(head + 1).assumingMemoryBound(to: ColumnData.Entry.self) + slot)
  }
  @inline(__always) var rows: UnsafePointer<UInt8> { unsafe head.pointee.rows }
  /// The codes of the rows' formats, one a record.
  @inline(__always) var rowFormatCodes: UnsafePointer<UInt8> { unsafe head.pointee.rowFormatCodes }
  /// The bits at which the rows of each block of records start.
  @inline(__always) var rowStarts: BlockStarts {
    unsafe BlockStarts(start + Int(head.pointee.rowStarts), isWide: head.pointee.hasWideStarts)
  }

  @inline(__always) var count: Int { unsafe Int(head.pointee.recordCount) }
  @inline(__always) var contentSize: Int { unsafe Int(head.pointee.contentBytes) }
  @inline(__always) var rowBits: Int { unsafe Int(head.pointee.rowsEnd) }
  /// The end of the last row, in bits: `rowBits` but for what fills up the last byte.
  @inline(__always) var rowEnd: Int { unsafe Int(head.pointee.lastRowEnd) }
  /// The memory that the columns keep, in bytes.
  var charge: Int { unsafe Int(head.pointee.keptBytes) }
  /// The size that the content would have if nothing were packed in it, in bytes.
  package var unpackedSize: Int { unsafe charge - Int(head.pointee.derivedBytes) - Self.slack }

  /// Frees what it keeps; the value must not be used after it.
  package func deallocate() { unsafe head.deallocate() }

  /// The number of a record's shape.
  @inline(__always) func shape(_ record: Int) -> Int {
    let codes = unsafe head.pointee.shapeCodes
    // Codes of 8 or 16 bits, one a record: checked when loaded.
    return unsafe header.shapeCount <= 256
      ? Int(codes[record]) : Int(codes[2 &* record]) | Int(codes[2 &* record &+ 1]) << 8
  }

}

extension FieldColumns {
  /// The first block of records whose rows are not of the size that is given for them; nil if all are.
  ///
  /// No query checks it: a wrong size gives other numbers and leads nowhere.
  package func firstMisplacedRows(keys: KeyBlocks) -> Int? {
    guard header.numberCount > 0 else { return nil }
    let numbers = NumberColumnDecoder(self, keys)
    var bit = 0
    for record in 0..<count {
      let block = record / KeyBlocks.blockSize
      if record % KeyBlocks.blockSize == 0, unsafe bit != rowStarts[block] { return block - 1 }
      bit += numbers.width(of: record..<record + 1)
    }
    return bit == rowEnd ? nil : (count - 1) / KeyBlocks.blockSize
  }

  /// Calls `body` with the value of a field of each record that has the field, or with its text where that is no
  /// number's.
  ///
  /// - Returns: false, without a call, unless one column has the field, and it is one of numbers.
  package func forEachNumber(
    named name: Int, keys: KeyBlocks,
    _ body: (
      _ record: Int, _ value: Int64, _ format: NumberFormat, _ literal: UnsafeBufferPointer<UInt8>, _ kind: ValueKind
    ) -> Void
  ) -> Bool {
    let named = (0..<header.columnCount).filter { unsafe Int(header.columns[$0].name) == name }
    guard named.count == 1, unsafe header.columns[named[0]].encoding == .number else { return false }
    let slot = unsafe Int(header.columns[named[0]].slot)
    // A row has a number for each column, also for those that the record's shape leaves out.
    let hasField =
      header.isPlain ? [] : (0..<header.shapeCount).map { unsafe header.shape($0).contains(UInt16(named[0])) }
    unsafe NumberColumnDecoder(self, keys).forEachValue(slot, count) { record, value, model in
      if !hasField.isEmpty, !hasField[header.shapeCount > 1 ? shape(record) : 0] { return }
      let field = unsafe RecordOutput.Field(value, number: model.pointee.word)
      unsafe body(record, value, field.format, model.pointee.literal, ValueKind(rawValue: field.kind) ?? .string)
    }
    return true
  }
}
