import ShardedIndex

/// The values and cells of the records that some entries lead to. Source: docs/format.md section 3.13.
struct EntryValues {
  /// For each filter the number of its field; nil if no record has the field.
  private let filters: [UInt32?]
  /// The finder of the places of records; nil if the index has no cells.
  private let places: CellFinder?
  /// For each filter its values.
  private var values: [Values]
  private var cells: Set<Int> = []

  /// The values of one filter.
  fileprivate struct Values {
    var texts: Set<[UInt8]> = []
    /// The size of the texts, in bytes.
    var size = 0
    /// Whether there are more values than a table holds.
    var isOver = false
    /// The text and the kind of the previous record: neighbours often have the same ones.
    var last: (text: [UInt8], kind: ValueKind)?
  }

  /// - Parameter names: The names of the records' fields, by number.
  init(_ rules: EntryRules, names: [String]) {
    filters = rules.filter.map { name in names.firstIndex(of: name).map { UInt32($0) } }
    places = rules.near ? CellFinder(names: names, rules.coordinates) : nil
    values = filters.map { _ in Values() }
  }

  /// Takes a record.
  mutating func add(_ record: RecordBlob) {
    for (index, name) in filters.enumerated() where !values[index].isOver {
      guard let name else { continue }
      unsafe record.withField(Int(name)) { unsafe values[index].add($0, $1) }
    }
    if let place = places?.place(of: record) { cells.insert(place.cell) }
  }

  /// Calls `body` with the number, the kind and the text of each field that the entries get after their weight; then
  /// forgets the records.
  mutating func finish(_ body: (Int, FieldKind, [UInt8]) -> Void) {
    for index in values.indices {
      if let (kind, text) = values[index].field { body(index, kind, text) }
      values[index] = Values()
    }
    guard let cell = cells.first else { return }
    if cells.count == 1 {
      body(filters.count, .number, Array(String(cell).utf8))
    } else {
      body(filters.count, .literal, Array("[\(cells.sorted().map { String($0) }.joined(separator: ","))]".utf8))
    }
    cells.removeAll()
  }
}

extension EntryValues.Values {
  mutating func add(_ text: UnsafeBufferPointer<UInt8>, _ kind: ValueKind) {
    if let last, last.kind == kind, unsafe text.elementsEqual(last.text) { return }
    last = unsafe (Array(text), kind)
    unsafe FieldTexts.forEachValue(text, kind) { element in
      var folded: [UInt8] = []
      unsafe Fold.fold(element, into: &folded)
      if texts.insert(folded).inserted { size += folded.count }
    }
    guard texts.count > SideTable.valueLimit || size > SideTable.byteLimit else { return }
    isOver = true
    texts.removeAll()
  }

  /// The field that an entry gets; nil without a value.
  var field: (FieldKind, [UInt8])? {
    if isOver { return (.literal, Array("true".utf8)) }
    if texts.count < 2 { return texts.first.map { (.string, $0) } }
    var array: [UInt8] = []
    for text in texts.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      array.append(UInt8(ascii: array.isEmpty ? "[" : ","))
      array.append(UInt8(ascii: "\""))
      for byte in text {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): array += [UInt8(ascii: "\\"), byte]
        case 0..<0x20:
          array += Array("\\u00".utf8) + [byte >> 4, byte & 0xf].map { Array("0123456789abcdef".utf8)[Int($0)] }
        default: array.append(byte)
        }
      }
      array.append(UInt8(ascii: "\""))
    }
    return (.literal, array + [UInt8(ascii: "]")])
  }
}
