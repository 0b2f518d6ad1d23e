import ShardedIndex

/// The Huffman code of a column of small numbers, if it is to be packed by one. Source: docs/format.md §4.7, §9.7.
struct HuffmanPacking: Sendable {
  /// Per number the bits of its code, 0 if it does not occur; none if numbers stand as they are.
  private var lengths: [Int] = []
  /// Per number its code.
  private var codes: [UInt64] = []

  var isPresent: Bool { !lengths.isEmpty }

  /// Numbers stand as they are.
  init() {}

  /// The code of a column of numbers, unless zstd does better.
  ///
  /// - Parameter numbers: Of all records of a shard.
  init(_ numbers: some Collection<UInt8>) {
    var counts = [Int](repeating: 0, count: 256)
    // What zstd would make of them: of a run of eight and more a number and a match, else a code for each.
    var (run, last, literals, matches) = (0, -1, 0, 0)
    func endRun() {
      literals += run < 8 ? run : 1
      matches += run < 8 ? 0 : 1
    }
    for number in numbers {
      counts[Int(number)] += 1
      if Int(number) != last {
        endRun()
        (run, last) = (0, Int(number))
      }
      run += 1
    }
    endRun()
    guard let code = Self(counts: counts) else { return }
    let packedBits = code.bits(counts)
    guard packedBits + 32 < 8 * numbers.count else { return }
    // Runs apart, zstd's codes are as short as these, but for a table in every part, a bit for each of them or so; and
    // take a reader several times as long.
    let plainBits = (packedBits + numbers.count) * literals / numbers.count + 20 * matches
    if packedBits <= plainBits + plainBits / 8 { self = code }
  }

  /// The code of bytes of text, unless zstd does better.
  init(text: [UInt8]) {
    var counts = [Int](repeating: 0, count: 256)
    for byte in text { counts[Int(byte)] += 1 }
    guard let code = Self(counts: counts) else { return }
    let packedBits = code.bits(counts)
    guard packedBits <= 7 * text.count else { return }
    // What zstd saves by matches of five bytes and more in what a part has of it, some 1,280 bytes: each takes some 20 bits
    // and the code of a byte before it, and each part a table.
    let (partSize, tableBits) = (1280, 720)
    var savedBits = -text.count / partSize * tableBits
    // Where in the part five bytes with this hash were last, and one.
    var places = [Int](repeating: 0, count: 1 << 10)
    text.withUnsafeBufferPointer { text in
      var position = 0
      while position + 5 <= text.count {
        let start = position / partSize * partSize
        func five(_ at: Int) -> UInt64 {
          (0..<5).reduce(0) { $0 << 8 | UInt64(text[at + $1]) }
        }
        let here = five(position)
        let hash = Int((here &* 0x9e37_79b9_7f4a_7c15) >> 54)
        let place = places[hash] - 1
        places[hash] = position + 1
        guard place >= start, five(place) == here else {
          position += 1
          continue
        }
        var end = position
        while end < text.count, text[place + end - position] == text[end] {
          savedBits += code.lengths[Int(text[end])]
          end += 1
        }
        savedBits -= 20
        position = end
      }
    }
    if savedBits <= packedBits / 16 { self = code }
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

  /// What numbers take, and the lengths of their codes.
  private func bits(_ counts: [Int]) -> Int {
    lengths.indices.reduce(4 * lengths.count) { $0 + counts[$1] * lengths[$1] }
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
  var headerSize: Int { (lengths.count < 128 ? 1 : 2) + (lengths.count + 1) / 2 }

  /// The lengths of the codes, as the shard's header has them.
  func writeLengths(to writer: inout ByteWriter) {
    writer.writeVarint(lengths.count)
    for pair in stride(from: 0, to: lengths.count, by: 2) {
      let high = pair + 1 < lengths.count ? lengths[pair + 1] : 0
      writer.bytes.append(UInt8(lengths[pair] | high << 4))
    }
  }

  /// The numbers of a part, packed: the sizes of two halves, and the halves.
  func pack(_ numbers: some RandomAccessCollection<UInt8>, to writer: inout ByteWriter) {
    func bits(_ numbers: some Sequence<UInt8>) -> [UInt8] {
      var (bytes, pending, count): ([UInt8], UInt64, Int) = ([], 0, 0)
      for number in numbers {
        pending = pending << UInt64(lengths[Int(number)]) | codes[Int(number)]
        count += lengths[Int(number)]
        while count >= 8 {
          bytes.append(UInt8(truncatingIfNeeded: pending >> UInt64(count - 8)))
          count -= 8
        }
      }
      if count > 0 { bytes.append(UInt8(truncatingIfNeeded: pending << UInt64(8 - count))) }
      return bytes
    }
    let split = (numbers.count + 1) / 2
    let halves = (bits(numbers.prefix(split)), bits(numbers.dropFirst(split)))
    writer.writeVarint(halves.0.count)
    writer.writeVarint(halves.1.count)
    writer.write(halves.0)
    writer.write(halves.1)
  }
}
