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

/// The encoder of a chain of maxima: the greatest values of each part. Source: docs/format.md sections 3.11 and 3.15.
struct MaximaEncoder: Sendable {
  /// The contents of the frames of the full pages.
  private(set) var pages: [[UInt8]] = []
  private let form: MaximaForm
  /// For each column, the greatest value of each full page.
  private var maxima: [[UInt64]]
  /// For each shard of the current page, the columns with the greatest value of each part.
  private var page: [[[UInt64]]] = []

  init(_ form: MaximaForm) {
    self.form = form
    maxima = Array(repeating: [], count: form.columns)
  }

  /// Adds the next shard.
  ///
  /// - Parameter columns: For each column, the greatest value of each part of the shard.
  mutating func add(_ columns: [[UInt64]]) { page.append(columns) }

  /// Ends a page. The page must have a shard.
  mutating func finishPage() {
    var writer = ByteWriter()
    for shard in page { writer.writeVarint(shard[0].count) }
    for shard in page {
      for (column, values) in shard.enumerated() {
        for value in values { writer.write(value, column: column, of: form) }
      }
    }
    pages.append(writer.bytes)
    for column in maxima.indices { maxima[column].append(page.reduce(0) { max($0, $1[column].max() ?? 0) }) }
    page.removeAll(keepingCapacity: true)
  }

  /// The greatest value of the first column in all full pages.
  var greatest: UInt64 { maxima[0].max() ?? 0 }

  /// The size of the largest content of a frame, in bytes.
  var largestPage: Int { pages.reduce(0) { max($0, $1.count) } }

  /// Returns the content of the first frame.
  ///
  /// - Parameter frames: The frames of the pages.
  func head(_ frames: [[UInt8]]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(form.magic)
    writer.write(UInt32(frames.count))
    var end = 0
    for frame in frames {
      end += frame.count
      writer.write(UInt32(end))
    }
    for frame in frames { writer.write(ZstdFrame.checksum(ofFrame: frame)) }
    for (column, values) in maxima.enumerated() {
      for value in values { writer.write(form.value(value, column: column)) }
    }
    return writer.bytes
  }
}

extension ByteWriter {
  /// Writes a value of a part.
  fileprivate mutating func write(_ value: UInt64, column: Int, of form: MaximaForm) {
    guard case .numbers = form else { return write(weight: value) }
    var bytes: [UInt8] = []
    var number: UInt64?
    NumberCode.forEachPart(of: form.value(value, column: column)) {
      bytes.append($0)
    } number: {
      number = $0
    }
    write(bytes)
    if let number { write(weight: number) }
  }

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
