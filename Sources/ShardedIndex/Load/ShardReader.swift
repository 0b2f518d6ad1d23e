/// The reader of one generation's shards. It finds resident parts, and loads the others.
package final class ShardReader: Sendable {
  let manifest: ManifestReader
  let directory: IndexDirectory
  package let cache: ShardCache
  let loader: ShardLoader
  /// The nodes of this generation's shards in the cache.
  private let nodes: ShardNodes
  /// The open files of shards. Loads that read whole files do not use them.
  let files: OpenFiles
  /// The manifest of that name in the directory; for entries, the manifest that names theirs.
  private let named: ManifestReader
  /// The entries, once a ranked query has opened them.
  let lazyEntries = OnceReference<EntriesReader>()

  /// - Parameter named: The manifest that names this one, for the manifest of entries.
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
    nodes = ShardNodes(count: manifest.shardCount)
  }

  /// Whether the shards have entries.
  var isOfEntries: Bool { named !== manifest }

  // MARK: Following another generation

  /// Adopts resident shards of the previous generation that are the same files in this one. No query uses this one yet.
  ///
  /// Reads the pages of the manifest that list those shards. If a read fails, later queries report it.
  func adoptResidents(of other: ShardReader) {
    // A resident shard has the field numbers of its manifest, and weights by its rule.
    guard manifest.hasFields(of: other.manifest) else { return }
    for (number, entry) in cache.residents(in: other.nodes) {
      guard let same = try? manifest.shardNumber(like: number, of: other.manifest) else { continue }
      cache.adopt(entry, of: same, in: nodes)
    }
  }

  /// Whether the directory has another manifest now.
  var isSuperseded: Bool {
    guard let stamp = directory.manifestStamp(), stamp != named.stamp else { return false }
    guard let file = try? directory.manifestFile(), let isSame = try? named.hasContent(of: file) else {
      return false
    }
    return !isSame
  }

  /// Returns the error for a missing shard: a rebuild, or a removed file.
  func explained(_ error: IndexError) -> IndexError {
    guard case .vanished = error, isSuperseded else { return error }
    // A pinned index has no other generation, so another query does not help.
    if loader.checksDigests, let file = try? directory.manifestFile(),
      file.size <= Manifest.sizeLimit, let found = try? file.digest(),
      let expected = try? named.digest()
    {
      return .wrongDigest(path: file.path, found: ManifestDigest(bytes: found), expected: expected)
    }
    return .superseded(path: directory.path)
  }

  // MARK: Headers and parts

  /// Returns the part of a shard with the number that `number` finds. Loads the part unless it is resident.
  ///
  /// - Parameters:
  ///   - promotes: Whether the use protects: the use of a query does, a walk through records does not.
  ///   - unpacks: Whether its records are read next. Then a load also unpacks the fields.
  @inline(__always)
  func part(
    of shard: Manifest.ShardPosition, promotes: Bool = true, unpacks: Bool = false, number: (PartTable) -> Int
  ) throws(IndexError) -> PartReference {
    if let part = cache.part(shard.number, in: nodes, promotes: promotes, number: number) {
      return PartReference(part: part, shard: shard.number, start: shard.firstRecord + part.firstRecord)
    }
    let opened = try header(shard.number, promotes)
    let part = try part(number(opened.shard.parts), of: opened, shard.number, promotes, unpacks)
    return PartReference(part: part, shard: shard.number, start: shard.firstRecord + part.firstRecord)
  }

  /// Returns the header of a shard. Loads the header unless it is resident.
  func shard(_ number: Int) throws(IndexError) -> LoadedShard {
    // Threads that must not wait come here too.
    if let shard = cache.header(number, in: nodes, promotes: true) { return shard }
    return try header(number, true).shard
  }

  /// A shard's header, and its file if the header was read now.
  private struct OpenedShard {
    let shard: LoadedShard
    let file: OpenFile?
  }

  @inline(never)
  private func header(_ shard: Int, _ promotes: Bool) throws(IndexError) -> OpenedShard {
    try ReadingTerms.admit(0, in: directory)
    var file: OpenFile?
    let found = try cache.header(shard, in: nodes, promotes: promotes) { () throws(IndexError) in
      try reading(shard, kept: nil) { (open) throws(IndexError) in
        file = open
        return LoadedShard(header: try loader.header(open.file, manifest.source(shard), of: manifest.root))
      }
    }
    return OpenedShard(shard: found, file: file)
  }

  @inline(never)
  private func part(
    _ number: Int, of opened: OpenedShard, _ shard: Int, _ promotes: Bool, _ unpacks: Bool
  ) throws(IndexError) -> LoadedPart {
    try ReadingTerms.admit(0, in: directory)
    return try cache.part(opened.shard, number, of: shard, in: nodes, promotes: promotes) { () throws(IndexError) in
      try reading(shard, kept: opened.file) { (open) throws(IndexError) in
        try loader.part(number, of: opened.shard.header, open.file, unpacks: unpacks)
      }
    }
  }

  /// Reads from a shard's open file. If there is none or the read fails, it reads from the file that has the name now,
  /// which may be sound.
  ///
  /// - Parameter kept: An open file; nil for the file that ``OpenFiles`` keeps, if any.
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

  /// Unpacks the fields of a part, unless they are unpacked.
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
      // There may be a sound file of this name now.
      files.close(reference.shard)
      cache.forget(reference.part)
      throw error
    }
  }

  /// Returns the path of a shard's file, for messages; the path of the directory if the manifest cannot be read.
  func filePath(of shard: Int) -> String {
    guard let source = try? manifest.source(shard) else { return directory.path }
    return directory.filePath(source.fileName.text)
  }
}
