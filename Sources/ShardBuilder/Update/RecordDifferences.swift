/// What records of the same key differ in, those of a dataset and those of an index, summed up by cause.
struct RecordDifferences {
  /// A field as it is compared.
  struct Field {
    var name: UInt32
    var kind: FieldKind
    var hash: UInt64
  }

  /// How many fields of records are held, 16 bytes each: of records behind those no cause is found.
  private static let fieldLimit = 3 << 19
  /// How many records of one key are looked at for the one that is nearest.
  private static let nearLimit = 64

  private struct Record {
    var start: Int32
    var count: Int32
    /// The next one of the key, or -1; -2 where it has found its other.
    var next: Int32
    var isPaired = false
  }

  private var names = NameTable()
  private var fields: [Field] = []
  private var records: [Record] = []
  /// By the hash of its key, the record that came last.
  private var last: [UInt64: Int32] = [:]
  /// By cause, how many records.
  private(set) var causes: [String: Int] = [:]
  /// Causes that are told apart; more are one.
  private static let causeLimit = 64

  mutating func field(_ name: String, _ kind: FieldKind, _ text: UnsafeBufferPointer<UInt8>) -> Field {
    Field(name: UInt32(names.insert(name).number), kind: kind, hash: IDCounter.hash(text))
  }

  /// Takes in a record that the dataset alone has; returns its number, nil where no more are held.
  mutating func add(_ key: UnsafeBufferPointer<UInt8>, _ own: [Field]) -> Int? {
    guard fields.count + own.count <= Self.fieldLimit else { return nil }
    let hash = IDCounter.hash(key)
    records.append(Record(start: Int32(fields.count), count: Int32(own.count), next: last[hash] ?? -1))
    fields += own
    last[hash] = Int32(records.count - 1)
    return records.count - 1
  }

  /// Finds the nearest of those for a record that the index alone has, and notes what they differ in.
  mutating func pair(_ key: UnsafeBufferPointer<UInt8>, _ own: [Field]) -> Int? {
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

  private struct Part {
    var names: [String] = []
    var what: String
    var text: String { names.joined(separator: ", ") + " " + what }
  }

  /// What two records differ in.
  private func parts(of record: Record, _ indexed: [Field]) -> [Part] {
    let own = fields[Int(record.start)..<Int(record.start + record.count)]
    var parts: [Part] = []
    func add(_ name: UInt32, _ what: String) {
      let text = printable(names.names[Int(name)].utf8, limit: 40)
      if let at = parts.firstIndex(where: { $0.what == what }) {
        parts[at].names.append(text)
      } else {
        parts.append(Part(names: [text], what: what))
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
    return parts.isEmpty ? [Part(what: "the order of fields")] : parts
  }

  private static func word(_ kind: FieldKind) -> String {
    switch kind {
    case .string: "text"
    case .number: "numbers"
    case .literal: "other JSON"
    }
  }
}

/// A record as one line of JSON, what is nested by its path.
struct RecordLine {
  private(set) var text = "{"

  mutating func add(_ name: String, _ kind: FieldKind, _ value: UnsafeBufferPointer<UInt8>) {
    if text.utf8.count > 1 { text += "," }
    text += Self.string(name) + ":"
    let value = String(decoding: value, as: UTF8.self)
    text += kind == .string ? Self.string(value) : value
  }

  mutating func finish() -> String {
    text += "}"
    return text
  }

  private static func string(_ text: String) -> String {
    var line = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": line += "\\" + String(Character(scalar))
      case "\n": line += "\\n"
      case "\r": line += "\\r"
      case "\t": line += "\\t"
      case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        line += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line + "\""
  }
}
