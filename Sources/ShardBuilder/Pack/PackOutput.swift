import CLibrary

extension Pack {
  /// The output of a pack: standard output, a pipe, a device, or a file that appears once it is whole.
  final class Output {
    private let path: String
    private let descriptor: CInt
    /// The path of the file until it is whole; nil if the bytes go out at once.
    private var temporary: String?
    private var buffer: [UInt8] = []
    /// The number of bytes written.
    private(set) var count = 0

    private static let bufferSize = 256 << 10

    /// - Parameter path: The path of the pack; `-` is standard output.
    init(_ path: String) throws(PackError) {
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
      var made: CInt = -1
      var number = 0
      repeat {
        number += 1
        temporary = "\(path).\(getpid())-\(number).tmp"
        made = SystemFile.open(temporary!, in: AT_FDCWD, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
      } while made < 0 && errno == EEXIST && number < 1000
      descriptor = made
      guard made >= 0 else {
        let code = errno
        temporary = nil
        throw .build(.io(operation: "create", path: path, errno: code))
      }
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
