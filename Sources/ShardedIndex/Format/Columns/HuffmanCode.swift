/// The canonical Huffman code of one column's small numbers, each at most 255, in all parts of a shard. Source:
/// docs/format.md section 4.7.
///
/// The code stands in the shard's header, so that parts have no tables of their own. Its pointers lead into the
/// header's memory.
@safe package struct HuffmanCode: BitwiseCopyable, @unchecked Sendable {
  /// The size of the longest code, in bits.
  package static let longestLimit = 10

  /// The numbers with a code, in the order of their codes. Each has the form of a table's entry: the number, and below
  /// it the length of its code.
  private var entries = unsafe UnsafePointer<UInt16>(bitPattern: 8)!
  /// The count of numbers with a code; 0 if numbers stand without codes. Then the count of numbers that are in a table
  /// ``storedAtOnce`` times or more, which come first, and of numbers that are in it once, which come last.
  private var (count, wide, single): (UInt16, UInt16, UInt16) = (0, 0, 0)

  @inline(__always) package var isPresent: Bool { count > 0 }

  /// Makes no code: numbers stand without codes.
  package init() {}

  /// The room for reading the lengths of the codes of 256 numbers.
  package static let scratchCapacity = 256 + longestLimit + 1

  /// Reads the lengths of the codes: half bytes, the low one first, until they make a complete code. A byte of 0 means
  /// no code.
  ///
  /// - Parameters:
  ///   - limit: The limit of the numbers, at most 256.
  ///   - scratch: Room for ``scratchCapacity`` values.
  ///   - arena: The memory for the entries.
  package init(
    _ reader: inout ByteReader, limit: Int, scratch: UnsafeMutablePointer<UInt16>, in arena: inout Arena
  ) throws(FormatError) {
    let used = unsafe try Self.readLengths(&reader, limit: limit, scratch)
    guard used > 0 else { return }
    let tallies = unsafe scratch + limit
    let entries = unsafe arena.allocate(UInt16.self, used)
    var next: UInt16 = 0
    for length in 1...Self.longestLimit {
      if Self.tableSize >> length >= Self.storedAtOnce { unsafe wide += tallies[length] }
      if length == Self.longestLimit { single = unsafe tallies[length] }
      // From here on a tally is the index for the next number of its length.
      unsafe (tallies[length], next) = (next, next + tallies[length])
    }
    // Tallies of 256 numbers at most.
    for code in 0..<used {
      let length = unsafe Int(scratch[code] & 0xff)
      unsafe entries[Int(tallies[length])] = scratch[code]
      unsafe tallies[length] &+= 1
    }
    unsafe (self.entries, self.count) = (.init(entries), UInt16(used))
  }

  /// Reads an entry for each number with a code, and, behind `limit` entries, the count of numbers of each length.
  ///
  /// - Returns: The count of numbers with a code.
  private static func readLengths(
    _ reader: inout ByteReader, limit: Int, _ scratch: UnsafeMutablePointer<UInt16>
  ) throws(FormatError) -> Int {
    let at = reader.offset
    let first = try reader.read(UInt8.self)
    guard first > 0 else { return 0 }
    // Every run of bits must begin with the code of a number. Then decoding cannot fail, and each number takes at least
    // a bit. So the lengths end when the codes have taken all runs.
    var (count, used, left) = (0, 0, 1 << Self.longestLimit)
    let tallies = unsafe scratch + limit
    unsafe tallies.initialize(repeating: 0, count: Self.longestLimit + 1)
    // The rest of a byte, with a one above it.
    var pending = 0x100 | Int(first)
    @inline(__always) func next(_ reader: inout ByteReader) throws(FormatError) -> Int {
      if pending == 1 { pending = 0x100 | Int(try reader.read(UInt8.self)) }
      defer { pending &>>= 4 }
      return pending & 15
    }
    while left > 0 {
      let half = try next(&reader)
      if 1...Self.longestLimit ~= half {
        guard count < limit else {
          throw .invalid(reason: "has code lengths of more than \(limit) numbers", offset: at)
        }
        // Counts are below 256, and halves are at most the longest length.
        unsafe scratch[used] = UInt16(truncatingIfNeeded: count &<< 8 | half)
        unsafe tallies[half] &+= 1
        used &+= 1
        count &+= 1
        left &-= 1 &<< (Self.longestLimit &- half)
      } else {
        // Numbers without a code: one, two to five, or, with another half byte, six and more.
        count &+= half == 0 ? 1 : half &- Self.longestLimit &+ 1
        if half == 15 { count += try next(&reader) }
        guard count <= limit else {
          throw .invalid(reason: "has code lengths of more than \(limit) numbers", offset: at)
        }
      }
    }
    // The last byte is used up, or its other half is zero.
    guard left == 0, pending == 1 || pending == 0x10 else {
      throw .invalid(reason: "has code lengths that make no code", offset: at)
    }
    return used
  }

  private static let tableSize = 1 << longestLimit
  /// The number of entries that one store writes, even if a number has fewer.
  private static let storedAtOnce = 16
  /// The entries of a table, and room for a store past its end.
  package static let tableCapacity = tableSize + storedAtOnce

  /// Fills a table: for each run of ``longestLimit`` bits the entry of the number whose code it begins with.
  ///
  /// There is no loop per length: the count of numbers of a length differs between shards, and a wrong prediction of a
  /// branch takes longer than a number.
  private func fill(_ table: UnsafeMutablePointer<UInt16>) {
    var next = unsafe entries
    var target = UnsafeMutableRawPointer(table)
    @inline(__always) func size(_ entry: UInt16) -> Int { (2 * Self.tableSize) &>> Int(entry & 15) }
    let (wideEnd, end) = unsafe (entries + Int(wide), entries + Int(count &- single))
    while unsafe next < wideEnd {
      let run = unsafe SIMD16(repeating: next.pointee)
      let end = unsafe target + size(next.pointee)
      repeat {
        unsafe target.storeBytes(of: run, as: SIMD16<UInt16>.self)
        unsafe target += 2 * Self.storedAtOnce
      } while unsafe target < end
      unsafe next += 1
    }
    while unsafe next < end {
      // The next number's entries overwrite the surplus entries.
      unsafe target.storeBytes(of: SIMD16(repeating: next.pointee), as: SIMD16<UInt16>.self)
      unsafe target += size(next.pointee)
      unsafe next += 1
    }
    unsafe target.copyMemory(from: next, byteCount: 2 * Int(single))
  }

  /// Unpacks `count` numbers in four quarters side by side, so that no quarter waits for the codes of another.
  ///
  /// - Parameters:
  ///   - reader: The reader, whose next bytes are the packed numbers.
  ///   - content: The bytes that the reader reads; 8 bytes before them and behind them are readable.
  ///   - table: Room for ``tableCapacity`` entries.
  package func unpack(
    _ reader: inout ByteReader, of content: UnsafePointer<UInt8>, count: Int, into numbers: UnsafeMutablePointer<UInt8>,
    table: UnsafeMutablePointer<UInt16>
  ) throws(FormatError) {
    let at = reader.offset
    let sizes = (try reader.readVarint(), try reader.readVarint())
    let start = unsafe content + (try reader.pass(sizes.0 + sizes.1))
    unsafe fill(table)
    let (middle, end) = unsafe (start + sizes.0, start + sizes.0 + sizes.1)
    var (first, second) = unsafe (Bits(start, middle, isBackward: false), Bits(start, middle, isBackward: true))
    var (third, fourth) = unsafe (Bits(middle, end, isBackward: false), Bits(middle, end, isBackward: true))
    @inline(__always) func advance() throws(FormatError) {
      guard unsafe first.advance(), unsafe second.advance(), unsafe third.advance(), unsafe fourth.advance() else {
        throw .invalid(reason: "has codes that run over their end", offset: at)
      }
    }
    // The starts of the second to fourth quarter. The sizes of quarters differ by at most one number.
    let (quarter, half, rest) = (count / 4, count / 2, count / 2 + (count - count / 2) / 2)
    var target = unsafe numbers
    let last = unsafe numbers + (quarter &- Bits.atOnce)
    while unsafe target <= last {
      try advance()
      for step in unsafe 0..<Bits.atOnce {
        unsafe target[step] = first.number(table)
        unsafe target[quarter &+ step] = second.number(table)
        unsafe target[half &+ step] = third.number(table)
        unsafe target[rest &+ step] = fourth.number(table)
      }
      unsafe target += Bits.atOnce
    }
    // Each quarter has at most this many numbers left.
    try advance()
    while unsafe target < numbers + quarter {
      unsafe target[0] = first.number(table)
      unsafe target[quarter] = second.number(table)
      unsafe target[half] = third.number(table)
      unsafe target[rest] = fourth.number(table)
      unsafe target += 1
    }
    if count & 3 > 0 { unsafe numbers[count &- 1] = fourth.number(table) }
    if count & 3 > 1 { unsafe numbers[half &- 1] = second.number(table) }
    if count & 3 > 2 { unsafe numbers[rest &- 1] = third.number(table) }
    guard let met = unsafe first.end, unsafe met == second.end, let other = unsafe third.end, unsafe other == fourth.end
    else {
      throw .invalid(reason: "has codes that do not fill their bytes", offset: at)
    }
  }
}
