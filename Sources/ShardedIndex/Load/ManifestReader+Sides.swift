extension ManifestReader {
  /// Whether the index has sides: files with tables and sketches of its shards.
  package var hasSides: Bool { root.chains.sides != nil }
  /// The fields that the index has filters by.
  package var filterFields: [String] { hasSides ? setting("filter").map(IndexSettings.list) ?? [] : [] }
  /// Whether the index has sketches, and so corrects typing errors.
  package var hasSketches: Bool { hasSides && setting("typos") != nil }

  /// Returns whether a query corrects typing errors.
  package func corrects(_ typos: ShardedIndex.Typos) -> Bool { typos != .none && hasSketches }

  /// Returns the shards of a group of a page, whose sketches are in one frame.
  func shards(ofGroup group: Int, ofPage page: Int) -> Range<Int> {
    let first = page * Manifest.pageCapacity + group * SketchForest.groupSize
    return first..<min(first + SketchForest.groupSize, (page + 1) * Manifest.pageCapacity, shardCount)
  }

  /// The range of the sides in the file; nil if the index has none.
  package var sidesRange: Range<Int>? { range(of: root.chains.sides) }

  /// Returns the side file of a page. Reads the frame of the page's group unless it is in memory. The index must have
  /// sides.
  package func sidePage(_ number: Int) throws(IndexError) -> SidePage {
    try sideGroup(number / SideHead.groupCapacity).pages[number % SideHead.groupCapacity]
  }

  /// Returns the side files of all pages that have one; empty for an index without sides.
  package func sidePages() throws(IndexError) -> [SidePage] { try numberedSidePages().map { $0.side } }

  /// Returns the same, with the numbers of the pages.
  package func numberedSidePages() throws(IndexError) -> [(page: Int, side: SidePage)] {
    guard hasSides else { return [] }
    _ = try sideHead()  // An index without pages has a head too.
    var pages: [(page: Int, side: SidePage)] = []
    for number in 0..<pageCount {
      let side = try sidePage(number)
      if side.fileSize > 0 { pages.append((number, side)) }
    }
    return pages
  }

  private func sideGroup(_ number: Int) throws(IndexError) -> SideGroup {
    if case .group(let group) = sides[.group(number)] { return group }
    let head = try sideHead()
    let first = number * SideHead.groupCapacity
    let group = try file.frame(
      range(of: head.range(ofGroup: number), behind: head.frameSize, of: root.chains.sides),
      checksum: head.checksum(ofGroup: number), name: "sides", with: contexts
    ) { (content, _) throws(FormatError) in
      try SideGroup(content, pageCount: min(SideHead.groupCapacity, root.tree.count(ofLevel: 0) - first))
    }
    sides.keep(.group(group), of: .group(number))
    return group
  }

  private func sideHead() throws(IndexError) -> SideHead {
    if let head = sides.head.load() { return head }
    return sides.head.storeIfNil(
      try head(of: root.chains.sides, name: "sides") { (content, size, chain) throws(FormatError) in
        try SideHead(content, frameSize: size, chainSize: chain.size, pageCount: root.tree.count(ofLevel: 0))
      })
  }
}
