import CSystem
import ShardedIndex

/// What a build is told beside its inputs.
public struct BuildOptions: Sendable {
  /// `json`, `jsonl`, `geojson`, `csv`, `tsv`, `geonames` or `lines`; nil: found from name and content.
  public var inputFormat: String?
  /// How the inputs depart from the usual form of their format; docs/datasets.md says what each setting does.
  public var dialect = DatasetDialect()
  /// The template of keys, `{name}, {country}`; nil for datasets that are recognised.
  public var key: String?
  /// Names of the columns of a CSV or TSV input without a header, or of the field of lines.
  public var columns: [String]?
  /// The fields to store, each with what is nested in it; nil for all.
  public var keep: [String]?
  /// The field that ranking will go by; it is noted in the manifest.
  public var weight: String?
  /// The field by which ``ShardBuilder/update(_:upsert:delete:options:progress:)`` tells records apart; it is noted in
  /// the manifest. nil: `geonameid` of a GeoNames dump, else `_id` if the records have it.
  public var id: String?
  /// What a build may hold in memory, in bytes, whatever the dataset's size. Default: 256 MiB.
  ///
  /// All that grows with the dataset or its records counts: what is read ahead, the sort, the merge, the shards being
  /// encoded, the list of shards. On top come the program itself and a few megabytes that do not depend on the dataset,
  /// see docs/history/measurements.md; and a record too large for the rest of it is held nevertheless.
  public var memoryBytes = 256 << 20
  /// Threads, at least 1. Default: one per processor.
  public var jobs = WorkerPool.availableThreads
  /// The most a shard may be before compression, in bytes; one that cannot be divided may be larger. At most 16 MiB,
  /// which is what a reader accepts.
  public var shardLimitBytes = 80 << 10 {
    didSet { shardLimitBytes = min(max(1, shardLimitBytes), ZstdFrame.contentLimit) }
  }
  /// What a part of a shard has before compression, in bytes, about: what a query that misses unpacks. From 1 to 16 MiB;
  /// a part has 16 records at least, and one that is no smaller than a shard is the shard.
  public var partSizeBytes = ShardEncoder.usualPartSize {
    didSet { partSizeBytes = min(max(1, partSizeBytes), ZstdFrame.contentLimit) }
  }
  /// zstd's, 1 to 22.
  public var level = 12
  /// Whether an update leaves few changes beside the shards, in the index's overlay, instead of writing them into shards.
  public var writesOverlay = false
  /// Whether bad records are left out and listed, instead of ending the build.
  public var skipBad = false
  /// Whether inputs without a record may take the place of an index that has some. Otherwise such a build ends with
  /// ``BuildError/noRecord(reason:path:held:)``.
  public var allowsEmpty = false
  /// The fewest records that an index may come to have: a build that would make one with fewer ends with
  /// ``BuildError/tooFewRecords(path:found:minimum:)``. Default: 0.
  ///
  /// Nobody can see at a pipe's end whether the program that wrote into it came to its own.
  public var minimumRecords = 0
  /// Whether a build may replace the index of another list, one whose key has another template, and build into a
  /// directory that holds other files and no index. Names that begin with a dot, `README.md` and `lost+found` are no
  /// other files.
  public var replacesOtherIndex = false

  public init() {}
}

/// How far a build is.
public struct BuildProgress: Sendable {
  public enum Phase: Sendable { case reading, sorting, writing }
  public var phase: Phase
  /// Of `total`: bytes of input when reading, records when writing.
  public var done: Int
  public var total: Int?
  public var records: Int
}

/// What a build did. Sizes in bytes.
public struct BuildSummary: Sendable {
  public var recordsRead = 0
  public var recordsIndexed = 0
  public var badRecordCount = 0
  /// Inputs without a record, good or bad: each with its name and the header that it has.
  public var emptyInputs: [String] = []
  /// Records of the index that a build replaced; nil if there was none, or a damaged one.
  public var recordsBefore: Int?
  /// Fields that the index has and the one that a build replaced had not, and the other way round.
  public var newFields: [String] = []
  public var goneFields: [String] = []
  /// Records that no update can reach, since they have no id; ids that several records have, one of these, and how many
  /// have that. Zero and nil where the index has no ids.
  public var recordsWithoutID = 0
  public var sharedIDCount = 0
  public var sharedIDExample: (id: String, records: Int)?
  /// Records whose key is empty, so that they are found by the empty prefix alone.
  public var emptyKeyCount = 0
  /// Of an update: records that it took out of the index, replaced ones included.
  public var recordsRemoved = 0
  /// Of an update: ids to delete that no record had.
  public var idsNotFound = 0
  /// The first hundred, each with file, line, column and reason.
  public var badRecords: [String] = []
  /// What was found out about the inputs and not said, a sentence each: a delimiter, say.
  public var notes: [String] = []
  public var shardCount = 0
  /// Shards whose file was not there before.
  public var shardsWritten = 0
  /// All files of the index, in bytes.
  public var bytes = 0
  /// Of an update with ``BuildOptions/writesOverlay``: of these the overlay, 0 if there is nothing left for one; nil if
  /// the changes were written into shards.
  public var overlayBytes: Int?
  /// The index was what it would have become: nothing was written.
  public var isUnchanged = false
  /// What is wrong with the manifest that was there, if it was damaged; nil otherwise.
  ///
  /// Which shards it named is not known then, so all are kept until the next build.
  public var previousDamage: String?

  public init() {}
}

/// A dataset in, an index directory out.
public enum ShardBuilder {
  /// Builds the index of one or more datasets into `directory`, which is created if need be.
  ///
  /// The same records give the same files, whatever their order, `memoryBytes`, `jobs` and what was there before. Over
  /// an index only shards whose records changed are encoded and written, nothing at all when none did. The index that
  /// was in the directory answers until the new one is complete; on any error it stays. One that is damaged is replaced
  /// too; one that cannot be read is an error, since what readers need of it is not known.
  ///
  /// - Parameter inputs: Paths; `-` is standard input.
  /// - Parameter progress: Told now and then, on the caller's thread.
  /// - Throws: ``BuildError``
  public static func build(
    _ inputs: [String], into directory: String, options: BuildOptions = BuildOptions(),
    progress: ((BuildProgress) -> Void)? = nil
  ) throws(BuildError) -> BuildSummary {
    try build(inputs, into: directory, options: options, progress: progress, refusal: { nil })
  }

  /// - Parameter refusal: Asked when all is read: why nothing is to be written, if that is so.
  package static func build(
    _ inputs: [String], into directory: String, options: BuildOptions, progress: ((BuildProgress) -> Void)?,
    refusal: () -> BuildError?
  ) throws(BuildError) -> BuildSummary {
    try checkOptions(options)
    try checkStandardInput(inputs)
    if !options.replacesOtherIndex, let entry = Publisher.otherEntry(in: directory) {
      throw .otherFiles(path: directory, entry: entry)
    }
    var summary = BuildSummary()
    let publisher = try Publisher(directory: directory)
    let previous = try PreviousIndex.found(in: publisher, &summary)
    var intake = Intake(options: options, publisher)
    if !options.replacesOtherIndex { intake.previousKey = previous.map(\.index.keyTemplate) }
    for input in inputs { try intake.read(input, &summary, progress) }
    progress?(BuildProgress(phase: .sorting, done: 0, total: nil, records: summary.recordsRead))
    try intake.checkFields()
    let names = intake.names
    let template = intake.template
    let id = options.id ?? intake.usualId
    let plan = intake.plan
    let sorted = try intake.finish()
    try checkCount(sorted.count, directory, previous, options, summary)
    if let refusal = refusal() { throw refusal }
    let pieces = PieceStream(sorted, limit: options.shardLimitBytes, names: names)
    previous?.offerPieces(for: options.packing)
    var writer = Pipeline(
      publisher: publisher, plan: plan, names: names.names, packing: options.packing, previous: previous)
    writer.count(id, of: sorted.count)
    let total = sorted.count
    var output = try writer.write(next: { () throws(BuildError) in try pieces.nextPiece().map { .records($0) } }) {
      progress?(BuildProgress(phase: .writing, done: $0, total: total, records: $0))
    }
    var settings = IndexSettings(key: template?.text ?? options.key ?? previous?.index.keyTemplate ?? "")
    settings.weight = options.weight
    settings.keep = options.keep
    settings.id = options.id ?? id.flatMap { output.fieldNames.contains($0) ? $0 : nil }
    // Where no record has the field there is nothing to count, and nothing repeated.
    output.notes.repeatedIDs = settings.id.map { _ in output.notes.repeatedIDs ?? 0 }
    summary.recordsIndexed = output.manifest.recordCount
    if let previous, sorted.count > 0, summary.previousDamage == nil {
      summary.recordsBefore = previous.index.recordCount
      let (before, now) = (previous.index.fieldNames, output.fieldNames)
      if previous.index.recordCount > 0 { summary.newFields = now.filter { !before.contains($0) } }
      summary.goneFields = before.filter { !now.contains($0) }
    }
    try publish(output, settings, options.packing, to: publisher, previous, threads: options.jobs, &summary)
    if let ids = output.ids, let id = settings.id {
      summary.recordsWithoutID = output.notes.recordsWithoutID
      summary.sharedIDCount = ids.shared
      summary.sharedIDExample = ids.example.map { (firstID(in: publisher, id, hash: $0.hash) ?? "", $0.times) }
    }
    return summary
  }

  /// The first id with a hash in the index that was just published; nil if it is gone already.
  ///
  /// - Complexity: O(records).
  private static func firstID(in publisher: Publisher, _ field: String, hash: UInt64) -> String? {
    guard let index = try? ShardedIndex(publisher.openDirectory(), options: Options()),
      let number = index.fieldNames.firstIndex(of: field),
      let shards = try? index.generation.shards()
    else { return nil }
    let buffer = RecordBuffer()
    var found: String?
    func look(_ text: UnsafeBufferPointer<UInt8>) {
      if found == nil, IDCounter.hash(text) == hash { found = printable(text, limit: 60) }
    }
    for shard in shards where found == nil {
      _ = try? index.readWhole(shard) { part in
        part.forEachField(number, with: buffer) { _, value, format in
          format.withText(of: value) { look($0) }
        } text: { _, text, kind in
          if RecordID.isOne(text, FieldKind(kind)) { look(text) }
        }
      }
    }
    return found
  }

  /// What can be wrong with options before anything is read.
  private static func checkOptions(_ options: BuildOptions) throws(BuildError) {
    if let key = options.key { _ = try KeyTemplate(key) }
    if let id = options.id, let keep = options.keep, !RecordEncoder.isKept(id, keep: keep) {
      throw .dataset(.options, message: "the field \"\(id)\" is the id, so that it has to be stored: keep it too")
    }
  }

  /// Before anything is opened that would get the number of a standard input that is closed.
  static func checkStandardInput(_ inputs: [String]) throws(BuildError) {
    var status = stat()
    if inputs.contains("-"), fstat(STDIN_FILENO, &status) != 0, errno == EBADF {
      throw .dataset(.missing, message: "standard input: is closed; name a file, or have one read into it")
    }
  }

  /// Whether so many records may become the index.
  private static func checkCount(
    _ count: Int, _ directory: String, _ previous: PreviousIndex?, _ options: BuildOptions, _ summary: BuildSummary
  ) throws(BuildError) {
    let held = previous?.index.recordCount ?? 0
    if count == 0, !options.allowsEmpty, held > 0 || summary.previousDamage != nil {
      let bad = summary.badRecordCount
      let reason =
        bad > 0
        ? "of \(bad == 1 ? "1 record" : "\(grouped(bad)) records") none is good"
        : summary.emptyInputs.joined(separator: ", ")
      throw .noRecord(reason: reason, path: directory, held: summary.previousDamage == nil ? held : nil)
    }
    guard count >= options.minimumRecords else {
      throw .tooFewRecords(path: directory, found: count, minimum: options.minimumRecords)
    }
  }

  /// Makes what was written the index's new generation.
  ///
  /// - Parameter dots: The map, where `output` has none.
  static func publish(
    _ output: Pipeline.Output, _ settings: IndexSettings, _ packing: EncodingOptions, dots: DotBands? = nil,
    to publisher: Publisher, _ previous: PreviousIndex?, threads: Int, _ summary: inout BuildSummary
  ) throws(BuildError) {
    var encoder = output.manifest
    // The last files are synced while the manifest is made; it is written when both are done.
    let syncing = Syncing()
    let syncer =
      threads > 1
      ? Worker {
        do throws(BuildError) { try publisher.settleAdded() } catch { syncing.failure = error }
      } : nil
    let manifest: [UInt8]
    do throws(BuildError) {
      manifest = try encoder.file(
        shardLimit: packing.shardLimit, partSize: packing.partSize, fieldNames: output.fieldNames,
        settings: settings.pairs(fieldNames: output.fieldNames), notes: output.notes,
        dots: dots ?? output.dots.map { DotBands($0) }, threads: threads)
    } catch {
      syncer?.join()
      throw error
    }
    syncer?.join()
    if let failure = syncing.failure { throw failure }
    let named = summary.previousDamage == nil ? previous?.shards.map(\.fileName) ?? [] : nil
    let published = try publisher.publish(
      manifest: manifest, previous: named, overlay: previous?.index.overlay == nil ? .stale : .replaced)
    summary.shardCount = encoder.shardCount
    summary.shardsWritten = published.written + published.repaired
    summary.isUnchanged = published.isUnchanged
    summary.bytes = manifest.count + encoder.shardBytes
  }
}

/// How a thread that syncs files ended: set by it, read when it is joined.
private final class Syncing: @unchecked Sendable {
  var failure: BuildError?
}
