/// Plain memory that is freed as a whole, with its owner. It consists of runs; each run begins with the address of the
/// run before it.
///
/// ``size`` counts these addresses too, in the place of the overhead of malloc and of the owner. Small values share
/// runs.
@safe package struct Arena: ~Copyable {
  private var last: UnsafeMutableRawPointer?
  /// The size of all runs, in bytes.
  private(set) var size = 0
  /// The free rest of the shared run, and the largest free rest of an earlier one.
  private var rest = unsafe Rest()
  private var otherRest = unsafe Rest()
  private static let headSize = 16
  /// The size of a shared run, in bytes.
  private let sharedSize: Int

  /// The free memory of a run.
  @unsafe private struct Rest {
    var start: UnsafeMutableRawPointer?
    var size = 0
  }

  package init(sharing bytes: Int) { sharedSize = bytes }

  deinit {
    var run = unsafe last
    while let start = unsafe run {
      unsafe run = start.load(as: UnsafeMutableRawPointer?.self)
      unsafe start.deallocate()
    }
  }

  /// Returns memory for `count` values, which is not initialized.
  mutating func allocate<T: BitwiseCopyable>(_: T.Type, _ count: Int) -> UnsafeMutablePointer<T> {
    // Rounded up to eight bytes, the largest alignment.
    let bytes = (max(1, count) * MemoryLayout<T>.stride + 7) & ~7
    if unsafe bytes <= otherRest.size, unsafe rest.size < bytes || otherRest.size < rest.size {
      unsafe swap(&rest, &otherRest)
    }
    if unsafe bytes > rest.size {
      if bytes > sharedSize / 2 { return unsafe run(of: bytes).bindMemory(to: T.self, capacity: max(1, count)) }
      if unsafe rest.size > otherRest.size { unsafe swap(&rest, &otherRest) }
      unsafe rest = Rest(start: run(of: sharedSize), size: sharedSize)
    }
    let start = unsafe rest.start!
    unsafe rest = Rest(start: start + bytes, size: rest.size - bytes)
    return unsafe start.bindMemory(to: T.self, capacity: max(1, count))
  }

  /// Returns memory with `count` copies of `value`.
  mutating func allocate<T: BitwiseCopyable>(repeating value: T, _ count: Int) -> UnsafeMutablePointer<T> {
    let start = unsafe allocate(T.self, count)
    unsafe start.initialize(repeating: value, count: count)
    return unsafe start
  }

  /// Returns a copy of one value.
  mutating func copy<T: BitwiseCopyable>(_ value: T) -> UnsafePointer<T> {
    let start = unsafe allocate(T.self, 1)
    unsafe start.initialize(to: value)
    return unsafe .init(start)
  }

  /// Returns a copy of texts, with ``RecordOutput/slack`` readable bytes behind it.
  mutating func copy(text: RawSpan) -> UnsafePointer<UInt8> {
    let copy = unsafe allocate(UInt8.self, text.byteCount + RecordOutput.slack)
    unsafe fill(copy, with: text)
    return unsafe .init(copy)
  }

  /// Returns a copy of a text, with its size in 32 bits before it.
  mutating func copy(sizedText text: RawSpan) -> UnsafePointer<UInt8> {
    let copy = unsafe allocate(UInt8.self, 4 + text.byteCount + RecordOutput.slack)
    unsafe copy.store(UInt32(text.byteCount))
    unsafe fill(copy + 4, with: text)
    return unsafe .init(copy + 4)
  }

  private func fill(_ copy: UnsafeMutablePointer<UInt8>, with text: RawSpan) {
    unsafe text.copy(to: copy)
    unsafe (copy + text.byteCount).update(repeating: 0, count: RecordOutput.slack)
  }

  /// Returns a copy of the values of a list.
  mutating func copy<T: BitwiseCopyable>(_ list: ArenaList<T>) -> UnsafePointer<T> {
    let run = unsafe allocate(T.self, list.count)
    unsafe run.copy(from: list.start, count: list.count)
    return unsafe .init(run)
  }

  private mutating func run(of bytes: Int) -> UnsafeMutableRawPointer {
    let run = UnsafeMutableRawPointer.allocate(byteCount: Self.headSize + bytes, alignment: 16)
    unsafe run.initializeMemory(as: UnsafeMutableRawPointer?.self, to: last)
    unsafe last = run
    size += Self.headSize + bytes
    return unsafe run + Self.headSize
  }
}

/// A list of values in an arena, which grows by doubling.
@unsafe struct ArenaList<T: BitwiseCopyable> {
  private(set) var start: UnsafeMutablePointer<T>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int, in arena: inout Arena) {
    unsafe self.capacity = max(1, capacity)
    unsafe start = arena.allocate(T.self, self.capacity)
  }

  subscript(index: Int) -> T {
    get {
      unsafe assert(index >= 0 && index < count)
      return unsafe start[index]
    }
    nonmutating set {
      unsafe assert(index >= 0 && index < count)
      unsafe start[index] = newValue
    }
  }

  mutating func append(_ value: T, in arena: inout Arena) {
    if unsafe count == capacity {
      let grown = unsafe arena.allocate(T.self, 2 * capacity)
      unsafe grown.copy(from: start, count: count)
      unsafe (start, capacity) = (grown, 2 * capacity)
    }
    unsafe (start + count).initialize(to: value)
    unsafe count += 1
  }
}
