/// The numbers of a field that a count has met. Source: docs/facets.md.
final class NumberCounter {
  /// The number of the field; nil if no record has the field.
  private let field: Int?
  private var numbers: [(code: UInt64, record: Int)] = []
  private var recordCount = 0
  /// Whether numbers were left out, since records have too many.
  private(set) var isFull = false

  private static let limit = 1 << 16
  /// The most ranges of a facet.
  private static let rangeLimit = 10

  init(field: Int?) { self.field = field }

  /// Counts a record.
  ///
  /// - Parameter slots: The record's fields in the buffer.
  func add(_ slots: Range<Int>, of buffer: RecordBuffer) {
    guard let slot = slots.first(where: { Int(buffer.rawName(ofField: $0)) == field }) else { return }
    recordCount += 1
    let kind = ValueKind(rawValue: buffer.rawKind(ofField: slot)) ?? .literal
    unsafe buffer.withText(slot) { text in
      unsafe RecordNumbers.forEach(text, kind) { code in
        if numbers.count < Self.limit { numbers.append((code, recordCount)) } else { isFull = true }
      }
    }
  }

  /// The least and the greatest number.
  var ends: RecordNumbers {
    var ends = RecordNumbers()
    for (code, _) in numbers { ends.add(code) }
    return ends
  }

  /// A range of numbers, both ends of which records have.
  struct CountedRange {
    let least: UInt64
    let greatest: UInt64
    /// The number of records with a number in the range.
    let count: Int
  }

  /// The numbers in up to ten ranges of nearly as many numbers each, ascending. Equal numbers are in one range.
  var ranges: [CountedRange] {
    let sorted = numbers.ordered { $0.code < $1.code }
    let size = (sorted.count + Self.rangeLimit - 1) / Self.rangeLimit
    var ranges: [CountedRange] = []
    var start = 0
    for end in sorted.indices.map({ $0 + 1 }) {
      let isLast = end == sorted.count
      guard isLast || end - start >= size && sorted[end].code != sorted[end - 1].code else { continue }
      let records = sorted[start..<end].map { $0.record }.ordered { $0 < $1 }
      let repeated = zip(records, records.dropFirst()).reduce(0) { $0 + ($1.0 == $1.1 ? 1 : 0) }
      ranges.append(
        CountedRange(least: sorted[start].code, greatest: sorted[end - 1].code, count: records.count - repeated))
      start = end
    }
    return ranges
  }
}

/// The count of a facet: of the values of a filter's field, or of the numbers of another field.
enum FacetCounter {
  case values(ValueCounter)
  case numbers(NumberCounter)

  /// Counts the records of a buffer, and returns the size of their texts in bytes.
  func add(allOf buffer: RecordBuffer) -> Int {
    for record in 0..<buffer.count {
      switch self {
      case .values(let counter): counter.add(buffer.fieldRange(record), of: buffer)
      case .numbers(let counter): counter.add(buffer.fieldRange(record), of: buffer)
      }
    }
    return unsafe buffer.output.pointee.byteCount
  }
}
