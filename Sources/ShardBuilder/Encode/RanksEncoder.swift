import ShardedIndex

/// The field that ranks records, and the rule that makes a weight from its text.
struct RankField: Sendable {
  /// The number of the field; nil if no record has the field.
  let number: UInt32?
  let rule: WeightRule

  /// - Parameters:
  ///   - settings: The settings of the index.
  ///   - names: Field names by the numbers that the records use.
  /// - Returns: nil if the index has no ranks.
  init?(_ settings: IndexSettings, names: [String]) throws(BuildError) {
    guard settings.isRanked else { return nil }
    rule = try WeightRule(checking: settings.weightScale)
    number = settings.weight.flatMap { names.firstIndex(of: $0) }.map { UInt32($0) }
  }

  /// Returns the weight of a record.
  func weight(of record: RecordBlob) -> UInt64 {
    guard let number, let text = unsafe record.text(ofField: number) else { return 0 }
    return unsafe rule.weight(of: text)
  }

  /// Returns the greatest weight of some records.
  func greatest(of records: ArraySlice<RecordBlob>) -> UInt64 { records.reduce(0) { max($0, weight(of: $1)) } }
}

extension WeightRule {
  /// Makes the rule of a scale, or throws the scale's fault.
  init(checking scale: String?) throws(BuildError) {
    guard let rule = WeightRule(scale: scale) else {
      throw .dataset(.options, message: "the scale of weights is \"\(scale ?? "")\"; give a number above 0")
    }
    self = rule
  }
}

/// The encoder of the chain of ranks: the greatest weight of each part. Source: docs/format.md section 3.11.
struct RanksEncoder: Sendable {
  /// The contents of the frames of the full pages.
  private(set) var pages: [[UInt8]] = []
  /// The greatest weight of each full page.
  private var maxima: [UInt64] = []
  /// For each shard of the current page, the greatest weight of each part.
  private var page: [[UInt64]] = []

  /// Adds the next shard.
  ///
  /// - Parameter weights: The greatest weight of each part of the shard.
  mutating func add(_ weights: [UInt64]) { page.append(weights) }

  /// Ends a page. The page must have a shard.
  mutating func finishPage() {
    var writer = ByteWriter()
    for weights in page { writer.writeVarint(weights.count) }
    for weight in page.joined() { writer.write(weight: weight) }
    pages.append(writer.bytes)
    maxima.append(page.joined().max() ?? 0)
    page.removeAll(keepingCapacity: true)
  }

  /// The greatest weight of all full pages.
  var greatest: UInt64 { maxima.max() ?? 0 }

  /// The size of the largest content of a frame, in bytes.
  var largestPage: Int { pages.reduce(0) { max($0, $1.count) } }

  /// Returns the content of the first frame.
  ///
  /// - Parameter frames: The frames of the pages.
  func head(_ frames: [[UInt8]]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(RankHead.magic)
    writer.write(UInt32(frames.count))
    var end = 0
    for frame in frames {
      end += frame.count
      writer.write(UInt32(end))
    }
    for frame in frames { writer.write(ZstdFrame.checksum(ofFrame: frame)) }
    for maximum in maxima { writer.write(maximum) }
    return writer.bytes
  }
}

extension ByteWriter {
  /// Writes an unsigned LEB128 number of at most 63 bits.
  mutating func write(weight: UInt64) {
    precondition(weight <= WeightRule.limit, "a weight over 63 bits")
    var rest = weight
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
