import ShardBuilder

import CLibrary

/// A temporary directory for the candidates of a plan, or for other work.
///
/// The maker holds a lock on the directory, and marks it by a file. The next maker in the same place removes the marked
/// directory of a killed process.
package final class WorkDirectory: Sendable {
  package let path: String
  /// The path of the directory that holds this one.
  package let parentPath: String
  private let parent: CInt
  private let name: String
  private let lock: CInt

  /// Makes a directory in `parent`, and removes directories of the same work whose makers are gone.
  ///
  /// - Parameter work: The purpose of the directory, which is a part of its name.
  package init(in parent: String, for work: String = "plan") throws(BuildError) {
    let prefix = "shardq-\(work)-"
    let directory = Self.open(parent, in: AT_FDCWD, O_DIRECTORY)
    guard directory >= 0 else { throw .io(operation: "open directory", path: parent, errno: errno) }
    for name in Self.names(in: directory) where name.hasPrefix(prefix) {
      let abandoned = Self.openOwn(name, in: directory)
      guard abandoned >= 0 else { continue }
      if flock(abandoned, LOCK_EX | LOCK_NB) == 0 {
        // A process may have been killed before it wrote the mark: then the directory is empty.
        if Self.isMarked(abandoned) {
          Self.removeTree(name, in: directory)
        } else {
          unlinkat(directory, name, AT_REMOVEDIR)
        }
      }
      close(abandoned)
    }
    var attempt = 0
    while true {
      let name = prefix + String(UInt64.random(in: 0 ... .max), radix: 36)
      attempt += 1
      guard mkdirat(directory, name, 0o700) == 0 || errno == EEXIST else {
        let code = errno
        close(directory)
        throw .io(operation: "create a directory in", path: parent, errno: code)
      }
      let own = Self.openOwn(name, in: directory)
      // Another plan may have removed this directory before the lock, as abandoned: then it is gone, or will be soon.
      var (opened, found) = (stat(), stat())
      if own >= 0, flock(own, LOCK_EX | LOCK_NB) == 0, fstat(own, &opened) == 0,
        fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) == 0, opened.st_ino == found.st_ino
      {
        (path, parentPath) = ("\(parent)/\(name)", parent)
        (self.parent, self.name, lock) = (directory, name, own)
        guard Self.mark(own) else {
          throw .io(operation: "write", path: "\(parent)/\(name)/\(Self.markName)", errno: errno)
        }
        return
      }
      let code = errno
      if own >= 0 { close(own) }
      guard attempt < 100 else {
        close(directory)
        throw .io(operation: "lock a directory in", path: parent, errno: code)
      }
    }
  }

  deinit {
    remove()
    close(lock)
    close(parent)
  }

  /// Removes the directory with its content, even while other threads write into it. Any thread may call this, more
  /// than once.
  package func remove() {
    // A file that another thread writes meanwhile keeps the directory from being removed. No thread can make a file
    // in a removed directory.
    for _ in 0..<1000 {
      if Self.removeTree(name, in: parent) { return }
      usleep(1000)
    }
  }

  /// Removes the directory `name` in this one, with its content.
  package func remove(_ name: String) { Self.removeTree(name, in: lock) }

  // MARK: The mark

  private static let markName = ".shardq-work"
  private static let markContent = Array("a temporary directory of shardq\n".utf8)

  private static func mark(_ directory: CInt) -> Bool {
    let file = openat(directory, markName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    let count = write(file, markContent, markContent.count)
    let code = errno
    close(file)
    errno = code
    return count == markContent.count
  }

  /// Returns whether a directory has a mark, or the beginning of one and nothing else.
  private static func isMarked(_ directory: CInt) -> Bool {
    let file = open(markName, in: directory, O_NOFOLLOW)
    guard file >= 0 else { return false }
    defer { close(file) }
    var content = [UInt8](repeating: 0, count: markContent.count)
    let count = read(file, &content, content.count)
    return count == content.count
      ? content == markContent
      : count >= 0 && markContent.starts(with: content[..<count]) && names(in: directory) == [markName]
  }

  // MARK: System calls

  /// - Returns: Whether the name is gone.
  @discardableResult
  private static func removeTree(_ name: String, in parent: CInt) -> Bool {
    let directory = open(name, in: parent, O_DIRECTORY | O_NOFOLLOW)
    if directory < 0 {
      guard errno == ENOTDIR || errno == ELOOP else { return errno == ENOENT }
      return unlinkat(parent, name, 0) == 0 || errno == ENOENT
    }
    defer { close(directory) }
    // The mark goes last: a killed process leaves a marked directory, or an empty one.
    for name in names(in: directory).filter({ $0 != markName }) + [markName] { removeTree(name, in: directory) }
    return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT
  }

  private static func open(_ name: String, in directory: CInt, _ flags: CInt) -> CInt {
    while true {
      let file = openat(directory, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags)
      if file >= 0 || errno != EINTR { return file }
    }
  }

  /// Opens a directory of this user; -1 for anything else.
  private static func openOwn(_ name: String, in directory: CInt) -> CInt {
    let file = open(name, in: directory, O_DIRECTORY | O_NOFOLLOW)
    guard file >= 0 else { return -1 }
    var status = stat()
    if fstat(file, &status) == 0, status.st_uid == geteuid() { return file }
    close(file)
    return -1
  }

  private static func names(in directory: CInt) -> [String] {
    let copy = open(".", in: directory, O_DIRECTORY)
    guard copy >= 0, let stream = fdopendir(copy) else {
      if copy >= 0 { close(copy) }
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      if let name = fileName(of: &entry.pointee), name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
