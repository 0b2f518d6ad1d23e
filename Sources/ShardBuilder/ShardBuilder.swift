import ShardedIndex

/// What a build is told beside its inputs.
public struct BuildOptions: Sendable {
  /// `json`, `jsonl`, `csv`, `tsv` or `geonames`; nil: found from name and content.
  public var inputFormat: String?
  /// The template of keys, `{name}, {country}`; nil for datasets that are recognised.
  public var key: String?
  /// Names of the columns of a CSV or TSV input without a header.
  public var columns: [String]?
  /// The fields to store, each with what is nested in it; nil for all.
  public var keep: [String]?
  /// The field that ranking will go by; it is noted in the manifest.
  public var weight: String?
  /// What a build may hold in memory, in bytes, whatever the dataset's size. Default: 256 MiB.
  ///
  /// All that grows with the dataset or its records counts: what is read ahead, the sort, the merge, the shards being
  /// encoded, the list of shards. On top come the program itself and a few megabytes that do not depend on the dataset,
  /// see docs/measurements.md; and a record too large for the rest of it is held nevertheless.
  public var memoryBytes = 256 << 20
  /// Threads, at least 1. Default: one per processor.
  public var jobs = WorkerPool.availableThreads
  /// The most a shard may be before compression, in bytes; one that cannot be divided may be larger. At most 16 MiB,
  /// which is what a reader accepts.
  public var shardLimitBytes = 64 << 10 {
    didSet { shardLimitBytes = min(max(1, shardLimitBytes), ZstdFrame.contentLimit) }
  }
  /// zstd's, 1 to 22.
  public var level = 19
  /// Whether bad records are left out and listed, instead of ending the build.
  public var skipBad = false

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
  /// The first hundred, each with file, line, column and reason.
  public var badRecords: [String] = []
  public var shardCount = 0
  /// Shards whose file was not there before.
  public var shardsWritten = 0
  /// All files of the index, in bytes.
  public var bytes = 0
  /// What is wrong with the manifest that was there, if it was damaged; nil otherwise.
  ///
  /// Which shards it named is not known then, so all are kept until the next build.
  public var previousDamage: String?

  public init() {}
}

/// A dataset in, an index directory out.
public enum ShardBuilder {
  /// Builds the index of one or more datasets of the same fields into `directory`, which is created if need be.
  ///
  /// The same records give the same files, whatever their order, `memoryBytes` and `jobs`. The index that was in the
  /// directory answers until the new one is complete; on any error it stays. One that is damaged is replaced too; one
  /// that cannot be read is an error, since what readers need of it is not known.
  ///
  /// - Parameter inputs: Paths; `-` is standard input.
  /// - Parameter progress: Told now and then, on the caller's thread.
  /// - Throws: ``BuildError``
  public static func build(
    _ inputs: [String], into directory: String, options: BuildOptions = BuildOptions(),
    progress: ((BuildProgress) -> Void)? = nil
  ) throws(BuildError) -> BuildSummary {
    var summary = BuildSummary()
    let publisher = try Publisher(directory: directory)
    let previous = try shardNames(in: directory, &summary)
    var intake = Intake(options: options, directory: directory)
    for input in inputs { try intake.read(input, &summary, progress) }
    progress?(BuildProgress(phase: .sorting, done: 0, total: nil, records: summary.recordsRead))
    let names = intake.names
    let template = intake.template
    // Formats with a header were checked when it was read; a JSON dataset is known when all of it is.
    // When no record had any name, all were bad, and the template is none of the reasons.
    if !names.names.isEmpty { try template?.check(against: names.names) }
    let plan = intake.plan
    let output = try write(try intake.finish(), plan, names: names, options: options, to: publisher, progress)
    var settings: [(String, String)] = [("key", template?.text ?? options.key ?? "")]
    for (setting, candidates) in Self.coordinates {
      if let field = candidates.first(where: { output.fieldNames.contains($0) }) { settings.append((setting, field)) }
    }
    if let weight = options.weight { settings.append(("weight", weight)) }
    let manifest = try ManifestEncoder(level: options.level).file(
      shards: output.shards, shardLimit: options.shardLimitBytes, fieldNames: output.fieldNames, settings: settings)
    let published = try publisher.publish(manifest: manifest, previous: previous)
    summary.recordsIndexed = output.records
    summary.shardCount = output.shards.count
    summary.shardsWritten = published.written + published.repaired
    summary.bytes = manifest.count + output.shards.reduce(0) { $0 + $1.file.size }
    return summary
  }

  /// Fields that are coordinates by their name, the first that is there.
  private static let coordinates = [
    ("latitude", ["coord.lat", "lat", "latitude", "Latitude", "LAT"]),
    ("longitude", ["coord.lon", "lon", "lng", "longitude", "Longitude", "LON"]),
  ]

  /// The shard files of the generation that is in a directory; none if there is no index, nil if its manifest is
  /// damaged.
  private static func shardNames(in directory: String, _ summary: inout BuildSummary) throws(BuildError) -> [String]? {
    do throws(IndexError) {
      let index = try ShardedIndex(opening: directory)
      // A shard's name lies in the manifest, which goes when the index does.
      return try withExtendedLifetime(index) { () throws(IndexError) in
        try index.generation.shards().map(\.fileName)
      }
    } catch {
      switch error {
      case .notFound, .vanished: return []
      case .io(let operation, let path, let code): throw .io(operation: operation, path: path, errno: code)
      case .corrupt, .superseded, .wrongDigest:
        summary.previousDamage = error.description
        return nil
      }
    }
  }

  private struct Output {
    var shards: [ManifestEncoder.Shard] = []
    var fieldNames: [String] = []
    var records = 0
  }

  /// A shard and what its neighbours must know of it.
  private struct Finished: Sendable {
    var file: ShardEncoder.File
    var bound: [UInt8]
    var firstKey: [UInt8]
    var lastKey: [UInt8]
    var digest: [UInt8]
    var label: [UInt8]
  }

  private static func write(
    _ sorted: SortedRecords, _ plan: MemoryPlan, names: FieldNames, options: BuildOptions, to publisher: Publisher,
    _ progress: ((BuildProgress) -> Void)?
  ) throws(BuildError) -> Output {
    let pieces = PieceStream(sorted, limit: options.shardLimitBytes, names: names)
    let encoder = ShardEncoder(names: names.names)
    let compressors = CompressorPool()
    let (limit, level) = (options.shardLimitBytes, options.level)
    var output = Output()
    var numbers: Set<UInt32> = []
    var lastKey: [UInt8]?
    let total = sorted.count
    try WorkerPool.orderedMap(
      threads: plan.writers, budget: plan.pieces, cost: plan.cost,
      next: { () throws(BuildError) in try pieces.nextPiece() },
      transform: { (piece) throws(BuildError) -> [Finished] in
        let parts = try piece.encoded(limit: limit) { (part) throws(BuildError) in
          (part, encoder.encode((0..<part.count).map { part.record($0) }))
        } size: {
          $0.1.size
        }
        let compressor = compressors.take()
        defer { compressors.put(compressor) }
        var finished: [Finished] = []
        for (part, content) in parts {
          let file = encoder.file(content, level: level, with: compressor)
          let digest = file.bytes.withUnsafeBufferPointer { Digest.sha256($0) }
          let bound = part.lowerBound
          let label = Manifest.label(ofKey: part.record(0).folded)
          let name = Manifest.fileName(label: label, digest: digest)
          try publisher.add(name, file.bytes)
          finished.append(
            Finished(
              file: file, bound: bound, firstKey: Array(part.record(0).folded),
              lastKey: Array(part.record(part.count - 1).folded), digest: digest, label: label))
        }
        return finished
      },
      deliver: { (finished) throws(BuildError) in
        for shard in finished {
          let isFirst = output.shards.isEmpty
          output.shards.append(
            ManifestEncoder.Shard(
              bound: isFirst ? [] : shard.bound, records: shard.file.recordCount,
              file: Manifest.File(
                size: shard.file.bytes.count, headerSize: shard.file.headerSize,
                headerContentSize: shard.file.headerContentSize, headerChecksum: shard.file.headerChecksum,
                isContinuation: lastKey == shard.firstKey),
              digest: shard.digest, label: shard.label))
          output.records += shard.file.recordCount
          lastKey = shard.lastKey
          for number in shard.file.fieldNames where numbers.insert(number).inserted {
            output.fieldNames.append(names.names[Int(number)])
          }
        }
        progress?(BuildProgress(phase: .writing, done: output.records, total: total, records: output.records))
      })
    return output
  }
}

/// Compression contexts that no thread is using.
private final class CompressorPool: @unchecked Sendable {
  private let monitor = Monitor()
  private var idle: [Compressor] = []

  func take() -> Compressor { monitor.withLock { idle.popLast() } ?? Compressor() }
  func put(_ compressor: Compressor) { monitor.withLock { idle.append(compressor) } }
}

/// The first half of a build: datasets in, sorted records out.
private struct Intake: ~Copyable {
  private let options: BuildOptions
  let plan: MemoryPlan
  private(set) var names = FieldNames()
  private(set) var template: KeyTemplate?
  private var sort: ExternalSort

  init(options: BuildOptions, directory: String) {
    self.options = options
    plan = MemoryPlan(memory: options.memoryBytes, threads: options.jobs, shardLimit: options.shardLimitBytes)
    sort = ExternalSort(memory: options.memoryBytes, directory: directory, threads: options.jobs)
  }

  /// A batch on its way from the reader to the sort: used over and over, so that nothing is allocated on the way.
  ///
  /// It has one owner at a time: the caller's thread, a worker, the caller's thread again.
  private final class Carrier: @unchecked Sendable {
    @exclusivity(unchecked) var batch = RecordBatch()
    @exclusivity(unchecked) var names = FieldNames()
    @exclusivity(unchecked) var encoder: RecordEncoder?
    @exclusivity(unchecked) var bad: [BadRecord] = []
    let chunk = BlobChunk()
    /// What was last counted of it in the bytes under way.
    @exclusivity(unchecked) var counted = 0

    var charge: Int { batch.charge + chunk.charge }
  }

  mutating func read(
    _ path: String, _ summary: inout BuildSummary, _ progress: ((BuildProgress) -> Void)?
  ) throws(BuildError) {
    let format = options.inputFormat.map { DatasetFormat(rawValue: $0) }
    if let format, format == nil {
      let known = DatasetFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw .dataset(.options, message: "unknown input format \(options.inputFormat ?? ""): it is one of \(known)")
    }
    var datasetOptions = DatasetOptions(
      format: format ?? nil, columns: options.columns, skipBad: options.skipBad)
    datasetOptions.blockSizeBytes = plan.blockSize
    let reader: DatasetReader
    do throws(DatasetError) {
      reader = try DatasetReader(path: path, options: datasetOptions)
    } catch {
      throw BuildError(error)
    }
    var encoder: RecordEncoder?
    var chosen: KeyTemplate?
    // Numbers of this reader's field names among those of all inputs.
    var numbers: [UInt32] = []
    var unindexable: [DatasetReader.BadRecord] = []
    var unindexableCount = 0
    let skipBad = options.skipBad
    var idle: [Carrier] = []
    var carried = 0  // Bytes that carriers hold, idle or not.
    func count(_ carrier: Carrier, _ charge: Int) {
      carried += charge - carrier.counted
      carrier.counted = charge
    }
    try WorkerPool.orderedMap(
      threads: options.jobs, limit: plan.batches, budget: options.memoryBytes / 4, cost: { 3 * $0.batch.charge },
      next: { () throws(BuildError) -> Carrier? in
        let carrier = idle.popLast() ?? Carrier()
        defer { count(carrier, carrier.charge) }
        do throws(DatasetError) {
          guard try reader.read(into: &carrier.batch) else { return nil }
        } catch {
          throw BuildError(error)
        }
        let own = reader.names.names
        while numbers.count < own.count { numbers.append(names.number(of: own[numbers.count])) }
        if !numbers.indices.allSatisfy({ numbers[$0] == UInt32($0) }) {
          for field in carrier.batch.fields.indices {
            carrier.batch.fields[field].name = numbers[Int(carrier.batch.fields[field].name)]
          }
        }
        if encoder == nil {
          let template = try chooseTemplate(own, format: reader.format)
          if reader.format != .json, reader.format != .jsonl { try template.check(against: own) }
          encoder = RecordEncoder(template: template, keep: options.keep)
          chosen = template
        }
        progress?(
          BuildProgress(
            phase: .reading, done: reader.bytesRead, total: reader.bytesTotal,
            records: summary.recordsRead + reader.recordsRead))
        carrier.names = names
        if carrier.encoder == nil { carrier.encoder = encoder }
        return carrier
      },
      transform: { (carrier) throws(BuildError) -> Carrier in
        carrier.chunk.removeAll()
        var encoder = carrier.encoder.take()!  // In place, each byte of a key would ask who owns it.
        carrier.bad = encoder.encode(carrier.batch, names: carrier.names, into: carrier.chunk)
        carrier.encoder = encoder
        return carrier
      },
      deliver: { (carrier) throws(BuildError) in
        for bad in carrier.bad {
          unindexableCount += 1
          if skipBad, unindexable.count == DatasetReader.badRecordsKept { continue }
          let place = carrier.batch.place(of: bad.index)
          let reason = bad.reason(template: chosen!, in: carrier.batch, names: carrier.names)
          let record = DatasetReader.BadRecord(
            path: path, line: place.line, column: place.column, record: place.record, reason: reason)
          guard skipBad else { throw BuildError(DatasetError.bad(record)) }
          unindexable.append(record)
        }
        count(carrier, carrier.charge)
        sort.heldElsewhere = reader.charge + carried
        try sort.add(carrier.chunk, names: carrier.names)
        if carrier.charge > 8 * plan.blockSize {
          count(carrier, 0)  // A large record was in it: that much is not kept.
        } else {
          idle.append(carrier)
        }
      })
    summary.recordsRead += reader.recordsRead + reader.badCount
    summary.badRecordCount += reader.badCount + unindexableCount
    let bad = (reader.badRecords + unindexable).sorted { $0.record < $1.record }
    summary.badRecords += bad.prefix(DatasetReader.badRecordsKept - summary.badRecords.count).map(\.description)
  }

  private mutating func chooseTemplate(_ fields: [String], format: DatasetFormat) throws(BuildError) -> KeyTemplate {
    if let template { return template }
    let text: String
    if let key = options.key {
      text = key
    } else if format == .geonames {
      text = "{name}, {country code}"
    } else if fields.contains("name"), fields.contains("country") {
      text = "{name}, {country}"
    } else {
      throw .noTemplate(fields: fields)
    }
    let chosen = try KeyTemplate(text)
    template = chosen
    return chosen
  }

  consuming func finish() throws(BuildError) -> SortedRecords {
    let names = self.names
    sort.heldElsewhere = plan.heldWhileWriting(sort.size)
    return try sort.finish(names: names)
  }
}
