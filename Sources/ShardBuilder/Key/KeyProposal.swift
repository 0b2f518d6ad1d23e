/// The field that people would type, by the names of fields, then by their values.
enum KeyProposal {
  /// Returns the field to propose: a field with a name's name, else with a name's values; nil if there are no fields.
  ///
  /// - Parameter values: The fields by their values; empty if there are none.
  static func field(of fields: [String], _ values: [FieldValues] = []) -> String? {
    func isText(_ field: String) -> Bool { values.first { $0.field == field }?.areTexts ?? true }
    if let named = ColumnNames.candidates(fields).first(where: isText) { return named }
    let best = values.map(\.likelihood).max() ?? 0
    // Fields of about one likelihood come in the dataset's order.
    if best > 0, let first = values.first(where: { $0.likelihood >= 0.8 * best }) { return first.field }
    if ColumnNames.candidates(fields).isEmpty, let number = values.first(where: \.areDistinct) { return number.field }
    return ColumnNames.candidates(fields).first ?? fields.first { !ColumnNames.isCode($0) }
      ?? fields.first
  }
}
