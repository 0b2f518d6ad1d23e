import CPrefetch

/// The fields of one part's records, decoded from the bytes they are stored in. Source: docs/format.md §6.
///
/// How a column is encoded stands in the shard's header; here is its data. Numbers of all columns lie together, a
/// row of bits a record. The bytes belong to whoever made this value and must outlive it.
package struct FieldColumns {
  package static let magic: UInt32 = 0x3146_5153  // "SQF1"
  package static let headerSize = 16
  /// Bytes behind the content that may be read, though not used.
  package static let slack = 16

  /// The data of a dictionary, text or spelled column.
  private struct Data {
    /// dictionary: codes. text, spelled: sizes, 255 for those that stand in `long`.
    var codes: UnsafePointer<UInt8>
    var texts: UnsafePointer<UInt8>
    /// text, spelled: per block of records where its texts start. dictionary: zeros.
    var starts: UnsafeMutablePointer<UInt32>
    /// Pairs of a record and the size of its text.
    var long: UnsafePointer<UInt8>
    var longCount: Int
  }

  private let count: Int
  private let contentSize: Int
  private let header: ShardHeader
  private let data: UnsafeMutablePointer<Data>
  private let shapeCodes: UnsafePointer<UInt8>
  private let rowFormatCodes: UnsafePointer<UInt8>
  /// u16 per block of records: bits of its rows.
  private let rowStarts: UnsafeMutablePointer<UInt32>
  private let rows: UnsafePointer<UInt8>
  private let rowBits: Int
  /// Of the last row, in bits: `rowBits` but for what fills up the last byte.
  private let rowEnd: Int
  private let derived: UnsafeMutableRawPointer
  /// Bytes that were derived.
  package let derivedSize: Int

  /// Checks `content`, of which ``slack`` bytes more are readable, and notes where everything lies.
  package init(
    content: UnsafeBufferPointer<UInt8>, records: Int, header: ShardHeader
  ) throws(FormatError) {
    var reader = ByteReader(content)
    let magic = try reader.read(UInt32.self)
    guard magic == Self.magic else { throw .wrongMagic(found: magic, expected: Self.magic) }
    count = Int(try reader.read(UInt32.self))
    guard count == records else {
      throw .invalid(reason: "has a count of \(count) where \(records) was promised", offset: 4)
    }
    let rowSize = Int(try reader.read(UInt32.self))
    let flags = try reader.read(UInt32.self)
    guard flags == 0 else { throw .invalid(reason: "has flags this version does not know", offset: 12) }
    self.header = header
    contentSize = content.count
    let blocks = (count + KeyBlocks.blockSize - 1) / KeyBlocks.blockSize
    let columns = header.dataCount
    let size = columns * MemoryLayout<Data>.stride + (columns + 1) * 4 * blocks + 8
    let derived = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    derivedSize = size
    data = derived.bindMemory(to: Data.self, capacity: max(1, columns))
    let starts = (derived + columns * MemoryLayout<Data>.stride).bindMemory(
      to: UInt32.self, capacity: (columns + 1) * blocks + 1)
    rowStarts = starts + columns * blocks
    self.derived = derived
    do throws(FormatError) {
      shapeCodes = try Self.codes(&reader, count, below: header.shapeCount, isPresent: header.shapeCount > 1)
      for slot in 0..<columns {
        let column = header.columns[Int(header.dataColumns[slot])]
        let own = starts + slot * blocks
        if column.encoding == .dictionary {
          own.initialize(repeating: 0, count: blocks)
          data[slot] = Data(
            codes: try Self.codes(&reader, count, below: Int(column.number), isPresent: true),
            texts: content.baseAddress!, starts: own, long: content.baseAddress!, longCount: 0)
        } else {
          data[slot] = try Self.texts(&reader, count, own, isMixed: column.kind == ShardHeader.mixedKinds)
        }
      }
      let numbers = header.numberCount
      rowFormatCodes = try Self.codes(
        &reader, count, below: header.rowFormatCount, isPresent: header.rowFormatCount > 1)
      let sizes = try reader.read(bytes: numbers > 0 ? 2 * blocks : 0).baseAddress!
      var bit = 0
      for block in 0..<(numbers > 0 ? blocks : 0) {
        rowStarts[block] = UInt32(truncatingIfNeeded: bit)
        bit &+= Int(sizes[2 * block]) | Int(sizes[2 * block + 1]) << 8
      }
      guard (bit + 7) / 8 == rowSize else { throw .invalid(reason: "rows do not fill their section", offset: 8) }
      rows = try reader.read(bytes: rowSize).baseAddress!
      rowBits = rowSize * 8
      rowEnd = bit
      guard bit & 7 == 0 || rows[rowSize - 1] >> UInt8(bit & 7) == 0 else {
        throw .invalid(reason: "has bits behind its last row", offset: reader.offset - 1)
      }
      guard reader.remaining == 0 else {
        throw .invalid(reason: "does not end with its last section", offset: reader.offset)
      }
    } catch {
      derived.deallocate()
      throw error
    }
  }

  /// Frees what was derived; the value must not be used after it.
  package func deallocate() { derived.deallocate() }

  /// The first block of records whose rows are not of the size that is given for them; nil if all are.
  ///
  /// No query asks: a wrong size gives other numbers and leads nowhere.
  package func firstMisplacedRows(keys: KeyBlocks) -> Int? {
    let numberCount = header.numberCount
    guard numberCount > 0 else { return nil }
    var bit = 0
    for record in 0..<count {
      let block = record / KeyBlocks.blockSize
      if record % KeyBlocks.blockSize == 0, bit != Int(rowStarts[block]) { return block - 1 }
      let context = keys.tailCount > 0 ? Int(keys.tails[record]) : 0
      let row = header.rowModels + (header.rowFormatCount > 1 ? Int(rowFormatCodes[record]) : 0) * numberCount
      for number in 0..<numberCount { bit += Int(header.models[Int(row[number])].range(context) & 0xff) }
    }
    return bit == rowEnd ? nil : (count - 1) / KeyBlocks.blockSize
  }

  /// The numbers of the columns' fields among the index's, in the columns' order.
  package var columnNames: [UInt32] { (0..<header.columnCount).map { UInt32(header.columns[$0].name) } }

  /// Calls `body` with each record's value of a field, or with its text where that is no number's.
  ///
  /// - Returns: false, without a call, unless every record has the field once and its column is one of numbers.
  package func forEachNumber(
    named name: Int, keys: KeyBlocks,
    _ body: (_ record: Int, _ value: Int64, _ format: NumberFormat, _ literal: UnsafeBufferPointer<UInt8>) -> Void
  ) -> Bool {
    let named = (0..<header.columnCount).filter { Int(header.columns[$0].name) == name }
    guard header.isPlain, named.count == 1, header.columns[named[0]].encoding == .number else { return false }
    let slot = Int(header.columns[named[0]].slot)
    let (models, numberCount) = (header.models, header.numberCount)
    var bit = 0
    for record in 0..<count {
      if record & (KeyBlocks.blockSize - 1) == 0 { bit = Int(rowStarts[record / KeyBlocks.blockSize]) }
      let context = keys.tailCount > 0 ? Int(keys.tails[record]) : 0
      let row = header.rowModels + (header.rowFormatCount > 1 ? Int(rowFormatCodes[record]) &* numberCount : 0)
      for number in 0..<numberCount {
        let model = models + Int(row[number])
        let range = model.pointee.range(context)
        let width = Int(range & 0xff)
        if number == slot {
          let value = model.pointee.base &+ Int64(range >> 32) &+ bits(at: bit, width)
          let literal = UnsafeBufferPointer(start: model.pointee.literal, count: Int(model.pointee.literalSize))
          body(record, value, RecordOutput.Field(value, number: model.pointee.word).format, literal)
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

  private static func texts(
    _ reader: inout ByteReader, _ count: Int, _ starts: UnsafeMutablePointer<UInt32>, isMixed: Bool
  ) throws(FormatError) -> Data {
    let offset = reader.offset
    let size = Int(try reader.read(UInt32.self))
    let longCount = Int(try reader.read(UInt32.self))
    let sizes = try reader.read(bytes: count).baseAddress!
    guard longCount <= count else { throw .invalid(reason: "\(longCount) long texts", offset: offset) }
    let long = try reader.read(bytes: 8 * longCount).baseAddress!
    let texts = try reader.read(bytes: size).baseAddress!
    var position = 0
    var nextLong = 0
    var shortest: UInt8 = 255
    for record in 0..<count {
      if record & (KeyBlocks.blockSize - 1) == 0 {
        starts[record / KeyBlocks.blockSize] = UInt32(truncatingIfNeeded: position)
      }
      let size = sizes[record]
      shortest = min(shortest, size)
      if size < 255 {
        position &+= Int(size)
      } else {
        guard nextLong < longCount, word(long, 2 * nextLong) == record, word(long, 2 * nextLong + 1) >= 255 else {
          throw .invalid(reason: "a long text without its size", offset: offset)
        }
        position += word(long, 2 * nextLong + 1)
        nextLong += 1
      }
    }
    guard position == size, nextLong == longCount, !isMixed || shortest > 0 else {
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
    return Data(codes: sizes, texts: texts, starts: starts, long: long, longCount: longCount)
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
        decode(run, keys, scratch, cells: output.fields + output.fieldCount, &output)
        for _ in run { output.endRecord(fields: columnCount) }
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
    if header.numberCount > 0 { decodeNumbers(run, keys, cells, stride, &output) }
    let limit = output.byteCount &+ run.count &* Self.recordLimit
    for index in 0..<stride {
      let column = header.columns + index
      let word = column.pointee.word
      var cell = cells + Int(column.pointee.cell)
      guard output.byteCount <= limit else {
        leaveOut(column, run.count, cell, stride, &output)
        continue
      }
      switch column.pointee.encoding {
      case .number: break
      case .tail:
        let (texts, ends) = (column.pointee.texts, column.pointee.ends)
        for record in run {
          let code = Int(keys.tails[record])
          let start = code == 0 ? 0 : Int(ends[code &- 1])
          let size = Int(ends[code]) &- start
          cell.initialize(to: .init(text: output.append(texts + start, size), size: size, column: word))
          cell += stride
        }
      case .spelled:
        let data = data[Int(column.pointee.slot)]
        var script = data.texts + textStart(data, run.lowerBound)
        let cased = scratch + keys.longestStem + 64
        // What stands before a stem is inside no word.
        scratch[15] = 0
        var cursor = StemCursor(keys, at: run.lowerBound, buffer: scratch + 16)
        var record = run.lowerBound
        while true {
          let scriptSize = textSize(data, record)
          let size = Spelling.write(
            stem: UnsafeBufferPointer(start: cursor.stem, count: cursor.stemSize), rule: column.pointee.variant,
            piece: column.pointee.piece, script: script, scriptSize, scratch: cased, to: &output)
          cell.initialize(to: .init(text: output.appendWritten(size), size: size, column: word))
          cell += stride
          script += scriptSize
          record &+= 1
          if record == run.upperBound { break }
          cursor.advance()
        }
      case .text:
        let data = data[Int(column.pointee.slot)]
        var text = data.texts + textStart(data, run.lowerBound)
        for record in run {
          let size = textSize(data, record)
          cell.initialize(to: append(text, size, column.pointee, &output))
          cell += stride
          text += size
        }
      case .dictionary:
        let codes = data[Int(column.pointee.slot)].codes
        let (texts, ends) = (column.pointee.texts, column.pointee.ends)
        for record in run {
          let code =
            column.pointee.variant == 0
            ? Int(codes[record]) : Int(codes[2 &* record]) | Int(codes[2 &* record &+ 1]) << 8
          let start = code == 0 ? 0 : Int(ends[code &- 1])
          cell.initialize(to: append(texts + start, Int(ends[code]) &- start, column.pointee, &output))
          cell += stride
        }
      case .constant:
        // All its fields are one text.
        let size = Int(column.pointee.number)
        let field = RecordOutput.Field(text: output.append(column.pointee.texts, size), size: size, column: word)
        for _ in run {
          cell.initialize(to: field)
          cell += stride
        }
      }
    }
  }

  /// Asks for the memory that decoding a record begins with, so that its pieces come side by side and not one after the
  /// other.
  @inline(__always) func prefetch(_ record: Int, keys: KeyBlocks) {
    let block = record >> KeyBlocks.blockShift
    for place in 0..<min(3, header.columnCount) { CPrefetch.prefetch(header.columns + place) }
    CPrefetch.prefetch(header.models)
    CPrefetch.prefetch(header.rowModels)
    CPrefetch.prefetch(rowFormatCodes + record)
    if header.numberCount > 0 {
      let row = rows + Int(rowStarts[block]) >> 3
      CPrefetch.prefetch(row)
      CPrefetch.prefetch(row + 64)
    }
    for slot in 0..<min(4, header.dataCount) {
      let data = data[slot]
      CPrefetch.prefetch(data.codes + record)
      CPrefetch.prefetch(data.texts + Int(data.starts[block]))
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

  @inline(__always)
  private func decodeNumbers(
    _ run: Range<Int>, _ keys: KeyBlocks, _ cells: UnsafeMutablePointer<RecordOutput.Field>, _ stride: Int,
    _ output: inout RecordOutput
  ) {
    let (models, numberCount) = (header.models, header.numberCount)
    let tails = keys.tailCount > 0 ? keys.tails : nil
    let formats = header.rowFormatCount > 1 ? rowFormatCodes : nil
    @inline(__always) func row(_ record: Int) -> UnsafePointer<UInt16> {
      guard let formats else { return header.rowModels }
      return header.rowModels + Int(formats[record]) &* numberCount
    }
    @inline(__always) func context(_ record: Int) -> Int {
      if let tails { Int(tails[record]) } else { 0 }
    }
    @inline(__always) func width(of records: Range<Int>) -> Int {
      var width = 0
      for record in records {
        let (row, context) = (row(record), context(record))
        for number in 0..<numberCount { width &+= Int(models[Int(row[number])].range(context) & 0xff) }
      }
      return width
    }
    // Rows have no sizes of their own: those before the first one are passed, or those up to the next block.
    let block = run.lowerBound >> KeyBlocks.blockShift
    let next = min((block &+ 1) << KeyBlocks.blockShift, count)
    var bit: Int
    if run.lowerBound & (KeyBlocks.blockSize - 1) <= KeyBlocks.blockSize / 2 {
      bit = Int(rowStarts[block]) &+ width(of: block << KeyBlocks.blockShift..<run.lowerBound)
    } else {
      // Of a file with wrong sizes this may be below nothing: then other numbers come out, from where there are some.
      bit = max(0, (next < count ? Int(rowStarts[block &+ 1]) : rowEnd) &- width(of: run.lowerBound..<next))
    }
    var cells = cells
    for record in run {
      if record & (KeyBlocks.blockSize - 1) == 0 { bit = Int(rowStarts[record / KeyBlocks.blockSize]) }
      let (row, context) = (row(record), context(record))
      for number in 0..<numberCount {
        let model = models + Int(row[number])
        let word = model.pointee.word
        let cell = cells + Int(model.pointee.cell)
        if word >> 56 != 0 {
          let range = model.pointee.range(context)
          let width = Int(range & 0xff)
          let value = model.pointee.base &+ Int64(range >> 32) &+ bits(at: bit, width)
          cell.initialize(to: .init(value, number: word))
          bit &+= width
        } else {
          let size = Int(model.pointee.literalSize)
          cell.initialize(to: .init(text: output.append(model.pointee.literal, size), size: size, column: word))
        }
      }
      cells += stride
    }
  }

  @inline(__always)
  private func append(
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
  @inline(__always) private func bits(at bit: Int, _ count: Int) -> Int64 {
    // Widths come from the file: a row that would begin behind the section reads what lies at its end, which is there.
    let at = min(bit, rowBits)
    let word = UInt64(littleEndian: UnsafeRawPointer(rows).loadUnaligned(fromByteOffset: at >> 3, as: UInt64.self))
    return Int64(truncatingIfNeeded: (word &>> UInt64(at & 7)) & ((1 &<< UInt64(count)) &- 1))
  }

  /// Where the text of a record starts among those of its column.
  @inline(__always) private func textStart(_ data: Data, _ record: Int) -> Int {
    var start = Int(data.starts[record / KeyBlocks.blockSize])
    for before in record / KeyBlocks.blockSize &* KeyBlocks.blockSize..<record { start &+= textSize(data, before) }
    return start
  }

  @inline(__always) private func textSize(_ data: Data, _ record: Int) -> Int {
    let size = data.codes[record]
    return size < 255 ? Int(size) : Self.longSize(data, record)
  }

  @inline(never) private static func longSize(_ data: Data, _ record: Int) -> Int {
    var low = 0
    var high = data.longCount
    while low < high {
      let middle = (low + high) / 2
      if word(data.long, 2 * middle) < record { low = middle + 1 } else { high = middle }
    }
    return word(data.long, 2 * low + 1)  // It is there: checked when loaded.
  }
}
