import CSystem

/// The fields of one part's records, decoded from the bytes they are stored in. Source: docs/format.md §6.
///
/// How a column is encoded stands in the shard's header; here is its data. Numbers of all columns lie together, a
/// row of bits a record. What it leads into is its own and lives until ``deallocate()``, or the shard's header's, which must
/// outlive it.
package struct FieldColumns: @unchecked Sendable {
  // Sendable because nothing writes to what it leads to once it is made.
  package static let magic: UInt32 = 0x3346_5153  // "SQF3"
  /// Bytes behind the content that may be read, though not used.
  package static let slack = 32
  /// Numbers whose bits may be read one after the other before it is looked whether they lie within the rows: each takes
  /// seven bytes at most, and reading one takes eight.
  private static let numbersAtOnce = (slack - 8) / 7 + 1

  /// The data of a dictionary, text or spelled column. Content is bounded, and so is what is made of it: numbers of 32 bits,
  /// since many parts are kept.
  private struct Data: BitwiseCopyable {
    /// dictionary: codes. text, spelled: sizes, 255 for those that stand in `long`.
    var codes: UnsafePointer<UInt8>
    var texts: UnsafePointer<UInt8>
    /// Pairs of a record and the size of its text.
    var long: UnsafePointer<UInt8>
    var longCount: UInt32
    /// Twice the bytes from here to where its starts stand, and 1 more if they have 32 bits.
    var startsPlace: UInt32 = 0
  }

  /// What leads to the rest, before which it stands: a part leads to it by one address, and has no object for its fields.
  ///
  /// Behind it stand the columns that have data, where the texts of each start, and where rows do.
  private struct Head: BitwiseCopyable {
    let header: UnsafePointer<ShardHeader.Layout>
    let shapeCodes: UnsafePointer<UInt8>
    let rowFormatCodes: UnsafePointer<UInt8>
    let rows: UnsafePointer<UInt8>
    let (recordCount, contentBytes): (UInt32, UInt32)
    /// Where the rows end, in bits, and where the last of them does, which need not fill its last byte.
    let (rowsEnd, lastRowEnd): (UInt32, UInt32)
    let (keptBytes, derivedBytes): (UInt32, UInt32)
    /// Where rows start, from here on, in bytes.
    let rowStarts: UInt32
    let hasWideStarts: Bool
  }

  private let head: UnsafePointer<Head>

  /// Those that begin at an address.
  ///
  /// - Parameter start: ``start`` of columns that were not deallocated.
  @inline(__always) init(at start: UnsafeRawPointer) { head = start.assumingMemoryBound(to: Head.self) }

  /// Where all that it keeps begins.
  var start: UnsafeRawPointer { UnsafeRawPointer(head) }

  private var header: ShardHeader.Layout { @inline(__always) unsafeAddress { head.pointee.header } }
  @inline(__always) private var data: UnsafePointer<Data> {
    UnsafeRawPointer(head + 1).assumingMemoryBound(to: Data.self)
  }
  @inline(__always) private var shapeCodes: UnsafePointer<UInt8> { head.pointee.shapeCodes }
  @inline(__always) private var rowFormatCodes: UnsafePointer<UInt8> { head.pointee.rowFormatCodes }
  @inline(__always) private var rows: UnsafePointer<UInt8> { head.pointee.rows }
  /// Per block of records where its rows start, in bits.
  @inline(__always) private var rowStarts: BlockStarts {
    BlockStarts(
      UnsafeMutableRawPointer(mutating: start + Int(head.pointee.rowStarts)), isWide: head.pointee.hasWideStarts)
  }

  /// Per block of records where its texts start; of a dictionary zeros.
  @inline(__always) private static func starts(_ data: UnsafePointer<Data>) -> BlockStarts {
    let place = data.pointee.startsPlace
    return BlockStarts(
      UnsafeMutableRawPointer(mutating: UnsafeRawPointer(data) + Int(place >> 1)), isWide: place & 1 == 1)
  }

  @inline(__always) private var count: Int { Int(head.pointee.recordCount) }
  @inline(__always) private var contentSize: Int { Int(head.pointee.contentBytes) }
  @inline(__always) private var rowBits: Int { Int(head.pointee.rowsEnd) }
  /// Of the last row, in bits: `rowBits` but for what fills up the last byte.
  @inline(__always) private var rowEnd: Int { Int(head.pointee.lastRowEnd) }
  /// Bytes that it keeps in memory.
  var charge: Int { Int(head.pointee.keptBytes) }
  /// Bytes of the content, were nothing packed in it.
  package var unpackedSize: Int { charge - Int(head.pointee.derivedBytes) - Self.slack }

  /// Checks `content`, unpacks what is packed in it, and notes where everything lies.
  ///
  /// - Parameter content: The decompressed fields frame of a part, ``slack`` bytes more readable.
  /// - Parameter table: Room for a Huffman code's table, ``Decompressor/table``.
  package init(
    content: UnsafeBufferPointer<UInt8>, records: Int, header owner: __shared ShardHeader,
    table: UnsafeMutablePointer<UInt16>
  ) throws(FormatError) {
    var header: ShardHeader.Layout { unsafeAddress { owner.layout } }
    var fixed = ByteReader(content)
    let magic = try fixed.read(UInt32.self)
    guard magic == Self.magic else { throw .wrongMagic(found: magic, expected: Self.magic) }
    let count = try fixed.readVarint()
    guard count == records else {
      throw .invalid(reason: "has a count of \(count) where \(records) was promised", offset: 4)
    }
    let rowSize = try fixed.readVarint()
    let packedSize = try fixed.readVarint()
    let packedTexts = try fixed.readVarint()
    guard rowSize + packedSize <= fixed.remaining else {
      throw .truncated(offset: 8, needed: rowSize + packedSize, available: fixed.remaining)
    }
    let plainSize = content.count - rowSize - packedSize
    var packed = ByteReader(UnsafeBufferPointer(rebasing: content[plainSize..<plainSize + packedSize]))
    // What is packed takes a bit at least.
    let unpackedSize = header.packedColumnCount * count + packedTexts
    guard unpackedSize <= 8 * packedSize else {
      throw .truncated(offset: plainSize, needed: unpackedSize / 8, available: packedSize)
    }
    // And what is not a byte for each record: room is made for what the bytes hold, not for what they claim.
    guard header.plainColumnCount * count <= plainSize else {
      throw .truncated(offset: fixed.offset, needed: header.plainColumnCount * count, available: plainSize)
    }
    let blocks = (count + KeyBlocks.blockSize - 1) / KeyBlocks.blockSize
    let columns = header.dataCount
    let hasWideStarts = BlockStarts.areWide(upTo: max(8 * rowSize, plainSize + packedTexts))
    let startsSize = blocks * BlockStarts.stride(isWide: hasWideStarts)
    let (headSize, dataSize) = (MemoryLayout<Head>.stride, columns * MemoryLayout<Data>.stride)
    let derivedSize = headSize + dataSize + (columns + 1) * startsSize
    // The content as it is, but for what is packed, which stands before it unpacked.
    let size = derivedSize + unpackedSize + plainSize + rowSize + Self.slack
    let storage = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    let head = storage.bindMemory(to: Head.self, capacity: 1)
    let data = (storage + headSize).bindMemory(to: Data.self, capacity: columns)
    func starts(_ slot: Int) -> BlockStarts {
      BlockStarts(storage + (headSize + dataSize + slot * startsSize), isWide: hasWideStarts)
    }
    var unpacked = (storage + derivedSize).bindMemory(to: UInt8.self, capacity: size - derivedSize)
    let own = unpacked + unpackedSize
    var textsLeft = packedTexts
    own.copy(from: content.baseAddress!, count: plainSize)
    (own + plainSize).copy(from: content.baseAddress! + plainSize + packedSize, count: rowSize)
    // What lies behind may be read by whole words, so it is made to hold something.
    let zeros = own + plainSize + rowSize
    zeros.update(repeating: 0, count: Self.slack)
    do throws(FormatError) {
      var reader = ByteReader(UnsafeBufferPointer(start: own, count: plainSize))
      _ = try reader.read(bytes: fixed.offset)
      func codes(_ code: HuffmanCode, _ limit: Int, isPresent: Bool = true) throws(FormatError) -> UnsafePointer<UInt8>
      {
        guard code.isPresent else { return try Self.codes(&reader, count, below: limit, isPresent: isPresent) }
        try code.unpack(&packed, count: count, into: unpacked, table: table)
        defer { unpacked += count }
        return UnsafePointer(unpacked)
      }
      let shapeCodes = try codes(header.shapeCode, header.shapeCount, isPresent: header.shapeCount > 1)
      for slot in 0..<columns {
        let column = header.columns[Int(header.dataColumns[slot])]
        let starts = starts(slot)
        if column.encoding == .dictionary {
          for block in 0..<blocks { starts[block] = 0 }
          data[slot] = Data(
            codes: try codes(header.dataCodes[slot], Int(column.number)), texts: zeros, long: zeros, longCount: 0)
        } else {
          let sizes = header.dataCodes[slot].isPresent ? try codes(header.dataCodes[slot], 256) : nil
          let code = header.textCodes[slot]
          data[slot] = try Self.texts(
            &reader, count, starts, sizes: sizes, isMixed: column.kind == ShardHeader.mixedKinds
          ) { (size) throws(FormatError) in
            guard code.isPresent else { return nil }
            guard size <= textsLeft else {
              throw .truncated(offset: plainSize, needed: size, available: textsLeft)
            }
            try code.unpack(&packed, count: size, into: unpacked, table: table)
            textsLeft -= size
            defer { unpacked += size }
            return UnsafePointer(unpacked)
          }
        }
        let place = dataSize - slot * MemoryLayout<Data>.stride + slot * startsSize
        data[slot].startsPlace = UInt32(2 * place + (hasWideStarts ? 1 : 0))
      }
      let numbers = header.numberCount
      let formats = try codes(header.rowCode, header.rowFormatCount, isPresent: header.rowFormatCount > 1)
      // Where there are no codes, every record reads the same zero.
      let rowFormatCodes = header.formatMask == 0 ? UnsafePointer(zeros) : formats
      let rowStarts = starts(columns)
      var bit = 0
      if numbers > 0 {
        let least = try reader.readVarint()
        let width = Int(try reader.read(UInt8.self))
        guard width <= 2 else { throw .invalid(reason: "sizes of blocks in \(width) bytes", offset: reader.offset - 1) }
        let more = try reader.read(bytes: width * blocks)
        for block in 0..<blocks {
          rowStarts[block] = bit
          bit &+= least
          if width > 0 { bit &+= Int(more[width &* block]) }
          if width > 1 { bit &+= Int(more[2 &* block &+ 1]) << 8 }
        }
      }
      guard (bit + 7) / 8 == rowSize else { throw .invalid(reason: "rows do not fill their section", offset: 8) }
      let rows = UnsafePointer(own + plainSize)
      guard bit & 7 == 0 || rows[rowSize - 1] >> UInt8(bit & 7) == 0 else {
        throw .invalid(reason: "has bits behind its last row", offset: content.count - 1)
      }
      guard reader.remaining == 0, packed.remaining == 0, textsLeft == 0 else {
        throw .invalid(reason: "does not end with its last section", offset: reader.offset)
      }
      head.initialize(
        to: Head(
          header: owner.layout, shapeCodes: shapeCodes, rowFormatCodes: rowFormatCodes, rows: rows,
          recordCount: UInt32(count), contentBytes: UInt32(content.count), rowsEnd: UInt32(rowSize * 8),
          lastRowEnd: UInt32(bit), keptBytes: UInt32(size), derivedBytes: UInt32(derivedSize),
          rowStarts: UInt32(derivedSize - startsSize), hasWideStarts: hasWideStarts))
      self.head = UnsafePointer(head)
    } catch {
      storage.deallocate()
      throw error
    }
  }

  /// Frees what it keeps; the value must not be used after it.
  package func deallocate() { head.deallocate() }

  /// The first block of records whose rows are not of the size that is given for them; nil if all are.
  ///
  /// No query asks: a wrong size gives other numbers and leads nowhere.
  package func firstMisplacedRows(keys: KeyBlocks) -> Int? {
    let numberCount = header.numberCount
    guard numberCount > 0 else { return nil }
    var bit = 0
    for record in 0..<count {
      let block = record / KeyBlocks.blockSize
      if record % KeyBlocks.blockSize == 0, bit != rowStarts[block] { return block - 1 }
      let rangeRow = header.ranges.row(keys.tailCount > 0 ? Int(keys.tails[record]) : 0)
      let row = header.rowModels + (header.rowFormatCount > 1 ? Int(rowFormatCodes[record]) : 0) * numberCount
      for number in 0..<numberCount { bit += header.models[Int(row[number])].bits(in: rangeRow) }
    }
    return bit == rowEnd ? nil : (count - 1) / KeyBlocks.blockSize
  }

  /// Calls `body` with each record's value of a field, or with its text where that is no number's.
  ///
  /// - Returns: false, without a call, unless every record has the field once and its column is one of numbers.
  package func forEachNumber(
    named name: Int, keys: KeyBlocks,
    _ body: (
      _ record: Int, _ value: Int64, _ format: NumberFormat, _ literal: UnsafeBufferPointer<UInt8>, _ kind: ValueKind
    ) -> Void
  ) -> Bool {
    let named = (0..<header.columnCount).filter { Int(header.columns[$0].name) == name }
    guard header.isPlain, named.count == 1, header.columns[named[0]].encoding == .number else { return false }
    let slot = Int(header.columns[named[0]].slot)
    let (models, ranges, numberCount) = (header.models, header.ranges, header.numberCount)
    var bit = 0
    for record in 0..<count {
      if record & (KeyBlocks.blockSize - 1) == 0 { bit = rowStarts[record / KeyBlocks.blockSize] }
      let rangeRow = ranges.row(keys.tailCount > 0 ? Int(keys.tails[record]) : 0)
      let row = header.rowModels + (header.rowFormatCount > 1 ? Int(rowFormatCodes[record]) &* numberCount : 0)
      for number in 0..<numberCount {
        let model = models + Int(row[number])
        let range = model.pointee.range(in: rangeRow)
        let width = Int(range & 0xff)
        if number == slot {
          let value =
            model.pointee.base &+ Int64(UInt32(truncatingIfNeeded: range >> 8))
            &+ Self.bits(UnsafeRawPointer(rows), rowBits, at: bit, width)
          let field = RecordOutput.Field(value, number: model.pointee.word)
          body(record, value, field.format, model.pointee.literal, ValueKind(rawValue: field.kind) ?? .string)
        }
        bit &+= width
      }
    }
    return true
  }

  /// One code a record, 8 bits wide or 16, each below `limit`.
  private static func codes(
    _ reader: inout ByteReader, _ count: Int, below limit: Int, isPresent: Bool
  ) throws(FormatError) -> UnsafePointer<UInt8> {
    let offset = reader.offset
    guard isPresent else { return try reader.read(bytes: 0).baseAddress! }
    let isWide = limit > 256
    let codes = try reader.read(bytes: isWide ? 2 * count : count).baseAddress!
    var highest = 0
    if isWide {
      for record in 0..<count { highest = max(highest, Int(codes[2 * record]) | Int(codes[2 * record + 1]) << 8) }
    } else if limit < 256 {
      var top: UInt8 = 0
      for record in 0..<count { top = max(top, codes[record]) }
      highest = Int(top)
    }
    guard highest < limit else { throw .invalid(reason: "a record has code \(highest) of \(limit)", offset: offset) }
    return codes
  }

  /// - Parameters:
  ///   - given: A byte a record where sizes were packed; nil if they stand before the texts.
  ///   - unpack: Gives the texts, of so many bytes, if they were packed.
  @inline(__always)
  private static func texts(
    _ reader: inout ByteReader, _ count: Int, _ starts: BlockStarts,
    sizes given: UnsafePointer<UInt8>?, isMixed: Bool,
    unpack: (_ size: Int) throws(FormatError) -> UnsafePointer<UInt8>?
  ) throws(FormatError) -> Data {
    let offset = reader.offset
    let size = try reader.readVarint()
    let longCount = try reader.readVarint()
    let sizes: UnsafePointer<UInt8>
    if let given { sizes = given } else { sizes = try reader.read(bytes: count).baseAddress! }
    guard longCount <= count else { throw .invalid(reason: "\(longCount) long texts", offset: offset) }
    let long = try reader.read(bytes: 8 * longCount).baseAddress!
    let texts: UnsafePointer<UInt8>
    if let unpacked = try unpack(size) { texts = unpacked } else { texts = try reader.read(bytes: size).baseAddress! }
    var position = 0
    var nextLong = 0
    var shortest = SIMD16<UInt8>(repeating: 255)
    var record = 0
    while record < count {
      if record & (KeyBlocks.blockSize - 1) == 0 {
        starts[record / KeyBlocks.blockSize] = position
        // A block at a time, if all of it is there and none of it is long.
        let block = UnsafeRawPointer(sizes + record).loadUnaligned(as: SIMD16<UInt8>.self)
        let long = unsafeBitCast(block .== SIMD16<UInt8>(repeating: 255), to: SIMD2<UInt64>.self)
        if record &+ KeyBlocks.blockSize <= count, long[0] | long[1] == 0 {
          shortest.replace(with: block, where: block .< shortest)
          position &+= sum(block)
          record &+= KeyBlocks.blockSize
          continue
        }
      }
      let size = sizes[record]
      shortest[0] = min(shortest[0], size)
      if size < 255 {
        position &+= Int(size)
      } else {
        guard nextLong < longCount, word(long, 2 * nextLong) == record, word(long, 2 * nextLong + 1) >= 255 else {
          throw .invalid(reason: "a long text without its size", offset: offset)
        }
        position += word(long, 2 * nextLong + 1)
        nextLong += 1
      }
      record &+= 1
    }
    guard position == size, nextLong == longCount, !isMixed || shortest.min() > 0 else {
      throw .invalid(reason: "texts do not fill their section", offset: offset)
    }
    if isMixed {
      (position, nextLong) = (0, 0)
      for record in 0..<count {
        guard texts[position] < ShardHeader.mixedKinds else {
          throw .invalid(reason: "a text of kind \(texts[position])", offset: offset)
        }
        if sizes[record] < 255 {
          position &+= Int(sizes[record])
        } else {
          position &+= word(long, 2 * nextLong + 1)
          nextLong &+= 1
        }
      }
    }
    return Data(codes: sizes, texts: texts, long: long, longCount: UInt32(longCount))
  }

  @inline(__always) private static func word(_ bytes: UnsafePointer<UInt8>, _ index: Int) -> Int {
    Int(UInt32(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
  }

  // MARK: Decoding

  @inline(__always) package static func scratchSize(_ keys: KeyBlocks) -> Int { 2 &* (keys.longestStem &+ 64) }

  /// Records whose cells are decoded at once, a whole number of blocks.
  private static let runSize = 2 * KeyBlocks.blockSize

  /// The most bytes that a record's texts may come to, those that its shape leaves out included.
  ///
  /// A dataset's record has half of it at most. Of a few bytes in a shard a record of any size can be made: a text may
  /// stand in a dictionary once and be that of every record, and thousands of columns may spell one long stem each.
  package static let recordLimit = 2 * ZstdFrame.contentLimit

  /// Whether many records may be decoded at once: how large they get is looked at after each column of a run.
  @inline(__always) package func isNarrow(_ keys: KeyBlocks) -> Bool {
    header.columnCount <= 128 && header.charge &+ contentSize &+ 64 &* keys.longestStem <= 1 << 18
  }

  /// Appends records `range`, counted within the part, to `output`, every field's text as it came in.
  ///
  /// Column by column: each is a loop of its own over a run of records.
  ///
  /// - Parameter scratch: ``scratchSize(_:)`` bytes.
  package func decode(
    _ range: Range<Int>, keys: KeyBlocks, scratch: UnsafeMutablePointer<UInt8>, into result: inout RecordOutput
  ) {
    var output = result
    let columnCount = header.columnCount
    let isNarrow = isNarrow(keys)
    var lower = range.lowerBound
    while lower < range.upperBound {
      // Runs end where blocks do, and are shorter where records are wide.
      let end = isNarrow ? lower / Self.runSize &* Self.runSize &+ Self.runSize : lower &+ 1
      let run = lower..<min(end, range.upperBound)
      if header.isPlain {
        output.reserve(records: run.count, fields: run.count &* columnCount)
        let cells = output.fields + output.fieldCount
        takeIn(run, keys, &output)
        decode(run, keys, scratch, cells: cells, &output)
      } else {
        decodeShaped(run, keys, scratch, &output)
      }
      lower = run.upperBound
    }
    result = output
  }

  /// The same for records that have different columns, or in different order: picked from the cells of all columns.
  @inline(never)
  private func decodeShaped(
    _ run: Range<Int>, _ keys: KeyBlocks, _ scratch: UnsafeMutablePointer<UInt8>, _ output: inout RecordOutput
  ) {
    withUnsafeTemporaryAllocation(of: RecordOutput.Field.self, capacity: run.count &* header.columnCount &+ 1) {
      cells in
      var row = cells.baseAddress!
      decode(run, keys, scratch, cells: row, &output)
      for record in run {
        let shape = header.shape(header.shapeCount > 1 ? self.shape(record) : 0)
        output.reserve(records: 1, fields: shape.count)
        let fields = output.fields + output.fieldCount
        for (index, column) in shape.enumerated() { (fields + index).initialize(to: row[Int(column)]) }
        output.endRecord(fields: shape.count)
        row += header.columnCount
      }
    }
  }

  /// Writes a row of cells for each record of `run`, a cell for each column; appends the texts.
  @inline(__always)
  private func decode(
    _ run: Range<Int>, _ keys: KeyBlocks, _ scratch: UnsafeMutablePointer<UInt8>,
    cells: UnsafeMutablePointer<RecordOutput.Field>, _ output: inout RecordOutput
  ) {
    let stride = header.columnCount
    let limit = output.byteCount &+ run.count &* Self.recordLimit
    prefetch(run, keys)
    var next = header.firstText
    for _ in 0..<header.textCount {
      let column = header.columns + next
      next = Int(column.pointee.nextText)
      let cell = cells + Int(column.pointee.cell)
      guard output.byteCount <= limit else {
        leaveOut(column, run.count, cell, stride, &output)
        continue
      }
      // Loops of their own, each with the registers to itself.
      switch column.pointee.encoding {
      case .number: break
      case .tail: Self.pick(column, keys.tails + run.lowerBound, run.count, cell, stride, &output)
      case .spelled:
        let data = data + Int(column.pointee.slot)
        if column.pointee.piece == 255, let sizes = keys.sizes {
          Self.spellWhole(column, data, run, keys, sizes, scratch, cell, stride, &output)
        } else {
          Self.spell(column, data, run, keys, scratch, cell, stride, &output)
        }
      case .text: Self.copy(column, data + Int(column.pointee.slot), run, cell, stride, &output)
      case .dictionary:
        let codes = data[Int(column.pointee.slot)].codes
        if column.pointee.variant == 0, column.pointee.kind != ShardHeader.mixedKinds {
          Self.pick(column, codes + run.lowerBound, run.count, cell, stride, &output)
        } else {
          Self.pickAny(column, codes, run, cell, stride, &output)
        }
      case .constant:
        // All its fields are one text.
        let size = Int(column.pointee.number)
        let field = RecordOutput.Field(
          text: output.append(column.pointee.texts, size), size: size, column: column.pointee.word)
        for record in 0..<run.count { (cell + record &* stride).initialize(to: field) }
      }
    }
    // Last: their memory was asked for, and comes while texts are made of keys, which the search has read.
    if header.numberCount > 0 { decodeNumbers(run, keys, cells, stride, &output) }
  }

  /// `count` records' texts of a dictionary by their codes of eight bits.
  @inline(never)
  private static func pick(
    _ column: UnsafePointer<ShardHeader.Column>, _ codes: UnsafePointer<UInt8>, _ count: Int,
    _ cells: UnsafeMutablePointer<RecordOutput.Field>, _ stride: Int, _ output: inout RecordOutput
  ) {
    let (texts, ends, word) = (column.pointee.texts, column.pointee.ends, column.pointee.word)
    var cell = cells
    if column.pointee.isPairs {
      let pairs = UnsafeRawPointer(ends)
      _ = output.reserve(count &* 2)
      let (bytes, first) = (UnsafeMutableRawPointer(output.bytes), output.byteCount)
      var end = first
      for record in 0..<count {
        let pair = pairs.load(fromByteOffset: 2 &* Int(codes[record]), as: UInt16.self)
        bytes.storeBytes(of: pair, toByteOffset: end, as: UInt16.self)
        cell.initialize(to: .init(text: end, size: 2, column: word))
        cell += stride
        end &+= 2
      }
      _ = output.appendWritten(end &- first)
      return
    }
    if column.pointee.isShort {
      _ = output.reserve(count &* 4)
      let (bytes, first) = (UnsafeMutableRawPointer(output.bytes), output.byteCount)
      var end = first
      for record in 0..<count {
        let text = ends[Int(codes[record])]
        bytes.storeBytes(of: text.littleEndian, toByteOffset: end, as: UInt32.self)
        let size = Int(text >> 24)
        cell.initialize(to: .init(text: end, size: size, column: word))
        cell += stride
        end &+= size
      }
      _ = output.appendWritten(end &- first)
      return
    }
    if column.pointee.longest <= 16 {
      // One move a text, and room for all of them at once.
      _ = output.reserve(count &* 16)
      let (bytes, first) = (output.bytes, output.byteCount)
      var end = first
      for record in 0..<count {
        let code = Int(codes[record])
        let start = Int(ends[code &- 1])
        let size = Int(ends[code]) &- start
        copy16(texts + start, to: bytes + end)
        cell.initialize(to: .init(text: end, size: size, column: word))
        cell += stride
        end &+= size
      }
      _ = output.appendWritten(end &- first)
      return
    }
    for record in 0..<count {
      let code = Int(codes[record])
      let start = Int(ends[code &- 1])
      let size = Int(ends[code]) &- start
      cell.initialize(to: .init(text: output.append(texts + start, size), size: size, column: word))
      cell += stride
    }
  }

  /// The same for codes of sixteen bits and for texts that have their kind with them.
  @inline(never)
  private static func pickAny(
    _ column: UnsafePointer<ShardHeader.Column>, _ codes: UnsafePointer<UInt8>, _ run: Range<Int>,
    _ cells: UnsafeMutablePointer<RecordOutput.Field>, _ stride: Int, _ output: inout RecordOutput
  ) {
    let (texts, ends) = (column.pointee.texts, column.pointee.ends)
    var cell = cells
    for record in run {
      let code =
        column.pointee.variant == 0
        ? Int(codes[record]) : Int(codes[2 &* record]) | Int(codes[2 &* record &+ 1]) << 8
      let start = Int(ends[code &- 1])
      cell.initialize(to: append(texts + start, Int(ends[code]) &- start, column.pointee, &output))
      cell += stride
    }
  }

  /// Texts that stand one after the other.
  @inline(never)
  private static func copy(
    _ column: UnsafePointer<ShardHeader.Column>, _ data: UnsafePointer<Data>, _ run: Range<Int>,
    _ cells: UnsafeMutablePointer<RecordOutput.Field>, _ stride: Int, _ output: inout RecordOutput
  ) {
    var text = data.pointee.texts + textStart(data, run.lowerBound)
    var cell = cells
    for record in run {
      let size = textSize(data, record)
      cell.initialize(to: append(text, size, column.pointee, &output))
      cell += stride
      text += size
    }
  }

  /// Names from stems, each whole: what is left to do for most is the case of their letters.
  @inline(never)
  private static func spellWhole(
    _ column: UnsafePointer<ShardHeader.Column>, _ data: UnsafePointer<Data>, _ run: Range<Int>, _ keys: KeyBlocks,
    _ sizes: (shared: UnsafePointer<UInt8>, suffix: UnsafePointer<UInt8>), _ scratch: UnsafeMutablePointer<UInt8>,
    _ cells: UnsafeMutablePointer<RecordOutput.Field>, _ stride: Int, _ output: inout RecordOutput
  ) {
    let (word, rule) = (column.pointee.word, column.pointee.variant)
    let letters = Spelling.Case(rule)
    let scriptSizes = data.pointee.codes
    var script = data.pointee.texts + textStart(data, run.lowerBound)
    let (stem, cased) = (scratch + 16, scratch + keys.longestStem + 64)
    // Stems of the block up to the first that is wanted, each on top of the one before. Their first 16 bytes are kept in a
    // register: read from where a suffix has just been written, they would be waited for. Others are had from those that
    // are longer.
    var start = SIMD16<UInt8>(repeating: 0)
    var record = run.lowerBound & ~(KeyBlocks.blockSize - 1)
    var suffix = keys.suffixes(ofBlock: record >> KeyBlocks.blockShift)
    var common = 0
    while record < run.lowerBound {
      let rest = Int(sizes.suffix[record])
      put(suffix, behind: common, &start)
      if common &+ rest > 16 { copyShort(suffix, to: stem + common, rest) }
      suffix += rest
      record &+= 1
      common = Int(sizes.shared[record])
    }
    if record & (KeyBlocks.blockSize - 1) == 0 { common = 0 }
    // Room for all of them as they stand in the stems; a script asks for its own.
    _ = output.reserve(run.count &* keys.longestStem)
    var (bytes, end) = (output.bytes, output.byteCount)
    var cell = cells
    while true {
      let rest = Int(sizes.suffix[record])
      put(suffix, behind: common, &start)
      var size = common &+ rest
      let hasScript = scriptSizes[record] != 0
      let target = hasScript ? cased : bytes + end
      letters.apply(to: start, target)
      if size > 16 {
        // Of what is read behind the first bytes the last of them is the one before.
        copyShort(suffix, to: stem + common, rest)
        stem[15] = start[15]
        var offset = 16
        repeat {
          letters.apply(to: stem + offset, target + offset)
          offset &+= 16
        } while offset < size
      }
      suffix += rest
      if hasScript {
        let scriptSize = textSize(data, record)
        _ = output.appendWritten(end &- output.byteCount)
        _ = output.reserve((run.upperBound &- record) &* keys.longestStem &+ scriptSize)
        bytes = output.bytes
        size = Spelling.apply(
          UnsafeBufferPointer(start: script, count: scriptSize),
          to: UnsafeBufferPointer(start: UnsafePointer(cased), count: size), bytes + end)
        script += scriptSize
      }
      cell.initialize(to: .init(text: end, size: size, column: word))
      cell += stride
      end &+= size
      record &+= 1
      if record == run.upperBound { break }
      // A restart point is stored whole, whatever it shares.
      common = record & (KeyBlocks.blockSize - 1) == 0 ? 0 : Int(sizes.shared[record])
    }
    _ = output.appendWritten(end &- output.byteCount)
  }

  /// Puts a suffix behind the first `common` bytes of a stem, of which `start` has 16. As many are readable before it.
  @inline(__always)
  private static func put(_ suffix: UnsafePointer<UInt8>, behind common: Int, _ start: inout SIMD16<UInt8>) {
    let kept = min(common, 16)
    let bytes = UnsafeRawPointer(suffix - kept).loadUnaligned(as: SIMD16<UInt8>.self)
    let places = SIMD16<Int8>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
    start.replace(with: bytes, where: places .> SIMD16<Int8>(repeating: Int8(truncatingIfNeeded: kept &- 1)))
  }

  /// Names from pieces of stems, or from stems that are long.
  @inline(never)
  private static func spell(
    _ column: UnsafePointer<ShardHeader.Column>, _ data: UnsafePointer<Data>, _ run: Range<Int>, _ keys: KeyBlocks,
    _ scratch: UnsafeMutablePointer<UInt8>, _ cells: UnsafeMutablePointer<RecordOutput.Field>, _ stride: Int,
    _ output: inout RecordOutput
  ) {
    let (word, rule, piece) = (column.pointee.word, column.pointee.variant, column.pointee.piece)
    let sizes = data.pointee.codes
    var script = data.pointee.texts + textStart(data, run.lowerBound)
    let cased = scratch + keys.longestStem + 64
    // What stands before a stem is inside no word.
    scratch[15] = 0
    var cell = cells
    var cursor = StemCursor(keys, at: run.lowerBound, buffer: scratch + 16)
    var record = run.lowerBound
    while true {
      let short = Int(sizes[record])
      let scriptSize = short < 255 ? short : longSize(data, record)
      let stem = Spelling.piece(piece, of: UnsafeBufferPointer(start: cursor.stem, count: cursor.stemSize))
      let size = Spelling.write(
        stem: stem, rule: rule, script: script, scriptSize, scratch: cased, to: output.reserve(stem.count &+ scriptSize)
      )
      cell.initialize(to: .init(text: output.appendWritten(size), size: size, column: word))
      cell += stride
      script += scriptSize
      record &+= 1
      if record == run.upperBound { break }
      cursor.advance()
    }
  }

  /// Asks for the memory in the shard's header that decoding begins with, while keys are searched.
  @inline(__always) func prefetchHeader() {
    for place in 0..<min(3, header.columnCount) { CShims.prefetch(header.columns + place) }
    CShims.prefetch(header.models)
    CShims.prefetch(header.models + 2)
    CShims.prefetch(header.rowModels)
    CShims.prefetch(header.ranges.rows)
    CShims.prefetch(header.ranges.rows + 64)
  }

  /// Asks for the memory that decoding a record begins with, so that its pieces come side by side and not one after the
  /// other.
  @inline(__always) func prefetch(_ record: Int, keys: KeyBlocks) {
    let block = record >> KeyBlocks.blockShift
    CShims.prefetch(rowFormatCodes + record)
    if header.numberCount > 0 {
      let row = rows + rowStarts[block] >> 3
      CShims.prefetch(row)
      CShims.prefetch(row + 64)
    }
    for slot in 0..<min(4, header.dataCount) {
      let data = data + slot
      CShims.prefetch(data.pointee.codes + record)
      CShims.prefetch(data.pointee.texts + Self.starts(data)[block])
    }
  }

  /// Gives a column's cells no texts: its records are larger than any may be.
  @inline(never)
  private func leaveOut(
    _ column: UnsafePointer<ShardHeader.Column>, _ count: Int, _ cell: UnsafeMutablePointer<RecordOutput.Field>,
    _ stride: Int, _ output: inout RecordOutput
  ) {
    output.isOverlong = true
    guard column.pointee.encoding != .number else { return }
    let word = RecordOutput.Field.column(name: column.pointee.name, kind: column.pointee.kind % ShardHeader.mixedKinds)
    for index in 0..<count {
      (cell + index &* stride).initialize(to: .init(text: output.byteCount, size: 0, column: word))
    }
  }

  /// The same of a run's last block.
  @inline(__always) private func prefetch(_ run: Range<Int>, _ keys: KeyBlocks) {
    let block = (run.upperBound &- 1) >> KeyBlocks.blockShift
    let suffix = keys.suffixes(ofBlock: block)
    CShims.prefetch(suffix)
    CShims.prefetch(suffix + 64)
    guard header.numberCount > 0 else { return }
    let row = rows + rowStarts[block] >> 3
    CShims.prefetch(row)
    CShims.prefetch(row + 64)
  }

  /// Counts the records of a run, whose fields are still to be written, and asks for the memory of their numbers' ranges.
  @inline(__always)
  private func takeIn(_ run: Range<Int>, _ keys: KeyBlocks, _ output: inout RecordOutput) {
    let (ranges, tailMask, columnCount) = (header.ranges, header.tailMask, header.columnCount)
    let tails = tailMask == 0 ? header.zero : keys.tails
    var record = run.lowerBound
    repeat {
      output.endRecord(fields: columnCount)
      // A row can lie in two lines.
      let row = ranges.start + Int(ranges.row(Int(tails[record & tailMask])))
      CShims.prefetch(row)
      CShims.prefetch(row + Int(ranges.rowSize))
      record &+= 1
    } while record < run.upperBound
  }

  /// Which rows have to be passed on the way to the first of `run`, since rows have no sizes of their own: those before it
  /// in its block, or, if these are more, those from it to the end of the block. And where the block begins or ends, in bits.
  @inline(__always) private func passed(before run: Range<Int>) -> (records: Range<Int>, bit: Int) {
    let block = run.lowerBound >> KeyBlocks.blockShift
    let (start, next) = (block << KeyBlocks.blockShift, min((block &+ 1) << KeyBlocks.blockShift, count))
    guard run.lowerBound &- start > KeyBlocks.blockSize / 2 else {
      return (start..<run.lowerBound, rowStarts[block])
    }
    return (run.lowerBound..<next, next < count ? rowStarts[block &+ 1] : rowEnd)
  }

  /// Values of all columns of numbers, row by row.
  @inline(never)
  private func decodeNumbers(
    _ run: Range<Int>, _ keys: KeyBlocks, _ cells: UnsafeMutablePointer<RecordOutput.Field>, _ stride: Int,
    _ output: inout RecordOutput
  ) {
    let (models, numberCount, rowModels) = (header.models, header.numberCount, header.rowModels)
    let ranges = header.ranges
    let (formats, formatMask, tailMask) = (rowFormatCodes, header.formatMask, header.tailMask)
    let tails = tailMask == 0 ? header.zero : keys.tails
    @inline(__always) func row(_ record: Int) -> UnsafePointer<UInt16> {
      rowModels + Int(formats[record & formatMask]) &* numberCount
    }
    @inline(__always) func rangeRow(_ record: Int) -> UInt32 { ranges.row(Int(tails[record & tailMask])) }
    let (passed, start) = passed(before: run)
    var (record, end) = (passed.lowerBound, passed.upperBound)
    var width = 0
    while record < end {
      let rangeRow = rangeRow(record)
      var model = row(record)
      let last = model + numberCount
      repeat {
        width &+= models[Int(model.pointee)].bits(in: rangeRow)
        model += 1
      } while model < last
      record &+= 1
    }
    // Bits are counted from address 0 on, so that one number says where a value is.
    let rows = 8 &* UInt64(UInt(bitPattern: rows))
    let lastBit = rows &+ UInt64(rowBits)
    // Of a file with wrong sizes this may be below nothing: then other numbers come out, from where there are some.
    var bit = rows &+ UInt64(passed.lowerBound < run.lowerBound ? start &+ width : max(0, start &- width))
    var cells = UnsafeMutableRawPointer(cells)
    let hasLiterals = header.hasLiterals
    (record, end) = (run.lowerBound, run.upperBound)
    while record < end {
      if record & (KeyBlocks.blockSize - 1) == 0 { bit = rows &+ UInt64(rowStarts[record >> KeyBlocks.blockShift]) }
      let rangeRow = rangeRow(record)
      var number = row(record)
      let last = number + numberCount
      repeat {
        // Widths come from the file: numbers that would begin behind the section read what lies at its end, which is
        // there.
        bit = min(bit, lastBit)
        let stop = min(number + Self.numbersAtOnce, last)
        repeat {
          let model = models + Int(number.pointee)
          let range = model.pointee.range(in: rangeRow)
          let width = range & 0xff
          let place = UnsafeRawPointer(bitPattern: UInt(truncatingIfNeeded: bit >> 3)).unsafelyUnwrapped
          let word = UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
          let own = word &>> (bit & 7) & ~(UInt64.max &<< width)
          let value = model.pointee.base &+ Int64(UInt32(truncatingIfNeeded: range >> 8)) &+ Int64(bitPattern: own)
          let cell = (cells + Int(model.pointee.cell)).assumingMemoryBound(to: RecordOutput.Field.self)
          cell.initialize(to: .init(value, number: model.pointee.word))
          // A literal has a range without bits.
          bit &+= width
          number += 1
        } while number < stop
      } while number < last
      if hasLiterals { Self.writeLiterals(models, last - numberCount, numberCount, cells, &output) }
      cells += stride &* MemoryLayout<RecordOutput.Field>.stride
      record &+= 1
    }
  }

  /// Puts the texts of a record's numbers that have one whatever their value.
  @inline(never)
  private static func writeLiterals(
    _ models: UnsafePointer<ShardHeader.Model>, _ row: UnsafePointer<UInt16>, _ count: Int,
    _ cells: UnsafeMutableRawPointer, _ output: inout RecordOutput
  ) {
    for number in 0..<count {
      let model = models[Int(row[number])]
      guard model.isLiteral else { continue }
      let text = model.literal
      (cells + Int(model.cell)).assumingMemoryBound(to: RecordOutput.Field.self).initialize(
        to: .init(text: output.append(text.baseAddress!, text.count), size: text.count, column: model.word))
    }
  }

  @inline(__always)
  private static func append(
    _ text: UnsafePointer<UInt8>, _ size: Int, _ column: ShardHeader.Column, _ output: inout RecordOutput
  ) -> RecordOutput.Field {
    guard column.kind == ShardHeader.mixedKinds else {
      return .init(text: output.append(text, size), size: size, column: column.word)
    }
    // Not empty, and its kind is one: checked when loaded.
    let word = RecordOutput.Field.column(name: column.name, kind: text[0])
    return .init(text: output.append(text + 1, size &- 1), size: size &- 1, column: word)
  }

  @inline(__always) private func shape(_ record: Int) -> Int {
    header.shapeCount <= 256
      ? Int(shapeCodes[record]) : Int(shapeCodes[2 &* record]) | Int(shapeCodes[2 &* record &+ 1]) << 8
  }

  /// `count` bits, at most 56, from bit `bit` of the rows on, lowest first.
  @inline(__always) private static func bits(
    _ rows: UnsafeRawPointer, _ rowBits: Int, at bit: Int, _ count: Int
  ) -> Int64 {
    // Widths come from the file: a row that would begin behind the section reads what lies at its end, which is there.
    let at = min(bit, rowBits)
    let word = UInt64(littleEndian: rows.loadUnaligned(fromByteOffset: at >> 3, as: UInt64.self))
    return Int64(truncatingIfNeeded: (word &>> UInt64(at & 7)) & ((1 &<< UInt64(count)) &- 1))
  }

  /// Where the text of a record starts among those of its column.
  @inline(__always) private static func textStart(_ data: UnsafePointer<Data>, _ record: Int) -> Int {
    let first = record & ~(KeyBlocks.blockSize - 1)
    let sizes = data.pointee.codes + first
    let start = starts(data)[record >> KeyBlocks.blockShift]
    if data.pointee.longCount == 0 { return start &+ sum(sizes, record &- first) }
    return start &+ (first..<record).reduce(0) { $0 &+ textSize(data, $1) }
  }

  @inline(__always) private static func textSize(_ data: UnsafePointer<Data>, _ record: Int) -> Int {
    let size = data.pointee.codes[record]
    return size < 255 ? Int(size) : longSize(data, record)
  }

  @inline(never) private static func longSize(_ data: UnsafePointer<Data>, _ record: Int) -> Int {
    var low = 0
    var high = Int(data.pointee.longCount)
    while low < high {
      let middle = (low + high) / 2
      if word(data.pointee.long, 2 * middle) < record { low = middle + 1 } else { high = middle }
    }
    return word(data.pointee.long, 2 * low + 1)  // It is there: checked when loaded.
  }
}

/// The sum of all bytes. One by one, of which the compiler makes less than of a sum of wider ones.
@inline(__always) func sum(_ bytes: SIMD16<UInt8>) -> Int {
  var sum = 0
  for index in 0..<16 { sum &+= Int(bytes[index]) }
  return sum
}

/// The sum of the first `count` bytes, fewer than 16; as many are readable.
@inline(__always) func sum(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
  // Without a branch: how many they are nobody can foresee.
  let words = UnsafeRawPointer(bytes).loadUnaligned(as: SIMD2<UInt64>.self)
  let (low, high) = (UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]))
  // Shifts by 64 or more leave nothing: those of the words that lie behind the count.
  let first = low & ~(UInt64.max << UInt64(8 &* count))
  let second = high & ~(UInt64.max << UInt64(8 &* max(0, count &- 8)))
  let lanes: UInt64 = 0x00ff_00ff_00ff_00ff
  let pairs = (first & lanes) &+ (first >> 8 & lanes) &+ (second & lanes) &+ (second >> 8 & lanes)
  return Int((pairs &* 0x0001_0001_0001_0001) >> 48)
}
