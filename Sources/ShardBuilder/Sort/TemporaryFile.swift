import CLibrary

/// The directory for files without a name.
package struct RunDirectory: Sendable {
  /// The path, for messages, and for opening files if the directory is not open.
  let path: String
  /// The descriptor, valid as long as its owner keeps it open; `AT_FDCWD` if the directory is not open.
  let descriptor: CInt

  package init(path: String) { (self.path, descriptor) = (path, AT_FDCWD) }
  init(path: String, descriptor: CInt) { (self.path, self.descriptor) = (path, descriptor) }
}

/// A file without a name. The file is gone with the last reference to it, however the process ends.
final class TemporaryFile: Sendable {
  private let descriptor: CInt
  private let path: String

  init(in directory: RunDirectory) throws(BuildError) {
    path = "a temporary file in \(directory.path)"
    descriptor = try SystemFile.openTemporary(in: directory)
  }

  deinit { _ = close(descriptor) }

  /// Appends `bytes` to the file.
  func append(_ bytes: UnsafeRawBufferPointer) throws(BuildError) {
    try unsafe SystemFile.write(bytes, to: descriptor, path: path)
  }

  /// Appends `bytes` to the file.
  func write(_ bytes: [UInt8]) throws(BuildError) { try SystemFile.write(bytes, to: descriptor, path: path) }

  /// Returns `size` bytes from `offset` on; `size` must be at least 1.
  func bytes(from offset: Int, size: Int) throws(BuildError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size)
    let count = retrying { unsafe CInt(pread(descriptor, &bytes, size, off_t(offset))) }
    guard count == size else { throw .io(operation: "read", path: path, errno: count < 0 ? errno : EIO) }
    return bytes
  }

  /// Fills `bytes` from `offset` on; `bytes` must not be empty.
  func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(BuildError) {
    let count = try unsafe SystemFile.read(bytes, at: offset, from: descriptor, path: path)
    guard count == bytes.count, count > 0 else { throw .io(operation: "read", path: path, errno: EIO) }
  }
}
