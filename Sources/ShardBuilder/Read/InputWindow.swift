import CSystem

/// The part of a dataset that is in memory: the record being read and what was read after it.
///
/// After the last byte come ``padding`` more that may be read: the sentinel bytes that a reader stops at instead of
/// comparing with the end, then zeros.
struct InputWindow {
  static let padding = 64

  private let source: ByteSource
  private let blockSize: Int
  /// What the padding begins with.
  var sentinel: [UInt8] = [] { didSet { seal() } }
  private(set) var start: UnsafeMutablePointer<UInt8>
  /// In bytes.
  private(set) var capacity: Int
  private(set) var count = 0
  /// Whether the window's end is the dataset's.
  private(set) var isLast = false

  // Line feeds are counted when bytes leave the window and when a position is asked for.
  private var counted = 0
  private var line = 1
  /// Bytes from the window's start, thus often negative.
  private var lineStart = 0

  init(source: ByteSource, blockSize: Int) {
    self.source = source
    self.blockSize = max(1, blockSize)
    capacity = self.blockSize
    start = Self.resized(nil, to: capacity)
    seal()
  }

  func deallocate() { free(start) }

  /// Memory that grows with its pages where it is large: copied, it would be held twice.
  private static func resized(_ start: UnsafeMutablePointer<UInt8>?, to capacity: Int) -> UnsafeMutablePointer<UInt8> {
    guard let start = realloc(start, capacity + padding) else { fatalError("out of memory: \(capacity) bytes") }
    return start.assumingMemoryBound(to: UInt8.self)
  }

  /// Forgets the first `used` bytes, and gives back what they took.
  mutating func release(past used: Int) {
    count(to: used)
    let kept = count - used
    start.update(from: start + used, count: kept)
    capacity = max(blockSize, kept)
    start = Self.resized(start, to: capacity)
    count = kept
    counted = 0
    lineStart -= used
    seal()
  }

  /// Forgets the first `used` bytes and reads at least one more unless there are none: a block, or half of what
  /// is kept where that is more, so that a record that takes many blocks is looked at a bounded number of times.
  mutating func advance(past used: Int) throws(DatasetError) {
    try advance(past: used, atLeast: max(blockSize, (count - used) / 2))
  }

  mutating func advance(past used: Int, atLeast wanted: Int) throws(DatasetError) {
    count(to: used)
    let kept = count - used
    if kept + wanted > capacity {
      start.update(from: start + used, count: kept)
      start = Self.resized(start, to: kept + wanted)
      capacity = kept + wanted
    } else if used > 0 {
      start.update(from: start + used, count: kept)
    }
    count = kept
    counted = 0
    lineStart -= used
    while count < kept + wanted, !isLast {
      let read = try source.read(into: start + count, count: min(blockSize, kept + wanted - count))
      count += read
      isLast = read == 0
    }
    seal()
  }

  /// What is held from `offset` on.
  func bytes(from offset: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: start + offset, count: count - offset)
  }

  /// Takes the byte order mark off, so that the first column is the first byte after it.
  mutating func dropByteOrderMark() -> Int {
    guard count >= 3, start[0] == 0xEF, start[1] == 0xBB, start[2] == 0xBF else { return 0 }
    (counted, lineStart) = (3, 3)
    return 3
  }

  private func seal() {
    (start + count).update(repeating: 0, count: Self.padding)
    for (index, byte) in sentinel.enumerated() { start[count + index] = byte }
  }

  /// Moves the count of lines on to `offset`, which positions asked for later must not lie before.
  mutating func count(to offset: Int) {
    (line, lineStart) = place(offset)
    counted = max(counted, offset)
  }

  /// Line and column, both 1-based, of the byte at `offset`.
  func position(of offset: Int) -> (line: Int, column: Int) {
    let (line, lineStart) = place(offset)
    return (line, offset - lineStart + 1)
  }

  private func place(_ offset: Int) -> (line: Int, lineStart: Int) {
    guard offset > counted else { return (line, lineStart) }
    let feeds = lineFeeds(start + counted, offset - counted)
    guard feeds > 0 else { return (line, lineStart) }
    var last = offset
    while start[last - 1] != 0x0A { last -= 1 }
    return (line + feeds, last)
  }
}
