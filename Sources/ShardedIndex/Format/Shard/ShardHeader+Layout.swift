extension ShardHeader {
  /// The addresses of a header's data: a plain value in the header's memory, which parts refer to without counting
  /// references.
  @safe package struct Layout: BitwiseCopyable {
    // The members that a cached query reads stand side by side, in few lines of the processor's cache. There are many
    // headers, so that mostly none of their lines is in the processor's cache.
    /// Whether every record has every column once, so that its fields are its cells.
    let isPlain: Bool
    /// Whether there is a model of type 0.
    let hasLiterals: Bool
    package let columnCount: Int
    /// The memory that the header keeps, in bytes.
    let charge: Int
    package let columns: UnsafePointer<Column>
    /// The number of columns that are not of numbers, and the first of them, which begins a list.
    let (textCount, firstText): (Int, Int)
    /// The number of columns of numbers.
    let numberCount: Int
    /// The models of the values, by row format and number column.
    let rowModels: UnsafePointer<UInt16>
    package let models: UnsafePointer<Model>
    package let ranges: Ranges
    /// The masks of a record's position among the codes: all ones, or zero if every record reads ``zero``.
    let (suffixFieldMask, formatMask): (Int, Int)
    /// The code of every record, for columns without codes.
    let zero: UnsafePointer<UInt8>
    /// The number of columns with data in the parts (dictionary, text, spelled), which are listed below in file order.
    let dataCount: Int

    package let suffixFieldTable: UnsafePointer<SuffixFieldTable>
    let dataColumns: UnsafePointer<UInt16>
    /// The Huffman codes of these columns' codes or sizes of texts, and of the bytes of their texts; a dictionary has
    /// no bytes.
    let (dataCodes, textCodes): (UnsafePointer<HuffmanCode>, UnsafePointer<HuffmanCode>)
    /// The Huffman codes of the bytes of suffixes, and of the numbers of suffix fields, shapes and row formats.
    let (suffixCode, suffixFieldCode): (HuffmanCode, HuffmanCode)
    let (shapeCode, rowCode): (HuffmanCode, HuffmanCode)
    /// The number of columns of small numbers that are packed in a part's fields, and the number that are not packed.
    let (packedColumnCount, plainColumnCount): (Int, Int)
    let shapeCount: Int
    let shapeColumns: UnsafePointer<UInt16>
    let shapeEnds: UnsafePointer<UInt32>
    let rowFormatCount: Int

    /// The columns of a record of a shape, in the record's order.
    @inline(__always) func shape(_ shape: Int) -> UnsafeBufferPointer<UInt16> {
      let start = unsafe shape == 0 ? 0 : Int(shapeEnds[shape &- 1])
      return unsafe .init(start: shapeColumns + start, count: Int(shapeEnds[shape]) &- start)
    }
  }
}
