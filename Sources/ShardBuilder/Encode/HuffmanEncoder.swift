import ShardedIndex

/// The encoder of small numbers by a Huffman code, if the code pays. ``HuffmanCode`` is the decoder.
/// Source: docs/format.md section 4.7, section 9.7.
package struct HuffmanEncoder: Sendable {
  /// For each number the bits of its code, 0 if the number does not occur; empty if there is no code.
  package private(set) var lengths: [Int] = []
  /// The code of each number.
  private var codes: [UInt64] = []

  package var isPresent: Bool { !lengths.isEmpty }

  /// Makes an encoder without a code, which leaves numbers unpacked.
  package init() {}

  /// Makes the code of a column of numbers, unless zstd packs it better.
  ///
  /// - Parameter numbers: The numbers of all records of a shard.
  package init(_ numbers: [UInt8]) {
    guard let (code, packedBits) = Self.code(of: numbers), packedBits + 32 < 8 * numbers.count else { return }
    // The estimate for zstd: a match of three or more numbers within the 320 records before takes 12 bits. The other
    // numbers have codes as short as these, but with a table in every part: about one bit more for each number. Those
    // codes also take a reader several times as long.
    let left = code.unmatched(in: numbers, shortest: 3, partSize: 320)
    let plainBits = left.bits + left.count + 12 * left.matches
    if packedBits <= plainBits + plainBits / 7 { self = code }
  }

  /// Makes the code of bytes of text, unless zstd packs the text better.
  ///
  /// - Parameter records: The number of the shard's records, to which the text belongs.
  package init(text: [UInt8], records: Int) {
    guard let (code, packedBits) = Self.code(of: text), packedBits <= 7 * text.count else { return }
    // The estimate for zstd, for a part of 320 records: a match of five or more bytes takes 20 bits. The other bytes
    // are plain, or have codes as short as these, with a table.
    let partSize = min(max(1, text.count * 320 / records), 4096)
    let left = code.unmatched(in: text, shortest: 5, partSize: partSize)
    let tableBits = 720 * ((text.count + partSize - 1) / partSize)
    let plainBits = 20 * left.matches + min(8 * left.count, left.bits + tableBits)
    if packedBits - plainBits <= packedBits / 16 { self = code }
  }

  /// Returns the Huffman code, and the bits that the bytes and the code's lengths take; nil if all bytes are the same.
  private static func code(of bytes: [UInt8]) -> (code: Self, bits: Int)? {
    var counts = [Int](repeating: 0, count: 256)
    for byte in bytes { counts[Int(byte)] += 1 }
    guard let code = Self(counts: counts) else { return nil }
    return (code, code.lengths.indices.reduce(code.lengthBits) { $0 + counts[$1] * code.lengths[$1] })
  }

  /// The bits of the code lengths in the shard's header.
  private var lengthBits: Int { 4 * lengthHalves.count }

  /// The code lengths as half bytes: one for each number, but fewer for adjacent numbers without a code.
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

  /// Returns the bytes that a search for matches leaves: their number, the bits of their codes, and the number of
  /// matches.
  ///
  /// - Parameters:
  ///   - shortest: The size of the shortest match in bytes, at most 8.
  ///   - partSize: The size of a part of `bytes`, in bytes; no match leads back beyond the beginning of its part.
  private func unmatched(
    in bytes: [UInt8], shortest: Int, partSize: Int
  ) -> (count: Int, bits: Int, matches: Int) {
    var left = (count: 0, bits: 0, matches: 0)
    // For each hash of the bytes that a match needs: one more than their last position.
    var last = [Int](repeating: 0, count: 1 << 10)
    let bytes = bytes.span
    var (position, partStart) = (0, 0)
    while position < bytes.count {
      if position >= partStart + partSize { partStart = position / partSize * partSize }
      if position + shortest <= bytes.count {
        let hash = Self.hash(of: bytes, at: position, size: shortest)
        let before = last[hash] - 1
        last[hash] = position + 1
        if before >= partStart {
          let size = commonPrefix(bytes.extracting(before...), bytes.extracting(position...))
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
    return left
  }

  /// Returns ten bits of a hash of `size` bytes, at most 8.
  @inline(__always)
  private static func hash(of bytes: Span<UInt8>, at position: Int, size: Int) -> Int {
    var number: UInt64 = 0
    if position + 8 <= bytes.count {
      // The condition keeps this load in bounds; every bit pattern is a number.
      number = UInt64(bigEndian: unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
      number >>= UInt64(64 - 8 * size)
    } else {
      for offset in 0..<size { number = number << 8 | UInt64(bytes[position + offset]) }
    }
    return Int((number &* 0x9e37_79b9_7f4a_7c15) >> 54)  // The hash needs a product that wraps.
  }

  /// - Parameter counts: The number of times that each number occurs.
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

  /// Returns the lengths of Huffman's code, none above the limit. Lengths above it are cut to it, and the longest codes
  /// below it grow instead.
  private static func lengths(_ counts: [Int], _ used: [Int]) -> [Int] {
    // The rarest number comes first; of equally rare numbers, the least. There are two queues: leaves, and joined
    // nodes.
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
    // The number of codes of each length. A code of length *n* has a share of 2^(limit - *n*), and 2^limit is all.
    let limit = HuffmanCode.longestLimit
    var perLength = [Int](repeating: 0, count: limit + 1)
    for depth in depths[..<leaves.count] { perLength[min(depth, limit)] += 1 }
    var share = (1...limit).reduce(0) { $0 + perLength[$1] << (limit - $1) }
    while share > 1 << limit {
      // One of the longest codes moves beside another code, which grows by one bit.
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

  /// The size of the code lengths in the shard's header, in bytes.
  var headerSize: Int { max(1, (lengthHalves.count + 1) / 2) }

  /// Writes the code lengths in the form of the shard's header.
  package func writeLengths(to writer: inout ByteWriter) {
    let halves = lengthHalves
    guard !halves.isEmpty else { return writer.bytes.append(0) }
    for pair in stride(from: 0, to: halves.count, by: 2) {
      writer.bytes.append(halves[pair] | (pair + 1 < halves.count ? halves[pair + 1] : 0) << 4)
    }
  }

  /// Packs the numbers of a part: first the sizes of two halves, then the halves, each from both ends.
  package func pack(_ numbers: some RandomAccessCollection<UInt8>, to writer: inout ByteWriter) {
    let halves = (bothEnds(numbers.prefix(numbers.count / 2)), bothEnds(numbers.dropFirst(numbers.count / 2)))
    writer.writeVarint(halves.0.count)
    writer.writeVarint(halves.1.count)
    writer.write(halves.0)
    writer.write(halves.1)
  }

  /// Packs the first numbers of a half from its first byte on, and the others from its last byte back.
  private func bothEnds(_ half: some RandomAccessCollection<UInt8>) -> [UInt8] {
    bits(half.prefix(half.count / 2)) + bits(half.dropFirst(half.count / 2)).reversed()
  }

  /// Returns the codes of numbers, the highest bit first.
  private func bits(_ numbers: some RandomAccessCollection<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity((numbers.count * HuffmanCode.longestLimit + 7) / 8 + 8)
    var (pending, count): (UInt64, Int) = (0, 0)
    let (lengths, codes) = (lengths.span, codes.span)
    // The loop stores four whole bytes at a time: with one more code, of 10 bits at most, fewer than 64 bits are
    // pending. Every number has a code.
    for number in numbers {
      let length = lengths[Int(number)]
      pending = pending << UInt64(length) | codes[Int(number)]
      count += length
      if count >= 32 {
        count -= 32
        let word = UInt32(truncatingIfNeeded: pending >> UInt64(count))
        unsafe withUnsafeBytes(of: word.bigEndian) { unsafe bytes.append(contentsOf: $0) }
      }
    }
    while count > 0 {
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: count >= 0 ? pending >> UInt64(count) : pending << UInt64(-count)))
    }
    return bytes
  }
}
