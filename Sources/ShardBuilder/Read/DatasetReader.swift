/// Reads the records of a dataset one batch after the other, in memory that does not grow with the dataset.
///
/// What is read: JSON arrays, JSON lines and JSON values one after the other, GeoJSON, CSV, TSV, GeoNames dumps and lines
/// of text, plain or compressed with gzip or zstd, which is seen from the bytes and not from the name. docs/datasets.md
/// tells it all.
///
/// Bad records: the first is thrown, unless ``DatasetOptions/skipBad``: then each is counted, the first hundred are
/// listed, and reading resumes
/// - in JSON lines, on the next line;
/// - in other JSON after the value, when it is valid but for its content: a value that is no object, a member
///   twice, an escape or bytes that are no character, a control character other than a line end, too deep, too big.
///   A syntax error is final: what follows it could be taken for something else than it is;
/// - in TSV, GeoNames dumps and lines, on the next line;
/// - in CSV after the record when its fields are too many or too few or not UTF-8, and else on the line after the one
///   in which the record began. A stray quote then costs one line and not all up to the next quote.
///
/// Every record is either delivered or counted as bad: ``recordsRead`` + ``badCount``.
package final class DatasetReader {
  /// The first line of a TSV file whose values have `\t`, `\n`, `\r` and `\\` in place of a tab, a line feed, a
  /// carriage return and a backslash. In a TSV file without it a backslash is a backslash.
  package static let tsvEscapesLine = "#escapes: \\t \\n \\r \\\\"
  /// How many bad records are listed.
  package static let badRecordsKept = 100

  package let format: DatasetFormat
  /// What was seen of the dataset and not said, for its user to know.
  package let notes: [String]
  /// Records delivered so far.
  package private(set) var recordsRead = 0
  package private(set) var badCount = 0
  /// The first hundred.
  package private(set) var badRecords: [BadRecord] = []

  let path: String
  let options: DatasetOptions
  private let source: ByteSource
  // One thread reads, and no two of these are reached at once: checking that took a sixth of the time.
  @exclusivity(unchecked) var window: InputWindow
  @exclusivity(unchecked) private var sink: RecordSink
  @exclusivity(unchecked) var json: JSONRecords
  @exclusivity(unchecked) private var rows: DelimitedRecords
  @exclusivity(unchecked) private var features = GeoJSONFeatures()
  private let layout: DatasetOpening.Layout
  /// The way to the array, when it is inside of an object.
  var envelope = JSONEnvelope(path: [])
  private var headerIsComment = false
  /// Offset in the window of the first byte that is not dealt with.
  var offset = 0
  /// Line and column of the byte at the sink's origin.
  private var origin = (line: 1, column: 1)
  var state: State
  private var failure: DatasetError?

  enum State {
    case arrayStart, firstElement, element, afterElement, afterArray
    /// Outside of the array that is inside of an object.
    case envelope
    /// The skipped rest of an array's element that is too big.
    case bigElement(BracketSkipper)
    case tsvFirstLine, header, records
    /// The skipped rest of a line.
    case restOfLine
    case done
  }

  /// Opens a dataset and reads its beginning.
  ///
  /// - Parameter path: `-` is standard input.
  package init(path: String, options: DatasetOptions = DatasetOptions()) throws(DatasetError) {
    self.path = path
    self.options = options
    source = try ByteSource(
      path: path, blockSize: options.blockSizeBytes, encoding: options.dialect.encoding)
    var window = InputWindow(source: source, blockSize: options.blockSizeBytes)
    var handedOver = false
    defer { if !handedOver { window.deallocate() } }
    let opening = try DatasetOpening(path: path, options: options, window: &window)
    let format = opening.format
    self.format = format
    (layout, notes, offset) = (opening.layout, opening.notes, opening.offset)
    sink = RecordSink()
    json = JSONRecords(isLines: layout == .lines)
    rows = DelimitedRecords(format, delimiter: opening.delimiter, options.dialect)
    rows.hasEscapes = format == .tsv && options.tsvEscapes == true
    window.sentinel = format.isJSON ? [] : [0x0A, UInt8(ascii: "\"")]
    self.window = window
    handedOver = true
    switch format {
    case .json, .jsonl, .geojson:
      switch layout {
      case .array: state = .arrayStart
      case .wrapped(let path):
        state = .envelope
        envelope = JSONEnvelope(path: path)
      case .sequence, .lines, .rows: state = .records
      }
    case .geonames:
      state = .records
      _ = rows.setColumns(DatasetFormat.geonamesColumns)
    case .lines:
      state = .records
      _ = rows.setColumns(options.columns ?? [DatasetFormat.textField])
    case .csv, .tsv:
      state =
        format == .tsv && options.tsvEscapes == nil
        ? .tsvFirstLine : options.columns == nil ? .header : .records
      if let columns = options.columns {
        let reason = columns.isEmpty ? "there are none" : rows.setColumns(columns)
        if let reason {
          throw .unusable(
            path: path, reason: "--columns does not name them: \(reason); name each column once, or say --name-columns")
        }
      }
    }
  }

  deinit {
    window.deallocate()
    sink.deallocate()
    json.deallocate()
  }

  /// The names of all fields met so far.
  package var names: FieldNames {
    format == .geojson ? features.names : format.isJSON ? json.names : rows.names
  }
  /// Whether ``names`` are all that records will have: of rows once the header was read, of texts.
  package var hasFixedNames: Bool { !format.isJSON || json.areTexts }
  /// Whether the first line names the fields.
  package var hasHeader: Bool { (format == .csv || format == .tsv) && options.columns == nil }
  /// Bytes of the file as stored, for showing progress.
  package var bytesRead: Int { source.bytesRead }
  /// The size of the file as stored; nil when it is a pipe.
  package var bytesTotal: Int? { source.bytesTotal }

  /// Bytes of memory held, the names and what is fixed aside.
  package var charge: Int { source.charge + window.capacity + sink.charge }

  /// Whether values are divided by commas, in an array.
  private var isInArray: Bool { layout != .lines && layout != .sequence && layout != .rows }

  /// Replaces the content of `batch` by the next records: as many as a block of the dataset holds, at least one.
  ///
  /// - Parameter makeRoom: Told how many bytes a large record is about to take, several times while it is read.
  /// - Returns: Whether there were any left.
  /// - Throws: ``DatasetError`` when all records before the fault were delivered, and the same again when called again.
  ///   `batch` is empty then.
  package func read(
    into batch: inout RecordBatch, makeRoom: (Int) -> Void = { _ in }
  ) throws(DatasetError) -> Bool {
    batch.removeAll()
    if let failure { throw failure }
    do throws(DatasetError) {
      return try readBlock(into: &batch, makeRoom)
    } catch {
      failure = error
      guard sink.recordEnds.count > 0 else { throw error }
      deliver(to: &batch)
      return true
    }
  }

  private func readBlock(into batch: inout RecordBatch, _ makeRoom: (Int) -> Void) throws(DatasetError) -> Bool {
    if case .done = state { return false }
    // Bytes that are dealt with have their lines counted once, here or when they leave the window.
    window.count(to: offset)
    sink.origin = offset
    origin = window.position(of: offset)
    while true {
      let wantsMore = try readWindow()
      if sink.recordEnds.count > 0 {
        deliver(to: &batch)
        return true
      }
      guard wantsMore else { return false }
      // In the window, with what is read ahead, then in a batch and as a blob.
      if window.count - offset >= Self.largeRecord { makeRoom(4 * (window.count - offset)) }
      try window.advance(past: offset)
      offset = 0
      sink.origin = 0
      origin = window.position(of: 0)
    }
  }

  private func deliver(to batch: inout RecordBatch) {
    (batch.places.line, batch.places.column) = origin
    sink.deliver(
      text: UnsafeBufferPointer(start: window.start + sink.origin, count: offset - sink.origin),
      to: &batch)
    batch.places.record = recordsRead + badCount - batch.places.badAfter.count + 1
    recordsRead += batch.recordEnds.count
    if offset >= Self.largeRecord {
      window.release(past: offset)
      offset = 0
      sink.release()
    }
  }

  /// Memory for a record of more bytes is made room for, and given back behind it.
  private static let largeRecord = 1 << 20

  /// Deals with what the window holds; false at the dataset's end.
  private func readWindow() throws(DatasetError) -> Bool {
    while true {
      let p = UnsafePointer(window.start) + offset
      let end = UnsafePointer(window.start) + window.count
      switch state {
      case .done:
        return false

      case .restOfLine:
        guard let feed = lineFeed(p, end) else {
          offset = window.count
          if window.isLast { state = .done }
          return !window.isLast
        }
        offset += feed - p + 1
        state = .records

      case .envelope:
        guard try readEnvelope(p, end) else { return true }

      case .arrayStart, .firstElement, .element, .afterElement, .afterArray:
        let token = json.skip(p)
        offset += token - p
        if token == end, !window.isLast { return true }
        try readArray(at: token, isAtEnd: token == end)
        if case .element = state, offset == token - UnsafePointer(window.start), token < end {
          // `readArray` found an element's start and left it where it is.
          guard try readRecord() else { return true }
        }

      case .bigElement(var skipper):
        let stop = skipper.skip(p, end)
        offset += stop.end - p
        switch stop.outcome {
        case .done: state = isInArray ? .afterElement : .records
        case .more where !window.isLast:
          state = .bigElement(skipper)
          return true
        case .more:
          throw malformed(
            Fault(at: end, reason: "found the end of the file inside a value over the size limit"), 0)
        case .mismatch:
          throw malformed(
            Fault(at: stop.end, reason: "brackets that do not match inside a value over the size limit"), 0)
        }

      case .tsvFirstLine:
        let line = Self.tsvEscapesLine.utf8
        let feed = lineFeed(p, end)
        if feed == nil, !window.isLast, end - p <= line.count + 1 { return true }
        let text = UnsafeBufferPointer(start: p, count: (feed ?? end) - p)
        rows.hasEscapes =
          text.elementsEqual(line) || (text.last == 0x0D && text.dropLast().elementsEqual(line))
        if rows.hasEscapes { offset += text.count + (feed == nil ? 0 : 1) }
        state = options.columns == nil ? .header : .records

      case .header:
        guard try readHeader(p, end) else { return true }

      case .records:
        var p = p
        if format.isJSON {
          while isJSONSpace(p.pointee) || p.pointee == JSONRecords.recordSeparator { p += 1 }
          offset = p - UnsafePointer(window.start)
        }
        if p == end {
          if window.isLast { state = .done }
          return !window.isLast
        }
        guard try readRecord() else { return true }
      }
    }
  }

  // MARK: Around the records

  /// The brackets and commas of the array; leaves `state` at `element` and `offset` as it is before an element.
  private func readArray(at token: Bytes, isAtEnd: Bool) throws(DatasetError) {
    func expected(_ what: String) -> DatasetError {
      let found = isAtEnd ? "the end of the file" : described(token.pointee)
      return malformed(Fault(at: token, reason: "expected \(what), found \(found)"), 0)
    }
    let byte = isAtEnd ? 0 : token.pointee
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
      if case .firstElement = state { json.areTexts = byte == UInt8(ascii: "\"") && format == .json }
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

  /// Takes the column names from the first line; false when the window cuts it.
  private func readHeader(_ start: Bytes, _ end: Bytes) throws(DatasetError) -> Bool {
    if start == end {
      guard window.isLast else { return false }
      throw malformed(
        Fault(
          at: start,
          reason:
            "expected a header line with the names of the columns, found nothing; check what should have written it",
          remedy: .said), 0)
    }
    let mark = sink.mark
    let step = rows.read(at: start, window: window.start, end: end, isLast: window.isLast, into: &sink)
    switch step {
    case .incomplete:
      guard window.count - offset <= options.recordLimitBytes else { throw malformed(tooBig(start), 0) }
      return false
    case .nothing(let next):
      offset += next - start
    case .bad(let fault, _):
      throw malformed(fault, 0)
    case .record(let next):
      let size = next - start
      guard size <= options.recordLimitBytes else {
        sink.dropRecord(mark)
        throw malformed(tooBig(start), 0)
      }
      var line = UnsafeBufferPointer(start: start, count: size)[...]
      if line.last == 0x0A { line = line.dropLast() }
      let headers = sink.texts(since: mark, window: window.start)
      headerIsComment = line.first == UInt8(ascii: "#")
      sink.dropRecord(mark)
      if !rows.isCSV, line.dropLast().contains(0x0D) {
        throw malformed(
          Fault(at: start, reason: "carriage returns inside the first line", remedy: .carriageReturn), 0)
      }
      if let reason = rows.setColumns(headers) {
        throw malformed(
          Fault(
            at: start, reason: "in the header, " + reason,
            remedy: headers.count > JSONRecords.fieldLimit ? .usual : .columnNames), 0)
      }
      offset += size
      state = .records
    }
    return true
  }

  // MARK: Records

  /// Reads the record at ``offset``, and in all formats but JSON arrays those that follow; false when the window cuts it.
  private func readRecord() throws(DatasetError) -> Bool {
    let start = UnsafePointer(window.start) + offset
    let end = UnsafePointer(window.start) + window.count
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
        if layout == .lines { offset = fault.at - UnsafePointer(window.start) }
        state = .restOfLine
        return true
      }
      try bad(fault)
      offset += next - start
      if isInArray { state = .afterElement }
    }
    return true
  }

  private func tooBig(_ start: Bytes) -> Fault {
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
    let at = fault.at - UnsafePointer(window.start)
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

  private func lineFeed(_ start: Bytes, _ end: Bytes) -> Bytes? {
    UnsafeBufferPointer(start: start, count: end - start).firstIndex(of: 0x0A).map { start + $0 }
  }
}
