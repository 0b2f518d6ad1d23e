extension ShardHeader {
  /// The addresses of all that a header keeps: a plain value in the header's memory, which parts refer to without
  /// counting references.
  @safe package struct Layout: BitwiseCopyable {
    // What a query reads that has all of it cached stands side by side, in few lines of the processor's cache: there
    // are as many headers as shards, so that mostly nothing of one is there.
    /// Whether every record has every column once: then its fields are its cells.
    let isPlain: Bool
    /// Whether there is a model of type 0.
    let hasLiterals: Bool
    package let columnCount: Int
    /// The memory that the header keeps, in bytes.
    let charge: Int
    let columns: UnsafePointer<Column>
    /// The number of columns that are no numbers, and the first of them: each names the next.
    let (textCount, firstText): (Int, Int)
    /// The number of columns that are numbers.
    let numberCount: Int
    /// The models of the values, by row format and number column.
    let rowModels: UnsafePointer<UInt16>
    let models: UnsafePointer<Model>
    let ranges: Ranges
    /// The masks of a record's index among the codes: all ones, or zero where every record reads ``zero``.
    let (suffixFieldMask, formatMask): (Int, Int)
    /// The code that stands for those of records where there are none.
    let zero: UnsafePointer<UInt8>
    /// The number of columns that have data in the parts (dictionary, text, spelled); below they are listed in file
    /// order.
    let dataCount: Int

    package let suffixFieldTable: UnsafePointer<SuffixFieldTable>
    let dataColumns: UnsafePointer<UInt16>
    /// The codes that these columns' codes, or the sizes of their texts, are packed with; and those of the bytes of
    /// their texts, which a dictionary has none of.
    let (dataCodes, textCodes): (UnsafePointer<HuffmanCode>, UnsafePointer<HuffmanCode>)
    /// The codes of the bytes of suffixes, and of the numbers of suffix fields, shapes and row formats.
    let (suffixCode, suffixFieldCode): (HuffmanCode, HuffmanCode)
    let (shapeCode, rowCode): (HuffmanCode, HuffmanCode)
    /// The number of columns of small numbers that are packed in a part's fields, and of those that have numbers there
    /// as they are.
    let (packedColumnCount, plainColumnCount): (Int, Int)
    let shapeCount: Int
    let shapeColumns: UnsafePointer<UInt16>
    let shapeEnds: UnsafePointer<UInt32>
    let rowFormatCount: Int

    /// The columns that a record of a shape has, in its own order.
    @inline(__always) func shape(_ shape: Int) -> UnsafeBufferPointer<UInt16> {
      let start = unsafe shape == 0 ? 0 : Int(shapeEnds[shape &- 1])
      return unsafe .init(start: shapeColumns + start, count: Int(shapeEnds[shape]) &- start)
    }
  }
}
