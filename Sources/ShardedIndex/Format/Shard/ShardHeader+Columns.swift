extension ShardHeader {
  /// The columns of a header during parsing, with the data of their numbers and texts.
  @safe struct ColumnTable {
    let columns: UnsafeMutablePointer<Column>
    /// The address in the place of missing texts and codes.
    let zero: UnsafePointer<UInt8>
    private(set) var models: ArenaList<Model>
    /// The bits of a value in each model without a range of its own.
    private(set) var widths: ArenaList<UInt8>
    /// The ranges of the models with their own ranges.
    private(set) var ownRanges: ArenaList<OwnRanges>
    /// The columns of numbers, and the columns with data in the parts.
    private(set) var numberColumns: ArenaList<UInt16>
    private(set) var dataColumns: ArenaList<UInt16>
    private(set) var dataCodes: ArenaList<HuffmanCode>
    private(set) var textCodes: ArenaList<HuffmanCode>
    /// The number of columns that are not of numbers, and the first such column.
    private(set) var (textCount, firstText) = (0, 0)
    private var lastText = 0
    /// The number of packed columns of small numbers.
    private(set) var packedCount = 0
    private(set) var hasLiterals = false
    /// For each case rule, the first column of suffix fields by that rule, plus 1; 0 if there is none.
    private let casedColumns: UnsafeMutablePointer<UInt16>

    var numberCount: Int { unsafe numberColumns.count }

    /// The most number formats, and the most formats with ranges of their own times contexts. Each takes a few bytes of
    /// a file and much memory; builders stay far below.
    private static let formatLimit = 4096
    private static let rangeLimit = 1 << 18

    init(
      _ reader: inout ByteReader, _ counts: HeaderCounts, _ names: ArenaList<UInt16>, _ shapes: Shapes,
      _ suffixFields: SuffixFieldTable,
      _ memory: inout ParsingMemory
    ) throws(FormatError) {
      unsafe columns = memory.kept.allocate(Column.self, counts.columns)
      unsafe models = ArenaList(capacity: 16, in: &memory.scratch)
      unsafe widths = ArenaList(capacity: 16, in: &memory.scratch)
      unsafe ownRanges = ArenaList(capacity: 16, in: &memory.scratch)
      unsafe numberColumns = ArenaList(capacity: counts.columns, in: &memory.scratch)
      unsafe dataColumns = ArenaList(capacity: 4, in: &memory.scratch)
      unsafe dataCodes = ArenaList(capacity: 4, in: &memory.scratch)
      unsafe textCodes = ArenaList(capacity: 4, in: &memory.scratch)
      unsafe casedColumns = memory.scratch.allocate(repeating: 0 as UInt16, Int(ShardHeader.ownTexts))
      unsafe zero = memory.kept.copy(0 as UInt8)
      for index in 0..<counts.columns {
        var column = unsafe try readKind(&reader, name: names[index], cell: shapes.cells[index])
        if column.encoding != .number { chain(index) }
        try readEncoding(&reader, &column, index, suffixFields, counts.contexts, &memory)
        unsafe (columns + index).initialize(to: column)
      }
    }

    private func readKind(_ reader: inout ByteReader, name: UInt16, cell: UInt16) throws(FormatError) -> Column {
      let at = reader.offset
      let kind = try reader.read(UInt8.self)
      let code = try reader.read(UInt8.self)
      guard let encoding = ColumnEncoding(rawValue: code), kind <= ShardHeader.mixedKinds,
        kind < ShardHeader.mixedKinds || encoding == .dictionary || encoding == .text
      else { throw .invalid(reason: "has a column of kind \(kind) in encoding \(code)", offset: at) }
      return unsafe Column(
        encoding: encoding, kind: kind, name: name, cell: cell,
        word: RecordOutput.DecodedField.column(name: name, kind: kind), texts: zero, ends: .init(bitPattern: 8)!)
    }

    /// Links a column that is not of numbers behind the previous one.
    private mutating func chain(_ index: Int) {
      if textCount == 0 { firstText = index } else { unsafe columns[lastText].nextText = UInt16(index) }
      lastText = index
      textCount += 1
    }

    /// Reads the data behind the kind and the encoding of a column.
    private mutating func readEncoding(
      _ reader: inout ByteReader, _ column: inout Column, _ index: Int, _ suffixFields: SuffixFieldTable,
      _ contexts: Int,
      _ memory: inout ParsingMemory
    ) throws(FormatError) {
      // The offset of the column's kind.
      let at = reader.offset - 2
      switch column.encoding {
      case .constant:
        column.number = UInt32(try reader.readVarint())
        unsafe column.texts = memory.kept.copy(text: try reader.readSpan(Int(column.number)))
      case .suffixField:
        guard suffixFields.count > 0 else {
          throw .invalid(reason: "has texts of suffix fields, and no suffix fields", offset: at)
        }
        try readSuffixFieldTexts(&reader, &column, index, suffixFields, &memory)
      case .dictionary:
        let count = try reader.readVarint()
        guard count >= 1, count <= 65536 else { throw .invalid(reason: "has \(count) texts in a column", offset: at) }
        try column.readTexts(count, &reader, &memory)
        column.variant = count > 256 ? 1 : 0
        let code = 2...256 ~= count ? try memory.readCode(&reader, below: count) : HuffmanCode()
        appendData(&column, index, code, HuffmanCode(), &memory.scratch)
      case .text, .spelled:
        if column.encoding == .spelled {
          column.variant = try reader.read(UInt8.self)
          column.piece = try reader.read(UInt8.self)
          guard column.variant <= 2 else {
            throw .invalid(reason: "has the unknown case rule \(column.variant)", offset: at)
          }
        }
        let code = try memory.readCode(&reader, below: 256)
        appendData(&column, index, code, try memory.readCode(&reader, below: 256), &memory.scratch)
      case .number:
        column.slot = UInt16(numberCount)
        unsafe numberColumns.append(UInt16(index), in: &memory.scratch)
        try readFormats(&reader, &column, contexts, &memory)
      }
    }

    /// Adds a column with data in the parts.
    private mutating func appendData(
      _ column: inout Column, _ index: Int, _ code: HuffmanCode, _ textCode: HuffmanCode, _ scratch: inout Arena
    ) {
      column.slot = unsafe UInt16(dataColumns.count)
      unsafe dataColumns.append(UInt16(index), in: &scratch)
      unsafe dataCodes.append(code, in: &scratch)
      unsafe textCodes.append(textCode, in: &scratch)
      packedCount += code.isPresent ? 1 : 0
    }

    /// Reads a column's text for each suffix field.
    private func readSuffixFieldTexts(
      _ reader: inout ByteReader, _ column: inout Column, _ index: Int, _ suffixFields: SuffixFieldTable,
      _ memory: inout ParsingMemory
    ) throws(FormatError) {
      let at = reader.offset - 2
      let rule = try reader.read(UInt8.self)
      guard rule <= ShardHeader.ownTexts else {
        throw .invalid(reason: "has the unknown case rule \(rule)", offset: at)
      }
      if rule == ShardHeader.ownTexts {
        try column.readTexts(suffixFields.count, &reader, &memory)
      } else if unsafe casedColumns[Int(rule)] > 0 {
        // The texts of a rule are made once, for any number of columns.
        unsafe column.shareTexts(of: columns[Int(casedColumns[Int(rule)]) - 1])
      } else {
        column.putSuffixFields(suffixFields, rule, &memory)
        unsafe casedColumns[Int(rule)] = UInt16(index + 1)
      }
    }

    /// Reads the formats of a column of numbers.
    private mutating func readFormats(
      _ reader: inout ByteReader, _ column: inout Column, _ contexts: Int, _ memory: inout ParsingMemory
    ) throws(FormatError) {
      let at = reader.offset - 2
      column.number = unsafe UInt32(models.count)
      column.formatCount = try reader.read(UInt8.self)
      guard column.formatCount >= 1, unsafe models.count + Int(column.formatCount) <= Self.formatLimit else {
        throw .invalid(reason: unsafe "has \(models.count + Int(column.formatCount)) number formats", offset: at)
      }
      for _ in 0..<column.formatCount {
        let format = NumberFormat(
          type: try reader.read(UInt8.self), a: try reader.read(UInt8.self), b: try reader.read(UInt8.self))
        guard format.isKnown else { throw .invalid(reason: "has the unknown number format \(format.type)", offset: at) }
        var model = unsafe Model(
          word: RecordOutput.DecodedField.number(format, column: column.word), base: 0, range: zero, rowMask: 0,
          cell: UInt32(column.cell) * UInt32(MemoryLayout<RecordOutput.DecodedField>.stride))
        var bits: UInt8 = 0
        if format.type == 0 {
          hasLiterals = true
          let size = try reader.readVarint()
          model.base = unsafe Int64(Int(bitPattern: memory.kept.copy(sizedText: try reader.readSpan(size))))
        } else {
          model.base = try reader.readSignedVarint()
          let width = try reader.read(UInt8.self)
          bits = width & 0x7f
          guard bits <= 56 else { throw .invalid(reason: "has a value of \(bits) bits", offset: at) }
          if width & 0x80 != 0 {
            unsafe ownRanges.append(try OwnRanges(contexts, &reader, &memory.scratch), in: &memory.scratch)
            guard unsafe ownRanges.count * contexts <= Self.rangeLimit else {
              throw .invalid(reason: unsafe "has \(ownRanges.count) formats with ranges of their own", offset: at)
            }
            model.rowMask = .max
          }
        }
        unsafe widths.append(bits, in: &memory.scratch)
        unsafe models.append(model, in: &memory.scratch)
      }
    }
  }
}
