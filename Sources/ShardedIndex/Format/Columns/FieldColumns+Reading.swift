extension FieldColumns {
  /// The beginning of a fields frame.
  fileprivate struct ContentStart {
    /// The sizes in bytes of the rows of numbers, of the packed section, and of the section that is not packed.
    let (rowSize, packedSize, plainSize): (Int, Int, Int)
    /// The unpacked size of all packed texts, and of all packed data, in bytes.
    let (packedTexts, unpackedSize): (Int, Int)

    init(
      _ reader: inout ByteReader, records: Int, _ header: UnsafePointer<ShardHeader.Layout>
    ) throws(FormatError) {
      let magic = try reader.read(UInt32.self)
      guard magic == FieldColumns.magic else { throw .wrongMagic(found: magic, expected: FieldColumns.magic) }
      let count = try reader.readVarint()
      guard count == records else {
        throw .invalid(reason: "has \(count) records, not \(records)", offset: 4)
      }
      rowSize = try reader.readVarint()
      packedSize = try reader.readVarint()
      packedTexts = try reader.readVarint()
      guard rowSize + packedSize <= reader.remaining else {
        throw .truncated(offset: 8, needed: rowSize + packedSize, available: reader.remaining)
      }
      plainSize = reader.count - rowSize - packedSize
      // A packed number takes at least a bit.
      let unpacked = unsafe Int64(header.pointee.packedColumnCount) * Int64(count) + Int64(packedTexts)
      guard unpacked <= 8 * Int64(packedSize) else {
        throw .truncated(offset: plainSize, needed: Int(clamping: unpacked / 8), available: packedSize)
      }
      unpackedSize = Int(unpacked)
      // A code that is not packed takes a byte a record: memory is allocated only for numbers that the bytes can hold.
      let plainCodes = unsafe Int64(header.pointee.plainColumnCount) * Int64(count)
      guard plainCodes <= Int64(plainSize) else {
        throw .truncated(offset: reader.offset, needed: Int(clamping: plainCodes), available: plainSize)
      }
    }
  }

  /// The memory of a part's fields while they are read. It is freed unless it is kept.
  ///
  /// It holds the head, the data of the columns, and the starts of each column's texts and of the rows; then the
  /// unpacked numbers and texts, and the content that was not packed.
  @unsafe fileprivate struct Storage: ~Copyable {
    let start: UnsafeMutableRawPointer
    let blocks: Int
    let columns: Int
    let hasWideStarts: Bool
    /// The sizes of the starts of one column, of everything before the content, and of the whole memory, in bytes.
    let (startsSize, derivedSize, size): (Int, Int, Int)
    let content: ContentStart

    init(_ content: ContentStart, records: Int, columns: Int) {
      unsafe (self.content, self.columns) = (content, columns)
      unsafe blocks = (records + KeyBlocks.blockSize - 1) / KeyBlocks.blockSize
      unsafe hasWideStarts = BlockStarts.areWide(
        upTo: max(8 * content.rowSize, content.plainSize + content.packedTexts))
      unsafe startsSize = blocks * BlockStarts.stride(isWide: hasWideStarts)
      unsafe derivedSize = Self.dataOffset(columns) + (columns + 1) * startsSize
      unsafe size = derivedSize + content.unpackedSize + content.plainSize + content.rowSize + FieldColumns.slack
      unsafe start = .allocate(byteCount: size, alignment: 16)
    }

    /// Whether the part keeps the memory. Embedded Swift cannot discard a value instead.
    var isKept = false

    deinit { if unsafe !isKept { unsafe start.deallocate() } }

    /// The offset behind the data of `count` columns.
    private static func dataOffset(_ count: Int) -> Int {
      unsafe MemoryLayout<Head>.stride + count * MemoryLayout<ColumnData.Pointers>.stride
    }

    /// Returns the starts of a column's texts, one a block; for the number behind the last column, the starts of the
    /// rows.
    func starts(_ column: Int) -> BlockStarts {
      unsafe BlockStarts(start + startsOffset(column), isWide: hasWideStarts)
    }

    func startsOffset(_ column: Int) -> Int { unsafe Self.dataOffset(columns) + column * startsSize }

    /// Puts the data of a column in its place.
    func put(_ entry: ColumnData.Pointers, _ column: Int) {
      var entry = unsafe entry
      let offset = unsafe Self.dataOffset(column)
      unsafe entry.startsOffset = UInt32(2 * (startsOffset(column) - offset) + (hasWideStarts ? 1 : 0))
      unsafe (start + offset).initializeMemory(as: ColumnData.Pointers.self, to: entry)
    }

    /// The content that is not packed. The rows and the zeros follow it.
    var own: UnsafeMutablePointer<UInt8> {
      unsafe (start + (derivedSize + content.unpackedSize)).assumingMemoryBound(to: UInt8.self)
    }
    /// The offsets of the rows and of the zeros from there.
    var rowsOffset: Int { unsafe content.plainSize }
    var zerosOffset: Int { unsafe content.plainSize + content.rowSize }

    /// Copies the section that is not packed.
    func copy(_ bytes: UnsafePointer<UInt8>) {
      unsafe own.copy(from: bytes, count: content.plainSize)
      unsafe (own + rowsOffset).copy(from: bytes + content.plainSize + content.packedSize, count: content.rowSize)
      // Reads of whole words may reach behind the content, so the bytes there are set.
      unsafe (own + zerosOffset).update(repeating: 0, count: FieldColumns.slack)
    }
  }

  /// Checks `content`, unpacks the packed columns, and notes the offset of each section.
  ///
  /// - Parameter content: The decompressed fields frame of a part, with ``slack`` readable bytes behind it.
  /// - Parameter table: Room for a Huffman code's table, ``Decompressor/table``.
  package init(
    content: UnsafeBufferPointer<UInt8>, records: Int, header owner: __shared ShardHeader,
    table: UnsafeMutablePointer<UInt16>
  ) throws(FormatError) {
    let header = unsafe owner.layout
    var fixed = unsafe ByteReader(content)
    let sizes = unsafe try ContentStart(&fixed, records: records, header)
    var storage = unsafe Storage(sizes, records: records, columns: header.pointee.dataCount)
    let bytes = content.baseAddress!
    unsafe storage.copy(bytes)
    let own = unsafe storage.own
    // The same bytes as in the part's memory. The packed section stands between them and the rows.
    let plain = content.extracting(..<sizes.plainSize)
    let packed = content.extracting(sizes.plainSize..<sizes.plainSize + sizes.packedSize)
    var unpacker = unsafe ColumnUnpacker(
      plain: ByteReader(plain), at: own, packed: ByteReader(packed), at: bytes + sizes.plainSize,
      unpackedSize: sizes.unpackedSize, texts: sizes.packedTexts, count: records, table: table)
    _ = unsafe try unpacker.plain.pass(fixed.offset)
    let shapeCodes = unsafe try unpacker.codes(
      header.pointee.shapeCode, below: header.pointee.shapeCount, isPresent: header.pointee.shapeCount > 1)
    for slot in unsafe 0..<storage.columns { unsafe storage.put(try unpacker.readColumn(slot, header, storage), slot) }
    let formats = unsafe try unpacker.codes(
      header.pointee.rowCode, below: header.pointee.rowFormatCount, isPresent: header.pointee.rowFormatCount > 1)
    let rowEnd = unsafe header.pointee.numberCount > 0 ? try Self.readRowStarts(&unpacker.plain, storage) : 0
    guard (rowEnd + 7) / 8 == sizes.rowSize else {
      throw .invalid(reason: "has rows that do not fill their section", offset: 8)
    }
    guard unsafe rowEnd & 7 == 0 || own[storage.zerosOffset - 1] >> UInt8(rowEnd & 7) == 0 else {
      throw .invalid(reason: "has bits behind its last row", offset: content.count - 1)
    }
    unsafe try unpacker.finish()
    unsafe storage.start.initializeMemory(
      as: Head.self,
      to: Head(
        header: header, shapeCodes: .init(own + shapeCodes),
        // Without codes, every record reads the same zero.
        rowFormatCodes: .init(own + (header.pointee.formatMask == 0 ? storage.zerosOffset : formats)),
        rows: .init(own + storage.rowsOffset), recordCount: UInt32(records), contentBytes: UInt32(content.count),
        rowsEnd: UInt32(sizes.rowSize * 8), lastRowEnd: UInt32(rowEnd), keptBytes: UInt32(storage.size),
        derivedBytes: UInt32(storage.derivedSize), rowStarts: UInt32(storage.startsOffset(storage.columns)),
        hasWideStarts: storage.hasWideStarts))
    unsafe storage.isKept = true
    unsafe self.init(at: storage.start)
  }

  /// Reads the starts of the rows of each block.
  ///
  /// - Returns: The end of the last row, in bits.
  private static func readRowStarts(
    _ reader: inout ByteReader, _ storage: borrowing Storage
  ) throws(FormatError) -> Int {
    let least = try reader.readVarint()
    let width = Int(try reader.read(UInt8.self))
    guard width <= 2 else { throw .invalid(reason: "has sizes of blocks in \(width) bytes", offset: reader.offset - 1) }
    let more = unsafe try reader.readSpan(width * storage.blocks)
    let starts = unsafe storage.starts(storage.columns)
    var bit = 0
    for block in unsafe 0..<storage.blocks {
      unsafe starts[block] = bit
      bit &+= least
      if width > 0 { bit &+= Int(more[width &* block]) }
      if width > 1 { bit &+= Int(more[2 &* block &+ 1]) << 8 }
      guard unsafe 0...8 * storage.content.rowSize ~= bit else {
        throw .invalid(reason: "has rows that do not fill their section", offset: 8)
      }
    }
    return bit
  }
}

extension ColumnUnpacker {
  /// Reads the data of a column.
  fileprivate mutating func readColumn(
    _ slot: Int, _ header: UnsafePointer<ShardHeader.Layout>, _ storage: borrowing FieldColumns.Storage
  ) throws(FormatError) -> ColumnData.Pointers {
    let column = unsafe header.pointee.columns + Int(header.pointee.dataColumns[slot])
    let (code, starts) = unsafe (header.pointee.dataCodes[slot], storage.starts(slot))
    guard unsafe column.pointee.encoding == .dictionary else {
      let sizes = unsafe code.isPresent ? try codes(code, below: 256) : nil
      return unsafe try texts(
        starts, sizes: sizes, code: header.pointee.textCodes[slot],
        isMixed: column.pointee.kind == ShardHeader.mixedKinds)
    }
    for block in unsafe 0..<storage.blocks { unsafe starts[block] = 0 }
    let (codes, zeros) = unsafe (
      kept + (try codes(code, below: Int(column.pointee.number))), kept + storage.zerosOffset
    )
    return unsafe ColumnData.Pointers(codes: .init(codes), texts: .init(zeros), long: .init(zeros), longCount: 0)
  }
}
