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

  /// Whether the index has numbers: the least and the greatest number of each part.
  package var hasNumbers: Bool { root.chains.numbers != nil }
  /// The fields with numbers.
  package var numberFields: [String] {
    !hasNumbers ? [] : setting("number").map(IndexSettings.list) ?? []
  }
  /// The range of the numbers in the file; nil if the index has none.
  package var numbersRange: Range<Int>? { range(of: root.chains.numbers) }
  /// The size of the numbers in the file, in bytes.
  package var numbersSize: Int { root.chains.numbers?.size ?? 0 }

  /// Returns the greatest weight in some pages. The first call reads the first frame of the ranks.
  package func greatestWeight(ofPages numbers: Range<Int>) throws(IndexError) -> UInt64 {
    try maximaHead(ranks, .ranks).maximum(ofPages: numbers)
  }

  /// Returns the greatest weight of each part of a shard. Reads the page of the ranks unless it is in memory.
  package func partWeights(ofShard number: Int) throws(IndexError) -> [UInt64] {
    try rankPage(number / Manifest.pageCapacity).values(ofShard: number % Manifest.pageCapacity)
  }

  /// Returns the ranks of a page. Reads them unless they are in memory. The index must have ranks.
  package func rankPage(_ number: Int) throws(IndexError) -> MaximaPage {
    if let page = ranks[number] { return page }
    return try maximaPage(number, ranks, .ranks)
  }

  /// Returns the first frame of the numbers. Reads it unless it is in memory. The index must have numbers.
  package func numberHead() throws(IndexError) -> MaximaHead {
    if let head = numbers.head.load() { return head }
    return try maximaHead(numbers, .numbers(fields: numberFields.count))
  }

  /// Returns the numbers of a page. Reads them unless they are in memory. The index must have numbers.
  package func numberPage(_ number: Int) throws(IndexError) -> MaximaPage {
    if let page = numbers[number] { return page }
    return try maximaPage(number, numbers, numberHead().form)
  }

  /// Returns all columns of the numbers of a shard's parts.
  package func numberColumns(ofShard number: Int) throws(IndexError) -> [[UInt64]] {
    let page = try numberPage(number / Manifest.pageCapacity)
    return try (0..<numberHead().form.columns).map { page.values(ofShard: number % Manifest.pageCapacity, column: $0) }
  }

  private func chain(_ form: MaximaForm) -> Manifest.Chain? {
    form == .ranks ? root.chains.ranks : root.chains.numbers
  }

  private func maximaPage(
    _ number: Int, _ frames: MaximaFrames, _ form: MaximaForm
  ) throws(IndexError) -> MaximaPage {
    let head = try maximaHead(frames, form)
    let page = try file.frame(
      range(of: head.range(ofPage: number), behind: head.frameSize, of: chain(form)),
      checksum: head.checksum(ofPage: number), name: form == .ranks ? "ranks" : "numbers", with: contexts
    ) { (content, _) throws(FormatError) in
      try MaximaPage(
        content, shardCount: root.tree.shards(below: number, level: 0), maxima: head.maxima(ofPage: number), form: form)
    }
    frames.keep(page, of: number)
    return page
  }

  private func maximaHead(_ frames: MaximaFrames, _ form: MaximaForm) throws(IndexError) -> MaximaHead {
    if let head = frames.head.load() { return head }
    return frames.head.storeIfNil(
      try head(of: chain(form), name: form == .ranks ? "ranks" : "numbers") {
        (content, size, chain) throws(FormatError) in
        try MaximaHead(
          content, frameSize: size, chainSize: chain.size, pageCount: root.tree.count(ofLevel: 0), form: form)
      })
  }

  /// Returns the position of the first record of a page among all records of the shards.
  func firstRecord(ofPage number: Int) throws(IndexError) -> Int {
    let (node, child) = number.quotientAndRemainder(dividingBy: Manifest.pageCapacity)
    return try withTables(ofNode: node, level: 1) { tables, start in start + tables.firstRecord(of: child) }
  }
}
