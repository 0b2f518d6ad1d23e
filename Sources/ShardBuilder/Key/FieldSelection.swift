import ShardedIndex

/// The choice of a record's fields: the fields of the key, the stored fields, and the id.
///
/// Neighbouring records mostly have the same fields; then the choice of the previous record stays.
struct FieldSelection: Sendable {
  private let template: KeyTemplate
  private let keep: [String]?
  private let id: String?
  /// Whether the folded keys of records are given, and do not come from fields.
  private let hasGivenKeys: Bool
  private var roles: [Role] = []  // By field name.
  /// The index in the record of each field of the key, or -1.
  private(set) var slots: [Int]
  /// For each stored field its index in the record, and the first part of the key that is made from it, or -1.
  private(set) var kept: [(field: Int, part: Int)] = []
  /// The largest name of a stored field.
  private(set) var largestName: UInt32 = 0
  /// The names of the fields of the last record, and the fault of a record with these names.
  private var shape: [UInt32] = []
  private var flaw: UnindexableRecord.RecordFlaw? = .noKeyField  // For a record without fields.
  /// Whether a key field of the last record is neither a text nor a number. Then the next record may have another kind
  /// under the same names.
  private var hasLiteralKey = false
  /// The index of the id field in the record, or -1.
  private var idField = -1
  /// The size of the stored fields' share of the header, in bytes.
  private var keptOverhead = 0

  /// The most bytes of a field in the header, besides its name and its text.
  private static let fieldOverhead = 32

  private struct Role {
    var slot: Int  // The index among the template's fields, or -1.
    var isKept: Bool
    var nameSize: Int
    var isID: Bool
  }

  /// The sizes of a record's fields in bytes, and the flaw that keeps the record out of any index.
  struct FieldSizes {
    var flaw: UnindexableRecord.RecordFlaw?
    /// The size of the stored texts; of those that the key is made from; of the longest text.
    var textSize: Int
    var keyTextSize: Int
    var largestText: Int
    /// The size of the texts with their share of the header.
    var stored: Int
  }

  init(template: KeyTemplate, keep: [String]?, id: String?, hasGivenKeys: Bool = false) {
    (self.template, self.keep, self.id, self.hasGivenKeys) = (template, keep, id, hasGivenKeys)
    slots = Array(repeating: -1, count: template.fields.count)
  }

  /// Returns whether a field is stored if the fields of `keep` are.
  static func isKept(_ name: String, keep: [String]?) -> Bool {
    guard let keep else { return true }
    return keep.contains { name == $0 || name.hasPrefix($0 + ".") }
  }

  /// Notes the roles of new names.
  mutating func learn(_ names: FieldNames) {
    while roles.count < names.names.count {
      let name = names.names[roles.count]
      roles.append(
        Role(
          slot: template.fields.firstIndex(of: name) ?? -1, isKept: Self.isKept(name, keep: keep),
          nameSize: name.utf8.count, isID: name == id))
    }
  }

  /// Finds the fields of the key and the stored fields of a record, and notes them in ``slots`` and ``kept``. If the
  /// previous record had fields of the same names, both are right already.
  @inline(__always)
  mutating func select(_ record: RecordFields, _ composer: KeyComposer) -> FieldSizes {
    if hasLiteralKey || !hasShape(record) || slots.contains(where: { $0 >= 0 && record[$0].kind == .literal }) {
      lookThrough(record, composer)
    }
    var flaw = flaw
    if flaw == nil, idField >= 0, unsafe !RecordID.isOne(record.text(idField), record[idField].kind) { flaw = .noID }
    var (size, inKey, largest) = (0, 0, 0)
    for (index, part) in kept {
      let length = Int(record[index].length)
      size += length
      if part >= 0 { inKey += length }
      largest = max(largest, length)
    }
    return FieldSizes(flaw: flaw, textSize: size, keyTextSize: inKey, largestText: largest, stored: size + keptOverhead)
  }

  /// Returns whether a record's fields have the same names as those of the last record.
  @inline(__always) private func hasShape(_ record: RecordFields) -> Bool {
    unsafe shape.withUnsafeBufferPointer { names in
      guard record.count == names.count else { return false }
      for index in 0..<names.count where unsafe record[index].name != names[index] { return false }
      return true
    }
  }

  private mutating func lookThrough(_ record: RecordFields, _ composer: KeyComposer) {
    for index in slots.indices { slots[index] = -1 }
    kept.removeAll(keepingCapacity: true)
    shape.removeAll(keepingCapacity: true)
    var hasKey = false
    var structure: UnindexableRecord.RecordFlaw?
    (keptOverhead, largestName, hasLiteralKey, idField) = (0, 0, false, -1)
    for index in 0..<record.count {
      let field = record[index]
      shape.append(field.name)
      let role = roles[Int(field.name)]
      var isInKey = role.slot >= 0 && slots[role.slot] < 0
      if isInKey, field.kind == .literal {
        hasLiteralKey = true
        let first = unsafe record.text(index).first
        if first == UInt8(ascii: "n") { isInKey = false }
        if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") {
          structure = .structuredKeyField(template.fields[role.slot], isArray: first == UInt8(ascii: "["))
        }
      }
      if isInKey {
        slots[role.slot] = index
        hasKey = true
      }
      if role.isID, idField < 0 { idField = index }
      if role.isKept {
        kept.append((index, isInKey ? composer.firstPart(ofSlot: role.slot) : -1))
        keptOverhead += role.nameSize + Self.fieldOverhead
        largestName = max(largestName, field.name)
      }
    }
    flaw =
      if !hasKey, !hasGivenKeys {
        .noKeyField
      } else if let structure {
        structure
      } else if id != nil, idField < 0 {
        .noID
      } else if kept.count > ShardHeader.columnLimit {
        .tooManyFields(kept.count)
      } else {
        nil
      }
  }
}

extension IndexSettings {
  /// Chooses the fields with coordinates among the fields of the records, unless an option named them.
  mutating func chooseCoordinates(among names: [String]) {
    coordinates = coordinates ?? CoordinateProposal.fields(of: names.filter { FieldSelection.isKept($0, keep: keep) })
  }
}
