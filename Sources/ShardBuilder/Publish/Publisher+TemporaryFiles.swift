import CLibrary
import ShardedIndex

extension Publisher {
  /// Returns whether a name is `.shardq-`, 16 hexadecimal digits and `.tmp`; or the name of a sort's run:
  /// `.shardq-sort-`, digits, a hyphen, digits.
  package static func isTemporaryName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    if name.hasPrefix(SystemFile.temporaryPrefix) {
      let numbers = bytes[SystemFile.temporaryPrefix.utf8.count...].split(
        separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      return numbers.count == 2 && numbers.allSatisfy { !$0.isEmpty && $0.allSatisfy(isDigit) }
    }
    return bytes.count == 28 && name.hasPrefix(".shardq-") && name.hasSuffix(".tmp") && isHexadecimal(bytes[8..<24])
  }

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  static func isHexadecimal(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { isDigit($0) || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 }
  }

  private static func temporaryName(_ number: UInt64) -> String {
    let digits = String(UInt64(UInt32(bitPattern: getpid())) << 32 | number & 0xFFFF_FFFF, radix: 16)
    return ".shardq-" + String(repeating: "0", count: 16 - digits.utf8.count) + digits + ".tmp"
  }

  /// Writes a file under a temporary name, and returns it open.
  func writeTemporary(_ bytes: [UInt8]) throws(BuildError) -> (descriptor: CInt, name: String) {
    while true {
      let name = monitor.withLock {
        state.temporaryCount += 1
        return Self.temporaryName(state.temporaryCount)
      }
      let file = try open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
      if file < 0 {
        let code = errno
        if code == EEXIST { continue }  // Another process has made it since the build began.
        try held.check()
        throw .io(operation: "create", path: path(name), errno: code)
      }
      monitor.withLock { state.temporaries.append(name) }
      do throws(BuildError) {
        try SystemFile.write(bytes, to: file, path: path(name))
      } catch {
        _ = close(file)
        throw error
      }
      #if os(Linux)
        // After this hint the kernel begins to write, so that the later sync has little to do.
        _ = posix_fadvise(file, 0, 0, CInt(POSIX_FADV_DONTNEED))
      #endif
      return (file, name)
    }
  }

  /// Writes a file under a temporary name, lets `body` change it, and syncs it.
  ///
  /// - Returns: The temporary name.
  func writeSynced(
    _ bytes: [UInt8], _ body: (CInt, String) throws(BuildError) -> Void = { _, _ in }
  ) throws(BuildError) -> String {
    let (file, temporary) = try writeTemporary(bytes)
    do throws(BuildError) {
      try body(file, path(temporary))
    } catch {
      _ = close(file)
      throw error
    }
    try closeSynced(file, temporary)
    return temporary
  }

  /// Syncs and closes a file.
  func closeSynced(_ file: CInt, _ name: String) throws(BuildError) {
    let path = path(name)
    do throws(BuildError) {
      observe?(.syncFile(name))
      try SystemFile.sync(file, path: path)
    } catch {
      _ = close(file)
      throw error
    }
    // After EINTR the descriptor is closed nevertheless; the data is safe either way.
    guard close(file) == 0 || errno == EINTR else { throw .io(operation: "close", path: path, errno: errno) }
  }

  func rename(_ temporary: String, _ name: String) throws(BuildError) {
    var isInterrupted = false
    observe?(.rename(temporary, to: name))
    while unsafe renameat(descriptor, temporary, descriptor, name) != 0 {
      // An interrupted rename may have happened nevertheless: no other process removes a temporary file.
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

  /// Returns whether the file was removed; if not, `errno` has the reason.
  func remove(_ name: String) -> Bool {
    observe?(.remove(name))
    return retrying { unsafe unlinkat(descriptor, name, 0) } == 0
  }
}
