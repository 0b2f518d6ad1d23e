import ShardedIndex

/// What an index is made of, in order.
enum Portion: Sendable {
  /// Records that become a shard, or several.
  case records(Piece)
  /// Pieces of the generation before, by number, that stay as they are; and the last key of the last of them, which is
  /// empty when no records follow.
  case kept(Range<Int>, lastKey: [UInt8])
}

/// Makes shards of pieces, on all cores, and a list of all shards.
struct Pipeline {
  let publisher: Publisher
  let plan: MemoryPlan
  let names: [String]
  let packing: EncodingOptions
  /// Its pieces that come again are not encoded again.
  let previous: PreviousIndex?
  /// At most.
  var threads = Int.max
  /// Whether the map of dots is made of the portions' records; else the caller makes it.
  var makesDots = true
  /// The field by which records are told apart, if ids are counted here, and the most records that may come; else the
  /// caller counts.
  private(set) var countedID: (field: UInt32, records: Int)?

  /// Has the ids of at most `records` records counted, if any has the field.
  mutating func count(_ id: String?, of records: Int) {
    countedID = id.flatMap { names.firstIndex(of: $0) }.map { (UInt32($0), records) }
  }

  /// zstd's, for notes and map: digests that nothing compresses, and 18 frames that 12 makes 7 % smaller.
  private static let manifestLevel = 1

  /// What the manifest is made of.
  struct Output {
    var manifest: ManifestEncoder
    var fieldNames: [String] = []
    var notes: BuildNotes
    /// nil where the caller makes it.
    var dots: DotMap?
    /// Of the ids, where they were counted.
    var ids: IDCounter.Count?
  }

  /// A piece that was written.
  private struct Finished: Sendable {
    /// All but the first as they stand in the manifest; whether the first continues another shard, its neighbour tells.
    var shards: [ManifestEncoder.Shard] = []
    var firstKey: [UInt8]
    var lastKey: [UInt8]
    var fields: [UInt32]
    var note: BuildNotes.Piece
    var cells: [UInt32]
    var ids: [UInt64]
  }

  private enum Result: Sendable {
    case written(Finished)
    case kept(Range<Int>, lastKey: [UInt8])
  }

  /// - Parameter next: The portions, in order; called on this thread.
  /// - Parameter progress: Told how many records are done.
  func write(
    next: () throws(BuildError) -> Portion?, progress: (Int) -> Void
  ) throws(BuildError) -> Output {
    let encoder = ShardEncoder(names: names, partSize: packing.partSize)
    let compressors = CompressorPool()
    var output = Output(
      manifest: ManifestEncoder(level: Self.manifestLevel, compressors), notes: BuildNotes(level: packing.level))
    if let previous { output.manifest.knownFrames = previous.knownManifestFrames }
    let cellFinder = makesDots ? CellFinder(names: names) : nil
    if makesDots { output.dots = DotMap() }
    var idCounter = try IDCounter(
      memory: plan.ids, directory: publisher.runDirectory, expected: countedID?.records ?? 0)
    let idField = countedID?.field
    // By field, whether a piece that came had it.
    var isNoted = [Bool](repeating: false, count: names.count)
    // Of the generation before: as long as there are some, the shards that are kept are asked for theirs.
    var unseenFields = previous?.index.fieldCount ?? 0
    var lastKey: [UInt8]?
    func note(_ fields: [UInt32]) {
      for number in fields where !isNoted[Int(number)] {
        isNoted[Int(number)] = true
        output.fieldNames.append(names[Int(number)])
        if Int(number) < previous?.index.fieldCount ?? 0 { unseenFields -= 1 }
      }
    }
    try WorkerPool.orderedMap(
      threads: min(plan.writers, threads), budget: plan.pieces,
      cost: {
        if case .records(let piece) = $0 { plan.cost(piece) } else { 0 }
      },
      next: next,
      transform: {
        [publisher, names, packing, previous, cellFinder, idField] (portion) throws(BuildError) -> Result in
        switch portion {
        case .kept(let pieces, let lastKey): return .kept(pieces, lastKey: lastKey)
        case .records(let piece):
          let (digest, fields) = piece.digest(names: names)
          var finished = Finished(
            firstKey: Array(piece.record(0).folded), lastKey: Array(piece.record(piece.count - 1).folded),
            fields: fields, note: BuildNotes.Piece(shardCount: 0, isRestart: piece.isRestart, digest: digest),
            cells: cellFinder?.cells(of: piece) ?? [],
            ids: idField.map { IDCounter.hashes(of: piece, field: $0) } ?? [])
          if let known = previous?.shards(ofPiece: digest), try publisher.keeps(known) {
            finished.shards = known.map { ManifestEncoder.Shard($0) }
            finished.shards[0].bound = piece.lowerBound
          } else {
            let known = previous?.knownFrames(for: piece) ?? KnownFrames()
            finished.shards = try Self.encode(piece, encoder, packing, compressors, known, to: publisher)
          }
          finished.note.shardCount = finished.shards.count
          return .written(finished)
        }
      },
      deliver: { (result) throws(BuildError) in
        switch result {
        case .written(var piece):
          piece.shards[0].file.isContinuation = lastKey == piece.firstKey
          if output.manifest.shardCount == 0 { piece.shards[0].bound = [] }
          for shard in piece.shards { output.manifest.add(shard) }
          output.notes.pieces.append(piece.note)
          lastKey = piece.lastKey
          note(piece.fields)
          for cell in piece.cells { output.dots?.add(Int(cell)) }
          try idCounter.add(piece.ids)
        case .kept(let pieces, let key):
          guard let previous, let notes = previous.notes else { return }
          for shard in previous.shards[
            previous.firstShards[pieces.lowerBound]..<previous.firstShards[pieces.upperBound]]
          {
            publisher.keep(shard.fileName)
            output.manifest.add(ManifestEncoder.Shard(shard))
            if unseenFields > 0 {
              do throws(IndexError) { note(try previous.index.fieldNumbers(of: shard)) } catch { throw .index(error) }
            }
          }
          output.notes.pieces += notes.pieces[pieces]
          lastKey = key
        }
        progress(output.manifest.recordCount)
      })
    if countedID != nil {
      let count = try idCounter.finish()
      output.ids = count
      output.notes.repeatedIDs = count.ids - count.distinct
      output.notes.recordsWithoutID = output.manifest.recordCount - count.ids
    }
    return output
  }

  private static func encode(
    _ piece: Piece, _ encoder: ShardEncoder, _ packing: EncodingOptions, _ compressors: CompressorPool,
    _ known: KnownFrames, to publisher: Publisher
  ) throws(BuildError) -> [ManifestEncoder.Shard] {
    var parts = try piece.encoded(limit: packing.shardLimit) {
      (part) throws(BuildError) -> (Piece, ShardEncoder.Content?) in
      // Of a hundred thousand records that are all the same no columns are made: they are too large in any case.
      let least = part.count * ShardEncoder.leastRecordSize
      guard part.count == 1 || least <= packing.shardLimit else { return (part, nil) }
      return (part, encoder.encode((0..<part.count).map { part.record($0) }))
    } size: {
      $0.1?.size ?? .max
    }
    let compressor = compressors.take()
    defer { compressors.put(compressor) }
    var shards: [ManifestEncoder.Shard] = []
    var before: Piece?
    parts.reverse()  // Taken from the end, and let go.
    while let (part, content) = parts.popLast() {
      let file = encoder.file(content!, level: packing.level, with: compressor, known: known)
      let digest = file.bytes.withUnsafeBufferPointer { Digest.sha256($0) }
      let first = part.record(0).folded
      let label = Manifest.label(ofKey: first)
      try publisher.add(Manifest.fileName(label: label, digest: digest), file.bytes)
      let isContinuation = before.map { compareBytes($0.record($0.count - 1).folded, first) == 0 } ?? false
      shards.append(
        ManifestEncoder.Shard(
          bound: part.lowerBound, records: file.recordCount,
          file: Manifest.File(
            size: file.bytes.count, headerSize: file.headerSize, headerContentSize: file.headerContentSize,
            headerChecksum: file.headerChecksum, isContinuation: isContinuation),
          digest: Array(digest.prefix(16)), label: label))
      before = part
    }
    return shards
  }
}

/// Compression contexts that no thread is using.
final class CompressorPool: @unchecked Sendable {
  private let monitor = Monitor()
  private var idle: [Compressor] = []

  func take() -> Compressor { monitor.withLock { idle.popLast() } ?? Compressor() }
  func put(_ compressor: Compressor) { monitor.withLock { idle.append(compressor) } }

  func with<Value>(_ body: (Compressor) -> Value) -> Value {
    let compressor = take()
    defer { put(compressor) }
    return body(compressor)
  }
}
