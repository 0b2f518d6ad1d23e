/// The frames of a manifest's ranks that are in memory: the first one, and the pages that were read last.
final class RankFrames: Sendable {
  private struct Pages: Sendable {
    var byNumber: [Int: RankPage] = [:]
    /// The numbers of the pages in the order in which they were read.
    var order: [Int] = []
    var size = 0
  }

  let head = OnceReference<RankHead>()
  private let pages = Lock(Pages())
  private let limitBytes: Int

  /// - Parameter limitBytes: The most bytes of pages that are kept, unless one page alone is larger.
  init(limitBytes: Int) { self.limitBytes = limitBytes }

  /// The bytes that are in memory.
  var residentSize: Int { (head.load()?.size ?? 0) + pages.withLock { $0.size } }

  /// Returns a page if it is in memory.
  func page(_ number: Int) -> RankPage? { pages.withLock { $0.byNumber[number] } }

  /// Keeps a page, and lets go of those that were read first where there are too many.
  func keep(_ page: RankPage, _ number: Int) {
    pages.withLock { (pages) -> Void in
      guard pages.byNumber[number] == nil else { return }
      pages.size += page.size
      pages.byNumber[number] = page
      pages.order.append(number)
      while pages.size > limitBytes, pages.order.count > 1 {
        if let first = pages.byNumber.removeValue(forKey: pages.order.removeFirst()) { pages.size -= first.size }
      }
    }
  }

  func removePages() { pages.withLock { (pages) -> Void in pages = Pages() } }
}
