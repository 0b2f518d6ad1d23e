import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Numbers packed by a Huffman code") struct HuffmanCodeTests {
  /// A reader's code, with the memory of its tables.
  private final class Code {
    private(set) var code = HuffmanCode()
    private var memory = Arena(sharing: 64)

    init(_ lengths: [UInt8], limit: Int) throws {
      let scratch = UnsafeMutablePointer<UInt16>.allocate(capacity: HuffmanCode.scratchCapacity)
      defer { scratch.deallocate() }
      try lengths.withUnsafeBufferPointer { bytes in
        var reader = ByteReader(bytes)
        code = try HuffmanCode(&reader, limit: limit, scratch: scratch, in: &memory)
        let remaining = reader.remaining
        #expect(remaining == 0)
      }
    }

    /// The numbers of `packed`; nil if the bytes are refused.
    func unpack(_ packed: [UInt8], count: Int) -> [UInt8]? {
      let table = UnsafeMutablePointer<UInt16>.allocate(capacity: HuffmanCode.tableCapacity)
      defer { table.deallocate() }
      // The bytes around the packed ones are not zeros, so that a read of them shows.
      let around = [UInt8](repeating: 0xa5, count: 8)
      return (around + packed + around).withUnsafeBufferPointer { bytes in
        var reader = ByteReader(UnsafeBufferPointer(rebasing: bytes[8..<8 + packed.count]))
        var isRead = false
        let numbers = [UInt8](unsafeUninitializedCapacity: count + 1) { numbers, written in
          numbers.initialize(repeating: 0xee)
          isRead =
            (try? code.unpack(
              &reader, of: bytes.baseAddress! + 8, count: count, into: numbers.baseAddress!, table: table)) != nil
          #expect(numbers[count] == 0xee)
          written = count
        }
        return isRead && reader.remaining == 0 ? numbers : nil
      }
    }
  }

  /// The same numbers, read a bit at a time, from the lengths of the codes.
  private static func unpacked(_ packed: [UInt8], count: Int, lengths: [Int]) -> [UInt8]? {
    var codes: [[Int]: UInt8] = [:]
    var code = 0
    for length in 1...HuffmanCode.longestLimit {
      for number in lengths.indices where lengths[number] == length {
        codes[(0..<length).map { code >> (length - 1 - $0) & 1 }] = UInt8(number)
        code += 1
      }
      code <<= 1
    }
    /// `count` numbers from the first byte on, and the size of their codes in bytes.
    func numbers(_ bytes: [UInt8], _ count: Int) -> (numbers: [UInt8], size: Int)? {
      var bits = bytes.flatMap { byte in (0..<8).map { Int(byte >> (7 - $0) & 1) } }[...]
      var numbers: [UInt8] = []
      while numbers.count < count {
        guard let size = (1...HuffmanCode.longestLimit).first(where: { codes[Array(bits.prefix($0))] != nil }),
          size <= bits.count
        else { return nil }
        numbers.append(codes[Array(bits.prefix(size))]!)
        bits.removeFirst(size)
      }
      return bits.prefix(bits.count % 8).contains(1) ? nil : (numbers, bytes.count - bits.count / 8)
    }
    /// Reads from both ends until they meet.
    func half(_ bytes: ArraySlice<UInt8>, _ count: Int) -> [UInt8]? {
      guard let front = numbers(Array(bytes), count / 2), let back = numbers(bytes.reversed(), count - count / 2),
        front.size + back.size == bytes.count
      else { return nil }
      return front.numbers + back.numbers
    }
    // Sizes take one byte or two here.
    return packed.withUnsafeBufferPointer { bytes in
      var reader = ByteReader(bytes)
      guard let first = try? reader.readVarint(), let second = try? reader.readVarint(),
        first + second == reader.remaining
      else { return nil }
      let (start, middle) = (reader.offset, reader.offset + first)
      guard let one = half(packed[start..<middle], count / 2), let other = half(packed[middle...], count - count / 2)
      else { return nil }
      return one + other
    }
  }

  @Test("numbers are read as they were packed, and damaged ones like by a reader of bits", arguments: UInt64(1)...40)
  func unpack(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    // From equal frequencies to skewed ones.
    let (limit, skew) = (Int.random(in: 2...256, using: &random), Int.random(in: 1...8, using: &random))
    func number() -> UInt8 {
      UInt8(
        (1..<skew).reduce(Int.random(in: 0..<limit, using: &random)) { most, _ in
          Int.random(in: 0...most, using: &random)
        })
    }
    // Enough numbers that they are packed, whichever run of them a part has.
    let all = (0..<6000).map { _ in number() }
    let packing = HuffmanEncoder(all)
    guard packing.isPresent else { return }
    var writer = ByteWriter()
    packing.writeLengths(to: &writer)
    let code = try Code(writer.bytes, limit: limit)
    #expect(code.code.isPresent)
    let lengths = packing.lengths
    for count in Array(0...24) + [99, 100, 101, 700] {
      let numbers = Array(all.dropFirst(Int.random(in: 0..<5000, using: &random)).prefix(count))
      var writer = ByteWriter()
      packing.pack(numbers, to: &writer)
      let packed = writer.bytes
      #expect(code.unpack(packed, count: count) == numbers)
      for _ in 0..<30 where count < 200 {
        var damaged = packed
        switch Int.random(in: 0..<4, using: &random) {
        case 0: damaged[Int.random(in: damaged.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: damaged.removeLast()
        case 2: damaged.insert(0, at: damaged.count)
        default: damaged[0] ^= 1
        }
        let wanted = count + Int.random(in: 0...1, using: &random)
        let expected = Self.unpacked(damaged, count: wanted, lengths: lengths)
        #expect(code.unpack(damaged, count: wanted) == expected, "seed \(seed), \(wanted) of \(damaged)")
      }
    }
  }

  @Test("lengths that make no code are refused") func lengths() throws {
    // Codes of two numbers, of three, and with runs of numbers without a code: of one, of two to five, and of more.
    for (bytes, limit) in [
      ([0x11], 2), ([0x21, 0x02], 3), ([0x01, 0x01], 3), ([0xb1, 0x01], 4), ([0xf1, 0x1f], 23), ([0xf1, 0x10], 8),
    ] as [([UInt8], Int)] {
      #expect(try Code(bytes, limit: limit).code.isPresent)
      #expect(throws: FormatError.self) { try Code(bytes, limit: limit - 1) }
      #expect(throws: FormatError.self) { try Code(bytes.dropLast(), limit: limit) }
    }
    #expect(try !Code([0], limit: 2).code.isPresent)
    // Too many lengths, and bits behind the last one.
    for bytes in [[0x21, 0x01], [0x21, 0x12]] as [[UInt8]] {
      #expect(throws: FormatError.self) { try Code(bytes, limit: 256) }
    }
  }
}
