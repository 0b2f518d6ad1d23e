/// Decodes columns whose texts are spelled from the stems of keys. Source: docs/format.md section 6.2.
///
/// The loader has checked the sizes of stems and scripts, which have fewer than 2^32 bytes each. So sums of sizes
/// cannot wrap, nor can offsets in the reserved output.
enum SpelledColumnDecoder {
  /// - Parameter scratch: ``FieldColumns/scratchSize(_:)`` bytes.
  @inline(__always)
  static func decode(
    _ run: ColumnRun, _ data: ColumnData, _ keys: KeyBlocks, _ scratch: UnsafeMutablePointer<UInt8>,
    _ output: inout RecordOutput
  ) {
    if unsafe run.column.pointee.piece == 255, !keys.isWide {
      unsafe decodeWhole(run, data, keys, scratch, &output)
    } else {
      unsafe decodePieces(run, data, keys, scratch, &output)
    }
  }

  /// Decodes names from whole stems. Most names need only the case of their letters.
  @inline(never)
  private static func decodeWhole(
    _ run: ColumnRun, _ data: ColumnData, _ keys: KeyBlocks, _ scratch: UnsafeMutablePointer<UInt8>,
    _ output: inout RecordOutput
  ) {
    let (word, records) = unsafe (run.column.pointee.word, run.records)
    let letters = unsafe Spelling.Case(run.column.pointee.variant)
    let scriptSizes = unsafe data.codes
    var script = unsafe data.texts(from: records.lowerBound)
    var walk = unsafe StemWalk(keys, stem: scratch + 16, to: records.lowerBound)
    let cased = unsafe scratch + keys.longestStem + 64
    // Room for all stems. A script reserves its own room.
    _ = unsafe output.reserve(records.count &* keys.longestStem)
    var (bytes, end) = unsafe (output.bytes, output.byteCount)
    var (record, cells) = unsafe (records.lowerBound, run.cells)
    while true {
      unsafe walk.put(record)
      var size = unsafe walk.size
      let hasScript = unsafe scriptSizes[record] != 0
      let target = unsafe hasScript ? cased : bytes + end
      unsafe letters.apply(to: walk.start, target)
      if size > 16 {
        unsafe walk.putRest()
        var offset = 16
        repeat {
          unsafe letters.apply(to: walk.stem + offset, target + offset)
          offset &+= 16
        } while offset < size
      }
      unsafe walk.pass()
      if hasScript {
        let scriptSize = unsafe data.textSize(record)
        _ = output.appendWritten(end &- output.byteCount)
        _ = unsafe output.reserve((records.upperBound &- record) &* keys.longestStem &+ scriptSize)
        unsafe bytes = output.bytes
        size = unsafe Spelling.apply(
          .init(start: script, count: scriptSize), to: .init(start: cased, count: size), bytes + end)
        unsafe script += scriptSize
      }
      unsafe cells.append(.init(text: end, size: size, column: word))
      end &+= size
      record &+= 1
      if record == records.upperBound { break }
    }
    _ = output.appendWritten(end &- output.byteCount)
  }

  /// A walk through the stems of a block and the stems behind it, each written over the one before.
  ///
  /// The first 16 bytes are kept in a register, since a read of memory that a suffix was just written to would have to
  /// wait. Only stems of more than 16 bytes write memory.
  @unsafe private struct StemWalk {
    let stem: UnsafeMutablePointer<UInt8>
    private(set) var start = SIMD16<UInt8>(repeating: 0)
    private let sizes: (shared: UnsafePointer<UInt8>, suffix: UnsafePointer<UInt8>)
    private var suffix: UnsafePointer<UInt8>
    /// The number of bytes that the current stem shares with the one before it, and the number that it adds.
    private var (common, rest) = (0, 0)

    /// The size of the current stem.
    @inline(__always) var size: Int { unsafe common &+ rest }

    /// Walks from the beginning of the record's block to the record.
    @inline(__always) init(_ keys: KeyBlocks, stem: UnsafeMutablePointer<UInt8>, to record: Int) {
      unsafe self.stem = stem
      unsafe sizes = keys.sizes.unsafelyUnwrapped  // Callers have sizes of 8 bits.
      var current = record & ~(KeyBlocks.blockSize - 1)
      unsafe suffix = keys.suffixes(ofBlock: current >> KeyBlocks.blockShift)
      while current < record {
        unsafe put(current)
        if unsafe size > 16 { unsafe copyShort(suffix, to: stem + common, rest) }
        unsafe pass()
        current &+= 1
      }
    }

    /// Puts the first bytes of the next stem into the register. 16 bytes before a suffix are readable.
    @inline(__always) mutating func put(_ record: Int) {
      // A restart point is stored whole, also if it shares bytes.
      unsafe common = record & (KeyBlocks.blockSize - 1) == 0 ? 0 : Int(sizes.shared[record])
      unsafe rest = Int(sizes.suffix[record])
      let kept = unsafe min(common, 16)
      let bytes = unsafe (suffix - kept).load(as: SIMD16<UInt8>.self)
      let lanes = SIMD16<Int8>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
      let isKept = lanes .< SIMD16<Int8>(repeating: Int8(truncatingIfNeeded: kept))
      unsafe start = bytes.replacing(with: start, where: isKept)
    }

    /// Puts the bytes of the stem behind the first 16 into memory.
    @inline(__always) func putRest() {
      unsafe copyShort(suffix, to: stem + common, rest)
      // The byte before the read bytes is the last of the first 16.
      unsafe stem[15] = start[15]
    }

    /// Passes the suffix of the current stem.
    @inline(__always) mutating func pass() { unsafe suffix += rest }
  }

  /// Decodes names from pieces of stems, or from stems of parts with long ones.
  @inline(never)
  private static func decodePieces(
    _ run: ColumnRun, _ data: ColumnData, _ keys: KeyBlocks, _ scratch: UnsafeMutablePointer<UInt8>,
    _ output: inout RecordOutput
  ) {
    let (word, rule, piece) = unsafe (run.column.pointee.word, run.column.pointee.variant, run.column.pointee.piece)
    var record = unsafe run.records.lowerBound
    var script = unsafe data.texts(from: record)
    let cased = unsafe scratch + keys.longestStem + 64
    // The byte before a stem is not inside a word.
    unsafe scratch[15] = 0
    var cells = unsafe run.cells
    var cursor = unsafe StemCursor(keys, at: record, buffer: scratch + 16)
    while true {
      let scriptSize = unsafe data.textSize(record)
      let stem = unsafe Spelling.piece(piece, of: .init(start: cursor.stem, count: cursor.stemSize))
      let size = unsafe Spelling.write(
        stem: stem, rule: rule, script: script, scriptSize, scratch: cased,
        to: output.reserve(stem.count &+ scriptSize))
      unsafe cells.append(.init(text: output.appendWritten(size), size: size, column: word))
      unsafe script += scriptSize
      record &+= 1
      if unsafe record == run.records.upperBound { break }
      unsafe cursor.advance()
    }
  }
}
