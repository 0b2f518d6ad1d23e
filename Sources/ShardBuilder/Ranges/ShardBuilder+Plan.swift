import CLibrary
import ShardedIndex

extension ShardBuilder {
  /// Makes the plan of an index that many processes will write.
  ///
  /// - Parameters:
  ///   - inputs: The paths of datasets with all records or a random sample; `-` is standard input. The formats are JSON
  ///     lines, GeoNames dumps, lines, and TSV files without a header line, because each record must be one line.
  ///   - ranges: The number of ranges, at least 1. The plan has fewer ranges if the records have fewer keys.
  ///   - directory: The directory for temporary files.
  ///   - progress: Called from time to time, on the caller's thread.
  ///   - reportSkew: Called with a range of records, and with a range of entries, that has far more of the sample than
  ///     the others.
  ///   - report: Called with the counts of the sample's records.
  /// - Complexity: The complexity of sorting the records, in bounded memory.
  package static func planRanges(
    _ inputs: [String], ranges: Int, options given: BuildOptions, program: RangePlan.Program, in directory: String,
    progress: ((BuildProgress) -> Void)? = nil, reportSkew: (RangeSkew) -> Void = { _ in },
    report: (BuildSummary) -> Void = { _ in }
  ) throws(BuildError) -> RangePlan {
    var options = given
    try checkOptions(options)
    try checkStandardInput(inputs)
    try checkLines(options)
    options.tables = try TableReader.tables(of: options)
    let directory = RunDirectory(path: directory)
    var summary = BuildSummary()
    var intake = RecordIntake(options: options, directory)
    for input in inputs { try intake.read(.file(input), &summary, progress) }
    progress?(BuildProgress(phase: .sorting, done: 0, total: nil, records: summary.recordsRead))
    try intake.checkFields()
    report(summary)
    guard let template = intake.template else {
      throw .dataset(
        .bad,
        message: "\(summary.emptyInputs.joined(separator: ", ")); pass a sample with records"
      )
    }
    options = intake.options
    options.inputFormat = try lineFormat(of: intake)
    options.key = template.text
    if options.inputFormat == .lines { options.columns = options.columns ?? intake.names.names }
    let names = intake.names
    // Each range of records may lack some fields, so the plan has the choice.
    var settings = settings(options, key: template.text)
    settings.chooseCoordinates(among: names.names)
    options.coordinates = settings.coordinates
    let collector = try EntryCollector(settings, names: names, options: options, directory: directory)
    let sorted = try intake.finish(held: collector == nil ? 0 : EntryCollector.share(of: options.workMemory))
    var division = SampleDivision(of: sorted, ranges)
    let bounds = try division.bounds { (records) throws(BuildError) in try collector?.add(records) }
    if let skew = division.skew(isOfEntries: false) { reportSkew(skew) }
    let entryBounds = try collector.map { (collector) throws(BuildError) in
      var division = SampleDivision(of: try collector.finish().entries, ranges)
      let bounds = try division.bounds { _ in }
      if let skew = division.skew(isOfEntries: true) { reportSkew(skew) }
      return bounds
    }
    return RangePlan(options, bounds: bounds, entryBounds: entryBounds ?? [], program: program)
  }

  /// Refuses options that make no sense if each record is a line that goes from process to process.
  private static func checkLines(_ options: BuildOptions) throws(BuildError) {
    func refuse(_ reason: BuildMessage) -> BuildError { .dataset(.options, message: reason) }
    if options.weightsFile != nil {
      throw refuse("every machine would need the file of weights; join the weights to the records as a field")
    }
    let dialect = options.dialect
    if dialect.encoding != .utf8 { throw refuse("records of ranges must be UTF-8; convert them with iconv") }
    if dialect.skippedLines > 0 || dialect.recordsPath != nil || dialect.delimiter != nil || dialect.namesColumns {
      throw refuse("each line of a range must be a record; make JSON lines from the dataset with `\(.export)`")
    }
  }

  /// Returns the format of the inputs' lines.
  private static func lineFormat(of intake: borrowing RecordIntake) throws(BuildError) -> DatasetFormat {
    let format = intake.formats[0]
    guard intake.formats.allSatisfy({ $0 == format }) else {
      throw .dataset(.options, message: "the samples have several formats; convert them to one format")
    }
    switch format {
    case .jsonl, .geonames, .lines: return format
    case .tsv where !intake.hasHeader: return format
    case .tsv:
      throw .dataset(
        .options,
        message: "lines of a range have no header; remove the header, and name the columns with \(.columns)")
    case .json:
      throw .dataset(
        .options,
        message: "each record of a range must be a line; if it is one, \(pass: .inputFormat, .text("jsonl"))")
    case .csv, .geojson:
      throw .dataset(
        .options,
        message:
          "a record of \(format.rawValue) may have several lines; make JSON lines with `\(.export)`")
    }
  }

  /// Writes the range of each record before its line.
  ///
  /// - Parameters:
  ///   - input: The path of records, one on each line; `-` is standard input.
  ///   - ids: Whether the function writes the hash of each record's id instead of range and record; the text is empty
  ///     for a record without an id.
  ///   - progress: Called from time to time, on the caller's thread.
  ///   - write: Takes lines, each with its line feed.
  /// - Complexity: Linear in the number of lines, in bounded memory.
  package static func writeRangeKeys(
    _ plan: RangePlan, of input: String, ids: Bool, progress: ((BuildProgress) -> Void)? = nil,
    write: ([UInt8]) throws(BuildError) -> Void
  ) throws(BuildError) -> RangeKeySummary {
    var keys = try RangeKeys(plan, input, ids: ids)
    return try keys.write(progress, write)
  }
}

/// The figures of ``ShardBuilder/writeRangeKeys(_:of:ids:progress:write:)``.
package struct RangeKeySummary: Sendable {
  /// The number of printed lines, each of a record.
  package var records = 0
  /// The bytes of input, compressed or not.
  package var bytes = 0
  /// The numbers of bad records and of records that the plan leaves out; both have no output.
  package var (bad, leftOut) = (0, 0)
}

/// The lines of records, and the ranges of the records.
private struct RangeKeys {
  private let reader: DatasetReader
  private let plan: RangePlan
  private let path: String
  private let ids: Bool
  private let template: KeyTemplate
  private var encoder: RecordEncoder
  private let id: String?
  private var summary = RangeKeySummary()

  init(_ plan: RangePlan, _ path: String, ids: Bool) throws(BuildError) {
    guard plan.over == nil else { throw RangeUpdate.isMissing }
    (self.plan, self.path, self.ids) = (plan, path, ids)
    let options = plan.datasetOptions
    do throws(DatasetError) {
      reader = try DatasetReader(path: path, options: options)
    } catch {
      throw BuildError(error)
    }
    template = try KeyTemplate(checking: plan.options.key ?? "")
    encoder = RecordEncoder(
      template: template, keep: plan.options.keep, notation: NumberNotation(plan.options),
      skipsEmptyKeys: plan.options.skipEmptyKeys)
    id = plan.usualID
  }

  mutating func write(
    _ progress: ((BuildProgress) -> Void)?, _ write: ([UInt8]) throws(BuildError) -> Void
  ) throws(BuildError) -> RangeKeySummary {
    var batch = RecordBatch()
    let chunk = RecordArena()
    var lines: [UInt8] = []
    while true {
      do throws(DatasetError) {
        guard try reader.read(into: &batch) else { break }
      } catch {
        throw BuildError(error)
      }
      chunk.removeAll()
      lines.removeAll(keepingCapacity: true)
      let names = reader.names
      var bad = encoder.encode(batch, names: names, into: chunk)[...]
      let idField = id.flatMap { names.names.firstIndex(of: $0) }.map { UInt32($0) }
      var number = 0
      for record in batch.recordEnds.indices {
        if let flaw = bad.first, flaw.index == record {
          bad.removeFirst()
          if flaw.flaw == .emptyKey {
            summary.leftOut += 1
            continue
          }
          summary.bad += 1
          let reason = flaw.reason(template: template, in: batch, names: names)
          guard plan.options.skipBad else {
            throw fault(record, of: batch, reason, flaw.advice(template: template, in: batch, names: names))
          }
          continue
        }
        try append(chunk.record(number), line: record, of: batch, idField, to: &lines)
        number += 1
      }
      try write(lines)
      summary.records += number
      progress?(
        BuildProgress(
          phase: .reading, done: reader.bytesRead, total: reader.bytesTotal, records: reader.recordsRead))
    }
    summary.bytes = reader.bytesRead
    summary.bad += reader.badCount
    return summary
  }

  private func append(
    _ record: RecordBlob, line: Int, of batch: RecordBatch, _ idField: UInt32?, to lines: inout [UInt8]
  ) throws(BuildError) {
    if ids {
      if let idField, let id = unsafe record.id(ofField: idField) {
        lines += unsafe String(IDCounter.hash(id.span)).utf8
      }
    } else {
      let range = unsafe RangePlan.range(of: record.folded.span, in: plan.bounds)
      let start = Int(batch.places.starts[line])
      let end = batch.bytes[start..<batch.places.end].firstIndex(of: 0x0A) ?? batch.places.end
      var text = batch.bytes[start..<end]
      if text.last == 0x0D { text.removeLast() }
      if let byte = text.first(where: { $0 == 0x0D || $0 == 0x01 }) {
        let name = byte == 1 ? "the control character U+0001" : "a carriage return"
        throw fault(
          line, of: batch, "the line has \(name), and an engine on the way would divide it there; remove it")
      }
      lines += "\(range)\t".utf8
      lines += text
    }
    lines.append(0x0A)
  }

  private func fault(
    _ record: Int, of batch: RecordBatch, _ reason: String, _ advice: BuildMessage = ""
  ) -> BuildError {
    let place = batch.place(of: record)
    return BuildError(
      DatasetError.bad(
        DatasetReader.BadRecord(
          path: path, line: place.line, column: place.column, record: place.record, reason: reason, advice: advice)))
  }
}

extension RangePlan {
  /// The options for reading lines of records.
  var datasetOptions: DatasetOptions {
    var dataset = DatasetOptions(of: options)
    // A first line that announces escapes is not a record, and no line of a range can be that line.
    dataset.tsvEscapes = false
    return dataset
  }

  /// The field of ids, if records have it.
  var usualID: String? { options.id ?? (options.inputFormat == .geonames ? "geonameid" : "_id") }
}
