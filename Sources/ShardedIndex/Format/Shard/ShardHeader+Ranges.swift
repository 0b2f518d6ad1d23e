extension ShardHeader {
  /// A format of a number column and the ranges of its values. Two models fit in a line of the processor's cache.
  @safe package struct Model: BitwiseCopyable {
    /// The bits that all its decoded numbers share.
    var word: UInt64
    /// The number that is added to every value. Type 0: the address of the text.
    package var base: Int64
    /// The address of its range; if contexts have their own ranges, of the first row's range. Type 0: of a range of 0
    /// bits.
    ///
    /// A range is the bits of a value, u8, and the number added to the base, u32, with three readable bytes behind.
    package var range: UnsafePointer<UInt8>
    /// The mask of rows: all ones if contexts have ranges of their own, else zero.
    var rowMask: UInt32
    /// The offset of the column's cell among the cells of a record, in bytes.
    var cell: UInt32

    /// The range in a row: the bits of a value in the lowest byte, and the number added to the base in the next four
    /// bytes. The other bytes are undefined.
    @inline(__always) package func range(in row: UInt32) -> UInt64 {
      unsafe UInt64(littleEndian: (range + Int(row & rowMask)).load())
    }

    /// The bits of a value in a row.
    @inline(__always) func bits(in row: UInt32) -> Int { unsafe Int(range[Int(row & rowMask)]) }

    /// The column's cell among the cells of a record.
    @inline(__always) func cell(
      in cells: UnsafeMutablePointer<RecordOutput.DecodedField>
    ) -> UnsafeMutablePointer<RecordOutput.DecodedField> {
      unsafe (UnsafeMutableRawPointer(cells) + Int(cell)).assumingMemoryBound(to: RecordOutput.DecodedField.self)
    }

    /// Whether the model is of type 0, with a fixed text.
    var isLiteral: Bool { word >> 56 == 0 }
    /// Type 0: the text, with its size before it. Otherwise empty.
    var literal: UnsafeBufferPointer<UInt8> {
      guard isLiteral, let text = unsafe UnsafePointer<UInt8>(bitPattern: UInt(truncatingIfNeeded: base)) else {
        return unsafe .init(start: nil, count: 0)
      }
      return unsafe .init(start: text, count: Int((text - 4).load(as: UInt32.self)))
    }
  }

  /// The ranges of values, in a row for each context, so that the ranges of a record stand side by side.
  @safe package struct Ranges: BitwiseCopyable {
    /// The size of a range, in bytes.
    static let width = 5
    /// The number of readable bytes behind the last range.
    static let slack = 3

    /// The number of each context's row.
    let rows: UnsafePointer<UInt8>
    /// The size of a row, in bytes.
    let rowSize: UInt32
    let start: UnsafePointer<UInt8>

    /// Returns the offset of a context's row, in bytes. There are fewer than 2^8 rows of 2^18 ranges.
    @inline(__always) package func row(_ context: Int) -> UInt32 { unsafe UInt32(rows[context]) &* rowSize }
  }

  /// The ranges of a model for contexts with their own ranges, during parsing.
  @unsafe struct OwnRanges: BitwiseCopyable {
    /// A bit for each context.
    let contexts: UnsafePointer<UInt8>
    /// The ranges: the bits of a value in the lowest byte, the number added to the base above it.
    let ranges: UnsafePointer<UInt64>

    /// Reads the set of contexts with a range, out of `count`, and for each the bits of a value and the number added.
    init(_ count: Int, _ reader: inout ByteReader, _ scratch: inout Arena) throws(FormatError) {
      let at = reader.offset
      let flags = try reader.readSpan((count + 7) / 8)
      var ranged = 0
      for index in 0..<flags.byteCount { ranged += flags[index].nonzeroBitCount }
      guard count & 7 == 0 || flags[flags.byteCount - 1] >> UInt8(count & 7) == 0 else {
        throw .invalid(reason: "has a range of context \(count) and none behind it", offset: at)
      }
      let least = UInt64(try reader.read(UInt8.self))
      let excess = UInt64(try reader.read(UInt8.self))
      let (most, kept) = (UInt64(try reader.read(UInt8.self)), UInt64(try reader.read(UInt8.self)))
      guard excess <= 6, most <= 32 else {
        throw .invalid(reason: "has ranges of \(excess) and \(most) bits", offset: reader.offset)
      }
      let ranges = unsafe scratch.allocate(UInt64.self, ranged)
      var bits = BitReader(reader)
      for index in 0..<ranged {
        // A width and a number have at most 38 bits, and fit in one word. Moving the reader behind them checks that
        // they exist.
        let word = bits.next
        // The width is at most 255 + 63. Shifts are by fewer than 64 bits, and the lines before have checked the
        // differences.
        let width = least &+ word & (1 &<< excess &- 1)
        guard width <= 56 else { throw .invalid(reason: "has a value of \(width) bits", offset: at) }
        // The added number is a multiple of a power of two, so its low bits are left out.
        let zeros = min(width > kept ? width &- kept : 0, most)
        let added = (word &>> excess) &<< zeros & (1 &<< most &- 1)
        unsafe ranges[index] = width | added &<< 8
        bits.pass(Int(truncatingIfNeeded: excess &+ most &- zeros))
      }
      try bits.finish(&reader)
      unsafe (contexts, self.ranges) = (scratch.copy(text: flags), .init(ranges))
    }
  }
}

extension ShardHeader.Ranges {
  /// Lays the ranges out in rows, and sets their addresses in the models.
  init(of columns: ShardHeader.ColumnTable, contexts: Int, _ memory: inout ShardHeader.ParsingMemory) {
    let (models, own) = unsafe (columns.models, columns.ownRanges)
    // Contexts without a range of their own share a row.
    let rows = unsafe memory.kept.allocate(UInt8.self, contexts)
    let rowCount = unsafe Self.assignRows(rows, contexts, own, &memory.scratch)
    let rowSize = unsafe own.count * Self.width
    let fixed = rowCount * rowSize
    let size = unsafe fixed + (models.count - own.count) * Self.width + Self.slack
    let start = unsafe memory.kept.allocate(repeating: 0 as UInt8, size)
    var (next, nextOwn) = (fixed, 0)
    for index in unsafe 0..<models.count {
      let at = unsafe models[index].rowMask == 0 ? next : nextOwn
      unsafe start[at] = columns.widths[index]
      unsafe models.start[index].range = .init(start + at)
      if unsafe models[index].rowMask == 0 { next += Self.width } else { nextOwn += Self.width }
    }
    // The first row has the ranges of contexts without their own. Each row begins as a copy of it.
    var filled = 1
    while filled < rowCount {
      // Each copy doubles the number of filled rows.
      let more = min(filled, rowCount - filled)
      unsafe (start + filled * rowSize).copy(from: start, count: more * rowSize)
      filled += more
    }
    for index in unsafe 0..<own.count {
      unsafe Self.put(own[index], rows, contexts, into: start + index * Self.width, rowSize)
    }
    unsafe (self.rows, self.rowSize, self.start) = (.init(rows), UInt32(rowSize), .init(start))
  }

  /// Sets the number of each context's row.
  ///
  /// - Returns: The number of rows.
  private static func assignRows(
    _ rows: UnsafeMutablePointer<UInt8>, _ contexts: Int, _ own: ArenaList<ShardHeader.OwnRanges>,
    _ scratch: inout Arena
  ) -> Int {
    let hasOwn = unsafe scratch.allocate(repeating: 0 as UInt8, (contexts + 7) / 8)
    for index in unsafe 0..<own.count {
      for byte in 0..<(contexts + 7) / 8 { unsafe hasOwn[byte] |= own[index].contexts[byte] }
    }
    // There are at most 256 contexts.
    func isOwn(_ context: Int) -> Bool { unsafe hasOwn[context &>> 3] &>> UInt8(context & 7) & 1 == 1 }
    var (rowCount, common) = (0, 0)
    while common < contexts, isOwn(common) { common &+= 1 }
    for context in 0..<contexts {
      let isOwn = isOwn(context)
      unsafe rows[context] = UInt8(truncatingIfNeeded: isOwn ? rowCount : common)
      rowCount &+= isOwn || context == common ? 1 : 0
    }
    return rowCount
  }

  /// Puts the ranges of a model into the rows of their contexts.
  private static func put(
    _ own: ShardHeader.OwnRanges, _ rows: UnsafePointer<UInt8>, _ contexts: Int,
    into start: UnsafeMutablePointer<UInt8>,
    _ rowSize: Int
  ) {
    // The size of rows and ranges was computed and allocated without wrapping.
    var range = unsafe own.ranges
    for byte in 0..<(contexts + 7) / 8 {
      var flags = unsafe own.contexts[byte]
      while flags != 0 {
        let at = unsafe start + Int(rows[8 &* byte &+ flags.trailingZeroBitCount]) &* rowSize
        unsafe at.pointee = UInt8(truncatingIfNeeded: range.pointee)
        unsafe (at + 1).store(UInt32(truncatingIfNeeded: range.pointee &>> 8))
        flags &= flags &- 1
        unsafe range += 1
      }
    }
  }
}
