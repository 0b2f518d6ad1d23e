extension ManifestReader {
  /// Whether answers are ranked where no order is asked for.
  package var isRanked: Bool { hasRanks || hasEntries }
  /// Whether the index has ranks: the greatest weight of each part.
  package var hasRanks: Bool { root.chains.ranks != nil }
  /// The bytes of the file that are the ranks; nil if the index has none.
  package var ranksRange: Range<Int>? {
    root.chains.ranks.map { chain in
      let start = root.frameSize + root.pagesEnd + chain.start
      return start..<start + chain.size
    }
  }
  /// The bytes that the ranks take in the file.
  package var ranksSize: Int { root.chains.ranks?.size ?? 0 }

  /// The rule that makes weights, and the number of the field that they are made of; no field where no record has one.
  package var weightField: (number: Int?, rule: WeightRule) {
    get throws(IndexError) {
      guard let rule = WeightRule(scale: setting("weight-scale")) else {
        throw .corrupt(
          path: file.path, cause: .invalid(reason: "a scale of weights that is no number above 0", offset: 0))
      }
      guard let path = setting("weight") else { return (nil, rule) }
      let number = unsafe Array(path.utf8).withUnsafeBufferPointer { unsafe root.fieldNumber(of: $0) }
      return (number, rule)
    }
  }

  /// Returns the greatest weight in some pages; reads the first frame of the ranks, if that was not read yet.
  package func greatestWeight(ofPages numbers: Range<Int>) throws(IndexError) -> UInt64 {
    try rankHead().maximum(ofPages: numbers)
  }

  /// Returns the greatest weight of each part of a shard; reads the page of the ranks, if that is not in memory.
  package func partWeights(ofShard number: Int) throws(IndexError) -> [UInt64] {
    try rankPage(number / Manifest.pageCapacity).weights(ofShard: number % Manifest.pageCapacity)
  }

  /// Returns the ranks of a page; reads them, if they are not in memory. The index must have ranks.
  package func rankPage(_ number: Int) throws(IndexError) -> RankPage {
    if let page = ranks.page(number) { return page }
    let head = try rankHead()
    guard let chain = root.chains.ranks else { throw missingRanks }
    let range = head.range(ofPage: number)
    let start = root.frameSize + root.pagesEnd + chain.start + head.frameSize
    let bytes = try file.read(from: start + range.lowerBound, size: range.count)
    let context = contexts.acquire()
    defer { contexts.release(context) }
    do throws(FormatError) {
      let (frame, size) = try Manifest.chainFrame(
        in: bytes[...], firstOf: nil, limit: Manifest.contentLimit, name: "ranks", with: context)
      guard size == range.count else { throw .wrongSize(found: size, expected: range.count) }
      let checksum = head.checksum(ofPage: number)
      guard frame.checksum == checksum else { throw .wrongChecksum(found: frame.checksum, expected: checksum) }
      let page = try RankPage(
        frame.content, shardCount: root.tree.shards(below: number, level: 0),
        maximum: head.maximum(ofPages: number..<number + 1))
      ranks.keep(page, number)
      return page
    } catch {
      throw .corrupt(path: file.path, cause: error)
    }
  }

  private func rankHead() throws(IndexError) -> RankHead {
    if let head = ranks.head.load() { return head }
    guard let chain = root.chains.ranks else { throw missingRanks }
    let start = root.frameSize + root.pagesEnd + chain.start
    let most = min(chain.size, ZstdFrame.sizeLimit(content: chain.contentSize), file.size - start)
    let bytes = try file.read(from: start, size: max(0, most))
    let context = contexts.acquire()
    defer { contexts.release(context) }
    do throws(FormatError) {
      let (frame, size) = try Manifest.chainFrame(
        in: bytes[...], firstOf: chain, limit: Manifest.contentLimit, name: "ranks", with: context)
      return ranks.head.storeIfNil(
        try RankHead(
          frame.content, frameSize: size, chainSize: chain.size, pageCount: root.tree.count(ofLevel: 0)))
    } catch {
      throw .corrupt(path: file.path, cause: error)
    }
  }

  private var missingRanks: IndexError {
    .corrupt(path: file.path, cause: .invalid(reason: "has no ranks", offset: 0))
  }

  /// Returns the position of the first record of a page among all records of the shards.
  func firstRecord(ofPage number: Int) throws(IndexError) -> Int {
    // A root of version 1 lists all pages, however many they are.
    let (node, child) =
      root.tree.height == 0
      ? (0, number) : (number / Manifest.pageCapacity, number % Manifest.pageCapacity)
    return try withTables(ofNode: node, level: 1) { tables, start in start + tables.firstRecord(of: child) }
  }
}
