import CLibrary
import ShardedIndex

extension Publisher {
  func path(_ name: String) -> String { "\(directory)/\(name)" }

  /// The directory for the runs of a sort.
  var runDirectory: RunDirectory { RunDirectory(path: directory, descriptor: descriptor) }

  /// Returns the locked directory, open for reading, even if another file is at its path.
  func openDirectory() throws(IndexError) -> IndexDirectory { try IndexDirectory(descriptor, path: directory) }

  /// Throws if an index is an archive: no program changes an archive in place.
  static func refuse(archive directory: IndexDirectory) throws(BuildError) {
    if directory.isArchive { throw .io(operation: "change", path: directory.path, errno: ENOTDIR) }
  }

  /// Returns the names of all entries of the directory that are UTF-8. The names of all files of an index are UTF-8.
  func list() throws(BuildError) -> [String] { try Self.list(descriptor, path: directory) }

  /// Returns the names of all entries of a directory that are UTF-8.
  static func list(_ descriptor: CInt, path directory: String) throws(BuildError) -> [String] {
    // This needs its own descriptor, because reading a directory moves a position.
    let file = SystemFile.open(".", in: descriptor, O_RDONLY | O_DIRECTORY)
    guard file >= 0 else { throw .io(operation: "open directory", path: directory, errno: errno) }
    guard let stream = unsafe fdopendir(file) else {
      let code = errno
      _ = close(file)
      throw .io(operation: "read directory", path: directory, errno: code)
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      if let entry = unsafe readdir(stream) {
        if let name = unsafe fileName(of: &entry.pointee) { names.append(name) }
      } else if errno == EINTR {
        names.removeAll()
        unsafe rewinddir(stream)
      } else {
        break
      }
    }
    guard errno == 0 else { throw .io(operation: "read directory", path: directory, errno: errno) }
    return names
  }

  /// Returns the name of a manifest with another name than `manifest`: of a range, or of a generation in a store.
  ///
  /// - Parameter digest: The first 16 bytes of its SHA-256, in hexadecimal digits.
  package static func manifestName(ofDigest digest: String) -> String { manifestName + "-" + digest }

  /// Returns whether a name is the name of such a manifest.
  package static func isManifestName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    return bytes.count == 41 && name.hasPrefix(manifestName + "-") && isHexadecimal(bytes[9...])
  }

  /// The beginning of the names of directories for ranges.
  static let rangePrefix = ".shardq-range-"

  /// Returns the first name, in order, of an entry that is not the work of a builder; nil if there is none or the
  /// directory has an index.
  ///
  /// - Parameter isOfRanges: Whether many processes write ranges there. Then the names of shards suffice beside a range:
  ///   nothing is removed without a proof, and each process would read all shards.
  /// - Complexity: O(1) in a directory with a manifest, else O(*n*), where *n* is the size of all shards.
  static func otherEntry(in path: String, isOfRanges: Bool = false) -> String? {
    let directory = SystemFile.open(path, in: AT_FDCWD, O_RDONLY | O_DIRECTORY)
    guard directory >= 0 else { return nil }  // Making the directory reports the error.
    defer { _ = close(directory) }
    guard let names = try? list(directory, path: path), !hasManifest(names, in: directory) else { return nil }
    let trusts =
      isOfRanges
      && names.contains {
        ($0.hasPrefix(rangePrefix) || isManifestName($0)) && OwnFile.isOurs($0, in: directory)
      }
    return names.filter {
      if $0 == "." || $0 == ".." || trusts && isShardName($0) { return false }
      return !($0 == "lost+found" ? OwnFile.isFolder($0, in: directory) : OwnFile.isOurs($0, in: directory))
    }.min()
  }

  /// Returns whether a directory has the manifest of an index. Other programs use the name `manifest` too: the file
  /// must have the root of a manifest, or be damaged beside a shard. If it cannot be read, the reader reports the error.
  static func hasManifest(_ names: [String], in directory: CInt) -> Bool {
    guard names.contains(manifestName) else { return false }
    return OwnFile.proof(of: manifestName, in: directory) ?? true
      || names.contains { isShardName($0) && OwnFile.isOurs($0, in: directory) }
  }

  /// Opens a file of the directory. If all descriptors are in use, frees the descriptors of waiting files, or waits for
  /// another thread to free one.
  func open(_ name: String, _ flags: CInt, mode: mode_t = 0) throws(BuildError) -> CInt {
    while true {
      let closed = monitor.withLock { state.closedCount }
      let file = SystemFile.open(name, in: descriptor, flags, mode: mode)
      guard file < 0, errno == EMFILE || errno == ENFILE else { return file }
      let code = errno
      let (group, isWaitedFor) = monitor.withLock { () -> ([Waiting], Bool) in
        let group = acquireWaiting()
        // Another thread may have freed all of them between the call and this line.
        guard group.isEmpty, state.settlingCount > 0 || state.closedCount != closed else { return (group, false) }
        while state.closedCount == closed, state.settlingCount > 0 { monitor.wait() }
        return ([], true)
      }
      guard isWaitedFor || !group.isEmpty else {
        errno = code
        return file
      }
      try settle(group)
    }
  }

  /// Syncs the names in the directory.
  func syncNames() throws(BuildError) {
    observe?(.syncNames)
    try SystemFile.sync(descriptor, path: directory)
  }

  /// Syncs the directory's own name, which is in its parent.
  func syncParent() throws(BuildError) {
    let path = "\(directory)/.."
    let parent = SystemFile.open("..", in: descriptor, O_RDONLY | O_DIRECTORY)
    guard parent >= 0 else {
      guard errno == EACCES else { throw .io(operation: "open directory", path: path, errno: errno) }
      // A directory that this user may enter but not list cannot be opened, and so cannot be synced by itself.
      return sync()
    }
    defer { _ = close(parent) }
    var (own, other) = (stat(), stat())
    guard unsafe fstat(descriptor, &own) == 0, unsafe fstat(parent, &other) == 0 else {
      throw .io(operation: "examine", path: path, errno: errno)
    }
    // The file system of the parent has no record of a file system that is mounted on it.
    if own.st_dev == other.st_dev { try SystemFile.sync(parent, path: path) }
  }
}
