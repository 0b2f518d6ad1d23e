/// Reads the records of a dataset one batch after the other, in memory that does not grow with the dataset.
///
/// It reads JSON arrays, JSON lines and JSON values one after the other, GeoJSON, CSV, TSV, GeoNames dumps and lines of
/// text, plain or compressed with gzip or zstd, which the bytes show and not the name. docs/datasets.md has the
/// details.
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
  /// The number of bad records that are listed.
  package static let badRecordsKept = 100

  package let format: DatasetFormat
  /// Remarks for the user on settings that the reader found by itself.
  package let notes: [BuildMessage]
  /// The number of records delivered so far.
  package private(set) var recordsRead = 0
  package internal(set) var badCount = 0
  /// The first hundred.
  package internal(set) var badRecords: [BadRecord] = []

  let path: String
  let options: DatasetOptions
  private let source: ByteSource
  // One thread reads, and no two of these are reached at once: checking that took a sixth of the time.
  @exclusivity(unchecked) var window: InputWindow
  @exclusivity(unchecked) var sink = RecordSink()
  @exclusivity(unchecked) var json: JSONRecords
  @exclusivity(unchecked) var rows: DelimitedRecords
  @exclusivity(unchecked) var features = GeoJSONFeatures()
  let layout: DatasetOpening.Layout
  /// The way to the array, when it is inside of an object.
  var envelope = JSONEnvelope(path: [])
  var headerIsComment = false
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
    /// The rest of an array's element that is too big: it is skipped.
    case bigElement(BracketSkipper)
    case tsvFirstLine, header, records
    /// The rest of a line: it is skipped.
    case restOfLine
    case done
  }

  /// Opens a dataset and reads its beginning.
  ///
  /// - Parameter path: `-` is standard input.
  package convenience init(path: String, options: DatasetOptions = DatasetOptions()) throws(DatasetError) {
    try self.init(path: path, options: options, column: nil)
  }

  /// - Parameter column: The column that each line begins with, and that is none of the record; nil without one.
  init(path: String, options: DatasetOptions, column: RangeColumn?) throws(DatasetError) {
    self.path = path
    self.options = options
    source = try ByteSource(
      path: path, blockSize: options.blockSizeBytes, encoding: options.dialect.encoding, column: column)
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
            reason: "\(.columns) does not name them: \(reason); name each column once, or \(say: .namesColumns)")
        }
      }
    }
  }

  /// The names of all fields met so far.
  package var names: FieldNames {
    unsafe format == .geojson ? features.names : format.isJSON ? json.names : rows.names
  }
  /// Whether ``names`` are all that records will have: of rows once the header was read, of texts.
  package var hasFixedNames: Bool { unsafe !format.isJSON || json.areTexts }
  /// Whether the first line names the fields.
  package var hasHeader: Bool { (format == .csv || format == .tsv) && options.columns == nil }
  /// Bytes of the file as stored, for showing progress.
  package var bytesRead: Int { source.bytesRead }
  /// The size of the file as stored; nil when it is a pipe.
  package var bytesTotal: Int? { source.bytesTotal }

  /// The memory held in bytes, without the names and the fixed part.
  package var charge: Int { unsafe source.charge + window.capacity + sink.charge }

  /// Whether values are divided by commas, in an array.
  var isInArray: Bool { layout != .lines && layout != .sequence && layout != .rows }

  /// Replaces the content of `batch` by the next records: as many as a block of the dataset holds, at least one.
  ///
  /// - Parameter makeRoom: Called with the bytes that a large record is about to take, several times while it is read.
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
      guard unsafe sink.recordEnds.count > 0 else { throw error }
      deliver(to: &batch)
      return true
    }
  }

  private func readBlock(into batch: inout RecordBatch, _ makeRoom: (Int) -> Void) throws(DatasetError) -> Bool {
    if case .done = state { return false }
    // Bytes that are dealt with have their lines counted once, here or when they leave the window.
    unsafe window.count(to: offset)
    unsafe sink.origin = offset
    origin = unsafe window.position(of: offset)
    while true {
      let wantsMore = try readWindow()
      if unsafe sink.recordEnds.count > 0 {
        deliver(to: &batch)
        return true
      }
      guard wantsMore else { return false }
      // In the window, with what is read ahead, then in a batch and as a blob.
      if unsafe window.count - offset >= Self.largeRecord { unsafe makeRoom(4 * (window.count - offset)) }
      try unsafe window.advance(past: offset)
      offset = 0
      unsafe sink.origin = 0
      origin = unsafe window.position(of: 0)
    }
  }

  private func deliver(to batch: inout RecordBatch) {
    (batch.places.line, batch.places.column) = origin
    unsafe sink.deliver(from: window.start, upTo: offset, to: &batch)
    batch.places.record = recordsRead + badCount - batch.places.badAfter.count + 1
    recordsRead += batch.recordEnds.count
    if offset >= Self.largeRecord {
      unsafe window.release(past: offset)
      offset = 0
      unsafe sink.release()
    }
  }

  /// The size from which on a record has room made for it, and its memory given back, in bytes.
  private static let largeRecord = 1 << 20
}
