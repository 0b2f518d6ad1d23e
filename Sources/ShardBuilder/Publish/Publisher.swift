import CSystem
import ShardedIndex

/// Writes one generation of an index: new shard files, then the manifest by rename; only then it is there.
///
/// Whoever holds a publisher is the only builder of its directory: a lock that dies with the process sees to it. A
/// build that fails or is killed leaves the generation that was there. No file is touched but shards, the manifest,
/// the overlay, the lock and this type's own temporary files.
package final class Publisher: @unchecked Sendable {  // What changes is in `state`, under `monitor`.
  /// What became of a shard.
  package enum Outcome: Sendable {
    /// The directory had no file of this name.
    case written
    /// The directory had this very file.
    case kept
    /// The directory had something else under this name: damage, now replaced.
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
    /// The directory had this very generation: nothing was written.
    package var isUnchanged = false

    package init(written: Int = 0, kept: Int = 0, repaired: Int = 0, removed: Int = 0) {
      (self.written, self.kept, self.repaired, self.removed) = (written, kept, repaired, removed)
    }
  }

  package static let manifestName = "manifest"
  package static let overlayName = Overlay.fileName
  package static let lockName = HeldDirectory.lockName

  /// What becomes of an overlay that is there when a manifest is published.
  package enum OverlayFate: Sendable {
    /// It goes with the manifest that it is beside.
    case replaced
    /// It is of no manifest that is there, left when a build was killed: it goes first, since what is published might be
    /// what it is of.
    case stale
    /// What is published is the manifest that it is of.
    case kept
  }

  /// A call whose place among the others decides what a power cut leaves; a test sees them in order.
  package enum Step: Equatable, Sendable {
    /// A file is on the medium, under the name that it has at this time.
    case syncFile(String)
    /// The directory is on the medium: all names of this time.
    case syncNames
    case rename(String, to: String)
    case remove(String)
  }

  struct Waiting {  // Written, not yet synced.
    var descriptor: CInt
    var temporary: String
    var name: String
    var isNew: Bool
  }

  struct State {
    var temporaryCount: UInt64 = 0
    var waiting: [Waiting] = []
    /// Groups that are being synced, and files of them that were closed so far.
    var settlingCount = 0
    var closedCount = 0
    var temporaries: [String] = []  // Few: files are settled in groups.
    var added: [String] = []  // Final names that were not there before.
    var current = NameTable()
    var summary = Summary()
    var isOver = false
  }

  /// As it was named.
  var directory: String { held.path }
  let held: HeldDirectory
  var descriptor: CInt { held.descriptor }
  let observe: (@Sendable (Step) -> Void)?
  /// Whether the directory had an overlay's file when it was locked.
  var hasOverlayFile = false
  /// Whether it may have an overlay in it. Not looked at where nothing is going to be published but an overlay.
  var hasOverlay = false
  let monitor = Monitor()
  var state = State()

  /// Files are synced in groups of this many: by then the system has written most of each group on its own, which
  /// halves the time (130 files of 24 KB on ext4: 29 ms one by one, 13 ms so). Bounds the open descriptors too.
  static let groupCount = 64

  /// Creates the directory if it is not there (its parent must be), takes the lock, and removes what a killed build
  /// left. As long as there is no generation, the parent is synced too: a power cut must not take the directory away.
  ///
  /// - Parameter isForOverlay: Whether nothing is going to be published but an overlay, beside a manifest that is there. Not
  ///   all of a large directory is looked through then for what a killed build left: with thousands of shards that takes
  ///   longer than all else.
  /// - Parameter observe: Hears of every step before it is taken.
  /// - Throws: ``BuildError/locked(path:)`` while another build runs; ``BuildError/io(operation:path:errno:)``.
  package init(
    directory: String, isForOverlay: Bool = false, observe: (@Sendable (Step) -> Void)? = nil
  ) throws(BuildError) {
    self.observe = observe
    held = try HeldDirectory(creating: directory)
    let names = isForOverlay ? try list(hidden: true, most: Self.fewNames) : try list()
    // What cannot be looked at may be there.
    hasOverlayFile =
      isForOverlay
      ? faccessat(descriptor, Self.overlayName, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT
      : names.contains(Self.overlayName)
    if !isForOverlay, hasOverlayFile { hasOverlay = OverlayFile(in: descriptor, Self.overlayName)?.isBlank != true }
    for name in names where Self.isTemporaryName(name) {
      _ = remove(name)  // Only a directory cannot go, and that is none of ours.
    }
    // Also when the directory was there: the build that made it may have been killed before it came so far.
    if !isForOverlay, !names.contains(Self.manifestName) { try syncParent() }
  }

  deinit { abandon() }

  /// Writes a shard, or keeps the file if it is there already. From any thread.
  ///
  /// - Parameter name: One that ``isShardName(_:)`` accepts, made from the content.
  @discardableResult
  package func add(_ name: String, _ bytes: [UInt8]) throws(BuildError) -> Outcome {
    precondition(Self.isShardName(name), "not a shard's name: \(name)")
    // Two shards with the same content are one file.
    let isFirst = monitor.withLock { state.current.insert(name).isNew }
    guard isFirst else { return .kept }
    let outcome = try existing(name, bytes)
    monitor.withLock {
      switch outcome {
      case .written: state.summary.written += 1
      case .kept: state.summary.kept += 1
      case .repaired: state.summary.repaired += 1
      }
    }
    if outcome == .kept { return .kept }
    let (file, temporary) = try writeTemporary(bytes)
    let group = monitor.withLock { () -> [Waiting] in
      state.waiting.append(
        Waiting(descriptor: file, temporary: temporary, name: name, isNew: outcome == .written))
      return state.waiting.count < Self.groupCount ? [] : takeWaiting()
    }
    try settle(group)
    return outcome
  }

  /// Has the files that were added so far on the medium, under their names. From any thread.
  func settleAdded() throws(BuildError) { try settle(monitor.withLock { takeWaiting() }) }

  /// Keeps shards of the generation before, if the directory has their files and these are what the manifest says.
  ///
  /// - Returns: Whether it has them all; if not, the caller makes and adds them. From any thread.
  func keeps(_ shards: ArraySlice<Manifest.Shard>) throws(BuildError) -> Bool {
    for shard in shards {
      let name = shard.fileName
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: shard.file.size + 1, alignment: 16)
      defer { bytes.deallocate() }
      let file = try open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      guard file >= 0 else { return false }  // What is wrong comes out when the shard is added.
      defer { _ = close(file) }
      var status = stat()
      guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == shard.file.size,
        let count = try? SystemFile.read(bytes, at: 0, from: file, path: path(name)), count == shard.file.size,
        Digest.sha256(UnsafeRawBufferPointer(rebasing: bytes[..<count]).bytes).prefix(16).elementsEqual(shard.digest)
      else { return false }
    }
    for shard in shards { keep(shard.fileName) }
    return true
  }

  /// Keeps a shard of the generation before, unseen. From any thread.
  func keep(_ name: String) {
    monitor.withLock { if state.current.insert(name).isNew { state.summary.kept += 1 } }
  }

  /// Makes what was added, under this manifest, the index's new generation.
  ///
  /// Shards that are in neither this generation nor `previous` are removed afterwards.
  ///
  /// - Parameter previous: The names of the shards in the manifest that is replaced; nil when it is damaged and they
  ///   are not known. No shard is removed then: somebody may have opened the index before the damage.
  /// - Throws: ``BuildError/replaced(path:)`` if the directory that was opened, or its lock file, stands at its path no
  ///   longer. Before the manifest takes its place, everything is as it was. When its rename fails, the shards that
  ///   were added stay nevertheless: a file system in trouble may have done what it reports to have failed. When the
  ///   last sync of the directory fails, the new generation is there, but a power cut may bring the old one back.
  package func publish(
    manifest: [UInt8], previous: [String]?, overlay: OverlayFate = .stale
  ) throws(BuildError) -> Summary {
    precondition(!monitor.withLock { state.isOver }, "published or abandoned before")
    let isChanged = monitor.withLock { state.summary.written + state.summary.repaired > 0 }
    if !isChanged, try existing(Self.manifestName, manifest) == .kept {
      try checkHeld()
      var blank = try preparedBlank(overlay)
      monitor.withLock { state.isOver = true }
      let hadOverlay = hasOverlay
      if overlay != .kept {
        // Nor is the manifest on the medium for sure, which has the changes of a stale one: first that.
        if hasOverlay { try syncDirectory(blank) }
        try clearOverlay(&blank)
      }
      // Whoever published it may have been cut off before the directory was synced.
      try syncNames()
      settle(blank)
      var summary = removeOthers(than: previous)
      summary.isUnchanged = !(hadOverlay && overlay == .replaced)
      return summary
    }
    let temporary: String
    var blank: Blank?
    do throws(BuildError) {
      try settle(monitor.withLock { takeWaiting() })
      try syncNames()
      blank = try preparedBlank(overlay)
      let file: CInt
      (file, temporary) = try writeTemporary(manifest)
      try closeSynced(file, temporary)
      try held.check()
      if hasOverlay, overlay == .stale {
        try clearOverlay(&blank)
        try syncNames()
      }
      try held.check()
    } catch {
      abandon()
      throw error
    }
    monitor.withLock { state.isOver = true }
    do throws(BuildError) {
      try rename(temporary, Self.manifestName)
    } catch {
      _ = remove(temporary)
      if let temporary = blank?.temporary { _ = remove(temporary) }
      throw error
    }
    if !hasOverlay { try clearOverlay(&blank) }
    try syncDirectory(blank)
    // Behind the manifest that has its changes.
    if hasOverlay, overlay == .replaced {
      try clearOverlay(&blank)
      try syncNames()
    }
    settle(blank)
    return removeOthers(than: previous)
  }

  /// Removes the shards that neither the generation that is published nor the one before has; none when it is not known
  /// which those are. What cannot be removed now is removed by a later build.
  private func removeOthers(than previous: [String]?) -> Summary {
    var summary = monitor.withLock { state.summary }
    // Of another builder, which came when the lock file was removed, no shard is known here.
    guard let previous, hasNoOther else { return summary }
    var needed = monitor.withLock { state.current }
    for name in previous { _ = needed.insert(name) }
    for name in (try? list()) ?? [] where Self.isShardName(name) && !needed.contains(name) {
      if remove(name) { summary.removed += 1 } else { summary.leftBehind += 1 }
    }
    return summary
  }

  /// Makes what was added last, under the manifest that is there: for shards that it names and that were damaged.
  ///
  /// - Throws: What was not there before is taken back.
  package func finish() throws(BuildError) {
    precondition(!monitor.withLock { state.isOver }, "published or abandoned before")
    do throws(BuildError) {
      try settle(monitor.withLock { takeWaiting() })
      try syncNames()
      try held.check()
    } catch {
      abandon()
      throw error
    }
    monitor.withLock { state.isOver = true }
  }

  /// Takes back everything that was added; nothing happens once ``publish(manifest:previous:)`` came to the manifest.
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

  /// Where a sort's runs go.
  var runDirectory: RunDirectory { RunDirectory(path: directory, descriptor: descriptor) }

  /// The directory to be read from: the one that was opened, whatever stands at its path.
  func openDirectory() throws(IndexError) -> IndexDirectory { try IndexDirectory(descriptor, path: directory) }

  /// Something in a directory that no build put there, if there is no index either.
  static func otherEntry(in directory: String) -> String? {
    guard let stream = opendir(directory) else { return nil }
    defer { closedir(stream) }
    var other: String?
    var (hasManifest, hasShard) = (false, false)
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
          String(cString: $0)
        }
      }
      if isShardName(name) {
        hasShard = true
        continue
      }
      if name == manifestName { hasManifest = true }
      if name.utf8.first == UInt8(ascii: ".") || name == overlayName || name == "README.md" || name == "lost+found" {
        continue
      }
      // The same one whatever order the system has.
      if other.map({ name < $0 }) ?? true { other = name }
    }
    // Others call a file so too: without a shard beside it, its first bytes have to be an index's.
    return hasManifest && (hasShard || isManifest(directory + "/" + manifestName)) ? nil : other
  }

  private static func isManifest(_ path: String) -> Bool {
    let file = SystemFile.open(path, in: AT_FDCWD, O_RDONLY | O_NONBLOCK)
    guard file >= 0 else { return true }  // The error is the reader's to tell.
    defer { _ = close(file) }
    var magic: UInt32 = 0
    return pread(file, &magic, 4, 0) == 4 && UInt32(littleEndian: magic) == Manifest.magic
  }

  /// Throws ``BuildError/replaced(path:)``, and takes back everything that was added, if the directory or the lock file is
  /// no longer the one that stands at its path.
  func checkHeld() throws(BuildError) {
    do throws(BuildError) {
      try held.check()
    } catch {
      abandon()
      throw error
    }
  }

  /// Whether no other builder can be at work in the directory.
  private var hasNoOther: Bool { held.isLocked || held.holdsLock }
}
