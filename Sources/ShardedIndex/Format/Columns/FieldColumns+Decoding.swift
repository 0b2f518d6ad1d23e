import CLibrary

extension FieldColumns {
  @inline(__always) package static func scratchSize(_ keys: KeyBlocks) -> Int { 2 &* (keys.longestStem &+ 64) }

  /// The number of records that are decoded at once: whole blocks.
  private static let runSize = 2 * KeyBlocks.blockSize

  /// The most bytes of a record's texts, with the texts that its shape leaves out.
  ///
  /// A record of a dataset has at most half of it. A damaged shard of a few bytes could make records of any size. Every
  /// record may refer to one long text, and thousands of columns may spell one long stem.
  package static let recordLimit = 2 * ZstdFrame.contentLimit

  /// Whether many records may be decoded at once. Their size is checked after each column of a run.
  @inline(__always) package func isNarrow(_ keys: KeyBlocks) -> Bool {
    header.columnCount <= 128 && header.charge &+ contentSize &+ 64 &* keys.longestStem <= 1 << 18
  }

  /// Appends records `range`, counted within the part, to `output`, with every field's text as in the dataset.
  ///
  /// The columns are decoded one by one, each by a loop over a run of records.
  ///
  /// - Parameter scratch: ``scratchSize(_:)`` bytes.
  package func decode(
    _ range: Range<Int>, keys: KeyBlocks, scratch: UnsafeMutablePointer<UInt8>, into result: inout RecordOutput
  ) {
    var output = result
    let columnCount = header.columnCount
    let isNarrow = isNarrow(keys)
    var lower = range.lowerBound
    while lower < range.upperBound {
      // Runs end at the ends of blocks. Wide records are decoded one by one.
      let end = isNarrow ? lower / Self.runSize &* Self.runSize &+ Self.runSize : lower &+ 1
      let run = lower..<min(end, range.upperBound)
      if header.isPlain {
        output.reserve(records: run.count, fields: run.count &* columnCount)
        let cells = unsafe output.fields + output.fieldCount
        append(run, keys, &output)
        unsafe decode(run, keys, scratch, cells: cells, &output)
      } else {
        unsafe decodeShaped(run, keys, scratch, &output)
      }
      lower = run.upperBound
    }
    result = output
  }

  /// Decodes records with different columns or orders of columns. Their fields are picked from the cells of all
  /// columns.
  @inline(never)
  private func decodeShaped(
    _ run: Range<Int>, _ keys: KeyBlocks, _ scratch: UnsafeMutablePointer<UInt8>, _ output: inout RecordOutput
  ) {
    unsafe withUnsafeTemporaryAllocation(
      of: RecordOutput.DecodedField.self, capacity: run.count * header.columnCount + 1
    ) {
      cells in
      var row = cells.baseAddress!
      unsafe decode(run, keys, scratch, cells: row, &output)
      for record in run {
        let shape = unsafe header.shape(header.shapeCount > 1 ? self.shape(record) : 0)
        output.reserve(records: 1, fields: shape.count)
        let fields = unsafe output.fields + output.fieldCount
        for index in shape.indices { unsafe (fields + index).initialize(to: row[Int(shape[index])]) }
        output.endRecord(fields: shape.count)
        unsafe row += header.columnCount
      }
    }
  }

  /// Writes a row of cells for each record of `run`, a cell for each column; appends the texts.
  @inline(__always)
  private func decode(
    _ run: Range<Int>, _ keys: KeyBlocks, _ scratch: UnsafeMutablePointer<UInt8>,
    cells: UnsafeMutablePointer<RecordOutput.DecodedField>, _ output: inout RecordOutput
  ) {
    // A run has at most 32 records of 2^25 bytes each.
    let limit = output.byteCount &+ run.count &* Self.recordLimit
    prefetch(run, keys)
    var next = header.firstText
    for _ in 0..<header.textCount {
      let column = unsafe header.columns + next
      next = unsafe Int(column.pointee.nextText)
      let columnRun = unsafe ColumnRun(
        column: column, records: run,
        cells: .init(cells, column: Int(column.pointee.cell), stride: header.columnCount))
      guard output.byteCount <= limit else {
        unsafe leaveOut(columnRun, &output)
        continue
      }
      switch unsafe column.pointee.encoding {
      case .number: break
      case .suffixField: unsafe DictionaryColumnDecoder.decode(columnRun, keys.suffixFields + run.lowerBound, &output)
      case .spelled:
        unsafe SpelledColumnDecoder.decode(columnRun, data(Int(column.pointee.slot)), keys, scratch, &output)
      case .text: unsafe TextColumnDecoder.decode(columnRun, data(Int(column.pointee.slot)), &output)
      case .dictionary:
        let codes = unsafe data(Int(column.pointee.slot)).codes
        if unsafe column.pointee.variant == 0, unsafe column.pointee.kind != ShardHeader.mixedKinds {
          unsafe DictionaryColumnDecoder.decode(columnRun, codes + run.lowerBound, &output)
        } else {
          unsafe DictionaryColumnDecoder.decodeAny(columnRun, codes, &output)
        }
      case .constant: unsafe DictionaryColumnDecoder.decodeConstant(columnRun, &output)
      }
    }
    // Numbers come last: their memory is prefetched while texts are made from keys, which the search has read.
    if header.numberCount > 0 { unsafe decodeNumbers(run, keys, cells, &output) }
  }

  /// Leaves a column's cells without texts, since its records are over the limit.
  @inline(never)
  private func leaveOut(_ run: ColumnRun, _ output: inout RecordOutput) {
    output.isOverlong = true
    let column = unsafe run.column.pointee
    guard column.encoding != .number else { return }
    let word = RecordOutput.DecodedField.column(name: column.name, kind: column.kind % ShardHeader.mixedKinds)
    var cells = unsafe run.cells
    for _ in unsafe run.records { unsafe cells.append(.init(text: output.byteCount, size: 0, column: word)) }
  }

  /// Decodes the values of all columns of numbers, row by row.
  @inline(never)
  private func decodeNumbers(
    _ run: Range<Int>, _ keys: KeyBlocks, _ cells: UnsafeMutablePointer<RecordOutput.DecodedField>,
    _ output: inout RecordOutput
  ) {
    let numbers = NumberColumnDecoder(self, keys)
    let (passed, bit) = passed(before: run)
    let width = numbers.width(of: passed)
    // Sums of sizes from the file may wrap if the file is damaged; the decoder tolerates this.
    let start = passed.lowerBound < run.lowerBound ? bit &+ width : bit &- width
    unsafe numbers.decode(
      run, from: start, hasLiterals: header.hasLiterals, cells, stride: header.columnCount, &output)
  }

  /// Returns the rows to pass on the way to the first row of `run`, and the bit from which to count. Rows do not store
  /// their sizes. These are the rows before it in its block, or, if they are fewer, the rows from it to the end of the
  /// block.
  @inline(__always) private func passed(before run: Range<Int>) -> (records: Range<Int>, bit: Int) {
    // A part has fewer than 2^32 records.
    let block = run.lowerBound >> KeyBlocks.blockShift
    let (start, next) = (block << KeyBlocks.blockShift, min((block &+ 1) << KeyBlocks.blockShift, count))
    guard run.lowerBound &- start > KeyBlocks.blockSize / 2 else {
      return unsafe (start..<run.lowerBound, rowStarts[block])
    }
    return unsafe (run.lowerBound..<next, next < count ? rowStarts[block &+ 1] : rowEnd)
  }

  /// Appends the records of a run before their fields are written, and prefetches the ranges of their numbers.
  @inline(__always)
  private func append(_ run: Range<Int>, _ keys: KeyBlocks, _ output: inout RecordOutput) {
    let numbers = NumberColumnDecoder(self, keys)
    let columnCount = header.columnCount
    var record = run.lowerBound
    repeat {
      output.endRecord(fields: columnCount)
      numbers.prefetch(record)
      record &+= 1
    } while record < run.upperBound
  }

  // MARK: Memory

  /// Prefetches the beginning of decoding in the shard's header, while keys are searched.
  @inline(__always) func prefetchHeader() {
    for column in 0..<min(3, header.columnCount) { unsafe CShims.prefetch(header.columns + column) }
    unsafe CShims.prefetch(header.models)
    unsafe CShims.prefetch(header.models + 2)
    unsafe CShims.prefetch(header.rowModels)
    unsafe CShims.prefetch(header.ranges.rows)
    unsafe CShims.prefetch(header.ranges.rows + 64)
  }

  /// Prefetches the memory that decoding a record begins with, side by side instead of one piece after the other.
  @inline(__always) func prefetch(_ record: Int, keys: KeyBlocks) {
    unsafe CShims.prefetch(rowFormatCodes + record)
    prefetchRow(ofBlock: record >> KeyBlocks.blockShift)
    for slot in 0..<min(4, header.dataCount) { unsafe data(slot).prefetch(record) }
  }

  @inline(__always) private func prefetchRow(ofBlock block: Int) {
    guard header.numberCount > 0 else { return }
    let row = unsafe rows + rowStarts[block] >> 3
    unsafe CShims.prefetch(row)
    unsafe CShims.prefetch(row + 64)
  }

  /// Prefetches a run's last block.
  @inline(__always) private func prefetch(_ run: Range<Int>, _ keys: KeyBlocks) {
    let block = (run.upperBound &- 1) >> KeyBlocks.blockShift
    let suffix = unsafe keys.suffixes(ofBlock: block)
    unsafe CShims.prefetch(suffix)
    unsafe CShims.prefetch(suffix + 64)
    prefetchRow(ofBlock: block)
  }
}
