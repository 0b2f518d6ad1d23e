import CLibrary
import ShardedIndex

extension Publisher {
  /// The number of files that are synced together. By then the system has written most of them itself, which halves the
  /// time (130 files of 24 KB on ext4: 29 ms one by one, 13 ms in groups). It also limits the open descriptors.
  static let groupCount = 64

  /// Returns whether a name is lower-case letters, digits and `%_.-`, a hyphen, 16 hexadecimal digits, and `.zst`.
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

  /// Writes a shard, or keeps an existing file. Any thread may call it.
  ///
  /// - Parameter name: A name that ``isShardName(_:)`` accepts, made from the content.
  @discardableResult
  package func add(_ name: String, _ bytes: [UInt8]) throws(BuildError) -> FileOutcome {
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
      state.waiting.append(Waiting(descriptor: file, temporary: temporary, name: name, isNew: outcome == .written))
      return state.waiting.count < Self.groupCount ? [] : acquireWaiting()
    }
    try settle(group)
    return outcome
  }

  /// Syncs the files added so far, under their names. Any thread may call it.
  func settleAdded() throws(BuildError) { try settle(monitor.withLock { acquireWaiting() }) }

  /// Keeps shards of the previous generation, if the directory has their files with the bytes that the manifest says.
  /// Any thread may call it.
  ///
  /// - Returns: Whether the directory has all these files; if not, the caller makes and adds them.
  func keeps(_ shards: ArraySlice<Manifest.Shard>) throws(BuildError) -> Bool {
    for shard in shards {
      guard try has(shard.fileName, size: shard.file.size, digest: unsafe Array(shard.digest)) else { return false }
    }
    for shard in shards { keep(shard.fileName) }
    return true
  }

  /// Keeps a file, if the directory has it with these bytes. Any thread may call it.
  ///
  /// - Parameter digest: The first 16 bytes of the file's SHA-256.
  func keeps(_ name: String, size: Int, digest: [UInt8]) throws(BuildError) -> Bool {
    guard try has(name, size: size, digest: digest) else { return false }
    keep(name)
    return true
  }

  private func has(_ name: String, size: Int, digest: [UInt8]) throws(BuildError) -> Bool {
    let file = try open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return false }  // Adding the file reports the error.
    defer { _ = close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == size,
      let bytes = try? SystemFile.bytes(of: file, limit: size + 1, path: path(name)), bytes.count == size
    else { return false }
    return Digest.sha256(bytes).starts(with: digest)
  }

  /// Keeps a shard of the previous generation without reading it. Any thread may call it.
  func keep(_ name: String) {
    monitor.withLock { if state.current.insert(name).isNew { state.summary.kept += 1 } }
  }

  /// Returns the outcome of adding a file whose name exists.
  func existing(_ name: String, _ bytes: [UInt8]) throws(BuildError) -> FileOutcome {
    let file = try open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return .written }
      if errno == ELOOP || errno == EACCES || errno == ENXIO { return .repaired }
      throw .io(operation: "open", path: path(name), errno: errno)
    }
    defer { _ = close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw .io(operation: "read", path: path(name), errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == bytes.count else { return .repaired }
    do throws(BuildError) {
      return try SystemFile.bytes(of: file, limit: bytes.count, path: path(name)) == bytes ? .kept : .repaired
    } catch {
      return .repaired  // Readers could not read it either.
    }
  }

  /// Returns the waiting files; the caller must settle them. Under the lock.
  func acquireWaiting() -> [Waiting] {
    if !state.waiting.isEmpty { state.settlingCount += 1 }
    defer { state.waiting.removeAll() }
    return state.waiting
  }

  /// Syncs, closes and renames a group of shards.
  func settle(_ group: [Waiting]) throws(BuildError) {
    guard !group.isEmpty else { return }
    defer {
      monitor.withLock { state.settlingCount -= 1 }
      monitor.wake()
    }
    var rest = group[...]
    do throws(BuildError) {
      while let waiting = rest.popFirst() {
        try closeSynced(waiting.descriptor, waiting.temporary)
        monitor.withLock { state.closedCount += 1 }
        monitor.wake()
        // This note comes first: a rename that happened but reported a failure must be undone too.
        if waiting.isNew { monitor.withLock { state.added.append(waiting.name) } }
        try rename(waiting.temporary, waiting.name)
      }
    } catch {
      for waiting in rest { _ = close(waiting.descriptor) }
      throw error
    }
  }

  /// Removes the shards that are neither in the published generation nor in the previous one. Removes none if the names
  /// of the previous shards are unknown. A later build removes files that cannot be removed now.
  func removeOthers(than previous: [String]?) -> PublishSummary {
    var summary = monitor.withLock { state.summary }
    // Another builder may have come after the lock file was removed, and may have shards that are unknown here.
    guard let previous, hasNoOther else { return summary }
    var needed = monitor.withLock { state.current }
    for name in previous { _ = needed.insert(name) }
    for name in (try? list()) ?? [] where Self.isShardName(name) && !needed.contains(name) {
      // A user's file may have such a name.
      guard OwnFile.isOurs(name, in: descriptor) else { continue }
      if remove(name) { summary.removed += 1 } else { summary.leftBehind += 1 }
    }
    return summary
  }
}
