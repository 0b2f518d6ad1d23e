/// Decodes columns whose records refer to one of a few texts: dictionaries and suffix fields. Source: docs/format.md
/// section 6.1.
///
/// Offsets in the output cannot wrap, since ``RecordOutput/reserve(_:)`` made room for the texts.
enum DictionaryColumnDecoder {
  /// Decodes codes of eight bits.
  ///
  /// - Parameter codes: The codes from the run's first record on.
  @inline(never)
  static func decode(_ run: ColumnRun, _ codes: UnsafePointer<UInt8>, _ output: inout RecordOutput) {
    // Each kind has a loop of its own, which has the registers to itself.
    if unsafe run.column.pointee.isPairs { return unsafe decodePairs(run, codes, &output) }
    if unsafe run.column.pointee.isShort { return unsafe decodeShort(run, codes, &output) }
    let (texts, ends, word) = unsafe (run.column.pointee.texts, run.column.pointee.ends, run.column.pointee.word)
    var cells = unsafe run.cells
    guard unsafe run.column.pointee.longest <= 16 else {
      for record in unsafe 0..<run.records.count {
        let code = unsafe Int(codes[record])
        let start = unsafe Int(ends[code &- 1])
        let size = unsafe Int(ends[code]) &- start
        unsafe cells.append(.init(text: output.append(texts + start, size), size: size, column: word))
      }
      return
    }
    // One move a text, and one reservation for all texts.
    _ = unsafe output.reserve(run.records.count &* 16)
    let (bytes, first) = unsafe (output.bytes, output.byteCount)
    var end = first
    for record in unsafe 0..<run.records.count {
      let code = unsafe Int(codes[record])
      let start = unsafe Int(ends[code &- 1])
      let size = unsafe Int(ends[code]) &- start
      unsafe copy16(texts + start, to: bytes + end)
      unsafe cells.append(.init(text: end, size: size, column: word))
      end &+= size
    }
    _ = output.appendWritten(end &- first)
  }

  /// Decodes texts of two bytes each.
  @inline(__always)
  private static func decodePairs(_ run: ColumnRun, _ codes: UnsafePointer<UInt8>, _ output: inout RecordOutput) {
    let (ends, word) = unsafe (run.column.pointee.ends, run.column.pointee.word)
    var cells = unsafe run.cells
    _ = unsafe output.reserve(run.records.count &* 2)
    let (bytes, first) = unsafe (output.bytes, output.byteCount)
    var end = first
    unsafe ends.withMemoryRebound(to: UInt16.self, capacity: 1) { pairs in
      for record in unsafe 0..<run.records.count {
        unsafe (bytes + end).store(pairs[Int(codes[record])])
        unsafe cells.append(.init(text: end, size: 2, column: word))
        end &+= 2
      }
    }
    _ = output.appendWritten(end &- first)
  }

  /// Decodes texts of three bytes at most.
  @inline(__always)
  private static func decodeShort(_ run: ColumnRun, _ codes: UnsafePointer<UInt8>, _ output: inout RecordOutput) {
    let (ends, word) = unsafe (run.column.pointee.ends, run.column.pointee.word)
    var cells = unsafe run.cells
    _ = unsafe output.reserve(run.records.count &* 4)
    let (bytes, first) = unsafe (output.bytes, output.byteCount)
    var end = first
    for record in unsafe 0..<run.records.count {
      let text = unsafe ends[Int(codes[record])]
      unsafe (bytes + end).store(text.littleEndian)
      let size = Int(text >> 24)
      unsafe cells.append(.init(text: end, size: size, column: word))
      end &+= size
    }
    _ = output.appendWritten(end &- first)
  }

  /// Decodes codes of sixteen bits, and texts that begin with their kind.
  ///
  /// - Parameter codes: The codes from the part's first record on.
  @inline(never)
  static func decodeAny(_ run: ColumnRun, _ codes: UnsafePointer<UInt8>, _ output: inout RecordOutput) {
    let (texts, ends) = unsafe (run.column.pointee.texts, run.column.pointee.ends)
    var cells = unsafe run.cells
    for record in unsafe run.records {
      let code =
        unsafe run.column.pointee.variant == 0
        ? Int(codes[record]) : Int(codes[2 &* record]) | Int(codes[2 &* record &+ 1]) << 8
      let start = unsafe Int(ends[code &- 1])
      unsafe cells.append(run.column.pointee.append(texts + start, Int(ends[code]) &- start, &output))
    }
  }

  /// Decodes a column whose fields all have the same text.
  @inline(__always)
  static func decodeConstant(_ run: ColumnRun, _ output: inout RecordOutput) {
    let size = unsafe Int(run.column.pointee.number)
    let field = unsafe RecordOutput.DecodedField(
      text: output.append(run.column.pointee.texts, size), size: size, column: run.column.pointee.word)
    var cells = unsafe run.cells
    for _ in unsafe 0..<run.records.count { unsafe cells.append(field) }
  }
}

extension ShardHeader.Column {
  /// Appends a text of the column, which begins with its kind if the column's kinds are mixed.
  @inline(__always)
  func append(_ text: UnsafePointer<UInt8>, _ size: Int, _ output: inout RecordOutput) -> RecordOutput.DecodedField {
    guard kind == ShardHeader.mixedKinds else {
      return unsafe .init(text: output.append(text, size), size: size, column: word)
    }
    // The loader has checked that the text is not empty and that its kind is known.
    let word = unsafe RecordOutput.DecodedField.column(name: name, kind: text[0])
    return unsafe .init(text: output.append(text + 1, size &- 1), size: size &- 1, column: word)
  }
}
