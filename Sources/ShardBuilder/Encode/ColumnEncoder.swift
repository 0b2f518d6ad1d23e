import ShardedIndex

/// The encoder of one column. It estimates the size of each encoding, and chooses the smallest. Source: docs/format.md
/// section 4.
@safe struct ColumnEncoder {
  /// A column's data in the parts.
  enum Data {
    /// The codes of a dictionary, the number of its texts, and the Huffman code that packs the dictionary's codes.
    case codes([Int], Int, HuffmanEncoder)
    /// Texts, and the Huffman codes that pack their sizes and their bytes.
    case texts(FlatTexts, HuffmanEncoder, HuffmanEncoder)

    var size: Int {
      switch self {
      case .codes(let codes, let limit, _): codes.count * (limit > 256 ? 2 : 1)
      case .texts(let texts, _, _): texts.byteCount + texts.count
      }
    }
  }

  enum Choice {
    /// The header has the whole column.
    case inHeader
    case data(Data)
    /// A number column. It is written together with the other number columns.
    case number(NumberColumnEncoder)
  }

  private let suffixField: SuffixField
  private let stems: [Text]

  /// The most number columns of a shard.
  private static let numberColumnLimit = 64

  init(_ records: [RecordBlob], _ suffixField: SuffixField) {
    self.suffixField = suffixField
    unsafe stems = unsafe records.map { unsafe suffixField.stem(of: $0) }
  }

  /// Chooses the encoding of a column of one kind, and writes its section of the header, unless it is a number column.
  func choose(_ texts: Texts, numberColumns: Int, into writer: inout ByteWriter) -> Choice {
    if unsafe texts.allSatisfy({ unsafe equalBytes($0, texts[0]) }) {
      writer.write(ShardHeader.ColumnEncoding.constant.rawValue)
      unsafe writer.writeVarint(texts[0].count)
      unsafe writer.write(texts[0])
      return .inHeader
    }
    if unsafe writeBySuffix(texts, into: &writer) { return .inHeader }
    let asText = unsafe TextCost(texts)
    let textBits = min(asText.dictionaryBits ?? Int.max, asText.plainBits)
    // Bits do not compress; texts compress to about half, and a dictionary's codes to their entropy.
    if numberColumns < Self.numberColumnLimit, let number = unsafe NumberColumnEncoder(texts, suffixField),
      number.bitCount < textBits
    {
      return .number(number)
    }
    let spelled = unsafe SpelledColumnEncoder(texts, stems)
    if spelled.bits < textBits {
      writer.write(ShardHeader.ColumnEncoding.spelled.rawValue)
      writer.write(spelled.rule)
      writer.write(spelled.piece)
      return .data(Self.write(spelled.scripts, into: &writer))
    }
    return unsafe .data(Self.chooseText(texts, asText, into: &writer))
  }

  /// Chooses between the two encodings of text, and writes the column's section of the header.
  static func chooseText(_ texts: Texts, into writer: inout ByteWriter) -> Data {
    unsafe chooseText(texts, TextCost(texts), into: &writer)
  }

  /// Encodes a column with texts of several kinds: each text begins with its kind.
  static func chooseText(_ texts: Texts, kinds: ArraySlice<UInt8>, into writer: inout ByteWriter) -> Data {
    var flat = FlatTexts(count: texts.count)
    for unsafe(text, kind) in unsafe zip(texts, kinds) { unsafe flat.append([kind] + text) }
    var data: Data?
    unsafe flat.withPointers { data = unsafe chooseText($0, into: &writer) }
    return data!
  }

  private static func chooseText(_ texts: Texts, _ cost: TextCost, into writer: inout ByteWriter) -> Data {
    guard let dictionary = cost.dictionaryBits, dictionary < cost.plainBits else {
      writer.write(ShardHeader.ColumnEncoding.text.rawValue)
      var flat = FlatTexts(count: texts.count)
      for index in texts.indices { unsafe flat.append(texts[index]) }
      return write(flat, into: &writer)
    }
    writer.write(ShardHeader.ColumnEncoding.dictionary.rawValue)
    unsafe writer.writeVarint(cost.distinct.count)
    for index in unsafe cost.distinct.indices { unsafe writer.writeVarint(cost.distinct[index].count) }
    for index in unsafe cost.distinct.indices { unsafe writer.write(cost.distinct[index]) }
    var code = HuffmanEncoder()
    if unsafe 2...256 ~= cost.distinct.count {
      code = HuffmanEncoder(cost.codes.map { UInt8($0) })
      code.writeLengths(to: &writer)
    }
    return unsafe .codes(cost.codes, cost.distinct.count, code)
  }

  private static func write(_ flat: FlatTexts, into writer: inout ByteWriter) -> Data {
    let sizeCode = HuffmanEncoder((0..<flat.count).map { UInt8(min(flat.size($0), 255)) })
    sizeCode.writeLengths(to: &writer)
    let textCode = HuffmanEncoder(text: flat.all, records: flat.count)
    textCode.writeLengths(to: &writer)
    return .texts(flat, sizeCode, textCode)
  }

  /// Writes a column whose texts follow from the keys' suffix field.
  /// - Returns: Whether the texts follow from the suffix field.
  /// - Returns: Whether they do.
  private func writeBySuffix(_ texts: Texts, into writer: inout ByteWriter) -> Bool {
    guard !suffixField.isEmpty else { return false }
    var perSuffix = unsafe [Text?](repeating: nil, count: suffixField.texts.count)
    for unsafe(text, code) in unsafe zip(texts, suffixField.codes) {
      if let known = unsafe perSuffix[Int(code)] {
        guard unsafe equalBytes(known, text) else { return false }
      } else {
        unsafe perSuffix[Int(code)] = unsafe text
      }
    }
    writer.write(ShardHeader.ColumnEncoding.suffixField.rawValue)
    let rule = (0..<ShardHeader.ownTexts).first { rule in
      unsafe zip(suffixField.texts, perSuffix).allSatisfy { suffix, text in
        unsafe suffix.withUnsafeBufferPointer { unsafe SpelledColumnEncoder.script(from: $0, rule, to: text!).isEmpty }
      }
    }
    writer.write(rule ?? ShardHeader.ownTexts)
    guard rule == nil else { return true }
    for index in unsafe perSuffix.indices { unsafe writer.writeVarint(perSuffix[index]!.count) }
    for index in unsafe perSuffix.indices { unsafe writer.write(perSuffix[index]!) }
    return true
  }
}

/// The cost of a column as text, in bits: an estimate in whole numbers.
@safe private struct TextCost {
  var distinct: [Text] = unsafe []
  var codes: [Int] = []
  var plainBits = 0
  /// The bits as a dictionary; nil if the column repeats too little.
  var dictionaryBits: Int?

  init(_ texts: Texts) {
    var table = TextTable(limit: min(texts.count / 2 + 2, 65536))
    codes.reserveCapacity(texts.count)
    for index in texts.indices {
      let text = unsafe texts[index]
      plainBits += 4 * text.count + 5
      guard unsafe table.texts.count <= texts.count / 2 + 1, unsafe table.texts.count < 65536 else { continue }
      unsafe codes.append(table.number(of: text))
    }
    unsafe distinct = unsafe table.texts
    guard unsafe distinct.count <= texts.count / 2 + 1, codes.count == texts.count else { return }
    var counts = unsafe [Int](repeating: 0, count: distinct.count)
    for code in codes { counts[code] += 1 }
    var bits = 0
    for (number, count) in counts.enumerated() {
      unsafe bits += 4 * distinct[number].count + 8
      // The entropy of the codes, log2 in 64ths.
      bits += count * (binaryLogarithm(texts.count) - binaryLogarithm(count)) / 64
    }
    dictionaryBits = bits + texts.count / 4
  }
}

/// Returns log2 of a positive number in 64ths, linear between powers of two. The error is at most 6/64, and the result
/// is the same on every machine.
func binaryLogarithm(_ value: Int) -> Int {
  let whole = Int.bitWidth - 1 - value.leadingZeroBitCount
  return whole * 64 + (((value - (1 << whole)) << 6) >> whole)
}
