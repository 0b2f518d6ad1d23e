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
    /// text, spelled: per block of records where its texts start.
    var starts: UnsafeMutablePointer<UInt32>
    /// Pairs of a record and the size of its text.
    var long: UnsafePointer<UInt8>
    var longCount: Int
    /// Whether it is text or spelled.
    var isText: Bool
  }

  private let count: Int
  private let header: ShardHeader
  private let data: UnsafeMutablePointer<Data>
  private let shapeCodes: UnsafePointer<UInt8>
  private let rowFormatCodes: UnsafePointer<UInt8>
  /// u16 per block of records: bits of its rows.
  private let rowStarts: UnsafeMutablePointer<UInt32>
  private let rows: UnsafePointer<UInt8>
  private let rowBits: Int
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
      throw .invalid(reason: "holds \(count) records where \(records) were promised", offset: 4)
    }
    let rowSize = Int(try reader.read(UInt32.self))
    let flags = try reader.read(UInt32.self)
    guard flags == 0 else { throw .invalid(reason: "has flags this version does not know", offset: 12) }
    self.header = header
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
        data[slot] =
          column.encoding == .dictionary
          ? Data(
            codes: try Self.codes(&reader, count, below: Int(column.number), isPresent: true),
            texts: content.baseAddress!, starts: starts, long: content.baseAddress!, longCount: 0, isText: false)
          : try Self.texts(&reader, count, starts + slot * blocks, isMixed: column.kind == ShardHeader.mixedKinds)
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
      guard reader.remaining == 0 else {
        throw .invalid(reason: "has \(reader.remaining) bytes behind its last section", offset: reader.offset)
      }
    } catch {
      derived.deallocate()
      throw error
    }
  }

  /// Frees what was derived; the value must not be used after it.
  package func deallocate() { derived.deallocate() }

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
    return Data(codes: sizes, texts: texts, starts: starts, long: long, longCount: longCount, isText: true)
  }

  @inline(__always) private static func word(_ bytes: UnsafePointer<UInt8>, _ index: Int) -> Int {
    Int(UInt32(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
  }

  // MARK: Decoding

  /// Where the next record's text of a column starts, or the value of a number.
  private struct Position {
    var value: Int
    var model: Int
  }

  /// Appends records `range`, counted within the part, to `output`, every field's text as it came in.
  ///
  /// - Parameter scratch: At least ``KeyBlocks/longestStem`` + 64 bytes.
  package func decode(
    _ range: Range<Int>, keys: KeyBlocks, scratch: UnsafeMutablePointer<UInt8>, into result: inout RecordOutput
  ) {
    guard !range.isEmpty else { return }
    var output = result
    var cursor = StemCursor(keys, at: range.lowerBound, buffer: scratch)
    let header = header
    let dataCount = header.dataCount
    let numberCount = header.numberCount
    let hasTails = keys.tailCount > 0
    let columns = header.columns
    let models = header.models
    let rowModels = header.rowModels
    let shapeCount = header.shapeCount
    var shape = header.shape(0)
    let rowFormatCodes = header.rowFormatCount > 1 ? self.rowFormatCodes : nil
    withUnsafeTemporaryAllocation(of: Position.self, capacity: dataCount &+ numberCount &+ 1) { positions in
      // Walks to the first record wanted from the start of its block.
      let texts = positions.baseAddress!
      let numbers = texts + dataCount
      let block = range.lowerBound / KeyBlocks.blockSize
      let first = block * KeyBlocks.blockSize
      for slot in 0..<dataCount {
        var start = Int(data[slot].starts[block])
        if data[slot].isText { for record in first..<range.lowerBound { start &+= textSize(slot, record) } }
        texts[slot] = Position(value: start, model: 0)
      }
      var bit = 0
      if numberCount > 0 {
        bit = Int(rowStarts[block])
        for record in first..<range.lowerBound {
          let context = hasTails ? Int(keys.tails[record]) : 0
          let row = rowModels + (rowFormatCodes.map { Int($0[record]) } ?? 0) &* numberCount
          for number in 0..<numberCount { bit &+= models[Int(row[number])].range(context).width }
        }
      }
      var record = range.lowerBound
      while true {
        if numberCount > 0 {
          if record & (KeyBlocks.blockSize - 1) == 0 { bit = Int(rowStarts[record / KeyBlocks.blockSize]) }
          let context = hasTails ? Int(keys.tails[record]) : 0
          let row = rowModels + (rowFormatCodes.map { Int($0[record]) } ?? 0) &* numberCount
          var number = 0
          while number < numberCount {
            let model = Int(row[number])
            let (width, base) = models[model].range(context)
            numbers[number] = Position(value: Int(truncatingIfNeeded: base &+ bits(at: bit, width)), model: model)
            bit &+= width
            number &+= 1
          }
        }
        if shapeCount > 1 { shape = header.shape(self.shape(record)) }
        output.reserveRecord(fields: shape.count)
        for index in shape {
          let column = columns + Int(index)
          let (name, kind) = (column.pointee.name, column.pointee.kind)
          switch column.pointee.encoding {
          case .number:
            let position = numbers[Int(column.pointee.slot)]
            let model = models + position.model
            if model.pointee.format.type == 0 {
              output.append(model.pointee.literal, Int(model.pointee.literalSize), name: name, kind: kind)
            } else {
              output.append(Int64(position.value), model.pointee.format, name: name, kind: kind)
            }
          case .tail:
            let code = Int(keys.tails[record])
            let start = code == 0 ? 0 : Int(column.pointee.ends[code &- 1])
            output.append(
              column.pointee.texts + start, Int(column.pointee.ends[code]) &- start, name: name, kind: kind)
          case .spelled:
            let slot = Int(column.pointee.slot)
            let size = Spelling.write(
              stem: UnsafeBufferPointer(start: cursor.stem, count: cursor.stemSize), rule: column.pointee.variant,
              piece: column.pointee.piece, script: data[slot].texts + texts[slot].value, textSize(slot, record),
              to: &output)
            output.appendWritten(size, name: name, kind: kind)
          case .text:
            let slot = Int(column.pointee.slot)
            append(data[slot].texts + texts[slot].value, textSize(slot, record), name, kind, &output)
          case .dictionary:
            let codes = data[Int(column.pointee.slot)].codes
            let code =
              column.pointee.variant == 0
              ? Int(codes[record]) : Int(codes[2 &* record]) | Int(codes[2 &* record &+ 1]) << 8
            let start = code == 0 ? 0 : Int(column.pointee.ends[code &- 1])
            append(column.pointee.texts + start, Int(column.pointee.ends[code]) &- start, name, kind, &output)
          case .constant:
            output.append(column.pointee.texts, Int(column.pointee.number), name: name, kind: kind)
          }
        }
        output.endRecord()
        // The next record's texts; columns that this record's shape leaves out have a text all the same.
        for slot in 0..<dataCount where data[slot].isText { texts[slot].value &+= textSize(slot, record) }
        record &+= 1
        if record == range.upperBound { break }
        cursor.advance()
      }
    }
    result = output
  }

  @inline(__always)
  private func append(
    _ text: UnsafePointer<UInt8>, _ size: Int, _ name: UInt16, _ kind: UInt8, _ output: inout RecordOutput
  ) {
    if kind == ShardHeader.mixedKinds {
      // Not empty: checked when loaded.
      output.append(text + 1, size &- 1, name: name, kind: min(text[0], 2))
    } else {
      output.append(text, size, name: name, kind: kind)
    }
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
    return Int64(truncatingIfNeeded: (word >> UInt64(at & 7)) & ((1 << UInt64(count)) &- 1))
  }

  @inline(__always) private func textSize(_ slot: Int, _ record: Int) -> Int {
    let size = data[slot].codes[record]
    return size < 255 ? Int(size) : longSize(slot, record)
  }

  @inline(never) private func longSize(_ slot: Int, _ record: Int) -> Int {
    var low = 0
    var high = data[slot].longCount
    while low < high {
      let middle = (low + high) / 2
      if Self.word(data[slot].long, 2 * middle) < record { low = middle + 1 } else { high = middle }
    }
    // A dictionary's codes are no sizes: their column has no long ones.
    guard low < data[slot].longCount, Self.word(data[slot].long, 2 * low) == record else { return 0 }
    return Self.word(data[slot].long, 2 * low + 1)
  }
}
