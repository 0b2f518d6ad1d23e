/// How small numbers of the parts of a shard are packed: the canonical Huffman code of one column's numbers, each at most
/// 255. Source: docs/format.md §4.7.
///
/// It stands in the shard's header, so that no part has a table of its own, and leads into the header's memory.
package struct HuffmanCode: BitwiseCopyable, @unchecked Sendable {
  /// No number's code is longer, in bits.
  package static let longestLimit = 10

  /// Bits of the longest code; 0 if there is none, and numbers stand as they are.
  private(set) var longest = 0
  /// Per length from 1 to ``longest``, how many numbers have a code of it; and all that have one, in the order of their codes.
  private var counts = UnsafePointer<UInt16>(bitPattern: 8)!
  private var numbers = UnsafePointer<UInt8>(bitPattern: 8)!

  @inline(__always) package var isPresent: Bool { longest > 0 }

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
    // The numbers first: filling a table reads beyond the last.
    let room = (used + 1) & ~1
    let memory = allocate(room + 2 * Self.longestLimit)
    let numbers = memory.bindMemory(to: UInt8.self, capacity: room)
    let counts = (memory + room).bindMemory(to: UInt16.self, capacity: Self.longestLimit)
    var place: UInt16 = 0
    for length in 1...Self.longestLimit {
      let count = tallies[length]
      if count > 0 { longest = length }
      counts[length &- 1] = count
      // From here on where the next of this length goes.
      tallies[length] = place
      place &+= count
    }
    for code in 0..<used {
      let length = Int(scratch[code] & 0xff)
      numbers[Int(tallies[length])] = UInt8(truncatingIfNeeded: scratch[code] &>> 8)
      tallies[length] &+= 1
    }
    (self.counts, self.numbers) = (UnsafePointer(counts), UnsafePointer(numbers))
  }

  /// Entries of a table, with room behind them for what is written beyond its end.
  static let tableCapacity = 1 << longestLimit + 3

  /// For each run of ``longestLimit`` bits the number whose code it begins with, and below it that code's length.
  private func fill(_ table: UnsafeMutablePointer<UInt16>) {
    var next = numbers
    var entry = UnsafeMutableRawPointer(table)
    for length in 1...longest {
      let size = 2 &<< (Self.longestLimit &- length)
      for _ in 0..<counts[length &- 1] {
        // Four entries at once: those behind the last are written over by the next number's.
        let four = 0x0001_0001_0001_0001 &* (UInt64(next[0]) &<< 8 | UInt64(length))
        var offset = 0
        repeat {
          entry.storeBytes(of: four, toByteOffset: offset, as: UInt64.self)
          offset &+= 8
        } while offset < size
        entry += size
        next += 1
      }
    }
  }

  /// Unpacks `count` numbers, in two halves side by side: neither waits for the other's codes.
  ///
  /// - Parameters:
  ///   - reader: Stands at the packed numbers; what it reads has 8 bytes behind it that can be read.
  ///   - table: Room for ``tableCapacity`` entries.
  func unpack(
    _ reader: inout ByteReader, count: Int, into numbers: UnsafeMutablePointer<UInt8>,
    table: UnsafeMutablePointer<UInt16>
  ) throws(FormatError) {
    let at = reader.offset
    let sizes = (try reader.readVarint(), try reader.readVarint())
    let halves = (try reader.read(bytes: sizes.0), try reader.read(bytes: sizes.1))
    fill(table)
    let split = (count + 1) / 2
    var (first, second) = (Bits(halves.0), Bits(halves.1))
    let shift = UInt64(64 - Self.longestLimit)
    // As many codes as are there whatever comes before them: eight bytes less a begun one.
    let atOnce = 57 / Self.longestLimit
    var index = 0
    while index <= count &- split &- atOnce {
      guard first.isWithin, second.isWithin else { throw .invalid(reason: "codes run over their end", offset: at) }
      var (one, other) = (first.word, second.word)
      // The lowest byte of either is how many bits were passed.
      var (passed, otherPassed) = (0, 0)
      let (target, otherTarget) = (numbers + index, numbers + (split &+ index))
      for step in 0..<atOnce {
        let (a, b) = (UInt64(table[Int(one &>> shift)]), UInt64(table[Int(other &>> shift)]))
        target[step] = UInt8(truncatingIfNeeded: a &>> 8)
        otherTarget[step] = UInt8(truncatingIfNeeded: b &>> 8)
        // Of what is shifted by six bits count.
        one &<<= a
        other &<<= b
        passed &+= Int(a)
        otherPassed &+= Int(b)
      }
      first.position &+= passed & 0xff
      second.position &+= otherPassed & 0xff
      index &+= atOnce
    }
    for record in index..<split {
      for half in 0..<2 where half == 0 || split + record < count {
        var bits = half == 0 ? first : second
        guard bits.isWithin else { throw .invalid(reason: "codes run over their end", offset: at) }
        let entry = table[Int(bits.word &>> shift)]
        numbers[half * split + record] = UInt8(truncatingIfNeeded: entry &>> 8)
        bits.position += Int(entry & 0xff)
        if half == 0 { first = bits } else { second = bits }
      }
    }
    guard first.isFilled, second.isFilled else { throw .invalid(reason: "codes do not fill their bytes", offset: at) }
  }

  /// Some bytes as a run of bits, the highest of each first.
  private struct Bits {
    private let bytes: UnsafeRawPointer
    private let size: Int
    /// In bits.
    var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
      (self.bytes, size) = (UnsafeRawPointer(bytes.baseAddress!), bytes.count)
    }

    /// Whether the next byte is one of them, or the one behind the last.
    @inline(__always) var isWithin: Bool { position <= 8 &* size }
    /// The next 57 bits at least.
    @inline(__always) var word: UInt64 {
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: position &>> 3, as: UInt64.self)) &<< UInt64(position & 7)
    }
    /// Whether the position is the end, zeros up to the end of its byte aside.
    var isFilled: Bool {
      guard isWithin, (position + 7) / 8 == size else { return false }
      let rest = 8 * size - position
      return rest == 0 || bytes.load(fromByteOffset: size - 1, as: UInt8.self) & (1 << UInt8(rest) - 1) == 0
    }
  }
}
