import CLibrary

/// The error of a failed write; `errno` is the system's reason.
package struct WriteError: Error {
  package var errno: CInt

  package init(errno: CInt) { self.errno = errno }
}

/// A descriptor with a buffer, or a buffer in memory that grows. Every write is checked.
///
/// The owner calls ``flush()`` at the end; otherwise the bytes in the buffer are lost. The type is safe because it
/// alone owns the buffer, and every write is within the buffer.
@safe package struct Output: ~Copyable {
  private let descriptor: CInt
  private var buffer: UnsafeMutablePointer<UInt8> { didSet { unsafe owner.buffer = buffer } }
  /// The owner frees the buffer. Embedded Swift cannot call the deinitializer of another module's structure.
  private let owner = Owner()
  package private(set) var count = 0
  /// Whether bytes of the current answer have gone to the descriptor.
  package private(set) var hasWritten = false

  private var capacity: Int
  /// The buffer's first size, in bytes: enough for most answers.
  private static let usualCapacity = 4096
  /// The buffer's largest size, in bytes. With a descriptor, a full buffer is written out.
  private let limit: Int

  /// The kind of the descriptor. A terminal gets escaped control characters, since raw ones could change its state.
  private enum Kind { case unknown, terminal, other }
  private var kind = Kind.other

  /// Creates an output that keeps its bytes in memory. Writing more than `limit` bytes fails with `EFBIG`.
  package init(inMemory limit: Int) {
    (descriptor, self.limit, capacity) = (-1, limit, min(limit, Self.usualCapacity))
    unsafe buffer = .allocate(capacity: capacity)
    unsafe owner.buffer = buffer
  }

  @safe private final class Owner {
    var buffer: UnsafeMutablePointer<UInt8>?

    deinit { unsafe buffer?.deallocate() }
  }

  /// Calls `body` with the bytes in memory.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(UnsafeRawBufferPointer(start: buffer, count: count))
  }

  /// Removes the bytes in memory, and frees the memory of a large answer.
  package mutating func removeAll(keeping size: Int = 1 << 16) {
    count = 0
    guard capacity > size else { return }
    unsafe buffer.deallocate()
    capacity = min(limit, Self.usualCapacity)
    unsafe buffer = .allocate(capacity: capacity)
  }

  /// - Parameters:
  ///   - limit: The most bytes of one write to the descriptor.
  ///   - draws: Whether control characters of the output are meant for the terminal.
  ///   - isTerminal: Whether the descriptor is a terminal; nil if unknown.
  package init(
    _ descriptor: CInt = STDOUT_FILENO, limit: Int = 1 << 16, draws: Bool = false, isTerminal: Bool? = nil
  ) {
    (self.descriptor, self.limit, capacity) = (descriptor, limit, min(limit, Self.usualCapacity))
    if descriptor == STDOUT_FILENO, !draws { kind = isTerminal.map { $0 ? .terminal : .other } ?? .unknown }
    unsafe buffer = .allocate(capacity: capacity)
    unsafe owner.buffer = buffer
  }

  /// Tells that the bytes before belong to another answer.
  package mutating func beginAnswer() { hasWritten = false }

  /// Removes the bytes that are not written to the descriptor yet.
  package mutating func discard() { count = 0 }

  package mutating func flush() throws(WriteError) { try flush(isEnd: true) }

  /// - Parameter isEnd: Whether the text ends here. If not, its last character may be incomplete.
  private mutating func flush(isEnd: Bool) throws(WriteError) {
    guard descriptor >= 0 else { return }
    let size = count
    count = 0
    guard isTerminal() else { return try unsafe send(buffer, size) }
    var shown: [UInt8] = []
    let done = unsafe ControlText.show(UnsafeBufferPointer(start: buffer, count: size), isEnd: isEnd, in: &shown)
    // The rest is the beginning of a character.
    unsafe memmove(buffer, buffer + done, size - done)
    count = size - done
    let (base, shownSize) = unsafe shown.withUnsafeBufferPointer { ($0.baseAddress, $0.count) }
    guard let base = unsafe base else { return }
    try withExtendedLifetime(shown) { () throws(WriteError) in try unsafe send(base, shownSize) }
  }

  private mutating func isTerminal() -> Bool {
    if kind == .unknown { kind = isatty(descriptor) == 1 ? .terminal : .other }
    return kind == .terminal
  }

  /// Makes room for `size` bytes: the buffer grows up to the limit; then a buffer with a descriptor is written out.
  @inline(never)
  private mutating func makeRoom(_ size: Int) throws(WriteError) {
    guard size <= limit - count else {
      guard descriptor >= 0 else { throw WriteError(errno: EFBIG) }
      return try flush(isEnd: false)
    }
    capacity = min(limit, max(capacity * 2, count + size))
    let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    unsafe grown.update(from: buffer, count: count)
    unsafe buffer.deallocate()
    unsafe buffer = grown
  }

  private mutating func send(_ bytes: UnsafePointer<UInt8>, _ size: Int) throws(WriteError) {
    var done = 0
    while done < size {
      let written = unsafe CLibrary.write(descriptor, bytes + done, size - done)
      if written >= 0 {
        done += written
        hasWritten = true
      } else if errno == EAGAIN {
        // Another process has made the pipe non-blocking: wait until the pipe takes more bytes.
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&ready, 1, -1)
      } else if errno != EINTR {
        throw WriteError(errno: errno)
      }
    }
  }

  @inline(__always)
  package mutating func write(_ byte: UInt8) throws(WriteError) {
    if count == capacity { try makeRoom(1) }
    unsafe buffer[count] = byte
    count &+= 1
  }

  @inline(__always)
  package mutating func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(WriteError) {
    guard let base = bytes.baseAddress else { return }
    try unsafe write(base, bytes.count)
  }

  package mutating func write(_ bytes: UnsafePointer<UInt8>, _ size: Int) throws(WriteError) {
    if size > capacity &- count {
      try makeRoom(size)
      if size > capacity &- count {
        guard isTerminal() else { return try unsafe send(bytes, size) }
        for at in 0..<size { try unsafe write(bytes[at]) }
        return
      }
    }
    unsafe memcpy(buffer + count, bytes, size)
    count &+= size
  }

  package mutating func write(_ text: StaticString) throws(WriteError) {
    try unsafe write(text.utf8Start, text.utf8CodeUnitCount)
  }

  package mutating func write(_ bytes: [UInt8]) throws(WriteError) {
    let (base, size) = unsafe bytes.withUnsafeBufferPointer { ($0.baseAddress, $0.count) }
    // The array is alive to the end of this call.
    guard let base = unsafe base else { return }
    try withExtendedLifetime(bytes) { () throws(WriteError) in try unsafe write(base, size) }
  }

  package mutating func write(_ text: String) throws(WriteError) {
    var text = text
    var failure: WriteError? = nil
    text.withUTF8 { bytes in
      do throws(WriteError) { try unsafe write(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  package mutating func write(number: Int) throws(WriteError) {
    try write(String(number))
  }
}
