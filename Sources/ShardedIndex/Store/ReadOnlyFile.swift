import CSystem

func errorText(_ number: Int32) -> String { String(cString: strerror(number)) }

/// A directory of index files, open for as long as the value lives, so that a later change of the working directory or a rename of the directory leads nowhere else.
package final class IndexDirectory: Sendable {
  package var path: String { String(cString: name) }
  // No `String`, which a query makes none of.
  nonisolated(unsafe) private let name: UnsafeMutablePointer<CChar>
  private let descriptor: CInt

  package convenience init(opening path: String) throws(IndexError) {
    // What is thrown in a closure would be of any type.
    let copy = path.withCString { strdup($0)! }
    defer { free(copy) }
    try self.init(opening: UnsafePointer(copy))
  }

  package init(opening path: UnsafePointer<CChar>) throws(IndexError) {
    descriptor = retrying { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    let number = descriptor < 0 ? errno : 0
    name = strdup(path)!
    guard descriptor >= 0 else {
      throw number == ENOENT || number == ENOTDIR
        ? .notFound(path: String(cString: path)) : .io(operation: "open", path: String(cString: path), errno: number)
    }
  }

  /// Opens a directory that is open already once more, wherever it stands now.
  ///
  /// - Parameter path: For messages.
  package init(_ directory: CInt, path: String) throws(IndexError) {
    descriptor = retrying { openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    let number = descriptor < 0 ? errno : 0
    name = path.withCString { strdup($0)! }
    guard descriptor >= 0 else { throw .io(operation: "open", path: path, errno: number) }
  }

  deinit {
    if descriptor >= 0 { _ = close(descriptor) }
    free(name)
  }

  /// A descriptor of a file that may be damaged, or -1 with `errno`; the caller closes it.
  package func descriptor(of name: String) -> CInt { name.withCString { IndexFile.open($0, in: descriptor) } }

  package func filePath(_ name: String) -> String { path.hasSuffix("/") ? path + name : path + "/" + name }

  private static let manifestName: StaticString = "manifest"
  private var manifestName: UnsafePointer<CChar> {
    UnsafeRawPointer(Self.manifestName.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// A manifest that is open, and closed with the file.
  func manifestFile(_ descriptor: CInt) throws(IndexError) -> IndexFile {
    try IndexFile(descriptor, of: self, manifestName)
  }

  /// Opens the manifest.
  func manifestFile() throws(IndexError) -> IndexFile {
    do throws(IndexError) {
      return try IndexFile(opening: manifestName, of: self, descriptor)
    } catch {
      if case .vanished = error { throw .notFound(path: path) }
      throw error
    }
  }

  private static let overlayName: StaticString = "overlay"
  private var overlayName: UnsafePointer<CChar> {
    UnsafeRawPointer(Self.overlayName.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// Opens the overlay; nil if there is none.
  ///
  /// Who wants the manifest as well opens that afterwards: an update that writes the overlay's changes into shards puts the
  /// new manifest in place first, and takes the overlay away then. So what was changed before is in one of the two. And
  /// asks ``isOverlay(_:)`` then, and begins anew if it is not.
  func overlayFile() throws(IndexError) -> IndexFile? {
    let file = IndexFile.open(overlayName, in: descriptor)
    guard file >= 0 else {
      // Mostly there is none: no error is made of that, whose path takes more of a start than all else about it.
      if errno == ENOENT { return nil }
      throw IndexFile.failure(toOpen: overlayName, in: self, errno)
    }
    return try IndexFile(file, of: self, overlayName)
  }

  /// Which file is the manifest now; nil if there is none, or it cannot be looked at.
  func manifestStamp() -> FileStamp? { stamp(of: manifestName) }

  /// Which files a generation would be read from now; nil if there is no manifest, or it cannot be looked at.
  func generationStamp() -> GenerationStamp? {
    let overlay = stamp(of: overlayName)
    return manifestStamp().map { GenerationStamp(manifest: $0, overlay: overlay) }
  }

  /// Whether a file is the overlay still.
  ///
  /// One that is of no manifest any more is taken away before the one that it is of is put in place again: so one that is
  /// there after a manifest was opened has not been of another meanwhile.
  func isOverlay(_ stamp: FileStamp) -> Bool {
    var status = stat()
    // Where it cannot be looked at, to begin anew would not help.
    guard fstatat(descriptor, overlayName, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return errno != ENOENT }
    return FileStamp(status) == stamp
  }

  private func stamp(of name: UnsafePointer<CChar>) -> FileStamp? {
    var status = stat()
    guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    return FileStamp(status)
  }

  /// Reads the file `name`, which must have `size` bytes; the caller deallocates them.
  package func read(
    _ name: UnsafePointer<CChar>, size: Int
  ) throws(IndexError) -> UnsafeMutableBufferPointer<UInt8> {
    try file(name, size: size).read(from: 0, size: size)
  }

  /// Opens the file `name`, which must have `size` bytes.
  ///
  /// - Parameter name: Stays valid for as long as the file is open.
  func file(_ name: UnsafePointer<CChar>, size: Int) throws(IndexError) -> IndexFile {
    let file = try IndexFile(opening: name, of: self, descriptor)
    guard file.size == size else {
      throw .corrupt(path: file.path, cause: .wrongSize(found: file.size, expected: size))
    }
    return file
  }
}

/// What tells a file from the one that stood under its name before.
///
/// For as long as a file is open no other gets its number; size and time tell of one that got it later.
struct FileStamp: Equatable, Sendable {
  private let device: UInt64
  private let number: UInt64
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  fileprivate init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int(status.st_size)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    seconds = Int(time.tv_sec)
    nanoseconds = Int(time.tv_nsec)
  }
}

/// What tells the files of a generation from those that stood under their names before.
struct GenerationStamp: Equatable, Sendable {
  let manifest: FileStamp
  /// nil if there is none.
  let overlay: FileStamp?
}

/// A regular file open for positioned reads, closed exactly once: when the value goes away.
///
/// Links, devices, directories and pipes are refused, and never waited for.
struct IndexFile: ~Copyable {
  private let descriptor: CInt
  private let directory: IndexDirectory
  private let name: UnsafePointer<CChar>
  /// In bytes, when it was opened.
  let size: Int
  /// When it was opened.
  let stamp: FileStamp
  /// All of it, once it is held: then nothing is read from the file any more.
  private var held: UnsafeMutableBufferPointer<UInt8>? = nil

  /// For messages.
  var path: String { directory.filePath(String(cString: name)) }

  init(opening name: UnsafePointer<CChar>, of directory: IndexDirectory, _ place: CInt) throws(IndexError) {
    let descriptor = Self.open(name, in: place)
    guard descriptor >= 0 else { throw Self.failure(toOpen: name, in: directory, errno) }
    try self.init(descriptor, of: directory, name)
  }

  /// A descriptor, or -1 with `errno`.
  fileprivate static func open(_ name: UnsafePointer<CChar>, in place: CInt) -> CInt {
    retrying { openat(place, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
  }

  fileprivate static func failure(
    toOpen name: UnsafePointer<CChar>, in directory: IndexDirectory, _ number: CInt
  ) -> IndexError {
    let path = directory.filePath(String(cString: name))
    return switch number {
    case ENOENT: .vanished(path: path)
    case ELOOP: .corrupt(path: path, cause: .invalid(reason: "is a symbolic link", offset: 0))
    default: .io(operation: "open", path: path, errno: number)
    }
  }

  /// Takes over an open descriptor.
  init(_ descriptor: CInt, of directory: IndexDirectory, _ name: UnsafePointer<CChar>) throws(IndexError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let number = errno
      _ = close(descriptor)
      throw .io(operation: "examine", path: directory.filePath(String(cString: name)), errno: number)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      _ = close(descriptor)
      throw .corrupt(
        path: directory.filePath(String(cString: name)), cause: .invalid(reason: "is no regular file", offset: 0))
    }
    self.descriptor = descriptor
    self.directory = directory
    self.name = name
    size = Int(status.st_size)
    stamp = FileStamp(status)
  }

  deinit {
    _ = close(descriptor)  // Opened for reading: there is no write-back error to lose.
    held?.deallocate()
  }

  /// Reads the whole file and keeps it, so that what was looked at is what is used, whatever becomes of the file.
  mutating func hold() throws(IndexError) -> UnsafeBufferPointer<UInt8> {
    if let held { return UnsafeBufferPointer(held) }
    let content = try read(from: 0, size: size)
    held = content
    return UnsafeBufferPointer(content)
  }

  /// The digest of the whole file.
  func digest() throws(IndexError) -> [UInt8] {
    var hash = SHA256()
    let chunk = 64 << 10
    for start in stride(from: 0, to: size, by: chunk) {
      let bytes = try read(from: start, size: min(chunk, size - start))
      hash.update(UnsafeBufferPointer(bytes))
      bytes.deallocate()
    }
    return hash.finish()
  }

  /// `size` bytes from `offset` on; the caller deallocates them.
  func read(from offset: Int, size: Int) throws(IndexError) -> UnsafeMutableBufferPointer<UInt8> {
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: size)
    do throws(IndexError) {
      try read(from: offset, size: size, into: buffer.baseAddress!)
    } catch {
      buffer.deallocate()
      throw error
    }
    return buffer
  }

  /// `size` bytes from `offset` on.
  func read(from offset: Int, size: Int, into target: UnsafeMutablePointer<UInt8>) throws(IndexError) {
    if let held {
      guard offset <= held.count, size <= held.count - offset else {
        throw .corrupt(path: path, cause: .wrongSize(found: held.count, expected: offset + size))
      }
      return target.update(from: held.baseAddress! + offset, count: size)
    }
    try ReadingTerms.admit(0, in: directory)
    var done = 0
    while done < size {
      let count = pread(descriptor, target + done, size - done, off_t(offset + done))
      if count > 0 {
        done += count
      } else if count == 0 {
        throw .corrupt(path: path, cause: .wrongSize(found: offset + done, expected: offset + size))
      } else if errno != EINTR {
        throw .io(operation: "read", path: path, errno: errno)
      }
    }
  }

  /// Whether another file has the same bytes.
  func hasContent(of other: borrowing IndexFile) throws(IndexError) -> Bool {
    guard size == other.size else { return false }
    let chunk = 64 << 10
    for start in stride(from: 0, to: size, by: chunk) {
      let count = min(chunk, size - start)
      let mine = try read(from: start, size: count)
      defer { mine.deallocate() }
      let theirs = try other.read(from: start, size: count)
      defer { theirs.deallocate() }
      guard memcmp(mine.baseAddress!, theirs.baseAddress!, count) == 0 else { return false }
    }
    return true
  }
}
