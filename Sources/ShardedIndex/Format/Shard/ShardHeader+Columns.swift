extension ShardHeader {
  /// Column encodings, by their numbers in the file.
  package enum ColumnEncoding: UInt8, BitwiseCopyable, Sendable {
    case constant = 0
    case dictionary = 1
    case text = 2
    case suffixField = 3
    case spelled = 4
    case number = 5
  }

  /// The kind of a column of mixed kinds: the first byte of each text is the text's kind.
  package static let mixedKinds: UInt8 = 3

  /// The case rule of a suffix field column that has texts of its own.
  package static let ownTexts: UInt8 = 3

  /// A column: its encoding, and its data in the header.
  @safe package struct Column: BitwiseCopyable {
    var encoding: ColumnEncoding
    var kind: UInt8
    /// The position of its name among the index's field names.
    var name: UInt16
    /// The position of its cell among the cells of a record.
    var cell: UInt16
    /// The next column that is not of numbers, for such a column.
    var nextText: UInt16 = 0
    /// The bits that all its decoded fields share.
    var word: UInt64
    /// dictionary: 1 for codes of 16 bits. spelled: the case rule.
    var variant: UInt8 = 0
    /// spelled: the number of the piece of the stem; 255 for the whole stem.
    var piece: UInt8 = 255
    /// The number of the column among the columns that have data in the parts (dictionary, text, spelled), or among the
    /// numbers.
    var slot: UInt16 = 0
    /// constant: size of the text. dictionary, suffix field: count of texts. number: number of its first format.
    var number: UInt32 = 0
    /// number: count of its formats.
    var formatCount: UInt8 = 0
    /// dictionary, suffix field: size of the longest text.
    var longest: UInt32 = 0
    /// dictionary, suffix field: whether all texts have at most three bytes, and stand in ``ends``.
    var isShort = false
    /// dictionary, suffix field: whether all texts have two bytes, and stand side by side in half as many lines of the
    /// cache.
    var isPairs = false
    /// constant, dictionary, suffix field: the texts, unless they are short.
    package var texts: UnsafePointer<UInt8>
    /// dictionary, suffix field: the end of each text, with a zero before the first. For short texts: the bytes of each
    /// text, the first one lowest, and the size in the fourth byte. For pairs: two bytes a text.
    var ends: UnsafePointer<UInt32>
  }

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

extension ShardHeader.Column {
  /// Shares the texts of a column with the same texts.
  mutating func shareTexts(of same: Self) {
    (number, longest) = (same.number, same.longest)
    (isShort, isPairs) = (same.isShort, same.isPairs)
    unsafe (texts, ends) = (same.texts, same.ends)
  }

  /// Reads the texts of a dictionary, or one text per suffix field: first the sizes, then the texts.
  mutating func readTexts(
    _ count: Int, _ reader: inout ByteReader, _ memory: inout ShardHeader.ParsingMemory
  ) throws(FormatError) {
    let at = reader.offset
    // A size has at least a byte.
    guard count <= reader.remaining else {
      throw .truncated(offset: at, needed: count, available: reader.remaining)
    }
    let ends = unsafe memory.scratch.allocate(UInt32.self, count + 1) + 1
    unsafe ends[-1] = 0
    var end = 0
    for text in 0..<count {
      let size = try reader.readVarint()
      longest = max(longest, UInt32(truncatingIfNeeded: size))
      guard kind < ShardHeader.mixedKinds || size > 0 else {
        throw .invalid(reason: "has a text without its kind", offset: at)
      }
      end += size
      guard end <= reader.count else {
        throw .truncated(offset: reader.offset, needed: end, available: reader.remaining)
      }
      unsafe ends[text] = UInt32(end)
    }
    let texts = try reader.readSpan(end)
    unsafe put(texts, ends, count, &memory.kept)
    guard kind == ShardHeader.mixedKinds else { return }
    for text in 0..<count {
      let first = unsafe texts[Int(ends[text - 1])]
      guard first < ShardHeader.mixedKinds else {
        throw .invalid(reason: "has a text of the unknown kind \(first)", offset: at)
      }
    }
  }

  /// Makes the texts of the suffix fields by a case rule.
  mutating func putSuffixFields(
    _ suffixFields: SuffixFieldTable, _ rule: UInt8, _ memory: inout ShardHeader.ParsingMemory
  ) {
    let ends = unsafe memory.scratch.allocate(UInt32.self, suffixFields.count + 1) + 1
    unsafe ends[-1] = 0
    let texts = unsafe memory.scratch.allocate(UInt8.self, suffixFields.size + 16)
    let letters = Spelling.Case(rule)
    // The rule is applied to all texts as one: the head of its run stands before it, and the slack of a copied text
    // behind. Then it is applied to the first byte of each text, which follows no other.
    var offset = 0
    while offset < suffixFields.size {
      unsafe letters.apply(to: suffixFields.texts + offset, texts + offset)
      offset += 16
    }
    var start = 0
    for number in 0..<suffixFields.count {
      let end = suffixFields.end(number)
      unsafe texts[start] = Spelling.cased(suffixFields.texts[start], behind: 0, rule)
      unsafe ends[number] = UInt32(truncatingIfNeeded: end)
      longest = max(longest, UInt32(truncatingIfNeeded: end - start))
      start = end
    }
    unsafe put(UnsafeBufferPointer(start: texts, count: start).span.bytes, ends, suffixFields.count, &memory.kept)
  }

  /// Keeps texts in memory; texts of up to three bytes take the place of their ends.
  ///
  /// - Parameter ends: The end of each text, with a zero before the first.
  private mutating func put(
    _ texts: RawSpan, _ ends: UnsafePointer<UInt32>, _ count: Int, _ kept: inout Arena
  ) {
    number = UInt32(count)
    isShort = longest <= 3 && count <= 256 && kind < ShardHeader.mixedKinds
    // If the longest text has two bytes, the sum is this only if each has two.
    isPairs = isShort && longest == 2 && texts.byteCount == 2 * count
    guard isShort else {
      let copy = unsafe kept.allocate(UInt32.self, count + 1)
      unsafe copy.copy(from: ends - 1, count: count + 1)
      unsafe self.ends = .init(copy + 1)
      unsafe self.texts = kept.copy(text: texts)
      return
    }
    let words = unsafe kept.allocate(UInt32.self, isPairs ? (count + 1) / 2 : count)
    unsafe self.ends = .init(words)
    if isPairs { return unsafe texts.copy(to: words) }
    var start = 0
    for text in 0..<count {
      let end = unsafe Int(ends[text])
      // The size is at most three.
      unsafe words[text] = Self.word(of: texts, start, end) | UInt32(truncatingIfNeeded: end &- start) &<< 24
      start = end
    }
  }

  /// The bytes of a short text, the first one lowest.
  @inline(__always) private static func word(of texts: RawSpan, _ start: Int, _ end: Int) -> UInt32 {
    if start &+ 4 <= texts.byteCount {
      // In bounds by the condition. The shift is at most three bytes.
      let bytes = unsafe texts.load(unchecked: start, as: UInt32.self)
      return bytes & (1 &<< UInt32(truncatingIfNeeded: 8 &* (end &- start)) &- 1)
    }
    var word: UInt32 = 0
    for index in (start..<end).reversed() { word = word << 8 | UInt32(texts[index]) }
    return word
  }
}
