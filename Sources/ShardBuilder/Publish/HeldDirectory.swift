import CLibrary

/// The open directory of an index. Its locks let one process at a time write to it.
///
/// The lock file keeps every other builder out. If the file system can lock a directory, a lock of the directory itself
/// does so too: after another program has removed the lock file, a second builder would create a new file.
struct HeldDirectory: ~Copyable {
  /// The path that the caller gave.
  let path: String
  let descriptor: CInt
  /// The lock file, open.
  let lock: CInt
  /// Whether the directory itself is locked: then no other builder runs, even without the lock file.
  let isLocked: Bool

  static let lockName = ".lock"

  /// Creates the directory if it is missing (its parent must exist), opens it, and takes the locks.
  ///
  /// - Throws: ``BuildError/locked(path:)`` while another build runs; ``BuildError/io(operation:path:errno:)``.
  init(creating path: String) throws(BuildError) {
    if retrying({ unsafe mkdir(path, 0o755) }) != 0, errno != EEXIST {
      throw .io(operation: "create directory", path: path, errno: errno)
    }
    let descriptor = SystemFile.open(path, in: AT_FDCWD, O_RDONLY | O_DIRECTORY)
    guard descriptor >= 0 else { throw .io(operation: "open directory", path: path, errno: errno) }
    let lock: CInt
    do throws(BuildError) {
      lock = try Self.acquireLock(descriptor, path)
    } catch {
      _ = close(descriptor)
      throw error
    }
    // NFS cannot lock a file that is open for reading alone, and other systems cannot lock a directory: there the lock
    // file must do.
    let isLocked = retrying { flock(descriptor, LOCK_EX | LOCK_NB) } == 0
    if !isLocked, errno == EWOULDBLOCK {
      _ = flock(lock, LOCK_UN)
      _ = close(lock)
      _ = close(descriptor)
      throw .locked(path: path)
    }
    (self.path, self.descriptor, self.lock, self.isLocked) = (path, descriptor, lock, isLocked)
  }

  deinit {
    // Closing is not enough: a process that another thread forks at this moment has the files open until it becomes
    // another program.
    _ = flock(lock, LOCK_UN)
    if isLocked { _ = flock(descriptor, LOCK_UN) }
    _ = close(lock)
    _ = close(descriptor)
  }

  private static func acquireLock(_ directory: CInt, _ path: String) throws(BuildError) -> CInt {
    let path = "\(path)/\(lockName)"
    // Between the two calls another program may put another file there, and the next builder would lock that file.
    for _ in 0..<100 {
      let lock = SystemFile.open(lockName, in: directory, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o644)
      guard lock >= 0 else { throw .io(operation: "open", path: path, errno: errno) }
      guard retrying({ flock(lock, LOCK_EX | LOCK_NB) }) == 0 else {
        let code = errno
        _ = close(lock)
        if code == EWOULDBLOCK { throw .locked(path: path) }
        throw .io(operation: "lock", path: path, errno: code)
      }
      do throws(BuildError) {
        if try isSame(lock, lockName, in: directory, at: path) { return lock }
      } catch {
        _ = close(lock)
        throw error
      }
      _ = close(lock)
    }
    throw .locked(path: path)
  }

  /// Throws ``BuildError/replaced(path:)`` if the directory or the lock file at its path has been replaced, and
  /// ``BuildError/io(operation:path:errno:)`` if the system cannot tell.
  func check() throws(BuildError) {
    guard try Self.isSame(descriptor, path, in: AT_FDCWD, at: path, follows: true) else { throw .replaced(path: path) }
    let lockPath = "\(path)/\(Self.lockName)"
    guard try Self.isSame(lock, Self.lockName, in: descriptor, at: lockPath) else { throw .replaced(path: lockPath) }
  }

  /// Whether the lock file is the file of that name in the directory.
  var holdsLock: Bool {
    (try? Self.isSame(lock, Self.lockName, in: descriptor, at: path)) ?? false
  }

  /// Returns whether an open file is the file with a name.
  ///
  /// - Parameter path: The path for an error.
  private static func isSame(
    _ file: CInt, _ name: String, in directory: CInt, at path: String, follows: Bool = false
  ) throws(BuildError) -> Bool {
    var (held, named) = (stat(), stat())
    guard retrying({ unsafe fstat(file, &held) }) == 0 else {
      throw .io(operation: "examine", path: path, errno: errno)
    }
    guard retrying({ unsafe fstatat(directory, name, &named, follows ? 0 : AT_SYMLINK_NOFOLLOW) }) == 0 else {
      if errno == ENOENT || errno == ENOTDIR || errno == ELOOP { return false }
      throw .io(operation: "examine", path: path, errno: errno)
    }
    return held.st_dev == named.st_dev && held.st_ino == named.st_ino
  }
}
