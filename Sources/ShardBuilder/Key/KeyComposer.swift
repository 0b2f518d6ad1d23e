import ShardedIndex

/// The composer of a record's key by a template.
struct KeyComposer: Sendable {
  /// The template's parts: a field by its slot; or -1 and a literal by its place in ``literals``.
  private var parts: [(slot: Int, literalStart: Int, literalCount: Int)] = []
  private var literals: [UInt8] = []
  /// The offset of each part in the last written key.
  private var offsets: [Int]
  /// The template's last field, if only a separator stands before it.
  private(set) var lastField: Int?

  init(_ template: KeyTemplate) {
    offsets = Array(repeating: 0, count: template.parts.count)
    for part in template.parts {
      switch part {
      case .literal(let text):
        parts.append((slot: -1, literalStart: literals.count, literalCount: text.count))
        literals += text
      case .field(let slot): parts.append((slot: slot, literalStart: 0, literalCount: 0))
      }
    }
    guard template.parts.count >= 2, case .field(let last) = template.parts[template.parts.count - 1],
      case .literal(let text) = template.parts[template.parts.count - 2]
    else { return }
    // The literal may fold differently beside other texts, so each record is checked as well.
    var folded: [UInt8] = []
    unsafe text.withUnsafeBufferPointer { unsafe Fold.fold($0, into: &folded) }
    if folded == [Fold.separator] { lastField = last }
  }

  /// Returns the first part that is made from the field of a slot; -1 if there is none.
  func firstPart(ofSlot slot: Int) -> Int { parts.firstIndex { $0.slot == slot } ?? -1 }

  /// Returns the offset of a part in the last written key.
  @inline(__always) func offset(ofPart part: Int) -> Int { offsets[part] }

  /// Returns the size of a record's key, in bytes.
  ///
  /// - Parameter slots: For each field of the template its index in the record, or -1.
  @inline(__always) func count(_ record: RecordFields, _ slots: [Int]) -> Int {
    var count = 0
    for part in parts {
      let field = part.slot < 0 ? -1 : slots[part.slot]
      count += part.slot < 0 ? part.literalCount : field < 0 ? 0 : Int(record[field].length)
    }
    return count
  }

  /// Writes a record's key to `offset`, and notes the offsets of its parts.
  @inline(__always)
  mutating func write(_ record: RecordFields, _ slots: [Int], to blob: BlobWriter, at offset: Int) {
    var size = 0
    for number in parts.indices {
      let part = parts[number]
      offsets[number] = size
      if part.slot < 0 {
        unsafe literals.withUnsafeBytes {
          unsafe (blob.start + offset + size).copyMemory(
            from: $0.baseAddress! + part.literalStart, byteCount: part.literalCount)
        }
        size += part.literalCount
      } else {
        unsafe size += blob.copy(record.text(slots[part.slot]), to: offset + size, endOfSource: record.bytes)
      }
    }
  }
}
