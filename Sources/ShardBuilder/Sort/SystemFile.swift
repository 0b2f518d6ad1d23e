import CSystem

/// System calls on one descriptor that go on after EINTR and after short reads and writes.
enum SystemFile {
  /// Writes all of `bytes` from an offset in the file on, or at the descriptor's position.
  static func write(
    _ bytes: UnsafeRawBufferPointer, at place: Int? = nil, to descriptor: CInt, path: String
  ) throws(BuildError) {
    var offset = 0
    while offset < bytes.count {
      let (start, count) = (bytes.baseAddress! + offset, min(bytes.count - offset, 1 << 30))
      let written =
        if let place {
          pwrite(descriptor, start, count, off_t(place + offset))
        } else {
          CSystem.write(descriptor, start, count)
        }
      if written > 0 {
        offset += written
      } else if written == 0 {
        throw .io(operation: "write", path: path, errno: EIO)
      } else if errno != EINTR {
        throw .io(operation: "write", path: path, errno: errno)
      }
    }
  }

  /// Fills `bytes` from `offset` on, as far as the file goes, and returns how many bytes that were.
  static func read(
    _ bytes: UnsafeMutableRawBufferPointer, at offset: Int, from descriptor: CInt, path: String
  ) throws(BuildError) -> Int {
    var count = 0
    while count < bytes.count {
      let read = pread(
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

  /// Returns when what was written is on the medium. A failure is final: the kernel forgets what it could not write.
  ///
  /// - Parameter isInPlace: Whether nothing was but over what the file had: then when it was changed need not come along,
  ///   for which the file system would have to write more.
  static func sync(_ descriptor: CInt, path: String, isInPlace: Bool = false) throws(BuildError) {
    #if canImport(Darwin)
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }  // Its fsync leaves data in the drive's cache.
      let call = fsync
    #else
      let call = isInPlace ? fdatasync : fsync
    #endif
    while call(descriptor) != 0 {
      guard errno == EINTR else { throw .io(operation: "sync", path: path, errno: errno) }
    }
  }

  /// Sets the time of a file's last change to now, to the nanosecond. The system's own time is that of its clock's
  /// tick, in which there may be two changes, and readers tell by it that there is something new.
  static func setModifiedNow(_ descriptor: CInt, path: String) throws(BuildError) {
    var time = timespec()
    guard clock_gettime(CLOCK_REALTIME, &time) == 0, retrying({ futimens(descriptor, [time, time]) }) == 0 else {
      throw .io(operation: "set the time of", path: path, errno: errno)
    }
  }

  /// Whether the time that ``setModifiedNow(_:path:)`` set has come back finer than to the millisecond.
  static func hasFineTime(_ status: stat) -> Bool {
    #if canImport(Darwin)
      status.st_mtimespec.tv_nsec % 1_000_000 != 0
    #else
      status.st_mtim.tv_nsec % 1_000_000 != 0
    #endif
  }

  /// Calls the one function of this name.
  static func retrying(_ call: () -> CInt) -> CInt { CSystem.retrying(call) }

  /// `openat`, or `open` for a path of its own when `directory` is `AT_FDCWD`.
  static func open(_ name: String, in directory: CInt, _ flags: CInt, mode: mode_t = 0) -> CInt {
    retrying { openat(directory, name, flags | O_CLOEXEC, mode) }
  }

  /// The beginning of the names that ``openTemporary(in:)`` gives to files, for a moment, where it has to.
  static let temporaryPrefix = ".shardq-sort-"

  /// Opens a new file without a name in `directory`: gone when its descriptor is, however the process ends.
  ///
  /// Where the file system makes none without a name, a process killed between two calls leaves one with a name.
  static func openTemporary(in directory: RunDirectory) throws(BuildError) -> CInt {
    let place = directory.descriptor
    #if os(Linux)
      // O_TMPFILE, a macro that is not imported: __O_TMPFILE is the same on all machines that Swift runs on.
      let unnamed = open(
        place == AT_FDCWD ? directory.path : ".", in: place, 0o20_000_000 | O_DIRECTORY | O_RDWR, mode: 0o600)
      if unnamed >= 0 { return unnamed }
      // Not every file system can; a kernel that does not know the flag says EISDIR.
      guard errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL else {
        throw .io(operation: "create a temporary file in", path: directory.path, errno: errno)
      }
    #endif
    for attempt in 0..<1000 {
      let name = "\(temporaryPrefix)\(getpid())-\(attempt)"
      let path = place == AT_FDCWD ? "\(directory.path)/\(name)" : name
      let descriptor = open(path, in: place, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
      if descriptor >= 0 {
        guard retrying({ unlinkat(place, path, 0) }) == 0 else {
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
