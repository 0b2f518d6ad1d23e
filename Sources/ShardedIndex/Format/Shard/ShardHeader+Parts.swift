extension ShardHeader {
  /// The counts at the beginning of a header.
  struct HeaderCounts {
    let (records, parts, suffixFields, columns, shapes, rowFormats): (Int, Int, Int, Int, Int, Int)

    /// The number of contexts of a number's range: the suffix fields, or 1 in a shard without them.
    var contexts: Int { max(1, suffixFields) }

    init(_ reader: inout ByteReader, records expected: Int, fileSize: Int) throws(FormatError) {
      let magic = try reader.read(UInt32.self)
      guard magic == ShardHeader.magic else { throw .wrongMagic(found: magic, expected: ShardHeader.magic) }
      records = try reader.readVarint()
      guard records == expected else {
        throw .invalid(reason: "has \(records) records, not \(expected)", offset: 4)
      }
      parts = try reader.readVarint()
      suffixFields = try reader.readVarint()
      columns = try reader.readVarint()
      shapes = try reader.readVarint()
      rowFormats = try reader.readVarint()
      guard parts >= 1, parts <= records, suffixFields <= 256, columns <= ShardHeader.columnLimit, shapes >= 1,
        shapes <= 65536, rowFormats <= 256, records < UInt32.max, fileSize <= UInt32.max
      else { throw .invalid(reason: "has counts beyond this version", offset: 4) }
    }
  }

  /// Reads the table of the parts, and their lower bounds.
  static func readParts(
    _ reader: inout ByteReader, _ counts: HeaderCounts, fileSize: Int, frameSize: Int, _ kept: inout Arena
  ) throws(FormatError) -> PartTable {
    // Memory is allocated only for parts that the bytes can hold.
    guard counts.parts <= reader.remaining / 14 else {
      throw .invalid(reason: "has \(counts.parts) parts in \(reader.remaining) bytes", offset: reader.offset)
    }
    let rows = unsafe kept.allocate(PartTable.PartRow.self, counts.parts + 1)
    var (offset, first, boundEnd) = (frameSize, 0, 0)
    for index in 0..<counts.parts {
      let at = reader.offset
      let count = try reader.readVarint()
      let bound = try reader.readVarint()
      let keys = try PartFrame(&reader)
      let fields = try PartFrame(&reader)
      // The first part has no bound and continues no other part.
      guard count >= 1, count <= counts.records - first, index > 0 || bound == 0,
        boundEnd + bound >> 1 <= reader.count, keys.isBounded, fields.isBounded
      else { throw .invalid(reason: "has part \(index) in a wrong place", offset: at) }
      // If one of these sizes is too large, a check below fails.
      unsafe rows[index] = PartTable.PartRow(
        firstRecord: UInt32(truncatingIfNeeded: first), offset: UInt32(truncatingIfNeeded: offset),
        bound: UInt32(truncatingIfNeeded: boundEnd << 1 | bound & 1), keysSize: UInt32(keys.size),
        keysContentSize: UInt32(keys.contentSize), fieldsContentSize: UInt32(fields.contentSize),
        keysChecksum: keys.checksum, fieldsChecksum: fields.checksum)
      boundEnd += bound >> 1
      offset += keys.size + fields.size
      first += count
      guard offset <= fileSize else { throw Self.unfilled(reader.offset) }
    }
    guard first == counts.records else {
      throw .invalid(reason: "has parts of \(first) records, not of \(counts.records)", offset: reader.offset)
    }
    guard offset == fileSize else { throw Self.unfilled(reader.offset) }
    unsafe rows[counts.parts] = PartTable.PartRow(
      firstRecord: UInt32(counts.records), offset: UInt32(fileSize), bound: UInt32(boundEnd << 1), keysSize: 0,
      keysContentSize: 0, fieldsContentSize: 0, keysChecksum: 0, fieldsChecksum: 0)
    let bounds = try reader.readSpan(boundEnd)
    let heads = unsafe kept.allocate(UInt64.self, counts.parts)
    let parts = unsafe PartTable(
      count: counts.parts, heads: .init(heads), rows: .init(rows), bounds: kept.copy(text: bounds))
    for part in 0..<counts.parts { unsafe heads[part] = KeyBlocks.head(of: parts.bound(of: part)) }
    return parts
  }

  private static func unfilled(_ offset: Int) -> FormatError {
    .invalid(reason: "has parts that do not fill the file", offset: offset)
  }

  /// One of the two frames of a part, from the part's row.
  private struct PartFrame {
    /// The sizes of the frame and of its content, in bytes.
    let (size, contentSize): (Int, Int)
    let checksum: UInt32

    init(_ reader: inout ByteReader) throws(FormatError) {
      (size, contentSize, checksum) = (try reader.readVarint(), try reader.readVarint(), try reader.read(UInt32.self))
    }

    var isBounded: Bool {
      contentSize <= ZstdFrame.contentLimit && size <= ZstdFrame.sizeLimit(content: contentSize)
    }
  }
}
