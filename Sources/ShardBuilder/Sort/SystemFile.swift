import CLibrary

/// System calls on one descriptor. They continue after EINTR and after short reads and writes.
enum SystemFile {
  /// Writes all of `bytes` at the descriptor's position.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt, path: String) throws(BuildError) {
    var offset = 0
    while offset < bytes.count {
      let written = unsafe CLibrary.write(descriptor, bytes.baseAddress! + offset, min(bytes.count - offset, 1 << 30))
      if written > 0 {
        offset += written
      } else if written == 0 {
        throw .io(operation: "write", path: path, errno: EIO)
      } else if errno != EINTR {
        throw .io(operation: "write", path: path, errno: errno)
      }
    }
  }

  /// Writes all of `bytes` at the descriptor's position.
  static func write(_ bytes: [UInt8], to descriptor: CInt, path: String) throws(BuildError) {
    // A `Result` keeps the type of the error, which a closure that rethrows would not.
    let result = unsafe bytes.withUnsafeBytes { bytes in
      Result { () throws(BuildError) in try unsafe write(bytes, to: descriptor, path: path) }
    }
    try result.get()
  }

  /// Returns the first bytes of a file, at most `limit`.
  static func bytes(of descriptor: CInt, limit: Int, path: String) throws(BuildError) -> [UInt8] {
    var failure: BuildError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      do throws(BuildError) {
        count = try unsafe read(UnsafeMutableRawBufferPointer(buffer), at: 0, from: descriptor, path: path)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Fills `bytes` from `offset` on, as far as the file goes, and returns the number of read bytes.
  static func read(
    _ bytes: UnsafeMutableRawBufferPointer, at offset: Int, from descriptor: CInt, path: String
  ) throws(BuildError) -> Int {
    var count = 0
    while count < bytes.count {
      let read = unsafe pread(
        descriptor, bytes.baseAddress! + count, min(bytes.count - count, 1 << 30), off_t(offset + count))
      if read > 0 {
        count += read
      } else if read == 0 {
        break
      } else if errno != EINTR {
        throw .io(operation: "read", path: path, errno: errno)
      }
    }
    return count
  }

  /// Returns when the medium has all written bytes. A failure is final: the kernel drops bytes that it could not write.
  static func sync(_ descriptor: CInt, path: String) throws(BuildError) {
    #if canImport(Darwin)
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }  // On macOS, fsync leaves data in the drive's cache.
    #endif
    guard retrying({ fsync(descriptor) }) == 0 else { throw .io(operation: "sync", path: path, errno: errno) }
  }

  /// Sets a file's time of change to now, in nanoseconds. The system itself sets it to its clock's last tick.
  static func setModifiedNow(_ descriptor: CInt, path: String) throws(BuildError) {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0,
      retrying({ unsafe futimens(descriptor, [time, time]) }) == 0
    else {
      throw .io(operation: "set the time of", path: path, errno: errno)
    }
  }

  /// Opens a file by `openat`; by `open` for a whole path, if `directory` is `AT_FDCWD`.
  static func open(_ name: String, in directory: CInt, _ flags: CInt, mode: mode_t = 0) -> CInt {
    retrying { unsafe openat(directory, name, flags | O_CLOEXEC, mode) }
  }

  /// The beginning of the names of files that ``openTemporary(in:)`` makes for a moment, on some file systems.
  static let temporaryPrefix = ".shardq-sort-"

  /// Opens a new file without a name in `directory`. The file is gone with its descriptor, however the process ends.
  ///
  /// Some file systems make no file without a name: there, a process killed between two calls leaves a file with a
  /// name.
  static func openTemporary(in directory: RunDirectory) throws(BuildError) -> CInt {
    let base = directory.descriptor
    #if os(Linux)
      // O_TMPFILE is a macro that Swift does not import; __O_TMPFILE is the same on all machines with Swift.
      let unnamed = open(
        base == AT_FDCWD ? directory.path : ".", in: base, 0o20_000_000 | O_DIRECTORY | O_RDWR, mode: 0o600)
      if unnamed >= 0 { return unnamed }
      // Not every file system can do this; a kernel that does not know the flag returns EISDIR.
      guard errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL else {
        throw .io(operation: "create a temporary file in", path: directory.path, errno: errno)
      }
    #endif
    for attempt in 0..<1000 {
      let name = "\(temporaryPrefix)\(getpid())-\(attempt)"
      let path = base == AT_FDCWD ? "\(directory.path)/\(name)" : name
      let descriptor = open(path, in: base, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
      if descriptor >= 0 {
        guard retrying({ unsafe unlinkat(base, path, 0) }) == 0 else {
          let code = errno
          _ = close(descriptor)
          throw .io(operation: "remove", path: "\(directory.path)/\(name)", errno: code)
        }
        return descriptor
      }
      guard errno == EEXIST else { break }
    }
    throw .io(operation: "create a temporary file in", path: directory.path, errno: errno)
  }
}
