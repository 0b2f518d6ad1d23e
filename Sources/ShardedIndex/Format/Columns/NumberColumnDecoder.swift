import CLibrary

/// Decodes the columns of numbers. Their values stand row by row, one row of bits a record. Source: docs/format.md
/// section 6.3.
///
/// Widths and summands come from the file and may be wrong. Arithmetic wraps, and a wrong sum gives another number:
/// every value is read from within the rows, and seven bytes behind the end of the rows are readable.
@safe struct NumberColumnDecoder {
  private let models: UnsafePointer<ShardHeader.Model>
  private let rowModels: UnsafePointer<UInt16>
  private let ranges: ShardHeader.Ranges
  private let numberCount: Int
  /// The code of each record's row format, the number of each record's suffix field, and the rows of the part.
  private let (formats, suffixFields, rows): (UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>)
  /// The end of the rows in bits, and the bit at which each block's rows begin.
  private let (rowBits, starts): (Int, BlockStarts)
  private let (formatMask, suffixFieldMask): (Int, Int)

  /// The number of values that are read between two checks against the end of the rows. A value has at most seven
  /// bytes, and a read takes eight.
  private static let numbersAtOnce = (FieldColumns.slack - 8) / 7 + 1

  @inline(__always)
  init(_ columns: FieldColumns, _ keys: KeyBlocks) {
    unsafe (models, numberCount) = (columns.header.models, columns.header.numberCount)
    unsafe (rowModels, ranges) = (columns.header.rowModels, columns.header.ranges)
    (formatMask, suffixFieldMask) = (columns.header.formatMask, columns.header.suffixFieldMask)
    unsafe (formats, rows) = (columns.rowFormatCodes, columns.rows)
    unsafe (rowBits, starts) = (columns.rowBits, columns.rowStarts)
    unsafe suffixFields = suffixFieldMask == 0 ? columns.header.zero : keys.suffixFields
  }

  /// The models of a record's numbers.
  @inline(__always) private func row(_ record: Int) -> UnsafePointer<UInt16> {
    unsafe rowModels + Int(formats[record & formatMask]) &* numberCount
  }

  /// Returns the offset of the ranges of a record's numbers among the ranges of their models.
  @inline(__always) private func rangeRow(_ record: Int) -> UInt32 {
    unsafe ranges.row(Int(suffixFields[record & suffixFieldMask]))
  }

  /// Returns the size of the rows of records, in bits.
  @inline(__always) func width(of records: Range<Int>) -> Int {
    var width = 0
    var record = records.lowerBound
    while record < records.upperBound {
      let rangeRow = rangeRow(record)
      var model = unsafe row(record)
      let last = unsafe model + numberCount
      repeat {
        unsafe width &+= models[Int(model.pointee)].bits(in: rangeRow)
        unsafe model += 1
      } while unsafe model < last
      record &+= 1
    }
    return width
  }

  /// Writes the cells of a run of records.
  ///
  /// - Parameter start: The bit at which the row of the first record begins.
  @inline(__always)
  func decode(
    _ records: Range<Int>, from start: Int, hasLiterals: Bool, _ cells: UnsafeMutablePointer<RecordOutput.DecodedField>,
    stride: Int, _ output: inout RecordOutput
  ) {
    // Bits are counted from address 0 on, so that one number is the place of a value.
    let rows = unsafe 8 &* UInt64(UInt(bitPattern: rows))
    let lastBit = rows &+ UInt64(rowBits)
    // In a file with wrong sizes the bit may be below 0: then other numbers are read, from within the rows.
    var bit = rows &+ UInt64(max(0, start))
    var (record, cells) = unsafe (records.lowerBound, cells)
    while record < records.upperBound {
      if record & (KeyBlocks.blockSize - 1) == 0 { bit = unsafe rows &+ UInt64(starts[record >> KeyBlocks.blockShift]) }
      let rangeRow = rangeRow(record)
      var number = unsafe row(record)
      let last = unsafe number + numberCount
      repeat {
        // A number that would begin behind the section is read at its end.
        bit = min(bit, lastBit)
        let stop = unsafe min(number + Self.numbersAtOnce, last)
        repeat {
          let model = unsafe models + Int(number.pointee)
          let range = unsafe model.pointee.range(in: rangeRow)
          let width = range & 0xff
          let word = unsafe UInt64(littleEndian: Self.address(ofBit: bit).load())
          let own = word &>> (bit & 7) & ~(UInt64.max &<< width)
          let value =
            unsafe model.pointee.base &+ Int64(UInt32(truncatingIfNeeded: range >> 8)) &+ Int64(bitPattern: own)
          unsafe model.pointee.cell(in: cells).initialize(to: .init(value, number: model.pointee.word))
          // A literal has a range of 0 bits.
          bit &+= width
          unsafe number += 1
        } while unsafe number < stop
      } while unsafe number < last
      if hasLiterals {
        unsafe Self.writeLiterals(.init(start: row(record), count: numberCount), of: models, cells, &output)
      }
      unsafe cells += stride
      record &+= 1
    }
  }

  @inline(__always) private static func address(ofBit bit: UInt64) -> UnsafePointer<UInt8> {
    unsafe .init(bitPattern: UInt(truncatingIfNeeded: bit >> 3)).unsafelyUnwrapped
  }

  /// Writes the texts of a record's numbers with a fixed text.
  ///
  /// A call with this decoder as an argument would write all of the decoder to memory for each run.
  @inline(never)
  private static func writeLiterals(
    _ row: UnsafeBufferPointer<UInt16>, of models: UnsafePointer<ShardHeader.Model>,
    _ cells: UnsafeMutablePointer<RecordOutput.DecodedField>, _ output: inout RecordOutput
  ) {
    for index in row.indices {
      let model = unsafe models[Int(row[index])]
      guard model.isLiteral else { continue }
      let text = unsafe model.literal
      unsafe model.cell(in: cells).initialize(
        to: .init(text: output.append(text.baseAddress!, text.count), size: text.count, column: model.word))
    }
  }

  /// Prefetches the ranges of a record's numbers.
  @inline(__always) func prefetch(_ record: Int) {
    // A row can lie in two cache lines.
    let row = unsafe ranges.start + Int(rangeRow(record))
    unsafe CShims.prefetch(row)
    unsafe CShims.prefetch(row + Int(ranges.rowSize))
  }

  /// Calls `body` with each record's value of one of its numbers.
  func forEachValue(
    _ slot: Int, _ count: Int,
    _ body: (_ record: Int, _ value: Int64, _ model: UnsafePointer<ShardHeader.Model>) -> Void
  ) {
    var bit = 0
    for record in 0..<count {
      if record & (KeyBlocks.blockSize - 1) == 0 { bit = unsafe starts[record / KeyBlocks.blockSize] }
      let (rangeRow, row) = unsafe (rangeRow(record), row(record))
      for number in 0..<numberCount {
        let model = unsafe models + Int(row[number])
        let range = unsafe model.pointee.range(in: rangeRow)
        if number == slot {
          // A row that would begin behind the section is read at its end.
          let at = min(bit, rowBits)
          let word = unsafe UInt64(littleEndian: (rows + at >> 3).load()) &>> UInt64(at & 7)
          let own = Int64(truncatingIfNeeded: word & ~(UInt64.max &<< (range & 0xff)))
          unsafe body(record, model.pointee.base &+ Int64(UInt32(truncatingIfNeeded: range >> 8)) &+ own, model)
        }
        bit &+= Int(range & 0xff)
      }
    }
  }
}
