import ShardedIndex

/// A column of numbers on its way into rows of bits: formats, values and the widths they need.
struct NumberColumn {
  struct Model {
    var base: Int64 = 0
    var width = 0
    /// Contexts that have a range of their own, ascending, the bits of a value there, and what is added to the base.
    var own: [(context: Int, width: Int, offset: UInt32)] = []
    /// How the ranges are written: as `Packing` says.
    var packing = Packing()

    /// How ranges of their own are packed.
    struct Packing {
      /// The fewest bits that a value has in one of them, and how many bits say how many more there are.
      var (least, excess) = (0, 0)
      /// Bits of what is added. Zeros at its end, as many as a value has bits but for `kept`, are left out.
      var (most, kept) = (0, 0)

      func zeros(_ width: Int) -> Int { min(max(0, width - kept), most) }
      func bits(_ width: Int) -> Int { excess + most - zeros(width) }
    }
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
    var decimals: Int32
    /// Whether the last decimal is a zero.
    var hasTrailingZero: Bool
  }

  /// nil if the texts are not numbers, or too many of them are not.
  init?(_ texts: ShardEncoder.Texts, _ tails: ShardEncoder.Tails) {
    let parsed = texts.map(Self.parse)
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
    _ texts: ShardEncoder.Texts, _ parsed: [Parsed?], _ family: Family, _ tails: ShardEncoder.Tails
  ) {
    let (codes, values) = (
      UnsafeMutableBufferPointer<UInt8>.allocate(capacity: texts.count),
      UnsafeMutableBufferPointer<Int64>.allocate(capacity: texts.count)
    )
    defer {
      codes.deallocate()
      values.deallocate()
    }
    codes.initialize(repeating: 0)
    values.initialize(repeating: 0)
    var literalOf: [[UInt8]: UInt8] = [:]
    var last = 0  // The code of the number before.
    for row in texts.indices {
      if let number = parsed[row] {
        let (format, value) = Self.format(number, family)
        // Of two or three, mostly: looking through them takes less than hashing. A literal's is of type 0, no number's.
        if last >= formats.count || !Self.isSame(formats[last], format) {
          last = formats.firstIndex { Self.isSame($0, format) } ?? formats.count
          if last == formats.count {
            guard last < 24 else { return nil }
            formats.append(format)
            literals.append([])
          }
        }
        codes[row] = UInt8(truncatingIfNeeded: last)
        values[row] = value
      } else {
        let literal = [UInt8](texts[row])
        if let code = literalOf[literal] {
          codes[row] = code
        } else {
          guard literalOf.count < 8, formats.count < 24, literal.count < 256 else { return nil }
          let code = UInt8(formats.count)
          literalOf[literal] = code
          formats.append(NumberFormat(type: 0, a: 0, b: 0))
          literals.append(literal)
          codes[row] = code
        }
      }
    }
    (self.codes, self.values) = (Array(codes), Array(values))
    let contexts = tails.isEmpty ? 1 : tails.texts.count
    guard makeModels(contexts, tails) else { return nil }
  }

  /// The values of one format in one context.
  private struct Spread: BitwiseCopyable {
    var count = 0
    var lowest = Int64.max
    var highest = Int64.min
  }

  /// Returns whether there is a model for every format.
  private mutating func makeModels(_ contexts: Int, _ tails: ShardEncoder.Tails) -> Bool {
    let spreads = UnsafeMutablePointer<Spread>.allocate(capacity: formats.count * contexts)
    defer { spreads.deallocate() }
    spreads.initialize(repeating: Spread(), count: formats.count * contexts)
    for row in codes.indices {
      let spread = spreads + Int(codes[row]) * contexts + (tails.isEmpty ? 0 : Int(tails.codes[row]))
      spread.pointee.count += 1
      spread.pointee.lowest = min(spread.pointee.lowest, values[row])
      spread.pointee.highest = max(spread.pointee.highest, values[row])
    }
    for code in formats.indices {
      let own = UnsafeBufferPointer(start: spreads + code * contexts, count: contexts)
      guard let model = makeModel(UInt8(code), own) else { return false }
      models.append(model)
    }
    return true
  }

  @inline(__always) private static func isSame(_ a: NumberFormat, _ b: NumberFormat) -> Bool {
    a.type == b.type && a.a == b.a && a.b == b.b
  }

  /// What a range of its own takes in the header, in bits, about, beside those that it saves of each value.
  private static let rangeBits = 6
  /// Only so many formats of a column have ranges of their own: what a shard has of them is bounded.
  private static let mostWithRanges = 16

  /// - Parameter spreads: Those of the format, by context.
  private mutating func makeModel(_ code: UInt8, _ spreads: UnsafeBufferPointer<Spread>) -> Model? {
    var model = Model()
    let contexts = spreads.count
    var all = Spread()
    for spread in spreads {
      all.count += spread.count
      all.lowest = min(all.lowest, spread.lowest)
      all.highest = max(all.highest, spread.highest)
    }
    let rows = all.count
    bitCount += 80 + literals[Int(code)].count * 8 + rows
    guard formats[Int(code)].type != 0 else { return model }
    let base = all.lowest
    let (range, overflow) = all.highest.subtractingReportingOverflow(base)
    guard !overflow, Self.width(range) <= 56 else { return nil }
    model.base = base
    model.width = Self.width(range)
    guard contexts > 1, model.width > 0, code < Self.mostWithRanges else {
      bitCount += rows * model.width
      return model
    }
    // Contexts that save bits by a range of their own get one; then the rest needs no more than it spans.
    var rest = Spread()
    for (context, spread) in spreads.enumerated() where spread.count > 0 {
      let own = Self.width(spread.highest - spread.lowest)
      let cost = Self.rangeBits + max(0, model.width - own)
      if spread.count * (model.width - own) > cost, spread.lowest - base <= Int64(UInt32.max) {
        model.own.append((context, own, UInt32(spread.lowest - base)))
      } else {
        rest.count += spread.count
        rest.highest = max(rest.highest, spread.highest)
      }
    }
    let restWidth = rest.count > 0 ? Self.width(rest.highest - base) : 0
    let plainBits = rows * model.width
    if !model.own.isEmpty {
      // Together they have to save what stands before them too.
      let bits = Self.round(&model, spreads) + 8 * (4 + (contexts + 7) / 8) + rest.count * restWidth
      if bits < plainBits {
        bitCount += bits
        model.width = restWidth
        return model
      }
      model.own = []
    }
    bitCount += plainBits
    return model
  }

  /// Gives each range of its own the roundest beginning that pays: how few of the additions' bits are written.
  ///
  /// - Returns: What the ranges and the values in them take, in bits.
  private static func round(_ model: inout Model, _ spreads: UnsafeBufferPointer<Spread>) -> Int {
    var best: (bits: Int, own: [(context: Int, width: Int, offset: UInt32)], packing: Model.Packing)?
    for kept in 0...6 {
      var own = model.own
      var values = 0
      for index in own.indices {
        let spread = spreads[own[index].context]
        let (lowest, highest) = (Int64(own[index].offset), spread.highest - model.base)
        // Rounded off so far that a value needs another bit, it can be rounded one further.
        while true {
          let zeros = Int64(max(0, own[index].width - kept))
          let rounded = (lowest >> zeros) << zeros
          own[index].offset = UInt32(rounded)
          if width(highest - rounded) <= own[index].width { break }
          own[index].width += 1
        }
        values += spread.count * own[index].width
      }
      var packing = Model.Packing()
      packing.least = own.reduce(Int.max) { min($0, $1.width) }
      packing.excess = width(Int64(own.reduce(0) { max($0, $1.width) } - packing.least))
      packing.most = width(Int64(own.reduce(0) { max($0, $1.offset) }))
      packing.kept = kept
      let bits = own.reduce(values) { $0 + packing.bits($1.width) }
      if best == nil || bits < best!.bits { best = (bits, own, packing) }
    }
    (model.own, model.packing) = (best!.own, best!.packing)
    return best!.bits
  }

  private static func width(_ range: Int64) -> Int { 64 - range.leadingZeroBitCount }

  /// What stands in a row, and in how many bits.
  struct Cell: BitwiseCopyable {
    private let word: UInt64

    /// - Parameter width: 56 at most; above it `value` has no bits.
    init(_ value: UInt64, width: Int) { word = value | UInt64(width) << 56 }

    var value: UInt64 { word & (1 << 56 - 1) }
    var width: Int { Int(word >> 56) }
  }

  /// Writes what stands in the row of each record: for the first to `rows`, for every next one `stride` further.
  func store(to rows: UnsafeMutablePointer<Cell>, stride: Int, _ tails: ShardEncoder.Tails) {
    let contexts = tails.isEmpty ? 1 : tails.texts.count
    // Per format and context what is taken away from a value, and the width.
    var ranges: [(lowest: Int64, width: Int)] = []
    ranges.reserveCapacity(formats.count * contexts)
    for model in models {
      let first = ranges.count
      for _ in 0..<contexts { ranges.append((model.base, model.width)) }
      for own in model.own { ranges[first + own.context] = (model.base + Int64(own.offset), own.width) }
    }
    var row = rows
    for index in codes.indices {
      let range = ranges[Int(codes[index]) * contexts + (tails.isEmpty ? 0 : Int(tails.codes[index]))]
      row.initialize(to: Cell(UInt64(truncatingIfNeeded: values[index] &- range.lowest), width: range.width))
      row += stride
    }
  }

  /// Writes the formats and their models, as they stand in the shard's header.
  func write(to writer: inout ByteWriter, contexts: Int) {
    writer.write(ShardHeader.Encoding.number.rawValue)
    writer.write(UInt8(formats.count))
    for (index, format) in formats.enumerated() {
      writer.write([format.type, format.a, format.b])
      if format.type == 0 {
        writer.writeVarint(literals[index].count)
        writer.write(literals[index])
      } else {
        let model = models[index]
        writer.writeSignedVarint(model.base)
        writer.write(UInt8(model.width | (model.own.isEmpty ? 0 : 0x80)))
        guard !model.own.isEmpty else { continue }
        var flags = [UInt8](repeating: 0, count: (contexts + 7) / 8)
        for own in model.own { flags[own.context >> 3] |= 1 << UInt8(own.context & 7) }
        writer.write(flags)
        let packing = model.packing
        for size in [packing.least, packing.excess, packing.most, packing.kept] { writer.write(UInt8(size)) }
        var bits = BitWriter(bitCount: model.own.reduce(0) { $0 + packing.bits($1.width) })
        for own in model.own {
          bits.write(UInt64(own.width - packing.least), packing.excess)
          let zeros = packing.zeros(own.width)
          bits.write(UInt64(own.offset >> UInt32(zeros)), packing.most - zeros)
        }
        writer.write(bits.finish())
      }
    }
  }

  // MARK: Text

  /// nil unless the text is `-`? digits (`.` digits)? with no needless zero before them and at most 18 digits.
  static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Parsed? {
    guard let start = text.baseAddress, text.count > 0, text.count <= 20 else { return nil }
    let end = start + text.count
    let isNegative = start.pointee == 0x2d
    let first = isNegative ? start + 1 : start
    var mantissa: Int64 = 0  // 20 digits may overflow, and are too many.
    var at = first
    while at < end, at.pointee &- 0x30 < 10 {
      mantissa = mantissa &* 10 &+ Int64(at.pointee &- 0x30)
      at += 1
    }
    let whole = at - first
    var decimals = 0
    if at < end {
      guard at.pointee == 0x2e else { return nil }
      at += 1
      decimals = end - at
      while at < end, at.pointee &- 0x30 < 10 {
        mantissa = mantissa &* 10 &+ Int64(at.pointee &- 0x30)
        at += 1
      }
      guard at == end, decimals > 0 else { return nil }
    }
    guard whole > 0, whole + decimals <= 18, whole == 1 || first.pointee != 0x30 else { return nil }
    guard !(isNegative && mantissa == 0) else { return nil }
    return Parsed(
      mantissa: isNegative ? -mantissa : mantissa, decimals: Int32(decimals),
      hasTrailingZero: decimals > 0 && end[-1] == 0x30)
  }

  /// The first format of the family that gives back exactly this text, and its value.
  @inline(__always)
  private static func format(_ number: Parsed, _ family: Family) -> (NumberFormat, Int64) {
    let decimals = Int(number.decimals)
    if number.hasTrailingZero { return (NumberFormat(type: 1, a: UInt8(decimals), b: 0), number.mantissa) }
    switch family {
    case .fixed:
      return (NumberFormat(type: 1, a: UInt8(decimals), b: 0), number.mantissa)
    case .trimmed(let minutes):
      if minutes, decimals <= 5, number.mantissa.magnitude < 1 << 40 {
        let scaled = number.mantissa * power(5 - decimals)
        if let value = sixtieths(scaled) { return (NumberFormat(type: 3, a: 0, b: 0), value) }
      }
      // Up to four decimals count as four where there are many of them, so that they share one range.
      if minutes, decimals <= 4, number.mantissa.magnitude < 1 << 40 {
        return (NumberFormat(type: 1, a: 4, b: 1), number.mantissa * power(4 - decimals))
      }
    case .float:
      // What these print has six decimals at most, and no other text of the same number.
      guard decimals <= 6, number.mantissa.magnitude < 1 << 40 else { break }
      let millionths = number.mantissa * power(6 - decimals)
      // What is printed of a float below 2^28 millionths is within 16 of what the float stands for, half of its last bit
      // and a rounding: few numbers are that near to sixtieths or to four decimals, and the others need no float.
      let isSmall = millionths.magnitude < 1 << 28
      let value = Double(number.mantissa) / Double(power(decimals))
      if !isSmall || distanceFromSixtieths(millionths) <= 16 {
        let minutes = NumberFormat(type: 3, a: 0, b: 6)
        let count = rounded(value * 60)
        if minutes.printed(count) == millionths { return (minutes, count) }
      }
      if !isSmall || (millionths.magnitude + 16) % 100 <= 32 {
        let tenThousandths = NumberFormat(type: 2, a: 4, b: 6)
        let count = rounded(value * 10_000)
        if tenThousandths.printed(count) == millionths { return (tenThousandths, count) }
      }
      let hundredThousandths = NumberFormat(type: 2, a: 5, b: 6)
      let count = rounded(value * 100_000)
      if hundredThousandths.printed(count) == millionths { return (hundredThousandths, count) }
    }
    return (NumberFormat(type: 1, a: UInt8(decimals), b: 1), number.mantissa)
  }

  /// To the nearest whole number, of two the one further from zero: what the C library does, without calling it.
  @inline(__always) private static func rounded(_ value: Double) -> Int64 {
    let whole = Int64(value)
    let rest = value - Double(whole)  // Exact.
    return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole
  }

  /// How many sixtieths, rounded to five decimals, are `scaled` hundred-thousandths; nil if no whole number is.
  private static func sixtieths(_ scaled: Int64) -> Int64? {
    let value = (scaled * 3 + (scaled < 0 ? -2500 : 2500)) / 5000
    return (value * 5000 + (value < 0 ? -1 : 1)) / 3 == scaled ? value : nil
  }

  /// How many millionths lie between these and the nearest sixtieth that is rounded to five decimals.
  @inline(__always) private static func distanceFromSixtieths(_ millionths: Int64) -> UInt64 {
    let magnitude = Int64(millionths.magnitude)
    let count = (3 * magnitude + 25_000) / 50_000
    return (magnitude - (5000 * count + 1) / 3 * 10).magnitude
  }

  @inline(__always) private static func power(_ exponent: Int) -> Int64 {
    switch exponent {
    case 0: 1
    case 1: 10
    case 2: 100
    case 3: 1000
    case 4: 10_000
    case 5: 100_000
    default: 1_000_000
    }
  }
}
