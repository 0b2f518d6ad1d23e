/// A type-ahead index: a directory of shards, of which a query loads those it needs.
///
/// Opening reads the root of the manifest and nothing else; a query also reads the pages of the manifest that nothing
/// came upon before, two at most. Safe to use from any thread; a query takes no lock but for the moment in which it
/// finds a shard in the cache.
///
/// ```swift
/// let index = try ShardedIndex(opening: "shards")
/// let matches = try index.matches(forPrefix: "san ")
/// for record in try matches.records(in: 0..<min(20, matches.count)) { print(record.key) }
/// ```
public final class ShardedIndex: Sendable {
  let manifest: Manifest
  let directory: IndexDirectory
  let cache: ShardCache
  let loader: ShardLoader
  private let lazySchema = OnceReference<Schema>()

  /// Opens the index in a directory.
  ///
  /// - Parameter path: The directory that holds `manifest` and the shard files.
  /// - Throws: ``IndexError/notFound(path:)`` if there is no manifest, ``IndexError/corrupt(path:cause:)`` if its root
  ///   is damaged, of a newer format or folded by another table, ``IndexError/io(operation:path:errno:)``.
  public init(opening path: String, options: Options = Options()) throws(IndexError) {
    directory = try IndexDirectory(opening: path)
    let contexts = DecompressorPool()
    loader = ShardLoader(directory: directory, contexts: contexts)
    manifest = try Manifest(of: directory, contexts: contexts)
    cache = ShardCache(limitBytes: options.cacheLimitBytes, shardCount: manifest.shardCount)
  }

  /// Made when it is first asked for: a query by itself needs no names.
  var schema: Schema { lazySchema.load() ?? lazySchema.storeIfNil(Schema(manifest)) }

  /// The directory, as it was given.
  public var path: String { directory.path }
  /// All records of the index.
  public var recordCount: Int { manifest.recordCount }
  public var shardCount: Int { manifest.shardCount }
  /// Every field that some record has; a nested one is named by its path, `coord.lon`.
  public var fieldNames: [String] { schema.names }
  /// The template that makes a record's key: `{name}, {country}`.
  public var keyTemplate: String { schema.template.text }
  /// Whether every field that the template names is stored. If not, ``Record/key`` is the folded key.
  public var storesKeys: Bool { schema.isKeyStored }

  public var statistics: Statistics {
    let counts = cache.counts
    return Statistics(
      hits: counts.hits, misses: counts.misses, loads: counts.loads, evictions: counts.evictions,
      residentShards: counts.residentShards, residentBytes: counts.residentBytes, loadedBytes: counts.loadedBytes)
  }

  /// Gives back the memory of all resident shards: what an app does when the system asks for memory.
  ///
  /// Answers that are still held keep their shards until they go; queries load again.
  public func removeResidentShards() {
    cache.removeAll()
    loader.contexts.removeAll()
  }

  // MARK: Shards

  /// The part of a shard that `choose` names.
  ///
  /// - Parameter promotes: Whether it counts as a use that the cache protects: a query's does, a walk through records does not.
  @inline(__always)
  func part(
    of shard: Manifest.Shard, promotes: Bool = true, choose: (ShardHeader) -> Int
  ) throws(IndexError) -> PartReference {
    let part = try cache.part(of: shard.number, promotes: promotes, choose: choose) { (resident) throws(IndexError) in
      try load(shard, resident, choose)
    }
    return PartReference(part: part, shard: shard.number, start: shard.firstRecord &+ part.firstRecord)
  }

  @inline(never)
  private func load(
    _ shard: Manifest.Shard, _ resident: LoadedShard?, _ choose: (ShardHeader) -> Int
  ) throws(IndexError) -> (LoadedShard, LoadedPart) {
    try shard.withFileName { (name) throws(IndexError) in
      try loader.part(
        of: resident, name, shard.file, records: shard.recordCount, choose: choose,
        fieldNumber: { manifest.fieldNumber(of: $0) })
    }
  }

  @inline(__always)
  func fields(of reference: PartReference) throws(IndexError) -> LoadedFields {
    if let fields = reference.part.fields { return fields }
    return try unpackFields(of: reference)
  }

  @inline(never)
  private func unpackFields(of reference: PartReference) throws(IndexError) -> LoadedFields {
    try manifest.shard(reference.shard).withFileName { (name) throws(IndexError) in
      try reference.part.fields(
        unpack: { (packed) throws(IndexError) in
          try loader.fields(packed, name, of: reference.part)
        },
        grew: { cache.grew(reference.part, of: reference.shard, by: $0) })
    }
  }
}
