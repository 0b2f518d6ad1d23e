import ShardedIndex

extension ShardBuilder {
  /// Writes the ranges whose lines are in a file or in standard input. Each range becomes an index of its own in the
  /// target.
  ///
  /// - Parameters:
  ///   - input: The path of lines from ``writeRangeKeys(_:of:ids:progress:write:)``, in any order, with all lines of
  ///     each range; `-` is standard input.
  ///   - resources: The options with the memory and the threads; the other options are the plan's.
  ///   - progress: Called from time to time, on the caller's thread.
  ///   - write: Takes lines, each with its line feed: the entries of a range, then the range's ``RangeRow`` and its
  ///     ``RangeSummary``, once the target has all files of the range.
  /// - Complexity: The complexity of sorting the records, in bounded memory and temporary files in the target.
  package static func writeRanges(
    _ plan: RangePlan, of input: String, to target: any RangeTarget, resources: BuildOptions,
    progress: ((BuildProgress) -> Void)? = nil, write: @escaping ([UInt8]) throws(BuildError) -> Void
  ) throws(BuildError) {
    guard plan.over == nil else { throw RangeUpdate.isMissing }
    var options = plan.options
    (options.memoryBytes, options.jobs) = (resources.memoryBytes, resources.jobs)
    let directories = RangeDirectories(target)
    defer { directories.removeAll() }
    let publisher = try directories.publisher()
    let column = RangeColumn(of: input, rangeCount: plan.bounds.count + 1)
    var intake = RecordIntake(options: options, publisher.runDirectory)
    intake.rangeColumn = column
    var summary = BuildSummary()
    try intake.read(.file(input), &summary, progress)
    progress?(BuildProgress(phase: .sorting, done: 0, total: nil, records: summary.recordsRead))
    let names = intake.names
    let settings = settings(options, key: options.key ?? "")
    let rules = EntryRules(settings)
    let sorted = try intake.finish(held: rules == nil ? 0 : EntryCollector.share(of: options.workMemory))
    let writer = RangesWriter(plan: plan, options: options, settings: settings, names: names, target: target)
    let counts = try writer.write(sorted, directories, first: publisher, progress, write)
    for (range, lines) in column.lineCounts where lines > 0 {
      guard counts[range] ?? 0 == lines || options.skipBad else { throw otherPlan(range, lines, counts[range] ?? 0) }
    }
  }

  private static func otherPlan(_ range: Int, _ lines: Int, _ records: Int) -> BuildError {
    .dataset(
      .bad,
      message: """
        \(grouped(lines)) lines name the range \(range), and this plan puts \(grouped(records)) records there; make the \
        lines with `\(.writeRangeKeys)` and the same plan
        """)
  }
}

/// The directories of ranges, which are removed in the end.
final class RangeDirectories {
  private let target: any RangeTarget
  private var paths: [String] = []

  init(_ target: any RangeTarget) { self.target = target }

  func publisher() throws(BuildError) -> Publisher {
    paths.append(try target.makeRangeDirectory())
    return try Publisher(directory: paths[paths.count - 1])
  }

  func removeAll() { for path in paths { target.remove(path) } }
}

/// Writes sorted records, range by range.
struct RangesWriter {
  let plan: RangePlan
  let options: BuildOptions
  let settings: IndexSettings
  let names: FieldNames
  let target: any RangeTarget
  /// The index that the ranges change, whose files the target has; nil if there is none.
  var previous: PreviousIndex?
  /// The ranges to write; nil for those of the records.
  var numbers: Set<Int>?

  /// - Returns: For each written range the number of its records.
  func write(
    _ sorted: SortedRecords, _ directories: RangeDirectories, first publisher: Publisher,
    _ progress: ((BuildProgress) -> Void)?, _ write: @escaping ([UInt8]) throws(BuildError) -> Void
  ) throws(BuildError) -> [Int: Int] {
    var printer = RowPrinter(write)
    let rules = EntryRules(settings)
    let ranges = RangeBatches(sorted, plan.bounds)
    let meter = RangeMeter(of: sorted.count, progress)
    var own: Publisher? = publisher
    var counts: [Int: Int] = [:]
    func writeRange(_ range: Int, _ records: any RecordBatches) throws(BuildError) {
      let publisher: Publisher
      if let first = own.take() { publisher = first } else { publisher = try directories.publisher() }
      let writer = RangeWriter(plan: plan, site: BuildSite(publisher, options), target: target)
      let entries = try rules.map { (rules) throws(BuildError) in
        try EntryPrinter(rules, settings, names: names.names, plan, write: write)
      }
      let pipeline = try Pipeline(
        .range(id: plan.usualID, records: sorted.count), settings, names: names, at: writer.site, replacing: previous)
      let (row, bytes) = try writer.write(range, records, pipeline, names, entries, meter)
      counts[range] = row.records
      try printer.print(row, bytes: bytes)
    }
    while let range = try ranges.nextRange() {
      if numbers?.contains(range) == false {
        while try ranges.nextBatch() != nil {}
      } else {
        try writeRange(range, ranges)
      }
    }
    // The merge has to know that they have no records.
    for range in (numbers ?? []).sorted() where counts[range] == nil { try writeRange(range, NoRecords()) }
    return counts
  }
}

private final class NoRecords: RecordBatches {
  func nextBatch() -> [RecordBlob]? { nil }
  func release() {}
}

/// Sorted records, range by range.
final class RangeBatches: RecordBatches {
  private let sorted: SortedRecords
  private let bounds: [[UInt8]]
  private var batch: [RecordBlob] = []
  private var next = 0
  private var range = -1

  init(_ sorted: SortedRecords, _ bounds: [[UInt8]]) { (self.sorted, self.bounds) = (sorted, bounds) }

  /// Returns the range of the next record; nil after the last. The caller must have read all records of the range
  /// before.
  func nextRange() throws(BuildError) -> Int? {
    guard try fill() else { return nil }
    range = rangeOfNext
    return range
  }

  private var rangeOfNext: Int { unsafe RangePlan.range(of: batch[next].folded.span, in: bounds) }

  private func fill() throws(BuildError) -> Bool {
    if next < batch.count { return true }
    batch = try sorted.nextBatch() ?? []
    next = 0
    return !batch.isEmpty
  }

  /// Returns the next records of the range; nil after its last.
  func nextBatch() throws(BuildError) -> [RecordBlob]? {
    guard try fill(), rangeOfNext == range else { return nil }
    let first = next
    func isInRange(_ record: RecordBlob) -> Bool {
      guard range < bounds.count else { return true }
      let end = bounds[range]
      return unsafe compareBytes(record.folded.span, end.span) < 0
    }
    // Mostly all records of the batch are in the range.
    if isInRange(batch[batch.count - 1]) {
      next = batch.count
    } else {
      while isInRange(batch[next]) { next += 1 }
    }
    return Array(batch[first..<next])
  }

  /// Memory of the batch may hold records of the next range as well.
  func release() { if next == batch.count { sorted.release() } }
}

/// Writes one range as an index of its records.
private struct RangeWriter {
  let plan: RangePlan
  let site: BuildSite
  let target: any RangeTarget

  func write(
    _ range: Int, _ records: any RecordBatches, _ pipeline: Pipeline, _ names: FieldNames, _ entries: EntryPrinter?,
    _ meter: RangeMeter
  ) throws(BuildError) -> (row: RangeRow, bytes: Int) {
    var output = try pipeline.write(
      PieceStream(
        records, limit: site.packing.shardLimit, names: names,
        observe: { (records) throws(BuildError) in try entries?.add(records) })
    ) { meter.show($0) }
    meter.end(output.manifest.recordCount)
    if output.ids == nil { output.notes.recordsWithoutID = output.manifest.recordCount }
    output.notes.repeatedIDs = output.notes.repeatedIDs ?? 0
    let components = try entries.map { (entries) throws(BuildError) in try entries.finish() }
    var (row, bytes) = try store(output, range, isOfEntries: false)
    if let entries, let components { (row.lastComponents, row.entries) = (components, entries.count) }
    return (row, bytes)
  }

  /// Gives the files of a range to the target.
  ///
  /// - Returns: The row of the range, and the size of its files.
  func store(
    _ output: consuming Pipeline.ManifestParts, _ range: Int, isOfEntries: Bool
  ) throws(BuildError) -> (row: RangeRow, bytes: Int) {
    let file = try output.manifestFile()
    let bytes = file.count + output.shardBytes
    _ = try site.publisher.publish(manifest: file, previous: nil)
    let row = RangeRow(
      isOfEntries: isOfEntries, range: range, plan: plan.digest,
      manifest: Digest.hexadecimal(Array(Digest.sha256(file).prefix(16))), size: file.count,
      records: output.manifest.recordCount)
    let files = try site.publisher.list().filter { Publisher.isShardName($0) }
    try target.store(files, manifest: row.fileName, from: site.publisher.directory)
    return (row, bytes)
  }
}

/// The progress of writing, over all ranges of a process.
private final class RangeMeter {
  private let total: Int
  private let progress: ((BuildProgress) -> Void)?
  /// The records of the ranges that are written.
  private var finished = 0

  init(of total: Int, _ progress: ((BuildProgress) -> Void)?) { (self.total, self.progress) = (total, progress) }

  /// - Parameter records: The number of written records of the range.
  func show(_ records: Int) {
    progress?(BuildProgress(phase: .writing, done: finished + records, total: total, records: finished + records))
  }

  /// Notes that a range is written.
  func end(_ records: Int) { finished += records }
}

/// A printer of the entries of a range's records.
private final class EntryPrinter {
  private var maker: EntryMaker
  private let lines: EntryLines
  private let bounds: [[UInt8]]
  private let chunk = RecordArena()
  private let write: ([UInt8]) throws(BuildError) -> Void
  private(set) var count = 0

  init(
    _ rules: EntryRules, _ settings: IndexSettings, names: [String], _ plan: RangePlan,
    write: @escaping ([UInt8]) throws(BuildError) -> Void
  ) throws(BuildError) {
    let entryNames = FieldNames(rules.fieldNames)
    maker = EntryMaker(rules, names: names, rankField: try RankField(settings, names: names), entryNames: entryNames)
    (lines, bounds, self.write) = (EntryLines(rules), plan.entryBounds, write)
  }

  func add(_ records: [RecordBlob]) throws(BuildError) {
    for record in records { maker.add(record, into: chunk) }
    if unsafe chunk.size >= 1 << 18 { try print() }
  }

  private func print() throws(BuildError) {
    var text: [UInt8] = []
    for index in 0..<chunk.count {
      let entry = chunk.record(index)
      let range = unsafe RangePlan.range(of: entry.folded.span, in: bounds)
      text += "\(RangeRow.entryPrefix)\(range)\t".utf8
      lines.append(entry, to: &text)
      text.append(0x0A)
    }
    count += chunk.count
    chunk.removeAll()
    try write(text)
  }

  /// Returns the last components of the records' keys; nil for too many.
  func finish() throws(BuildError) -> [[UInt8]]? {
    maker.finish(into: chunk)
    try print()
    let components = maker.lastComponents
    return components.isOver ? nil : components.texts.sorted { $0.lexicographicallyPrecedes($1) }
  }
}

extension ShardBuilder {
  /// Writes ranges of entries from the lines that ``writeRanges(_:of:to:resources:progress:write:)`` made from entries,
  /// without the first columns of the lines. In the progress, entries count as records.
  package static func writeEntryRanges(
    _ plan: RangePlan, of input: String, to target: any RangeTarget, resources: BuildOptions,
    progress: ((BuildProgress) -> Void)? = nil, write: @escaping ([UInt8]) throws(BuildError) -> Void
  ) throws(BuildError) {
    try writeEntryRanges(plan, of: input, over: nil, to: target, resources: resources, progress: progress, write: write)
  }

  /// - Parameter previous: The entries of the index that the ranges change, whose files the target has.
  static func writeEntryRanges(
    _ plan: RangePlan, of input: String, over previous: PreviousIndex?, to target: any RangeTarget,
    resources: BuildOptions, progress: ((BuildProgress) -> Void)?,
    write: @escaping ([UInt8]) throws(BuildError) -> Void
  ) throws(BuildError) {
    var printer = RowPrinter(write)
    var options = plan.options
    (options.memoryBytes, options.jobs) = (resources.memoryBytes, resources.jobs)
    let all = settings(options, key: options.key ?? "")
    guard let rules = EntryRules(all) else {
      throw .dataset(.options, message: "the plan's index has no entries, because it has neither words nor other names")
    }
    let directories = RangeDirectories(target)
    defer { directories.removeAll() }
    let publisher = try directories.publisher()
    let names = FieldNames(rules.fieldNames)
    let (sorted, lineCounts) = try sortedEntries(
      input, rules, names, plan, options, publisher.runDirectory, progress)
    let ranges = RangeBatches(sorted, plan.entryBounds)
    let meter = RangeMeter(of: sorted.count, progress)
    var counts: [Int: Int] = [:]
    var own: Publisher? = publisher
    while let range = try ranges.nextRange() {
      let publisher: Publisher
      if let first = own.take() { publisher = first } else { publisher = try directories.publisher() }
      let writer = RangeWriter(plan: plan, site: BuildSite(publisher, options), target: target)
      let pipeline = try Pipeline(.entries, all, names: names, at: writer.site, replacing: previous)
      let output = try pipeline.write(PieceStream(ranges, limit: options.shardLimitBytes, names: names)) {
        meter.show($0)
      }
      let (row, bytes) = try writer.store(output, range, isOfEntries: true)
      meter.end(row.records)
      counts[range] = row.records
      try printer.print(row, bytes: bytes)
    }
    for (range, lines) in lineCounts where counts[range] != lines { throw otherPlan(range, lines, counts[range] ?? 0) }
  }

  private static func sortedEntries(
    _ input: String, _ rules: EntryRules, _ names: FieldNames, _ plan: RangePlan, _ options: BuildOptions,
    _ directory: RunDirectory, _ progress: ((BuildProgress) -> Void)?
  ) throws(BuildError) -> (SortedRecords, lineCounts: [Int: Int]) {
    var lines = EntryLines(rules)
    var reader = try LineReader(input)
    var sort = ExternalSort(memory: options.workMemory, directory: directory, threads: options.jobs)
    var chunk = sort.emptyChunk()
    var lineCounts: [Int: Int] = [:]
    var bytes = 0
    while let line = try reader.next() {
      bytes += line.count + 1
      guard let end = line.firstIndex(of: 0x09), let range = Int(String(decoding: line[..<end], as: UTF8.self)),
        0...plan.entryBounds.count ~= range
      else {
        throw reader.flaw("names no range of entries of the plan; pass the entries that were printed with this plan")
      }
      if let reason = lines.read(line[(end + 1)...], into: chunk) { throw reader.flaw("\(reason)") }
      lineCounts[range, default: 0] += 1
      if unsafe chunk.size >= min(1 << 20, options.workMemory / 16) {
        try sort.add(chunk, names: names)
        chunk = sort.emptyChunk()
        progress?(BuildProgress(phase: .reading, done: bytes, total: nil, records: reader.number))
      }
    }
    progress?(BuildProgress(phase: .sorting, done: 0, total: nil, records: reader.number))
    try sort.add(chunk, names: names)
    sort.heldElsewhere = MemoryPlan(options).heldWhileWriting(sort.size, largest: sort.largest)
    return (try sort.finish(names: names), lineCounts)
  }
}
