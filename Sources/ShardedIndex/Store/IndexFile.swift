import CLibrary

/// A regular file open for positioned reads, closed exactly once: when the value goes away. Or a carrier's, or a window
/// on an archive, which stays open for it.
///
/// Links, devices, directories and pipes are refused, and never waited for.
struct IndexFile: ~Copyable {
  /// The descriptor, or the carrier's number of the file.
  private let descriptor: CInt
  private let directory: IndexDirectory
  private let name: FileName
  /// The archive that the file is in; nil where it is a file of its own.
  let archive: Archive?
  /// Where it begins in the archive; 0 for a file of its own.
  private let start: Int64
  /// The size when it was opened, in bytes.
  let length: Int64
  /// The same where it fits an `Int`, else the greatest one.
  let size: Int
  /// The identity when it was opened.
  let stamp: FileStamp
  /// The content, once it is held: then nothing is read from the file any more.
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

  /// Takes a carrier's file.
  ///
  /// - Parameter isArchive: Whether it may be larger than an `Int` says.
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

  /// Makes a window on an archive, which has that many bytes.
  ///
  /// - Parameters:
  ///   - file: The archive's.
  ///   - isFile: Whether it is a file of the index, which a carrier may keep apart from others.
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

  /// Makes a value of the same file, to make windows of; the holder of `file` keeps it open.
  init(copying file: borrowing IndexFile) {
    (descriptor, directory, name) = (file.descriptor, file.directory, file.name)
    (archive, start, length, size) = (file.archive, file.start, file.length, file.size)
    (stamp, held, isCopy) = (file.stamp, file.held, true)
  }

  /// The bytes that a first read of a manifest takes: where each read is a round trip, more come with it than is asked.
  /// Of an archive's the beginning is in memory.
  var firstReadSize: Int {
    let usual = directory.carried == nil || archive != nil ? 4096 : 16_384
    return min(size, max(archive?.headSize(from: start) ?? 0, usual))
  }

  // Opened for reading: there is no write-back error to lose.
  deinit { if directory.carried == nil, archive == nil, !isCopy { _ = close(descriptor) } }

  /// Reads the whole file and keeps it, so that the bytes that were checked are those that are used, whatever becomes
  /// of the file.
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

  /// Fills `target` with the bytes from `offset` on. All that the engine reads of a file comes this way.
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
