/// The order of a ranked query by the numbers of a field, in an index with these numbers. Source: docs/numbers.md.
struct RankedSort: Sendable {
  /// The column of the index's numbers that bounds the keys of records.
  private let column: Int
  /// The field.
  let field: NumberField

  /// - Parameter manifest: Of an index with numbers of the field.
  /// - Returns: nil if the query has no such order.
  init?(_ sort: ShardedIndex.SearchQuery.Sort?, in manifest: ManifestReader) {
    guard let sort, let field = NumberField(sort.field, in: manifest) else { return nil }
    self.field = field
    column = 2 * field.number + (sort.isDescending ? 0 : 1)
  }

  private var isAscending: Bool { column & 1 == 1 }

  // MARK: Bounds

  /// Returns the greatest key of records in some pages.
  func key(ofPages pages: Range<Int>, of reader: ShardReader) throws(IndexError) -> UInt64 {
    guard try reader.hasNumbers(column) else { return .max }
    return try reader.manifest.numberHead().maximum(ofPages: pages, column: column)
  }

  /// Returns the greatest key of the records of a shard.
  func key(ofShard shard: Int, of reader: ShardReader) throws(IndexError) -> UInt64 {
    guard try reader.hasNumbers(column) else { return .max }
    return try reader.manifest.numberPage(shard / Manifest.pageCapacity).maximum(
      ofShard: shard % Manifest.pageCapacity, column: column)
  }

  /// Returns the greatest key of the records of each part of a shard.
  func keys(ofShard shard: Int, parts count: Int, of reader: ShardReader) throws(IndexError) -> [UInt64] {
    try reader.numbers(column, ofShard: shard, parts: count)
  }

  // MARK: Records

  /// Returns the key of a record: greater for a record that comes first, and 0 for a record without a number.
  private func key(_ numbers: RecordNumbers) -> UInt64 { isAscending ? numbers.negatedLeast : numbers.greatest }

  /// Returns the keys of some records of a part.
  ///
  /// - Parameter range: The records, counted within the part.
  func keys(_ range: Range<Int>, of reference: PartReference, in reader: ShardReader) throws(IndexError) -> [UInt64] {
    try field.numbers(range, of: reference, in: reader).map { key($0) }
  }

  /// Returns the key of an added record of the overlay.
  func key(added number: Int, in overlay: Overlay) -> UInt64 {
    var numbers = RecordNumbers()
    field.forEach(added: number, in: overlay) { numbers.add($0) }
    return key(numbers)
  }

  /// Adds the order to the bytes that tell queries apart.
  func write(to bytes: inout [UInt8]) { bytes += [0, 0xfd, UInt8(truncatingIfNeeded: column)] }
}

/// A field whose numbers an index has.
struct NumberField: Sendable {
  /// The number of the field in the setting `number`.
  let number: Int
  /// The number of the field in records; nil if no record has it.
  private let field: Int?

  /// - Returns: nil if the index has no numbers of the field.
  init?(_ name: String, in manifest: ManifestReader) {
    guard let number = manifest.numberFields.number(of: name) else { return nil }
    self.number = number
    field = manifest.fieldNames.number(of: name)
  }

  /// Returns the least and the greatest number of the field in the index.
  func ends(in manifest: ManifestReader) throws(IndexError) -> RecordNumbers {
    let head = try manifest.numberHead()
    func maximum(_ column: Int) -> UInt64 { head.maximum(ofPages: 0..<manifest.pageCount, column: column) }
    var ends = RecordNumbers()
    let (greatest, least) = (maximum(2 * number), NumberCode.negated(maximum(2 * number + 1)))
    for code in [greatest, least] where code != NumberCode.none { ends.add(code) }
    return ends
  }

  /// Returns the ranges of numbers that a filter's texts stand for; nil if one of them is no number and no range.
  func ranges(_ texts: [String], in manifest: ManifestReader) throws(IndexError) -> [ClosedRange<UInt64>]? {
    let least = try ends(in: manifest).least
    var ranges: [ClosedRange<UInt64>] = []
    for text in texts {
      switch NumberCode.range(Array(text.utf8), ofDates: NumberCode.isDate(least)) {
      case .codes(let range): ranges.append(range)
      // With years the range may be upside down; then no record passes.
      case .fault: break
      case .other: return nil
      }
    }
    return ranges
  }

  /// Calls `body` with each number of some records of a part.
  func forEach(
    _ range: Range<Int>, of reference: PartReference, in reader: ShardReader, _ body: (_ record: Int, UInt64) -> Void
  ) throws(IndexError) {
    guard let field else { return }
    try unsafe PartReader(reader, reference).forEachField(field, in: range) { record, text, kind in
      unsafe RecordNumbers.forEach(text, kind) { body(record, $0) }
    }
  }

  /// Returns the least and the greatest number of some records of a part.
  func numbers(
    _ range: Range<Int>, of reference: PartReference, in reader: ShardReader
  ) throws(IndexError) -> [RecordNumbers] {
    var numbers = [RecordNumbers](repeating: RecordNumbers(), count: range.count)
    try forEach(range, of: reference, in: reader) { numbers[$0 - range.lowerBound].add($1) }
    return numbers
  }

  /// Calls `body` with each number of an added record of the overlay.
  func forEach(added number: Int, in overlay: Overlay, _ body: (UInt64) -> Void) {
    var isFound = false
    overlay.forEachField(of: number) { entry in
      guard !isFound, entry.name == field else { return }
      isFound = true
      unsafe RecordNumbers.forEach(entry.text, ValueKind(rawValue: entry.kind) ?? .literal, body)
    }
  }
}
