#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif
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
  package static let lockName = ".lock"

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

  private struct Waiting {  // Written, not yet synced.
    var descriptor: CInt
    var temporary: String
    var name: String
    var isNew: Bool
  }

  private struct State {
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

  let directory: String
  private let descriptor: CInt
  private let lock: CInt
  /// Whether the directory had an overlay's file when it was locked.
  private var hasOverlayFile = false
  /// Whether it may have an overlay in it. Not looked at where nothing is going to be published but an overlay.
  private var hasOverlay = false
  private let monitor = Monitor()
  private var state = State()

  /// Files are synced in groups of this many: by then the system has written most of each group on its own, which
  /// halves the time (130 files of 24 KB on ext4: 29 ms one by one, 13 ms so). Bounds the open descriptors too.
  private static let groupCount = 64

  /// Creates the directory if it is not there (its parent must be), takes the lock, and removes what a killed build
  /// left. As long as there is no generation, the parent is synced too: a power cut must not take the directory away.
  ///
  /// - Parameter isForOverlay: Whether nothing is going to be published but an overlay, beside a manifest that is there. Not
  ///   all of a large directory is looked through then for what a killed build left: with thousands of shards that takes
  ///   longer than all else.
  /// - Throws: ``BuildError/locked(path:)`` while another build runs; ``BuildError/io(operation:path:errno:)``.
  package init(directory: String, isForOverlay: Bool = false) throws(BuildError) {
    self.directory = directory
    if SystemFile.retrying({ mkdir(directory, 0o755) }) != 0, errno != EEXIST {
      throw .io(operation: "create directory", path: directory, errno: errno)
    }
    descriptor = SystemFile.open(directory, in: AT_FDCWD, O_RDONLY | O_DIRECTORY)
    guard descriptor >= 0 else { throw .io(operation: "open directory", path: directory, errno: errno) }
    do throws(BuildError) {
      lock = try Self.takeLock(descriptor, "\(directory)/\(Self.lockName)")
    } catch {
      _ = close(descriptor)
      throw error
    }
    do throws(BuildError) {
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
    } catch {
      _ = close(lock)
      _ = close(descriptor)
      throw error
    }
  }

  deinit {
    abandon()
    // Said, not left to closing: a program that another thread starts in this moment has the file open for as long as
    // it takes to become another program.
    _ = flock(lock, LOCK_UN)
    _ = close(lock)
    _ = close(descriptor)
  }

  private static func takeLock(_ directory: CInt, _ path: String) throws(BuildError) -> CInt {
    let lock = SystemFile.open(lockName, in: directory, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o644)
    guard lock >= 0 else { throw .io(operation: "open", path: path, errno: errno) }
    while flock(lock, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      if code == EINTR { continue }
      _ = close(lock)
      if code == EWOULDBLOCK { throw .locked(path: path) }
      throw .io(operation: "lock", path: path, errno: code)
    }
    return lock
  }

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

  #if !hasFeature(Embedded)
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
          Digest.sha256(UnsafeRawBufferPointer(rebasing: bytes[..<count])).prefix(16).elementsEqual(shard.digest)
        else { return false }
      }
      for shard in shards { keep(shard.fileName) }
      return true
    }
  #endif

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
  /// - Throws: Before the manifest takes its place, everything is as it was. When its rename fails, the shards that
  ///   were added stay nevertheless: a file system in trouble may have done what it reports to have failed. When the
  ///   last sync of the directory fails, the new generation is there, but a power cut may bring the old one back.
  package func publish(
    manifest: [UInt8], previous: [String]?, overlay: OverlayFate = .stale
  ) throws(BuildError) -> Summary {
    precondition(!monitor.withLock { state.isOver }, "published or abandoned before")
    let isChanged = monitor.withLock { state.summary.written + state.summary.repaired > 0 }
    if !isChanged, try existing(Self.manifestName, manifest) == .kept {
      var blank = try preparedBlank(overlay)
      monitor.withLock { state.isOver = true }
      let hadOverlay = hasOverlay
      if overlay != .kept {
        // Nor is the manifest on the medium for sure, which has the changes of a stale one: first that.
        if hasOverlay { try syncDirectory(blank) }
        try clearOverlay(&blank)
      }
      // Whoever published it may have been cut off before the directory was synced.
      try SystemFile.sync(descriptor, path: directory)
      settle(blank)
      var summary = removeOthers(than: previous)
      summary.isUnchanged = !(hadOverlay && overlay == .replaced)
      return summary
    }
    let temporary: String
    var blank: Blank?
    do throws(BuildError) {
      try settle(monitor.withLock { takeWaiting() })
      try SystemFile.sync(descriptor, path: directory)
      blank = try preparedBlank(overlay)
      let file: CInt
      (file, temporary) = try writeTemporary(manifest)
      try closeSynced(file, path(temporary))
      if hasOverlay, overlay == .stale {
        try clearOverlay(&blank)
        try SystemFile.sync(descriptor, path: directory)
      }
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
      try SystemFile.sync(descriptor, path: directory)
    }
    settle(blank)
    return removeOthers(than: previous)
  }

  /// An overlay's file with no overlay in it. The first overlay is then written over in place as all further ones are,
  /// without a name that has to come onto the medium.
  private struct Blank {
    var number: UInt64
    /// Its name until it has its place; nil if it has it.
    var temporary: String?
  }

  /// The blank file that is there, or a new one; nil if the overlay that is there stays, or it could not be said that a file
  /// is on the medium.
  private func preparedBlank(_ overlay: OverlayFate) throws(BuildError) -> Blank? {
    guard overlay != .kept, marksLock() else { return nil }
    if hasOverlayFile, !hasOverlay {
      return OverlayFile(in: descriptor, Self.overlayName).map { Blank(number: $0.number, temporary: nil) }
    }
    do throws(BuildError) {
      let (number, temporary) = try writeOverlay(OverlaySlots.blank())
      return Blank(number: number, temporary: temporary)
    } catch {
      abandon()
      throw error
    }
  }

  /// Writes an overlay's file, under a name of its own, and has it on the medium.
  private func writeOverlay(_ content: [UInt8]) throws(BuildError) -> (number: UInt64, temporary: String) {
    let (file, temporary) = try writeTemporary(content)
    let number: UInt64
    do throws(BuildError) {
      number = try Self.number(of: file, path(temporary))
      try SystemFile.setModifiedNow(file, path: path(temporary))
    } catch {
      _ = close(file)
      throw error
    }
    try closeSynced(file, path(temporary))
    return (number, temporary)
  }

  /// Syncs the directory. If that fails, what was to become the blank file goes.
  private func syncDirectory(_ blank: Blank?) throws(BuildError) {
    do throws(BuildError) {
      try SystemFile.sync(descriptor, path: directory)
    } catch {
      if let temporary = blank?.temporary { _ = remove(temporary) }
      throw error
    }
  }

  /// Has a blank file in the place of any overlay, or, where there is none to be had, nothing.
  private func clearOverlay(_ blank: inout Blank?) throws(BuildError) {
    guard let temporary = blank?.temporary else { return try removeOverlay() }
    blank?.temporary = nil
    do throws(BuildError) {
      try setSettled(OverlaySlots.unknownMark)
      try rename(temporary, Self.overlayName)
    } catch {
      _ = remove(temporary)
      throw error
    }
    (hasOverlay, hasOverlayFile) = (false, true)
  }

  /// Says that a blank file is on the medium, name and all, if that is not said yet.
  private func settle(_ blank: Blank?) {
    guard let number = blank?.number, settledNumber() != number else { return }
    try? setSettled(number)
  }

  private func removeOverlay() throws(BuildError) {
    guard hasOverlay else { return }
    guard remove(Self.overlayName) || errno == ENOENT else {
      throw .io(operation: "remove", path: path(Self.overlayName), errno: errno)
    }
    (hasOverlay, hasOverlayFile) = (false, false)
  }

  /// Puts an overlay beside the manifest that is there, in the place of any other; takes it away for nil.
  ///
  /// One of this manifest is written over in its file, in the slot that does not count, with one sync of that: half the
  /// time of a new file, whose name takes a sync as well; the first one in the file that a build left. Until that has
  /// ended the file is *unsettled*, which the lock's file says, for the next update to see: what was not synced, or failed
  /// to be, must not be all that there is while the other slot is written over. What a power cut leaves is on the medium,
  /// whatever the lock's file says then.
  ///
  /// A new file is made where it is not known to be settled, or is not this user's own alone, or its time of change is
  /// too coarse for readers to see each change by.
  ///
  /// - Parameter isOverStale: Whether one that is there, if any is in the file, is of another manifest.
  /// - Returns: Whether there was another before, and how large the file is, in bytes.
  /// - Throws: As ``publish(manifest:previous:overlay:)`` does; the overlay takes its place when it is written, before the
  ///   sync.
  package func publish(
    overlay: [UInt8]?, isOverStale: Bool
  ) throws(BuildError) -> (isChanged: Bool, fileSize: Int) {
    precondition(!monitor.withLock { state.isOver }, "published or abandoned before")
    let found = hasOverlayFile ? OverlayFile(in: descriptor, Self.overlayName) : nil
    let isBlank = found?.isBlank == true
    let isStale = hasOverlayFile && isOverStale && !isBlank
    hasOverlay = hasOverlayFile && !isBlank
    if isStale {
      // The manifest has its changes, and the build that was killed may not have had that on the medium.
      do throws(BuildError) {
        try SystemFile.sync(descriptor, path: directory)
      } catch {
        abandon()
        throw error
      }
    }
    guard let overlay else {
      monitor.withLock { state.isOver = true }
      let isChanged = hasOverlay
      try removeOverlay()
      // Also where none was there: whoever took it away may have been cut off before the directory was synced.
      try SystemFile.sync(descriptor, path: directory)
      return (isChanged, 0)
    }
    let present = isStale ? nil : found
    let isThere = present?.content == overlay
    let isSettled = present.map { settledNumber() == $0.number } ?? false
    if isThere, isSettled, let present {
      monitor.withLock { state.isOver = true }
      return (false, present.size)
    }
    let (number, fileSize): (UInt64, Int)
    if isSettled, let present, let (sectors, offset) = present.next(overlay) {
      try setSettled(OverlaySlots.unsettledMark)
      monitor.withLock { state.isOver = true }
      let path = path(Self.overlayName)
      try Self.write(sectors, at: offset, to: present.descriptor, path)
      try SystemFile.setModifiedNow(present.descriptor, path: path)
      try SystemFile.sync(present.descriptor, path: path, isInPlace: true)
      (number, fileSize) = (present.number, present.size)
      withExtendedLifetime(present) {}
    } else {
      (number, fileSize) = try writeAnew(overlay)
      monitor.withLock { state.isOver = true }
    }
    // That it cannot be said now costs the next update a new file.
    try? setSettled(number)
    return (!isThere, fileSize)
  }

  #if !hasFeature(Embedded)
    /// Puts an overlay in the place of one that is damaged.
    ///
    /// - Returns: How large its file is, in bytes.
    /// - Throws: What was added before is taken back.
    func replace(damagedOverlay overlay: [UInt8]) throws(BuildError) -> Int {
      let (number, fileSize) = try writeAnew(overlay)
      try? setSettled(number)
      return fileSize
    }
  #endif

  /// Puts an overlay in its place in a new file, and has that on the medium.
  private func writeAnew(_ overlay: [UInt8]) throws(BuildError) -> (number: UInt64, fileSize: Int) {
    do throws(BuildError) {
      try setSettled(OverlaySlots.unknownMark)
      let content = OverlaySlots.file(of: overlay)
      let (number, temporary) = try writeOverlay(content)
      try rename(temporary, Self.overlayName)
      try SystemFile.sync(descriptor, path: directory)
      return (number, content.count)
    } catch {
      abandon()
      throw error
    }
  }

  /// The overlay's file, open to be written over; none that others know by another name, own, or may not be read, and none
  /// with a damaged sector.
  private final class OverlayFile {
    let descriptor: CInt
    let number: UInt64
    let size: Int
    /// nil if no overlay is in it.
    let content: [UInt8]?
    private let slot: Int
    private let lastNumber: UInt32

    init?(in directory: CInt, _ name: String) {
      descriptor = SystemFile.open(name, in: directory, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
      guard descriptor >= 0 else { return nil }
      var status = stat()
      guard fstat(descriptor, &status) == 0, Publisher.isOwn(status), status.st_size > 0,
        status.st_size <= OverlaySlots.fileLimit, SystemFile.hasFineTime(status)
      else {
        _ = close(descriptor)
        return nil
      }
      (number, size) = (UInt64(truncatingIfNeeded: status.st_ino), Int(status.st_size))
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
      defer { bytes.deallocate() }
      let file = UnsafeBufferPointer(bytes.bindMemory(to: UInt8.self))
      guard let count = try? SystemFile.read(bytes, at: 0, from: descriptor, path: name), count == size,
        let slots = try? OverlaySlots(file), let lastNumber = try? OverlaySlots.lastNumber(in: file)
      else {
        _ = close(descriptor)
        return nil
      }
      (content, slot, self.lastNumber) = (slots.content, slots.slot, lastNumber)
    }

    deinit { _ = close(descriptor) }

    /// Whether nothing was ever written into it, nor begun to be.
    var isBlank: Bool { content == nil && lastNumber == 0 }

    /// What to write where for another overlay; nil where it has no room.
    func next(_ overlay: [UInt8]) -> (sectors: [UInt8], offset: Int)? {
      let slotSize = size / 2
      guard overlay.count <= OverlaySlots.capacity(ofSlot: slotSize), lastNumber < .max else { return nil }
      return (OverlaySlots.sectors(of: overlay, number: lastNumber + 1), (1 - slot) * slotSize)
    }
  }

  /// Whether a file is a regular one that nobody but this user has, under this name alone.
  private static func isOwn(_ status: stat) -> Bool {
    status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1 && status.st_uid == geteuid()
  }

  private static func number(of file: CInt, _ path: String) throws(BuildError) -> UInt64 {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .io(operation: "examine", path: path, errno: errno) }
    return UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// The number of the overlay's file that is settled, or what else is said of it; nil if nothing is.
  private func settledNumber() -> UInt64? {
    var number = OverlaySlots.unknownMark
    let count = withUnsafeMutableBytes(of: &number) { bytes in
      SystemFile.retrying { CInt(pread(lock, bytes.baseAddress!, 8, 0)) }
    }
    return count == 8 && marksLock() ? UInt64(littleEndian: number) : nil
  }

  /// Says which overlay's file is settled, in the lock's file, if that is this user's own alone.
  private func setSettled(_ number: UInt64) throws(BuildError) {
    guard marksLock() else { return }
    let bytes = withUnsafeBytes(of: number.littleEndian) { Array($0) }
    try Self.write(bytes, at: 0, to: lock, path(Self.lockName))
  }

  private func marksLock() -> Bool {
    var status = stat()
    return fstat(lock, &status) == 0 && Self.isOwn(status)
  }

  /// Removes the shards that neither the generation that is published nor the one before has; none when it is not known
  /// which those are. What cannot be removed now is removed by a later build.
  private func removeOthers(than previous: [String]?) -> Summary {
    var summary = monitor.withLock { state.summary }
    guard let previous else { return summary }
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
      try SystemFile.sync(descriptor, path: directory)
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
      for name in state.added { _ = remove(name) }
    }
  }

  // MARK: Names

  /// Lower-case letters, digits and `%_.-`, a hyphen, 16 hexadecimal digits, `.zst`.
  package static func isShardName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard bytes.count > 21, bytes.count <= 255, name.hasSuffix(".zst") else { return false }
    let hyphen = bytes.count - 21
    return bytes[hyphen] == UInt8(ascii: "-") && isHexadecimal(bytes[(hyphen + 1)..<(hyphen + 17)])
      && bytes[..<hyphen].allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "%"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"): true
        default: false
        }
      }
  }

  /// `.shardq-`, 16 hexadecimal digits, `.tmp`; or a run of the sort that was named: `.shardq-sort-`, digits, a hyphen,
  /// digits.
  package static func isTemporaryName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    if name.hasPrefix(SystemFile.temporaryPrefix) {
      let numbers = bytes[SystemFile.temporaryPrefix.utf8.count...].split(
        separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      return numbers.count == 2 && numbers.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0 &- 0x30 < 10 } }
    }
    return bytes.count == 28 && name.hasPrefix(".shardq-") && name.hasSuffix(".tmp") && isHexadecimal(bytes[8..<24])
  }

  private static func isHexadecimal(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { $0 &- 0x30 < 10 || $0 &- 0x61 < 6 }
  }

  private static func temporaryName(_ number: UInt64) -> String {
    let digits = String(UInt64(UInt32(bitPattern: getpid())) << 32 | number & 0xFFFF_FFFF, radix: 16)
    return ".shardq-" + String(repeating: "0", count: 16 - digits.utf8.count) + digits + ".tmp"
  }

  // MARK: Files

  private func path(_ name: String) -> String { "\(directory)/\(name)" }

  /// As many names as are looked through where not all need be.
  private static let fewNames = 512

  /// The names of what is in the directory.
  ///
  /// - Parameters:
  ///   - hidden: Whether only those that begin with a dot, as all do that a killed build leaves. Others are not even made
  ///     texts of.
  ///   - most: How many names are looked at.
  func list(hidden: Bool = false, most: Int = .max) throws(BuildError) -> [String] {
    // A descriptor of its own: reading a directory moves a position.
    let file = SystemFile.open(".", in: descriptor, O_RDONLY | O_DIRECTORY)
    guard file >= 0 else { throw .io(operation: "open directory", path: directory, errno: errno) }
    guard let stream = fdopendir(file) else {
      let code = errno
      _ = close(file)
      throw .io(operation: "read directory", path: directory, errno: code)
    }
    defer { closedir(stream) }
    var names: [String] = []
    var seen = 0
    while seen < most {
      errno = 0
      guard let entry = readdir(stream) else {
        guard errno == EINTR else { break }
        names.removeAll()
        seen = 0
        rewinddir(stream)
        continue
      }
      seen += 1
      if hidden, entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { continue }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
          String(validatingCString: $0)
        }
      }
      if let name { names.append(name) }  // One that is not UTF-8 is not ours.
    }
    guard errno == 0 else { throw .io(operation: "read directory", path: directory, errno: errno) }
    return names
  }

  /// What is there under a shard's name.
  private func existing(_ name: String, _ bytes: [UInt8]) throws(BuildError) -> Outcome {
    let file = try open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return .written }
      if errno == ELOOP || errno == EACCES || errno == ENXIO { return .repaired }
      throw .io(operation: "open", path: path(name), errno: errno)
    }
    defer { _ = close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .io(operation: "read", path: path(name), errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == bytes.count else { return .repaired }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
    defer { buffer.deallocate() }
    let content = UnsafeMutableRawBufferPointer(rebasing: buffer[..<bytes.count])
    do throws(BuildError) {
      let count = try SystemFile.read(content, at: 0, from: file, path: path(name))
      return count == bytes.count && memcmp(bytes, content.baseAddress!, count) == 0 ? .kept : .repaired
    } catch {
      return .repaired  // What cannot be read cannot be served.
    }
  }

  /// Opens a file of the directory; when the descriptors are all in use, frees those of files waiting to be synced, or
  /// waits for one that another thread frees.
  private func open(_ name: String, _ flags: CInt, mode: mode_t = 0) throws(BuildError) -> CInt {
    while true {
      let closed = monitor.withLock { state.closedCount }
      let file = SystemFile.open(name, in: descriptor, flags, mode: mode)
      guard file < 0, errno == EMFILE || errno == ENFILE else { return file }
      let code = errno
      let (group, isWaitedFor) = monitor.withLock { () -> ([Waiting], Bool) in
        let group = takeWaiting()
        // Another thread may have freed all of them between the call and here.
        guard group.isEmpty, state.settlingCount > 0 || state.closedCount != closed else { return (group, false) }
        while state.closedCount == closed, state.settlingCount > 0 { monitor.wait() }
        return ([], true)
      }
      guard isWaitedFor || !group.isEmpty else {
        errno = code
        return file
      }
      try settle(group)
    }
  }

  private func writeTemporary(_ bytes: [UInt8]) throws(BuildError) -> (descriptor: CInt, name: String) {
    while true {
      let name = monitor.withLock {
        state.temporaryCount += 1
        return Self.temporaryName(state.temporaryCount)
      }
      let file = try open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
      if file < 0 {
        if errno == EEXIST { continue }  // Somebody put it there since the build began; it is not ours.
        throw .io(operation: "create", path: path(name), errno: errno)
      }
      monitor.withLock { state.temporaries.append(name) }
      do throws(BuildError) {
        try Self.write(bytes, to: file, path(name))
      } catch {
        _ = close(file)
        throw error
      }
      #if os(Linux)
        // Only a hint, which makes the kernel begin to write: the sync that counts comes later and finds little to do.
        _ = posix_fadvise(file, 0, 0, CInt(POSIX_FADV_DONTNEED))
      #endif
      return (file, name)
    }
  }

  private static func write(
    _ bytes: [UInt8], at place: Int? = nil, to file: CInt, _ path: String
  ) throws(BuildError) {
    var failure: BuildError?
    bytes.withUnsafeBytes { bytes in
      do throws(BuildError) {
        try SystemFile.write(bytes, at: place, to: file, path: path)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  /// Whoever takes files must settle them. Under the lock.
  private func takeWaiting() -> [Waiting] {
    if !state.waiting.isEmpty { state.settlingCount += 1 }
    defer { state.waiting.removeAll() }
    return state.waiting
  }

  private func closeSynced(_ file: CInt, _ path: String) throws(BuildError) {
    do throws(BuildError) {
      try SystemFile.sync(file, path: path)
    } catch {
      _ = close(file)
      throw error
    }
    // After EINTR the descriptor is gone all the same; the data is safe either way.
    guard close(file) == 0 || errno == EINTR else { throw .io(operation: "close", path: path, errno: errno) }
  }

  /// Syncs, closes and renames a group of shards.
  private func settle(_ group: [Waiting]) throws(BuildError) {
    guard !group.isEmpty else { return }
    defer {
      monitor.withLock { state.settlingCount -= 1 }
      monitor.wake()
    }
    var rest = group[...]
    do throws(BuildError) {
      while let waiting = rest.popFirst() {
        try closeSynced(waiting.descriptor, path(waiting.temporary))
        monitor.withLock { state.closedCount += 1 }
        monitor.wake()
        // Noted first: a rename that happened and reported failure must be taken back too.
        if waiting.isNew { monitor.withLock { state.added.append(waiting.name) } }
        try rename(waiting.temporary, waiting.name)
      }
    } catch {
      for waiting in rest { _ = close(waiting.descriptor) }
      throw error
    }
  }

  /// Makes the directory's own name outlive a power cut: it stands in its parent.
  private func syncParent() throws(BuildError) {
    let path = "\(directory)/.."
    let parent = SystemFile.open("..", in: descriptor, O_RDONLY | O_DIRECTORY)
    guard parent >= 0 else {
      guard errno == EACCES else { throw .io(operation: "open directory", path: path, errno: errno) }
      // One that may be entered and not listed cannot be opened, so not be synced by itself.
      return sync()
    }
    defer { _ = close(parent) }
    var (own, other) = (stat(), stat())
    guard fstat(descriptor, &own) == 0, fstat(parent, &other) == 0 else {
      throw .io(operation: "examine", path: path, errno: errno)
    }
    // Where something is mounted is not written down in the file system that it is mounted on.
    if own.st_dev == other.st_dev { try SystemFile.sync(parent, path: path) }
  }

  private func remove(_ name: String) -> Bool { SystemFile.retrying { unlinkat(descriptor, name, 0) } == 0 }

  private func rename(_ temporary: String, _ name: String) throws(BuildError) {
    // Until the directory is synced what an overlay is beside may be gone with a power cut: the next overlay syncs that.
    if hasOverlayFile { try setSettled(OverlaySlots.unknownMark) }
    var isInterrupted = false
    while renameat(descriptor, temporary, descriptor, name) != 0 {
      // An interrupted one may have happened all the same; nobody else takes a temporary file away.
      if isInterrupted, errno == ENOENT { break }
      guard errno == EINTR else { throw .io(operation: "rename", path: path(temporary), errno: errno) }
      isInterrupted = true
    }
    monitor.withLock {
      if let index = state.temporaries.firstIndex(of: temporary) { state.temporaries.remove(at: index) }
    }
  }
}
