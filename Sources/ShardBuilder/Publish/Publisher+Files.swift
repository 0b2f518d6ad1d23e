import CSystem
import ShardedIndex

extension Publisher {
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

  static func isHexadecimal(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { $0 &- 0x30 < 10 || $0 &- 0x61 < 6 }
  }

  static func temporaryName(_ number: UInt64) -> String {
    let digits = String(UInt64(UInt32(bitPattern: getpid())) << 32 | number & 0xFFFF_FFFF, radix: 16)
    return ".shardq-" + String(repeating: "0", count: 16 - digits.utf8.count) + digits + ".tmp"
  }

  // MARK: Files

  func path(_ name: String) -> String { "\(directory)/\(name)" }

  /// As many names as are looked through where not all need be.
  static let fewNames = 512

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
  func existing(_ name: String, _ bytes: [UInt8]) throws(BuildError) -> Outcome {
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
  func open(_ name: String, _ flags: CInt, mode: mode_t = 0) throws(BuildError) -> CInt {
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

  func writeTemporary(_ bytes: [UInt8]) throws(BuildError) -> (descriptor: CInt, name: String) {
    while true {
      let name = monitor.withLock {
        state.temporaryCount += 1
        return Self.temporaryName(state.temporaryCount)
      }
      let file = try open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
      if file < 0 {
        let code = errno
        if code == EEXIST { continue }  // Somebody put it there since the build began; it is not ours.
        try held.check()
        throw .io(operation: "create", path: path(name), errno: code)
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

  static func write(
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
  func takeWaiting() -> [Waiting] {
    if !state.waiting.isEmpty { state.settlingCount += 1 }
    defer { state.waiting.removeAll() }
    return state.waiting
  }

  /// Has the names of the directory on the medium.
  func syncNames() throws(BuildError) {
    observe?(.syncNames)
    try SystemFile.sync(descriptor, path: directory)
  }

  func closeSynced(_ file: CInt, _ name: String) throws(BuildError) {
    let path = path(name)
    do throws(BuildError) {
      observe?(.syncFile(name))
      try SystemFile.sync(file, path: path)
    } catch {
      _ = close(file)
      throw error
    }
    // After EINTR the descriptor is gone all the same; the data is safe either way.
    guard close(file) == 0 || errno == EINTR else { throw .io(operation: "close", path: path, errno: errno) }
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
  func syncParent() throws(BuildError) {
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

  func remove(_ name: String) -> Bool {
    observe?(.remove(name))
    return SystemFile.retrying { unlinkat(descriptor, name, 0) } == 0
  }

  func rename(_ temporary: String, _ name: String) throws(BuildError) {
    // Until the directory is synced what an overlay is beside may be gone with a power cut: the next overlay syncs that.
    if hasOverlayFile { try setSettled(OverlaySlots.unknownMark) }
    var isInterrupted = false
    observe?(.rename(temporary, to: name))
    while renameat(descriptor, temporary, descriptor, name) != 0 {
      // An interrupted one may have happened all the same; nobody else takes a temporary file away.
      if isInterrupted, errno == ENOENT { break }
      let code = errno
      guard code == EINTR else {
        try held.check()
        throw .io(operation: "rename", path: path(temporary), errno: code)
      }
      isInterrupted = true
    }
    monitor.withLock {
      if let index = state.temporaries.firstIndex(of: temporary) { state.temporaries.remove(at: index) }
    }
  }
}
