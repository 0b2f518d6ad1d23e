/// A type-ahead index: a directory of shards. A query loads only the shards that it needs.
///
/// Opening reads the root of the manifest and nothing else. A query also reads at most two pages of the manifest, if
/// they are not in memory. The index is safe to use from any thread. A query takes a lock only for the moment of a look
/// into the cache. In an index of millions of records it takes another lock to look for a page of the manifest.
///
/// ```swift
/// let index = try ShardedIndex(opening: "shards")
/// let matches = try index.search("san ", order: .key)
/// for record in try matches.records(in: 0..<min(20, matches.count)) { print(record.key) }
/// ```
///
/// An index answers from the generation that it was opened on until ``reload()``. With ``Options/reloadInterval`` the
/// index also looks for newer generations by itself. Each answer comes from one generation.
public final class ShardedIndex: Sendable {
  /// The generations that the index answers from.
  private let generations: Generations
  private var cache: ShardCache { generations.first.shards.cache }

  /// Opens the index in a directory.
  ///
  /// - Parameters:
  ///   - path: The directory that holds `manifest` and the shard files.
  ///   - options: The memory that it may keep, and whether it follows rebuilds.
  /// - Throws: ``IndexError/notFound(path:)`` if there is no manifest, ``IndexError/corrupt(path:cause:)`` if its root
  ///   is damaged, of a newer format or folded by another table, ``IndexError/io(operation:path:errno:)``,
  ///   ``IndexError/wrongDigest(path:found:expected:)`` if the manifest has another digest than
  ///   ``Options/expectedDigest``.
  public convenience init(opening path: String, options: Options = Options()) throws(IndexError) {
    try self.init(IndexDirectory(opening: path), options: options)
  }

  /// Opens the index in an open directory.
  ///
  /// - Parameter readsOverlay: Whether the index reads the overlay. An index that is pinned by a digest never does.
  package init(
    _ directory: IndexDirectory, options: Options, readsOverlay: Bool = true
  ) throws(IndexError) {
    generations = try Generations(in: directory, options, readsOverlay: readsOverlay)
  }

  /// Makes an index that answers from one generation for ever.
  private init(_ generation: Generation) { generations = Generations(generation) }

  /// Opens the starts of an index as an index of their own, which never reloads.
  ///
  /// - Returns: nil if the index has none.
  package convenience init?(startsOf index: ShardedIndex) throws(IndexError) {
    guard let starts = try index.generation.starts() else { return nil }
    self.init(starts.generation)
  }

  /// Opens the entries of an index as an index of their own, whose records are the entries. It never reloads.
  ///
  /// - Returns: nil if the index has none.
  package convenience init?(entriesOf index: ShardedIndex) throws(IndexError) {
    guard let entries = try index.generation.entries() else { return nil }
    self.init(Generation(entries.shards, nil))
  }

  /// Makes an index from a manifest that the directory does not name, or not yet. It never reloads.
  package convenience init(_ manifest: ManifestReader, in directory: IndexDirectory) {
    let options = Options()
    let cache = ShardCache(limitBytes: options.cacheLimitBytes)
    let loader = ShardLoader(directory: directory, contexts: manifest.contexts, checksDigests: false)
    self.init(
      Generation(ShardReader(manifest, cache: cache, loader: loader, openFileLimit: options.openFileLimit), nil))
  }

  /// The directory of the index.
  package var directory: IndexDirectory { generations.first.directory }
  /// The directory, as it was given.
  public var path: String { directory.path }
  /// Whether the bytes of the index come by a carrier.
  package var isFar: Bool { directory.carried != nil }
  /// The number of records in the index.
  public var recordCount: Int { generation.recordCount }
  /// The number of shards, each a file.
  public var shardCount: Int { generation.manifest.shardCount }
  /// The names of all fields that records have; a nested field is named by its path, `coord.lon`.
  public var fieldNames: [String] { generation.schema.names }
  /// The template that makes a record's key: `{name}, {country}`.
  public var keyTemplate: String { generation.schema.template.text }
  /// Whether the index stores every field that the template names. If not, ``Record/key`` is the folded key.
  public var storesKeys: Bool { generation.schema.isKeyStored }

  /// The counters of the index since it was opened, over all threads.
  public var statistics: Statistics {
    let (counts, shards) = (cache.counts, generation.shards)
    return Statistics(
      hits: counts.hits, misses: counts.misses, loads: counts.loads, evictions: counts.evictions,
      residentShards: counts.residentShards, residentBytes: counts.residentBytes,
      manifestBytes: shards.manifest.residentSize + (shards.lazyEntries.load()?.residentSize ?? 0),
      loadedBytes: counts.loadedBytes, reloads: generations.reloads)
  }

  /// Frees the memory of all shards in the cache and of pages of a large manifest, and closes open shard files. An app
  /// calls it when the system asks for memory.
  ///
  /// Answers that the app still holds keep their shards. Later queries load shards again.
  public func removeResidentShards() {
    cache.removeAll()
    for generation in [generations.first, generation] { generation.removeResidents() }
    generation.contexts.removeAll()
  }

  /// Returns the density grid of the generation that the index answers from, read from the manifest at each call.
  ///
  /// - Returns: nil if no record has coordinates.
  /// - Throws: ``IndexError``, if the manifest is damaged there or cannot be read.
  /// - Complexity: O(*c*): *c* cells of the grid. Reads no shard.
  public func densityGrid() throws(IndexError) -> DensityGrid? { try generation.densityGrid() }

  // MARK: Generations

  /// Returns the SHA-256 of the manifest that the index answers from, for ``Options/expectedDigest``.
  ///
  /// - Throws: ``IndexError`` if the file cannot be read.
  /// - Complexity: O(*n*): *n* bytes of the manifest. Reads all of them.
  public func manifestDigest() throws(IndexError) -> ManifestDigest { try generation.manifest.digest() }

  /// The generation to answer from.
  package var generation: Generation { generations.current }

  /// The generation to answer from, after a look at the directory if one is due.
  package var newest: Generation { generations.newest }

  /// Moves to the newest generation in the directory, if that is another one.
  ///
  /// Later queries answer from the new generation; ``Matches``, ``Records`` and sessions stay with theirs. Shards that
  /// are the same file in both generations stay in memory. Reads the new manifest's root, and the pages that list the
  /// shards in memory. Queries on other threads do not wait.
  ///
  /// - Returns: Whether the index moved to a newer generation. A build that changed nothing makes no generation. With
  ///   ``Options/expectedDigest`` the index never moves.
  /// - Throws: ``IndexError`` as opening does. Then the index stays with its generation.
  @discardableResult
  public func reload() throws(IndexError) -> Bool { try generations.reload() }

  /// Returns the result of `body` for the newest generation. If the index follows rebuilds, `body` runs again where they
  /// remove files.
  func withNewest<Result>(_ body: (Generation) throws(IndexError) -> Result) throws(IndexError) -> Result {
    try generations.withNewest(body)
  }

  /// Returns the result of `body` for the newest generation, or for a later one if builds remove files that `body`
  /// needs.
  package func following<Result>(_ body: (Generation) throws(IndexError) -> Result) throws(IndexError) -> Result {
    try generations.following(body)
  }

  /// - Parameters:
  ///   - fault: Returns the index's error behind an error of `body`; nil if there is none.
  ///   - reload: Moves the index to a newer generation, if there is one.
  package func following<Result, Failure>(
    fault: (Failure) -> IndexError?, reload: () -> Void, _ body: (Generation) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try generations.following(fault: fault, reload: reload, body)
  }

  /// Returns the matches of a folded text.
  @inline(__always)
  func matches(forFolded text: FoldedPrefix, limit: Int) throws(IndexError) -> Matches {
    if generations.areAsOpened {
      let first = generations.first
      return Matches(first, try first.answerOfShards(to: text, limit: limit))
    }
    return try latestMatches(forFolded: text, limit: limit)
  }

  /// Returns the matches of a text in an index that may have moved to another generation.
  @inline(never)
  private func latestMatches(
    forFolded text: FoldedPrefix, limit: Int
  ) throws(IndexError) -> Matches {
    try withNewest { (generation) throws(IndexError) in
      // In a directory there is nothing to gather, and starts save no reads.
      guard isFar else { return Matches(generation, try generation.answer(to: text, limit: limit)) }
      var source = generation
      return try generation.gathering(ahead: { source.prefetch(text, limit: limit) }) { () throws(IndexError) in
        source = try generation.nearest(to: text, count: limit)
        return Matches(source, try source.answer(to: text, limit: limit))
      }
    }
  }
}
