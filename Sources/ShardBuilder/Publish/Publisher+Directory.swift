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
  func list() throws(BuildError) -> [String] { try list(descriptor) }

  /// Returns the names of all entries of another directory that are UTF-8.
  func list(_ descriptor: CInt) throws(BuildError) -> [String] {
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

  /// Returns the first name, in order, of an entry that no build makes; nil if there is none or the directory has an
  /// index.
  static func otherEntry(in directory: String) -> String? {
    guard let stream = unsafe opendir(directory) else { return nil }
    defer { unsafe closedir(stream) }
    var other: String?
    var (hasManifest, hasShard) = (false, false)
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if isManifestName(name) { continue }
      if isShardName(name) {
        hasShard = true
        continue
      }
      if name == manifestName { hasManifest = true }
      if name.utf8.first == UInt8(ascii: ".") || name == overlayName || name == "README.md" || name == "lost+found" {
        continue
      }
      if other.map({ name < $0 }) ?? true { other = name }
    }
    // Other programs use the name `manifest` too: without a shard beside it, the file must begin with the first bytes
    // of an index.
    return hasManifest && (hasShard || isManifest(directory + "/" + manifestName)) ? nil : other
  }

  private static func isManifest(_ path: String) -> Bool {
    let file = SystemFile.open(path, in: AT_FDCWD, O_RDONLY | O_NONBLOCK)
    guard file >= 0 else { return true }  // The reader reports the error.
    defer { _ = close(file) }
    var magic: UInt32 = 0
    return unsafe pread(file, &magic, 4, 0) == 4 && UInt32(littleEndian: magic) == Manifest.magic
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
