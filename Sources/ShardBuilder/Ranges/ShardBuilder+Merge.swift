import ShardedIndex

extension ShardBuilder {
  /// The figures of a merge.
  package struct MergeSummary: Sendable {
    package var ranges = 0
    package var records = 0
    package var shards = 0
    /// The number of records at the borders of ranges, which were cut again.
    package var recordsCutAnew = 0
    /// The size of all files, in bytes.
    package var bytes = 0
    /// The SHA-256 of the manifest, in hexadecimal digits.
    package var digest = ""
  }

  /// Makes an index from its ranges.
  ///
  /// - Parameters:
  ///   - paths: The paths of files with rows; `-` is standard input.
  ///   - records: The number of records in all ranges; nil if unknown. Then each range must have a row.
  ///   - repeatedIDs: The number of records with an id, less the number of distinct ids; nil if ids were not counted.
  ///   - progress: Called from time to time, on the caller's thread. While reading, the merge opens ranges, and
  ///     ``BuildProgress/done`` counts them; while writing, records and entries count.
  /// - Complexity: Linear in the number of shards and in the number of records at borders. Memory holds about 200 bytes
  ///   for each shard.
  package static func merge(
    _ plan: RangePlan, rows paths: [String], records: Int?, repeatedIDs: Int?, in target: any RangeTarget,
    resources: BuildOptions, progress: ((BuildProgress) -> Void)? = nil
  ) throws(BuildError) -> MergeSummary {
    let rows = try RangeRows(paths, plan, records: records)
    var options = plan.options
    (options.memoryBytes, options.jobs) = (resources.memoryBytes, resources.jobs)
    let settings = settings(options, key: options.key ?? "")
    let directory = try target.wholeDirectory()
    try target.checkParent(plan)
    let publisher = try Publisher(directory: directory)
    var summary = BuildSummary()
    let previous = try PreviousIndex.found(in: publisher, &summary)
    if let key = previous?.index.keyTemplate, key != settings.key, !resources.replacesOtherIndex {
      throw .otherIndex(path: directory, key: key, newKey: settings.key)
    }
    var result = MergeSummary()
    result.ranges = rows.records.count
    let merge = RangeMerge(
      plan: plan, settings: settings, site: BuildSite(publisher, options), target: target,
      meter: MergeMeter(rows.records + rows.entries, progress))
    let template = try KeyTemplate(checking: settings.key)
    var output = try merge.write(rows.records, .joined, encoder: RecordEncoder(template: template), &result)
    let entries = try EntryRules(settings).map { (_) throws(BuildError) in
      try merge.write(rows.entries, .entries, encoder: .ofEntries, &result).finishEntries(rows.lastComponents)
    }
    let id = plan.usualID.flatMap { output.fieldNames.contains($0) ? $0 : nil }
    output.settings.id = options.id ?? id
    // If no record has the field, there is nothing to count.
    // The ids of an index with a plan were counted, and none repeats.
    let repeated = repeatedIDs ?? plan.over.map { _ in 0 }
    output.notes.repeatedIDs = output.settings.id == nil ? nil : id == nil ? 0 : repeated
    if id == nil { output.notes.recordsWithoutID = 0 }
    result.records = output.manifest.recordCount
    try Publication(
      of: output, entries: entries, replacing: previous, open: target.wholeOpener(directory)
    ).publish(&summary)
    result.shards = summary.shardCount
    result.bytes = summary.bytes
    result.digest = try BuildError.ofIndex { () throws(IndexError) in
      try ShardedIndex(publisher.openDirectory(), options: .init()).generation.manifest.digest().description
    }
    try target.finish(directory)
    return result
  }
}

/// The rows of an index, checked against each other.
private struct RangeRows {
  /// The rows in the order of ranges.
  private(set) var records: [RangeRow] = []
  private(set) var entries: [RangeRow] = []

  init(_ paths: [String], _ plan: RangePlan, records expected: Int?) throws(BuildError) {
    var rows: [RangeRow] = []
    for path in paths {
      var reader = try LineReader(path)
      while let line = try reader.next() {
        if line.starts(with: RangeRow.entryPrefix.utf8) || line.starts(with: RangeSummary.prefix.utf8) { continue }
        guard let row = RangeRow(line: line) else {
          throw reader.flaw("is not a row; pass the output of `\(.writeRanges)`")
        }
        guard row.plan == plan.digest else {
          throw reader.flaw("is a row of another plan; pass the plan of its `\(.writeRanges)`")
        }
        rows.append(row)
      }
    }
    // Missing rows must not empty an index.
    if rows.isEmpty { throw Self.refusal("there are no rows; pass the output of `\(.writeRanges)`") }
    records = try Self.ordered(
      rows.filter { !$0.isOfEntries }, plan.bounds.count + 1, "range", isWhole: expected == nil
    ).filter { $0.records > 0 }
    if records.isEmpty, expected != 0 {
      throw Self.refusal("no range has a record; to empty an index, change it without ranges")
    }
    entries = try Self.ordered(
      rows.filter(\.isOfEntries), plan.entryBounds.count + 1, "range of entries", isWhole: false)
    let count = records.reduce(0) { $0 + $1.records }
    if let expected, count != expected {
      throw Self.refusal(
        "the rows have \(grouped(count)) records, and \(grouped(expected)) are expected; write the missing ranges or lines"
      )
    }
    let (made, written) = (records.reduce(0) { $0 + $1.entries }, entries.reduce(0) { $0 + $1.records })
    if made != written {
      throw Self.refusal(
        "the records have \(grouped(made)) entries, and rows of entries have \(grouped(written)); write all ranges of entries"
      )
    }
  }

  private static func refusal(_ message: BuildMessage) -> BuildError { .dataset(.bad, message: message) }

  private static func ordered(
    _ rows: [RangeRow], _ count: Int, _ what: String, isWhole: Bool
  ) throws(BuildError) -> [RangeRow] {
    var rows = rows.sorted { $0.range < $1.range }
    var at = 1
    while at < rows.count {
      guard rows[at].range == rows[at - 1].range else {
        at += 1
        continue
      }
      // An engine may run a range twice, and collect both outputs if it thought the first lost.
      guard rows[at] == rows[at - 1] else {
        throw refusal(
          "\(what) \(rows[at].range) has two different rows, because two processes got its lines; group the lines by the first column"
        )
      }
      rows.remove(at: at)
    }
    if let row = rows.last, row.range >= count {
      throw refusal("\(what) \(row.range) is not in the plan, which has \(count) ranges; pass its own plan")
    }
    if isWhole, rows.count < count {
      let missing = zip(rows.map(\.range) + [count], 0...).first { $0 != $1 }?.1 ?? 0
      throw refusal(
        "\(what) \(missing) has no row; write it, or give the number of all records if it has none")
    }
    return rows
  }

  /// Returns the last components of all keys.
  var lastComponents: LastComponents {
    var all: Set<[UInt8]> = []
    for row in records {
      guard let components = row.lastComponents else { return .over }
      all.formUnion(components)
    }
    return LastComponents(all)
  }
}

/// The progress of a merge, over the ranges of records and those of entries.
private final class MergeMeter {
  private let (ranges, records): (Int, Int)
  private let progress: ((BuildProgress) -> Void)?
  private var (opened, merged) = (0, 0)

  init(_ rows: [RangeRow], _ progress: ((BuildProgress) -> Void)?) {
    (ranges, records) = (rows.count, rows.reduce(0) { $0 + $1.records })
    self.progress = progress
  }

  /// Notes that one more range was opened.
  func open() {
    opened += 1
    progress?(BuildProgress(phase: .reading, done: opened, total: ranges, records: 0))
  }

  /// - Parameter count: The number of merged records, or of merged entries.
  func show(_ count: Int) {
    progress?(BuildProgress(phase: .writing, done: merged + count, total: records, records: merged + count))
  }

  /// Notes that all records were merged, or all entries.
  func end(_ count: Int) { merged += count }
}

/// The merge of the ranges of an index, or of the ranges of its entries.
private struct RangeMerge {
  let plan: RangePlan
  /// The settings of the index.
  let settings: IndexSettings
  let site: BuildSite
  let target: any RangeTarget
  let meter: MergeMeter

  func write(
    _ rows: [RangeRow], _ product: Pipeline.Target, encoder: RecordEncoder, _ result: inout ShardBuilder.MergeSummary
  ) throws(BuildError) -> Pipeline.ManifestParts {
    let isOfEntries = rows.first?.isOfEntries ?? true
    var names = FieldNames()
    var grid: DensityGrid?
    var withoutID = 0
    for row in rows {
      let range = try open(row)
      meter.open()
      for name in range.fieldNames { _ = names.number(of: name) }
      if let part = try BuildError.ofIndex({ () throws(IndexError) in
        try range.generation.manifest.densityGrid(with: nil)
      }) {
        grid = grid ?? DensityGrid()
        grid?.add(part)
      }
      withoutID += try BuildError.ofIndex { () throws(IndexError) in
        try range.generation.manifest.notes()?.first.flatMap { BuildNotes.idCounts($0.content)?.without } ?? 0
      }
    }
    let pipeline = try Pipeline(product, settings, names: names, at: site)
    let order = RecordOrder(names: names)
    let bounds = isOfEntries ? plan.entryBounds : plan.bounds
    let stitcher = RangeStitcher<RangeIndex>(
      rangeCount: rows.count, makeCutter: { [site] in Cutter(limit: site.packing.shardLimit, order: order) },
      open: { (number) throws(BuildError) in
        let row = rows[number]
        let range = try RangeIndex(
          open(row), row, pipeline.settings, encoder: encoder, names: names, path: target.shown)
        try range.checkKeys(
          from: row.range > 0 ? bounds[row.range - 1] : nil, to: row.range < bounds.count ? bounds[row.range] : nil)
        return range
      })
    var output = try pipeline.write(
      next: { () throws(BuildError) in
        switch try stitcher.nextStretch() {
        case nil: nil
        case .piece(let piece): .records(piece)
        case .kept(let pieces, let range, let lastKey):
          .kept(pieces, of: try range.checked(pieces, in: target), lastKey: lastKey)
        }
      }, progress: { meter.show($0) })
    meter.end(output.manifest.recordCount)
    result.recordsCutAnew += stitcher.regionRecordCount
    output.densityGrid = grid.map { DensityBands($0) }
    output.notes.recordsWithoutID = withoutID
    return output
  }

  private func open(_ row: RangeRow) throws(BuildError) -> ShardedIndex {
    let index: ShardedIndex
    do throws(BuildError) {
      index = try target.openRange(row.fileName)
    } catch .index(.notFound) {
      throw .dataset(
        .missing, message: "\(target.shown): the files of range \(row.range) are gone; write that range again")
    }
    let digest = try RangeUpdate.digest(of: index)
    guard digest.hasPrefix(row.manifest), index.generation.manifest.fileSize == row.size,
      index.recordCount == row.records
    else {
      throw .dataset(
        .bad,
        message: """
          \(target.shown): the manifest of range \(row.range) differs from the one in its row; write that range again
          """)
    }
    return index
  }
}

/// A written range.
private final class RangeIndex: CutRange {
  private let kept: KeptIndex
  private let pieces: [BuildNotes.NotedPiece]
  private var source: IndexedRecords
  private let row: RangeRow
  /// The names, sizes and digests of side files that were not checked yet.
  private var sides: [NamedFile]

  init(
    _ index: ShardedIndex, _ row: RangeRow, _ settings: IndexSettings, encoder: RecordEncoder, names: FieldNames,
    path: String
  ) throws(BuildError) {
    var names = names
    let numbers = index.fieldNames.map { names.number(of: $0) }
    kept = try KeptIndex(PreviousIndex(index), settings, numbers: numbers)
    guard let notes = kept.index.notes, !notes.pieces.isEmpty, notes.isOfThisEncoder else {
      throw .dataset(
        .bad,
        message: "\(path): the manifest of range \(row.range) has no notes of this encoder; write that range again")
    }
    pieces = notes.pieces
    source = IndexedRecords(index, encoder: encoder, names: names, numbers: numbers)
    self.row = row
    sides = try BuildError.ofIndex { () throws(IndexError) in
      try index.generation.manifest.sidePages().filter { $0.fileSize > 0 }.map { ($0.fileName, $0.fileSize, $0.digest) }
    }
  }

  var pieceCount: Int { pieces.count }
  func isRestart(_ piece: Int) -> Bool { pieces[piece].isRestart }

  private func shards(ofPiece piece: Int) -> ArraySlice<Manifest.Shard> {
    kept.index.shards[kept.index.firstShards[piece]..<kept.index.firstShards[piece + 1]]
  }

  func forEachRecord(ofPiece piece: Int, _ body: (RecordBlob) -> Bool) throws(BuildError) {
    for shard in shards(ofPiece: piece) {
      let run = try source.records(of: shard, into: RecordArena(capacity: 0))
      for index in 0..<run.count where !body(run.record(index)) { return }
    }
  }

  func lastRecord(ofPiece piece: Int) throws(BuildError) -> RecordArena {
    try source.lastRecord(of: shards(ofPiece: piece).last!)
  }

  /// Checks that the keys lie between the bounds of the plan, so that the ranges are in order.
  func checkKeys(from first: [UInt8]?, to end: [UInt8]?) throws(BuildError) {
    let (least, greatest) = (
      try source.firstRecord(of: kept.index.shards[0]), try source.lastRecord(of: kept.index.shards.last!)
    )
    func isBefore(_ record: RecordArena, _ bound: [UInt8]) -> Bool {
      unsafe compareBytes(record.record(0).folded.span, bound.span) < 0
    }
    if let first, isBefore(least, first) { throw outside }
    if let end, !isBefore(greatest, end) { throw outside }
  }

  private var outside: BuildError {
    .dataset(.bad, message: "range \(row.range) has keys of another range; write it again with this plan")
  }

  /// Returns the index of kept pieces, after a check that the target has their files.
  func checked(_ pieces: Range<Int>, in target: any RangeTarget) throws(BuildError) -> KeptIndex {
    let own = pieces.flatMap { shards(ofPiece: $0) }
    try target.check(sides + own.map { unsafe ($0.source.fileName, $0.file.size, Array($0.digest)) })
    sides = []
    return kept
  }
}
