/// The first frame of a shard file: its parts, its tails, and how the fields of its records are encoded.
/// Source: docs/format.md §4.
///
/// It keeps what queries use, laid out for them, and none of the bytes that it was read from.
package final class ShardHeader: @unchecked Sendable {
  package static let magic: UInt32 = 0x3448_5153  // "SQH4"
  package static let columnLimit = 4096
  /// The most number formats, row formats times number columns, and formats with ranges of their own times contexts: a few
  /// bytes of each are much in memory, and no builder comes near.
  private static let formatLimit = 4096
  private static let rowCellLimit = 1 << 16
  private static let rangeLimit = 1 << 18

  /// Column encodings, by the number that stands in the file.
  package enum Encoding: UInt8, BitwiseCopyable, Sendable {
    case constant = 0
    case dictionary = 1
    case text = 2
    case tail = 3
    case spelled = 4
    case number = 5
  }

  /// The kind of values of a column whose values differ in kind: each has it as the first byte of its text.
  package static let mixedKinds: UInt8 = 3

  struct Column: BitwiseCopyable {
    var encoding: Encoding
    var kind: UInt8
    /// Index into the index's field names.
    var name: UInt16
    /// Where its cell stands among those of a record.
    var cell: UInt16
    /// Unless it is one of numbers, the next that is none.
    var nextText: UInt16 = 0
    /// What all its fields have in common in a decoded record.
    var word: UInt64
    /// dictionary: codes are 16 bits wide. spelled: the case rule.
    var variant: UInt8 = 0
    /// spelled: which piece of the stem, 255 for all of it.
    var piece: UInt8 = 255
    /// Among the columns that have data in the parts (dictionary, text, spelled), or among the numbers.
    var slot: UInt16 = 0
    /// constant: size. dictionary, tail: count of texts. number: first of its formats.
    var number: UInt32 = 0
    /// number: count of its formats.
    var formatCount: UInt8 = 0
    /// dictionary, tail: size of the longest text.
    var longest: UInt32 = 0
    /// dictionary, tail: all texts have three bytes at most, and ``ends`` holds them themselves.
    var isShort = false
    /// They have two bytes each, and stand side by side: half as many lines of the processor's cache.
    var isPairs = false
    /// The texts of constant, dictionary and tail, unless they are short.
    var texts: UnsafePointer<UInt8>
    /// dictionary, tail: per text its end. A zero stands before the first. Of short ones, per text its bytes, the first
    /// one lowest, and above three of them its size; of pairs, two bytes each.
    var ends: UnsafePointer<UInt32>
  }

  /// A format of a number column and the ranges its values lie in. Two to a line of the processor's cache.
  struct Model: BitwiseCopyable {
    /// What all numbers of it have in common in a decoded record.
    var word: UInt64
    /// Added to every value. Type 0: the address of the text.
    var base: Int64
    /// Where its range stands, or, if contexts have their own, that of the first row. Type 0: one without bits.
    ///
    /// A range: the bits of a value, u8, and what is added to the base, u32; three bytes behind it can be read.
    var range: UnsafeRawPointer
    /// All ones if contexts have ranges of their own, else zero.
    var rowMask: UInt32
    /// Where the column's cell stands among those of a record, in bytes.
    var cell: UInt32

    /// The range in a row: the bits of a value in the lowest byte, what is added to the base in the four above it, anything
    /// in the rest.
    @inline(__always) func range(in row: UInt32) -> UInt64 {
      UInt64(littleEndian: range.loadUnaligned(fromByteOffset: Int(row & rowMask), as: UInt64.self))
    }

    /// The bits of a value alone.
    @inline(__always) func bits(in row: UInt32) -> Int {
      Int(range.load(fromByteOffset: Int(row & rowMask), as: UInt8.self))
    }

    /// Whether it is of type 0, a text whatever the value.
    var isLiteral: Bool { word >> 56 == 0 }
    /// Type 0: the text, before which its size stands. Else nothing.
    var literal: UnsafeBufferPointer<UInt8> {
      guard isLiteral, let text = UnsafeRawPointer(bitPattern: UInt(truncatingIfNeeded: base)) else {
        return UnsafeBufferPointer(start: nil, count: 0)
      }
      return UnsafeBufferPointer(
        start: text.assumingMemoryBound(to: UInt8.self), count: Int((text - 4).loadUnaligned(as: UInt32.self)))
    }
  }

  /// The ranges that values lie in, for each context in a row: a record's stand side by side.
  struct Ranges: BitwiseCopyable {
    /// Bytes of a range.
    static let width = 5
    /// Readable behind the last one, in bytes.
    static let slack = 3

    /// Per context the number of its row.
    let rows: UnsafePointer<UInt8>
    /// In bytes.
    let rowSize: UInt32
    let start: UnsafeRawPointer

    /// Where the row of a context begins, in bytes.
    @inline(__always) func row(_ context: Int) -> UInt32 { UInt32(rows[context]) &* rowSize }
  }

  /// A model's ranges, of the contexts that have their own.
  private struct OwnRanges: BitwiseCopyable {
    /// Per context a bit.
    var contexts: UnsafePointer<UInt8>
    /// Per range the bits of a value in the lowest byte, what is added to the base above it.
    var ranges: UnsafePointer<UInt64>
  }

  /// What leads to all that a header keeps: a plain value in the header's memory, which parts lead to without counting who does.
  package struct Layout: BitwiseCopyable {
    // What a query reads that has all of it cached stands side by side, in few lines of the processor's cache: there are as
    // many headers as shards, so that mostly nothing of one is there.
    /// Whether every record has every column once: then its fields are its cells.
    let isPlain: Bool
    /// Whether there is a model of type 0.
    let hasLiterals: Bool
    package let columnCount: Int
    /// Bytes that the header keeps in memory.
    let charge: Int
    let columns: UnsafePointer<Column>
    /// How many columns are no numbers, and the first of them: each names the next.
    let (textCount, firstText): (Int, Int)
    /// How many columns are numbers.
    let numberCount: Int
    /// Per row format and number column the model of the value.
    let rowModels: UnsafePointer<UInt16>
    let models: UnsafePointer<Model>
    let ranges: Ranges
    /// What a record's number is masked with to find its code: all ones, or zero where every record reads ``zero``.
    let (tailMask, formatMask): (Int, Int)
    /// What stands for the codes of records where there are none.
    let zero: UnsafePointer<UInt8>
    /// How many columns have data in the parts (dictionary, text, spelled), and below which, in file order.
    let dataCount: Int

    package let tailTable: UnsafePointer<TailTable>
    let dataColumns: UnsafePointer<UInt16>
    /// Per such column how its codes, or the sizes of its texts, are packed.
    let dataCodes: UnsafePointer<HuffmanCode>
    /// And how the bytes of its texts are; of a dictionary nothing.
    let textCodes: UnsafePointer<HuffmanCode>
    /// How the bytes of suffixes are; the numbers of tails, shapes and row formats.
    let (suffixCode, tailCode): (HuffmanCode, HuffmanCode)
    let (shapeCode, rowCode): (HuffmanCode, HuffmanCode)
    /// How many columns of small numbers are packed in a part's fields; how many columns have numbers there that are not.
    let (packedColumnCount, plainColumnCount): (Int, Int)
    let shapeCount: Int
    let shapeColumns: UnsafePointer<UInt16>
    let shapeEnds: UnsafePointer<UInt32>
    let rowFormatCount: Int

    /// The columns that a record of a shape has, in its own order.
    @inline(__always) func shape(_ shape: Int) -> UnsafeBufferPointer<UInt16> {
      let start = shape == 0 ? 0 : Int(shapeEnds[shape &- 1])
      return UnsafeBufferPointer(start: shapeColumns + start, count: Int(shapeEnds[shape]) &- start)
    }
  }

  package let parts: PartTable
  package let recordCount: Int
  package let layout: UnsafePointer<Layout>
  /// Bytes that it keeps in memory.
  package var charge: Int { layout.pointee.charge }
  package var columnCount: Int { layout.pointee.columnCount }
  private let runs: UnsafeMutableRawPointer?

  /// Checks a header and takes from its bytes what is used.
  ///
  /// - Parameter name: Gives a column's path its number among the index's field names; nil if it has none.
  package init(
    content bytes: UnsafeBufferPointer<UInt8>, records: Int, fileSize: Int, frameSize: Int,
    name: (UnsafeBufferPointer<UInt8>) -> Int?
  ) throws(FormatError) {
    // What is kept, and what is used here alone.
    let (arena, scratch) = (Arena(sharing: 480), Arena(sharing: 4 << 10))
    defer { Arena.deallocate(scratch.last) }
    do throws(FormatError) {
      var reader = ByteReader(bytes)
      let magic = try reader.read(UInt32.self)
      guard magic == Self.magic else { throw .wrongMagic(found: magic, expected: Self.magic) }
      recordCount = try reader.readVarint()
      guard recordCount == records else {
        throw .invalid(reason: "has a count of \(recordCount) where \(records) was promised", offset: 4)
      }
      let partCount = try reader.readVarint()
      let tailCount = try reader.readVarint()
      let columnCount = try reader.readVarint()
      let shapeCount = try reader.readVarint()
      let rowFormatCount = try reader.readVarint()
      guard partCount >= 1, partCount <= records, tailCount <= 256, columnCount <= Self.columnLimit, shapeCount >= 1,
        shapeCount <= 65536, rowFormatCount <= 256, records < UInt32.max, fileSize <= UInt32.max
      else { throw .invalid(reason: "counts beyond this version", offset: 4) }

      // Parts.
      // Room is made for what the bytes hold, not for what they claim.
      guard partCount <= reader.remaining / 14 else {
        throw .truncated(offset: reader.offset, needed: 14 * partCount, available: reader.remaining)
      }
      let parts = arena.allocate(PartTable.Row.self, partCount + 1)
      var (offset, first, boundEnd) = (frameSize, 0, 0)
      for index in 0..<partCount {
        let at = reader.offset
        let count = try reader.readVarint()
        let bound = try reader.readVarint()
        func frame() throws(FormatError) -> (size: Int, contentSize: Int, checksum: UInt32) {
          (try reader.readVarint(), try reader.readVarint(), try reader.read(UInt32.self))
        }
        let (keys, fields) = (try frame(), try frame())
        // The first part begins with the shard: at no bound and going on with nothing.
        guard count >= 1, count <= records - first, index > 0 || bound == 0, boundEnd + bound >> 1 <= bytes.count,
          keys.contentSize <= ZstdFrame.contentLimit, fields.contentSize <= ZstdFrame.contentLimit,
          keys.size <= ZstdFrame.sizeLimit(content: keys.contentSize),
          fields.size <= ZstdFrame.sizeLimit(content: fields.contentSize)
        else { throw .invalid(reason: "part \(index) is misplaced", offset: at) }
        // Where one of them is too large, what they come to is not what it has to be, below.
        parts[index] = PartTable.Row(
          firstRecord: UInt32(truncatingIfNeeded: first), offset: UInt32(truncatingIfNeeded: offset),
          bound: UInt32(truncatingIfNeeded: boundEnd << 1 | bound & 1), keysSize: UInt32(keys.size),
          keysContentSize: UInt32(keys.contentSize), fieldsContentSize: UInt32(fields.contentSize),
          keysChecksum: keys.checksum, fieldsChecksum: fields.checksum)
        boundEnd += bound >> 1
        offset += keys.size + fields.size
        first += count
      }
      guard first == records else { throw .invalid(reason: "parts of \(first) records", offset: reader.offset) }
      guard offset == fileSize else { throw .invalid(reason: "parts do not fill the file", offset: reader.offset) }
      parts[partCount] = PartTable.Row(
        firstRecord: UInt32(records), offset: UInt32(fileSize), bound: UInt32(boundEnd << 1), keysSize: 0,
        keysContentSize: 0, fieldsContentSize: 0, keysChecksum: 0, fieldsChecksum: 0)
      let bounds = try reader.read(bytes: boundEnd)
      let partHeads = arena.allocate(UInt64.self, partCount)
      self.parts = PartTable(
        count: partCount, heads: UnsafePointer(partHeads), rows: UnsafePointer(parts), bounds: arena.copy(bounds))
      for part in 0..<partCount { partHeads[part] = KeyBlocks.head(of: self.parts.bound(of: part)) }

      // Tails.
      let tailSize = tailCount > 0 ? try reader.readVarint() : 0
      var end = tailCount * tailSize
      var tailEnds: UnsafeMutablePointer<UInt16>?
      guard tailSize <= 255 else { throw .invalid(reason: "a tail of \(tailSize) bytes", offset: reader.offset) }
      if tailCount > 0, tailSize == 0 {
        let sizes = try reader.read(bytes: tailCount)
        let ends = arena.allocate(UInt16.self, tailCount)
        for tail in 0..<tailCount {
          guard sizes[tail] > 0 else { throw .invalid(reason: "a tail of 0 bytes", offset: reader.offset) }
          end += Int(sizes[tail])
          ends[tail] = UInt16(truncatingIfNeeded: end)
        }
        tailEnds = ends
      }
      let tailTable = TailTable(
        count: tailCount, texts: arena.copy(try reader.read(bytes: end)), ends: UnsafePointer(tailEnds), each: tailSize)
      let codeScratch = scratch.allocate(UInt16.self, HuffmanCode.scratchCapacity)
      func huffmanCode(below limit: Int) throws(FormatError) -> HuffmanCode {
        try HuffmanCode(&reader, limit: limit, scratch: codeScratch) {
          UnsafeMutableRawPointer(arena.allocate(UInt16.self, ($0 + 1) / 2))
        }
      }
      let tailCode = tailCount > 1 ? try huffmanCode(below: tailCount) : HuffmanCode()
      let suffixCode = try huffmanCode(below: 256)

      // Names and shapes.
      let names = scratch.allocate(UInt16.self, columnCount)
      for column in 0..<columnCount {
        let at = reader.offset
        guard let number = name(try reader.read(bytes: try reader.readVarint())) else {
          throw .invalid(reason: "has a field that the manifest does not name", offset: at)
        }
        // A handful of columns: looking through them costs less than the names did.
        for other in 0..<column where Int(names[other]) == number {
          throw .invalid(reason: "two columns of one field", offset: at)
        }
        names[column] = UInt16(truncatingIfNeeded: number)
      }
      // A shape has two bytes in the file at least, so these are bounded by its size.
      guard shapeCount <= bytes.count else {
        throw .truncated(offset: reader.offset, needed: shapeCount, available: bytes.count)
      }
      let shapeEnds = arena.allocate(UInt32.self, shapeCount)
      var shapeFields = scratch.vector(of: UInt16.self, capacity: columnCount)
      // Per column one more than the last shape that had it.
      let shapeOf = scratch.allocate(UInt32.self, columnCount)
      shapeOf.initialize(repeating: 0, count: columnCount)
      for shape in 0..<shapeCount {
        let fields = try reader.readVarint()
        guard fields <= columnCount else {
          throw .invalid(reason: "a shape of more fields than there are columns", offset: reader.offset)
        }
        for _ in 0..<fields {
          let column = try reader.readVarint()
          guard column < columnCount else {
            throw .invalid(reason: "a shape names column \(column)", offset: reader.offset)
          }
          guard Int(shapeOf[column]) != shape + 1 else {
            throw .invalid(reason: "a shape has column \(column) twice", offset: reader.offset)
          }
          shapeOf[column] = UInt32(shape + 1)
          shapeFields.append(UInt16(column))
        }
        shapeEnds[shape] = UInt32(shapeFields.count)
      }
      let shapeCode = 2...256 ~= shapeCount ? try huffmanCode(below: shapeCount) : HuffmanCode()
      let isPlain = shapeCount == 1 && shapeFields.count == columnCount
      let cells = scratch.allocate(UInt16.self, columnCount)
      for index in 0..<columnCount { cells[isPlain ? Int(shapeFields.start[index]) : index] = UInt16(index) }
      let shapeColumns = arena.copy(shapeFields)

      // Columns.
      let columns = arena.allocate(Column.self, columnCount)
      var models = scratch.vector(of: Model.self, capacity: 16)
      // Of each model the bits of a value, where it has no range of its own.
      var widths = scratch.vector(of: UInt8.self, capacity: 16)
      // Which columns are numbers and which are not, and of those which have data in the parts.
      let numberColumns = scratch.allocate(UInt16.self, columnCount)
      var dataColumns = scratch.vector(of: UInt16.self, capacity: 4)
      var dataCodes = scratch.vector(of: HuffmanCode.self, capacity: 4)
      var textCodes = scratch.vector(of: HuffmanCode.self, capacity: 4)
      var (numberCount, textCount) = (0, 0)
      var (firstText, lastText) = (0, 0)
      var packedColumns = 0
      var hasLiterals = false
      let contexts = max(1, tailCount)
      var ownRanges = scratch.vector(of: OwnRanges.self, capacity: 16)
      // Per case rule one more than the first column of the tails' texts by it.
      let casedColumns = scratch.allocate(UInt16.self, Int(Self.ownTexts))
      casedColumns.initialize(repeating: 0, count: Int(Self.ownTexts))
      let zero = arena.allocate(UInt8.self, 1)
      zero.initialize(to: 0)
      let nothing = UnsafePointer(zero)
      for index in 0..<columnCount {
        let at = reader.offset
        let kind = try reader.read(UInt8.self)
        let code = try reader.read(UInt8.self)
        guard let encoding = Encoding(rawValue: code), kind <= Self.mixedKinds,
          kind < Self.mixedKinds || encoding == .dictionary || encoding == .text
        else { throw .invalid(reason: "a column of kind \(kind) in encoding \(code)", offset: at) }
        var column = Column(
          encoding: encoding, kind: kind, name: names[index], cell: cells[index],
          word: RecordOutput.Field.column(name: names[index], kind: kind), texts: nothing,
          ends: UnsafePointer(bitPattern: 8)!)
        if encoding != .number {
          if textCount == 0 { firstText = index } else { columns[lastText].nextText = UInt16(index) }
          lastText = index
          textCount += 1
        }
        switch encoding {
        case .constant:
          column.number = UInt32(try reader.readVarint())
          column.texts = arena.copy(try reader.read(bytes: Int(column.number)))
        case .tail:
          guard tailCount > 0 else { throw .invalid(reason: "texts of tails where there are none", offset: at) }
          let rule = try reader.read(UInt8.self)
          guard rule <= Self.ownTexts else { throw .invalid(reason: "case rule \(rule)", offset: at) }
          if rule == Self.ownTexts {
            try Self.readTexts(tailCount, of: &column, &reader, arena, scratch)
          } else if casedColumns[Int(rule)] > 0 {
            // However many columns a file says this of, they are made once.
            let same = columns[Int(casedColumns[Int(rule)]) - 1]
            (column.number, column.longest) = (same.number, same.longest)
            (column.isShort, column.isPairs) = (same.isShort, same.isPairs)
            (column.texts, column.ends) = (same.texts, same.ends)
          } else {
            Self.putTails(tailTable, rule, in: &column, arena, scratch)
            casedColumns[Int(rule)] = UInt16(index + 1)
          }
        case .dictionary:
          let count = try reader.readVarint()
          guard count >= 1, count <= 65536 else { throw .invalid(reason: "\(count) texts in a column", offset: at) }
          try Self.readTexts(count, of: &column, &reader, arena, scratch)
          column.variant = count > 256 ? 1 : 0
          column.slot = UInt16(dataColumns.count)
          let code = 2...256 ~= count ? try huffmanCode(below: count) : HuffmanCode()
          dataCodes.append(code)
          textCodes.append(HuffmanCode())
          packedColumns += code.isPresent ? 1 : 0
          dataColumns.append(UInt16(index))
        case .text, .spelled:
          if encoding == .spelled {
            column.variant = try reader.read(UInt8.self)
            column.piece = try reader.read(UInt8.self)
            guard column.variant <= 2 else { throw .invalid(reason: "case rule \(column.variant)", offset: at) }
          }
          column.slot = UInt16(dataColumns.count)
          let code = try huffmanCode(below: 256)
          dataCodes.append(code)
          textCodes.append(try huffmanCode(below: 256))
          packedColumns += code.isPresent ? 1 : 0
          dataColumns.append(UInt16(index))
        case .number:
          column.slot = UInt16(numberCount)
          numberColumns[numberCount] = UInt16(index)
          numberCount += 1
          column.number = UInt32(models.count)
          column.formatCount = try reader.read(UInt8.self)
          guard column.formatCount >= 1, models.count + Int(column.formatCount) <= Self.formatLimit else {
            throw .invalid(reason: "\(models.count + Int(column.formatCount)) number formats", offset: at)
          }
          for _ in 0..<column.formatCount {
            let format = NumberFormat(
              type: try reader.read(UInt8.self), a: try reader.read(UInt8.self), b: try reader.read(UInt8.self))
            guard format.isKnown else { throw .invalid(reason: "number format \(format.type)", offset: at) }
            var model = Model(
              word: RecordOutput.Field.number(format, column: column.word), base: 0, range: nothing, rowMask: 0,
              cell: UInt32(column.cell) * UInt32(MemoryLayout<RecordOutput.Field>.stride))
            if format.type == 0 {
              hasLiterals = true
              let size = try reader.readVarint()
              let text = try reader.read(bytes: size)
              model.base = Int64(Int(bitPattern: arena.copyWithSize(text)))
              widths.append(0)
            } else {
              model.base = try reader.readSignedVarint()
              let width = try reader.read(UInt8.self)
              let bits = width & 0x7f
              guard bits <= 56 else { throw .invalid(reason: "a value of \(bits) bits", offset: at) }
              if width & 0x80 != 0 {
                ownRanges.append(try Self.readRanges(contexts, &reader, scratch))
                guard ownRanges.count * contexts <= Self.rangeLimit else {
                  throw .invalid(reason: "\(ownRanges.count) formats with ranges of their own", offset: at)
                }
                model.rowMask = .max
              }
              widths.append(bits)
            }
            models.append(model)
          }
        }
        (columns + index).initialize(to: column)
      }
      guard (numberCount == 0) == (rowFormatCount == 0) else {
        throw .invalid(reason: "rows without numbers or numbers without rows", offset: 24)
      }
      guard rowFormatCount * numberCount <= Self.rowCellLimit else {
        throw .invalid(reason: "\(rowFormatCount) row formats of \(numberCount) columns", offset: reader.offset)
      }
      let rowModels = arena.allocate(UInt16.self, rowFormatCount * numberCount)
      var rowBits = BitReader(reader)
      for row in 0..<rowFormatCount {
        for number in 0..<numberCount {
          let column = columns[Int(numberColumns[number])]
          let code = try rowBits.read(8 - (column.formatCount - 1).leadingZeroBitCount)
          guard code < column.formatCount else {
            throw .invalid(reason: "a row names format \(code)", offset: reader.offset)
          }
          rowModels[row * numberCount + number] = UInt16(column.number) + UInt16(code)
        }
      }
      try rowBits.finish(&reader)
      let rowCode = rowFormatCount > 1 ? try huffmanCode(below: rowFormatCount) : HuffmanCode()
      guard reader.remaining == 0 else {
        throw .invalid(reason: "does not end with its last section", offset: reader.offset)
      }
      let ranges = Self.ranges(ownRanges, contexts, of: models, widths, in: arena, scratch)
      let tails = arena.allocate(TailTable.self, 1)
      tails.initialize(to: tailTable)
      let (keptModels, keptCodes) = (arena.copy(models), arena.copy(dataCodes))
      let (keptColumns, keptTextCodes) = (arena.copy(dataColumns), arena.copy(textCodes))
      let layout = arena.allocate(Layout.self, 1)
      layout.initialize(
        to: Layout(
          isPlain: isPlain, hasLiterals: hasLiterals, columnCount: columnCount, charge: arena.size,
          columns: UnsafePointer(columns), textCount: textCount, firstText: firstText, numberCount: numberCount,
          rowModels: UnsafePointer(rowModels), models: keptModels, ranges: ranges, tailMask: tailCount > 0 ? -1 : 0,
          formatMask: rowFormatCount > 1 ? -1 : 0, zero: UnsafePointer(zero), dataCount: dataColumns.count,
          tailTable: UnsafePointer(tails), dataColumns: keptColumns, dataCodes: keptCodes, textCodes: keptTextCodes,
          suffixCode: suffixCode, tailCode: tailCode, shapeCode: shapeCode, rowCode: rowCode,
          packedColumnCount: packedColumns + (shapeCode.isPresent ? 1 : 0) + (rowCode.isPresent ? 1 : 0),
          plainColumnCount: dataColumns.count - packedColumns, shapeCount: shapeCount, shapeColumns: shapeColumns,
          shapeEnds: UnsafePointer(shapeEnds), rowFormatCount: rowFormatCount))
      self.layout = UnsafePointer(layout)
    } catch {
      Arena.deallocate(arena.last)
      throw error
    }
    runs = arena.last
  }

  deinit { Arena.deallocate(runs) }

  /// Where a tail column's case rule would stand: its texts are its own.
  package static let ownTexts: UInt8 = 3

  /// Reads a dictionary's texts, or one per tail: their sizes, then they themselves.
  private static func readTexts(
    _ count: Int, of column: inout Column, _ reader: inout ByteReader, _ arena: Arena, _ scratch: Arena
  ) throws(FormatError) {
    let at = reader.offset
    // A size has a byte at least.
    guard count <= reader.remaining else {
      throw .truncated(offset: at, needed: count, available: reader.remaining)
    }
    let ends = scratch.allocate(UInt32.self, count + 1) + 1
    ends[-1] = 0
    var end = 0
    for text in 0..<count {
      let size = try reader.readVarint()
      column.longest = max(column.longest, UInt32(truncatingIfNeeded: size))
      guard column.kind < mixedKinds || size > 0 else { throw .invalid(reason: "a text without its kind", offset: at) }
      end += size
      guard end <= reader.count else {
        throw .truncated(offset: reader.offset, needed: end, available: reader.remaining)
      }
      ends[text] = UInt32(end)
    }
    let texts = try reader.read(bytes: end)
    put(texts, ends, count, in: &column, arena)
    if column.kind == mixedKinds {
      for text in 0..<count {
        let first = texts[text == 0 ? 0 : Int(ends[text - 1])]
        guard first < mixedKinds else { throw .invalid(reason: "a text of kind \(first)", offset: at) }
      }
    }
  }

  /// The texts of a column that are the tails by a case rule.
  private static func putTails(
    _ tails: TailTable, _ rule: UInt8, in column: inout Column, _ arena: Arena, _ scratch: Arena
  ) {
    let ends = scratch.allocate(UInt32.self, tails.count + 1) + 1
    ends[-1] = 0
    let texts = scratch.allocate(UInt8.self, tails.size + 16)
    let letters = Spelling.Case(rule)
    // All at once, as if they were one text: before it stands the head of its run at least, behind it what a copy has
    // there. Then the first byte of each, which stands behind no other.
    var offset = 0
    while offset < tails.size {
      letters.apply(to: tails.texts + offset, texts + offset)
      offset &+= 16
    }
    var (start, longest) = (0, 0)
    for tail in 0..<tails.count {
      let end = tails.end(tail)
      texts[start] = Spelling.cased(tails.texts[start], behind: 0, rule)
      ends[tail] = UInt32(truncatingIfNeeded: end)
      longest = max(longest, end &- start)
      start = end
    }
    column.longest = UInt32(truncatingIfNeeded: longest)
    put(UnsafeBufferPointer(start: texts, count: start), ends, tails.count, in: &column, arena)
  }

  /// Keeps texts in memory, those of three bytes or fewer instead of their ends.
  ///
  /// - Parameter ends: Per text its end; a zero stands before the first.
  private static func put(
    _ texts: UnsafeBufferPointer<UInt8>, _ ends: UnsafePointer<UInt32>, _ count: Int, in column: inout Column,
    _ arena: Arena
  ) {
    column.number = UInt32(count)
    column.isShort = column.longest <= 3 && count <= 256 && column.kind < mixedKinds
    // Where the longest has two bytes, this many are had only if each has.
    column.isPairs = column.isShort && column.longest == 2 && texts.count == 2 &* count
    guard column.isShort else {
      let kept = arena.allocate(UInt32.self, count + 1)
      kept.copy(from: ends - 1, count: count + 1)
      column.ends = UnsafePointer(kept + 1)
      column.texts = arena.copy(texts)
      return
    }
    let words = arena.allocate(UInt32.self, column.isPairs ? (count + 1) / 2 : count)
    column.ends = UnsafePointer(words)
    if column.isPairs {
      return UnsafeMutableRawPointer(words).copyMemory(from: texts.baseAddress!, byteCount: texts.count)
    }
    var start = 0
    for text in 0..<count {
      let end = Int(ends[text])
      let size = UInt32(truncatingIfNeeded: end &- start)
      var word: UInt32 = 0
      if start &+ 4 <= texts.count {
        let four = UnsafeRawPointer(texts.baseAddress! + start).loadUnaligned(as: UInt32.self)
        word = UInt32(littleEndian: four) & (1 &<< (8 &* size) &- 1)
      } else {
        for index in (start..<end).reversed() { word = word &<< 8 | UInt32(texts[index]) }
      }
      words[text] = word | size &<< 24
      start = end
    }
  }

  /// Reads a format's ranges of its own: which contexts have one, and for each the bits of a value and what is added.
  private static func readRanges(
    _ contexts: Int, _ reader: inout ByteReader, _ scratch: Arena
  ) throws(FormatError) -> OwnRanges {
    let at = reader.offset
    let flags = try reader.read(bytes: (contexts + 7) / 8)
    var count = 0
    for byte in flags { count += byte.nonzeroBitCount }
    guard contexts & 7 == 0 || flags[flags.count - 1] >> UInt8(contexts & 7) == 0 else {
      throw .invalid(reason: "a range of context \(contexts) and none behind it", offset: at)
    }
    let least = UInt64(try reader.read(UInt8.self))
    let excess = UInt64(try reader.read(UInt8.self))
    let (most, kept) = (UInt64(try reader.read(UInt8.self)), UInt64(try reader.read(UInt8.self)))
    guard excess <= 6, most <= 32 else {
      throw .invalid(reason: "ranges of \(excess) and \(most) bits", offset: reader.offset)
    }
    let ranges = scratch.allocate(UInt64.self, count)
    var bits = BitReader(reader)
    for index in 0..<count {
      // Of 38 bits at most: both with one look. Whether they are there is seen where the reader is moved behind them.
      let word = bits.next
      let width = least &+ word & (1 &<< excess &- 1)
      guard width <= 56 else { throw .invalid(reason: "a value of \(width) bits", offset: at) }
      // What is added is a multiple of what all but the highest bits of a value can say.
      let zeros = min(width > kept ? width &- kept : 0, most)
      let added = (word &>> excess) &<< zeros & (1 &<< most &- 1)
      ranges[index] = width | added &<< 8
      bits.pass(Int(truncatingIfNeeded: excess &+ most &- zeros))
    }
    try bits.finish(&reader)
    return OwnRanges(contexts: flags.baseAddress!, ranges: UnsafePointer(ranges))
  }

  /// Lays the ranges out, and tells the models where theirs are.
  ///
  /// - Parameter widths: Per model the bits of a value, where it has no range of its own.
  private static func ranges(
    _ own: Vector<OwnRanges>, _ contexts: Int, of models: Vector<Model>, _ widths: Vector<UInt8>, in arena: Arena,
    _ scratch: Arena
  ) -> Ranges {
    // Contexts that have no range of their own share a row.
    let rows = arena.allocate(UInt8.self, contexts)
    let hasOwn = scratch.allocate(UInt8.self, (contexts + 7) / 8)
    hasOwn.initialize(repeating: 0, count: (contexts + 7) / 8)
    for index in 0..<own.count {
      for byte in 0..<(contexts + 7) / 8 { hasOwn[byte] |= own.start[index].contexts[byte] }
    }
    func isOwn(_ context: Int) -> Bool { hasOwn[context &>> 3] &>> UInt8(context & 7) & 1 == 1 }
    var (rowCount, common) = (0, 0)
    while common < contexts, isOwn(common) { common &+= 1 }
    for context in 0..<contexts {
      let isOwn = isOwn(context)
      rows[context] = UInt8(truncatingIfNeeded: isOwn ? rowCount : common)
      rowCount &+= isOwn || context == common ? 1 : 0
    }
    let rowSize = own.count * Ranges.width
    let fixed = rowCount * rowSize
    let size = fixed + (models.count - own.count) * Ranges.width + Ranges.slack
    let start = UnsafeMutableRawPointer(arena.allocate(UInt8.self, size))
    start.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    var (next, place) = (fixed, 0)
    for index in 0..<models.count {
      let model = models.start + index
      let at = model.pointee.rowMask == 0 ? next : place
      start.storeBytes(of: widths.start[index], toByteOffset: at, as: UInt8.self)
      model.pointee.range = UnsafeRawPointer(start + at)
      if model.pointee.rowMask == 0 { next += Ranges.width } else { place += Ranges.width }
    }
    // The first row has what holds where there is no range of one's own, and so has each until its own are put in.
    var filled = 1
    while filled < rowCount {
      // As many at once as are there.
      let more = min(filled, rowCount &- filled)
      (start + filled &* rowSize).copyMemory(from: start, byteCount: more &* rowSize)
      filled &+= more
    }
    for index in 0..<own.count {
      var range = own.start[index].ranges
      for byte in 0..<(contexts + 7) / 8 {
        var flags = own.start[index].contexts[byte]
        while flags != 0 {
          let row = Int(rows[8 &* byte &+ flags.trailingZeroBitCount])
          let at = start + (row &* rowSize &+ index &* Ranges.width)
          at.storeBytes(of: UInt8(truncatingIfNeeded: range.pointee), as: UInt8.self)
          at.storeBytes(of: UInt32(truncatingIfNeeded: range.pointee >> 8), toByteOffset: 1, as: UInt32.self)
          flags &= flags - 1
          range += 1
        }
      }
    }
    return Ranges(rows: UnsafePointer(rows), rowSize: UInt32(rowSize), start: UnsafeRawPointer(start))
  }

  /// Runs of plain memory that go together, each with the address of the one before at its beginning. What that takes
  /// is in the size, and stands for what malloc and the header itself take beside it. What is small shares runs.
  private final class Arena {
    private(set) var last: UnsafeMutableRawPointer?
    private(set) var size = 0
    /// What is left of the run that is shared, and the most that is left of one before it.
    private var free: UnsafeMutableRawPointer?
    private var room = 0
    private var (otherFree, otherRoom): (UnsafeMutableRawPointer?, Int) = (nil, 0)
    private static let headSize = 16
    /// Bytes of a run that is shared.
    private let sharedSize: Int

    init(sharing bytes: Int) { sharedSize = bytes }

    func allocate<T: BitwiseCopyable>(_: T.Type, _ count: Int) -> UnsafeMutablePointer<T> {
      // A multiple of what any of them is aligned to.
      let bytes = (max(1, count) * MemoryLayout<T>.stride + 7) & ~7
      if bytes <= otherRoom, room < bytes || otherRoom < room { exchange() }
      if bytes > room {
        if bytes > sharedSize / 2 { return run(of: bytes).bindMemory(to: T.self, capacity: max(1, count)) }
        if room > otherRoom { exchange() }
        (free, room) = (run(of: sharedSize), sharedSize)
      }
      defer {
        room -= bytes
        free = free! + bytes
      }
      return free!.bindMemory(to: T.self, capacity: max(1, count))
    }

    private func exchange() { (free, room, otherFree, otherRoom) = (otherFree, otherRoom, free, room) }

    private func run(of bytes: Int) -> UnsafeMutableRawPointer {
      let run = UnsafeMutableRawPointer.allocate(byteCount: Self.headSize + bytes, alignment: 16)
      run.initializeMemory(as: UnsafeMutableRawPointer?.self, to: last)
      last = run
      size += Self.headSize + bytes
      return run + Self.headSize
    }

    /// Texts, with room behind them that may be read.
    func copy(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafePointer<UInt8> {
      let copy = allocate(UInt8.self, bytes.count + RecordOutput.slack)
      if let start = bytes.baseAddress { copy.copy(from: start, count: bytes.count) }
      (copy + bytes.count).update(repeating: 0, count: RecordOutput.slack)
      return UnsafePointer(copy)
    }

    /// A text, before which its size stands, 32 bits.
    func copyWithSize(_ text: UnsafeBufferPointer<UInt8>) -> UnsafePointer<UInt8> {
      let copy = allocate(UInt8.self, 4 + text.count + RecordOutput.slack)
      UnsafeMutableRawPointer(copy).storeBytes(of: UInt32(text.count), as: UInt32.self)
      if let start = text.baseAddress { (copy + 4).copy(from: start, count: text.count) }
      (copy + 4 + text.count).update(repeating: 0, count: RecordOutput.slack)
      return UnsafePointer(copy + 4)
    }

    func vector<T: BitwiseCopyable>(of _: T.Type, capacity: Int) -> Vector<T> {
      Vector(arena: self, start: allocate(T.self, max(1, capacity)), capacity: max(1, capacity))
    }

    func copy<T: BitwiseCopyable>(_ vector: Vector<T>) -> UnsafePointer<T> {
      let run = allocate(T.self, vector.count)
      run.copy(from: vector.start, count: vector.count)
      return UnsafePointer(run)
    }

    static func deallocate(_ last: UnsafeMutableRawPointer?) {
      var run = last
      while let given = run {
        run = given.load(as: UnsafeMutableRawPointer?.self)
        given.deallocate()
      }
    }
  }

  /// What there is no saying of beforehand how much it is. Grows by doubling.
  private struct Vector<T: BitwiseCopyable> {
    let arena: Arena
    private(set) var start: UnsafeMutablePointer<T>
    private(set) var count = 0
    private var capacity: Int

    init(arena: Arena, start: UnsafeMutablePointer<T>, capacity: Int) {
      (self.arena, self.start, self.capacity) = (arena, start, capacity)
    }

    mutating func append(_ value: T) {
      if count == capacity {
        let grown = arena.allocate(T.self, 2 * capacity)
        grown.copy(from: start, count: count)
        (start, capacity) = (grown, 2 * capacity)
      }
      (start + count).initialize(to: value)
      count += 1
    }
  }
}
