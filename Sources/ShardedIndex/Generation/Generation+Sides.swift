extension Generation {
  /// The values of a shard's records in a table.
  package struct ShardValues: Equatable, Sendable {
    /// The values, ascending.
    package var values: [[UInt8]]
    /// The greatest weight of each value.
    package var weights: [UInt64]
    /// The values of each part, by their position among the shard's values, ascending. Weights are rounded up.
    package var parts: [[ValueLists.ListedValue]]

    package init(values: [[UInt8]], weights: [UInt64], parts: [[ValueLists.ListedValue]]) {
      (self.values, self.weights, self.parts) = (values, weights, parts)
    }
  }

  /// Returns the values of a shard from a side file; nil if the shard's page has too many values for a table.
  package func values(_ table: SideTable, ofShard number: Int) throws(IndexError) -> ShardValues? {
    let (page, position) = number.quotientAndRemainder(dividingBy: Manifest.pageCapacity)
    guard let values = try shards.table(table, ofPage: page) else { return nil }
    let (parts, index) = try shards.parts(of: table, values, shard: number)
    let entries = values.entries(ofShard: position)
    return ShardValues(
      values: entries.map { Array(values.value($0.number)) }, weights: entries.map { $0.weight },
      parts: parts.range(ofShard: index).map { parts.entries(ofPart: $0) })
  }

  /// Returns the values of a page from a side file; nil if the page has too many values for a table.
  package func values(_ table: SideTable, ofPage page: Int) throws(IndexError) -> [[UInt8]]? {
    guard let values = try shards.table(table, ofPage: page) else { return nil }
    return (0..<values.count).map { Array(values.value($0)) }
  }

  /// Returns the bytes of a side file in a directory, checked against the manifest's digest.
  package func file(_ side: SidePage) throws(IndexError) -> [UInt8] {
    let bytes = try directory.read(side.fileName, size: side.fileSize, at: nil)
    var hash = SHA256()
    unsafe bytes.withUnsafeBufferPointer { unsafe hash.update($0) }
    guard hash.finish().starts(with: side.digest) else {
      throw .corrupt(path: directory.filePath(side.fileName.text), cause: .wrongDigest)
    }
    return bytes
  }

  /// Returns the sketch of a shard.
  package func sketch(ofShard number: Int) throws(IndexError) -> ShardSketch {
    let (page, position) = number.quotientAndRemainder(dividingBy: Manifest.pageCapacity)
    let (group, root) = position.quotientAndRemainder(dividingBy: SketchForest.groupSize)
    return try shards.sketch(ofGroup: group, ofPage: page).tree(ofRoot: root)
  }

  /// Returns the characters of a page's sketches, and the tree of each of its groups of shards.
  package func sketch(ofPage page: Int) throws(IndexError) -> (alphabet: SketchAlphabet, groups: [ShardSketch]) {
    let forest = try shards.sketch(ofPage: page)
    return (forest.alphabet, (0..<forest.rootCount).map { forest.tree(ofRoot: $0) })
  }
}
