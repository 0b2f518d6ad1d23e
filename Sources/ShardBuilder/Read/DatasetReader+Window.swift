extension DatasetReader {
  /// The outcome of a step through the window.
  enum Progress {
    case goesOn
    /// The window ends before the step does, and the dataset may have more.
    case needsMore
    /// The dataset has ended.
    case ended
  }

  /// Reads all that the window holds as a whole; returns false at the dataset's end.
  func readWindow() throws(DatasetError) -> Bool {
    while true {
      let (p, end) = unsafe (window.start + offset, window.end)
      let progress: Progress
      switch state {
      case .done: progress = .ended
      case .restOfLine: progress = unsafe skipLine(p, end)
      case .envelope: progress = try unsafe readEnvelope(p, end) ? .goesOn : .needsMore
      case .arrayStart, .firstElement, .element, .afterElement, .afterArray: progress = try unsafe readElement(p, end)
      case .bigElement(let skipper): progress = try unsafe skipElement(skipper, p, end)
      case .tsvFirstLine: progress = unsafe readEscapesLine(p, end)
      case .header: progress = try unsafe readHeader(p, end) ? .goesOn : .needsMore
      case .records: progress = try unsafe readNextRecord(p, end)
      }
      switch progress {
      case .goesOn: continue
      case .needsMore: return true
      case .ended: return false
      }
    }
  }

  /// Returns the outcome at the window's end, if there is nothing left to read.
  private func atWindowEnd() -> Progress {
    guard unsafe window.isLast else { return .needsMore }
    state = .done
    return .ended
  }

  private func skipLine(_ p: Bytes, _ end: Bytes) -> Progress {
    guard let feed = unsafe lineFeed(p, end) else {
      offset = unsafe window.count
      return atWindowEnd()
    }
    unsafe offset += feed - p + 1
    state = .records
    return .goesOn
  }

  @inline(__always) private func readNextRecord(_ start: Bytes, _ end: Bytes) throws(DatasetError) -> Progress {
    var p = unsafe start
    if format.isJSON {
      while unsafe isJSONSpace(p.pointee) || p.pointee == JSONRecords.recordSeparator { unsafe p += 1 }
      offset = unsafe p - window.start
    }
    if unsafe p == end { return atWindowEnd() }
    return try readRecord() ? .goesOn : .needsMore
  }

  /// Reads the line that announces escapes, if the file begins with it.
  private func readEscapesLine(_ p: Bytes, _ end: Bytes) -> Progress {
    let (line, flatLine) = (Self.tsvEscapesLine.utf8, (Self.tsvEscapesLine + Self.flatMark).utf8)
    let feed = unsafe lineFeed(p, end)
    if unsafe feed == nil, unsafe !window.isLast, unsafe end - p <= flatLine.count + 1 { return .needsMore }
    let text = unsafe stretch(p, feed ?? end)
    let marked = unsafe text.last == 0x0D ? text.dropLast() : text[...]
    unsafe rows.nests = unsafe marked.elementsEqual(line)
    unsafe rows.hasEscapes = unsafe rows.nests || marked.elementsEqual(flatLine)
    if unsafe rows.hasEscapes { unsafe offset += text.count + (feed == nil ? 0 : 1) }
    state = options.columns == nil ? .header : .records
    return .goesOn
  }

  private func lineFeed(_ start: Bytes, _ end: Bytes) -> Bytes? {
    unsafe stretch(start, end).firstIndex(of: 0x0A).map { unsafe start + $0 }
  }

  // MARK: Arrays

  /// Reads the next token of an array: an element, or the text between two elements.
  @inline(__always) private func readElement(_ p: Bytes, _ end: Bytes) throws(DatasetError) -> Progress {
    let token = unsafe json.skip(p)
    unsafe offset += token - p
    if unsafe token == end, unsafe !window.isLast { return .needsMore }
    try unsafe readArray(at: token, isAtEnd: token == end)
    // `readArray` finds an element's start and leaves it in place.
    if case .element = state, unsafe offset == token - window.start, unsafe token < end {
      return try readRecord() ? .goesOn : .needsMore
    }
    return .goesOn
  }

  private func skipElement(_ given: BracketSkipper, _ p: Bytes, _ end: Bytes) throws(DatasetError) -> Progress {
    var skipper = given
    let stop = unsafe skipper.skip(p, end)
    unsafe offset += stop.end - p
    switch unsafe stop.outcome {
    case .done: state = isInArray ? .afterElement : .records
    case .more where unsafe !window.isLast:
      state = .bigElement(skipper)
      return .needsMore
    case .more:
      throw unsafe malformed(Fault(at: end, reason: "found the end of the file inside a value over the size limit"), 0)
    case .mismatch:
      throw unsafe malformed(
        Fault(at: stop.end, reason: "brackets that do not match inside a value over the size limit"), 0)
    }
    return .goesOn
  }

  /// Reads the brackets and commas of the array. Leaves `state` at `element` and `offset` unchanged before an element.
  private func readArray(at token: Bytes, isAtEnd: Bool) throws(DatasetError) {
    func expected(_ what: String) -> DatasetError {
      let found = unsafe isAtEnd ? "the end of the file" : described(token.pointee)
      return unsafe malformed(Fault(at: token, reason: "expected \(what), found \(found)"), 0)
    }
    let byte = unsafe isAtEnd ? 0 : token.pointee
    switch state {
    case .arrayStart:
      guard byte == UInt8(ascii: "[") else {
        throw expected("an array of objects, which begins with '[', or an object")
      }
      state = .firstElement
      offset += 1
    case .firstElement where byte == UInt8(ascii: "]"):
      endArray()
      offset += 1
    case .firstElement, .element:
      if isAtEnd { throw expected("an object") }
      if case .firstElement = state { unsafe json.areTexts = byte == UInt8(ascii: "\"") && format == .json }
      state = .element
    case .afterElement:
      guard byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") else {
        throw expected("',' or ']' after an element")
      }
      if byte == UInt8(ascii: ",") { state = .element } else { endArray() }
      offset += 1
    case .afterArray:
      guard isAtEnd else { throw expected("nothing after the \(layout == .array ? "array" : "object")") }
      state = .done
    case .envelope, .bigElement, .tsvFirstLine, .header, .records, .restOfLine, .done:
      preconditionFailure("not in an array")
    }
  }

  private func endArray() {
    if layout == .array {
      state = .afterArray
    } else {
      envelope.step = .afterValue
      state = .envelope
    }
  }

  // MARK: Rows

  /// Takes the column names from the first line; returns false if the window cuts the line.
  private func readHeader(_ start: Bytes, _ end: Bytes) throws(DatasetError) -> Bool {
    if unsafe start == end {
      guard unsafe window.isLast else { return false }
      throw unsafe malformed(
        Fault(
          at: start,
          reason:
            "expected a header line with the names of the columns, found nothing; check the program that writes it",
          remedy: .said), 0)
    }
    let mark = unsafe sink.mark
    let step = unsafe rows.read(at: start, window: window.start, end: end, isLast: window.isLast, into: &sink)
    switch step {
    case .incomplete:
      guard unsafe window.count - offset <= options.recordLimitBytes else { throw unsafe malformed(tooBig(start), 0) }
      return false
    case .nothing(let next):
      unsafe offset += next - start
    case .bad(let fault, _):
      throw malformed(fault, 0)
    case .record(let next):
      let size = unsafe next - start
      guard size <= options.recordLimitBytes else {
        unsafe sink.dropRecord(mark)
        throw unsafe malformed(tooBig(start), 0)
      }
      var line = unsafe stretch(start, next)[...]
      if unsafe line.last == 0x0A { unsafe line = unsafe line.dropLast() }
      let headers = unsafe sink.texts(since: mark, window: window.start)
      if unsafe line.last == 0x0D { unsafe line = unsafe line.dropLast() }
      headerComment = ["#", "//"].first { unsafe line.starts(with: $0.utf8) }
      headerLine = unsafe headers.count > 1 ? Array(line) : []
      unsafe sink.dropRecord(mark)
      if unsafe !rows.isCSV, unsafe line.contains(0x0D) {
        throw unsafe malformed(
          Fault(at: start, reason: "carriage returns inside the first line", remedy: .carriageReturn), 0)
      }
      if let reason = unsafe rows.setColumns(headers, areOfHeader: true) {
        throw unsafe malformed(
          Fault(
            at: start, reason: "in the header, " + reason,
            remedy: headers.count > JSONRecords.fieldLimit ? .usual : .columnNames), 0)
      }
      offset += size
      state = .records
    }
    return true
  }
}
