import CLibrary

func errorText(_ number: Int32) -> String { unsafe String(cString: strerror(number)) }

/// The files of an index: an open directory, an archive, or a carrier. A directory stays open as long as the value
/// lives, so that it stays the same after a rename or a change of the working directory. An archive is opened by its
/// path with each manifest. A carrier gets the files from elsewhere.
package final class IndexDirectory: Sendable {
  /// The path as the caller gave it, in UTF-8, so that a query makes no `String`.
  private let pathBytes: [UInt8]
  /// The descriptor of the directory; -1 for a carrier or an archive.
  private let descriptor: CInt
  /// The carrier; nil for a directory or an archive on disk.
  let carried: CarriedFiles?
  /// Whether all files are in one archive.
  package let isArchive: Bool

  package var path: String { String(decoding: pathBytes, as: UTF8.self) }

  /// Opens a directory. A file counts as an archive, and is opened with its manifest.
  package init(opening path: String) throws(IndexError) {
    descriptor = retrying { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    let number = descriptor < 0 ? errno : 0
    pathBytes = Array(path.utf8)
    (carried, isArchive) = (nil, number == ENOTDIR)
    guard descriptor >= 0 || isArchive else {
      throw number == ENOENT ? .notFound(path: path) : .io(operation: "open", path: path, errno: number)
    }
  }

  /// Opens an open directory once more, wherever it is now.
  ///
  /// - Parameter path: The path for messages.
  package init(_ directory: CInt, path: String) throws(IndexError) {
    descriptor = retrying { unsafe openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    let number = descriptor < 0 ? errno : 0
    pathBytes = Array(path.utf8)
    (carried, isArchive) = (nil, false)
    guard descriptor >= 0 else { throw .io(operation: "open", path: path, errno: number) }
  }

  /// Makes an index directory of a carrier, whose functions must work as long as the value lives.
  ///
  /// - Parameters:
  ///   - path: The path for messages.
  ///   - isArchive: Whether the carrier has one file, an archive.
  package init(carrier: Carrier, path: String, isArchive: Bool = false) {
    unsafe (descriptor, carried, self.isArchive) = (-1, CarriedFiles(carrier), isArchive)
    pathBytes = Array(path.utf8)
  }

  deinit {
    if descriptor >= 0 { _ = close(descriptor) }
    carried?.close()
  }

  /// Returns a descriptor of a file that may be damaged, or -1 with `errno`; the caller closes it.
  package func descriptor(of name: String) -> CInt {
    retrying { unsafe openat(descriptor, name, Self.readOnly) }
  }

  /// The flags for a file that may be anything: the call follows no link and waits for no pipe.
  private static var readOnly: CInt { O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC }

  package func filePath(_ name: String) -> String {
    path.utf8.last == UInt8(ascii: "/") ? path + name : path + "/" + name
  }

  // MARK: Files

  var manifestName: FileName { FileName("manifest") }
  private static var overlayName: FileName { FileName("overlay") }

  /// Opens the file `name`, which must have `size` bytes.
  ///
  /// - Parameter place: The place of the file in an archive; nil for a directory.
  func file(_ name: FileName, size: Int, at place: ArchivePlace?) throws(IndexError) -> IndexFile {
    if let place { return try place.archive.file(name, size: size, number: place.number) }
    let file = try file(name, promised: size)
    guard file.size == size else {
      throw .corrupt(path: file.path, cause: .wrongSize(found: file.size, expected: size))
    }
    return file
  }

  /// Reads the file `name`, which must have `size` bytes.
  package func read(_ name: FileName, size: Int, at place: ArchivePlace?) throws(IndexError) -> [UInt8] {
    try file(name, size: size, at: place).read(from: 0, size: size)
  }

  /// Calls `body` with the bytes of the file `name`, which must have `size` bytes, in runs of at most 256 KiB.
  package func forEachRun<Failure: Error>(
    of name: FileName, size: Int, at place: ArchivePlace?, _ body: ([UInt8]) throws(Failure) -> Void
  ) throws(IndexError) -> Result<Void, Failure> {
    try file(name, size: size, at: place).forEachRun(body)
  }

  /// - Parameter size: The size that the file must have, for a carrier; nil if unknown.
  private func file(_ name: FileName, promised size: Int? = nil) throws(IndexError) -> IndexFile {
    if let carried {
      let file = carried.open(name, size: size)
      guard file >= 0 else {
        throw carried.error(0 &- file, operation: "open", path: filePath(name.text), in: self)
      }
      return try IndexFile(file, of: carried, in: self, name)
    }
    // A file of an archive would have a place.
    if isArchive { throw .vanished(path: filePath(name.text)) }
    let file = descriptor(of: name)
    guard file >= 0 else { throw failure(toOpen: name, errno) }
    return try IndexFile(file, of: self, name)
  }

  /// Opens the archive.
  private func archive() throws(IndexError) -> Archive {
    if let carried {
      let file = carried.keepsFilesApart ? carried.open(FileName("archive"), size: nil) : 0
      if file == 0 &- ENOENT { throw .notFound(path: path) }
      guard file >= 0 else { throw carried.error(0 &- file, operation: "open", path: path, in: self) }
      let opened: IndexFile
      do throws(IndexError) {
        opened = try IndexFile(file, of: carried, in: self, manifestName, isArchive: true)
      } catch {
        if case .vanished = error { throw .notFound(path: path) }
        throw error
      }
      return try Archive(opened, of: self)
    }
    let file = retrying { unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    let number = file < 0 ? errno : 0
    guard file >= 0 else {
      throw number == ENOENT || number == ENOTDIR
        ? .notFound(path: path) : .io(operation: "open", path: path, errno: number)
    }
    let opened: IndexFile
    do throws(IndexError) {
      opened = try IndexFile(file, of: self, manifestName)
    } catch {
      if case .corrupt = error { throw .notFound(path: path) }  // It is not a regular file.
      throw error
    }
    return try Archive(opened, of: self)
  }

  /// Returns a descriptor, or -1 with `errno`.
  private func descriptor(of name: FileName) -> CInt {
    unsafe name.withCString { name in
      retrying { unsafe openat(descriptor, name, Self.readOnly) }
    }
  }

  private func failure(toOpen name: FileName, _ number: CInt) -> IndexError {
    let path = filePath(name.text)
    return switch number {
    case ENOENT: .vanished(path: path)
    case ELOOP: .corrupt(path: path, cause: .invalid(reason: "is a symbolic link", offset: 0))
    default: .io(operation: "open", path: path, errno: number)
    }
  }

  /// Takes over the descriptor of a manifest, which is closed with the file.
  func manifestFile(_ descriptor: CInt) throws(IndexError) -> IndexFile {
    try IndexFile(descriptor, of: self, manifestName)
  }

  /// Opens the manifest.
  func manifestFile() throws(IndexError) -> IndexFile {
    if isArchive { return try archive().manifestFile() }
    do throws(IndexError) {
      return try file(manifestName)
    } catch {
      if case .vanished = error { throw .notFound(path: path) }
      throw error
    }
  }

  /// Opens the overlay; nil if there is none. A carrier and an archive have none.
  ///
  /// A reader opens the overlay before the manifest. An update that writes the overlay's changes into shards first
  /// publishes the new manifest and then removes the overlay. So the earlier changes are in one of the two. Afterwards
  /// the reader calls ``isOverlay(_:)``, and begins again if the result is false.
  func overlayFile() throws(IndexError) -> IndexFile? {
    if descriptor < 0 { return nil }
    let file = descriptor(of: Self.overlayName)
    guard file >= 0 else {
      // Mostly there is no overlay. An error is not made for this, since its path would take most of the time.
      if errno == ENOENT { return nil }
      throw failure(toOpen: Self.overlayName, errno)
    }
    return try IndexFile(file, of: self, Self.overlayName)
  }

  // MARK: Stamps

  /// Returns the identity of the present manifest; nil if there is none or the look fails.
  func manifestStamp() -> FileStamp? {
    if carried != nil {
      guard let file = try? manifestFile() else { return nil }
      return file.stamp
    }
    if isArchive {
      var status = stat()
      return unsafe stat(path, &status) == 0 ? FileStamp(status) : nil
    }
    return stamp(of: manifestName)
  }

  /// Returns the identity of the present generation's files; nil if there is no manifest or the look fails.
  func generationStamp() -> GenerationStamp? {
    let overlay = descriptor < 0 ? nil : stamp(of: Self.overlayName)
    return manifestStamp().map { GenerationStamp(manifest: $0, overlay: overlay) }
  }

  /// Returns whether a file is still the overlay.
  ///
  /// An outdated overlay is removed before its manifest can be published again. So an overlay that is still there after
  /// a manifest was opened belongs to no other manifest.
  func isOverlay(_ stamp: FileStamp) -> Bool {
    var status = stat()
    // If the look fails, beginning again would not help.
    guard look(at: Self.overlayName, &status) == 0 else { return errno != ENOENT }
    return FileStamp(status) == stamp
  }

  private func stamp(of name: FileName) -> FileStamp? {
    var status = stat()
    guard look(at: name, &status) == 0 else { return nil }
    return FileStamp(status)
  }

  private func look(at name: FileName, _ status: inout stat) -> CInt {
    unsafe name.withCString { unsafe fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) }
  }
}
