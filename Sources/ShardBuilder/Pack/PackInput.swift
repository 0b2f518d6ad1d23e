import CLibrary

extension Pack {
  /// The bytes of a pack from front to back, from a file or a pipe.
  final class PackInput {
    let path: String
    private let descriptor: CInt
    private var buffer = [UInt8](repeating: 0, count: 128 << 10)
    private var start = 0
    private var end = 0
    /// The number of bytes that were read.
    private(set) var offset = 0

    /// - Parameter path: The path of the pack; `-` is standard input.
    init(_ path: String) throws(PackError) {
      self.path = path
      descriptor = path == "-" ? STDIN_FILENO : SystemFile.open(path, in: AT_FDCWD, O_RDONLY)
      guard descriptor >= 0 else { throw .build(BuildError(DatasetError.cannotOpen(path: path, errno: errno))) }
      var status = stat()
      if unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        throw .build(BuildError(DatasetError.isDirectory(path: path)))
      }
    }

    deinit {
      if path != "-", descriptor >= 0 { _ = close(descriptor) }
    }

    /// Passes the next `count` bytes to `body`, in runs of at most the buffer's size.
    func read(_ count: Int, _ body: (Span<UInt8>) throws(PackError) -> Void) throws(PackError) {
      var left = count
      while left > 0 {
        guard try fill() else {
          throw .damagedPack(path: path, reason: "ends too early, after \(offset) bytes; fetch the pack again")
        }
        let size = min(left, end - start)
        let bytes = buffer
        try body(bytes.span.extracting(start..<start + size))
        start += size
        offset += size
        left -= size
      }
    }

    /// Returns the next `count` bytes. Memory grows with the bytes that exist, not with `count`.
    func bytes(_ count: Int) throws(PackError) -> [UInt8] {
      var bytes: [UInt8] = []
      try read(count) { (run) throws(PackError) in bytes.append(copying: run) }
      return bytes
    }

    func finish() throws(PackError) {
      guard try !fill() else { throw .damagedPack(path: path, reason: "has bytes after its end at \(offset) bytes") }
    }

    /// Returns whether there is another byte; waits for it.
    private func fill() throws(PackError) -> Bool {
      while start == end {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe CLibrary.read(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
          (start, end) = (0, count)
        } else if count == 0 {
          return false
        } else if errno == EAGAIN || errno == EWOULDBLOCK {
          var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          _ = unsafe poll(&wait, 1, -1)
        } else if errno != EINTR {
          throw .build(.io(operation: "read", path: path, errno: errno))
        }
      }
      return true
    }
  }
}
