import CLibrary

/// An open file for positioned reads: a regular file, a carrier's file, or a window on an archive, which stays open for
/// it. The end of the value closes a regular file, exactly once.
///
/// The initialiser refuses links, devices, directories and pipes, and never waits for them.
struct IndexFile: ~Copyable {
  /// The descriptor, or the carrier's number of the file.
  private let descriptor: CInt
  private let directory: IndexDirectory
  private let name: FileName
  /// The archive of the file; nil for a file of its own.
  let archive: Archive?
  /// The start of the file in the archive, in bytes; 0 for a file of its own.
  private let start: Int64
  /// The size at the opening, in bytes.
  let length: Int64
  /// The same as an `Int`; the greatest `Int` if it does not fit.
  let size: Int
  /// The identity at the opening.
  let stamp: FileStamp
  /// The whole content, if it is held. Then no read goes to the file.
  private var held: [UInt8]?
  /// Whether another value closes the file.
  private var isCopy = false

  /// The path, for messages.
  var path: String { directory.filePath(name.text) }

  /// Takes over an open descriptor.
  init(_ descriptor: CInt, of directory: IndexDirectory, _ name: FileName) throws(IndexError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      let number = errno
      _ = close(descriptor)
      throw .io(operation: "examine", path: directory.filePath(name.text), errno: number)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      _ = close(descriptor)
      throw .corrupt(
        path: directory.filePath(name.text), cause: .invalid(reason: "is not a regular file", offset: 0))
    }
    self.descriptor = descriptor
    self.directory = directory
    self.name = name
    (archive, start, length) = (nil, 0, Int64(status.st_size))
    size = Int(clamping: length)
    stamp = FileStamp(status)
    held = nil
  }

  /// Makes a value of a carrier's file.
  ///
  /// - Parameter isArchive: Whether the file may be larger than an `Int`.
  init(
    _ number: CInt, of carried: CarriedFiles, in directory: IndexDirectory, _ name: FileName,
    isArchive: Bool = false
  ) throws(IndexError) {
    let size = carried.size(of: number)
    guard size >= 0 else {
      throw carried.error(
        CInt(clamping: 0 &- size), operation: "examine", path: directory.filePath(name.text), in: directory)
    }
    guard isArchive || Int(exactly: size) != nil else {
      throw .corrupt(
        path: directory.filePath(name.text), cause: .wrongSize(found: .max, expected: Manifest.fileLimit))
    }
    (descriptor, self.directory, self.name) = (number, directory, name)
    (archive, start, length, self.size) = (nil, 0, size, Int(clamping: size))
    (stamp, held) = (FileStamp(ofFile: number), nil)
  }

  /// Makes a window on an archive, which must have these bytes.
  ///
  /// - Parameters:
  ///   - file: The file of the archive.
  ///   - isFile: Whether the window is a file of the index, which a carrier may keep apart.
  init(
    in archive: Archive, _ file: borrowing IndexFile, _ name: FileName, from start: Int64, size: Int,
    isFile: Bool = true
  ) throws(IndexError) {
    var number = file.descriptor
    if isFile, let carried = file.directory.carried {
      number = carried.open(name, in: number, from: file.start + start, size: size)
      guard number >= 0 else {
        let path = file.directory.filePath(name.text)
        throw carried.error(0 &- number, operation: "open", path: path, in: file.directory)
      }
    }
    (descriptor, directory, self.name) = (number, file.directory, name)
    (self.archive, self.start, length, self.size) = (archive, file.start + start, Int64(size), size)
    (stamp, held) = (file.stamp, nil)
  }

  /// Makes a second value of a file, for windows on it. The holder of `file` keeps the file open.
  init(copying file: borrowing IndexFile) {
    (descriptor, directory, name) = (file.descriptor, file.directory, file.name)
    (archive, start, length, size) = (file.archive, file.start, file.length, file.size)
    (stamp, held, isCopy) = (file.stamp, file.held, true)
  }

  /// The size of the first read of a manifest, in bytes. It is larger if each read is a round trip, and for an archive,
  /// whose beginning is in memory.
  var firstReadSize: Int {
    let usual = directory.carried == nil || archive != nil ? 4096 : 16_384
    return min(size, max(archive?.headSize(from: start) ?? 0, usual))
  }

  // The file was opened for reading, so closing loses no error of a write.
  deinit { if directory.carried == nil, archive == nil, !isCopy { _ = close(descriptor) } }

  /// Reads the whole file and keeps it, so that later reads get the checked bytes, even if the file changes.
  mutating func hold() throws(IndexError) {
    if held == nil { held = try read(from: 0, size: size) }
  }

  /// Returns the SHA-256 of the whole file.
  func digest() throws(IndexError) -> [UInt8] {
    var hash = SHA256()
    let chunk = 64 << 10
    for start in stride(from: 0, to: size, by: chunk) {
      unsafe try read(from: start, size: min(chunk, size - start)).withUnsafeBufferPointer { unsafe hash.update($0) }
    }
    return hash.finish()
  }

  /// Calls `body` with all bytes in order, in runs of at most 256 KiB.
  func forEachRun<Failure: Error>(
    _ body: ([UInt8]) throws(Failure) -> Void
  ) throws(IndexError) -> Result<Void, Failure> {
    let chunk = 256 << 10
    for start in stride(from: 0, to: size, by: chunk) {
      let run = try read(from: start, size: min(chunk, size - start))
      do throws(Failure) { try body(run) } catch { return .failure(error) }
    }
    return .success(())
  }

  /// Returns `size` bytes from `offset` on.
  func read(from offset: Int, size: Int) throws(IndexError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size)
    var span = bytes.mutableSpan
    var target = unsafe span.mutableBytes
    try read(from: offset, into: &target)
    return bytes
  }

  /// Fills `target` with the bytes from `offset` on. The engine reads files only by this call.
  func read(from offset: Int, into target: inout MutableRawSpan) throws(IndexError) {
    let size = target.byteCount
    if let held {
      guard offset <= held.count, size <= held.count - offset else {
        throw .corrupt(path: path, cause: .wrongSize(found: held.count, expected: offset + size))
      }
      return target.copy(held[offset..<offset + size])
    }
    if let archive {
      guard offset <= self.size, size <= self.size - offset else {
        let end = offset.addingReportingOverflow(size).partialValue
        throw .corrupt(path: path, cause: .wrongSize(found: self.size, expected: end))
      }
      if archive.readHead(from: start + Int64(offset), into: &target) { return }
    }
    try ReadingTerms.admit(0, in: directory)
    let start = start + Int64(offset)
    var done = 0
    let failure: CInt = unsafe target.withUnsafeMutableBytes { target in
      if let carrier = unsafe directory.carried?.functions {
        done = size
        return unsafe 0 &- carrier.read(carrier.context, descriptor, start, Int64(size), target.baseAddress)
      }
      while done < size {
        let count = unsafe pread(descriptor, target.baseAddress! + done, size - done, off_t(start) + off_t(done))
        if count > 0 { done += count } else if count == 0 { return 0 } else if errno != EINTR { return errno }
      }
      return 0
    }
    guard failure == 0 else {
      throw directory.carried.map { $0.error(failure, operation: "read", path: path, in: directory) }
        ?? .io(operation: "read", path: path, errno: failure)
    }
    guard done == size else {
      throw .corrupt(path: path, cause: .wrongSize(found: offset + done, expected: offset + size))
    }
  }

  /// Returns whether another file has the same bytes.
  func hasContent(of other: borrowing IndexFile) throws(IndexError) -> Bool {
    if directory.carried != nil, archive == nil { return stamp == other.stamp }
    guard size == other.size else { return false }
    let chunk = 64 << 10
    for start in stride(from: 0, to: size, by: chunk) {
      let count = min(chunk, size - start)
      let mine = try read(from: start, size: count)
      guard mine == (try other.read(from: start, size: count)) else { return false }
    }
    return true
  }
}

extension MutableRawSpan {
  /// Copies bytes to the beginning; there must be room for them.
  mutating func copy(_ bytes: ArraySlice<UInt8>) {
    unsafe withUnsafeMutableBytes { unsafe $0.copyBytes(from: bytes) }
  }
}
