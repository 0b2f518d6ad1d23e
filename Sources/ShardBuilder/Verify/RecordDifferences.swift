import ShardedIndex

/// The causes of differences between records of the same key, in a dataset and in an index.
struct RecordDifferences {
  /// A field in the form of the comparison.
  struct ComparedField {
    var name: UInt32
    var kind: FieldKind
    var hash: UInt64
  }

  /// The most fields in memory, 16 bytes each. Records beyond them get no cause.
  private static let fieldLimit = 3 << 19
  /// The most records of one key that the search for the nearest record compares.
  private static let nearLimit = 64

  private struct ComparedRecord {
    var start: Int32
    var count: Int32
    /// The next record of the key, or -1.
    var next: Int32
    var isPaired = false
  }

  private var names = NameTable()
  private var fields: [ComparedField] = []
  private var records: [ComparedRecord] = []
  /// The last record of each key, by the key's hash.
  private var last: [UInt64: Int32] = [:]
  /// For each cause the number of records.
  private(set) var causes: [String: Int] = [:]
  /// The most separate causes; one sum counts all further causes.
  private static let causeLimit = 64

  mutating func field(_ name: String, _ kind: FieldKind, _ text: Span<UInt8>) -> ComparedField {
    ComparedField(name: UInt32(names.insert(name).number), kind: kind, hash: IDCounter.hash(text))
  }

  /// Adds a record that only the dataset has. Returns its number, or nil if memory holds no more records.
  mutating func add(_ key: Span<UInt8>, _ own: [ComparedField]) -> Int? {
    guard fields.count + own.count <= Self.fieldLimit else { return nil }
    let hash = IDCounter.hash(key)
    records.append(ComparedRecord(start: Int32(fields.count), count: Int32(own.count), next: last[hash] ?? -1))
    fields += own
    last[hash] = Int32(records.count - 1)
    return records.count - 1
  }

  /// Finds the nearest added record to a record that only the index has, and notes the differences of both.
  mutating func pair(_ key: Span<UInt8>, _ own: [ComparedField]) -> Int? {
    var best: (number: Int, distance: Int)?
    var number = last[IDCounter.hash(key)] ?? -1
    var seen = 0
    while number >= 0, seen < Self.nearLimit {
      let record = records[Int(number)]
      if !record.isPaired {
        seen += 1
        let distance = parts(of: record, own).reduce(0) { $0 + $1.names.count }
        if distance < best?.distance ?? .max { best = (Int(number), distance) }
      }
      number = record.next
    }
    guard let best else { return nil }
    records[best.number].isPaired = true
    let cause = parts(of: records[best.number], own).map(\.text).joined(separator: "; ")
    causes[causes.count < Self.causeLimit || causes[cause] != nil ? cause : "other fields", default: 0] += 1
    return best.number
  }

  private struct Difference {
    var names: [String] = []
    var what: String
    var text: String { names.joined(separator: ", ") + " " + what }
  }

  /// Returns the differences of two records.
  private func parts(of record: ComparedRecord, _ indexed: [ComparedField]) -> [Difference] {
    let own = fields[Int(record.start)..<Int(record.start + record.count)]
    var parts: [Difference] = []
    func add(_ name: UInt32, _ what: String) {
      let text = printable(names.names[Int(name)].utf8, limit: 40)
      if let at = parts.firstIndex(where: { $0.what == what }) {
        parts[at].names.append(text)
      } else {
        parts.append(Difference(names: [text], what: what))
      }
    }
    for field in own {
      guard let other = indexed.first(where: { $0.name == field.name }) else {
        add(field.name, "in the dataset alone")
        continue
      }
      if field.hash != other.hash {
        add(field.name, "of other texts")
      } else if field.kind != other.kind {
        add(field.name, "\(Self.word(field.kind)) in the dataset and \(Self.word(other.kind)) in the index")
      }
    }
    for other in indexed where !own.contains(where: { $0.name == other.name }) { add(other.name, "in the index alone") }
    return parts.isEmpty ? [Difference(what: "the order of fields")] : parts
  }

  private static func word(_ kind: FieldKind) -> String {
    switch kind {
    case .string: "text"
    case .number: "numbers"
    case .literal: "other JSON"
    }
  }
}
