/// The reader of a dataset. It reads one batch of records after the other; its memory does not grow with the dataset.
///
/// The formats are JSON arrays, JSON lines, JSON values one after the other, GeoJSON, CSV, TSV, GeoNames dumps and
/// lines of text. They may be compressed with gzip or zstd, which the bytes show and not the name. docs/datasets.md has
/// the details.
///
/// The reader throws the first bad record, unless ``DatasetOptions/skipBad``. Then it counts each bad record, lists the
/// first hundred, and resumes
/// - in JSON lines, on the next line;
/// - in other JSON after the value, if the value has a fault of content: a value that is not an object, a member twice,
///   an escape or bytes that are not a character, a control character other than a line end, too deep, too big. A
///   syntax error is final, because the reader could misunderstand the text after it;
/// - in TSV, GeoNames dumps and lines, on the next line;
/// - in CSV after the record if its fields are too many or too few or not UTF-8, and else on the line after the
///   record's first line. A stray quote then costs one line, and not all lines up to the next quote.
///
/// Every record is either delivered or counted as bad, so ``recordsRead`` + ``badCount`` is the number of all records.
package final class DatasetReader {
  /// The first line of a TSV file whose values have `\t`, `\n`, `\r` and `\\` instead of a tab, a line feed, a
  /// carriage return and a backslash. In a TSV file without this line a backslash is a backslash.
  package static let tsvEscapesLine = "#escapes: \\t \\n \\r \\\\"
  /// The end of that line if dots in names of columns do not nest.
  static let flatMark = " flat"
  /// The number of bad records in the list.
  package static let badRecordsKept = 100

  package let format: DatasetFormat
  /// Remarks for the user on settings that the reader found by itself.
  package let notes: [BuildMessage]
  /// The number of records delivered so far.
  package private(set) var recordsRead = 0
  package internal(set) var badCount = 0
  /// The first hundred bad records.
  package internal(set) var badRecords: [BadRecord] = []

  let path: String
  let options: DatasetOptions
  private let source: ByteSource
  // One thread reads, and it accesses one of these at a time: a check of each access took a sixth of the time.
  @exclusivity(unchecked) var window: InputWindow
  @exclusivity(unchecked) var sink = RecordSink()
  @exclusivity(unchecked) var json: JSONRecords
  @exclusivity(unchecked) var rows: DelimitedRecords
  @exclusivity(unchecked) var features = GeoJSONFeatures()
  let layout: DatasetOpening.RecordLayout
  /// The way to an array inside of an object.
  var envelope = JSONEnvelope(path: [])
  /// The sign of a comment with which the header begins.
  var headerComment: String?
  /// The header without its line end, if it names several columns; else empty.
  var headerLine: [UInt8] = []
  /// The offset in the window of the first unread byte.
  var offset = 0
  /// The line and column of the byte at the sink's origin.
  private var origin = (line: 1, column: 1)
  var state: State
  private var failure: DatasetError?

  enum State {
    case arrayStart, firstElement, element, afterElement, afterArray
    /// The reader is outside of the array, in the object around it.
    case envelope
    /// The rest of an array's element that is too big; the reader skips it.
    case bigElement(BracketSkipper)
    case tsvFirstLine, header, records
    /// The rest of a line; the reader skips it.
    case restOfLine
    case done
  }

  /// Opens a dataset and reads its beginning.
  ///
  /// - Parameter path: The path of the dataset; `-` is standard input.
  package convenience init(path: String, options: DatasetOptions = DatasetOptions()) throws(DatasetError) {
    try self.init(.file(path), options: options, column: nil)
  }

  /// - Parameter column: The column at the beginning of each line that does not belong to the record; nil if there is
  ///   none.
  init(_ dataset: DatasetSource, options given: DatasetOptions, column: RangeColumn?) throws(DatasetError) {
    let options = dataset.options(given)
    (path, self.options) = (dataset.path, options)
    source = try ByteSource(
      dataset, blockSize: options.blockSizeBytes, encoding: options.dialect.encoding, column: column)
    var window = InputWindow(source: source, blockSize: options.blockSizeBytes)
    let opening = try DatasetOpening(path: path, options: options, window: &window)
    let format = opening.format
    self.format = format
    (layout, notes, offset) = (opening.layout, opening.notes, opening.offset)
    unsafe json = JSONRecords(isLines: layout == .lines)
    unsafe rows = DelimitedRecords(format, delimiter: opening.delimiter, options.dialect)
    unsafe rows.hasEscapes = format == .tsv && options.tsvEscapes == true
    window.sentinel = format.isJSON ? [] : [0x0A, UInt8(ascii: "\"")]
    unsafe self.window = window
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
      _ = unsafe rows.setColumns(DatasetFormat.geonamesColumns)
    case .lines:
      state = .records
      _ = unsafe rows.setColumns(options.columns ?? [DatasetFormat.textField])
    case .csv, .tsv:
      state =
        format == .tsv && options.tsvEscapes == nil
        ? .tsvFirstLine : options.columns == nil ? .header : .records
      if let columns = options.columns {
        let reason = unsafe columns.isEmpty ? "there are none" : rows.setColumns(columns)
        if let reason {
          throw .unusable(
            path: path,
            reason: "\(.columns) does not fit: \(reason); name each column once, or \(pass: .namesColumns)")
        }
      }
    }
  }

  /// The names of all fields so far.
  package var names: FieldNames {
    unsafe format == .geojson ? features.names : format.isJSON ? json.names : rows.names
  }
  /// The names of columns with a dot that does not nest.
  var flatNames: [String] { unsafe rows.flatNames }
  /// Whether ``names`` has all names of all records: after the header of rows, and for texts.
  package var hasFixedNames: Bool { unsafe !format.isJSON || json.areTexts }
  /// Whether the first line names the fields.
  package var hasHeader: Bool { (format == .csv || format == .tsv) && options.columns == nil }
  /// Whether only the content shows the format.
  var isGuessed: Bool { options.format == nil && DatasetFormat.promised(byPath: path) == nil }
  /// Whether only the content shows that the dataset is no list of lines.
  var mayBeLines: Bool { isGuessed && format == .csv }
  /// The bytes read of the file as stored, for showing progress.
  package var bytesRead: Int { source.bytesRead }
  /// The size of the file as stored, in bytes; nil for a pipe.
  package var bytesTotal: Int? { source.bytesTotal }

  /// The bytes of memory that the reader holds, without the names and the fixed part.
  package var charge: Int { unsafe source.charge + window.capacity + sink.charge }

  /// Whether commas divide the values, in an array.
  var isInArray: Bool { layout != .lines && layout != .sequence && layout != .rows }

  /// Replaces the content of `batch` by the next records: as many as a block of the dataset holds, at least one.
  ///
  /// - Parameter makeRoom: Called with the bytes that a large record will take, several times during its reading.
  /// - Returns: Whether there were any left.
  /// - Throws: ``DatasetError`` after all records before the fault were delivered, and again at each further call. Then
  ///   `batch` is empty.
  package func read(
    into batch: inout RecordBatch, makeRoom: (Int) -> Void = { _ in }
  ) throws(DatasetError) -> Bool {
    batch.removeAll()
    if let failure { throw failure }
    do throws(DatasetError) {
      return try readBlock(into: &batch, makeRoom)
    } catch {
      failure = error
      guard unsafe sink.recordEnds.count > 0 else { throw error }
      moveRecords(to: &batch)
      return true
    }
  }

  private func readBlock(into batch: inout RecordBatch, _ makeRoom: (Int) -> Void) throws(DatasetError) -> Bool {
    if case .done = state { return try endOfRecords() }
    // The lines of read bytes are counted once, here or when the bytes leave the window.
    unsafe window.count(to: offset)
    unsafe sink.origin = offset
    origin = unsafe window.position(of: offset)
    while true {
      let wantsMore = try readWindow()
      if unsafe sink.recordEnds.count > 0 {
        moveRecords(to: &batch)
        return true
      }
      guard wantsMore else { return try endOfRecords() }
      // The record takes memory in the window, with the text read ahead, then in a batch and as a blob.
      if unsafe window.count - offset >= Self.largeRecord { unsafe makeRoom(4 * (window.count - offset)) }
      try unsafe window.advance(past: offset)
      offset = 0
      unsafe sink.origin = 0
      origin = unsafe window.position(of: 0)
    }
  }

  /// Returns false, unless the records end before their source does.
  private func endOfRecords() throws(DatasetError) -> Bool {
    if let failure = source.failure { throw failure }
    return false
  }

  private func moveRecords(to batch: inout RecordBatch) {
    (batch.places.line, batch.places.column) = origin
    unsafe sink.moveRecords(from: window.start, upTo: offset, to: &batch)
    batch.places.record = recordsRead + badCount - batch.places.badAfter.count + 1
    recordsRead += batch.recordEnds.count
    if offset >= Self.largeRecord {
      unsafe window.release(past: offset)
      offset = 0
      unsafe sink.release()
    }
  }

  /// The size in bytes from which on a record gets room of its own, and gives its memory back.
  private static let largeRecord = 1 << 20
}
