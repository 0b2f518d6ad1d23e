import ShardedIndex

/// A sum of records' digests. Two lists have the same sum if they hold the same records equally often, in any order.
/// The digests are added as 256-bit numbers, so that different lists never have equal sums by accident.
struct RecordSum {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  private var count = 0

  var isZero: Bool { words == (0, 0, 0, 0) && count == 0 }

  mutating func add(_ record: [UInt8]) {
    count += 1
    add(Self.number(record))
  }

  mutating func add(_ other: RecordSum) {
    count += other.count
    add(other.words)
  }

  mutating func subtract(_ record: [UInt8]) {
    count -= 1
    // In two's complement the negative number is the inverse plus one.
    let number = Self.number(record)
    add((~number.0, ~number.1, ~number.2, ~number.3))
    add((1, 0, 0, 0))
  }

  private mutating func add(_ other: (UInt64, UInt64, UInt64, UInt64)) {
    var carry: UInt64 = 0
    func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
      let (first, overflow) = a.addingReportingOverflow(b)
      let (second, more) = first.addingReportingOverflow(carry)
      carry = overflow || more ? 1 : 0
      return second
    }
    words.0 = sum(words.0, other.0)
    words.1 = sum(words.1, other.1)
    words.2 = sum(words.2, other.2)
    words.3 = sum(words.3, other.3)
  }

  private static func number(_ record: [UInt8]) -> (UInt64, UInt64, UInt64, UInt64) {
    let digest = Digest.sha256(record)
    func word(_ start: Int) -> UInt64 {
      digest[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    return (word(0), word(8), word(16), word(24))
  }

  // MARK: A record's bytes

  // Each text has its size before it, so that no two records have the same bytes.

  static func begin(_ bytes: inout [UInt8], key: Span<UInt8>) {
    bytes.removeAll(keepingCapacity: true)
    append(key.count, to: &bytes)
    bytes.append(copying: key)
  }

  static func append(
    _ name: String.UTF8View, _ kind: UInt8, _ text: some Collection<UInt8>, to bytes: inout [UInt8]
  ) {
    append(name.count, to: &bytes)
    bytes.append(contentsOf: name)
    bytes.append(kind)
    append(text.count, to: &bytes)
    bytes.append(contentsOf: text)
  }

  private static func append(_ size: Int, to bytes: inout [UInt8]) {
    for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: size >> shift)) }
  }

  /// Makes the bytes of a record of the index. The fields of the record are in a buffer.
  static func serialize(
    _ key: Span<UInt8>, _ fields: Range<Int>, of buffer: RecordBuffer, _ schema: Schema, into bytes: inout [UInt8]
  ) {
    begin(&bytes, key: key)
    for number in fields {
      let field = buffer.rawField(number)
      unsafe append(schema.names[field.name].utf8, field.kind.rawValue, field.text, to: &bytes)
    }
  }

  /// Makes the bytes of a record of the dataset.
  ///
  /// - Parameter names: The field names, by the numbers in the record.
  static func serialize(_ record: RecordBlob, _ names: [String], into bytes: inout [UInt8]) {
    unsafe begin(&bytes, key: record.folded.span)
    var offset = record.textsOffset
    for field in 0..<record.fieldCount {
      unsafe append(
        names[Int(record.fieldName(field))].utf8, record.fieldKind(field).rawValue, record.text(field, &offset),
        to: &bytes)
    }
  }
}
