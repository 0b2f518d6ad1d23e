import ShardedIndex

/// The fields whose numbers an index has, by their numbers in records. Source: docs/format.md section 3.15.
struct NumberFields: Sendable {
  /// The number of each field; nil for a field that no record has.
  private let fields: [Int?]

  /// - Parameters:
  ///   - settings: The settings of the index.
  ///   - names: Field names by the numbers that the records use.
  /// - Returns: nil if the index has no numbers.
  init?(_ settings: IndexSettings, names: [String]) {
    guard !settings.number.isEmpty else { return nil }
    fields = settings.number.map { names.firstIndex(of: $0) }
  }

  /// The columns of the numbers: for each field the greatest codes, and the greatest negated codes.
  private func columns(_ numbers: [[RecordNumbers]]) -> [[UInt64]] {
    numbers.flatMap { field in [field.map(\.greatest), field.map(\.negatedLeast)] }
  }

  /// Returns the columns of a piece's records, with a value for each part.
  func columns(of piece: Piece, parts: [Range<Int>]) -> [[UInt64]] {
    columns(
      fields.map { field in
        parts.map { part in
          var numbers = RecordNumbers()
          for record in part {
            unsafe piece.record(record).withField(field) { text, kind in
              unsafe RecordNumbers.forEach(text, kind) { numbers.add($0) }
            }
          }
          return numbers
        }
      })
  }

  /// A collector of the columns of a shard of an index.
  struct Reader {
    private let fields: NumberFields
    private var parts: [[RecordNumbers]]
    private let buffer = RecordBuffer()

    init(_ fields: NumberFields) {
      self.fields = fields
      parts = fields.fields.map { _ in [] }
    }

    /// Adds the next part of the shard.
    mutating func add(_ part: PartContent) {
      for (index, field) in fields.fields.enumerated() {
        var numbers = RecordNumbers()
        if let field {
          unsafe part.forEachField(field, with: buffer) { _, value, format in
            unsafe format.withText(of: value) { text in unsafe RecordNumbers.forEach(text, .number) { numbers.add($0) }
            }
          } text: { _, text, kind in
            unsafe RecordNumbers.forEach(text, kind) { numbers.add($0) }
          }
        }
        parts[index].append(numbers)
      }
    }

    func finish() -> [[UInt64]] { fields.columns(parts) }
  }
}
