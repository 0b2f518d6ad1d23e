/// The fields of one part's records, decoded from their stored bytes. Source: docs/format.md section 6.
///
/// The shard's header has the encoding of each column; this value has the data. The numbers of all columns stand
/// together, in one row of bits a record. The pointers lead into the value's own memory, which lives until
/// ``deallocate()``, and into the shard's header, which must outlive the value.
@safe package struct FieldColumns: @unchecked Sendable {
  // Sendable because nothing writes to its memory after `init`.
  package static let magic: UInt32 = 0x3346_5153  // "SQF3"
  /// The number of bytes behind the content that decoding may read without using them.
  package static let slack = 32
  /// The head of the fields' memory: a part refers to it by one address, and has no object for its fields.
  ///
  /// Behind it stand the data of the columns, and the starts of each column's texts and of the rows.
  @safe struct Head: BitwiseCopyable {
    let header: UnsafePointer<ShardHeader.Layout>
    let (shapeCodes, rowFormatCodes, rows): (UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>)
    let (recordCount, contentBytes): (UInt32, UInt32)
    /// The end of the rows and the end of the last row, in bits. The last row need not fill its last byte.
    let (rowsEnd, lastRowEnd): (UInt32, UInt32)
    let (keptBytes, derivedBytes): (UInt32, UInt32)
    /// The offset of the starts of rows from here, in bytes.
    let rowStarts: UInt32
    let hasWideStarts: Bool
  }

  private let head: UnsafePointer<Head>

  /// Makes the columns whose memory begins at an address.
  ///
  /// - Parameter start: The ``start`` of columns that are not deallocated.
  @inline(__always) init(at start: UnsafeRawPointer) { unsafe head = start.assumingMemoryBound(to: Head.self) }

  /// The beginning of the memory.
  var start: UnsafeRawPointer { unsafe UnsafeRawPointer(head) }

  var header: ShardHeader.Layout { @inline(__always) unsafeAddress { unsafe head.pointee.header } }
  /// The data of a column, by its number among the columns with data.
  @inline(__always) func data(_ slot: Int) -> ColumnData {
    unsafe ColumnData(UnsafeRawPointer(head + 1).assumingMemoryBound(to: ColumnData.Pointers.self) + slot)
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
  /// The end of the last row, in bits: `rowBits` without the padding of the last byte.
  @inline(__always) var rowEnd: Int { unsafe Int(head.pointee.lastRowEnd) }
  /// The memory that the columns keep, in bytes.
  var charge: Int { unsafe Int(head.pointee.keptBytes) }
  /// The size of the content without packing, in bytes.
  package var unpackedSize: Int { unsafe charge - Int(head.pointee.derivedBytes) - Self.slack }

  /// Frees the memory. The value must not be used afterwards.
  package func deallocate() { unsafe head.deallocate() }

  /// The number of a record's shape.
  @inline(__always) func shape(_ record: Int) -> Int {
    let codes = unsafe head.pointee.shapeCodes
    // The loader has checked the codes: 8 or 16 bits, one a record.
    return unsafe header.shapeCount <= 256
      ? Int(codes[record]) : Int(codes[2 &* record]) | Int(codes[2 &* record &+ 1]) << 8
  }

}

extension FieldColumns {
  /// The first block of records whose rows have another size than the file says; nil if there is none.
  ///
  /// Queries do not check these sizes: a wrong size gives other numbers, and reads nothing outside the rows.
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

  /// Calls `body` with each record's value of a field, or with the text of a field that is not a number.
  ///
  /// - Returns: false, without a call, unless exactly one column has the field, and that is a column of numbers.
  package func forEachNumber(
    named name: Int, keys: KeyBlocks,
    _ body: (
      _ record: Int, _ value: Int64, _ format: NumberFormat, _ literal: UnsafeBufferPointer<UInt8>, _ kind: ValueKind
    ) -> Void
  ) -> Bool {
    let named = (0..<header.columnCount).filter { unsafe Int(header.columns[$0].name) == name }
    guard named.count == 1, unsafe header.columns[named[0]].encoding == .number else { return false }
    let slot = unsafe Int(header.columns[named[0]].slot)
    // A row has a number for every column, even if the record's shape leaves the column out.
    let hasField =
      header.isPlain ? [] : (0..<header.shapeCount).map { unsafe header.shape($0).contains(UInt16(named[0])) }
    unsafe NumberColumnDecoder(self, keys).forEachValue(slot, count) { record, value, model in
      if !hasField.isEmpty, !hasField[header.shapeCount > 1 ? shape(record) : 0] { return }
      let field = unsafe RecordOutput.DecodedField(value, number: model.pointee.word)
      unsafe body(record, value, field.format, model.pointee.literal, ValueKind(rawValue: field.kind) ?? .string)
    }
    return true
  }
}
