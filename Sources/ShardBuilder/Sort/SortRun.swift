import CLibrary

/// A sorted run: record blobs one after the other, in order, in a file without a name.
final class SortRun {
  let file: TemporaryFile
  /// The size in bytes.
  let size: Int
  /// The size of its largest record in bytes.
  let largest: Int

  init(file: TemporaryFile, size: Int, largest: Int) { (self.file, self.size, self.largest) = (file, size, largest) }
}

/// Writes a run through a buffer.
final class RunWriter {
  private static let capacity = 256 << 10
  private let file: TemporaryFile
  private var buffer = RawVector<UInt8>(capacity: capacity)
  private var size = 0
  private var largest = 0

  init(directory: RunDirectory) throws(BuildError) { file = try TemporaryFile(in: directory) }

  func append(_ record: RecordBlob) throws(BuildError) {
    let bytes = unsafe record.bytes
    if bytes.count > Self.capacity - buffer.count { try flush() }
    size += bytes.count
    largest = max(largest, bytes.count)
    if bytes.count > Self.capacity { return try unsafe file.append(bytes) }
    unsafe buffer.append(bytes.assumingMemoryBound(to: UInt8.self).baseAddress!, bytes.count)
  }

  private func flush() throws(BuildError) {
    try unsafe file.append(.init(buffer.buffer))
    buffer.count = 0
  }

  func finish() throws(BuildError) -> SortRun {
    try flush()
    return SortRun(file: file, size: size, largest: largest)
  }
}

/// Reads a run through a buffer; ``record`` points into it.
struct RunReader {
  let run: SortRun
  private var buffer: PageAllocator.Block
  /// The size of the buffer in bytes; a larger record gets a larger buffer.
  private let usualSize: Int
  private var offset = 0  // The offset in the file of the next byte.
  private var position = 0  // The position in the buffer of the current record.
  private var filled = 0
  private(set) var record: RecordBlob
  private(set) var head: UInt64 = 0

  init(_ run: SortRun, capacity: Int) {
    self.run = run
    usualSize = capacity
    buffer = PageAllocator.Block(byteCount: capacity)
    record = unsafe RecordBlob(buffer.start)
  }

  var isAtEnd: Bool { position == filled && offset == run.size }

  /// Frees the memory of a large record, which the sort does not read any more.
  mutating func release() {
    if buffer.size > max(usualSize, ExternalSort.largeRecord) { replace(usualSize) }
  }

  /// Replaces the buffer. Bytes that were read but not used are read again: a copy would hold them twice.
  private mutating func replace(_ size: Int) {
    offset -= filled - position
    (position, filled) = (0, 0)
    buffer = PageAllocator.Block(byteCount: 0)  // Never two buffers at once.
    buffer = PageAllocator.Block(byteCount: size)
  }

  private var isWhole: Bool {
    unsafe filled - position >= 4 && filled - position >= RecordBlob(buffer.start + position).size
  }

  private mutating func readHead() {
    record = unsafe RecordBlob(buffer.start + position)
    head = record.head(from: 0)
  }

  /// Moves to the next record and returns true, if the buffer has the whole record.
  mutating func advance() -> Bool {
    position += record.size
    guard isWhole else { return false }
    readHead()
    return true
  }

  /// Reads more after ``advance()`` returned false, or at the beginning; returns false if nothing is left.
  ///
  /// Moves the buffer, so earlier records are no longer valid.
  mutating func refill() throws(BuildError) -> Bool {
    if isAtEnd { return false }
    while true {
      if filled - position >= 4 {
        let needed = unsafe RecordBlob(buffer.start + position).size
        if needed > buffer.size { replace(needed) }
      }
      let rest = filled - position
      if position > 0 {
        unsafe memmove(buffer.start, buffer.start + position, rest)
        (position, filled) = (0, rest)
      }
      let count = min(buffer.size - filled, run.size - offset)
      try unsafe run.file.read(.init(rebasing: buffer.memory[filled..<filled + count]), at: offset)
      offset += count
      filled += count
      if isWhole {
        readHead()
        return true
      }
    }
  }
}
