/// The portion of a dataset in memory: the current record, and the bytes read after it.
///
/// After the last byte come ``padding`` more readable bytes: the sentinel bytes, at which a reader stops without a
/// comparison with the end, then zeros.
struct InputWindow: ~Copyable {
  static let padding = 64

  private let source: ByteSource
  private let blockSize: Int
  /// The first bytes of the padding.
  var sentinel: [UInt8] = [] { didSet { seal() } }
  /// The window's bytes, with room for the padding after the last.
  private var content: RawVector<UInt8>
  /// Whether the window's end is the dataset's end.
  private(set) var isLast = false

  // Line feeds are counted when bytes leave the window and when a caller asks for a position.
  private var counted = 0
  private var line = 1
  /// The start of the line in bytes from the window's start, thus often negative.
  private var lineStart = 0

  init(source: ByteSource, blockSize: Int) {
    self.source = source
    self.blockSize = max(1, blockSize)
    content = RawVector(capacity: self.blockSize + Self.padding)
    seal()
  }

  /// The first byte; valid until the window moves on.
  @inline(__always) var start: Bytes { unsafe Bytes(content.start) }
  /// The end: the first byte of the padding.
  @inline(__always) var end: Bytes { unsafe start + count }
  @inline(__always) var count: Int { content.count }
  /// The number of bytes that the window has room for.
  var capacity: Int { content.capacity - Self.padding }

  /// Drops the first `used` bytes, and gives their memory back.
  mutating func release(past used: Int) {
    forget(used)
    content.resize(to: max(blockSize, count) + Self.padding)
    seal()
  }

  /// Drops the first `used` bytes and reads at least one more, unless the dataset ends. It reads a block, or half of
  /// the kept bytes if that is more: so a record of many blocks is read again only a bounded number of times.
  mutating func advance(past used: Int) throws(DatasetError) {
    try advance(past: used, atLeast: max(blockSize, (count - used) / 2))
  }

  /// Drops the first `used` bytes and reads at least `wanted` more, unless the dataset ends before.
  mutating func advance(past used: Int, atLeast wanted: Int) throws(DatasetError) {
    forget(used)
    let target = count + wanted
    if target > capacity { content.resize(to: target + Self.padding) }
    while count < target, !isLast {
      isLast = try source.read(appendingTo: &content, upTo: min(blockSize, target - count)) == 0
    }
    seal()
  }

  /// Returns a copy of the bytes from `offset` on.
  func bytes(from offset: Int) -> [UInt8] { unsafe Array(content.buffer[offset...]) }

  /// Removes the byte order mark, so that the first column is the first byte after it.
  mutating func dropByteOrderMark() -> Int {
    guard count >= 3, content[0] == 0xEF, content[1] == 0xBB, content[2] == 0xBF else { return 0 }
    (counted, lineStart) = (3, 3)
    return 3
  }

  private mutating func forget(_ used: Int) {
    count(to: used)
    content.removeFirst(used)
    counted = 0
    lineStart -= used
  }

  /// Writes the padding.
  private func seal() {
    precondition(content.capacity >= count + Self.padding && sentinel.count <= Self.padding)
    unsafe (content.start + count).update(repeating: 0, count: Self.padding)
    for (index, byte) in sentinel.enumerated() { content[count + index] = byte }
  }

  /// Counts the lines up to `offset`. Later calls must not ask for positions before it.
  mutating func count(to offset: Int) {
    (line, lineStart) = place(offset)
    counted = max(counted, offset)
  }

  /// Returns line and column, both from 1, of the byte at `offset`.
  func position(of offset: Int) -> (line: Int, column: Int) {
    let (line, lineStart) = place(offset)
    return (line, offset - lineStart + 1)
  }

  private func place(_ offset: Int) -> (line: Int, lineStart: Int) {
    guard offset > counted else { return (line, lineStart) }
    let feeds = unsafe lineFeeds(start + counted, offset - counted)
    guard feeds > 0 else { return (line, lineStart) }
    var last = offset
    while content[last - 1] != 0x0A { last -= 1 }
    return (line + feeds, last)
  }
}
