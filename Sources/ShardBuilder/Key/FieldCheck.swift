import ShardedIndex

/// The fields that a build's settings name, to be compared with those that are there.
package struct FieldCheck {
  private var wanted: [(name: String, setting: BuildSetting)] = []

  package init() {}

  /// Adds a field that a setting names.
  package mutating func add(_ name: String, _ setting: BuildSetting) { wanted.append((name, setting)) }

  /// Adds the fields of a key template.
  package mutating func add(_ template: KeyTemplate, _ setting: BuildSetting) {
    for field in template.fields { add(field, setting) }
  }

  /// Compares with the fields of inputs: of one file that says them in a header, or of all records where records
  /// differ.
  ///
  /// - Throws: ``BuildError/unknownField(_:setting:inputs:fields:)`` for the first that is not there.
  package func check(_ fields: [String], of inputs: [String]) throws(BuildError) {
    var known = NameTable()
    for field in fields { _ = known.insert(field) }
    for (name, setting) in wanted where !known.contains(name) {
      // Of nested fields it is enough to name what they are in.
      if setting == .keep, fields.contains(where: { RecordEncoder.isKept($0, keep: [name]) }) { continue }
      throw .unknownField(name, setting: setting, inputs: inputs, fields: fields)
    }
  }
}

extension DatasetFormat {
  /// Whether a file says which fields all its records have, before the first.
  var hasColumns: Bool { !isJSON }
}

extension DatasetReader {
  /// Returns the message on an input without a record.
  func emptiness(_ path: String, hasHeader: Bool) -> String {
    let names = names.names
    guard hasHeader, format == .csv || format == .tsv else {
      return displayed(path: path) + ": there is no record in it"
    }
    return displayed(path: path) + ": no record follows the header "
      + names.prefix(8).map(quoted).joined(separator: ", ")
      + (names.count > 8 ? " and \(grouped(names.count - 8)) more" : "")
  }

  /// Reads on. The names of the columns, in a format that has some, are checked as soon as they are known: records or
  /// none, and before a record that does not fit them.
  ///
  /// - Parameter isChecked: Whether that was done; false at first.
  func read(
    into batch: inout RecordBatch, isChecked: inout Bool, makeRoom: (Int) -> Void = { _ in },
    _ check: ([String]) throws(BuildError) -> Void
  ) throws(BuildError) -> Bool {
    func checkOnce() throws(BuildError) {
      guard !isChecked, format.hasColumns, !names.names.isEmpty else { return }
      isChecked = true
      try check(names.names)
    }
    let isMore: Bool
    do throws(DatasetError) {
      isMore = try read(into: &batch, makeRoom: makeRoom)
    } catch {
      try checkOnce()
      throw BuildError(error)
    }
    try checkOnce()
    return isMore
  }
}
