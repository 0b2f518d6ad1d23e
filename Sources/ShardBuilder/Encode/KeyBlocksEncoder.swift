import ShardedIndex

/// The encoder of a shard's keys, front-coded in parts. ``KeyBlocks`` is the decoder. Source: docs/format.md section 5.
struct KeyBlocksEncoder {
  /// The number of bytes that each stem shares with the stem before it.
  private let shared: [UInt32]
  private var lengths: [UInt32] = []
  /// The bytes of stems after the shared bytes.
  private var rests: [UInt8] = []
  /// The end of each record's bytes in `rests`.
  private var ends: [Int] = []
  /// The Huffman code of these bytes.
  private(set) var code = HuffmanEncoder()

  /// - Parameter shared: The number of bytes that each stem shares with the stem before it.
  init(_ records: [RecordBlob], _ suffixField: SuffixField, shared: [UInt32], _ parts: [Range<Int>]) {
    self.shared = shared
    lengths.reserveCapacity(records.count)
    ends.reserveCapacity(records.count)
    for part in parts {
      for record in part {
        let stem = unsafe suffixField.stem(of: records[record])
        let from = (record - part.lowerBound) % KeyBlocks.blockSize == 0 ? 0 : Int(shared[record])
        lengths.append(UInt32(stem.count - from))
        unsafe rests.append(contentsOf: stem.part(from...))
        ends.append(rests.count)
      }
    }
    code = HuffmanEncoder(text: rests, records: records.count)
  }

  /// Returns the content of the keys' frame of a part.
  func content(_ range: Range<Int>, _ suffixField: SuffixField) -> ShardEncoder.FrameContent {
    var writer = ByteWriter()
    let start = range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1]
    var isWide = false
    for record in range where shared[record] + lengths[record] > 255 { isWide = true }
    let text = rests[start..<ends[range.upperBound - 1]]
    writer.write(KeyBlocks.magic)
    writer.writeVarint(range.count)
    writer.writeVarint(text.count)
    writer.write(UInt8(isWide ? 1 : 0))
    if !code.isPresent { writer.write(text) }
    var cuts = code.isPresent ? [] : [writer.bytes.count]
    var excess = ByteWriter()
    for record in range {
      // The first record of a part shares nothing, because the record before is in another part.
      let (shared, length) = (record == range.lowerBound ? 0 : shared[record], lengths[record])
      writer.bytes.append(UInt8(min(shared, 15) | min(length, 15) << 4))
      if shared >= 15 { excess.writeVarint(Int(shared) - 15) }
      if length >= 15 { excess.writeVarint(Int(length) - 15) }
    }
    writer.write(excess.bytes)
    let codes = suffixField.codes[suffixField.isEmpty ? 0..<0 : range]
    if !suffixField.isEmpty, !suffixField.code.isPresent {
      cuts.append(writer.bytes.count)
      writer.write(codes)
    }
    cuts.append(writer.bytes.count)
    if code.isPresent { code.pack(text, to: &writer) }
    if suffixField.code.isPresent { suffixField.code.pack(codes, to: &writer) }
    // Front coding has found most repetitions of letters: matches of three and four bytes cost more than they save, and
    // take a quarter of a reader's time. This is not so for letters of several bytes.
    let isMostlyASCII = text.reduce(into: 0) { $0 += Int($1 >> 7) } < text.count / 4
    return ShardEncoder.FrameContent(
      bytes: writer.bytes,
      plainSize: KeyBlocks.headerSize + text.count + range.count * ((isWide ? 8 : 2) + (suffixField.isEmpty ? 0 : 1)),
      cuts: cuts, minMatch: isMostlyASCII ? 5 : nil)
  }
}
