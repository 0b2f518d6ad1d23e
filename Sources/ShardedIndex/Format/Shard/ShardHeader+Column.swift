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
  @safe struct Column: BitwiseCopyable {
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
    var texts: UnsafePointer<UInt8>
    /// dictionary, suffix field: the end of each text, with a zero before the first. For short texts: the bytes of each
    /// text, the first one lowest, and the size in the fourth byte. For pairs: two bytes a text.
    var ends: UnsafePointer<UInt32>
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
