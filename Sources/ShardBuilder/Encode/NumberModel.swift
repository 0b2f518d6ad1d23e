import ShardedIndex

/// The range of the values of one format, and the ranges of the values in single contexts.
struct NumberModel {
  /// The range of one context.
  struct Range {
    let context: Int
    /// The number of bits of a value.
    var width: Int
    /// The number to add to the base.
    var offset: UInt32
  }

  var base: Int64 = 0
  var width = 0
  /// The ranges of contexts with a range of their own, by context.
  var own: [Range] = []
  private var packing = Packing()
  /// The estimated bits of the values and the ranges.
  private(set) var bitCount = 0

  /// The form of the written ranges.
  private struct Packing {
    /// The fewest bits of a value in a range, and the number of bits that hold the excess over it.
    var (least, excess) = (0, 0)
    /// The number of bits of an offset. An offset lacks as many zeros at its end as a value has bits, less `kept`.
    var (most, kept) = (0, 0)

    func zeros(_ width: Int) -> Int { min(max(0, width - kept), most) }
    func bits(_ width: Int) -> Int { excess + most - zeros(width) }
  }

  /// The values of one format in one context.
  struct Spread {
    private(set) var count = 0
    fileprivate var lowest = Int64.max
    fileprivate var highest = Int64.min

    mutating func add(_ value: Int64) {
      count += 1
      lowest = min(lowest, value)
      highest = max(highest, value)
    }

    fileprivate mutating func add(_ other: Spread) {
      count += other.count
      lowest = min(lowest, other.lowest)
      highest = max(highest, other.highest)
    }
  }

  /// The estimated bits of one context's range in the header, besides the bits that the range saves in each value.
  private static let rangeBits = 6
  /// The most bits of a value.
  private static let widthLimit = 56

  /// Makes the model of a literal, which has no values.
  init() {}

  /// - Parameters:
  ///   - spreads: The values of the format, by context.
  ///   - hasRanges: Whether contexts may have ranges of their own.
  /// - Returns: nil if the range of the values is too large.
  init?(_ spreads: [Spread], hasRanges: Bool) {
    var all = Spread()
    for spread in spreads { all.add(spread) }
    base = all.lowest
    let (range, overflow) = all.highest.subtractingReportingOverflow(base)
    guard !overflow, Self.width(range) <= Self.widthLimit else { return nil }
    width = Self.width(range)
    bitCount = all.count * width
    guard spreads.count > 1, width > 0, hasRanges else { return }
    // Each context that saves bits by a range of its own gets one. The width of the others then follows from their
    // values alone.
    var rest = Spread()
    for (context, spread) in spreads.enumerated() where spread.count > 0 {
      let own = Self.width(spread.highest - spread.lowest)
      let cost = Self.rangeBits + max(0, width - own)
      if spread.count * (width - own) > cost, spread.lowest - base <= Int64(UInt32.max) {
        self.own.append(Range(context: context, width: own, offset: UInt32(spread.lowest - base)))
      } else {
        rest.add(spread)
      }
    }
    guard !own.isEmpty else { return }
    let restWidth = rest.count > 0 ? Self.width(rest.highest - base) : 0
    // Together the ranges have to save the bits of their head too.
    let bits = round(spreads) + 8 * (4 + (spreads.count + 7) / 8) + rest.count * restWidth
    if bits < bitCount {
      (bitCount, width) = (bits, restWidth)
    } else {
      own = []
    }
  }

  private static func width(_ range: Int64) -> Int { 64 - range.leadingZeroBitCount }

  /// Gives each context's range the roundest beginning that pays, so that few bits of its offset are written.
  ///
  /// - Returns: The bits of the ranges and of the values in them.
  private mutating func round(_ spreads: [Spread]) -> Int {
    var best: (bits: Int, own: [Range], packing: Packing)?
    for kept in 0...6 {
      var own = own
      var values = 0
      for index in own.indices {
        let spread = spreads[own[index].context]
        let (lowest, highest) = (Int64(own[index].offset), spread.highest - base)
        // If rounding costs a value another bit, the beginning can be rounded one bit further.
        while true {
          let zeros = Int64(max(0, own[index].width - kept))
          let rounded = (lowest >> zeros) << zeros
          own[index].offset = UInt32(rounded)
          if Self.width(highest - rounded) <= own[index].width { break }
          own[index].width += 1
        }
        values += spread.count * own[index].width
      }
      var packing = Packing()
      packing.least = own.reduce(Int.max) { min($0, $1.width) }
      packing.excess = Self.width(Int64(own.reduce(0) { max($0, $1.width) } - packing.least))
      packing.most = Self.width(Int64(own.reduce(0) { max($0, $1.offset) }))
      packing.kept = kept
      let bits = own.reduce(values) { $0 + packing.bits($1.width) }
      if best == nil || bits < best!.bits { best = (bits, own, packing) }
    }
    (own, packing) = (best!.own, best!.packing)
    return best!.bits
  }

  /// Writes the range and the ranges of contexts in the form of the shard's header.
  func write(to writer: inout ByteWriter, contexts: Int) {
    writer.writeSignedVarint(base)
    writer.write(UInt8(width | (own.isEmpty ? 0 : 0x80)))
    guard !own.isEmpty else { return }
    var flags = [UInt8](repeating: 0, count: (contexts + 7) / 8)
    for range in own { flags[range.context >> 3] |= 1 << UInt8(range.context & 7) }
    writer.write(flags)
    for size in [packing.least, packing.excess, packing.most, packing.kept] { writer.write(UInt8(size)) }
    var bits = BitWriter(bitCount: own.reduce(0) { $0 + packing.bits($1.width) })
    for range in own {
      bits.write(UInt64(range.width - packing.least), packing.excess)
      let zeros = packing.zeros(range.width)
      bits.write(UInt64(range.offset >> UInt32(zeros)), packing.most - zeros)
    }
    writer.write(bits.finish())
  }
}
