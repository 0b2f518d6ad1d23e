import CLibrary
import ShardedIndex

/// The target of ranges, in which they become an index.
package protocol RangeTarget {
  /// The name of the target, for messages.
  var shown: String { get }
  /// Makes a directory for writing a range.
  func makeRangeDirectory() throws(BuildError) -> String
  /// Takes over the files of such a directory, with the manifest under another name, and removes the directory. When
  /// the function returns, the files are permanent.
  func store(_ files: [String], manifest: String, from directory: String) throws(BuildError)
  /// Removes such a directory with its files, if it exists.
  func remove(_ directory: String)
  /// Opens the index of a range by the name of its manifest.
  func openRange(_ manifest: String) throws(BuildError) -> ShardedIndex
  /// Returns the directory for making the whole: the target itself, or a directory beside it.
  func wholeDirectory() throws(BuildError) -> String
  /// Throws if the plan changes an index, and the target has another one or another generation.
  func checkParent(_ plan: RangePlan) throws(BuildError)
  /// Reads files of ranges, which the whole will name, and compares them with their digests.
  func check(_ files: [NamedFile]) throws(BuildError)
  /// Returns a function that opens the whole by a manifest that is not published yet; nil if the directory has all
  /// files.
  func wholeOpener(_ directory: String) -> (([UInt8]) throws(BuildError) -> ShardedIndex)?
  /// Finishes the whole, whose manifest is in the directory.
  func finish(_ directory: String) throws(BuildError)
}

/// A directory as the target, in reach of all processes.
package final class DirectoryTarget: RangeTarget {
  private let path: String
  private var directoryCount = 0

  /// - Parameter path: The path of the directory. It is made if it is missing; its parent must exist.
  package init(_ path: String) throws(BuildError) {
    self.path = path
    if let entry = Publisher.otherEntry(in: path, isOfRanges: true) { throw .otherFiles(path: path, entry: entry) }
    if retrying({ unsafe mkdir(path, 0o755) }) != 0, errno != EEXIST {
      throw .io(operation: "create directory", path: path, errno: errno)
    }
  }

  package var shown: String { path }

  package func makeRangeDirectory() throws(BuildError) -> String {
    directoryCount += 1
    // Other machines may have processes with this number.
    let name = Publisher.rangePrefix + "\(getpid())-\(UInt64.random(in: .min ... .max))-\(directoryCount)"
    let directory = path + "/" + name
    guard retrying({ unsafe mkdir(directory, 0o755) }) == 0 else {
      throw .io(operation: "create directory", path: directory, errno: errno)
    }
    return directory
  }

  package func store(_ files: [String], manifest: String, from directory: String) throws(BuildError) {
    // An existing file has the same bytes, because its name follows from them.
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
    OwnFile.removeDirectory(directory, in: AT_FDCWD)
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

  package func checkParent(_ plan: RangePlan) throws(BuildError) {
    guard plan.over != nil else { return }
    try RangeUpdate.check(plan, try BuildError.ofIndex { () throws(IndexError) in try ShardedIndex(opening: path) })
  }

  package func check(_ files: [NamedFile]) throws(BuildError) {
    let directory = try BuildError.ofIndex { () throws(IndexError) in try IndexDirectory(opening: path) }
    for file in files {
      var status = stat()
      guard retrying({ unsafe lstat(path + "/" + file.name.text, &status) }) == 0 else {
        throw .io(operation: "find", path: path + "/" + file.name.text, errno: errno)
      }
      guard status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == file.size else {
        throw .index(
          .corrupt(
            path: path + "/" + file.name.text, cause: .wrongSize(found: Int(status.st_size), expected: file.size)))
      }
      try BuildError.ofIndex { () throws(IndexError) in try directory.compare(file) }
    }
  }

  package func finish(_ directory: String) throws(BuildError) {
    // These are directories of killed writers, and manifests of ranges that the index contains.
    let own = SystemFile.open(path, in: AT_FDCWD, O_RDONLY | O_DIRECTORY)
    guard own >= 0 else { return }
    defer { _ = close(own) }
    for name in (try? Publisher.list(own, path: path)) ?? [] {
      if name.hasPrefix(Publisher.rangePrefix) { OwnFile.removeDirectory(name, in: own) }
      if Publisher.isManifestName(name), OwnFile.isOurs(name, in: own) { _ = unsafe unlinkat(own, name, 0) }
    }
  }
}
