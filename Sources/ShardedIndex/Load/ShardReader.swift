/// The reader of one generation's shards: it finds the parts that are resident, and loads the others.
final class ShardReader: Sendable {
  let manifest: ManifestReader
  let directory: IndexDirectory
  let cache: ShardCache
  let loader: ShardLoader
  /// The positions in the cache of the shards of this generation.
  private let entries: EntryTable
  /// The files of shards that parts were loaded of. Not used where each load looks at a whole file.
  let files: OpenFiles
  /// The manifest that the directory has by that name: of entries, the one that names theirs.
  private let named: ManifestReader
  /// The entries, once a ranked query has come upon them.
  let lazyEntries = OnceReference<EntriesReader>()

  /// - Parameter named: The manifest that names this one, where this is that of entries.
  init(
    _ manifest: ManifestReader, cache: ShardCache, loader: ShardLoader, openFileLimit: Int?,
    named: ManifestReader? = nil
  ) {
    self.manifest = manifest
    self.named = named ?? manifest
    directory = loader.directory
    self.cache = cache
    self.loader = loader
    files = OpenFiles(in: directory, limit: openFileLimit)
    entries = EntryTable(count: manifest.shardCount)
  }

  // MARK: Following another generation

  /// Adopts the resident shards of the generation before that are the same files in this one, which no query uses yet.
  ///
  /// Reads the pages of the manifest that those shards stand on. What cannot be read now is for queries to report.
  func adoptResidents(of other: ShardReader) {
    // A resident shard leads to fields by the numbers that the manifest had for them, and keeps weights by its rule.
    guard manifest.hasFields(of: other.manifest) else { return }
    for (number, entry) in cache.residents(in: other.entries) {
      guard let same = try? manifest.shardNumber(like: number, of: other.manifest) else { continue }
      cache.adopt(entry, of: same, in: entries)
    }
  }

  /// Whether the directory has another manifest by now.
  var isSuperseded: Bool {
    guard let stamp = directory.manifestStamp(), stamp != named.stamp else { return false }
    guard let file = try? directory.manifestFile(), let isSame = try? named.hasContent(of: file) else {
      return false
    }
    return !isSame
  }

  /// Returns what a shard that is gone means.
  func explained(_ error: IndexError) -> IndexError {
    guard case .vanished = error, isSuperseded else { return error }
    // Under a pin no other generation will do, and asking again does not help.
    if loader.checksDigests, let file = try? directory.manifestFile(),
      file.size <= Manifest.pinnedSizeLimit, let found = try? file.digest(),
      let expected = try? named.digest()
    {
      return .wrongDigest(path: file.path, found: ManifestDigest(bytes: found), expected: expected)
    }
    return .superseded(path: directory.path)
  }

  // MARK: Headers and parts

  /// Returns the part of a shard whose number `number` gives, which is loaded if it is not resident.
  ///
  /// - Parameters:
  ///   - promotes: Whether this is a use that the cache protects: a query's is, a walk through records is not.
  ///   - unpacks: Whether its records are read next: if it has to be loaded its fields are unpacked with it.
  @inline(__always)
  func part(
    of shard: Manifest.ShardPosition, promotes: Bool = true, unpacks: Bool = false, number: (PartTable) -> Int
  ) throws(IndexError) -> PartReference {
    if let part = cache.part(shard.number, in: entries, promotes: promotes, number: number) {
      return PartReference(part: part, shard: shard.number, start: shard.firstRecord + part.firstRecord)
    }
    let opened = try header(shard.number, promotes)
    let part = try part(number(opened.shard.parts), of: opened, shard.number, promotes, unpacks)
    return PartReference(part: part, shard: shard.number, start: shard.firstRecord + part.firstRecord)
  }

  /// Returns the header of a shard, which is loaded if it is not resident.
  func shard(_ number: Int) throws(IndexError) -> LoadedShard {
    // A thread that must not wait gets here too.
    if let shard = cache.header(number, in: entries, promotes: true) { return shard }
    return try header(number, true).shard
  }

  /// A shard's header, and the file that it was read from, if it was read now.
  private struct Opened {
    let shard: LoadedShard
    let file: OpenFile?
  }

  @inline(never)
  private func header(_ shard: Int, _ promotes: Bool) throws(IndexError) -> Opened {
    try ReadingTerms.admit(0, in: directory)
    var file: OpenFile?
    let found = try cache.header(shard, in: entries, promotes: promotes) { () throws(IndexError) in
      try reading(shard, kept: nil) { (open) throws(IndexError) in
        file = open
        return LoadedShard(header: try loader.header(open.file, manifest.source(shard), of: manifest.root))
      }
    }
    return Opened(shard: found, file: file)
  }

  @inline(never)
  private func part(
    _ number: Int, of opened: Opened, _ shard: Int, _ promotes: Bool, _ unpacks: Bool
  ) throws(IndexError) -> LoadedPart {
    try ReadingTerms.admit(0, in: directory)
    return try cache.part(opened.shard, number, of: shard, in: entries, promotes: promotes) { () throws(IndexError) in
      try reading(shard, kept: opened.file) { (open) throws(IndexError) in
        try loader.part(number, of: opened.shard.header, open.file, unpacks: unpacks)
      }
    }
  }

  /// Reads from a shard's file: from one that is open, or else, and where that cannot be read, from the one that has
  /// its name now, which may be sound.
  ///
  /// - Parameter kept: A file that is open; nil for the one that ``OpenFiles`` keeps, if it does.
  private func reading<Value>(
    _ shard: Int, kept: OpenFile?, _ read: (OpenFile) throws(IndexError) -> Value
  ) throws(IndexError) -> Value {
    do throws(IndexError) {
      if let kept = kept ?? files.kept(shard), let found = try? read(kept) { return found }
      let place = manifest.place(ofShard: shard)
      if loader.checksDigests {
        return try read(OpenFile(try loader.open(manifest.source(shard), at: place), of: shard))
      }
      let open = try files.open(shard, manifest.source(shard), at: place)
      do throws(IndexError) {
        return try read(open)
      } catch {
        files.close(shard)
        throw error
      }
    } catch {
      throw explained(error)
    }
  }

  /// Unpacks the fields of a part, unless they are.
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

  /// Returns the path of a shard's file, for messages; the directory's where the manifest cannot be read.
  func filePath(of shard: Int) -> String {
    guard let source = try? manifest.source(shard) else { return directory.path }
    return directory.filePath(source.fileName.text)
  }

  /// Describes what of a shard is resident; nil if nothing is. This is no use of it.
  func resident<Description: Sendable>(
    _ shard: Int, _ describe: (LoadedShard, [LoadedPart]) -> Description
  ) -> Description? {
    cache.resident(shard, in: entries, describe)
  }
}
