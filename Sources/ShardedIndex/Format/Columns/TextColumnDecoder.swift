/// Decodes columns with one text after the other. Source: docs/format.md section 6.1.
enum TextColumnDecoder {
  @inline(never)
  static func decode(_ run: ColumnRun, _ data: ColumnData, _ output: inout RecordOutput) {
    var text = unsafe data.texts(from: run.records.lowerBound)
    var cells = unsafe run.cells
    for record in unsafe run.records {
      let size = unsafe data.textSize(record)
      unsafe cells.append(run.column.pointee.append(text, size, &output))
      unsafe text += size
    }
  }
}

extension ColumnUnpacker {
  /// Reads the sizes and texts of a column, and checks that the texts have these sizes.
  ///
  /// - Parameters:
  ///   - given: The offset of the unpacked sizes, one byte a record; nil if the sizes stand before the texts.
  ///   - code: The code of the texts' bytes, if they are packed.
  ///   - isMixed: Whether each text begins with its kind.
  @inline(__always)
  mutating func texts(
    _ starts: BlockStarts, sizes given: Int?, code: HuffmanCode, isMixed: Bool
  ) throws(FormatError) -> ColumnData.Pointers {
    let offset = unsafe plain.offset
    let size = unsafe try plain.readVarint()
    let longCount = unsafe try plain.readVarint()
    let sizes = if let given { given } else { unsafe try plain.pass(count) }
    guard unsafe longCount <= count else {
      throw .invalid(reason: unsafe "has \(longCount) long texts in \(count) records", offset: offset)
    }
    let long = unsafe try plain.pass(8 * longCount)
    let texts = unsafe code.isPresent ? try unpackTexts(code, size) : try plain.pass(size)
    let entry = unsafe ColumnData.Pointers(
      codes: .init(kept + sizes), texts: .init(kept + texts), long: .init(kept + long), longCount: UInt32(longCount))
    let shortest = unsafe try fill(starts, from: entry, size: size, offset)
    guard !isMixed || shortest > 0 else {
      throw .invalid(reason: "has texts that do not fill their section", offset: offset)
    }
    if isMixed { unsafe try checkKinds(entry, offset) }
    return unsafe entry
  }

  /// Adds up the sizes of a column's texts.
  ///
  /// - Returns: The size of the shortest text, up to 255.
  @inline(__always)
  private func fill(
    _ starts: BlockStarts, from entry: ColumnData.Pointers, size total: Int, _ offset: Int
  ) throws(FormatError) -> UInt8 {
    let (sizes, long) = unsafe (entry.codes, entry.long)
    var (position, nextLong, record) = (0, 0, 0)
    var shortest = SIMD16<UInt8>(repeating: 255)
    // There are fewer than 2^24 records of fewer than 2^32 bytes each.
    while unsafe record < count {
      if record & (KeyBlocks.blockSize - 1) == 0 {
        unsafe starts[record / KeyBlocks.blockSize] = position
        // A whole block at a time, if no text of it is long.
        let block = unsafe (sizes + record).load(as: SIMD16<UInt8>.self)
        let long = unsafe unsafeBitCast(block .== SIMD16<UInt8>(repeating: 255), to: SIMD2<UInt64>.self)
        if unsafe record &+ KeyBlocks.blockSize <= count, long[0] | long[1] == 0 {
          shortest.replace(with: block, where: block .< shortest)
          position &+= sum(block)
          record &+= KeyBlocks.blockSize
          continue
        }
      }
      let size = unsafe sizes[record]
      shortest[0] = min(shortest[0], size)
      if size < 255 {
        position &+= Int(size)
      } else {
        guard unsafe nextLong < entry.longCount, unsafe ColumnData.word(long, 2 * nextLong) == record,
          case let size = unsafe ColumnData.word(long, 2 * nextLong + 1), size >= 255, size <= total &- position
        else { throw .invalid(reason: "has a long text without its size", offset: offset) }
        position += size
        nextLong += 1
      }
      record &+= 1
    }
    guard position == total, unsafe nextLong == entry.longCount else {
      throw .invalid(reason: "has texts that do not fill their section", offset: offset)
    }
    return shortest.min()
  }

  /// Checks the kinds that texts begin with. No text is empty.
  private func checkKinds(_ entry: ColumnData.Pointers, _ offset: Int) throws(FormatError) {
    // The sizes add up to the size of the texts.
    var (position, nextLong) = (0, 0)
    for record in unsafe 0..<count {
      guard unsafe entry.texts[position] < ShardHeader.mixedKinds else {
        throw .invalid(reason: unsafe "has a text of the unknown kind \(entry.texts[position])", offset: offset)
      }
      if unsafe entry.codes[record] < 255 {
        unsafe position += Int(entry.codes[record])
      } else {
        unsafe position += ColumnData.word(entry.long, 2 * nextLong + 1)
        nextLong += 1
      }
    }
  }
}
