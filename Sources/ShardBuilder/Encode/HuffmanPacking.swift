import ShardedIndex

/// The Huffman code of a column of small numbers, if it is to be packed by one. Source: docs/format.md §4.7, §9.7.
struct HuffmanPacking: Sendable {
  /// Per number the bits of its code, 0 if it does not occur; none if numbers stand as they are.
  private(set) var lengths: [Int] = []
  /// Per number its code.
  private var codes: [UInt64] = []

  var isPresent: Bool { !lengths.isEmpty }

  /// Numbers stand as they are.
  init() {}

  /// The code of a column of numbers, unless zstd does better.
  ///
  /// - Parameter numbers: Of all records of a shard.
  init(_ numbers: [UInt8]) {
    guard let (code, packedBits) = Self.code(of: numbers), packedBits + 32 < 8 * numbers.count else { return }
    // What zstd would make of them: a match of three and more of what some 320 records before had, which takes some 12 bits.
    // The others have codes as short as these, but for a table in every part, a bit for each of them or so; and take a
    // reader several times as long.
    let left = code.unmatched(in: numbers, shortest: 3, partSize: 320)
    let plainBits = left.bits + left.count + 12 * left.matches
    if packedBits <= plainBits + plainBits / 7 { self = code }
  }

  /// The code of bytes of text, unless zstd does better.
  ///
  /// - Parameter records: How many they are of, a shard's.
  init(text: [UInt8], records: Int) {
    guard let (code, packedBits) = Self.code(of: text), packedBits <= 7 * text.count else { return }
    // What zstd has of a part, of some 320 records: matches of five and more, each of which takes some 20 bits, and the rest
    // as it is or in codes as these, and then a table.
    let partSize = min(max(1, text.count * 320 / records), 4096)
    let left = code.unmatched(in: text, shortest: 5, partSize: partSize)
    let tableBits = 720 * ((text.count + partSize - 1) / partSize)
    let plainBits = 20 * left.matches + min(8 * left.count, left.bits + tableBits)
    if packedBits - plainBits <= packedBits / 16 { self = code }
  }

  /// Huffman's code, and the bits that the bytes and its lengths take by it; nil where all are the same.
  private static func code(of bytes: [UInt8]) -> (code: Self, bits: Int)? {
    var counts = [Int](repeating: 0, count: 256)
    for byte in bytes { counts[Int(byte)] += 1 }
    guard let code = Self(counts: counts) else { return nil }
    return (code, code.lengths.indices.reduce(code.lengthBits) { $0 + counts[$1] * code.lengths[$1] })
  }

  /// Bits of the lengths of the codes in the shard's header.
  private var lengthBits: Int { 4 * lengthHalves.count }

  /// The lengths of the codes as half bytes: each by itself, but for numbers without a code that stand together.
  private var lengthHalves: [UInt8] {
    var halves: [UInt8] = []
    var zeros = 0
    func writeZeros() {
      while zeros > 0 {
        let run = min(zeros, 21)
        if run == 1 { halves.append(0) } else { halves.append(UInt8(min(9 + run, 15))) }
        if run > 5 { halves.append(UInt8(run - 6)) }
        zeros -= run
      }
    }
    for length in lengths {
      if length == 0 {
        zeros += 1
      } else {
        writeZeros()
        halves.append(UInt8(length))
      }
    }
    return halves
  }

  /// What a search for matches leaves: how many bytes, the bits of their codes, and how many matches there are.
  ///
  /// - Parameters:
  ///   - shortest: No match is shorter, in bytes; at most 8.
  ///   - partSize: In bytes; no match leads back beyond where such a part of `bytes` begins.
  private func unmatched(
    in bytes: [UInt8], shortest: Int, partSize: Int
  ) -> (count: Int, bits: Int, matches: Int) {
    var left = (count: 0, bits: 0, matches: 0)
    // Where as many bytes as a match needs, with this hash, were last, and one.
    var places = [Int](repeating: 0, count: 1 << 10)
    bytes.withUnsafeBufferPointer { bytes in
      let start = UnsafeRawPointer(bytes.baseAddress!)  // Nothing has no code.
      var (position, partStart) = (0, 0)
      while position < bytes.count {
        if position >= partStart + partSize { partStart = position / partSize * partSize }
        if position + shortest <= bytes.count {
          var number: UInt64 = 0
          if position + 8 <= bytes.count {
            number = UInt64(bigEndian: start.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            number >>= UInt64(64 - 8 * shortest)
          } else {
            for offset in 0..<shortest { number = number << 8 | UInt64(bytes[position + offset]) }
          }
          let hash = Int((number &* 0x9e37_79b9_7f4a_7c15) >> 54)
          let place = places[hash] - 1
          places[hash] = position + 1
          if place >= partStart {
            let size = commonPrefix(
              UnsafeBufferPointer(rebasing: bytes[place...]), UnsafeBufferPointer(rebasing: bytes[position...]))
            if size >= shortest {
              left.matches += 1
              position += size
              continue
            }
          }
        }
        left.count += 1
        left.bits += lengths[Int(bytes[position])]
        position += 1
      }
    }
    return left
  }

  /// - Parameter counts: How often each number occurs.
  private init?(counts: [Int]) {
    let used = counts.indices.filter { counts[$0] > 0 }
    guard used.count > 1 else { return nil }
    lengths = Array(Self.lengths(counts, used)[...used.last!])
    codes = [UInt64](repeating: 0, count: lengths.count)
    var code: UInt64 = 0
    for length in 1...HuffmanCode.longestLimit {
      for number in lengths.indices where lengths[number] == length {
        codes[number] = code
        code += 1
      }
      code <<= 1
    }
  }

  /// Code lengths, none over the limit: Huffman's, and what is over it put right at the expense of the longest below it.
  private static func lengths(_ counts: [Int], _ used: [Int]) -> [Int] {
    // From the rarest on; of those that are as rare, from the least on. Two queues: leaves, and what was joined.
    let leaves = used.sorted { (counts[$0], $0) < (counts[$1], $1) }
    var weights = leaves.map { counts[$0] }
    var parents = [Int](repeating: -1, count: 2 * leaves.count - 1)
    var (leaf, joined) = (0, leaves.count)
    func next() -> Int {
      if leaf < leaves.count, joined >= weights.count || weights[leaf] <= weights[joined] {
        leaf += 1
        return leaf - 1
      }
      joined += 1
      return joined - 1
    }
    while weights.count < 2 * leaves.count - 1 {
      let (one, other) = (next(), next())
      (parents[one], parents[other]) = (weights.count, weights.count)
      weights.append(weights[one] + weights[other])
    }
    var depths = [Int](repeating: 0, count: parents.count)
    for node in parents.indices.reversed() where parents[node] >= 0 { depths[node] = depths[parents[node]] + 1 }
    // How many have each length; the limit's share is in units of the shortest.
    let limit = HuffmanCode.longestLimit
    var perLength = [Int](repeating: 0, count: limit + 1)
    for depth in depths[..<leaves.count] { perLength[min(depth, limit)] += 1 }
    var share = (1...limit).reduce(0) { $0 + perLength[$1] << (limit - $1) }
    while share > 1 << limit {
      // One of the longest goes below another that is a bit longer for it.
      perLength[limit] -= 1
      let length = (1..<limit).last { perLength[$0] > 0 }!
      perLength[length] -= 1
      perLength[length + 1] += 2
      share -= 1
    }
    var result = [Int](repeating: 0, count: counts.count)
    var rank = 0
    for length in (1...limit).reversed() {
      for _ in 0..<perLength[length] {
        result[leaves[rank]] = length
        rank += 1
      }
    }
    return result
  }

  /// Bytes of the lengths of the codes in the shard's header.
  var headerSize: Int { max(1, (lengthHalves.count + 1) / 2) }

  /// The lengths of the codes, as the shard's header has them.
  func writeLengths(to writer: inout ByteWriter) {
    let halves = lengthHalves
    guard !halves.isEmpty else { return writer.bytes.append(0) }
    for pair in stride(from: 0, to: halves.count, by: 2) {
      writer.bytes.append(halves[pair] | (pair + 1 < halves.count ? halves[pair + 1] : 0) << 4)
    }
  }

  /// The numbers of a part, packed: the sizes of two halves, and the halves, each from both ends.
  func pack(_ numbers: some RandomAccessCollection<UInt8>, to writer: inout ByteWriter) {
    // The highest bit first. Four whole bytes at a time: with one code more, of 10 bits at most, fewer than 64 are pending,
    // and no number comes that was not among those that the code was made for.
    func bits(_ numbers: some RandomAccessCollection<UInt8>) -> [UInt8] {
      let capacity = (numbers.count * HuffmanCode.longestLimit + 7) / 8 + 8
      return [UInt8](unsafeUninitializedCapacity: capacity) { bytes, size in
        let target = UnsafeMutableRawBufferPointer(bytes)
        var (pending, count): (UInt64, Int) = (0, 0)
        lengths.withUnsafeBufferPointer { lengths in
          codes.withUnsafeBufferPointer { codes in
            for number in numbers {
              pending = pending << UInt64(lengths[Int(number)]) | codes[Int(number)]
              count += lengths[Int(number)]
              if count >= 32 {
                count -= 32
                let word = UInt32(truncatingIfNeeded: pending >> UInt64(count))
                target.storeBytes(of: word.bigEndian, toByteOffset: size, as: UInt32.self)
                size += 4
              }
            }
          }
        }
        while count > 0 {
          count -= 8
          let byte = count >= 0 ? pending >> UInt64(count) : pending << UInt64(-count)
          bytes.initializeElement(at: size, to: UInt8(truncatingIfNeeded: byte))
          size += 1
        }
      }
    }
    // The first numbers of a half from its first byte on, the others from its last one back.
    func bothEnds(_ half: some RandomAccessCollection<UInt8>) -> [UInt8] {
      bits(half.prefix(half.count / 2)) + bits(half.dropFirst(half.count / 2)).reversed()
    }
    let halves = (bothEnds(numbers.prefix(numbers.count / 2)), bothEnds(numbers.dropFirst(numbers.count / 2)))
    writer.writeVarint(halves.0.count)
    writer.writeVarint(halves.1.count)
    writer.write(halves.0)
    writer.write(halves.1)
  }
}
