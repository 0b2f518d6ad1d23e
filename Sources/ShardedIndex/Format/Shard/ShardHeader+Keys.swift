extension ShardHeader {
  /// The fields that the keys of all parts share: the suffix fields, and the codes of suffix fields and suffixes.
  struct KeyFields {
    let suffixFields: SuffixFieldTable
    let (suffixFieldCode, suffixCode): (HuffmanCode, HuffmanCode)

    init(_ reader: inout ByteReader, _ counts: HeaderCounts, _ memory: inout ParsingMemory) throws(FormatError) {
      suffixFields = try ShardHeader.readSuffixFields(&reader, counts.suffixFields, &memory.kept)
      suffixFieldCode =
        counts.suffixFields > 1 ? try memory.readCode(&reader, below: counts.suffixFields) : HuffmanCode()
      suffixCode = try memory.readCode(&reader, below: 256)
    }
  }

  /// Reads the suffix fields: one size for all or a size for each, and then the texts.
  private static func readSuffixFields(
    _ reader: inout ByteReader, _ count: Int, _ kept: inout Arena
  ) throws(FormatError) -> SuffixFieldTable {
    let size = count > 0 ? try reader.readVarint() : 0
    guard size <= 255 else { throw .invalid(reason: "has a suffix field of \(size) bytes", offset: reader.offset) }
    guard count > 0, size == 0 else {
      return unsafe SuffixFieldTable(
        count: count, texts: kept.copy(text: try reader.readSpan(count * size)), ends: nil, each: size)
    }
    let sizes = try reader.readSpan(count)
    let ends = unsafe kept.allocate(UInt16.self, count)
    var end = 0
    for number in 0..<count {
      guard sizes[number] > 0 else { throw .invalid(reason: "has a suffix field of 0 bytes", offset: reader.offset) }
      end += Int(sizes[number])
      unsafe ends[number] = UInt16(truncatingIfNeeded: end)
    }
    let texts = unsafe kept.copy(text: try reader.readSpan(end))
    return unsafe SuffixFieldTable(count: count, texts: texts, ends: .init(ends), each: 0)
  }
}
