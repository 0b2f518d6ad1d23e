import ShardedIndex

/// A stretch of a new index.
enum Portion: Sendable {
  /// Records that become a shard, or several.
  case records(Piece)
  /// Pieces of an old index, by number, that stay as they are, and the last key of the last of them. The key is empty
  /// if no records follow.
  case kept(Range<Int>, of: KeptIndex, lastKey: [UInt8])
}

/// An index whose pieces stay in the new index.
struct KeptIndex: Sendable {
  let index: PreviousIndex
  let ranks: PreviousRanks?
  let sides: PreviousSides?
  /// The fields with coordinates in the new index.
  let coordinates: CoordinateFields
  /// For each field of the index, the number of its name among the names of the written records.
  let numbers: [UInt32]

  /// - Parameters:
  ///   - settings: The settings of the new index.
  ///   - numbers: The numbers for ``numbers``; nil if the field names of this index come first.
  init(_ index: PreviousIndex, _ settings: IndexSettings, numbers: [UInt32]? = nil) throws(BuildError) {
    self.index = index
    ranks = PreviousRanks(index, settings)
    sides = try PreviousSides(index, settings)
    coordinates = settings.coordinateFields
    self.numbers = numbers ?? (0..<UInt32(index.index.generation.manifest.fieldCount)).map { $0 }
  }
}

/// The second half of a build: it gets portions, and gives the shards and their list. It uses all processors.
struct Pipeline {
  let publisher: Publisher
  let plan: MemoryPlan
  let names: [String]
  let packing: EncodingOptions
  /// The previous generation. Its pieces that occur again are not encoded again.
  let previous: KeptIndex?
  /// The settings of the ranks.
  let settings: IndexSettings
  /// The most threads to use.
  var threads = Int.max
  /// Whether the pipeline makes the density grid from the portions' records; otherwise the caller makes it.
  var makesDensityGrid = true
  /// Whether kept side files are read and compared with their digests; an update has compared all files before.
  var checksKeptSides = true
  /// The id field, and the most records that may come, if the pipeline counts ids; otherwise the caller counts.
  private(set) var countedID: (field: UInt32, records: Int)?

  /// Counts the ids of at most `records` records, if any record has the field.
  mutating func count(_ id: String?, of records: Int) {
    countedID = id.flatMap { names.firstIndex(of: $0) }.map { (UInt32($0), records) }
  }

  /// The parts of the manifest.
  struct Output {
    var manifest: ManifestEncoder
    var fieldNames: [String] = []
    var notes: BuildNotes
    /// The density grid; nil if the caller makes it.
    var densityGrid: DensityGrid?
    /// The count of the ids, if the pipeline counted them.
    var ids: IDCounter.Count?
  }

  /// Writes the shards of all portions.
  ///
  /// - Parameter next: Returns the portions, in order; called on this thread.
  /// - Parameter progress: Called with the number of finished records.
  func write(
    next: () throws(BuildError) -> Portion?, progress: (Int) -> Void
  ) throws(BuildError) -> Output {
    let compressors = CompressorPool()
    let rankField = try RankField(settings, names: names)
    let writer = PieceWriter(
      publisher: publisher, names: names, packing: packing, previous: previous,
      sideFields: try SideFields(settings, names: names),
      cellFinder: makesDensityGrid ? CellFinder(names: names, settings.coordinateFields) : nil,
      idField: countedID?.field,
      encoder: ShardEncoder(names: names, partSize: packing.partSize, rankField), isRanked: rankField != nil,
      compressors: compressors)
    var assembly = try Assembly(of: self, compressors)
    if rankField != nil { assembly.addRanks() }
    try WorkerPool.orderedMap(
      threads: min(plan.writers, threads), budget: plan.pieces,
      cost: {
        if case .records(let piece) = $0 { plan.cost(piece) } else { 0 }
      },
      next: next,
      transform: { (portion) throws(BuildError) -> Written in
        switch portion {
        case .kept(let pieces, let index, let lastKey): .kept(pieces, of: index, lastKey: lastKey)
        case .records(let piece): .piece(try writer.write(piece))
        }
      },
      deliver: { (written) throws(BuildError) in
        switch written {
        case .piece(let piece): try assembly.add(piece)
        case .kept(let pieces, let index, let lastKey): try assembly.add(kept: pieces, of: index, lastKey: lastKey)
        }
        progress(assembly.recordCount)
      })
    return try assembly.finish()
  }

  private enum Written: Sendable {
    case piece(WrittenPiece)
    case kept(Range<Int>, of: KeptIndex, lastKey: [UInt8])
  }
}

/// A piece with written shards.
private struct WrittenPiece: Sendable {
  /// The shards, as the manifest has them. The neighbour of the first tells whether it continues another shard.
  var shards: [ManifestEncoder.Shard] = []
  var firstKey: [UInt8]
  var lastKey: [UInt8]
  var fields: [UInt32]
  var note: BuildNotes.Piece
  var cells: [UInt32]
  var ids: [UInt64]
}

/// A writer that encodes pieces and writes their shards, on any thread.
private struct PieceWriter: Sendable {
  let publisher: Publisher
  let names: [String]
  let packing: EncodingOptions
  let previous: KeptIndex?
  let sideFields: SideFields?
  let cellFinder: CellFinder?
  let idField: UInt32?
  let encoder: ShardEncoder
  let isRanked: Bool
  let compressors: CompressorPool

  /// Writes the shards of a piece, unless the previous generation has them.
  func write(_ piece: Piece) throws(BuildError) -> WrittenPiece {
    let (digest, fields) = piece.digest(names: names)
    var written = unsafe WrittenPiece(
      firstKey: Array(piece.record(0).folded), lastKey: Array(piece.record(piece.count - 1).folded),
      fields: fields, note: BuildNotes.Piece(shardCount: 0, isRestart: piece.isRestart, digest: digest),
      cells: cellFinder?.cells(of: piece) ?? [],
      ids: idField.map { IDCounter.hashes(of: piece, field: $0) } ?? [])
    if let known = try keptShards(ofPiece: digest) {
      written.shards = known
      written.shards[0].bound = piece.lowerBound
    } else {
      written.shards = try encode(piece, previous?.index.knownFrames(for: piece) ?? KnownFrames())
    }
    written.note.shardCount = written.shards.count
    return written
  }

  /// Returns the shards of a piece in the previous generation, with their ranks; nil if the piece must be encoded.
  private func keptShards(ofPiece digest: PieceDigest) throws(BuildError) -> [ManifestEncoder.Shard]? {
    guard let previous, let known = previous.index.shards(ofPiece: digest) else { return nil }
    var shards = known.map { ManifestEncoder.Shard($0) }
    if isRanked {
      for (index, shard) in known.enumerated() {
        guard let weights = try previous.ranks?.known(of: shard) else { return nil }
        shards[index].weights = weights
      }
    }
    if let sides = previous.sides {
      for (index, shard) in known.enumerated() { shards[index].sides = sides.kept(shard) }
    }
    return try publisher.keeps(known) ? shards : nil
  }

  private func encode(_ piece: Piece, _ known: KnownFrames) throws(BuildError) -> [ManifestEncoder.Shard] {
    var parts = try piece.encoded(limit: packing.shardLimit) {
      (part) throws(BuildError) -> (Piece, ShardEncoder.Content?) in
      // For a hundred thousand identical records no columns are made: the shard would be too large in any case.
      let least = part.count * ShardEncoder.leastRecordSize
      guard part.count == 1 || least <= packing.shardLimit else { return (part, nil) }
      return (part, encoder.encode((0..<part.count).map { part.record($0) }))
    } size: {
      $0.1?.size ?? .max
    }
    let compressor = compressors.acquire()
    defer { compressors.release(compressor) }
    var shards: [ManifestEncoder.Shard] = []
    var before: Piece?
    parts.reverse()  // From the end, so that each written content is freed.
    while let (part, content) = parts.popLast() {
      let sides = sideFields?.sides(of: part, parts: content!.partRanges)
      let file = encoder.file(content!, level: packing.level, with: compressor, known: known)
      let digest = Digest.sha256(file.bytes)
      let first = unsafe part.record(0).folded
      let label = unsafe Manifest.label(ofKey: first)
      try publisher.add(Manifest.fileName(label: label, digest: digest), file.bytes)
      let isContinuation = before.map { unsafe compareBytes($0.record($0.count - 1).folded, first) == 0 } ?? false
      var shard = ManifestEncoder.Shard(
        bound: part.lowerBound, records: file.recordCount,
        file: Manifest.File(
          size: file.bytes.count, headerSize: file.headerSize, headerContentSize: file.headerContentSize,
          headerChecksum: file.headerChecksum, isContinuation: isContinuation),
        digest: Array(digest.prefix(16)), label: label)
      (shard.weights, shard.sides) = (file.weights, sides)
      shards.append(shard)
      before = part
    }
    return shards
  }
}

/// The assembly of the output from the written shards, in order.
private struct Assembly: ~Copyable {
  private var output: Pipeline.Output
  private let publisher: Publisher
  private let names: [String]
  private let sideWriter: SideWriter
  private let countsIDs: Bool
  private var idCounter: IDCounter
  /// For each field number, whether a piece so far has the field.
  private var isNoted: [Bool]
  private var lastKey: [UInt8]?

  /// The level of zstd for notes and map: digests, which do not compress, and 18 frames, which level 12 makes 7 %
  /// smaller.
  private static let manifestLevel = 1

  init(of pipeline: Pipeline, _ compressors: CompressorPool) throws(BuildError) {
    (publisher, names) = (pipeline.publisher, pipeline.names)
    let tables = SideFields.tables(pipeline.settings)
    sideWriter = SideWriter(
      publisher: publisher, tables: tables, hasSketches: pipeline.settings.typos,
      level: pipeline.packing.level, compressors: compressors, checksKept: pipeline.checksKeptSides)
    output = Pipeline.Output(
      manifest: ManifestEncoder(level: Self.manifestLevel, compressors),
      notes: BuildNotes(level: pipeline.packing.level))
    if pipeline.settings.hasSides { output.manifest.sides = SidesEncoder(tables: tables) }
    if let previous = pipeline.previous { output.manifest.knownFrames = previous.index.knownManifestFrames }
    if pipeline.makesDensityGrid { output.densityGrid = DensityGrid() }
    countsIDs = pipeline.countedID != nil
    idCounter = try IDCounter(
      memory: pipeline.plan.ids, directory: publisher.runDirectory, expected: pipeline.countedID?.records ?? 0)
    isNoted = [Bool](repeating: false, count: names.count)
  }

  var recordCount: Int { output.manifest.recordCount }

  /// Adds the ranks of all following shards to the output.
  mutating func addRanks() { output.manifest.ranks = RanksEncoder() }

  /// Makes the side files of the full pages.
  private mutating func settleSides() throws(BuildError) {
    while let page = output.manifest.sides?.nextPage() {
      let (file, isNew) = try sideWriter.write(page)
      output.manifest.sides?.add(file: file, isNew: isNew)
    }
  }

  private mutating func note(_ fields: [UInt32]) {
    for number in fields where !isNoted[Int(number)] {
      isNoted[Int(number)] = true
      output.fieldNames.append(names[Int(number)])
    }
  }

  mutating func add(_ piece: consuming WrittenPiece) throws(BuildError) {
    piece.shards[0].file.isContinuation = lastKey == piece.firstKey
    if output.manifest.shardCount == 0 { piece.shards[0].bound = [] }
    for shard in piece.shards {
      output.manifest.add(shard)
      try settleSides()
    }
    output.notes.pieces.append(piece.note)
    lastKey = piece.lastKey
    note(piece.fields)
    for cell in piece.cells { output.densityGrid?.add(Int(cell)) }
    try idCounter.add(piece.ids)
  }

  mutating func add(kept pieces: Range<Int>, of kept: KeptIndex, lastKey key: [UInt8]) throws(BuildError) {
    guard let notes = kept.index.notes else { return }
    let shards = kept.index.shards[
      kept.index.firstShards[pieces.lowerBound]..<kept.index.firstShards[pieces.upperBound]]
    // As long as a field of that index is new, the loop reads the fields of each shard.
    var hasUnseen = kept.numbers.contains { !isNoted[Int($0)] }
    for shard in shards {
      publisher.keep(shard.fileName)
      var entry = ManifestEncoder.Shard(shard)
      if let ranks = kept.ranks { entry.weights = try ranks.weights(of: shard) }
      if let sides = kept.sides { entry.sides = sides.kept(shard) }
      output.manifest.add(entry)
      try settleSides()
      if hasUnseen {
        let fields = try BuildError.ofIndex { () throws(IndexError) in
          try kept.index.index.generation.fieldNumbers(of: shard)
        }
        note(fields.map { kept.numbers[Int($0)] })
        hasUnseen = kept.numbers.contains { !isNoted[Int($0)] }
      }
    }
    output.notes.pieces += notes.pieces[pieces]
    lastKey = key
  }

  consuming func finish() throws(BuildError) -> Pipeline.Output {
    output.manifest.finishPage()
    try settleSides()
    guard countsIDs else { return output }
    var output = output
    let count = try idCounter.finish()
    output.ids = count
    output.notes.repeatedIDs = count.ids - count.distinct
    output.notes.recordsWithoutID = output.manifest.recordCount - count.ids
    return output
  }
}

extension Pipeline.Output {
  /// Publishes the written shards as the index's new generation.
  ///
  /// - Parameters:
  ///   - densityGrid: The map, if the output has none.
  ///   - entries: The written entries.
  ///   - open: Opens the index of a manifest for its starts, if the publisher's directory lacks some of its files.
  func publish(
    _ settings: IndexSettings, _ packing: EncodingOptions, densityGrid: DensityBands? = nil,
    entries: WrittenEntries? = nil, to publisher: Publisher, _ previous: PreviousIndex?, threads: Int,
    _ summary: inout BuildSummary, open: (([UInt8]) throws(BuildError) -> ShardedIndex)? = nil
  ) throws(BuildError) {
    var encoder = manifest
    encoder.entries = entries?.head
    // Starts are made from the shards.
    if settings.starts { try publisher.settleAdded() }
    // The last files are synced while the manifest is made; the manifest is written after both.
    let syncing = Syncing()
    let syncer =
      threads > 1
      ? Worker {
        do throws(BuildError) { try publisher.settleAdded() } catch { syncing.failure = error }
      } : nil
    let file: [UInt8]
    do throws(BuildError) {
      let grid = densityGrid ?? self.densityGrid.map { DensityBands($0) }
      func manifest() throws(BuildError) -> [UInt8] {
        // The call ends an encoder, so it gets a copy.
        var encoder = encoder
        let file = try encoder.file(
          shardLimit: packing.shardLimit, partSize: packing.partSize, fieldNames: fieldNames,
          settings: settings.pairs(fieldNames: fieldNames), notes: notes, densityGrid: grid, threads: threads)
        try ManifestEncoder.checkSize(of: file, hasStarts: settings.starts)
        return file
      }
      if settings.starts {
        let without = try manifest()
        let size = without.count + shardBytes(of: encoder) + (entries?.bytes ?? 0)
        encoder.starts = try WrittenStarts(
          of: without, in: publisher, packing, indexSize: size, threads: threads, open: open)
      }
      file = try manifest()
    } catch {
      syncer?.join()
      throw error
    }
    syncer?.join()
    if let failure = syncing.failure { throw failure }
    let named = summary.previousDamage == nil ? previous.map(\.fileNames) ?? [] : nil
    let published = try publisher.publish(
      manifest: file, previous: named, overlay: previous?.index.generation.overlay == nil ? .stale : .replaced)
    summary.shardCount = encoder.shardCount + (entries?.shardCount ?? 0)
    summary.greatestWeight = encoder.ranks?.greatest
    summary.shardsWritten = published.written + published.repaired - (encoder.sides?.newCount ?? 0)
    summary.shardsWritten -= entries?.otherFilesWritten ?? 0
    summary.isUnchanged = published.isUnchanged
    summary.bytes = file.count + shardBytes(of: encoder) + (entries?.bytes ?? 0)
  }

  /// The bytes of the shards and of their side files.
  private func shardBytes(of encoder: ManifestEncoder) -> Int { encoder.shardBytes + (encoder.sides?.fileBytes ?? 0) }
}

/// The result of a thread that syncs files. The thread sets it; the thread's starter reads it after the join.
private final class Syncing: @unchecked Sendable {
  var failure: BuildError?
}
