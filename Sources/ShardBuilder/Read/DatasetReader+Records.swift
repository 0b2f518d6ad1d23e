extension DatasetReader {
  /// Reads the record at ``offset``; in all formats but JSON arrays also the next records. Returns false if the window
  /// cuts the record.
  func readRecord() throws(DatasetError) -> Bool {
    let (start, end) = unsafe (window.start + offset, window.end)
    let mark = unsafe sink.mark
    var step =
      unsafe format.isJSON
      ? json.read(at: start, window: window.start, end: end, isLast: window.isLast, into: &sink)
      : rows.read(at: start, window: window.start, end: end, isLast: window.isLast, into: &sink)
    if format == .geojson, case .record(let next) = step {
      if let reason = unsafe features.replaceFields(since: mark, of: json.names, window: window.start, &sink) {
        unsafe sink.dropRecord(mark)
        step = unsafe .bad(Fault(at: start, reason: reason), end: next)
      } else {
        unsafe sink.endRecord()
      }
    }
    if !headerLine.isEmpty, case .record(let next) = step, unsafe isHeader(start, next) {
      unsafe sink.dropRecord(mark)
      step = unsafe .bad(Fault(at: start, reason: "repeats the header"), end: next)
    }
    switch step {
    case .record(let next):
      if unsafe next - start > options.recordLimitBytes {
        unsafe sink.dropRecord(mark)
        try unsafe bad(tooBig(start))
        // This is the same case as a record that is too large for the window, see below.
        if format == .csv {
          state = .restOfLine
          return true
        }
      }
      unsafe offset += next - start
      if isInArray { state = .afterElement }
    case .nothing(let next):
      unsafe offset += next - start
    case .incomplete:
      guard unsafe end - start > options.recordLimitBytes else { return false }
      try unsafe bad(tooBig(start))
      state = isInArray || layout == .sequence ? .bigElement(BracketSkipper()) : .restOfLine
    case .bad(let fault, let next):
      if unsafe json.hasTooManyNames {
        throw unsafe malformed(Fault(at: fault.at, reason: fault.reason, remedy: .entries))
      }
      guard let next = unsafe next else {
        if format.isJSON, layout != .lines {
          // The record has wrong content, then wrong syntax. The user must correct the first; the second ends the
          // skipping.
          if let second = unsafe json.secondFault { throw options.skipBad ? malformed(second) : error(fault) }
          throw malformed(fault)
        }
        try bad(fault)
        // A line's fault is in the line; a CSV record's fault may be lines after its start.
        if layout == .lines { offset = unsafe fault.at - window.start }
        state = .restOfLine
        return true
      }
      try bad(fault)
      unsafe offset += next - start
      if isInArray { state = .afterElement }
    }
    return true
  }

  /// Returns whether a record is the header's line again, as in files that were joined; each file may have its byte
  /// order mark.
  private func isHeader(_ start: Bytes, _ end: Bytes) -> Bool {
    let size = unsafe end - start
    guard size >= headerLine.count, size <= headerLine.count + 5 else { return false }
    var line = unsafe stretch(start, end)[...]
    if unsafe line.starts(with: [0xEF, 0xBB, 0xBF]) { unsafe line = unsafe line.dropFirst(3) }
    if unsafe line.last == 0x0A { unsafe line = unsafe line.dropLast() }
    if unsafe line.last == 0x0D { unsafe line = unsafe line.dropLast() }
    return unsafe line.elementsEqual(headerLine)
  }

  func tooBig(_ start: Bytes) -> Fault {
    unsafe Fault(
      at: start,
      reason: "a record of over \(options.recordLimitBytes) bytes"
        + (format == .csv ? "; look for a quote that is never closed" : ""))
  }

  // MARK: Faults

  /// Counts a bad record, or throws it.
  private func bad(_ fault: Fault) throws(DatasetError) {
    let record = unsafe place(fault, record: recordsRead + sink.recordEnds.count + badCount + 1, canSkip: true)
    guard options.skipBad else { throw .bad(record) }
    badCount += 1
    unsafe sink.skipRecord()
    if badRecords.count < Self.badRecordsKept { badRecords.append(record) }
  }

  private func error(_ fault: Fault) -> DatasetError {
    unsafe .bad(place(fault, record: recordsRead + sink.recordEnds.count + badCount + 1, canSkip: true))
  }

  func malformed(_ fault: Fault, _ record: Int? = nil) -> DatasetError {
    unsafe .malformed(
      place(fault, record: record ?? recordsRead + sink.recordEnds.count + badCount + 1, canSkip: false))
  }

  /// - Parameter canSkip: Whether the reader can go on after the fault.
  private func place(_ fault: Fault, record: Int, canSkip: Bool) -> BadRecord {
    unsafe window.count(to: offset)
    let at = unsafe fault.at - window.start
    let (line, column) = unsafe window.position(of: at)
    var record = BadRecord(path: path, line: line, column: column, record: record, reason: fault.reason)
    // If bad records are left out, a bad record needs no advice.
    if !(canSkip && options.skipBad) {
      let start = max(0, at - column + 1)
      let advice = unsafe FaultAdvice(
        path: path, format: format, layout: layout, delimiter: rows.delimiter, columns: options.columns,
        columnCount: rows.columnCount,
        headerComment: headerComment, mayBeLines: mayBeLines, canSkip: canSkip, isFirstLine: line == 1,
        before: Array(stretch(window.start + start, fault.at)),
        after: Array(stretch(fault.at, min(window.end, fault.at + EncodingGuess.sampleLimit))))
      record.advice = advice.text(fault, line: line)
    }
    return record
  }
}
