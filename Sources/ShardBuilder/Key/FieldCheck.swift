import ShardedIndex

/// The fields that a build's settings name, for a check against the fields of the inputs.
package struct FieldCheck {
  private var wanted: [(name: String, setting: BuildSetting)] = []

  package init() {}

  /// Adds a field that a setting names.
  package mutating func add(_ name: String, _ setting: BuildSetting) { wanted.append((name, setting)) }

  /// Adds the fields of a key template.
  package mutating func add(_ template: KeyTemplate, _ setting: BuildSetting) {
    for field in template.fields { add(field, setting) }
  }

  /// Checks the settings' fields against the fields of inputs: of one file with a header, or of all records if their
  /// fields differ.
  ///
  /// - Throws: ``BuildError/unknownField(_:setting:inputs:fields:)`` for the first missing field.
  package func check(_ fields: [String], of inputs: [String]) throws(BuildError) {
    var known = NameTable()
    for field in fields { _ = known.insert(field) }
    for (name, setting) in wanted where !known.contains(name) {
      // For nested fields the name of their outer field is enough.
      if setting == .keep, fields.contains(where: { RecordEncoder.isKept($0, keep: [name]) }) { continue }
      throw .unknownField(name, setting: setting, inputs: inputs, fields: fields)
    }
  }
}

extension FieldCheck {
  /// Checks the columns of a file of ids, whose first line may be an id.
  func check(ids columns: [String], of input: String) throws(BuildError) {
    do throws(BuildError) {
      try check(columns, of: [input])
    } catch {
      guard case .unknownField(let name, _, _, _) = error, columns.count == 1 else { throw error }
      throw .dataset(
        .options, message: "\(error.message); if the first line is an id, \(pass: .columns, .text(name))")
    }
  }
}

extension DatasetReader {
  /// Returns the message on an input without a record.
  func emptiness(_ path: String, hasHeader: Bool) -> String {
    let names = names.names
    guard hasHeader, format == .csv || format == .tsv else {
      return displayed(path: path) + ": the input has no record"
    }
    return displayed(path: path) + ": the input has no record after the header "
      + names.prefix(8).map(quoted).joined(separator: ", ")
      + (names.count > 8 ? " and \(grouped(names.count - 8)) more" : "")
  }

  /// Reads the next batch. In a format with columns, the function checks the names of the columns as soon as it knows
  /// them: also without records, and before an error of a record. It gets the names and the first records.
  ///
  /// - Parameter isChecked: Whether the names are checked already; false at first.
  func read(
    into batch: inout RecordBatch, isChecked: inout Bool, makeRoom: (Int) -> Void = { _ in },
    _ check: ([String], RecordBatch) throws(BuildError) -> Void
  ) throws(BuildError) -> Bool {
    func checkOnce(_ batch: RecordBatch) throws(BuildError) {
      guard !isChecked, format.hasColumns, !names.names.isEmpty else { return }
      isChecked = true
      try check(names.names, batch)
    }
    let isMore: Bool
    do throws(DatasetError) {
      isMore = try read(into: &batch, makeRoom: makeRoom)
    } catch {
      try checkOnce(batch)
      throw BuildError(error)
    }
    try checkOnce(batch)
    return isMore
  }
}
