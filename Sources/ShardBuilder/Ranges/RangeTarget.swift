import CLibrary
import ShardedIndex

/// The place to which ranges are written, and in which they become an index.
package protocol RangeTarget {
  /// The place, for messages.
  var shown: String { get }
  /// Makes a directory in which a range is written.
  func makeRangeDirectory() throws(BuildError) -> String
  /// Takes over the files of such a directory, the manifest under another name, and removes the directory. When it
  /// returns, they are there to stay.
  func take(_ files: [String], manifest: String, from directory: String) throws(BuildError)
  /// Removes such a directory, if it is there, with its files.
  func remove(_ directory: String)
  /// Opens the index of a range, whose manifest has this name.
  func openRange(_ manifest: String) throws(BuildError) -> ShardedIndex
  /// Returns the directory in which the whole is put together: the place itself, or one beside it.
  func wholeDirectory() throws(BuildError) -> String
  /// Checks that files of ranges are there, which the whole is going to name: pairs of name and size in bytes.
  func check(_ files: [(name: String, size: Int)]) throws(BuildError)
  /// Returns how the whole is opened by a manifest that is not in place yet; nil where the directory has all its files.
  func wholeOpener(_ directory: String) -> (([UInt8]) throws(BuildError) -> ShardedIndex)?
  /// Ends the writing of the whole, whose manifest is in the directory.
  func finish(_ directory: String) throws(BuildError)
}

/// A directory as the target, which all processes reach.
package final class DirectoryTarget: RangeTarget {
  private let path: String
  private var directoryCount = 0

  /// The beginning of the names of directories in which ranges are written.
  static let prefix = ".shardq-range-"

  /// - Parameter path: It is made if it is missing; its parent must be there.
  package init(_ path: String) throws(BuildError) {
    self.path = path
    if let entry = Publisher.otherEntry(in: path) { throw .otherFiles(path: path, entry: entry) }
    if retrying({ unsafe mkdir(path, 0o755) }) != 0, errno != EEXIST {
      throw .io(operation: "create directory", path: path, errno: errno)
    }
  }

  package var shown: String { path }

  package func makeRangeDirectory() throws(BuildError) -> String {
    directoryCount += 1
    // Other machines have processes with this number.
    let name = Self.prefix + "\(getpid())-\(UInt64.random(in: .min ... .max))-\(directoryCount)"
    let directory = path + "/" + name
    guard retrying({ unsafe mkdir(directory, 0o755) }) == 0 else {
      throw .io(operation: "create directory", path: directory, errno: errno)
    }
    return directory
  }

  package func take(_ files: [String], manifest: String, from directory: String) throws(BuildError) {
    // A file that is there already has the same bytes: its name says them.
    for file in files { try move(directory + "/" + file, to: file) }
    try move(directory + "/" + Publisher.manifestName, to: manifest)
    let own = SystemFile.open(path, in: AT_FDCWD, O_RDONLY | O_DIRECTORY)
    guard own >= 0 else { throw .io(operation: "open directory", path: path, errno: errno) }
    defer { _ = close(own) }
    try SystemFile.sync(own, path: path)
    remove(directory)
  }

  private func move(_ source: String, to name: String) throws(BuildError) {
    guard retrying({ unsafe rename(source, path + "/" + name) }) == 0 else {
      throw .io(operation: "rename", path: source, errno: errno)
    }
  }

  package func remove(_ directory: String) {
    for name in Self.names(in: directory) ?? [] { _ = unsafe unlink(directory + "/" + name) }
    _ = unsafe rmdir(directory)
  }

  private static func names(in directory: String) -> [String]? {
    guard let stream = unsafe opendir(directory) else { return nil }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      if let name = unsafe fileName(of: &entry.pointee), name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  package func openRange(_ manifest: String) throws(BuildError) -> ShardedIndex {
    try BuildError.ofIndex { () throws(IndexError) in
      let directory = SystemFile.open(path, in: AT_FDCWD, O_RDONLY | O_DIRECTORY)
      guard directory >= 0 else { throw .io(operation: "open directory", path: path, errno: errno) }
      defer { _ = close(directory) }
      let file = SystemFile.open(manifest, in: directory, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      guard file >= 0 else {
        let code = errno
        if code == ENOENT { throw .notFound(path: path + "/" + manifest) }
        throw .io(operation: "open", path: path + "/" + manifest, errno: code)
      }
      let files: IndexDirectory
      do throws(IndexError) {
        files = try IndexDirectory(directory, path: path)
      } catch {
        _ = close(file)
        throw error
      }
      return ShardedIndex(try ManifestReader(descriptor: file, of: files), in: files)
    }
  }

  package func wholeDirectory() throws(BuildError) -> String { path }

  package func wholeOpener(_ directory: String) -> (([UInt8]) throws(BuildError) -> ShardedIndex)? { nil }

  package func check(_ files: [(name: String, size: Int)]) throws(BuildError) {
    for file in files {
      var status = stat()
      guard retrying({ unsafe lstat(path + "/" + file.name, &status) }) == 0 else {
        throw .io(operation: "find", path: path + "/" + file.name, errno: errno)
      }
      guard status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == file.size else {
        throw .index(
          .corrupt(
            path: path + "/" + file.name, cause: .wrongSize(found: Int(status.st_size), expected: file.size)))
      }
    }
  }

  package func finish(_ directory: String) throws(BuildError) {
    // Directories of writers that were killed, and manifests that the index has in it.
    for name in Self.names(in: path) ?? [] {
      if name.hasPrefix(Self.prefix) { remove(path + "/" + name) }
      if Publisher.isManifestName(name) { _ = unsafe unlink(path + "/" + name) }
    }
  }
}
