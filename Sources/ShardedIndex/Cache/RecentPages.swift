/// Pages of a manifest that has more of them than are kept: which are in memory, and who goes first. No lock, no files.
///
/// Whoever looks at one does so within the call that finds it, under the lock that this is behind: so nobody is on a
/// page when it goes, and none needs a count of its readers.
struct RecentPages: @unchecked Sendable {
  private struct Node {
    var previous: UnsafeMutablePointer<Node>
    var next: UnsafeMutablePointer<Node>
    var number = -1
    var size = 0
    var content: UnsafeMutableRawPointer? = nil
  }

  private let pageCount: Int
  private let limitBytes: Int
  private(set) var residentBytes = 0
  private(set) var count = 0
  /// Per page of the manifest its node. In memory that the system hands out when it is touched; nil before the first.
  private var nodes: UnsafeMutablePointer<UnsafeMutablePointer<Node>?>? = nil
  /// The head of the ring: its `next` is the most recently used page. nil as long as `nodes` is.
  private var ring: UnsafeMutablePointer<Node>! = nil

  /// - Parameters:
  ///   - pageCount: Of the manifest.
  ///   - limitBytes: Of content that is kept, at most.
  init(pageCount: Int, limitBytes: Int) {
    self.pageCount = pageCount
    self.limitBytes = limitBytes
  }

  /// Gives back all of it. Whoever holds the last copy calls it once.
  mutating func deallocate() {
    removeAll()
    ring?.deallocate()
    free(nodes)
  }

  private mutating func makeRoom() -> UnsafeMutablePointer<UnsafeMutablePointer<Node>?> {
    if let nodes { return nodes }
    guard let memory = calloc(pageCount, MemoryLayout<UnsafeMutablePointer<Node>?>.stride) else {
      fatalError("out of memory")
    }
    let made = memory.bindMemory(to: UnsafeMutablePointer<Node>?.self, capacity: pageCount)
    ring = .allocate(capacity: 1)
    ring.initialize(to: Node(previous: ring, next: ring))
    nodes = made
    return made
  }

  /// The content of a page if it is in memory; it is the most recently used from now on.
  mutating func use(_ number: Int) -> UnsafeMutableRawPointer? {
    guard let nodes, let node = nodes[number] else { return nil }
    unlink(node)
    link(node)
    return node.pointee.content
  }

  /// Takes over the content of a page, `size` bytes, and lets go of what was used least recently: of this one too, if
  /// it is larger than the limit, or if another thread was first.
  mutating func insert(_ content: UnsafeMutableRawPointer, size: Int, of number: Int) {
    let nodes = makeRoom()
    guard nodes[number] == nil, size <= limitBytes else { return content.deallocate() }
    while residentBytes > limitBytes - size { remove(ring.pointee.previous) }
    let node = UnsafeMutablePointer<Node>.allocate(capacity: 1)
    node.initialize(to: Node(previous: ring, next: ring, number: number, size: size, content: content))
    link(node)
    nodes[number] = node
    residentBytes += size
    count += 1
  }

  mutating func removeAll() {
    guard nodes != nil else { return }
    while ring.pointee.next != ring { remove(ring.pointee.next) }
  }

  private mutating func remove(_ node: UnsafeMutablePointer<Node>) {
    unlink(node)
    nodes![node.pointee.number] = nil
    residentBytes -= node.pointee.size
    count -= 1
    node.pointee.content?.deallocate()
    node.deallocate()
  }

  private func unlink(_ node: UnsafeMutablePointer<Node>) {
    node.pointee.previous.pointee.next = node.pointee.next
    node.pointee.next.pointee.previous = node.pointee.previous
  }

  private func link(_ node: UnsafeMutablePointer<Node>) {
    let next = ring.pointee.next
    (node.pointee.previous, node.pointee.next) = (ring, next)
    (ring.pointee.next, next.pointee.previous) = (node, node)
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
