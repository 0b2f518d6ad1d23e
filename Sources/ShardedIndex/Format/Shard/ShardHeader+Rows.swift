extension ShardHeader {
  /// The formats of rows, which assign a format to each number of a record.
  @safe struct RowFormats {
    /// The models of the values, by row format and number column.
    let models: UnsafePointer<UInt16>
    let code: HuffmanCode

    /// The most row formats times number columns. Each takes a few bits of a file and two bytes of memory; builders
    /// stay far below.
    private static let cellLimit = 1 << 16

    init(
      _ reader: inout ByteReader, _ counts: HeaderCounts, _ columns: ColumnTable, _ memory: inout ParsingMemory
    ) throws(FormatError) {
      let numberCount = columns.numberCount
      guard (numberCount == 0) == (counts.rowFormats == 0) else {
        throw .invalid(reason: "has rows without numbers or numbers without rows", offset: 24)
      }
      guard counts.rowFormats * numberCount <= Self.cellLimit else {
        throw .invalid(reason: "has \(counts.rowFormats) row formats of \(numberCount) columns", offset: reader.offset)
      }
      let models = unsafe memory.kept.allocate(UInt16.self, counts.rowFormats * numberCount)
      var bits = BitReader(reader)
      for row in 0..<counts.rowFormats {
        for number in 0..<numberCount {
          let column = unsafe columns.columns[Int(columns.numberColumns[number])]
          let format = try bits.read(8 - (column.formatCount - 1).leadingZeroBitCount)
          guard format < column.formatCount else {
            throw .invalid(reason: "has a row in the unknown format \(format)", offset: reader.offset)
          }
          unsafe models[row * numberCount + number] = UInt16(column.number) + UInt16(format)
        }
      }
      try bits.finish(&reader)
      unsafe self.models = .init(models)
      code = counts.rowFormats > 1 ? try memory.readCode(&reader, below: counts.rowFormats) : HuffmanCode()
    }
  }
}
