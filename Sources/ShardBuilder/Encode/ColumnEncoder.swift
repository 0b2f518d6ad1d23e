import ShardedIndex

/// The encoder of one column: it chooses the encoding that is the smallest, by estimates. Source: docs/format.md §4.
struct ColumnEncoder {
  /// A column's data in the parts.
  enum Data {
    /// A dictionary's codes, the count of its texts, and the code that the codes are packed by.
    case codes([Int], Int, HuffmanEncoder)
    /// Texts, and the codes that their sizes and their bytes are packed by.
    case texts(FlatTexts, HuffmanEncoder, HuffmanEncoder)

    var size: Int {
      switch self {
      case .codes(let codes, let limit, _): codes.count * (limit > 256 ? 2 : 1)
      case .texts(let texts, _, _): texts.byteCount + texts.count
      }
    }
  }

  enum Choice {
    /// The header has all of the column.
    case inHeader
    case data(Data)
    /// A number column, of which nothing is written yet: that waits for the other number columns.
    case number(NumberColumnEncoder)
  }

  private let suffixField: SuffixField
  private let stems: [Text]

  /// The most number columns of a shard.
  private static let numberColumnLimit = 64

  init(_ records: [RecordBlob], _ suffixField: SuffixField) {
    self.suffixField = suffixField
    stems = records.map { suffixField.stem(of: $0) }
  }

  /// Chooses the encoding of a column of one kind and writes its section of the header, but for a number column.
  func choose(_ texts: Texts, numberColumns: Int, into writer: inout ByteWriter) -> Choice {
    if texts.allSatisfy({ equalBytes($0, texts[0]) }) {
      writer.write(ShardHeader.Encoding.constant.rawValue)
      writer.writeVarint(texts[0].count)
      writer.write(texts[0])
      return .inHeader
    }
    if writeBySuffix(texts, into: &writer) { return .inHeader }
    let asText = TextCost(texts)
    let textBits = min(asText.dictionaryBits ?? Int.max, asText.plainBits)
    // Bits do not compress; texts do, to about half, and a dictionary's codes to their entropy.
    if numberColumns < Self.numberColumnLimit, let number = NumberColumnEncoder(texts, suffixField),
      number.bitCount < textBits
    {
      return .number(number)
    }
    let spelled = SpelledColumnEncoder(texts, stems)
    if spelled.bits < textBits {
      writer.write(ShardHeader.Encoding.spelled.rawValue)
      writer.write(spelled.rule)
      writer.write(spelled.piece)
      return .data(Self.write(spelled.scripts, into: &writer))
    }
    return .data(Self.chooseText(texts, asText, into: &writer))
  }

  /// Chooses between the two encodings of text, and writes the column's section of the header.
  static func chooseText(_ texts: Texts, into writer: inout ByteWriter) -> Data {
    chooseText(texts, TextCost(texts), into: &writer)
  }

  /// Encodes a column whose texts are of several kinds: each begins with its own.
  static func chooseText(_ texts: Texts, kinds: ArraySlice<UInt8>, into writer: inout ByteWriter) -> Data {
    var flat = FlatTexts(count: texts.count)
    for (text, kind) in zip(texts, kinds) { flat.append([kind] + text) }
    var data: Data?
    flat.withPointers { data = chooseText($0, into: &writer) }
    return data!
  }

  private static func chooseText(_ texts: Texts, _ cost: TextCost, into writer: inout ByteWriter) -> Data {
    guard let dictionary = cost.dictionaryBits, dictionary < cost.plainBits else {
      writer.write(ShardHeader.Encoding.text.rawValue)
      var flat = FlatTexts(count: texts.count)
      for text in texts { flat.append(text) }
      return write(flat, into: &writer)
    }
    writer.write(ShardHeader.Encoding.dictionary.rawValue)
    writer.writeVarint(cost.distinct.count)
    for text in cost.distinct { writer.writeVarint(text.count) }
    for text in cost.distinct { writer.write(text) }
    var code = HuffmanEncoder()
    if 2...256 ~= cost.distinct.count {
      code = HuffmanEncoder(cost.codes.map { UInt8($0) })
      code.writeLengths(to: &writer)
    }
    return .codes(cost.codes, cost.distinct.count, code)
  }

  private static func write(_ flat: FlatTexts, into writer: inout ByteWriter) -> Data {
    let sizeCode = HuffmanEncoder((0..<flat.count).map { UInt8(min(flat.size($0), 255)) })
    sizeCode.writeLengths(to: &writer)
    let textCode = HuffmanEncoder(text: flat.all, records: flat.count)
    textCode.writeLengths(to: &writer)
    return .texts(flat, sizeCode, textCode)
  }

  /// Writes a column whose texts follow from the keys' suffix field.
  ///
  /// - Returns: Whether they do.
  private func writeBySuffix(_ texts: Texts, into writer: inout ByteWriter) -> Bool {
    guard !suffixField.isEmpty else { return false }
    var perSuffix = [Text?](repeating: nil, count: suffixField.texts.count)
    for (text, code) in zip(texts, suffixField.codes) {
      if let known = perSuffix[Int(code)] {
        guard equalBytes(known, text) else { return false }
      } else {
        perSuffix[Int(code)] = text
      }
    }
    writer.write(ShardHeader.Encoding.tail.rawValue)
    let rule = (0..<ShardHeader.ownTexts).first { rule in
      zip(suffixField.texts, perSuffix).allSatisfy { suffix, text in
        suffix.withUnsafeBufferPointer { SpelledColumnEncoder.script(from: $0, rule, to: text!).isEmpty }
      }
    }
    writer.write(rule ?? ShardHeader.ownTexts)
    guard rule == nil else { return true }
    for text in perSuffix { writer.writeVarint(text!.count) }
    for text in perSuffix { writer.write(text!) }
    return true
  }
}

/// The cost of a column as text, in bits: an estimate in whole numbers.
private struct TextCost {
  var distinct: [Text] = []
  var codes: [Int] = []
  var plainBits = 0
  /// nil if the column repeats too little.
  var dictionaryBits: Int?

  init(_ texts: Texts) {
    var table = TextTable(limit: min(texts.count / 2 + 2, 65536))
    codes.reserveCapacity(texts.count)
    for text in texts {
      plainBits += 4 * text.count + 5
      guard table.texts.count <= texts.count / 2 + 1, table.texts.count < 65536 else { continue }
      codes.append(table.number(of: text))
    }
    distinct = table.texts
    guard distinct.count <= texts.count / 2 + 1, codes.count == texts.count else { return }
    var counts = [Int](repeating: 0, count: distinct.count)
    for code in codes { counts[code] += 1 }
    var bits = 0
    for (number, count) in counts.enumerated() {
      bits += 4 * distinct[number].count + 8
      // The entropy of the codes, log2 in 64ths.
      bits += count * (binaryLogarithm(texts.count) - binaryLogarithm(count)) / 64
    }
    dictionaryBits = bits + texts.count / 4
  }
}

/// Returns log2 of a positive number in 64ths, linear between powers of two: good to 6/64, the same on every machine.
func binaryLogarithm(_ value: Int) -> Int {
  let whole = Int.bitWidth - 1 - value.leadingZeroBitCount
  return whole * 64 + (((value - (1 << whole)) << 6) >> whole)
}
