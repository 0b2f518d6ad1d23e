import CSystem

/// A growing run of plain values, without reference counts or exclusivity checks, for loops that append millions.
///
/// Its owner calls ``deallocate()``; nothing else may hold it then.
struct RawVector<Element: BitwiseCopyable> {
  private(set) var start: UnsafeMutablePointer<Element>
  /// May be set to less, which forgets what lies after.
  var count = 0
  private var capacity: Int

  init(capacity: Int = 16) {
    start = Self.resized(nil, to: capacity)
    self.capacity = capacity
  }

  func deallocate() { free(start) }

  /// Memory that grows with its pages where it is large: copied, it would be held twice.
  private static func resized(
    _ start: UnsafeMutablePointer<Element>?, to capacity: Int
  ) -> UnsafeMutablePointer<Element> {
    let byteCount = max(1, capacity * MemoryLayout<Element>.stride)
    guard let start = realloc(start, byteCount) else { fatalError("out of memory: \(byteCount) bytes") }
    return start.assumingMemoryBound(to: Element.self)
  }

  @inline(__always) subscript(index: Int) -> Element {
    get { start[index] }
    nonmutating set { start[index] = newValue }
  }

  @inline(__always) mutating func append(_ element: Element) {
    if count == capacity { reserve(1) }
    (start + count).initialize(to: element)
    count &+= 1
  }

  mutating func append(_ elements: UnsafePointer<Element>, _ elementCount: Int) {
    reserve(elementCount)
    (start + count).initialize(from: elements, count: elementCount)
    count &+= elementCount
  }

  /// Makes room for `more` elements.
  @inline(never) mutating func reserve(_ more: Int) {
    guard count + more > capacity else { return }
    capacity = max(count + more, capacity * 2)
    start = Self.resized(start, to: capacity)
  }

  /// Bytes of memory held.
  var charge: Int { capacity * MemoryLayout<Element>.stride }

  var buffer: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: start, count: count) }
}
