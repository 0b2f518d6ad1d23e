import CLibrary
import ShardedIndex

/// Writes one generation of an index: new shard files, then the manifest by a rename, which makes the generation exist.
///
/// A publisher is the only builder of its directory, because it holds ``HeldDirectory``'s locks. A build that fails or
/// is killed leaves the generation that was there. A publisher touches shards, the manifest, the overlay, the lock file
/// and its own temporary files, and no other file.
package final class Publisher: @unchecked Sendable {  // `monitor` guards `state`; one thread publishes.
  /// The outcome of writing a file.
  package enum Outcome: Sendable {
    /// The directory had no file of this name.
    case written
    /// The directory had a file with these bytes.
    case kept
    /// The directory had something else under this name: damage, which is now replaced.
    case repaired
  }

  package struct Summary: Sendable, Equatable {
    package var written = 0
    package var kept = 0
    package var repaired = 0
    /// Shards of older generations that were removed.
    package var removed = 0
    /// Shards of older generations that could not be removed; the next build tries again.
    package var leftBehind = 0
    /// Whether the directory had this very generation, so that nothing was written.
    package var isUnchanged = false

    package init(written: Int = 0, kept: Int = 0, repaired: Int = 0, removed: Int = 0) {
      (self.written, self.kept, self.repaired, self.removed) = (written, kept, repaired, removed)
    }
  }

  package static let manifestName = "manifest"
  package static let overlayName = Overlay.fileName
  package static let lockName = HeldDirectory.lockName

  /// The fate of an overlay that is there when a manifest is published.
  package enum OverlayFate: Sendable {
    /// The overlay belongs to the manifest that is replaced, and goes behind it.
    case replaced
    /// The overlay belongs to no manifest that is there, since a build was killed. It goes first: the new manifest may
    /// be the one that it belongs to.
    case stale
    /// The overlay belongs to the manifest that is published.
    case kept
  }

  /// A call whose position among the others decides what a power cut leaves; tests observe them in order.
  package enum Step: Equatable, Sendable {
    /// A file is on the medium, under its name of this time.
    case syncFile(String)
    /// The directory is on the medium, with all names of this time.
    case syncNames
    case rename(String, to: String)
    case remove(String)
  }

  /// A file that is written and not yet synced.
  struct Waiting {
    var descriptor: CInt
    var temporary: String
    var name: String
    var isNew: Bool
  }

  struct State {
    var temporaryCount: UInt64 = 0
    var waiting: [Waiting] = []
    /// The number of groups that threads are syncing, and of files that these have closed so far.
    var settlingCount = 0
    var closedCount = 0
    var temporaries: [String] = []  // Few: files are settled in groups.
    var added: [String] = []  // Final names that were not there before.
    var current = NameTable()
    var summary = Summary()
    var isOver = false
  }

  /// The directory's path, as the caller named it.
  var directory: String { held.path }
  let held: HeldDirectory
  var descriptor: CInt { held.descriptor }
  let observe: (@Sendable (Step) -> Void)?
  /// Whether the directory has an overlay.
  var hasOverlay: Bool
  let monitor = Monitor()
  var state = State()

  /// Creates the directory if it is not there (its parent must be), locks it, and removes temporary files of a killed
  /// build. As long as there is no generation, it syncs the parent too, or a power cut could take the directory away.
  ///
  /// - Parameter observe: Called with every step before it is taken.
  /// - Throws: ``BuildError/locked(path:)`` while another build runs; ``BuildError/io(operation:path:errno:)``.
  package init(directory: String, observe: (@Sendable (Step) -> Void)? = nil) throws(BuildError) {
    self.observe = observe
    held = try HeldDirectory(creating: directory)
    hasOverlay = true
    let names = try list()
    hasOverlay = names.contains(Self.overlayName)
    for name in names where Self.isTemporaryName(name) {
      _ = remove(name)  // Only a directory cannot go, and that is none of ours.
    }
    if names.contains(Self.startsName) { removeStarts() }
    // Also when the directory was there: the build that made it may have been killed before it came so far.
    if !names.contains(Self.manifestName) { try syncParent() }
  }

  deinit { abandon() }

  /// Makes the added shards and this manifest the index's new generation.
  ///
  /// Shards that are neither in this generation nor in `previous` are removed afterwards. Before the manifest takes its
  /// place, everything is as it was. When its rename fails, the added shards stay: a file system in trouble
  /// may have renamed the file and reported a failure. When the last sync of the directory fails, the new
  /// generation is there, but a power cut may bring the old one back.
  ///
  /// - Parameter previous: The names of the shards in the manifest that is replaced; nil if it is damaged, so that they
  ///   are not known. Then no shard is removed: a reader may have opened the index before the damage.
  /// - Throws: ``BuildError/replaced(path:)`` if another directory or lock file stands at the path of the opened one.
  package func publish(
    manifest: [UInt8], previous: [String]?, overlay: OverlayFate = .stale
  ) throws(BuildError) -> Summary {
    checkNotOver()
    let isChanged = monitor.withLock { state.summary.written + state.summary.repaired > 0 }
    if !isChanged, try existing(Self.manifestName, manifest) == .kept {
      return try publishUnchanged(previous, overlay)
    }
    let temporary = try orAbandon { () throws(BuildError) in
      try settleAdded()
      // With this sync a stale overlay's changes are on the medium too, in the manifest that is there.
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
    return removeOthers(than: previous)
  }

  /// Publishes a manifest that is there already.
  private func publishUnchanged(_ previous: [String]?, _ overlay: OverlayFate) throws(BuildError) -> Summary {
    try orAbandon { () throws(BuildError) in try held.check() }
    setOver()
    let isUnchanged = !(hasOverlay && overlay == .replaced)
    if hasOverlay, overlay != .kept {
      // The build that published the manifest may have been killed before the manifest, which has the changes of a
      // stale overlay, was on the medium.
      try syncNames()
      try removeOverlay()
    }
    try syncNames()
    var summary = removeOthers(than: previous)
    summary.isUnchanged = isUnchanged
    return summary
  }

  /// Makes the added shards last under the manifest that is there, which names them: they were damaged.
  ///
  /// - Throws: ``BuildError``; files that were not there before are removed.
  package func finish() throws(BuildError) {
    checkNotOver()
    try orAbandon { () throws(BuildError) in
      try settleAdded()
      try syncNames()
      try held.check()
    }
    setOver()
  }

  /// Removes everything that was added; nothing happens once ``publish(manifest:previous:)`` has come to the manifest.
  package func abandon() {
    monitor.withLock {
      guard !state.isOver else { return }
      state.isOver = true
      for waiting in state.waiting { _ = close(waiting.descriptor) }
      state.waiting.removeAll()
      for name in state.temporaries { _ = remove(name) }
      // Another builder, which came when the lock file was removed, may have found them there and kept them.
      if hasNoOther { for name in state.added { _ = remove(name) } }
    }
  }

  /// Returns what `body` returns; where it throws, abandons everything.
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

  /// Whether no other builder can be at work in the directory.
  var hasNoOther: Bool { held.isLocked || held.holdsLock }
}
