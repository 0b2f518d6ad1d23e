import CLibrary
import ShardedIndex

extension Pack {
  /// The output of a pack: standard output, a pipe, a device, or a file that appears once it is whole.
  final class PackOutput {
    /// The form of the file, which its first bytes tell.
    enum Form {
      case pack
      case archive

      /// Returns whether a file of this form may begin with these bytes. A killed process may have written none.
      func isBegun(by head: [UInt8]) -> Bool {
        if case .archive = self, head.count >= ArchiveHead.size { return ArchiveHead.isArchive(head) }
        var magic = ByteWriter()
        magic.write(self == .archive ? ArchiveHead.signature : Pack.magic)
        return magic.bytes.starts(with: head.prefix(magic.bytes.count))
      }
    }

    private let path: String
    private let descriptor: CInt
    /// The path of the file until it is whole; nil if the bytes go out at once.
    private var temporary: String?
    private var buffer: [UInt8] = []
    /// The number of bytes written.
    private(set) var count = 0

    private static let bufferSize = 256 << 10

    /// - Parameters:
    ///   - path: The path of the file; `-` is standard output.
    ///   - form: The form of the file.
    ///   - replacesAny: Whether the file replaces a file that has another form.
    /// - Throws: ``PackError/exists(path:)`` if there is such a file.
    init(_ path: String, _ form: Form, replacesAny: Bool = false) throws(PackError) {
      self.path = path
      if path == "-" {
        descriptor = STDOUT_FILENO
        return
      }
      var status = stat()
      if retrying({ unsafe lstat(path, &status) }) == 0, status.st_mode & S_IFMT != S_IFREG {
        // A pipe, a device, or a link to anything is never replaced.
        descriptor = SystemFile.open(path, in: AT_FDCWD, O_WRONLY | O_TRUNC)
        guard descriptor >= 0 else { throw .build(.io(operation: "open", path: path, errno: errno)) }
        return
      }
      guard replacesAny || !Self.isForeign(path, form) else { throw .exists(path: path) }
      guard let (made, name) = Self.makeTemporary(for: path, form) else {
        throw .build(.io(operation: "create", path: path, errno: errno))
      }
      (descriptor, temporary) = (made, name)
    }

    /// Makes and locks the file beside `path`, and removes the files that killed processes left there.
    ///
    /// - Returns: nil with `errno` if the system refuses.
    private static func makeTemporary(for path: String, _ form: Form) -> (CInt, String)? {
      var made: (CInt, String)?
      for number in 1..<1000 {
        let name = "\(path).shardq-\(number).tmp"
        removeAbandoned(name, form)
        if made != nil {
          // Of several processes at once, each may have left a file.
          var status = stat()
          if unsafe lstat(name, &status) != 0 { break }
          continue
        }
        let file = SystemFile.open(name, in: AT_FDCWD, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
        guard file >= 0 else {
          if errno == EEXIST { continue }
          return nil
        }
        // Another process may have removed the file before the lock, as abandoned.
        var status = stat()
        let isTaken = retrying { flock(file, LOCK_EX | LOCK_NB) } != 0 && errno == EWOULDBLOCK
        if isTaken || (unsafe fstat(file, &status)) != 0 || status.st_nlink == 0 {
          _ = close(file)
          continue
        }
        made = (file, name)
      }
      return made
    }

    /// Removes the file of a process that is gone, if the file has the form. Any other file is a user's.
    private static func removeAbandoned(_ name: String, _ form: Form) {
      let file = SystemFile.open(name, in: AT_FDCWD, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
      guard file >= 0 else { return }
      defer { _ = close(file) }
      var status = stat()
      guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        retrying({ flock(file, LOCK_EX | LOCK_NB) }) == 0,
        let head = try? SystemFile.bytes(of: file, limit: ArchiveHead.size, path: name), form.isBegun(by: head)
      else { return }
      _ = retrying { unsafe unlink(name) }
    }

    /// Returns whether there is a file of another form at `path`: a user's, which no output replaces.
    private static func isForeign(_ path: String, _ form: Form) -> Bool {
      let file = SystemFile.open(path, in: AT_FDCWD, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      guard file >= 0 else { return errno != ENOENT }
      defer { _ = close(file) }
      guard let head = try? SystemFile.bytes(of: file, limit: ArchiveHead.size, path: path) else { return true }
      return !form.isBegun(by: head)
    }

    deinit {
      if path != "-", descriptor >= 0 { _ = close(descriptor) }
      if let temporary { _ = retrying { unsafe unlink(temporary) } }
    }

    func write(_ bytes: some Collection<UInt8>) throws(PackError) {
      buffer.append(contentsOf: bytes)
      count += bytes.count
      if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Returns the path of the directory that holds a file.
    static func parent(of path: String) -> String {
      let slash = path.lastIndex(of: "/")
      return slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Replaces bytes of the file by as many other bytes.
    func replace(_ offset: Int, _ bytes: [UInt8]) throws(PackError) {
      try flush()
      let count = retrying { unsafe CInt(pwrite(descriptor, bytes, bytes.count, off_t(offset))) }
      guard count == bytes.count else {
        throw .build(.io(operation: "write", path: path, errno: count < 0 ? errno : EIO))
      }
    }

    /// Writes the remaining bytes, and gives the file its name.
    func finish() throws(PackError) {
      try flush()
      guard let temporary else { return }
      do throws(BuildError) {
        try SystemFile.sync(descriptor, path: temporary)
        guard retrying({ unsafe rename(temporary, path) }) == 0 else {
          throw .io(operation: "rename", path: temporary, errno: errno)
        }
        self.temporary = nil
        let parent = Self.parent(of: path)
        let directory = SystemFile.open(parent, in: AT_FDCWD, O_RDONLY | O_DIRECTORY)
        guard directory >= 0 else { throw .io(operation: "open directory", path: parent, errno: errno) }
        defer { _ = close(directory) }
        try SystemFile.sync(directory, path: parent)
      } catch {
        throw .build(error)
      }
    }

    private func flush() throws(PackError) {
      defer { buffer.removeAll(keepingCapacity: true) }
      do throws(BuildError) {
        try SystemFile.write(buffer, to: descriptor, path: path == "-" ? "standard output" : path)
      } catch {
        throw .build(error)
      }
    }
  }
}
