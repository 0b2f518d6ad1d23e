import ShardedIndex

/// The field with the weight of an index's records, and the rule that makes a number from it.
struct WeightField: Sendable {
  /// The number of the field; nil if no record has it.
  let number: Int?
  let rule: WeightRule

  /// - Returns: nil if the index has no ranks.
  init?(of manifest: ManifestReader) throws(IndexError) {
    guard manifest.hasRanks else { return nil }
    (number, rule) = try manifest.weightField
  }

  /// Returns the weight of the record with these fields of a buffer.
  func weight(of fields: Range<Int>, in buffer: RecordBuffer) -> UInt64 {
    guard let number, let field = fields.first(where: { Int(buffer.rawName(ofField: $0)) == number }) else { return 0 }
    return unsafe rule.weight(of: buffer.rawField(field).text)
  }
}

/// The check of an index's ranks against the weights of its records.
struct RankCheck {
  /// A greatest weight that differs from the weights of the records.
  enum WeightFault: Equatable {
    case part(Int, ofShard: Int, found: UInt64, expected: UInt64)
    case partCount(ofShard: Int, found: Int, expected: Int)
    case page(Int, found: UInt64, expected: UInt64)
  }

  private let manifest: ManifestReader
  /// For each page whose ranks cannot be read, the error.
  private(set) var unreadable: [Int: IndexError] = [:]
  /// For each page the greatest weight of its records, and the number of shards whose records were read.
  private var pages: [(greatest: UInt64, shards: Int)]

  /// Reads all ranks of an index.
  ///
  /// - Returns: nil if the index has no ranks.
  init?(of manifest: ManifestReader) throws(IndexError) {
    guard manifest.hasRanks else { return nil }
    self.manifest = manifest
    let pageCount = (manifest.shardCount + Manifest.pageCapacity - 1) / Manifest.pageCapacity
    pages = Array(repeating: (0, 0), count: pageCount)
    // The first frame exists also for an index without pages.
    _ = try manifest.greatestWeight(ofPages: 0..<pageCount)
    for page in 0..<pageCount {
      do throws(IndexError) { _ = try manifest.rankPage(page) } catch { unreadable[page] = error }
    }
  }

  /// Compares the ranks of a shard with its records.
  ///
  /// - Parameter weights: The greatest weight of each part; nil if the records could not be read.
  mutating func faults(ofShard shard: Int, _ weights: [UInt64]?) -> [WeightFault] {
    guard let weights else { return [] }
    let page = shard / Manifest.pageCapacity
    pages[page] = (weights.reduce(pages[page].greatest, max), pages[page].shards + 1)
    guard unreadable[page] == nil, let found = try? manifest.partWeights(ofShard: shard) else { return [] }
    guard found.count == weights.count else {
      return [.partCount(ofShard: shard, found: found.count, expected: weights.count)]
    }
    return weights.indices.compactMap { part in
      found[part] == weights[part]
        ? nil : .part(part, ofShard: shard, found: found[part], expected: weights[part])
    }
  }

  /// Compares the greatest weights of pages with those of the records, after all shards were compared. Pages with
  /// unread records are left out.
  func faultsOfPages() -> [WeightFault] {
    pages.indices.compactMap { page in
      let shardCount = min(Manifest.pageCapacity, manifest.shardCount - page * Manifest.pageCapacity)
      let expected = pages[page].greatest
      guard pages[page].shards == shardCount, let found = try? manifest.greatestWeight(ofPages: page..<page + 1),
        found != expected
      else { return nil }
      return .page(page, found: found, expected: expected)
    }
  }
}

extension RankCheck.WeightFault {
  /// The number of its shard; nil for a fault of a page.
  private var shard: Int? {
    switch self {
    case .part(_, let shard, _, _), .partCount(let shard, _, _): shard
    case .page: nil
    }
  }

  /// The text of the finding.
  func text(_ shards: [Manifest.Shard]) -> String {
    let name = shard.flatMap { number in shards.first { $0.number == number } }.map { " (\($0.fileName))" } ?? ""
    return switch self {
    case .part(let part, let shard, let found, let expected):
      "the ranks say \(found) for part \(part) of shard \(shard)\(name); its greatest weight is \(expected)"
    case .partCount(let shard, let found, let expected):
      "the ranks have \(found) parts of shard \(shard)\(name); it has \(expected)"
    case .page(let page, let found, let expected):
      "the ranks say \(found) for page \(page); its greatest weight is \(expected)"
    }
  }
}
