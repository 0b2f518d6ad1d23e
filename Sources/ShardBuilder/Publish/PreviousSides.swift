import ShardedIndex

/// The sides of the previous generation: the values of the kept shards.
struct PreviousSides: SidesSource {
  private let previous: PreviousIndex
  private let tables: [SideTable]
  /// The fields of the previous generation; nil only if there are no sides to make.
  private let fields: SideFields
  /// Whether the previous generation has the same sides by the same settings.
  private let isUsable: Bool

  /// - Parameter settings: The settings of the new index.
  init?(_ previous: PreviousIndex, _ settings: IndexSettings) throws(BuildError) {
    guard let fields = try SideFields(settings, names: previous.index.fieldNames) else { return nil }
    let manifest = previous.index.generation.manifest
    let own = IndexSettings(of: manifest.root)
    (self.previous, self.fields, tables) = (previous, fields, SideFields.tables(settings))
    isUsable =
      manifest.hasSides && own.weight == settings.weight && own.weightScale == settings.weightScale
      && own.filter == settings.filter && own.near == settings.near && own.typos == settings.typos
      && own.coordinates == settings.coordinates && own.hasEntries == settings.hasEntries
      && (!own.hasEntries || Self.hasReadableEntries(previous.index.generation))
  }

  /// Returns whether the entries of a generation are of the kind that this program makes: sketches leave out the keys
  /// that entries lead to, and entries of an earlier kind are those of other keys. A range has its entries elsewhere, by
  /// this program.
  private static func hasReadableEntries(_ generation: Generation) -> Bool {
    do throws(IndexError) {
      _ = try generation.entries()
      return true
    } catch {
      return false
    }
  }

  package var identity: ObjectIdentifier { ObjectIdentifier(previous) }

  /// Returns the sides of a kept shard. They are read only if the shard's page changes.
  func kept(_ shard: Manifest.Shard) -> ShardSides {
    ShardSides(tables: tables.map { _ in .unread }, kept: (self, shard.number))
  }

  /// Returns the values of a kept shard in a table: from its side file, or else from its records.
  package func values(_ table: Int, ofShard number: Int) throws(BuildError) -> ShardSides.SideValues {
    do throws(IndexError) {
      if isUsable, let values = try previous.index.generation.values(tables[table], ofShard: number) {
        return .values(values)
      }
    } catch {
      // Damaged values count as none. If a read failed, the values may be sound.
      if case .io = error { throw .index(error) }
    }
    return try read(number, table).tables[0]
  }

  /// Returns the sketch of a kept shard: from its side file, or else from its records.
  package func sketch(ofShard number: Int) throws(BuildError) -> ShardSketch? {
    do throws(IndexError) {
      if isUsable { return try previous.index.generation.sketch(ofShard: number) }
    } catch {
      if case .io = error { throw .index(error) }
    }
    return try read(number, nil).sketch
  }

  /// Ends the reading of a shard that has more values than a table holds.
  private struct IsOver: Error {}

  /// Returns a table of a kept shard, or its sketch if `table` is nil, from its records.
  private func read(_ number: Int, _ table: Int?) throws(BuildError) -> ShardSides {
    var reader = SideFields.Reader(fields.only(table))
    return try BuildError.ofIndex { () throws(IndexError) in
      _ = try previous.index.generation.readWhole(previous.shards[number]) { (part) throws(IsOver) in
        reader.add(part)
        if reader.isOver { throw IsOver() }
      }
      return reader.finish()
    }
  }

  /// Returns the side file of the page of these shards in the previous generation; nil if they were not exactly the
  /// shards of one page, in order.
  package func page(of shards: [ShardSides]) -> SidePage? {
    guard isUsable, let first = shards.first?.kept?.shard, first % Manifest.pageCapacity == 0,
      shards.count == min(Manifest.pageCapacity, previous.shards.count - first)
    else { return nil }
    for (index, shard) in shards.enumerated() {
      guard let kept = shard.kept, kept.sides.identity == identity, kept.shard == first + index else { return nil }
    }
    return try? previous.index.generation.manifest.sidePage(first / Manifest.pageCapacity)
  }

  /// Returns the frames of the side files of the pages that these shards were in.
  package func knownFrames(of shards: [ShardSides]) -> KnownFrames {
    var known = KnownFrames(contexts: previous.index.generation.contexts)
    guard isUsable, previous.offersFrames else { return known }
    for page in Set(shards.compactMap { $0.kept.map { $0.shard / Manifest.pageCapacity } }) {
      guard let side = try? previous.index.generation.manifest.sidePage(page), side.fileSize > 0,
        let bytes = try? previous.index.generation.file(side)
      else { continue }
      known.add(framesOf: bytes)
    }
    return known
  }

  /// Returns whether the file of a page has the bytes that the manifest says.
  package func isSound(_ side: SidePage) -> Bool { (try? previous.index.generation.file(side)) != nil }
}

/// The writer of the side files of pages. It keeps the side files of the previous generation that occur again.
struct SideWriter: Sendable {
  let publisher: Publisher
  let tables: [SideTable]
  let steps: WeightStep
  let hasSketches: Bool
  let level: Int
  let compressors: CompressorPool
  /// Whether a kept file is read and compared with its digest.
  let checksKept: Bool

  /// Writes the side file of a page.
  func write(_ shards: [ShardSides]) throws(BuildError) -> SidePage {
    let previous = shards.lazy.compactMap(\.kept?.sides).first
    if let previous, let kept = previous.page(of: shards), kept.fileSize == 0 || !checksKept || previous.isSound(kept) {
      if kept.fileSize > 0 { publisher.keep(kept.fileName.text) }
      return kept
    }
    let known = previous?.knownFrames(of: shards) ?? KnownFrames()
    var contents: SidesEncoder.Contents = []
    for (index, table) in tables.enumerated() {
      guard let values = try values(of: shards, index) else { continue }
      contents += ValueTableEncoder.contents(table, values, steps: steps)
    }
    if hasSketches { contents += SketchPage(try sketches(of: shards)).contents }
    let (page, bytes) = SidesEncoder.file(contents) { content in
      known[content] ?? compressors.with { ZstdFrame.compress(content, level: level, with: $0) }
    }
    if !bytes.isEmpty { try publisher.add(page.fileName.text, bytes) }
    return page
  }

  private func sketches(of shards: [ShardSides]) throws(BuildError) -> [ShardSketch] {
    var sketches: [ShardSketch] = []
    for shard in shards {
      if let sketch = shard.sketch {
        sketches.append(sketch)
      } else if let kept = shard.kept, let sketch = try kept.sides.sketch(ofShard: kept.shard) {
        sketches.append(sketch)
      } else {
        preconditionFailure("a shard without a sketch")
      }
    }
    return sketches
  }

  /// Returns the values of a page's shards in a table; nil if there are more values than the table holds.
  private func values(of shards: [ShardSides], _ table: Int) throws(BuildError) -> [Generation.ShardValues]? {
    if shards.contains(where: { $0.tables[table] == .tooMany }) { return nil }
    var all: [Generation.ShardValues] = []
    var values: Set<[UInt8]> = []
    for shard in shards {
      var found = shard.tables[table]
      if found == .unread, let kept = shard.kept { found = try kept.sides.values(table, ofShard: kept.shard) }
      guard case .values(let found) = found else { return nil }
      values.formUnion(found.values)
      // Then the records of the other shards need not be read.
      if values.count > SideTable.valueLimit { return nil }
      all.append(found)
    }
    return all
  }
}
