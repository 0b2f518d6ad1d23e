import CSystem

/// The bytes of a dataset, decompressed as they come; closed when it goes away.
final class ByteSource {
  let path: String
  /// Of the file as stored; what is left of it at the start, when it is standard input. nil for a pipe.
  let bytesTotal: Int?
  /// Of the file as stored.
  private(set) var bytesRead = 0

  private let descriptor: CInt
  private let inflater: (any Inflater)?
  /// Stored bytes that were read and not handed on: all of them when compressed, else the magic alone.
  private var pending: RawVector<UInt8>
  private var pendingOffset = 0
  private var sawEnd = false

  private let chunkSize: Int

  private var transcoder: Transcoder?
  /// Bytes on their way through the transcoder, and what came out of it and was not handed on.
  private var untranslated: RawVector<UInt8>
  private var translated: RawVector<UInt8>
  private var translatedOffset = 0

  /// - Parameter blockSize: How much is wanted at a time. Of a compressed file no more is read at once.
  init(path: String, blockSize: Int, encoding: DatasetDialect.Encoding = .utf8) throws(DatasetError) {
    transcoder = Transcoder(encoding)
    self.path = path
    chunkSize = min(128 << 10, max(16, blockSize))
    var descriptor: CInt = STDIN_FILENO
    if path != "-" {
      repeat { descriptor = open(path, O_RDONLY | O_CLOEXEC) } while descriptor < 0 && errno == EINTR
      guard descriptor >= 0 else { throw .cannotOpen(path: path, errno: errno) }
    }
    self.descriptor = descriptor
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let number = errno
      if path != "-" { close(descriptor) }
      throw .io(operation: "fstat", path: path, errno: number)
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      if path != "-" { close(descriptor) }
      throw .isDirectory(path: path)
    }
    let skipped = path == "-" ? max(0, Int(lseek(descriptor, 0, SEEK_CUR))) : 0
    bytesTotal = status.st_mode & S_IFMT == S_IFREG ? max(0, Int(status.st_size) - skipped) : nil

    // Four bytes tell every magic apart.
    var magic: UInt32 = 0
    pending = RawVector(capacity: chunkSize)
    untranslated = RawVector(capacity: 1)
    translated = RawVector(capacity: 1)
    do throws(DatasetError) {
      while pending.count < 4 {
        let count = try Self.read(
          descriptor, path, pending.start + pending.count, chunkSize - pending.count)
        if count == 0 { break }
        pending.count += count
      }
    } catch {
      // `deinit` does not run before all is set.
      if path != "-" { close(descriptor) }
      pending.deallocate()
      untranslated.deallocate()
      translated.deallocate()
      throw error
    }
    for index in 0..<min(4, pending.count) { magic |= UInt32(pending[index]) << (8 * UInt32(index)) }
    inflater =
      switch magic {
      case 0xFD2F_B528, 0x184D_2A50...0x184D_2A5F: ZstdInflater()
      // The third byte names the method; 8 is the only one there is.
      case let gzip where gzip & 0xFF_FFFF == 0x08_8B1F: GzipInflater()
      default: nil
      }
    bytesRead = pending.count
  }

  deinit {
    pending.deallocate()
    untranslated.deallocate()
    translated.deallocate()
    if path != "-" { close(descriptor) }
  }

  /// Bytes of memory held.
  var charge: Int { pending.charge + (inflater?.charge ?? 0) + untranslated.charge + translated.charge }

  /// Reads at least one byte and at most `count` into `target`; 0 at the end.
  func read(into target: UnsafeMutablePointer<UInt8>, count: Int) throws(DatasetError) -> Int {
    guard transcoder != nil else { return try readStored(into: target, count: count) }
    while translatedOffset == translated.count {
      (translated.count, translatedOffset) = (0, 0)
      untranslated.reserve(chunkSize)
      let read = try readStored(into: untranslated.start, count: chunkSize)
      let input = UnsafeBufferPointer(start: UnsafePointer(untranslated.start), count: read)
      if read > 0 {
        transcoder?.append(input, to: &translated)
      } else {
        transcoder?.finish(into: &translated)
        if translated.count == 0 { return 0 }
      }
    }
    let left = min(count, translated.count - translatedOffset)
    target.update(from: translated.start + translatedOffset, count: left)
    translatedOffset += left
    return left
  }

  /// The same before it is made UTF-8.
  private func readStored(into target: UnsafeMutablePointer<UInt8>, count: Int) throws(DatasetError) -> Int {
    guard let inflater else {
      let left = min(count, pending.count - pendingOffset)
      if left > 0 {
        target.update(from: pending.start + pendingOffset, count: left)
        pendingOffset += left
        return left
      }
      let read = try Self.read(descriptor, path, target, count)
      bytesRead += read
      return read
    }
    while true {
      if pendingOffset == pending.count, !sawEnd {
        pendingOffset = 0
        pending.count = try Self.read(descriptor, path, pending.start, chunkSize)
        bytesRead += pending.count
        sawEnd = pending.count == 0
      }
      let input = UnsafeBufferPointer(
        start: pending.start + pendingOffset, count: pending.count - pendingOffset)
      let output = UnsafeMutableBufferPointer(start: target, count: count)
      switch inflater.inflate(input, into: output) {
      case .progress(let consumed, let produced):
        pendingOffset += consumed
        if produced > 0 { return produced }
        if consumed == 0, sawEnd {
          guard inflater.isBetweenFrames else {
            throw .badCompression(
              path: path, offset: bytesRead,
              reason: "the \(inflater.name) data ends too early; the file is cut short, fetch it again")
          }
          return 0
        }
      case .failed(let reason):
        throw .badCompression(path: path, offset: bytesRead - input.count, reason: reason)
      }
    }
  }

  /// `read(2)`, again when a signal came first, and waiting when the descriptor does not wait by itself.
  private static func read(
    _ descriptor: CInt, _ path: String, _ target: UnsafeMutablePointer<UInt8>, _ count: Int
  ) throws(DatasetError) -> Int {
    while true {
      #if canImport(Glibc)
        let result = Glibc.read(descriptor, target, count)
      #elseif canImport(Musl)
        let result = Musl.read(descriptor, target, count)
      #else
        let result = Darwin.read(descriptor, target, count)
      #endif
      if result >= 0 { return result }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK:
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&wait, 1, -1)
      default: throw .io(operation: "read", path: path, errno: errno)
      }
    }
  }
}
