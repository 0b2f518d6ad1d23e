extension ManifestReader {
  /// Whether the index has sides: files beside the shards with tables and sketches of them.
  package var hasSides: Bool { root.chains.sides != nil }
  /// The bytes of the file that are the sides; nil if the index has none.
  package var sidesRange: Range<Int>? {
    root.chains.sides.map { chain in
      let start = root.frameSize + root.pagesEnd + chain.start
      return start..<start + chain.size
    }
  }

  /// Returns the side file of a page; reads the frame of the page's group, if that is not in memory. The index must
  /// have sides.
  package func sidePage(_ number: Int) throws(IndexError) -> SidePage {
    try sideGroup(number / SideHead.groupCapacity).pages[number % SideHead.groupCapacity]
  }

  /// Returns the side files of all pages, those aside that have none; none for an index without sides.
  package func sidePages() throws(IndexError) -> [SidePage] {
    guard hasSides else { return [] }
    _ = try sideHead()  // An index without pages has it too.
    var pages: [SidePage] = []
    for number in 0..<root.tree.count(ofLevel: 0) { pages.append(try sidePage(number)) }
    return pages.filter { $0.fileSize > 0 }
  }

  private func sideGroup(_ number: Int) throws(IndexError) -> SideGroup {
    if case .group(let group) = sides[.group(number)] { return group }
    let head = try sideHead()
    guard let chain = root.chains.sides else { throw missingSides }
    let range = head.range(ofGroup: number)
    let start = root.frameSize + root.pagesEnd + chain.start + head.frameSize
    let bytes = try file.read(from: start + range.lowerBound, size: range.count)
    let context = contexts.acquire()
    defer { contexts.release(context) }
    do throws(FormatError) {
      let (frame, size) = try Manifest.chainFrame(
        in: bytes[...], firstOf: nil, limit: Manifest.contentLimit, name: "sides", with: context)
      guard size == range.count else { throw .wrongSize(found: size, expected: range.count) }
      let checksum = head.checksum(ofGroup: number)
      guard frame.checksum == checksum else { throw .wrongChecksum(found: frame.checksum, expected: checksum) }
      let first = number * SideHead.groupCapacity
      let group = try SideGroup(
        frame.content, pageCount: min(SideHead.groupCapacity, root.tree.count(ofLevel: 0) - first))
      sides.keep(.group(group), of: .group(number))
      return group
    } catch {
      throw .corrupt(path: file.path, cause: error)
    }
  }

  private func sideHead() throws(IndexError) -> SideHead {
    if let head = sides.head.load() { return head }
    guard let chain = root.chains.sides else { throw missingSides }
    let start = root.frameSize + root.pagesEnd + chain.start
    let most = min(chain.size, ZstdFrame.sizeLimit(content: chain.contentSize), file.size - start)
    let bytes = try file.read(from: start, size: max(0, most))
    let context = contexts.acquire()
    defer { contexts.release(context) }
    do throws(FormatError) {
      let (frame, size) = try Manifest.chainFrame(
        in: bytes[...], firstOf: chain, limit: Manifest.contentLimit, name: "sides", with: context)
      return sides.head.storeIfNil(
        try SideHead(frame.content, frameSize: size, chainSize: chain.size, pageCount: root.tree.count(ofLevel: 0)))
    } catch {
      throw .corrupt(path: file.path, cause: error)
    }
  }

  private var missingSides: IndexError {
    .corrupt(path: file.path, cause: .invalid(reason: "has no sides", offset: 0))
  }
}
