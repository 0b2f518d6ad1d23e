/// The values of a field that a count has met, with the number of records that have each. Source: docs/facets.md.
///
/// A record counts once for each of its values, ``FieldTexts/forEachValue(_:_:_:)``. A count of many values has a bound:
/// then it leaves out values that it meets later.
final class ValueCounter {
  /// A value of the field.
  struct Counted: Sendable {
    let folded: [UInt8]
    /// The text of the value in the first record that has it; nil if it is unknown.
    var text: [UInt8]?
    var count = 0
    /// The number of the last record that had the value.
    fileprivate var record = 0
  }

  /// The number of the field; nil if no record has the field.
  let field: Int?
  /// The beginning of the values that count, folded.
  private let start: [UInt8]
  private(set) var values: [Counted] = []
  /// The positions of values, by their folds.
  private var numbers: [[UInt8]: Int] = [:]
  /// The short texts of the field that came, each with the position of its values in ``lists``.
  private var texts: [[UInt8]: Int] = [:]
  private var lists: [[Int]] = []
  private var recordCount = 0
  private var byteCount = 0
  /// Whether values were left out.
  private(set) var isFull = false

  /// The most values and the most bytes of their folds. The tables of 64 pages have no more.
  private static let limits = (values: 64 * SideTable.valueLimit, bytes: 64 * SideTable.byteLimit)
  /// The most bytes of a text whose values are kept, and the most of these texts.
  private static let textLimits = (size: 64, count: 1 << 14)

  /// - Parameter start: The beginning of the values that count, folded.
  init(field: Int?, start: [UInt8] = []) { (self.field, self.start) = (field, start) }

  // MARK: Counting

  /// Counts a record.
  ///
  /// - Parameter slots: The record's fields in the buffer.
  func add(_ slots: Range<Int>, of buffer: RecordBuffer) {
    guard let slot = slots.first(where: { Int(buffer.rawName(ofField: $0)) == field }) else { return }
    recordCount += 1
    let kind = buffer.rawKind(ofField: slot)
    unsafe buffer.withText(slot) { text in
      // Many records have the same text, and to fold it takes longer than to find it.
      let whole = unsafe text.count <= Self.textLimits.size ? [kind] + text : []
      if !whole.isEmpty, let known = texts[whole] {
        for value in lists[known] { count(value) }
        return
      }
      var list: [Int] = []
      unsafe FieldTexts.forEachValue(text, ValueKind(rawValue: kind) ?? .literal) { element in
        var folded: [UInt8] = []
        unsafe Fold.fold(element, into: &folded)
        guard let value = number(of: folded) else { return }
        if values[value].text == nil {
          values[value].text = unsafe Array(element)
          byteCount += element.count
        }
        count(value)
        if !whole.isEmpty { list.append(value) }
      }
      guard !whole.isEmpty, lists.count < Self.textLimits.count else { return }
      texts[whole] = lists.count
      lists.append(list)
    }
  }

  private func count(_ value: Int) {
    guard values[value].record < recordCount else { return }
    values[value].record = recordCount
    values[value].count += 1
  }

  /// Counts the records of a table that have a value. A count that is too large becomes the greatest Int.
  func add(_ folded: [UInt8], _ count: Int) {
    guard count > 0, let value = number(of: folded) else { return }
    let (sum, isOver) = values[value].count.addingReportingOverflow(count)
    values[value].count = isOver ? .max : sum
  }

  /// Returns the position of a value; nil if it does not count.
  private func number(of folded: [UInt8]) -> Int? {
    if let known = numbers[folded] { return known }
    guard folded.starts(with: start) else { return nil }
    guard values.count < Self.limits.values, byteCount + folded.count <= Self.limits.bytes else {
      isFull = true
      return nil
    }
    byteCount += folded.count
    numbers[folded] = values.count
    values.append(Counted(folded: folded))
    return values.count - 1
  }

  // MARK: Values

  /// Returns the positions of the values of most records, in their order.
  func best(_ limit: Int) -> [Int] {
    let order = values.indices.sorted { one, other in
      values[one].count != values[other].count
        ? values[one].count > values[other].count
        : values[one].folded.lexicographicallyPrecedes(values[other].folded)
    }
    return Array(order.prefix(max(0, limit)))
  }

  /// Returns the text of a value: the one in the first record, or else its fold with commas between its components.
  func text(ofValue value: Int) -> String {
    let (text, folded) = (values[value].text, values[value].folded)
    if let text { return String(decoding: text, as: UTF8.self) }
    let comma: [UInt8] = [0x2c, Fold.space]
    return String(decoding: folded.flatMap { $0 == Fold.separator ? comma : [$0] }, as: UTF8.self)
  }

  /// Forgets the texts of all values.
  func removeTexts() { for value in values.indices { values[value].text = nil } }

  /// Takes the texts of a record for the values that have none yet.
  ///
  /// - Parameters:
  ///   - slots: The record's fields in the buffer.
  ///   - wanted: The positions of values without texts; those with a text are removed.
  func addTexts(_ slots: Range<Int>, of buffer: RecordBuffer, to wanted: inout [Int]) {
    guard !wanted.isEmpty, let slot = slots.first(where: { Int(buffer.rawName(ofField: $0)) == field }) else { return }
    let kind = ValueKind(rawValue: buffer.rawKind(ofField: slot)) ?? .literal
    unsafe buffer.withText(slot) { text in
      unsafe FieldTexts.forEachValue(text, kind) { element in
        var folded: [UInt8] = []
        unsafe Fold.fold(element, into: &folded)
        guard let value = numbers[folded], let place = wanted.firstIndex(of: value) else { return }
        values[value].text = unsafe Array(element)
        wanted.remove(at: place)
      }
    }
  }
}
