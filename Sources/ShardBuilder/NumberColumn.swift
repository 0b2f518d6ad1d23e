import ShardedIndex

/// A column of numbers on its way into rows of bits: formats, values and the widths they need.
struct NumberColumn {
  private typealias Text = UnsafeBufferPointer<UInt8>

  struct Model {
    var base: Int64 = 0
    var width = 0
    /// Per context one more than its own model, or 0.
    var models: [UInt8] = []
    var own: [(width: Int, offset: UInt32)] = []
  }

  private(set) var formats: [NumberFormat] = []
  private var literals: [[UInt8]] = []
  /// Per record the format, index into `formats`.
  private(set) var codes: [UInt8] = []
  private var values: [Int64] = []
  private var models: [Model] = []
  /// What the column takes in the rows and their tables, an estimate in bits.
  private(set) var bitCount = 0

  /// A number as it is written: digits without the point, and how many stand behind it.
  struct Parsed {
    var mantissa: Int64
    var decimals: Int
    /// Whether the last decimal is a zero.
    var hasTrailingZero: Bool
  }

  /// nil if the texts are not numbers, or too many of them are not.
  init?(_ texts: [UnsafeBufferPointer<UInt8>], _ tails: ShardEncoder.Tails) {
    let parsed = texts.map(Self.parse)
    var numberCount = 0
    var deepest = 0
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
    // Sixtieths and floats are tried where there are decimals to explain.
    let tryMinutes = deepCount * 10 >= texts.count
    var families: [Family] = hasTrailingZeros ? [.fixed] : [.trimmed(minutes: tryMinutes)]
    if tryMinutes, !hasTrailingZeros, deepest >= 5 { families.append(.float) }
    var best: NumberColumn?
    for family in families {
      guard let candidate = NumberColumn(texts, parsed, family, tails) else { continue }
      if best == nil || candidate.bitCount < best!.bitCount { best = candidate }
    }
    guard let best else { return nil }
    self = best
  }

  private enum Family {
    case trimmed(minutes: Bool)
    case fixed
    case float
  }

  private init?(
    _ texts: [UnsafeBufferPointer<UInt8>], _ parsed: [Parsed?], _ family: Family, _ tails: ShardEncoder.Tails
  ) {
    var literalOf: [[UInt8]: UInt8] = [:]
    codes.reserveCapacity(texts.count)
    values.reserveCapacity(texts.count)
    for (text, number) in zip(texts, parsed) {
      if let number, let (format, value) = Self.format(number, text, family) {
        // Of two or three, mostly: looking through them takes less than hashing. A literal's is of type 0, no number's.
        let code = formats.firstIndex(of: format) ?? formats.count
        if code == formats.count {
          guard code < 24 else { return nil }
          formats.append(format)
          literals.append([])
        }
        codes.append(UInt8(code))
        values.append(value)
      } else {
        let literal = [UInt8](text)
        if let code = literalOf[literal] {
          codes.append(code)
        } else {
          guard literalOf.count < 8, formats.count < 24, literal.count < 256 else { return nil }
          let code = UInt8(formats.count)
          literalOf[literal] = code
          formats.append(NumberFormat(type: 0, a: 0, b: 0))
          literals.append(literal)
          codes.append(code)
        }
        values.append(0)
      }
    }
    let contexts = tails.isEmpty ? 1 : tails.texts.count
    for code in formats.indices {
      guard let model = makeModel(UInt8(code), contexts, tails) else { return nil }
      models.append(model)
    }
  }

  /// Bits an own model must save to be worth its place in the tables.
  private static let modelBits = 26

  private mutating func makeModel(_ code: UInt8, _ contexts: Int, _ tails: ShardEncoder.Tails) -> Model? {
    var model = Model()
    var counts = [Int](repeating: 0, count: contexts)
    var lowest = [Int64](repeating: .max, count: contexts)
    var highest = [Int64](repeating: .min, count: contexts)
    var rows = 0
    for row in codes.indices where codes[row] == code {
      let context = tails.isEmpty ? 0 : Int(tails.codes[row])
      counts[context] += 1
      lowest[context] = min(lowest[context], values[row])
      highest[context] = max(highest[context], values[row])
      rows += 1
    }
    bitCount += 80 + literals[Int(code)].count * 8 + rows
    guard formats[Int(code)].type != 0 else { return model }
    let base = lowest.min()!
    let (range, overflow) = highest.max()!.subtractingReportingOverflow(base)
    guard !overflow, Self.width(range) <= 56 else { return nil }
    model.base = base
    model.width = Self.width(range)
    guard contexts > 1, model.width > 0 else {
      bitCount += rows * model.width
      return model
    }
    // Contexts that save the most by a range of their own get one; then the rest needs no more than it spans.
    var chosen: [(saving: Int, context: Int)] = []
    for context in 0..<contexts where counts[context] > 0 {
      let own = Self.width(highest[context] - lowest[context])
      let saving = counts[context] * (model.width - own)
      if saving > Self.modelBits, lowest[context] - base <= Int64(UInt32.max) { chosen.append((saving, context)) }
    }
    chosen.sort { ($0.saving, $1.context) > ($1.saving, $0.context) }
    chosen = Array(chosen.prefix(255)).sorted { $0.context < $1.context }
    if !chosen.isEmpty {
      model.models = [UInt8](repeating: 0, count: contexts)
      for (_, context) in chosen {
        let width = Self.width(highest[context] - lowest[context])
        model.own.append((width, Self.rounded(lowest[context] - base, highest[context] - base, width)))
        model.models[context] = UInt8(model.own.count)
        bitCount += counts[context] * model.own[model.own.count - 1].width + Self.modelBits
      }
    }
    var restHighest = base
    for context in 0..<contexts where counts[context] > 0 && (model.models.isEmpty || model.models[context] == 0) {
      restHighest = max(restHighest, highest[context])
      bitCount += counts[context] * model.width
    }
    model.width = Self.width(restHighest - base)
    return model
  }

  /// The roundest number from which `highest` is reached in `width` bits, not above `lowest`: zeros compress.
  private static func rounded(_ lowest: Int64, _ highest: Int64, _ width: Int) -> UInt32 {
    for zeros in stride(from: width, to: 0, by: -1) {
      let rounded = (lowest >> Int64(zeros)) << Int64(zeros)
      if Self.width(highest - rounded) <= width { return UInt32(rounded) }
    }
    return UInt32(lowest)
  }

  private static func width(_ range: Int64) -> Int { 64 - range.leadingZeroBitCount }

  /// What stands in the row of record `row`, and in how many bits.
  func stored(_ row: Int, _ context: Int) -> (UInt64, Int) {
    let model = models[Int(codes[row])]
    let own = model.models.isEmpty ? 0 : Int(model.models[context])
    guard formats[Int(codes[row])].type != 0 else { return (0, 0) }
    if own == 0 { return (UInt64(values[row] - model.base), model.width) }
    return (UInt64(values[row] - model.base - Int64(model.own[own - 1].offset)), model.own[own - 1].width)
  }

  /// Writes the formats and their models, as they stand in the shard's header.
  func write(to writer: inout ByteWriter) {
    writer.write(ShardHeader.Encoding.number.rawValue)
    writer.write(UInt8(formats.count))
    for (index, format) in formats.enumerated() {
      writer.write([format.type, format.a, format.b])
      if format.type == 0 {
        writer.writeVarint(literals[index].count)
        writer.write(literals[index])
      } else {
        let model = models[index]
        writer.write(model.base)
        writer.write(UInt8(model.width))
        writer.write(UInt8(model.own.count))
        writer.write(model.models)
        writer.write(model.own.map { UInt8($0.width) })
        for own in model.own { writer.write(own.offset) }
      }
    }
  }

  // MARK: Text

  /// nil unless the text is `-`? digits (`.` digits)? with no needless zero before them and at most 18 digits.
  static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Parsed? {
    guard text.count > 0, text.count <= 20 else { return nil }
    var index = 0
    let isNegative = text[0] == 0x2d
    if isNegative { index = 1 }
    let first = index
    var mantissa: Int64 = 0
    var digits = 0
    var decimals = -1
    while index < text.count {
      let byte = text[index]
      if byte == 0x2e {
        guard decimals < 0, digits > 0 else { return nil }
        decimals = 0
      } else {
        let digit = byte &- 0x30
        guard digit < 10, digits < 18 else { return nil }
        mantissa = mantissa * 10 + Int64(digit)
        digits += 1
        if decimals >= 0 { decimals += 1 }
      }
      index += 1
    }
    guard digits > 0, decimals != 0 else { return nil }
    if text[first] == 0x30, first + 1 < text.count, text[first + 1] != 0x2e { return nil }
    guard !(isNegative && mantissa == 0) else { return nil }
    return Parsed(
      mantissa: isNegative ? -mantissa : mantissa, decimals: max(decimals, 0),
      hasTrailingZero: decimals > 0 && text[text.count - 1] == 0x30)
  }

  /// The first format of the family that gives back exactly this text, and its value.
  private static func format(
    _ number: Parsed, _ text: UnsafeBufferPointer<UInt8>, _ family: Family
  ) -> (NumberFormat, Int64)? {
    let fixed = (NumberFormat(type: 1, a: UInt8(number.decimals), b: 0), number.mantissa)
    if number.hasTrailingZero { return fixed }
    switch family {
    case .fixed:
      return fixed
    case .trimmed(let minutes):
      if minutes, number.decimals <= 5, number.mantissa.magnitude < 1 << 40 {
        let scaled = number.mantissa * power(5 - number.decimals)
        if let value = sixtieths(scaled) { return (NumberFormat(type: 3, a: 0, b: 0), value) }
      }
      // Up to four decimals count as four where there are many of them, so that they share one range.
      if minutes, number.decimals <= 4, number.mantissa.magnitude < 1 << 40 {
        return (NumberFormat(type: 1, a: 4, b: 1), number.mantissa * power(4 - number.decimals))
      }
      return (NumberFormat(type: 1, a: UInt8(number.decimals), b: 1), number.mantissa)
    case .float:
      guard number.decimals <= 9, number.mantissa.magnitude < 1 << 40 else { break }
      let value = Double(number.mantissa) / Double(power(number.decimals))
      let minutes = Int64((value * 60).rounded())
      let candidates = [
        (NumberFormat(type: 3, a: 0, b: 6), minutes),
        (NumberFormat(type: 2, a: 4, b: 6), Int64((value * 1e4).rounded())),
        (NumberFormat(type: 2, a: 5, b: 6), Int64((value * 1e5).rounded())),
      ]
      for (format, value) in candidates where writes(format, value, text) { return (format, value) }
    }
    return (NumberFormat(type: 1, a: UInt8(number.decimals), b: 1), number.mantissa)
  }

  /// How many sixtieths, rounded to five decimals, are `scaled` hundred-thousandths; nil if no whole number is.
  private static func sixtieths(_ scaled: Int64) -> Int64? {
    let value = (scaled * 3 + (scaled < 0 ? -2500 : 2500)) / 5000
    return (value * 5000 + (value < 0 ? -1 : 1)) / 3 == scaled ? value : nil
  }

  private static func writes(_ format: NumberFormat, _ value: Int64, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: NumberFormat.longestText) { buffer in
      let size = format.write(value, to: buffer.baseAddress!)
      return ShardEncoder.equal(UnsafeBufferPointer(start: UnsafePointer(buffer.baseAddress!), count: size), text)
    }
  }

  private static func power(_ exponent: Int) -> Int64 {
    var power: Int64 = 1
    for _ in 0..<exponent { power *= 10 }
    return power
  }
}
