import CLibrary

/// The generations of an index: the generation of the opening, and the newest one that the index has moved to.
struct Generations: ~Copyable, Sendable {
  // Were it private, the compiler could not build the other files of this module without optimization.
  struct Latest: Sendable {
    var generation: Generation
    /// The stamp of the directory's files at the last look.
    var stamp: GenerationStamp
    /// The stamp of refused files: no query reads them again until one of them changes.
    var refused: GenerationStamp? = nil
    var reloads = 0
  }

  /// The generation of the opening. It lives as long as the index, so that queries reach it without a lock.
  let first: Generation
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

  /// Opens the newest generation in a directory.
  ///
  /// - Parameter readsOverlay: Whether the index reads the overlay. An index that is pinned by a digest never does.
  init(in directory: IndexDirectory, _ options: ShardedIndex.Options, readsOverlay: Bool) throws(IndexError) {
    let contexts = DecompressorPool()
    isPinned = options.expectedDigest != nil
    let loader = ShardLoader(directory: directory, contexts: contexts, checksDigests: isPinned)
    let cache = ShardCache(limitBytes: options.cacheLimitBytes)
    // A digest pins the manifest of a build, and does not cover an overlay.
    var overlayFile = isPinned || !readsOverlay ? nil : try directory.overlayFile()
    var manifest = try ManifestReader(
      of: directory, contexts: contexts, keeping: cache.pagesLimitBytes, digest: options.expectedDigest)
    while let stamp = Self.stamp(of: overlayFile), !directory.isOverlay(stamp) {
      overlayFile = try directory.overlayFile()
      manifest = try ManifestReader(of: directory, contexts: contexts, keeping: cache.pagesLimitBytes, digest: nil)
    }
    let overlay = try Self.overlay(overlayFile, beside: manifest)
    first = Generation(
      ShardReader(manifest, cache: cache, loader: loader, openFileLimit: options.openFileLimit), overlay)
    latest = Lock(
      Latest(
        generation: first, stamp: GenerationStamp(manifest: manifest.stamp, overlay: Self.stamp(of: overlayFile))))
    reloadInterval = isPinned ? nil : options.reloadInterval.map(Self.milliseconds)
    nextLook = Atomic(reloadInterval.map { $0 > 0 ? Self.now &+ $0 : 0 } ?? 0)
    // With an overlay, queries take the way that looks for one. So do queries that ask a carrier more than once.
    isAsOpened = Atomic(reloadInterval == nil && overlay == nil && directory.carried?.gathers != true)
  }

  /// Makes the generations of an index that answers from one generation for ever.
  init(_ generation: Generation) {
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
    case .some(let file): return try manifest.overlay(in: file)
    }
  }

  private static func stamp(of file: borrowing IndexFile?) -> FileStamp? {
    switch file {
    case .none: return nil
    case .some(let file): return file.stamp
    }
  }

  /// Whether queries answer from ``first``, with no look for another generation, without an overlay, and with no
  /// carrier that gathers.
  @inline(__always) var areAsOpened: Bool { isAsOpened.load(ordering: .acquiring) }

  /// The generation to answer from.
  var current: Generation { areAsOpened ? first : latest.withLock { $0.generation } }

  /// The generation to answer from, after a look at the directory if one is due.
  var newest: Generation {
    if reloadInterval != nil { look() }
    return current
  }

  /// The number of moves to a newer generation.
  var reloads: Int { latest.withLock { $0.reloads } }

  // MARK: Moving to a newer generation

  /// Moves to the newest generation in the directory; returns whether that is another one.
  func reload() throws(IndexError) -> Bool {
    if isPinned { return false }
    return try reloading.withLock { (_) throws(IndexError) -> Bool in try moveToNewest() }
  }

  /// Moves to a newer generation, and returns whether there was one. The caller holds the lock.
  private func moveToNewest() throws(IndexError) -> Bool {
    let (held, stamp) = latest.withLock { ($0.generation, $0.stamp) }
    let (directory, cache, loader) = (held.directory, held.shards.cache, held.shards.loader)
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
        let shards = ShardReader(manifest, cache: cache, loader: loader, openFileLimit: held.shards.files.limit)
        shards.adoptResidents(of: held.shards)
        newer = Generation(shards, overlay)
      }
      latest.withLock { (latest) -> Void in
        latest = Latest(generation: newer, stamp: found, reloads: latest.reloads + 1)
      }
      isAsOpened.store(false, ordering: .releasing)
      if !isSame { held.removeResidents() }
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
    let directory = first.directory
    // A thread that must not wait does not ask a carrier.
    guard directory.carried == nil || ReadingTerms.mayWait, let found = directory.generationStamp(), found != stamp,
      found != refused
    else { return }
    _ = try? reload()
  }

  // MARK: Following

  /// Returns the result of `body` for the newest generation. If the index follows rebuilds, `body` runs again where they
  /// remove files.
  func withNewest<Result>(
    _ body: (Generation) throws(IndexError) -> Result
  ) throws(IndexError) -> Result {
    reloadInterval == nil ? try body(newest) : try following(body)
  }

  /// Returns the result of `body` for the newest generation, or for a later one if builds remove files that `body`
  /// needs.
  func following<Result>(
    _ body: (Generation) throws(IndexError) -> Result
  ) throws(IndexError) -> Result {
    try following(fault: { $0 }, reload: { _ = try? self.reload() }, body)
  }

  /// - Parameters:
  ///   - fault: Returns the index's error behind an error of `body`; nil if there is none.
  ///   - reload: Moves the index to a newer generation, if there is one.
  func following<Result, Failure>(
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
        case .corrupt where generation.isFar && generation.isSuperseded: break
        default: throw error
        }
        reload()
        let next = current
        guard next !== generation else { throw error }
        generation = next
      }
    }
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
