import CLibrary

/// A growing run of plain values, without reference counts or exclusivity checks, for loops that append millions.
///
/// The vector frees its memory. Its pointers are valid until it grows or ends.
@safe struct RawVector<Element: BitwiseCopyable>: ~Copyable {
  private(set) var start: UnsafeMutablePointer<Element>
  /// The number of elements; a smaller number drops the last elements.
  var count = 0
  private(set) var capacity: Int

  init(capacity: Int = 16) {
    unsafe start = unsafe Self.resized(nil, to: capacity)
    self.capacity = capacity
  }

  deinit { unsafe free(start) }

  /// Returns resized memory. Large memory grows with its pages: a copy would hold the bytes twice.
  private static func resized(_ start: UnsafeMutableRawPointer?, to capacity: Int) -> UnsafeMutablePointer<Element> {
    let byteCount = max(1, capacity * MemoryLayout<Element>.stride)
    guard let start = unsafe realloc(start, byteCount) else { fatalError("out of memory: \(byteCount) bytes") }
    return unsafe start.assumingMemoryBound(to: Element.self)
  }

  @inline(__always) subscript(index: Int) -> Element {
    get {
      assert(index >= 0 && index < capacity)
      return unsafe start[index]
    }
    nonmutating _modify {
      assert(index >= 0 && index < capacity)
      yield unsafe &start[index]
    }
  }

  @inline(__always) mutating func append(_ element: Element) {
    if count == capacity { reserve(1) }
    unsafe (start + count).initialize(to: element)
    count += 1
  }

  mutating func append(_ elements: UnsafePointer<Element>, _ elementCount: Int) {
    reserve(elementCount)
    unsafe (start + count).initialize(from: elements, count: elementCount)
    count += elementCount
  }

  /// Makes room for `more` elements.
  @inline(never) mutating func reserve(_ more: Int) {
    guard count + more > capacity else { return }
    resize(to: max(count + more, capacity * 2))
  }

  /// Makes room for exactly `capacity` elements, at least for the present ones.
  mutating func resize(to capacity: Int) {
    precondition(capacity >= count)
    unsafe start = unsafe Self.resized(start, to: capacity)
    self.capacity = capacity
  }

  /// Drops the first `removed` elements; the others move to the beginning.
  mutating func removeFirst(_ removed: Int) {
    precondition(removed >= 0 && removed <= count)
    guard removed > 0 else { return }
    count -= removed
    unsafe start.update(from: start + removed, count: count)
  }

  /// The bytes of memory that the vector holds.
  var charge: Int { capacity * MemoryLayout<Element>.stride }

  /// The elements; valid until the vector grows or ends.
  var buffer: UnsafeBufferPointer<Element> { unsafe UnsafeBufferPointer(start: start, count: count) }
}
