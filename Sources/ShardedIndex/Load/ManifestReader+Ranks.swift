extension ManifestReader {
  /// Whether the default order of answers is by ranks.
  package var isRanked: Bool { hasRanks || hasEntries }
  /// Whether the index has ranks: the greatest weight of each part.
  package var hasRanks: Bool { root.chains.ranks != nil }
  /// The range of the ranks in the file; nil if the index has none.
  package var ranksRange: Range<Int>? { range(of: root.chains.ranks) }
  /// The size of the ranks in the file, in bytes.
  package var ranksSize: Int { root.chains.ranks?.size ?? 0 }

  /// The rule of weights, and the number of the field with the weight; nil if no record has the field.
  package var weightField: (number: Int?, rule: WeightRule) {
    get throws(IndexError) {
      guard let rule = WeightRule(scale: setting("weight-scale")) else {
        throw .corrupt(
          path: file.path, cause: .invalid(reason: "has a scale of weights that is not a number above 0", offset: 0))
      }
      guard let path = setting("weight") else { return (nil, rule) }
      let number = unsafe Array(path.utf8).withUnsafeBufferPointer { unsafe root.fieldNumber(of: $0) }
      return (number, rule)
    }
  }

  /// Returns the greatest weight in some pages. The first call reads the first frame of the ranks.
  package func greatestWeight(ofPages numbers: Range<Int>) throws(IndexError) -> UInt64 {
    try rankHead().maximum(ofPages: numbers)
  }

  /// Returns the greatest weight of each part of a shard. Reads the page of the ranks unless it is in memory.
  package func partWeights(ofShard number: Int) throws(IndexError) -> [UInt64] {
    try rankPage(number / Manifest.pageCapacity).weights(ofShard: number % Manifest.pageCapacity)
  }

  /// Returns the ranks of a page. Reads them unless they are in memory. The index must have ranks.
  package func rankPage(_ number: Int) throws(IndexError) -> RankPage {
    if let page = ranks[number] { return page }
    let head = try rankHead()
    let page = try file.frame(
      range(of: head.range(ofPage: number), behind: head.frameSize, of: root.chains.ranks),
      checksum: head.checksum(ofPage: number), name: "ranks", with: contexts
    ) { (content, _) throws(FormatError) in
      try RankPage(
        content, shardCount: root.tree.shards(below: number, level: 0),
        maximum: head.maximum(ofPages: number..<number + 1))
    }
    ranks.keep(page, of: number)
    return page
  }

  private func rankHead() throws(IndexError) -> RankHead {
    if let head = ranks.head.load() { return head }
    return ranks.head.storeIfNil(
      try head(of: root.chains.ranks, name: "ranks") { (content, size, chain) throws(FormatError) in
        try RankHead(content, frameSize: size, chainSize: chain.size, pageCount: root.tree.count(ofLevel: 0))
      })
  }

  /// Returns the position of the first record of a page among all records of the shards.
  func firstRecord(ofPage number: Int) throws(IndexError) -> Int {
    let (node, child) = number.quotientAndRemainder(dividingBy: Manifest.pageCapacity)
    return try withTables(ofNode: node, level: 1) { tables, start in start + tables.firstRecord(of: child) }
  }
}
