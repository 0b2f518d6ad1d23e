/// The pages and nodes in memory of a manifest that has more of them than fit, in the order in which they are freed. It
/// takes no lock and reads no file.
///
/// A query reads a page only within the call that finds it, under the lock that guards this value. So no query reads a
/// page that is freed, and pages need no count of their readers.
struct PageCache: @unchecked Sendable {
  @safe private struct Link {
    var previous: Int32
    var next: Int32
    var slot: Int
    var frame: CachedFrame?
  }

  private let limitBytes: Int
  private let pageCount: Int
  private(set) var residentBytes = 0
  private(set) var count = 0
  /// The links of the ring, and free links, which are linked by their `next`. The first link is the ring's head: its
  /// `next` is the most recently used page.
  private var links = unsafe [Link(previous: 0, next: 0, slot: -1, frame: nil)]
  private var firstFree: Int32 = 0
  /// The link of a page or node by its slot; 0 if it is not in memory. Empty until the first page is in memory.
  private var linkNumbers: [Int32] = []

  /// - Parameters:
  ///   - pageCount: The number of the manifest's pages and nodes.
  ///   - limitBytes: The most bytes of content that are kept, unless the most recently used page alone is larger.
  init(pageCount: Int, limitBytes: Int) {
    self.pageCount = pageCount
    self.limitBytes = limitBytes
  }

  /// Returns a page or node if it is in memory, and makes it the most recently used one.
  mutating func use(_ slot: Int) -> CachedFrame? {
    guard !linkNumbers.isEmpty, linkNumbers[slot] != 0 else { return nil }
    let link = linkNumbers[slot]
    unlink(link)
    linkFirst(link)
    return unsafe links[Int(link)].frame
  }

  /// Takes over a page or node, and frees the least recently used ones. It frees this frame if another thread was
  /// first.
  ///
  /// A page that is larger than the limit is kept alone, since a query asks for it several times.
  mutating func insert(_ frame: CachedFrame, of slot: Int) {
    if linkNumbers.isEmpty { linkNumbers = Array(repeating: 0, count: pageCount) }
    guard linkNumbers[slot] == 0 else { return unsafe frame.deallocate() }
    while unsafe residentBytes > limitBytes - frame.size, count > 0 { remove(links[0].previous) }
    var number = firstFree
    if number == 0 {
      number = Int32(links.count)
      unsafe links.append(Link(previous: 0, next: 0, slot: slot, frame: frame))
    } else {
      firstFree = links[Int(number)].next
      links[Int(number)] = unsafe Link(previous: 0, next: 0, slot: slot, frame: frame)
    }
    linkFirst(number)
    linkNumbers[slot] = number
    unsafe residentBytes += frame.size
    count += 1
  }

  mutating func removeAll() { while links[0].next != 0 { remove(links[0].next) } }

  private mutating func remove(_ link: Int32) {
    unlink(link)
    linkNumbers[links[Int(link)].slot] = 0
    if let frame = unsafe links[Int(link)].frame {
      unsafe residentBytes -= frame.size
      unsafe frame.deallocate()
    }
    unsafe links[Int(link)].frame = nil
    links[Int(link)].next = firstFree
    firstFree = link
    count -= 1
  }

  private mutating func unlink(_ link: Int32) {
    let (previous, next) = (links[Int(link)].previous, links[Int(link)].next)
    links[Int(previous)].next = next
    links[Int(next)].previous = previous
  }

  private mutating func linkFirst(_ link: Int32) {
    let next = links[0].next
    (links[Int(link)].previous, links[Int(link)].next) = (0, next)
    links[0].next = link
    links[Int(next)].previous = link
  }
}
