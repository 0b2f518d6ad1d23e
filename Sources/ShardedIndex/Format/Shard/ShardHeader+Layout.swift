extension ShardHeader {
  /// The addresses of all that a header keeps: a plain value in the header's memory, which parts refer to without counting
  /// references.
  package struct Layout: BitwiseCopyable {
    // What a query reads that has all of it cached stands side by side, in few lines of the processor's cache: there are as
    // many headers as shards, so that mostly nothing of one is there.
    /// Whether every record has every column once: then its fields are its cells.
    let isPlain: Bool
    /// Whether there is a model of type 0.
    let hasLiterals: Bool
    package let columnCount: Int
    /// Bytes that the header keeps in memory.
    let charge: Int
    let columns: UnsafePointer<Column>
    /// How many columns are no numbers, and the first of them: each names the next.
    let (textCount, firstText): (Int, Int)
    /// How many columns are numbers.
    let numberCount: Int
    /// Per row format and number column the model of the value.
    let rowModels: UnsafePointer<UInt16>
    let models: UnsafePointer<Model>
    let ranges: Ranges
    /// What a record's number is masked with to find its code: all ones, or zero where every record reads ``zero``.
    let (tailMask, formatMask): (Int, Int)
    /// What stands for the codes of records where there are none.
    let zero: UnsafePointer<UInt8>
    /// How many columns have data in the parts (dictionary, text, spelled), and below which, in file order.
    let dataCount: Int

    package let tailTable: UnsafePointer<TailTable>
    let dataColumns: UnsafePointer<UInt16>
    /// Per such column how its codes, or the sizes of its texts, are packed.
    let dataCodes: UnsafePointer<HuffmanCode>
    /// And how the bytes of its texts are; of a dictionary nothing.
    let textCodes: UnsafePointer<HuffmanCode>
    /// How the bytes of suffixes are; the numbers of tails, shapes and row formats.
    let (suffixCode, tailCode): (HuffmanCode, HuffmanCode)
    let (shapeCode, rowCode): (HuffmanCode, HuffmanCode)
    /// How many columns of small numbers are packed in a part's fields; how many columns have numbers there that are not.
    let (packedColumnCount, plainColumnCount): (Int, Int)
    let shapeCount: Int
    let shapeColumns: UnsafePointer<UInt16>
    let shapeEnds: UnsafePointer<UInt32>
    let rowFormatCount: Int

    /// The columns that a record of a shape has, in its own order.
    @inline(__always) func shape(_ shape: Int) -> UnsafeBufferPointer<UInt16> {
      let start = shape == 0 ? 0 : Int(shapeEnds[shape &- 1])
      return .init(start: shapeColumns + start, count: Int(shapeEnds[shape]) &- start)
    }
  }
}
