import CLibrary
import ShardedIndex

extension WrittenStarts {
  /// Makes the starts of a generation whose shards exist.
  ///
  /// They take at most 2 % of the index, or 16 KiB of a small one. If the starts of all texts are larger, the ones of
  /// ``StartsChoice`` remain.
  ///
  /// - Parameters:
  ///   - manifest: The manifest of the generation, without starts.
  ///   - site: The index's directory. If `open` is nil, it has all files that the manifest names.
  ///   - indexSize: The bytes of the generation without starts.
  ///   - open: Opens the index of a manifest whose files are elsewhere.
  init(
    of manifest: [UInt8], at site: BuildSite, indexSize: Int,
    open: (([UInt8]) throws(BuildError) -> ShardedIndex)? = nil
  ) throws(BuildError) {
    let publisher = site.publisher
    let index: ShardedIndex
    if let open { index = try open(manifest) } else { index = try Self.open(manifest, in: publisher) }
    let limit = StartsChoice.limit(ofIndex: indexSize)
    let isByRank = index.generation.manifest.isRanked
    let choice = try StartsChoice(of: try Self.texts(of: index), in: index, isByRank: isByRank)
    var room = limit * StartsChoice.greatestRatio
    defer { publisher.removeStarts() }
    while true {
      let (texts, positions, size) = choice.chosen(within: room)
      publisher.removeStarts()
      let path = publisher.path(Publisher.startsName)
      try Self.write(positions, of: index, at: BuildSite(try Publisher(directory: path), site.options))
      let (written, files) = try Self.files(in: path)
      let made = WrittenStarts(
        texts, files, rootChecksum: UInt32(truncatingIfNeeded: written.generation.manifest.rootChecksum),
        isByRank: isByRank)
      let found = files.reduce(made.head.content.count) { $0 + $1.count }
      if found <= limit || texts.isEmpty {
        self = made
        return
      }
      // The next choice is smaller by at least a sixteenth, and so the loop ends.
      room = min(size - size / 16 - 1, Int(Double(size) * Double(limit) / Double(found) * 0.97))
    }
  }

  private static func open(_ manifest: [UInt8], in publisher: Publisher) throws(BuildError) -> ShardedIndex {
    let descriptor = try SystemFile.openTemporary(in: publisher.runDirectory)
    do throws(BuildError) {
      try SystemFile.write(manifest, to: descriptor, path: publisher.directory)
    } catch {
      _ = close(descriptor)
      throw error
    }
    return try BuildError.ofIndex { () throws(IndexError) in
      let directory = try publisher.openDirectory()
      return ShardedIndex(try ManifestReader(descriptor: descriptor, of: directory), in: directory)
    }
  }

  /// A text whose matches are in several shards.
  struct Text {
    let text: [UInt8]
    /// The number of lower bounds that are longer and begin with the text.
    var bounds: Int
  }

  /// Returns the texts whose matches are in several shards, of keys or of entries, ascending. They are the beginnings of
  /// lower bounds that end with a character before the bound ends; with ranks also the empty text, for a list before a
  /// person types. No text has a space, because the meaning of a space depends on the keys.
  static func texts(of index: ShardedIndex) throws(BuildError) -> [Text] {
    var texts: [[UInt8]: Int] = [:]
    let least = index.generation.manifest.isRanked ? 0 : 1
    for bound in try BuildError.ofIndex({ () throws(IndexError) in try bounds(of: index) }) {
      for end in bound.indices.dropFirst(least).prefix(while: { $0 <= StartsHead.textSizeLimit }) {
        if end > 0, bound[end - 1] == UInt8(ascii: " ") { break }
        // A text ends only after a whole character.
        if bound[end] & 0xC0 != 0x80 { texts[Array(bound[..<end]), default: 0] += 1 }
      }
    }
    let all = texts.sorted { $0.key.lexicographicallyPrecedes($1.key) }.prefix(StartsHead.textLimit)
    return all.map { Text(text: $0.key, bounds: $0.value) }
  }

  /// Returns the lower bounds of the shards of an index, and of the shards of its entries.
  private static func bounds(of index: ShardedIndex) throws(IndexError) -> [[UInt8]] {
    var bounds: [[UInt8]] = []
    for manifest in [index.generation.manifest, try index.generation.entries()?.manifest] {
      guard let manifest else { continue }
      for number in 0..<manifest.shardCount { bounds.append(try manifest.bound(number)) }
    }
    return bounds
  }

  /// Returns the positions of each text's first matches, or of its matches with the highest ranks. There is one more
  /// than answers have, which shows whether there are more.
  ///
  /// - Parameter isByRank: Whether the positions are those of the highest ranks alone. Else an index with ranks has
  ///   both: ``StartsHead/isByRank``.
  static func positions(
    of texts: [[UInt8]], in index: ShardedIndex, isByRank: Bool
  ) throws(IndexError) -> Set<Int> {
    var positions: Set<Int> = []
    for text in texts {
      if !isByRank { positions.formUnion(try first(text, in: index)) }
      if index.generation.manifest.isRanked { positions.formUnion(try best(text, in: index)) }
    }
    return positions
  }

  private static func first(_ text: [UInt8], in index: ShardedIndex) throws(IndexError) -> Range<Int> {
    try text.withFoldedPrefix { (text) throws(IndexError) in
      try index.matchesInShards(forFoldedPrefix: text, limit: StartsHead.depth + 1).positions[0]
    }
  }

  private static func best(_ text: [UInt8], in index: ShardedIndex) throws(IndexError) -> [Int] {
    var hits = try ShardedIndex.RankedHits(text, typos: .none, in: index.generation)
    try hits.find(StartsHead.depth + 1)
    return hits.positions
  }

  /// Returns the sizes of records in bytes before compression.
  static func sizes(of positions: [Int], in index: ShardedIndex) throws(BuildError) -> [Int] {
    let names = FieldNames(index.fieldNames)
    let template = try KeyTemplate(checking: IndexSettings(of: index.generation.manifest.root).key)
    var records = IndexedRecords(index, template: template, names: names)
    let all = try BuildError.ofIndex { () throws(IndexError) in try index.matches(forPrefix: "") }
    var sizes: [Int] = []
    for position in positions { sizes.append(try records.withRecord(position, of: all) { $0.size }) }
    return sizes
  }

  /// Writes an index of some records.
  private static func write(
    _ positions: Set<Int>, of index: ShardedIndex, at site: BuildSite
  ) throws(BuildError) {
    let names = FieldNames(index.fieldNames)
    let pipeline = try Pipeline(
      .starts, IndexSettings(of: index.generation.manifest.root), names: names, at: site)
    let collector = try EntryCollector(
      pipeline.settings, names: names, options: site.options, directory: site.publisher.runDirectory)
    let chunk = RecordArena(capacity: 0)
    var records = IndexedRecords(index, template: try KeyTemplate(checking: pipeline.settings.key), names: names)
    let all = try BuildError.ofIndex { () throws(IndexError) in try index.matches(forPrefix: "") }
    for position in positions.sorted() { try records.withRecord(position, of: all) { chunk.append($0) } }
    let run = RecordRun(chunk: chunk, entries: chunk.removeEntries(from: 0))
    try collector?.add((0..<run.count).map { run.record($0) })
    var cutter = Cutter(limit: site.packing.shardLimit, order: RecordOrder(names: names))
    for entry in run.entries { cutter.append(entry, of: run.chunk) }
    cutter.finish()
    var pieces = cutter.finished[...]
    let output = try pipeline.write(next: { () throws(BuildError) in pieces.popFirst().map { .records($0) } })
    let entries = try collector?.write(pipeline.settings, at: site)
    var summary = BuildSummary()
    try Publication(of: output, entries: entries).publish(&summary)
  }

  /// Returns the index in a directory, and the bytes of its files.
  private static func files(in path: String) throws(BuildError) -> (ShardedIndex, [[UInt8]]) {
    do throws(PackError) {
      let index = try ArchivedFiles.reading { () throws(IndexError) in try ShardedIndex(opening: path) }
      let archived = ArchivedFiles(index: index)
      var files = [try ArchivedFiles.reading { () throws(IndexError) in try index.generation.manifest.fileBytes() }]
      try archived.forEach { (file) throws(PackError) in files.append(try file.map(archived.bytes) ?? []) }
      return (index, files)
    } catch {
      if case .index(let error) = error { throw .index(error) }
      throw .dataset(.bad, message: "the starts cannot be read; build the index again")
    }
  }
}
