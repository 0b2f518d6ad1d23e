import ShardedIndex

/// Chooses the fields of records: those that the key is made from, those that are stored, the one that is the id.
///
/// Records mostly have the same fields one after the other: then the choice of the record before stands.
struct FieldSelection: Sendable {
  private let template: KeyTemplate
  private let keep: [String]?
  private let id: String?
  /// Whether records have folded keys that no field makes.
  private let hasGivenKeys: Bool
  private var roles: [Role] = []  // By field name.
  /// The index in the record of each field of the key, or -1.
  private(set) var slots: [Int]
  /// The stored fields: index in the record, and of the key's part that is made from it, the first, or -1.
  private(set) var kept: [(field: Int, part: Int)] = []
  /// The largest name of a stored field.
  private(set) var largestName: UInt32 = 0
  /// The names of the fields of the last record, and the fault of such a record.
  private var shape: [UInt32] = []
  private var flaw: UnindexableRecord.Flaw? = .noKeyField  // Of no fields.
  /// Whether a key field of these is no text or number: then the next record's may be another thing by the same names.
  private var hasLiteralKey = false
  /// The index in the record of the field that is the id, or -1.
  private var idField = -1
  /// The size of what a header says of the stored fields, in bytes.
  private var keptOverhead = 0

  /// The most that a header says of a field beside its name and its text, in bytes.
  private static let fieldOverhead = 32

  private struct Role {
    var slot: Int  // Among the template's fields, or -1.
    var isKept: Bool
    var nameSize: Int
    var isID: Bool
  }

  /// The sizes of a record's fields, in bytes, and the flaw for which no index can hold it.
  struct Result {
    var flaw: UnindexableRecord.Flaw?
    /// The texts that are stored; those of them that the key is made from; the longest.
    var textSize: Int
    var keyTextSize: Int
    var largestText: Int
    /// The texts with all that a header says of them.
    var stored: Int
  }

  init(template: KeyTemplate, keep: [String]?, id: String?, hasGivenKeys: Bool = false) {
    (self.template, self.keep, self.id, self.hasGivenKeys) = (template, keep, id, hasGivenKeys)
    slots = Array(repeating: -1, count: template.fields.count)
  }

  /// Whether a field is stored when these are named to be.
  static func isKept(_ name: String, keep: [String]?) -> Bool {
    guard let keep else { return true }
    return keep.contains { name == $0 || name.hasPrefix($0 + ".") }
  }

  /// Notes the roles of names that were not there before.
  mutating func learn(_ names: FieldNames) {
    while roles.count < names.names.count {
      let name = names.names[roles.count]
      roles.append(
        Role(
          slot: template.fields.firstIndex(of: name) ?? -1, isKept: Self.isKept(name, keep: keep),
          nameSize: name.utf8.count, isID: name == id))
    }
  }

  /// Looks through a record's fields: notes in ``slots`` those of the key, in ``kept`` those that are stored. Both are
  /// there already if the record before had fields of the same names.
  @inline(__always)
  mutating func select(_ record: RecordFields, _ composer: KeyComposer) -> Result {
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
    return Result(flaw: flaw, textSize: size, keyTextSize: inKey, largestText: largest, stored: size + keptOverhead)
  }

  /// Whether a record's fields have the names of those that were looked through last.
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
    var structure: UnindexableRecord.Flaw?
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
