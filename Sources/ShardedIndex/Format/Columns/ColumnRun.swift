import CLibrary

/// The task of a column's decoder: a run of records, and the cells for their fields.
@unsafe struct ColumnRun {
  let column: UnsafePointer<ShardHeader.Column>
  /// The records, counted within the part.
  let records: Range<Int>
  var cells: Cells

  /// The cells of one column: one cell in each of the consecutive rows.
  @unsafe struct Cells {
    private var next: UnsafeMutablePointer<RecordOutput.DecodedField>
    private let stride: Int

    /// - Parameters:
    ///   - rows: The first cell of the first row.
    ///   - stride: The number of cells of a row.
    @inline(__always) init(_ rows: UnsafeMutablePointer<RecordOutput.DecodedField>, column: Int, stride: Int) {
      unsafe (next, self.stride) = (rows + column, stride)
    }

    /// Writes the cell of the next row.
    @inline(__always) mutating func append(_ field: RecordOutput.DecodedField) {
      unsafe next.initialize(to: field)
      unsafe next += stride
    }
  }
}

/// The data of a dictionary, text or spelled column in a part.
///
/// The loader has checked the sizes and offsets, and the content has fewer than 2^32 bytes: sums cannot wrap.
@unsafe struct ColumnData {
  /// The data in the part's memory. Its numbers have 32 bits, since the cache keeps many parts.
  @unsafe struct Pointers: BitwiseCopyable {
    /// dictionary: codes. text, spelled: sizes; 255 for a size in `long`.
    var codes: UnsafePointer<UInt8>
    var texts: UnsafePointer<UInt8>
    /// The long texts: pairs of a record and the size of its text.
    var long: UnsafePointer<UInt8>
    var longCount: UInt32
    /// The offset of the column's starts from here in bytes, times two; 1 more if the starts have 32 bits.
    var startsOffset: UInt32 = 0
  }

  private let entry: UnsafePointer<Pointers>

  @inline(__always) init(_ entry: UnsafePointer<Pointers>) { unsafe self.entry = entry }

  @inline(__always) var codes: UnsafePointer<UInt8> { unsafe entry.pointee.codes }

  /// The texts from a record's text on.
  @inline(__always) func texts(from record: Int) -> UnsafePointer<UInt8> {
    unsafe entry.pointee.texts + textStart(record)
  }

  /// The offset of a record's text among the texts of its column.
  @inline(__always) private func textStart(_ record: Int) -> Int {
    let first = record & ~(KeyBlocks.blockSize - 1)
    let start = unsafe starts[record >> KeyBlocks.blockShift]
    if unsafe entry.pointee.longCount == 0 { return unsafe start &+ sum(codes + first, record &- first) }
    return start &+ (first..<record).reduce(0) { unsafe $0 &+ textSize($1) }
  }

  /// The offsets of the texts of each block of records; zeros for a dictionary.
  @inline(__always) private var starts: BlockStarts {
    let offset = unsafe entry.pointee.startsOffset
    return unsafe BlockStarts(UnsafeRawPointer(entry) + Int(offset >> 1), isWide: offset & 1 == 1)
  }

  @inline(__always) func textSize(_ record: Int) -> Int {
    let size = unsafe codes[record]
    return unsafe size < 255 ? Int(size) : longSize(record)
  }

  @inline(never) private func longSize(_ record: Int) -> Int {
    var low = 0
    var high = unsafe Int(entry.pointee.longCount)
    while low < high {
      let middle = (low + high) / 2
      if unsafe Self.word(entry.pointee.long, 2 * middle) < record { low = middle + 1 } else { high = middle }
    }
    return unsafe Self.word(entry.pointee.long, 2 * low + 1)  // The loader has checked that it exists.
  }

  /// Prefetches a record's code and the texts of its block.
  @inline(__always) func prefetch(_ record: Int) {
    unsafe CShims.prefetch(codes + record)
    unsafe CShims.prefetch(entry.pointee.texts + starts[record >> KeyBlocks.blockShift])
  }

  /// The number of 32 bits at `index`.
  @inline(__always) static func word(_ bytes: UnsafePointer<UInt8>, _ index: Int) -> Int {
    unsafe Int(clamping: UInt32(littleEndian: (bytes + 4 * index).load()))
  }
}
