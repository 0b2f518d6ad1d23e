/// One generation of an index, open: what answers are made of, and what they hold on to.
///
/// It goes on answering when the index has moved to another one. Generations of one index share its cache.
package final class Generation: Sendable {
  package let manifest: Manifest
  /// What is changed beside the shards; nil if nothing is.
  package let overlay: Overlay?
  package let directory: IndexDirectory
  let cache: ShardCache
  let loader: ShardLoader
  /// Where the cache has the shards of this generation.
  private let entries: EntryTable
  /// Of shards that parts were loaded of. Not where each load looks at a whole file.
  let files: OpenFiles
  private let lazySchema = OnceReference<Schema>()

  init(
    _ manifest: Manifest, _ overlay: Overlay?, directory: IndexDirectory, cache: ShardCache, loader: ShardLoader,
    openFileLimit: Int?
  ) {
    self.manifest = manifest
    self.overlay = overlay
    self.directory = directory
    self.cache = cache
    self.loader = loader
    files = OpenFiles(in: directory, limit: openFileLimit)
    entries = EntryTable(count: manifest.shardCount)
  }

  /// The shards of another, with another overlay or none: what is resident of them and open stays so.
  init(_ other: Generation, overlay: Overlay?) {
    manifest = other.manifest
    self.overlay = overlay
    directory = other.directory
    cache = other.cache
    loader = other.loader
    files = other.files
    entries = other.entries
  }

  /// Made when it is first asked for: a query by itself needs no names.
  package var schema: Schema { lazySchema.load() ?? lazySchema.storeIfNil(Schema(manifest)) }

  /// The decompression contexts of the index.
  package var contexts: DecompressorPool { loader.contexts }

  // MARK: Following another

  /// Finds what is resident of the generation before and is the same file in this one. Nobody else has this one yet.
  ///
  /// Reads the pages of the manifest that those shards stand on. What cannot be read now is for queries to report.
  func adoptResidents(of other: Generation) {
    // A resident shard leads to fields by the numbers that the manifest had for them.
    guard manifest.hasFieldNames(of: other.manifest) else { return }
    for (number, entry) in cache.residents(in: other.entries) {
      guard let same = try? manifest.shardNumber(like: number, of: other.manifest) else { continue }
      cache.adopt(entry, of: same, in: entries)
    }
  }

  /// Whether the directory has another manifest by now.
  package var isSuperseded: Bool {
    guard let stamp = directory.manifestStamp(), stamp != manifest.stamp else { return false }
    guard let file = try? directory.manifestFile(), let isSame = try? manifest.hasContent(of: file) else {
      return false
    }
    return !isSame
  }

  /// What a shard that is gone means.
  private func explained(_ error: IndexError) -> IndexError {
    guard case .vanished = error, isSuperseded else { return error }
    // Under a pin no other generation will do, and asking again does not help.
    if loader.checksDigests, let file = try? directory.manifestFile(),
      file.size <= Manifest.pinnedSizeLimit, let found = try? file.digest(),
      let expected = try? manifest.digest()
    {
      return .wrongDigest(path: file.path, found: ManifestDigest(bytes: found), expected: expected)
    }
    return .superseded(path: directory.path)
  }

  // MARK: Shards

  /// The part of a shard that `choose` names.
  ///
  /// - Parameters:
  ///   - promotes: Whether it counts as a use that the cache protects: a query's does, a walk through records does not.
  ///   - unpacks: Whether its records are read next: if it has to be loaded its fields are unpacked with it.
  @inline(__always)
  func part(
    of shard: Manifest.Place, promotes: Bool = true, unpacks: Bool = false, choose: (PartTable) -> Int
  ) throws(IndexError) -> PartReference {
    let part =
      if let found = cache.part(of: shard.number, in: entries, promotes: promotes, choose: choose) {
        found
      } else {
        try missingPart(of: shard.number, promotes, unpacks, choose)
      }
    return PartReference(part: part, shard: shard.number, start: shard.firstRecord &+ part.firstRecord)
  }

  @inline(never)
  private func missingPart(
    of shard: Int, _ promotes: Bool, _ unpacks: Bool, _ choose: (PartTable) -> Int
  ) throws(IndexError) -> LoadedPart {
    try ReadingTerms.admit(0, in: directory)
    return try cache.part(of: shard, in: entries, promotes: promotes, choose: choose) {
      (resident) throws(IndexError) in try load(shard, resident, unpacks, choose)
    }
  }

  private func load(
    _ shard: Int, _ resident: LoadedShard?, _ unpacks: Bool, _ choose: (PartTable) -> Int
  ) throws(IndexError) -> (LoadedShard, LoadedPart) {
    do throws(IndexError) {
      if loader.checksDigests { return try read(manifest.source(shard), resident, unpacks, choose) }
      if let kept = files.kept(shard), let found = try? part(shard, of: resident, kept, unpacks, choose) {
        return found
      }
      // Where it could not be read: what has its name by now may be sound.
      let open = try files.open(shard, manifest.source(shard))
      do throws(IndexError) {
        return try part(shard, of: resident, open, unpacks, choose)
      } catch {
        files.close(shard)
        throw error
      }
    } catch {
      throw explained(error)
    }
  }

  private func part(
    _ shard: Int, of resident: LoadedShard?, _ open: OpenFile, _ unpacks: Bool, _ choose: (PartTable) -> Int
  ) throws(IndexError) -> (LoadedShard, LoadedPart) {
    if let resident {
      let number = choose(resident.parts)
      return (resident, try loader.part(number, of: resident.header, open.file, unpacks: unpacks))
    }
    return try part(of: nil, open.file, manifest.source(shard), unpacks, choose)
  }

  /// Reads a part of a shard from its file, past the cache.
  func read(
    _ source: Manifest.Source, _ resident: LoadedShard?, _ unpacks: Bool = false, _ choose: (PartTable) -> Int
  ) throws(IndexError) -> (LoadedShard, LoadedPart) {
    try source.withFileName { (name) throws(IndexError) in
      try part(of: resident, loader.open(name, source), source, unpacks, choose)
    }
  }

  @inline(never)
  private func part(
    of resident: LoadedShard?, _ file: borrowing IndexFile, _ source: Manifest.Source, _ unpacks: Bool,
    _ choose: (PartTable) -> Int
  ) throws(IndexError) -> (LoadedShard, LoadedPart) {
    try loader.part(
      of: resident, file, source, choose: choose, unpacks: unpacks, fieldNumber: { manifest.fieldNumber(of: $0) })
  }

  /// Unpacks the fields of a part, if nobody did so before.
  @inline(never)
  func unpackFields(of reference: PartReference) throws(IndexError) -> FieldColumns {
    try ReadingTerms.admit(reference.part.weight, in: directory)
    do throws(IndexError) {
      return try reference.part.columns(
        unpack: { (packed) throws(IndexError) in
          try loader.columns(packed, of: reference.part, path: filePath(of: reference.shard))
        },
        grew: { cache.grew(reference.part, by: $0) })
    } catch {
      // By now there may be a sound file of this name.
      files.close(reference.shard)
      cache.forget(reference.part)
      throw error
    }
  }

  /// For messages; the directory's where the manifest cannot be read.
  func filePath(of shard: Int) -> String {
    guard let source = try? manifest.source(shard) else { return directory.path }
    return source.withFileName { directory.filePath(String(cString: $0)) }
  }

  /// Describes what of a shard is resident; nil if nothing is. Is no use of it.
  func resident<Description: Sendable>(
    _ shard: Int, _ describe: (LoadedShard, [LoadedPart]) -> Description
  ) -> Description? {
    cache.resident(shard, in: entries, describe)
  }

  // MARK: Answers

  /// All records.
  var recordCount: Int { manifest.recordCount + (overlay?.growth ?? 0) }

  /// The records of the shards that a folded text asks for, at most `limit` of them: an answer where there is no overlay.
  @inline(__always)
  func matchesInShards(forTyped text: UnsafeBufferPointer<UInt8>, limit: Int) throws(IndexError) -> ShardedIndex.Matches
  {
    guard manifest.shardCount > 0, text.count > 0 else { return allMatches(limit: limit) }
    let head = KeyBlocks.head(of: text)
    if Fold.hasSpace(text, head: head) { return try answer(inRuns: text, limit: limit) }
    return try matches(forFolded: text, head: head, limit: limit)
  }

  /// The records of the shards whose folded key begins with `prefix`, at most `limit` of them.
  @inline(never)
  func matches(forFolded prefix: UnsafeBufferPointer<UInt8>, limit: Int) throws(IndexError) -> ShardedIndex.Matches {
    guard manifest.shardCount > 0, prefix.count > 0 else { return allMatches(limit: limit) }
    return try matches(forFolded: prefix, head: KeyBlocks.head(of: prefix), limit: limit)
  }

  @inline(__always)
  private func matches(
    forFolded prefix: UnsafeBufferPointer<UInt8>, head: UInt64, limit: Int
  ) throws(IndexError) -> ShardedIndex.Matches {
    let (first, last) = try manifest.places(forPrefix: prefix, head: head)
    // Whoever says how many matches are wanted wants them read.
    let part = try part(of: first, unpacks: limit < .max) { $0.first(for: prefix, head: head) }
    let keys = part.part.keys
    // The part is there: nothing is counted.
    let searched = Unmanaged.passUnretained(part.part)
    searched._withUnsafeGuaranteedRef { $0.prefetchKeys() }
    let (lower, matches) = keys.lowerBound(of: prefix, head: head)
    // Whoever asks mostly reads the first matches next: what that takes is on its way while their end is searched.
    if matches { searched._withUnsafeGuaranteedRef { $0.prefetch(lower) } }
    let isOneShard = first.number == last.number
    let number = isOneShard ? part.part.header.parts.last(for: prefix, head: head, from: part.part.number) : nil
    guard number == part.part.number else {
      return try self.matches(forFolded: prefix, head, limit, from: part, lower, to: number, of: last)
    }
    let upper = matches ? keys.upperBound(of: prefix, from: lower) : lower
    return ShardedIndex.Matches(
      self, range: part.start &+ lower..<part.start &+ upper, limit: limit, first: part)
  }

  /// The records that a folded text asks for, at most `limit` of them, overlay included.
  @inline(never)
  func answer(forTyped text: UnsafeBufferPointer<UInt8>, limit: Int) throws(IndexError) -> ShardedIndex.Matches {
    guard overlay != nil else { return try matchesInShards(forTyped: text, limit: limit) }
    return try answer(inRuns: text, limit: limit)
  }

  /// Every record.
  var allRecords: ShardedIndex.Matches {
    ShardedIndex.Matches(self, range: 0..<recordCount, limit: .max, isOverlaid: overlay != nil)
  }

  /// Every record of the shards, at most `limit` of them.
  private func allMatches(limit: Int) -> ShardedIndex.Matches {
    ShardedIndex.Matches(self, range: 0..<manifest.recordCount, limit: limit)
  }

  /// The matches from a record of a part on up to the last that begins with `prefix`, in that part or a later one.
  @inline(never)
  func matches(
    forFolded prefix: UnsafeBufferPointer<UInt8>, _ head: UInt64, _ limit: Int, from part: __owned PartReference,
    _ record: Int, to lastPart: Int?, of last: Manifest.Place
  ) throws(IndexError) -> ShardedIndex.Matches {
    let lower = part.start &+ record
    // All before it match.
    let lastStart = last.firstRecord &+ (lastPart.map { part.part.header.parts[$0].firstRecord } ?? 0)
    if lastStart &- lower > limit {
      return ShardedIndex.Matches(self, range: lower..<lastStart, limit: limit, first: part)
    }
    let end = try self.part(of: last) { lastPart ?? $0.last(for: prefix, head: head, from: 0) }
    end.part.prefetchKeys()
    let (at, matches) = end.part.keys.lowerBound(of: prefix, head: head)
    let upper = end.start &+ (matches ? end.part.keys.upperBound(of: prefix, from: at) : at)
    return ShardedIndex.Matches(self, range: lower..<max(lower, upper), limit: limit, first: part)
  }
}
