/// Plain memory that is freed at once, with its owner: runs, each of which begins with the address of the one before it.
///
/// ``size`` counts those addresses too, which stand for what malloc and the owner themselves take. Small values share runs.
struct Arena: ~Copyable {
  private var last: UnsafeMutableRawPointer?
  /// Bytes of all runs.
  private(set) var size = 0
  /// The rest of the run that is shared, and the largest rest of one before it.
  private var rest = Rest()
  private var otherRest = Rest()
  private static let headSize = 16
  /// Bytes of a run that is shared.
  private let sharedSize: Int

  /// Memory of a run that nothing has taken yet.
  private struct Rest {
    var start: UnsafeMutableRawPointer?
    var size = 0
  }

  init(sharing bytes: Int) { sharedSize = bytes }

  deinit {
    var run = last
    while let start = run {
      run = start.load(as: UnsafeMutableRawPointer?.self)
      start.deallocate()
    }
  }

  /// Returns memory for `count` values, which is not initialized.
  mutating func allocate<T: BitwiseCopyable>(_: T.Type, _ count: Int) -> UnsafeMutablePointer<T> {
    // A multiple of what any of them is aligned to.
    let bytes = (max(1, count) * MemoryLayout<T>.stride + 7) & ~7
    if bytes <= otherRest.size, rest.size < bytes || otherRest.size < rest.size { swap(&rest, &otherRest) }
    if bytes > rest.size {
      if bytes > sharedSize / 2 { return run(of: bytes).bindMemory(to: T.self, capacity: max(1, count)) }
      if rest.size > otherRest.size { swap(&rest, &otherRest) }
      rest = Rest(start: run(of: sharedSize), size: sharedSize)
    }
    let start = rest.start!
    rest = Rest(start: start + bytes, size: rest.size - bytes)
    return start.bindMemory(to: T.self, capacity: max(1, count))
  }

  /// Returns memory for `count` values, each of them `value`.
  mutating func allocate<T: BitwiseCopyable>(repeating value: T, _ count: Int) -> UnsafeMutablePointer<T> {
    let start = allocate(T.self, count)
    start.initialize(repeating: value, count: count)
    return start
  }

  /// Returns a copy of one value.
  mutating func copy<T: BitwiseCopyable>(_ value: T) -> UnsafePointer<T> {
    let start = allocate(T.self, 1)
    start.initialize(to: value)
    return .init(start)
  }

  /// Returns a copy of texts, behind which as much is readable as ``RecordOutput`` wants.
  mutating func copy(text: RawSpan) -> UnsafePointer<UInt8> {
    let copy = allocate(UInt8.self, text.byteCount + RecordOutput.slack)
    fill(copy, with: text)
    return .init(copy)
  }

  /// Returns a copy of a text, before which its size stands, 32 bits.
  mutating func copy(sizedText text: RawSpan) -> UnsafePointer<UInt8> {
    let copy = allocate(UInt8.self, 4 + text.byteCount + RecordOutput.slack)
    copy.store(UInt32(text.byteCount))
    fill(copy + 4, with: text)
    return .init(copy + 4)
  }

  private func fill(_ copy: UnsafeMutablePointer<UInt8>, with text: RawSpan) {
    text.copy(to: copy)
    (copy + text.byteCount).update(repeating: 0, count: RecordOutput.slack)
  }

  /// Returns a copy of the values of a list.
  mutating func copy<T: BitwiseCopyable>(_ list: ArenaList<T>) -> UnsafePointer<T> {
    let run = allocate(T.self, list.count)
    run.copy(from: list.start, count: list.count)
    return .init(run)
  }

  private mutating func run(of bytes: Int) -> UnsafeMutableRawPointer {
    let run = UnsafeMutableRawPointer.allocate(byteCount: Self.headSize + bytes, alignment: 16)
    run.initializeMemory(as: UnsafeMutableRawPointer?.self, to: last)
    last = run
    size += Self.headSize + bytes
    return run + Self.headSize
  }
}

/// A list of values in an arena, which grows by doubling.
struct ArenaList<T: BitwiseCopyable> {
  private(set) var start: UnsafeMutablePointer<T>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int, in arena: inout Arena) {
    self.capacity = max(1, capacity)
    start = arena.allocate(T.self, self.capacity)
  }

  subscript(index: Int) -> T {
    get {
      assert(index >= 0 && index < count)
      return start[index]
    }
    nonmutating set {
      assert(index >= 0 && index < count)
      start[index] = newValue
    }
  }

  mutating func append(_ value: T, in arena: inout Arena) {
    if count == capacity {
      let grown = arena.allocate(T.self, 2 * capacity)
      grown.copy(from: start, count: count)
      (start, capacity) = (grown, 2 * capacity)
    }
    (start + count).initialize(to: value)
    count += 1
  }
}
