import ShardedIndex

/// The second half of a build: it gets portions, and gives the shards and their list. It uses all processors.
struct Pipeline {
  /// The product of a pipeline.
  enum Target {
    /// An index. The pipeline makes the density grid, and counts the ids of at most `records` records if any record has
    /// the field `id`.
    case index(id: String?, records: Int)
    /// A range of an index, with grid and ids as in an index.
    case range(id: String?, records: Int)
    /// An index from the pieces of other indexes, from which its maker derives the grid and the number of ids.
    case joined
    /// The entries of an index.
    case entries
    /// The records of an index's starts.
    case starts

    /// Returns the settings of the product.
    ///
    /// - Parameter index: The settings of the index.
    fileprivate func settings(_ index: IndexSettings) -> IndexSettings {
      var settings = index
      switch self {
      case .index, .joined: break
      case .range: settings.starts = false
      case .entries: settings = EntryRules.settings(of: index)
      case .starts:
        // Records without weights get ranks if there are sides.
        settings.typos = index.isRanked && index.weight == nil
        (settings.filter, settings.number, settings.near, settings.starts) = ([], [], false, false)
        settings.synonyms = nil
      }
      return settings
    }
  }

  let site: BuildSite
  let names: [String]
  /// The settings of the product.
  let settings: IndexSettings
  /// The previous generation. Its pieces that occur again are not encoded again.
  let previous: KeptIndex?
  /// Whether the pipeline makes the density grid from the portions' records.
  fileprivate let makesDensityGrid: Bool
  /// The id field, and the most records that may come, if the pipeline counts ids.
  fileprivate let countedID: (field: UInt32, records: Int)?

  /// - Parameters:
  ///   - settings: The settings of the index.
  ///   - names: The names of the records' fields, by number.
  ///   - previous: The previous generation of the product.
  init(
    _ target: Target, _ settings: IndexSettings, names: FieldNames, at site: BuildSite,
    replacing previous: PreviousIndex? = nil
  ) throws(BuildError) {
    let settings = target.settings(settings)
    (self.site, self.settings, self.names) = (site, settings, names.names)
    self.previous = try previous.map { (previous) throws(BuildError) in try KeptIndex(previous, settings) }
    switch target {
    case .index(let id, let records), .range(let id, let records):
      makesDensityGrid = true
      countedID = id.flatMap { names.names.firstIndex(of: $0) }.map { (UInt32($0), records) }
    case .joined, .entries, .starts: (makesDensityGrid, countedID) = (false, nil)
    }
  }

  /// The parts of the manifest.
  struct ManifestParts {
    let site: BuildSite
    var settings: IndexSettings
    var manifest: ManifestEncoder
    var fieldNames: [String] = []
    var notes: BuildNotes
    /// The density grid; nil if the pipeline made none.
    var densityGrid: DensityBands?
    /// The count of the ids, if the pipeline counted them.
    var ids: IDCounter.Count?
    /// The number of shards with a new file.
    var shardsWritten = 0
  }

  /// Writes the shards of all pieces, as ``write(next:progress:)``.
  func write(_ pieces: PieceStream, progress: (Int) -> Void = { _ in }) throws(BuildError) -> ManifestParts {
    try write(next: { () throws(BuildError) in try pieces.nextPiece().map { .records($0) } }, progress: progress)
  }

  /// Writes the shards of all portions.
  ///
  /// - Parameter next: Returns the portions, in order; called on this thread.
  /// - Parameter progress: Called with the number of finished records.
  func write(
    next: () throws(BuildError) -> Portion?, progress: (Int) -> Void = { _ in }
  ) throws(BuildError) -> ManifestParts {
    let compressors = CompressorPool()
    let rankField = try RankField(settings, names: names)
    let writer = PieceWriter(
      publisher: site.publisher, names: names, packing: site.packing, previous: previous,
      sideFields: try SideFields(settings, names: names), numberFields: NumberFields(settings, names: names),
      cellFinder: makesDensityGrid ? CellFinder(names: names, settings.coordinateFields) : nil,
      idField: countedID?.field,
      encoder: ShardEncoder(names: names, partSize: site.packing.partSize, rankField), isRanked: rankField != nil,
      compressors: compressors)
    var assembly = try Assembly(of: self, compressors)
    if rankField != nil { assembly.addRanks() }
    if !settings.number.isEmpty { assembly.addNumbers(ofFields: settings.number.count) }
    try WorkerPool.orderedMap(
      threads: min(site.plan.writers, site.threads), budget: site.plan.pieces,
      cost: {
        if case .records(let piece) = $0 { site.plan.cost(piece) } else { 0 }
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
  var shards: [ManifestEncoder.ListedShard] = []
  /// The number of shards with a new file.
  var newCount = 0
  var firstKey: [UInt8]
  var lastKey: [UInt8]
  var fields: [UInt32]
  var note: BuildNotes.NotedPiece
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
  let numberFields: NumberFields?
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
      fields: fields, note: BuildNotes.NotedPiece(shardCount: 0, isRestart: piece.isRestart, digest: digest),
      cells: cellFinder?.cells(of: piece) ?? [],
      ids: idField.map { IDCounter.hashes(of: piece, field: $0) } ?? [])
    if let known = try keptShards(ofPiece: digest) {
      written.shards = known
      written.shards[0].bound = piece.lowerBound
    } else {
      try encode(piece, previous?.index.knownFrames(for: piece) ?? KnownFrames(), into: &written)
    }
    written.note.shardCount = written.shards.count
    return written
  }

  /// Returns the shards of a piece in the previous generation, with their ranks; nil if the piece must be encoded.
  private func keptShards(ofPiece digest: PieceDigest) throws(BuildError) -> [ManifestEncoder.ListedShard]? {
    guard let previous, let known = previous.index.shards(ofPiece: digest) else { return nil }
    var shards = known.map { ManifestEncoder.ListedShard($0) }
    if isRanked {
      for (index, shard) in known.enumerated() {
        guard let weights = try previous.ranks?.known(of: shard) else { return nil }
        shards[index].weights = weights
      }
    }
    if let numbers = previous.columns {
      for (index, shard) in known.enumerated() { shards[index].numbers = try numbers.columns(of: shard) }
    }
    if let sides = previous.sides {
      for (index, shard) in known.enumerated() { shards[index].sides = sides.kept(shard) }
    }
    if previous.index.isCompared {
      for shard in known { publisher.keep(shard.fileName) }
      return shards
    }
    return try publisher.keeps(known) ? shards : nil
  }

  private func encode(_ piece: Piece, _ known: KnownFrames, into written: inout WrittenPiece) throws(BuildError) {
    var parts = try piece.encoded(limit: packing.shardLimit) {
      (part) throws(BuildError) -> (Piece, ShardEncoder.PlainShard?) in
      // For a hundred thousand identical records no columns are made: the shard would be too large in any case.
      let least = part.count * ShardEncoder.leastRecordSize
      guard part.count == 1 || least <= packing.shardLimit else { return (part, nil) }
      return (part, encoder.encode((0..<part.count).map { part.record($0) }))
    } size: {
      $0.1?.size ?? .max
    }
    let compressor = compressors.acquire()
    defer { compressors.release(compressor) }
    var before: Piece?
    parts.reverse()  // From the end, so that each written content is freed.
    while let (part, content) = parts.popLast() {
      let sides = sideFields?.sides(of: part, parts: content!.partRanges)
      let numbers = numberFields?.columns(of: part, parts: content!.partRanges) ?? []
      let file = encoder.file(content!, level: packing.level, with: compressor, known: known)
      let digest = Digest.sha256(file.bytes)
      let first = unsafe part.record(0).folded
      let label = unsafe Manifest.label(ofKey: first)
      if try publisher.add(Manifest.fileName(label: label, digest: digest), file.bytes) != .kept {
        written.newCount += 1
      }
      let isContinuation = before.map { unsafe compareBytes($0.record($0.count - 1).folded, first) == 0 } ?? false
      var shard = ManifestEncoder.ListedShard(
        bound: part.lowerBound, records: file.recordCount,
        file: Manifest.File(
          size: file.bytes.count, headerSize: file.headerSize, headerContentSize: file.headerContentSize,
          headerChecksum: file.headerChecksum, isContinuation: isContinuation),
        digest: Array(digest.prefix(16)), label: label)
      (shard.weights, shard.numbers, shard.sides) = (file.weights, numbers, sides)
      written.shards.append(shard)
      before = part
    }
  }
}

/// The assembly of the output from the written shards, in order.
private struct Assembly: ~Copyable {
  private var output: Pipeline.ManifestParts
  private var densityGrid: DensityGrid?
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
    let (site, settings) = (pipeline.site, pipeline.settings)
    (publisher, names) = (site.publisher, pipeline.names)
    let tables = SideFields.tables(settings)
    sideWriter = SideWriter(
      publisher: publisher, tables: tables, steps: WeightStep(ofEntries: settings.isOfEntries),
      hasSketches: settings.typos, level: site.packing.level, compressors: compressors,
      checksKept: pipeline.previous?.index.isCompared != true)
    output = Pipeline.ManifestParts(
      site: site, settings: settings, manifest: ManifestEncoder(level: Self.manifestLevel, compressors),
      notes: BuildNotes(level: site.packing.level))
    if settings.hasSides { output.manifest.sides = SidesEncoder(tables: tables) }
    if let previous = pipeline.previous { output.manifest.knownFrames = previous.index.knownManifestFrames }
    if pipeline.makesDensityGrid { densityGrid = DensityGrid() }
    countsIDs = pipeline.countedID != nil
    idCounter = try IDCounter(
      memory: site.plan.ids, directory: publisher.runDirectory, expected: pipeline.countedID?.records ?? 0)
    isNoted = [Bool](repeating: false, count: names.count)
  }

  var recordCount: Int { output.manifest.recordCount }

  /// Adds the ranks of all following shards to the output.
  mutating func addRanks() { output.manifest.ranks = MaximaEncoder(.ranks) }

  /// Adds the numbers of all following shards to the output.
  mutating func addNumbers(ofFields count: Int) { output.manifest.numbers = MaximaEncoder(.numbers(fields: count)) }

  /// Makes the side files of the full pages.
  private mutating func settleSides() throws(BuildError) {
    while let page = output.manifest.sides?.nextPage() {
      let file = try sideWriter.write(page)
      output.manifest.sides?.add(file: file)
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
    output.shardsWritten += piece.newCount
    output.notes.pieces.append(piece.note)
    lastKey = piece.lastKey
    note(piece.fields)
    for cell in piece.cells { densityGrid?.add(Int(cell)) }
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
      var entry = ManifestEncoder.ListedShard(shard)
      if let ranks = kept.ranks { entry.weights = try ranks.weights(of: shard) }
      if let numbers = kept.columns { entry.numbers = try numbers.columns(of: shard) }
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

  consuming func finish() throws(BuildError) -> Pipeline.ManifestParts {
    output.manifest.finishPage()
    try settleSides()
    var output = output
    output.densityGrid = densityGrid.map { DensityBands($0) }
    guard countsIDs else { return output }
    let count = try idCounter.finish()
    output.ids = count
    output.notes.repeatedIDs = count.ids - count.distinct
    output.notes.recordsWithoutID = output.manifest.recordCount - count.ids
    return output
  }
}

extension Pipeline.ManifestParts {
  /// Returns the manifest. Call it once.
  ///
  /// - Parameter starts: Makes the starts from the manifest without starts; nil for none.
  mutating func manifestFile(
    starts: (([UInt8]) throws(BuildError) -> WrittenStarts)? = nil
  ) throws(BuildError) -> [UInt8] {
    let file = try manifest.file(
      shardLimit: site.packing.shardLimit, partSize: site.packing.partSize, fieldNames: fieldNames,
      settings: settings.pairs(fieldNames: fieldNames), notes: notes, densityGrid: densityGrid, threads: site.threads,
      starts: starts)
    // macOS before 15 cannot compare a closure that throws one type of errors.
    let hasStarts = if case .some = starts { true } else { false }
    try ManifestEncoder.checkSize(of: file, hasStarts: hasStarts)
    return file
  }

  /// Notes the id field of the index. If no record has the field, there is nothing to count, and no id repeats.
  mutating func noteID(_ id: String?) {
    settings.id = id
    notes.repeatedIDs = id.map { _ in notes.repeatedIDs ?? 0 }
  }

  /// The bytes of the shards and of their side files.
  var shardBytes: Int { manifest.shardBytes + (manifest.sides?.fileBytes ?? 0) }
}
