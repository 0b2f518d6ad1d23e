import ShardedIndex

/// The encoder of a column of numbers. It finds formats, values and the widths of the values in rows of bits.
package struct NumberColumnEncoder {
  private(set) var formats: [NumberFormat] = []
  private var literals: [[UInt8]] = []
  /// For each record its format, an index into `formats`.
  private(set) var codes: [UInt8] = []
  private var values: [Int64] = []
  private var models: [NumberModel] = []
  /// The estimated bits of the column in the rows and their tables.
  private(set) var bitCount = 0

  /// The most formats of a column, with the literals, and the most literals.
  private static let (formatLimit, literalLimit) = (24, 8)
  /// The most formats of a column in which contexts have ranges of their own: the format limits the number of ranges of
  /// a shard.
  private static let mostWithRanges = 16

  /// - Returns: nil if too many of the texts are not numbers.
  package init?(_ texts: Texts, _ suffixField: SuffixField) {
    let parsed = unsafe texts.map { unsafe NumberText($0) }
    var numberCount = 0
    var deepest: Int32 = 0
    var deepCount = 0
    var hasTrailingZeros = false
    for number in parsed {
      guard let number else { continue }
      numberCount += 1
      deepest = max(deepest, number.decimals)
      if number.decimals >= 3 { deepCount += 1 }
      hasTrailingZeros = hasTrailingZeros || number.hasTrailingZero
    }
    guard numberCount > 0, numberCount >= texts.count / 2 else { return nil }
    // Sixtieths and floats are tried only if there are enough decimals.
    let tryMinutes = deepCount * 10 >= texts.count
    var families: [NumberText.Family] = hasTrailingZeros ? [.fixed] : [.trimmed(minutes: tryMinutes)]
    if tryMinutes, !hasTrailingZeros, deepest >= 5 { families.append(.float) }
    var best: NumberColumnEncoder?
    for family in families {
      guard let candidate = unsafe NumberColumnEncoder(texts, parsed, family, suffixField) else { continue }
      if best == nil || candidate.bitCount < best!.bitCount { best = candidate }
    }
    guard let best else { return nil }
    self = best
  }

  private init?(
    _ texts: Texts, _ parsed: [NumberText?], _ family: NumberText.Family, _ suffixField: SuffixField
  ) {
    var allCodes = [UInt8](repeating: 0, count: texts.count)
    var allValues = [Int64](repeating: 0, count: texts.count)
    // These are spans: each access of an array's element asks whether the array is shared.
    var codes = allCodes.mutableSpan
    var values = allValues.mutableSpan
    var literalOf: [[UInt8]: UInt8] = [:]
    var last = 0  // The code of the previous number.
    for row in texts.indices {
      if let number = parsed[row] {
        let (format, value) = number.format(family)
        // There are two or three formats, mostly: a search through them is faster than a hash. The format of a literal
        // has type 0, which no number has.
        if last >= formats.count || !Self.isSame(formats[last], format) {
          last = formats.firstIndex { Self.isSame($0, format) } ?? formats.count
          if last == formats.count {
            guard last < Self.formatLimit else { return nil }
            formats.append(format)
            literals.append([])
          }
        }
        codes[row] = UInt8(truncatingIfNeeded: last)
        values[row] = value
      } else {
        let literal = unsafe [UInt8](texts[row])
        if let code = literalOf[literal] {
          codes[row] = code
        } else {
          guard literalOf.count < Self.literalLimit, formats.count < Self.formatLimit, literal.count < 256 else {
            return nil
          }
          let code = UInt8(formats.count)
          literalOf[literal] = code
          formats.append(NumberFormat(type: 0, a: 0, b: 0))
          literals.append(literal)
          codes[row] = code
        }
      }
    }
    (self.codes, self.values) = (allCodes, allValues)
    guard makeModels(suffixField) else { return nil }
  }

  /// Returns whether there is a model for every format.
  private mutating func makeModels(_ suffixField: SuffixField) -> Bool {
    let contexts = suffixField.contextCount
    var spreads = [NumberModel.Spread](repeating: NumberModel.Spread(), count: formats.count * contexts)
    var counted = spreads.mutableSpan
    for row in codes.indices {
      counted[Int(codes[row]) * contexts + suffixField.context(ofRecord: row)].add(values[row])
    }
    for code in formats.indices {
      let own = spreads[code * contexts..<(code + 1) * contexts]
      let rows = own.reduce(0) { $0 + $1.count }
      bitCount += 80 + literals[code].count * 8 + rows
      guard formats[code].type != 0 else {
        models.append(NumberModel())
        continue
      }
      guard let model = NumberModel(Array(own), hasRanges: code < Self.mostWithRanges) else { return false }
      bitCount += model.bitCount
      models.append(model)
    }
    return true
  }

  @inline(__always) private static func isSame(_ a: NumberFormat, _ b: NumberFormat) -> Bool {
    a.type == b.type && a.a == b.a && a.b == b.b
  }

  /// A value in a row, and the number of its bits.
  package struct Value: BitwiseCopyable {
    private let word: UInt64

    /// - Parameter width: The number of bits, at most 56; the higher bits of `value` must be 0.
    package init(_ value: UInt64, width: Int) { word = value | UInt64(width) << 56 }

    var value: UInt64 { word & (1 << 56 - 1) }
    package var width: Int { Int(word >> 56) }
  }

  /// Stores the value of each record: the first at `start`, each next one `stride` further.
  package func store(to rows: inout [Value], from start: Int, stride: Int, _ suffixField: SuffixField) {
    let contexts = suffixField.contextCount
    // For each format and context the number to subtract from a value, and the width.
    var ranges: [(lowest: Int64, width: Int)] = []
    ranges.reserveCapacity(formats.count * contexts)
    for model in models {
      let first = ranges.count
      for _ in 0..<contexts { ranges.append((model.base, model.width)) }
      for own in model.own { ranges[first + own.context] = (model.base + Int64(own.offset), own.width) }
    }
    var rows = rows.mutableSpan
    var row = start
    for index in codes.indices {
      let range = ranges[Int(codes[index]) * contexts + suffixField.context(ofRecord: index)]
      // The value of a literal is 0, and so are base and width.
      rows[row] = Value(UInt64(values[index] - range.lowest), width: range.width)
      row += stride
    }
  }

  /// Writes the formats and their models in the form of the shard's header.
  package func write(to writer: inout ByteWriter, contexts: Int) {
    writer.write(ShardHeader.ColumnEncoding.number.rawValue)
    writer.write(UInt8(formats.count))
    for (index, format) in formats.enumerated() {
      writer.write([format.type, format.a, format.b])
      if format.type == 0 {
        writer.writeVarint(literals[index].count)
        writer.write(literals[index])
      } else {
        models[index].write(to: &writer, contexts: contexts)
      }
    }
  }
}
