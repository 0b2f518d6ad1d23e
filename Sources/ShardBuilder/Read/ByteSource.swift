import CLibrary

/// The bytes of a dataset, decompressed while they are read.
final class ByteSource {
  private let path: String
  private let input: DatasetInput
  private let inflater: (any Inflater)?
  /// The stored bytes that were read and not passed on: all of them for a compressed file, else the magic alone.
  private var pending: RawVector<UInt8>
  private var pendingOffset = 0
  private var sawEnd = false

  private let chunkSize: Int

  private var transcoder: Transcoder?
  private let column: RangeColumn?
  /// The bytes before the transcoder or the column, and the bytes after it that were not passed on.
  private var untranslated = RawVector<UInt8>(capacity: 1)
  private var translated = RawVector<UInt8>(capacity: 1)
  private var translatedOffset = 0

  /// The number of bytes read, of the file as stored.
  private(set) var bytesRead: Int

  /// Opens the file and reads its first bytes.
  ///
  /// - Parameter blockSize: The size of a read. Of a compressed file the source reads no more at once.
  init(
    _ dataset: DatasetSource, blockSize: Int, encoding: DatasetDialect.Encoding = .utf8, column: RangeColumn? = nil
  ) throws(DatasetError) {
    path = dataset.path
    transcoder = Transcoder(encoding)
    self.column = column
    chunkSize = min(128 << 10, max(16, blockSize))
    input =
      switch dataset {
      case .file(let path): .file(try InputFile(path: path))
      case .records(let text): .records(text)
      }
    // Four bytes tell every magic apart.
    var start = RawVector<UInt8>(capacity: chunkSize)
    while start.count < 4, try input.read(appendingTo: &start, upTo: chunkSize - start.count) > 0 {}
    var magic: UInt32 = 0
    for index in 0..<min(4, start.count) { magic |= UInt32(start[index]) << (8 * UInt32(index)) }
    inflater =
      switch magic {
      case 0xFD2F_B528, 0x184D_2A50...0x184D_2A5F: ZstdInflater()
      // The third byte names the method; 8 is the only method.
      case let gzip where gzip & 0xFF_FFFF == 0x08_8B1F: GzipInflater()
      default: nil
      }
    bytesRead = start.count
    pending = start
  }

  /// The size of the file as stored, in bytes; for standard input, the bytes left at the start. nil for a pipe.
  var bytesTotal: Int? { input.size }
  /// The error that ended the records of a program.
  var failure: DatasetError? { if case .records(let text) = input { text.failure } else { nil } }

  /// The bytes of memory that the source holds.
  var charge: Int { pending.charge + (inflater?.charge ?? 0) + untranslated.charge + translated.charge }

  /// Appends at least one and at most `count` bytes to `target`, and returns their number; 0 at the end.
  func read(appendingTo target: inout RawVector<UInt8>, upTo count: Int) throws(DatasetError) -> Int {
    guard transcoder != nil || column != nil else { return try readStored(appendingTo: &target, upTo: count) }
    while translatedOffset == translated.count {
      (untranslated.count, translated.count, translatedOffset) = (0, 0, 0)
      if try readStored(appendingTo: &untranslated, upTo: chunkSize) > 0 {
        try column?.append(untranslated, to: &translated)
        transcoder?.append(untranslated, to: &translated)
      } else {
        try column?.finish()
        transcoder?.finish(into: &translated)
        if translated.count == 0 { return 0 }
      }
    }
    return Self.move(from: translated, at: &translatedOffset, to: &target, upTo: count)
  }

  /// Moves the rest of `source`, at most `count` bytes.
  private static func move(
    from source: borrowing RawVector<UInt8>, at offset: inout Int, to target: inout RawVector<UInt8>, upTo count: Int
  ) -> Int {
    let left = min(count, source.count - offset)
    unsafe target.append(source.start + offset, left)
    offset += left
    return left
  }

  /// Reads bytes that are not converted to UTF-8 yet.
  private func readStored(appendingTo target: inout RawVector<UInt8>, upTo count: Int) throws(DatasetError) -> Int {
    guard let inflater else {
      if pendingOffset < pending.count {
        return Self.move(from: pending, at: &pendingOffset, to: &target, upTo: count)
      }
      let read = try input.read(appendingTo: &target, upTo: count)
      bytesRead += read
      return read
    }
    while true {
      if pendingOffset == pending.count, !sawEnd {
        (pending.count, pendingOffset) = (0, 0)
        let read = try input.read(appendingTo: &pending, upTo: chunkSize)
        bytesRead += read
        sawEnd = read == 0
      }
      let left = pending.count - pendingOffset
      switch inflater.inflate(pending, from: pendingOffset, appendingTo: &target, upTo: count) {
      case .progress(let consumed, let produced):
        pendingOffset += consumed
        if produced > 0 { return produced }
        if consumed == 0, sawEnd {
          guard inflater.isBetweenFrames else {
            throw .badCompression(
              path: path, offset: bytesRead,
              reason: "the \(inflater.name) data ends too early; the file is cut short; fetch it again")
          }
          return 0
        }
      case .failed(let reason):
        throw .badCompression(path: path, offset: bytesRead - left, reason: reason)
      }
    }
  }
}

/// The bytes of a dataset as they are stored.
private enum DatasetInput {
  case file(InputFile)
  case records(RecordText)

  var size: Int? { if case .file(let file) = self { file.size } else { nil } }

  func read(appendingTo target: inout RawVector<UInt8>, upTo count: Int) throws(DatasetError) -> Int {
    switch self {
    case .file(let file): try file.read(appendingTo: &target, upTo: count)
    case .records(let text): text.read(appendingTo: &target, upTo: count)
    }
  }
}

/// A file open for reading, or standard input; the end of its life closes it.
private final class InputFile {
  /// The path that the caller gave; `-` is standard input.
  let path: String
  private let descriptor: CInt
  /// The size of the file in bytes; for standard input, the bytes left at the start. nil for a pipe.
  let size: Int?

  init(path: String) throws(DatasetError) {
    self.path = path
    (descriptor, size) = try Self.opened(path)
  }

  deinit { if path != "-" { close(descriptor) } }

  private static func opened(_ path: String) throws(DatasetError) -> (descriptor: CInt, size: Int?) {
    var descriptor: CInt = STDIN_FILENO
    if path != "-" {
      descriptor = retrying { unsafe open(path, O_RDONLY | O_CLOEXEC) }
      guard descriptor >= 0 else { throw .cannotOpen(path: path, errno: errno) }
    }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      let number = errno
      if path != "-" { close(descriptor) }
      throw .io(operation: "fstat", path: path, errno: number)
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      if path != "-" { close(descriptor) }
      throw .isDirectory(path: path)
    }
    let skipped = path == "-" ? max(0, Int(lseek(descriptor, 0, SEEK_CUR))) : 0
    return (descriptor, status.st_mode & S_IFMT == S_IFREG ? max(0, Int(status.st_size) - skipped) : nil)
  }

  /// Calls `read(2)`; calls it again after a signal, and waits if the descriptor does not wait by itself.
  func read(appendingTo target: inout RawVector<UInt8>, upTo count: Int) throws(DatasetError) -> Int {
    target.reserve(count)
    while true {
      let result = unsafe CLibrary.read(descriptor, target.start + target.count, count)
      if result >= 0 {
        target.count += result
        return result
      }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK:
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&wait, 1, -1)
      default: throw .io(operation: "read", path: path, errno: errno)
      }
    }
  }
}
