/// Pages and nodes of a manifest that has more of them than are kept: which are in memory, and who goes first. No lock,
/// no files.
///
/// Whoever looks at one does so within the call that finds it, under the lock that this is behind: so nobody is on a
/// page when it goes, and none needs a count of its readers.
struct PageCache: @unchecked Sendable {
  private struct Link {
    var previous: UnsafeMutablePointer<Link>
    var next: UnsafeMutablePointer<Link>
    var number = -1
    var held: CachedFrame? = nil
  }

  private let pageCount: Int
  private let limitBytes: Int
  private(set) var residentBytes = 0
  private(set) var count = 0
  /// Per page and node of the manifest where it stands in the ring. In memory that the system hands out when it is
  /// touched; nil before the first.
  private var links: UnsafeMutablePointer<UnsafeMutablePointer<Link>?>? = nil
  /// The head of the ring: its `next` is the most recently used page. nil as long as `links` is.
  private var ring: UnsafeMutablePointer<Link>! = nil

  /// - Parameters:
  ///   - pageCount: Of the manifest's pages and nodes.
  ///   - limitBytes: Of content that is kept, at most, unless the page used last alone is larger.
  init(pageCount: Int, limitBytes: Int) {
    self.pageCount = pageCount
    self.limitBytes = limitBytes
  }

  /// Gives back all of it. Whoever holds the last copy calls it once.
  mutating func deallocate() {
    removeAll()
    ring?.deallocate()
    free(links)
  }

  private mutating func makeRoom() -> UnsafeMutablePointer<UnsafeMutablePointer<Link>?> {
    if let links { return links }
    guard let memory = calloc(pageCount, MemoryLayout<UnsafeMutablePointer<Link>?>.stride) else {
      fatalError("out of memory")
    }
    let made = memory.bindMemory(to: UnsafeMutablePointer<Link>?.self, capacity: pageCount)
    ring = .allocate(capacity: 1)
    ring.initialize(to: Link(previous: ring, next: ring))
    links = made
    return made
  }

  /// A page or node if it is in memory; it is the most recently used from now on.
  mutating func use(_ number: Int) -> CachedFrame? {
    guard let links, let link = links[number] else { return nil }
    takeOut(link)
    putFirst(link)
    return link.pointee.held
  }

  /// Takes over a page or node, and lets go of what was used least recently; of this one if another thread was first.
  ///
  /// A page that is larger than the limit is kept alone: a query asks for it several times.
  mutating func insert(_ held: CachedFrame, of number: Int) {
    let links = makeRoom()
    let size = held.size
    guard links[number] == nil else { return held.deallocate() }
    while residentBytes > limitBytes - size, count > 0 { remove(ring.pointee.previous) }
    let link = UnsafeMutablePointer<Link>.allocate(capacity: 1)
    link.initialize(to: Link(previous: ring, next: ring, number: number, held: held))
    putFirst(link)
    links[number] = link
    residentBytes += size
    count += 1
  }

  mutating func removeAll() {
    guard links != nil else { return }
    while ring.pointee.next != ring { remove(ring.pointee.next) }
  }

  private mutating func remove(_ link: UnsafeMutablePointer<Link>) {
    takeOut(link)
    links![link.pointee.number] = nil
    if let held = link.pointee.held {
      residentBytes -= held.size
      held.deallocate()
    }
    count -= 1
    link.deallocate()
  }

  private func takeOut(_ link: UnsafeMutablePointer<Link>) {
    link.pointee.previous.pointee.next = link.pointee.next
    link.pointee.next.pointee.previous = link.pointee.previous
  }

  private func putFirst(_ link: UnsafeMutablePointer<Link>) {
    let next = ring.pointee.next
    (link.pointee.previous, link.pointee.next) = (ring, next)
    (ring.pointee.next, next.pointee.previous) = (link, link)
  }
}

import CSystem
