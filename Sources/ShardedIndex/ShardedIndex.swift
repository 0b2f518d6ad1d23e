import CLibrary

/// A type-ahead index: a directory of shards. A query loads only the shards that it needs.
///
/// Opening reads the root of the manifest and nothing else. A query also reads at most two pages of the manifest, if
/// they are not in memory. The index is safe to use from any thread. A query takes a lock only for the moment of a look
/// into the cache. In an index of millions of records it takes another lock to look for a page of the manifest.
///
/// ```swift
/// let index = try ShardedIndex(opening: "shards")
/// let matches = try index.matches(forPrefix: "san ")
/// for record in try matches.records(in: 0..<min(20, matches.count)) { print(record.key) }
/// ```
///
/// An index answers from the generation that it was opened on until ``reload()``. With ``Options/reloadInterval`` the
/// index also looks for newer generations by itself. Each answer comes from one generation.
public final class ShardedIndex: Sendable {
  private struct Latest: Sendable {
    var generation: Generation
    /// The stamp of the directory's files at the last look.
    var stamp: GenerationStamp
    /// The stamp of refused files: no query reads them again until one of them changes.
    var refused: GenerationStamp? = nil
    var reloads = 0
  }

  /// The generation of the opening. It lives as long as the index, so that queries reach it without a lock.
  private let first: Generation
  /// Whether queries answer from the first generation without a look for another.
  private let isAsOpened: Atomic<Bool>
  private let latest: Lock<Latest>
  /// The lock of a reload, which opens a manifest and puts it in place: one reload at a time.
  private let reloading = Lock<Int>(0)
  /// Whether the index may answer from the generation of the opening only.
  private let isPinned: Bool
  /// The interval in milliseconds; nil if the options have none.
  private let reloadInterval: Int?
  /// The time of the next look for a newer generation, in milliseconds.
  private let nextLook: Atomic<Int>

  /// The directory of the index.
  package let directory: IndexDirectory
  private let cache: ShardCache
  private let loader: ShardLoader
  private let openFileLimit: Int?

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
    self.directory = directory
    let contexts = DecompressorPool()
    loader = ShardLoader(
      directory: directory, contexts: contexts, checksDigests: options.expectedDigest != nil)
    cache = ShardCache(limitBytes: options.cacheLimitBytes)
    isPinned = options.expectedDigest != nil
    // A digest pins the manifest of a build, and does not cover an overlay.
    var overlayFile = isPinned || !readsOverlay ? nil : try directory.overlayFile()
    var manifest = try ManifestReader(
      of: directory, contexts: contexts, keeping: cache.pagesLimitBytes, digest: options.expectedDigest)
    while let stamp = Self.stamp(of: overlayFile), !directory.isOverlay(stamp) {
      overlayFile = try directory.overlayFile()
      manifest = try ManifestReader(of: directory, contexts: contexts, keeping: cache.pagesLimitBytes, digest: nil)
    }
    let overlay = try Self.overlay(overlayFile, beside: manifest)
    openFileLimit = options.openFileLimit
    first = Generation(
      ShardReader(manifest, cache: cache, loader: loader, openFileLimit: openFileLimit), overlay)
    latest = Lock(
      Latest(
        generation: first, stamp: GenerationStamp(manifest: manifest.stamp, overlay: Self.stamp(of: overlayFile))))
    reloadInterval = isPinned ? nil : options.reloadInterval.map(Self.milliseconds)
    nextLook = Atomic(reloadInterval.map { $0 > 0 ? Self.now &+ $0 : 0 } ?? 0)
    // With an overlay, queries take the way that looks for one. So do queries that ask a carrier more than once.
    isAsOpened = Atomic(reloadInterval == nil && overlay == nil && directory.carried?.gathers != true)
  }

  /// Opens the starts of an index as an index of their own, which never reloads.
  ///
  /// - Returns: nil if the index has none.
  package convenience init?(startsOf index: ShardedIndex) throws(IndexError) {
    guard let starts = try index.generation.starts() else { return nil }
    self.init(starts.generation, index.directory, index.loader, index.cache, index.openFileLimit)
  }

  /// Opens the entries of an index as an index of their own, whose records are the entries. It never reloads.
  ///
  /// - Returns: nil if the index has none.
  package convenience init?(entriesOf index: ShardedIndex) throws(IndexError) {
    guard let entries = try index.generation.entries() else { return nil }
    self.init(Generation(entries.shards, nil), index.directory, index.loader, index.cache, index.openFileLimit)
  }

  /// Makes an index from a manifest that the directory does not name, or not yet. It never reloads.
  package convenience init(_ manifest: ManifestReader, in directory: IndexDirectory) {
    let options = Options()
    let cache = ShardCache(limitBytes: options.cacheLimitBytes)
    let loader = ShardLoader(directory: directory, contexts: manifest.contexts, checksDigests: false)
    let shards = ShardReader(manifest, cache: cache, loader: loader, openFileLimit: options.openFileLimit)
    self.init(Generation(shards, nil), directory, loader, cache, options.openFileLimit)
  }

  /// Makes an index that answers from one generation for ever.
  private init(
    _ generation: Generation, _ directory: IndexDirectory, _ loader: ShardLoader, _ cache: ShardCache,
    _ openFileLimit: Int?
  ) {
    (self.directory, self.loader, self.cache, self.openFileLimit) = (directory, loader, cache, openFileLimit)
    isPinned = true
    first = generation
    latest = Lock(
      Latest(generation: first, stamp: GenerationStamp(manifest: generation.manifest.stamp, overlay: nil)))
    reloadInterval = nil
    nextLook = Atomic(0)
    isAsOpened = Atomic(true)
  }

  private static func overlay(
    _ file: borrowing IndexFile?, beside manifest: ManifestReader
  ) throws(IndexError) -> Overlay? {
    switch file {
    case .none: return nil
    case .some(let file): return try Overlay.reading(file, beside: manifest)
    }
  }

  private static func stamp(of file: borrowing IndexFile?) -> FileStamp? {
    switch file {
    case .none: return nil
    case .some(let file): return file.stamp
    }
  }

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
      loadedBytes: counts.loadedBytes, reloads: latest.withLock { $0.reloads })
  }

  /// Frees the memory of all shards in the cache and of pages of a large manifest, and closes open shard files. An app
  /// calls it when the system asks for memory.
  ///
  /// Answers that the app still holds keep their shards. Later queries load shards again.
  public func removeResidentShards() {
    cache.removeAll()
    for generation in [first, generation] {
      generation.manifest.removeRecentPages()
      generation.shards.files.removeAll()
      generation.shards.lazyEntries.load()?.removeResidents()
    }
    loader.contexts.removeAll()
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
  package var generation: Generation {
    isAsOpened.load(ordering: .acquiring) ? first : latest.withLock { $0.generation }
  }

  /// The generation to answer from, after a look at the directory if one is due.
  package var newest: Generation {
    if reloadInterval != nil { look() }
    return generation
  }

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
  public func reload() throws(IndexError) -> Bool {
    if isPinned { return false }
    return try reloading.withLock { (_) throws(IndexError) -> Bool in
      try takeNewest()
    }
  }

  /// Moves to a newer generation, and returns whether there was one. The caller holds the lock.
  private func takeNewest() throws(IndexError) -> Bool {
    let (held, stamp) = latest.withLock { ($0.generation, $0.stamp) }
    var overlayFile = try directory.overlayFile()
    var file = try directory.manifestFile()
    // Yet another generation may have replaced the overlay before the manifest was opened.
    while let overlay = Self.stamp(of: overlayFile), !directory.isOverlay(overlay) {
      overlayFile = try directory.overlayFile()
      file = try directory.manifestFile()
    }
    let found = GenerationStamp(manifest: file.stamp, overlay: Self.stamp(of: overlayFile))
    guard found != stamp else { return false }
    do throws(IndexError) {
      // If the old file can no longer be read, the new file counts as another one.
      let isSame = found.manifest == stamp.manifest || (try? held.manifest.hasContent(of: file)) == true
      let manifest =
        isSame ? held.manifest : try ManifestReader(file, contexts: loader.contexts, keeping: cache.pagesLimitBytes)
      let overlay = try Self.overlay(overlayFile, beside: manifest)
      if isSame, overlay?.checksum == held.overlay?.checksum {
        latest.withLock { $0.stamp = found }
        return false
      }
      let newer: Generation
      if isSame {
        newer = Generation(held.shards, overlay)
      } else {
        let shards = ShardReader(manifest, cache: cache, loader: loader, openFileLimit: openFileLimit)
        shards.adoptResidents(of: held.shards)
        newer = Generation(shards, overlay)
      }
      latest.withLock { (latest) -> Void in
        latest = Latest(generation: newer, stamp: found, reloads: latest.reloads + 1)
      }
      isAsOpened.store(false, ordering: .releasing)
      if !isSame {
        held.manifest.removeRecentPages()
        held.shards.files.removeAll()
        held.shards.lazyEntries.load()?.removeResidents()
      }
      return true
    } catch {
      if case .corrupt = error { latest.withLock { $0.refused = found } }
      throw error
    }
  }

  /// Reloads if it is time to look and the files have changed. A failure changes nothing.
  private func look() {
    if let reloadInterval, reloadInterval > 0 {
      let now = Self.now
      let due = nextLook.load(ordering: .relaxed)
      // One thread looks; the others use the present generation.
      guard now &- due >= 0,
        nextLook.compareExchange(expected: due, desired: now &+ reloadInterval, ordering: .relaxed).exchanged
      else { return }
    }
    let (stamp, refused) = latest.withLock { ($0.stamp, $0.refused) }
    // A thread that must not wait does not ask a carrier.
    guard directory.carried == nil || ReadingTerms.mayWait, let found = directory.generationStamp(), found != stamp,
      found != refused
    else { return }
    _ = try? reload()
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

  /// Returns the result of `body` for the newest generation. If the index follows rebuilds, `body` runs again where they
  /// remove files.
  func withNewest<Result>(
    _ body: (Generation) throws(IndexError) -> Result
  ) throws(IndexError) -> Result {
    reloadInterval == nil ? try body(newest) : try following(body)
  }

  /// Returns the result of `body` for the newest generation, or for a later one if builds remove files that `body`
  /// needs.
  package func following<Result>(
    _ body: (Generation) throws(IndexError) -> Result
  ) throws(IndexError) -> Result {
    try following(fault: { $0 }, reload: { _ = try? self.reload() }, body)
  }

  /// - Parameters:
  ///   - fault: Returns the index's error behind an error of `body`; nil if there is none.
  ///   - reload: Moves the index to a newer generation, if there is one.
  package func following<Result, Failure>(
    fault: (Failure) -> IndexError?, reload: () -> Void, _ body: (Generation) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var generation = newest
    var attempts = 0
    while true {
      do throws(Failure) {
        return try body(generation)
      } catch {
        attempts += 1
        // A thread that may not wait leaves the work to another thread. Another try needs a newer generation. The limit
        // of eight ends a race with rebuilds that are faster than a query.
        guard ReadingTerms.mayWait, attempts < 8, let fault = fault(error) else { throw error }
        switch fault {
        case .superseded: break
        // A shard is missing: a build may be about to publish another manifest.
        case .vanished where attempts < 2: break
        // The bytes are of the next manifest: no descriptor keeps the opened manifest of a store.
        case .corrupt where isFar && generation.isSuperseded: break
        default: throw error
        }
        reload()
        let next = self.generation
        guard next !== generation else { throw error }
        generation = next
      }
    }
  }

  /// Returns the matches of a folded text.
  @inline(__always)
  func matches(forFolded text: FoldedPrefix, limit: Int) throws(IndexError) -> Matches {
    if isAsOpened.load(ordering: .acquiring) {
      let answer = try first.answerOfShards(to: text, limit: limit)
      return Matches(first, answer)
    }
    return try latestMatches(forFolded: text, limit: limit)
  }

  /// The time of a clock that only goes forward, in milliseconds; it wraps if `Int` has 32 bits.
  private static var now: Int {
    var time = timespec()
    #if os(Linux)
      // Exact to a timer tick, and four times as fast as the exact clock.
      unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    #else
      clock_gettime(CLOCK_MONOTONIC, &time)
    #endif
    return Int(truncatingIfNeeded: Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000)
  }

  /// Returns a duration in milliseconds, rounded up: at least 0, and at most a century, or 12 days if `Int` has 32
  /// bits.
  private static func milliseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let limit: Int64 = Int.bitWidth == 64 ? 3_155_760_000 : 1_036_800
    return Int(min(seconds, limit)) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
