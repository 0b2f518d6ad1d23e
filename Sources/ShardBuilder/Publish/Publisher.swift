import CLibrary
import ShardedIndex

/// Writes one generation of an index: new shard files, then the manifest. The rename of the manifest makes the
/// generation.
///
/// A publisher is the only builder of its directory, because it holds the locks of ``HeldDirectory``. After a build
/// that fails or is killed, the previous generation is there. A publisher touches shards, the manifest, the overlay,
/// the lock file and its own temporary files, and no other file: ``OwnFile`` tells them apart.
package final class Publisher: @unchecked Sendable {  // `monitor` guards `state`; one thread publishes.
  /// The outcome of writing a file.
  package enum FileOutcome: Sendable {
    /// The directory had no file of this name.
    case written
    /// The directory had a file with these bytes.
    case kept
    /// The directory had other bytes under this name: damage, which the build has replaced.
    case repaired
  }

  package struct PublishSummary: Sendable, Equatable {
    package var written = 0
    package var kept = 0
    package var repaired = 0
    /// The number of removed shards of older generations.
    package var removed = 0
    /// The number of shards of older generations that could not be removed; the next build tries again.
    package var leftBehind = 0
    /// Whether the directory had this generation already, so that nothing was written.
    package var isUnchanged = false

    package init(written: Int = 0, kept: Int = 0, repaired: Int = 0, removed: Int = 0) {
      (self.written, self.kept, self.repaired, self.removed) = (written, kept, repaired, removed)
    }
  }

  package static let manifestName = "manifest"
  package static let overlayName = Overlay.fileName
  package static let lockName = HeldDirectory.lockName

  /// The fate of the current overlay when a manifest is published.
  package enum OverlayFate: Sendable {
    /// The overlay belongs to the replaced manifest, and is removed after it.
    case replaced
    /// The overlay belongs to no current manifest, because a build was killed. It is removed first: it may belong to
    /// the new manifest.
    case stale
    /// The overlay belongs to the published manifest.
    case kept
  }

  /// A call whose place in the order decides the state after a power cut; tests observe these calls in order.
  package enum Step: Equatable, Sendable {
    /// The medium has a file, under its name of this time.
    case syncFile(String)
    /// The medium has the directory, with all names of this time.
    case syncNames
    case rename(String, to: String)
    case remove(String)
  }

  /// A written file that is not synced yet.
  struct Waiting {
    var descriptor: CInt
    var temporary: String
    var name: String
    var isNew: Bool
  }

  struct State {
    var temporaryCount: UInt64 = 0
    var waiting: [Waiting] = []
    /// The number of groups that threads are syncing now, and of files closed so far.
    var settlingCount = 0
    var closedCount = 0
    var temporaries: [String] = []  // Few: files are settled in groups.
    var added: [String] = []  // Final names that are new.
    var current = NameTable()
    var summary = PublishSummary()
    var isOver = false
  }

  /// The directory's path, as the caller gave it.
  var directory: String { held.path }
  let held: HeldDirectory
  var descriptor: CInt { held.descriptor }
  let observe: (@Sendable (Step) -> Void)?
  /// Whether the directory has an overlay.
  var hasOverlay: Bool
  let monitor = Monitor()
  var state = State()

  /// Creates the directory if it is missing (its parent must exist), locks it, and removes temporary files of a killed
  /// build. As long as there is no generation, it syncs the parent too: otherwise a power cut could remove the
  /// directory.
  ///
  /// - Parameters:
  ///   - provesReplaced: Whether the publisher proves that it replaces no file of another program. A repair has proofs
  ///     of its own.
  ///   - observe: Called before every step.
  /// - Throws: ``BuildError/locked(path:)`` while another build runs; ``BuildError/io(operation:path:errno:)``;
  ///   ``BuildError/foreignFile(path:)``.
  package init(
    directory: String, provesReplaced: Bool = true, observe: (@Sendable (Step) -> Void)? = nil
  ) throws(BuildError) {
    self.observe = observe
    held = try HeldDirectory(creating: directory)
    hasOverlay = true
    let names = try list()
    hasOverlay = names.contains(Self.overlayName)
    if provesReplaced { try refuseForeign(names) }
    for name in names where Self.isTemporaryName(name) && OwnFile.isOurs(name, in: descriptor) { _ = remove(name) }
    if names.contains(Self.startsName) { removeStarts() }
    // This is also for an existing directory: the build that made it may have been killed before this sync.
    if !names.contains(Self.manifestName) { try syncParent() }
  }

  deinit { abandon() }

  /// Throws if the manifest or the overlay is a file of another program, which the next generation would replace.
  private func refuseForeign(_ names: [String]) throws(BuildError) {
    if names.contains(Self.manifestName), !Self.hasManifest(names, in: descriptor) {
      throw .foreignFile(path: path(Self.manifestName))
    }
    if hasOverlay, OwnFile.proof(of: Self.overlayName, in: descriptor) == false {
      throw .foreignFile(path: path(Self.overlayName))
    }
  }

  /// Makes the added shards and this manifest the new generation of the index.
  ///
  /// Afterwards the function removes shards that are neither in this generation nor in `previous`. Until the manifest
  /// takes its place, the index stays as it was. If the rename of the manifest fails, the added shards stay: a file
  /// system in trouble may rename the file and report a failure. If the last sync of the directory fails, the new
  /// generation is there, but a power cut may restore the old one.
  ///
  /// - Parameter previous: The names of the shards in the replaced manifest; nil if it is damaged, so that the names
  ///   are unknown. Then no shard is removed: a reader may have opened the index before the damage.
  /// - Throws: ``BuildError/replaced(path:)`` if the directory or the lock file at its path has been replaced.
  package func publish(
    manifest: [UInt8], previous: [String]?, overlay: OverlayFate = .stale
  ) throws(BuildError) -> PublishSummary {
    checkNotOver()
    let isChanged = monitor.withLock { state.summary.written + state.summary.repaired > 0 }
    if !isChanged, try existing(Self.manifestName, manifest) == .kept {
      return try publishUnchanged(previous, overlay)
    }
    let temporary = try orAbandon { () throws(BuildError) in
      try settleAdded()
      // This sync also puts a stale overlay's changes on the medium, in the current manifest.
      try syncNames()
      let temporary = try writeSynced(manifest)
      try held.check()
      if overlay == .stale, hasOverlay {
        try removeOverlay()
        try syncNames()
        try held.check()
      }
      return temporary
    }
    setOver()
    do throws(BuildError) {
      try rename(temporary, Self.manifestName)
    } catch {
      _ = remove(temporary)
      throw error
    }
    try syncNames()
    if overlay == .replaced, hasOverlay {
      try removeOverlay()
      try syncNames()
    }
    mark(monitor.withLock { state.current.names })
    return removeOthers(than: previous)
  }

  /// Publishes a manifest that the directory has already.
  private func publishUnchanged(_ previous: [String]?, _ overlay: OverlayFate) throws(BuildError) -> PublishSummary {
    try orAbandon { () throws(BuildError) in try held.check() }
    setOver()
    let isUnchanged = !(hasOverlay && overlay == .replaced)
    if hasOverlay, overlay != .kept {
      // The build that published the manifest may have been killed before the medium had the manifest, which has the
      // changes of a stale overlay.
      try syncNames()
      try removeOverlay()
    }
    try syncNames()
    mark(monitor.withLock { state.current.names })
    var summary = removeOthers(than: previous)
    summary.isUnchanged = isUnchanged
    return summary
  }

  /// Makes the added shards permanent under the current manifest, which names them. They were damaged.
  ///
  /// - Throws: ``BuildError``; new files are removed again.
  package func finish() throws(BuildError) {
    checkNotOver()
    try orAbandon { () throws(BuildError) in
      try settleAdded()
      try syncNames()
      try held.check()
    }
    setOver()
    // Files whose writing failed: a later attempt adds them.
    monitor.withLock {
      for name in state.temporaries { _ = remove(name) }
      state.temporaries.removeAll()
    }
  }

  /// Removes everything that was added. Does nothing once ``publish(manifest:previous:)`` has reached the manifest.
  package func abandon() {
    monitor.withLock {
      guard !state.isOver else { return }
      state.isOver = true
      for waiting in state.waiting { _ = close(waiting.descriptor) }
      state.waiting.removeAll()
      for name in state.temporaries { _ = remove(name) }
      // Another builder may have come after the lock file was removed, and may have kept these files.
      if hasNoOther { for name in state.added { _ = remove(name) } }
    }
  }

  /// Returns the result of `body`; if `body` throws, abandons everything.
  func orAbandon<Value>(_ body: () throws(BuildError) -> Value) throws(BuildError) -> Value {
    do throws(BuildError) {
      return try body()
    } catch {
      abandon()
      throw error
    }
  }

  func checkNotOver() { precondition(!monitor.withLock { state.isOver }, "published or abandoned before") }

  func setOver() { monitor.withLock { state.isOver = true } }

  /// Whether no other builder can work in the directory.
  var hasNoOther: Bool { held.isLocked || held.holdsLock }
}
