/// The reader of records in CSV (RFC 4180), TSV, GeoNames dumps and lines. It reads the text in place, in an
/// ``InputWindow``.
///
/// After the window's end come a line feed and a quote, which end any search. A search that ends there shows that the
/// window cuts the record. The record is then read again from its start, with more text.
///
/// - A line feed ends a record, and a carriage return just before it belongs to the line's end.
/// - A blank line is not a record. In a text with one column it is the empty value of that column, but not among lines.
/// - A line that begins with ``comment`` is not a record.
/// - CSV: the reader refuses a quote inside an unquoted field, text after a closing quote, and a carriage return alone
///   outside of quotes, because programs differ on their meaning.
/// - TSV: there are no quotes. A backslash is a backslash, unless ``hasEscapes``: then `\t`, `\n`, `\r` and `\\` are
///   resolved and any other use is refused. A carriage return inside a line is content.
/// - Lines: one field on each line; they are read as TSV whose delimiter never comes.
struct DelimitedRecords {
  let isCSV: Bool
  let delimiter: UInt8
  var hasEscapes = false
  /// Whether dots in a header nest, as a line of an export before the header says.
  var nests = false
  private let comment: [UInt8]
  private let namesColumns: Bool
  private let isRagged: Bool
  private let null: [UInt8]?
  private let isLines: Bool
  /// The number of fields of a record; 0 before the end of the header.
  private(set) var columnCount = 0
  private(set) var names = FieldNames()
  /// The names with a dot that does not nest.
  private(set) var flatNames: [String] = []

  /// - Parameter delimiter: The character between the fields of CSV.
  init(_ format: DatasetFormat, delimiter: UInt8, _ dialect: DatasetDialect) {
    isCSV = format == .csv
    isLines = format == .lines
    // A line feed ends a record before it could end a field.
    self.delimiter = isCSV ? delimiter : isLines ? 0x0A : 0x09
    comment = Array((dialect.comment ?? "").utf8)
    (namesColumns, isRagged) = (dialect.namesColumns, dialect.isRagged)
    null = dialect.null.map { Array($0.utf8) }
  }

  /// Names the columns; returns a fault, which concerns the whole file.
  ///
  /// - Parameter areOfHeader: Whether a header has the names; dots of other names always nest.
  mutating func setColumns(_ given: [String], areOfHeader: Bool = false) -> String? {
    let headers = namesColumns ? Self.named(given) : given
    guard headers.count <= JSONRecords.fieldLimit else {
      return "\(headers.count) columns; the most is \(JSONRecords.fieldLimit)"
    }
    if let empty = headers.firstIndex(of: "") { return "column \(empty + 1) has no name" }
    for (index, path) in FieldPath.paths(ofHeaders: headers).enumerated() {
      guard names.number(of: path) == UInt32(index) else {
        return "the column name \"\(printable(headers[index].utf8, limit: 40))\" stands twice"
      }
    }
    columnCount = headers.count
    if areOfHeader, !nests { flatNames = names.names.filter(FieldPath.isNested) }
    return nil
  }

  /// Returns the headers, with a name for each header without one, and a new name for each repeated header.
  private static func named(_ headers: [String]) -> [String] {
    var taken = Set(headers.map { Array($0.utf8) })
    var seen = Set<[UInt8]>()
    func free(_ name: (Int) -> String, from first: Int) -> String {
      var number = first
      while !taken.insert(Array(name(number).utf8)).inserted { number += 1 }
      return name(number)
    }
    return headers.enumerated().map { index, header in
      if header.isEmpty { return free({ "column\($0)" }, from: index + 1) }
      return seen.insert(Array(header.utf8)).inserted ? header : free({ "\(header)_\($0)" }, from: 2)
    }
  }

  /// Reads the record at `start`.
  mutating func read(at start: Bytes, window: Bytes, end: Bytes, isLast: Bool, into sink: inout RecordSink)
    -> RecordStep
  {
    if !comment.isEmpty, let step = unsafe readComment(start, end, isLast) { return step }
    let mark = sink.mark
    let step =
      unsafe isCSV ? csv(start, window, end, isLast, &sink, mark) : tsv(start, window, end, isLast, &sink, mark)
    if case .record = step {
      unsafe sink.appendRecord(offset: start - window)
    } else {
      sink.back(to: mark)
    }
    return step
  }

  /// Reads a comment; returns nil if the line is not a comment.
  private func readComment(_ start: Bytes, _ end: Bytes, _ isLast: Bool) -> RecordStep? {
    let count = unsafe min(comment.count, end - start)
    for index in 0..<count where unsafe start[index] != comment[index] { return nil }
    if count == comment.count {
      var p = unsafe start
      while unsafe p < end {
        if unsafe p.pointee == 0x0A { return unsafe .nothing(end: p + 1) }
        unsafe p += 1
      }
    }
    if !isLast { return .incomplete }
    return unsafe count == comment.count && count > 0 ? .nothing(end: end) : nil
  }

  /// Makes null of fields whose whole text, outside of quotes, stands for null.
  private func markNulls(_ null: [UInt8], _ window: Bytes, _ sink: inout RecordSink, _ mark: RecordSink.Mark) {
    for index in sink.fieldIndices(since: mark)
    where Int(sink.fields[index].length) == null.count && !sink.isInExtra(field: index, since: mark) {
      let at = sink.origin + Int(sink.fields[index].offset)
      guard unsafe stretch(window + at, window + at + null.count).elementsEqual(null),
        unsafe !isCSV || at == 0 || window[at - 1] != UInt8(ascii: "\"")
      else { continue }
      let extraStart = sink.extra.count
      for byte in "null".utf8 { sink.extra.append(byte) }
      sink.fields[index].kind = .literal
      sink.moveToExtra(field: index, from: extraStart)
    }
  }

  // MARK: TSV

  private func tsv(
    _ start: Bytes, _ window: Bytes, _ end: Bytes, _ isLast: Bool, _ sink: inout RecordSink,
    _ mark: RecordSink.Mark
  ) -> RecordStep {
    var p = unsafe start
    var field = unsafe start
    var column = 0
    let most = columnCount == 0 ? JSONRecords.fieldLimit : columnCount
    var seen: UInt64 = 0
    let (tabs, feeds) = (Word.filled(delimiter), Word.filled(0x0A))
    scan: while true {
      let x = unsafe Word.load(p)
      seen |= x
      var stops = Word.zeroes(x ^ tabs) | Word.zeroes(x ^ feeds)
      while stops != 0 {
        let stop = unsafe p + stops.trailingZeroBitCount / 8
        if unsafe stop.pointee == 0x0A {
          unsafe p = unsafe stop
          break scan
        }
        if column < most {
          unsafe sink.append(
            name: UInt32(truncatingIfNeeded: column), kind: .string, offset: field - window,
            length: stop - field)
        }
        column += 1
        unsafe field = unsafe stop + 1
        stops &= stops - 1
      }
      unsafe p += 8
    }
    guard unsafe p < end || isLast else { return .incomplete }
    let lineEnd = unsafe p > field && p[-1] == 0x0D ? p - 1 : p
    let next = unsafe min(p + 1, end)
    if unsafe lineEnd == start, columnCount != 1 || isLines { return unsafe .nothing(end: next) }
    if column < most {
      unsafe sink.append(
        name: UInt32(truncatingIfNeeded: column), kind: .string, offset: field - window,
        length: lineEnd - field)
    }
    column += 1
    if seen & Word.tops != 0, let fault = unsafe notUTF8(start, lineEnd) { return unsafe .bad(fault, end: next) }
    if let fault = unsafe wrongCount(column, start, lineEnd) { return unsafe .bad(fault, end: next) }
    if let null, columnCount > 0 { unsafe markNulls(null, window, &sink, mark) }
    if hasEscapes, let fault = unsafe resolveEscapes(start, lineEnd, window, &sink, mark) {
      return unsafe .bad(fault, end: next)
    }
    return unsafe .record(end: next)
  }

  private func resolveEscapes(
    _ start: Bytes, _ end: Bytes, _ window: Bytes, _ sink: inout RecordSink, _ mark: RecordSink.Mark
  ) -> Fault? {
    let backslash = UInt8(ascii: "\\")
    guard unsafe stretch(start, end).contains(backslash) else { return nil }
    for index in sink.fieldIndices(since: mark) where sink.fields[index].kind == .string {
      let slice = sink.fields[index]
      var p = unsafe window + sink.origin + Int(slice.offset)
      let fieldEnd = unsafe p + Int(slice.length)
      guard unsafe stretch(p, fieldEnd).contains(backslash) else { continue }
      let extraStart = sink.extra.count
      while unsafe p < fieldEnd {
        guard unsafe p.pointee == backslash else {
          unsafe sink.extra.append(p.pointee)
          unsafe p += 1
          continue
        }
        switch unsafe p + 1 < fieldEnd ? p[1] : 0 {
        case UInt8(ascii: "t"): sink.extra.append(0x09)
        case UInt8(ascii: "n"): sink.extra.append(0x0A)
        case UInt8(ascii: "r"): sink.extra.append(0x0D)
        case backslash: sink.extra.append(backslash)
        default:
          return unsafe Fault(
            at: p, reason: "expected \\t, \\n, \\r or \\\\, found another use of a backslash", remedy: .escape)
        }
        unsafe p += 2
      }
      sink.moveToExtra(field: index, from: extraStart)
    }
    return nil
  }

  // MARK: CSV

  private func csv(
    _ start: Bytes, _ window: Bytes, _ end: Bytes, _ isLast: Bool, _ sink: inout RecordSink,
    _ mark: RecordSink.Mark
  ) -> RecordStep {
    var p = unsafe start
    var column = 0
    let most = columnCount == 0 ? JSONRecords.fieldLimit : columnCount
    var seen: UInt64 = 0
    let delimiter = delimiter
    let delimiters = Word.filled(delimiter)
    while true {
      // A field begins at `p`. The fields beyond the columns are read, but not stored.
      let name = column < most ? UInt32(truncatingIfNeeded: column) : nil
      if unsafe p.pointee == UInt8(ascii: "\""), unsafe p < end {
        if let fault = unsafe quotedField(&p, name, window, end, isLast, &seen, &sink) { return fault }
      } else if let fault = unsafe plainField(&p, name, window, delimiters, &seen, &sink) {
        return unsafe .bad(fault, end: nil)
      }
      column += 1
      if unsafe p.pointee == delimiter {
        unsafe p += 1
        continue
      }
      if unsafe p.pointee == 0x0A || (p.pointee == 0x0D && p[1] == 0x0A) { break }
      return unsafe .bad(notTheEnd(p, start), end: nil)
    }
    let lineEnd = unsafe p
    unsafe p += p.pointee == 0x0D ? 2 : 1
    guard unsafe p <= end || isLast else { return .incomplete }
    let next = unsafe min(p, end)
    if unsafe lineEnd == start, columnCount != 1 { return unsafe .nothing(end: next) }
    if seen & Word.tops != 0, let fault = unsafe notUTF8(start, lineEnd) { return unsafe .bad(fault, end: next) }
    if let fault = unsafe wrongCount(column, start, lineEnd) { return unsafe .bad(fault, end: next) }
    if let null, columnCount > 0 { unsafe markNulls(null, window, &sink, mark) }
    return unsafe .record(end: next)
  }

  /// Reads a field in quotes, and moves `p` after the closing quote.
  @inline(__always) private func quotedField(
    _ p: inout Bytes, _ name: UInt32?, _ window: Bytes, _ end: Bytes, _ isLast: Bool, _ seen: inout UInt64,
    _ sink: inout RecordSink
  ) -> RecordStep? {
    let open = unsafe p
    let text = unsafe p + 1
    var doubled = 0
    unsafe p = unsafe text
    while true {
      let x = unsafe Word.load(p)
      let quotes = Word.anyZero(x ^ Word.filled(UInt8(ascii: "\"")))
      seen |= x
      guard quotes != 0 else {
        unsafe p += 8
        continue
      }
      unsafe p += quotes.trailingZeroBitCount / 8
      if unsafe p >= end {
        guard isLast else { return .incomplete }
        return unsafe .bad(Fault(at: open, reason: "this quote is never closed"), end: nil)
      }
      guard unsafe p[1] == UInt8(ascii: "\"") else { break }
      doubled += 1
      unsafe p += 2
    }
    if let name, doubled == 0 {
      unsafe sink.append(name: name, kind: .string, offset: text - window, length: p - text)
    } else if let name {
      let extraStart = sink.extra.count
      unsafe sink.extra.reserve(p - text)
      var q = unsafe text
      while unsafe q < p {
        unsafe sink.extra.append(q.pointee)
        unsafe q += q.pointee == UInt8(ascii: "\"") ? 2 : 1
      }
      sink.append(name: name, kind: .string, extraFrom: extraStart)
    }
    unsafe p += 1
    return nil
  }

  /// Reads a field without quotes, and moves `p` to its end.
  @inline(__always) private func plainField(
    _ p: inout Bytes, _ name: UInt32?, _ window: Bytes, _ delimiters: UInt64, _ seen: inout UInt64,
    _ sink: inout RecordSink
  ) -> Fault? {
    let start = unsafe p
    while true {
      let x = unsafe Word.load(p)
      let stops =
        Word.anyZero(x ^ delimiters) | Word.anyZero(x ^ Word.filled(0x0A))
        | Word.anyZero(x ^ Word.filled(0x0D)) | Word.anyZero(x ^ Word.filled(UInt8(ascii: "\"")))
      seen |= x
      guard stops == 0 else {
        unsafe p += stops.trailingZeroBitCount / 8
        break
      }
      unsafe p += 8
    }
    if unsafe p.pointee == UInt8(ascii: "\"") {
      let isAfterBlanks = unsafe stretch(start, p).allSatisfy { $0 == 0x20 }
      return unsafe Fault(
        at: p, reason: "a quote inside a field that does not begin with one",
        remedy: isAfterBlanks ? .blankBeforeQuote : .quoteInside)
    }
    if let name { unsafe sink.append(name: name, kind: .string, offset: start - window, length: p - start) }
    return nil
  }

  /// Returns the fault if a field has ended and neither a delimiter nor the end of the line follows.
  private func notTheEnd(_ p: Bytes, _ start: Bytes) -> Fault {
    if unsafe p.pointee == 0x0D {
      return unsafe Fault(at: p, reason: "a carriage return without a line feed", remedy: .carriageReturn)
    }
    return unsafe Fault(
      at: p,
      reason:
        unsafe "expected \(described(delimiter)) or the end of the line after a closing quote, found \(described(p.pointee))",
      remedy: unsafe p - start >= 2 && p[-2] == UInt8(ascii: "\\") ? .backslashBeforeQuote : .usual)
  }

  private func notUTF8(_ start: Bytes, _ end: Bytes) -> Fault? {
    unsafe firstInvalidUTF8(start, end).map {
      unsafe Fault(at: $0, reason: unsafe "\(described($0.pointee)) is not UTF-8 here", remedy: .encoding)
    }
  }

  private func wrongCount(_ count: Int, _ start: Bytes, _ end: Bytes) -> Fault? {
    if columnCount == 0 {
      guard count > JSONRecords.fieldLimit else { return nil }
      return unsafe Fault(at: start, reason: "\(count) columns; the most is \(JSONRecords.fieldLimit)")
    }
    guard count != columnCount, !isRagged || count > columnCount else { return nil }
    let fields = columnCount == 1 ? "1 field" : "\(columnCount) fields"
    return unsafe Fault(
      at: start, reason: "expected \(fields), found \(count)",
      remedy: unsafe count < columnCount
        ? .tooFewFields : .tooManyFields(count, lastIsEmpty: count == columnCount + 1 && end[-1] == delimiter))
  }
}
