extension ShardHeader {
  /// The fields that the keys of all parts share: the tails, and the codes of tails and suffixes.
  struct KeyFields {
    let tails: TailTable
    let (tailCode, suffixCode): (HuffmanCode, HuffmanCode)

    init(_ reader: inout ByteReader, _ counts: Counts, _ memory: inout ParsingMemory) throws(FormatError) {
      tails = try ShardHeader.readTails(&reader, counts.tails, &memory.kept)
      tailCode = counts.tails > 1 ? try memory.readCode(&reader, below: counts.tails) : HuffmanCode()
      suffixCode = try memory.readCode(&reader, below: 256)
    }
  }

  /// Reads the tails: one size for all, or a size each, and then the texts.
  private static func readTails(
    _ reader: inout ByteReader, _ count: Int, _ kept: inout Arena
  ) throws(FormatError) -> TailTable {
    let size = count > 0 ? try reader.readVarint() : 0
    guard size <= 255 else { throw .invalid(reason: "a tail of \(size) bytes", offset: reader.offset) }
    guard count > 0, size == 0 else {
      return unsafe TailTable(
        count: count, texts: kept.copy(text: try reader.readSpan(count * size)), ends: nil, each: size)
    }
    let sizes = try reader.readSpan(count)
    let ends = unsafe kept.allocate(UInt16.self, count)
    var end = 0
    for tail in 0..<count {
      guard sizes[tail] > 0 else { throw .invalid(reason: "a tail of 0 bytes", offset: reader.offset) }
      end += Int(sizes[tail])
      unsafe ends[tail] = UInt16(truncatingIfNeeded: end)
    }
    let texts = unsafe kept.copy(text: try reader.readSpan(end))
    return unsafe TailTable(count: count, texts: texts, ends: .init(ends), each: 0)
  }
}
