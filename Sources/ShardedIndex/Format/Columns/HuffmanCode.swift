/// How small numbers of the parts of a shard are packed: the canonical Huffman code of one column's numbers, each at most
/// 255. Source: docs/format.md §4.7.
///
/// It stands in the shard's header, so that no part has a table of its own, and leads into the header's memory.
package struct HuffmanCode: BitwiseCopyable, @unchecked Sendable {
  /// No number's code is longer, in bits.
  package static let longestLimit = 10

  /// Those numbers that have a code, in the order of their codes, each as a table has it: the number, and below it its code's
  /// length.
  private var entries = UnsafePointer<UInt16>(bitPattern: 8)!
  /// How many there are, 0 if there is no code and numbers stand as they are; how many of the first are ``storedAtOnce`` times
  /// in a table or more, and how many of the last once.
  private var (count, wide, single): (UInt16, UInt16, UInt16) = (0, 0, 0)

  @inline(__always) package var isPresent: Bool { count > 0 }

  /// Numbers stand as they are.
  init() {}

  /// What is needed to read the lengths of the codes of 256 numbers.
  static let scratchCapacity = 256 + longestLimit + 1

  /// Reads the lengths of the codes: half bytes, the low one first, until they make a code; a byte of 0 is none.
  ///
  /// - Parameters:
  ///   - limit: All numbers are below it; at most 256.
  ///   - scratch: Room for ``scratchCapacity``.
  ///   - allocate: Makes room for that many bytes, aligned for 16 bits.
  init(
    _ reader: inout ByteReader, limit: Int, scratch: UnsafeMutablePointer<UInt16>,
    allocate: (Int) -> UnsafeMutableRawPointer
  ) throws(FormatError) {
    let at = reader.offset
    let first = try reader.read(UInt8.self)
    guard first > 0 else { return }
    // Every run of bits has to be one code's: then decoding cannot fail, and each number takes a bit at least. So the codes
    // end where they have taken all runs there are.
    var (count, used, left) = (0, 0, 1 << Self.longestLimit)
    // Per length how many have it.
    let tallies = scratch + limit
    tallies.initialize(repeating: 0, count: Self.longestLimit + 1)
    // What is left of a byte, below a one.
    var pending = 0x100 | Int(first)
    @inline(__always) func next() throws(FormatError) -> Int {
      if pending == 1 { pending = 0x100 | Int(try reader.read(UInt8.self)) }
      defer { pending &>>= 4 }
      return pending & 15
    }
    while left > 0 {
      let half = try next()
      if 1...Self.longestLimit ~= half {
        guard count < limit else {
          throw .invalid(reason: "code lengths of more than \(limit) numbers", offset: at)
        }
        scratch[used] = UInt16(truncatingIfNeeded: count &<< 8 | half)
        tallies[half] &+= 1
        used &+= 1
        count &+= 1
        left &-= 1 &<< (Self.longestLimit &- half)
      } else {
        // Numbers without a code: one, or two to five, or by another half byte six and more.
        count &+= half == 0 ? 1 : half &- Self.longestLimit &+ 1
        if half == 15 { count &+= try next() }
        guard count <= limit else {
          throw .invalid(reason: "code lengths of more than \(limit) numbers", offset: at)
        }
      }
    }
    // Nothing is left of the last byte, or half of it, which is zero.
    guard left == 0, pending == 1 || pending == 0x10 else {
      throw .invalid(reason: "code lengths that make no code", offset: at)
    }
    let entries = allocate(2 * used).bindMemory(to: UInt16.self, capacity: used)
    var place: UInt16 = 0
    for length in 1...Self.longestLimit {
      if Self.tableSize >> length >= Self.storedAtOnce { wide += tallies[length] }
      if length == Self.longestLimit { single = tallies[length] }
      // From here on where the next of this length goes.
      (tallies[length], place) = (place, place + tallies[length])
    }
    for code in 0..<used {
      let length = Int(scratch[code] & 0xff)
      entries[Int(tallies[length])] = scratch[code]
      tallies[length] &+= 1
    }
    (self.entries, self.count) = (UnsafePointer(entries), UInt16(used))
  }

  private static let tableSize = 1 << longestLimit
  /// Entries that are stored at once, whether or not a number has as many.
  private static let storedAtOnce = 16
  /// Entries of a table, with room behind them for what is written beyond its end.
  static let tableCapacity = tableSize + storedAtOnce

  /// For each run of ``longestLimit`` bits the entry of the number whose code it begins with.
  ///
  /// Without a loop per length: how many numbers have which differs from shard to shard, and where the processor guesses wrong
  /// that takes longer than a number does.
  private func fill(_ table: UnsafeMutablePointer<UInt16>) {
    var next = entries
    var target = UnsafeMutableRawPointer(table)
    @inline(__always) func size(_ entry: UInt16) -> Int { (2 * Self.tableSize) &>> Int(entry & 15) }
    let (wideEnd, end) = (entries + Int(wide), entries + Int(count &- single))
    while next < wideEnd {
      let run = SIMD16(repeating: next.pointee)
      let end = target + size(next.pointee)
      repeat {
        target.storeBytes(of: run, as: SIMD16<UInt16>.self)
        target += 2 * Self.storedAtOnce
      } while target < end
      next += 1
    }
    while next < end {
      // Those behind the last are written over by the next number's.
      target.storeBytes(of: SIMD16(repeating: next.pointee), as: SIMD16<UInt16>.self)
      target += size(next.pointee)
      next += 1
    }
    target.copyMemory(from: next, byteCount: 2 * Int(single))
  }

  /// Unpacks `count` numbers, in four quarters side by side: none waits for the codes of another.
  ///
  /// - Parameters:
  ///   - reader: Stands at the packed numbers; what it reads has 8 bytes before it and behind it that can be read.
  ///   - table: Room for ``tableCapacity`` entries.
  func unpack(
    _ reader: inout ByteReader, count: Int, into numbers: UnsafeMutablePointer<UInt8>,
    table: UnsafeMutablePointer<UInt16>
  ) throws(FormatError) {
    let at = reader.offset
    let sizes = (try reader.readVarint(), try reader.readVarint())
    let bytes = try reader.read(bytes: sizes.0 + sizes.1)
    fill(table)
    let (start, middle) = (UnsafeRawPointer(bytes.baseAddress!), UnsafeRawPointer(bytes.baseAddress! + sizes.0))
    let end = start + bytes.count
    var (first, second) = (Bits(start, middle, isBackward: false), Bits(start, middle, isBackward: true))
    var (third, fourth) = (Bits(middle, end, isBackward: false), Bits(middle, end, isBackward: true))
    @inline(__always) func advance() throws(FormatError) {
      guard first.advance(), second.advance(), third.advance(), fourth.advance() else {
        throw .invalid(reason: "codes run over their end", offset: at)
      }
    }
    // Where the quarters behind the first one begin: none has more than one number more than another.
    let (quarter, half, rest) = (count / 4, count / 2, count / 2 + (count - count / 2) / 2)
    var target = numbers
    let last = numbers + (quarter &- Bits.atOnce)
    while target <= last {
      try advance()
      for step in 0..<Bits.atOnce {
        target[step] = first.number(table)
        target[quarter &+ step] = second.number(table)
        target[half &+ step] = third.number(table)
        target[rest &+ step] = fourth.number(table)
      }
      target += Bits.atOnce
    }
    // As many at most are left of any.
    try advance()
    while target < numbers + quarter {
      target[0] = first.number(table)
      target[quarter] = second.number(table)
      target[half] = third.number(table)
      target[rest] = fourth.number(table)
      target += 1
    }
    if count & 3 > 0 { numbers[count &- 1] = fourth.number(table) }
    if count & 3 > 1 { numbers[half &- 1] = second.number(table) }
    if count & 3 > 2 { numbers[rest &- 1] = third.number(table) }
    guard let met = first.end, met == second.end, let other = third.end, other == fourth.end else {
      throw .invalid(reason: "codes do not fill their bytes", offset: at)
    }
  }

  /// Some bytes as a run of bits, the highest of each first: from the first byte on, or from the last one back.
  private struct Bits {
    /// Codes that are there whatever they are, once ``advance()`` was called: of eight bytes, but for what is passed of the
    /// first one and for the mark.
    static let atOnce = (64 - 7 - 1) / HuffmanCode.longestLimit

    private let isBackward: Bool
    /// Where ``word`` was read, from there on or up to there.
    private var start: UnsafeRawPointer
    /// Where the bytes end that way.
    private let limit: UnsafeRawPointer
    /// The bits to come, highest first. Its lowest one is a mark: it has as many zeros below it as bits were passed since
    /// ``start``, and nobody has to add them up.
    private var word: UInt64 = 1

    /// - Parameter end: Behind the last of the bytes.
    @inline(__always) init(_ first: UnsafeRawPointer, _ end: UnsafeRawPointer, isBackward: Bool) {
      self.isBackward = isBackward
      (start, limit) = isBackward ? (end, first) : (first, end)
    }

    /// In bits. The highest one changes nothing, but says that there is one.
    @inline(__always) private var passed: Int { (word | 1 &<< 63).trailingZeroBitCount }

    /// Reads on from the byte that the next bit is in.
    ///
    /// - Returns: Whether that is one of them, or the one behind the last.
    @inline(__always) mutating func advance() -> Bool {
      let passed = passed
      if isBackward {
        start -= passed &>> 3
        guard start >= limit else { return false }
        word = UInt64(littleEndian: (start - 8).loadUnaligned(as: UInt64.self))
      } else {
        start += passed &>> 3
        guard start <= limit else { return false }
        word = UInt64(bigEndian: start.loadUnaligned(as: UInt64.self))
      }
      word = (word | 1) &<< UInt64(passed & 7)
      return true
    }

    /// The number whose code comes next, which is passed.
    @inline(__always) mutating func number(_ table: UnsafePointer<UInt16>) -> UInt8 {
      let entry = table[Int(word &>> UInt64(64 - HuffmanCode.longestLimit))]
      // Of what is shifted by six bits count.
      word &<<= UInt64(entry)
      return UInt8(truncatingIfNeeded: entry &>> 8)
    }

    /// Behind the last byte of which something is passed, or before it; nil if what is left of that byte is not zero.
    var end: UnsafeRawPointer? {
      let passed = passed
      let whole = passed &>> 3
      let next = isBackward ? start - whole : start + whole
      guard passed & 7 > 0 else { return next }
      let byte = (isBackward ? next - 1 : next).load(as: UInt8.self)
      guard byte &<< UInt8(passed & 7) == 0 else { return nil }
      return isBackward ? next - 1 : next + 1
    }
  }
}
