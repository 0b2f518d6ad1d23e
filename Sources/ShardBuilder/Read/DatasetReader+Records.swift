extension DatasetReader {
  /// Reads the record at ``offset``, and in all formats but JSON arrays those that follow; false when the window cuts
  /// it.
  func readRecord() throws(DatasetError) -> Bool {
    let (start, end) = (window.start + offset, window.end)
    let mark = sink.mark
    var step =
      format.isJSON
      ? json.read(at: start, window: window.start, end: end, isLast: window.isLast, into: &sink)
      : rows.read(at: start, window: window.start, end: end, isLast: window.isLast, into: &sink)
    if format == .geojson, case .record(let next) = step {
      if let reason = features.take(since: mark, of: json.names, window: window.start, &sink) {
        sink.dropRecord(mark)
        step = .bad(Fault(at: start, reason: reason), end: next)
      } else {
        sink.endRecord()
      }
    }
    switch step {
    case .record(let next):
      if next - start > options.recordLimitBytes {
        sink.dropRecord(mark)
        try bad(tooBig(start))
        // As when the window cannot hold the record: see below.
        if format == .csv {
          state = .restOfLine
          return true
        }
      }
      offset += next - start
      if isInArray { state = .afterElement }
    case .nothing(let next):
      offset += next - start
    case .incomplete:
      guard end - start > options.recordLimitBytes else { return false }
      try bad(tooBig(start))
      state = isInArray || layout == .sequence ? .bigElement(BracketSkipper()) : .restOfLine
    case .bad(let fault, let next):
      if json.hasTooManyNames { throw malformed(Fault(at: fault.at, reason: fault.reason, remedy: .said)) }
      guard let next else {
        if format.isJSON, layout != .lines {
          // Wrong content and then wrong syntax: the first is what to mend, the second why skipping ends.
          if let second = json.secondFault { throw options.skipBad ? malformed(second) : error(fault) }
          throw malformed(fault)
        }
        try bad(fault)
        // A line's fault is in the line; a CSV record's may be lines after its start.
        if layout == .lines { offset = fault.at - window.start }
        state = .restOfLine
        return true
      }
      try bad(fault)
      offset += next - start
      if isInArray { state = .afterElement }
    }
    return true
  }

  func tooBig(_ start: Bytes) -> Fault {
    Fault(
      at: start,
      reason: "a record of over \(options.recordLimitBytes) bytes"
        + (format == .csv ? "; is a quote in it never closed?" : ""))
  }

  // MARK: Faults

  /// Counts a bad record, or throws it.
  private func bad(_ fault: Fault) throws(DatasetError) {
    let record = place(fault, record: recordsRead + sink.recordEnds.count + badCount + 1, canSkip: true)
    guard options.skipBad else { throw .bad(record) }
    badCount += 1
    sink.skipRecord()
    if badRecords.count < Self.badRecordsKept { badRecords.append(record) }
  }

  private func error(_ fault: Fault) -> DatasetError {
    .bad(place(fault, record: recordsRead + sink.recordEnds.count + badCount + 1, canSkip: true))
  }

  func malformed(_ fault: Fault, _ record: Int? = nil) -> DatasetError {
    .malformed(place(fault, record: record ?? recordsRead + sink.recordEnds.count + badCount + 1, canSkip: false))
  }

  /// - Parameter canSkip: Whether the reading can go on behind the fault.
  private func place(_ fault: Fault, record: Int, canSkip: Bool) -> BadRecord {
    window.count(to: offset)
    let at = fault.at - window.start
    let (line, column) = window.position(of: at)
    var record = BadRecord(path: path, line: line, column: column, record: record, reason: fault.reason)
    // Where bad records are left out, nothing has to be done about one.
    if !(canSkip && options.skipBad) {
      let advice = FaultAdvice(
        path: path, format: format, layout: layout, delimiter: rows.delimiter, columnCount: rows.columnCount,
        headerIsComment: headerIsComment, canSkip: canSkip)
      record.advice = advice.text(fault, line: line, found: at < window.count ? fault.at.pointee : nil)
    }
    return record
  }
}
