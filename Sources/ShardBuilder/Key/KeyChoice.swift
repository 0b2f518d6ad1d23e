import ShardedIndex

/// The choice of a key for a dataset whose build names none.
struct KeyChoice {
  let reader: DatasetReader
  /// The fields of the first records.
  let fields: [String]
  /// The first records; empty if the first record is bad.
  let batch: RecordBatch

  private var path: String { displayed(path: reader.path) }

  /// Returns the key's template, and a note about the choice.
  ///
  /// - Throws: ``BuildError`` with a proposal, if the fields leave the choice open.
  func make() throws(BuildError) -> (template: String, note: BuildMessage?) {
    if reader.format == .geonames { return ("{name}, {country code}", nil) }
    if fields.contains("name"), fields.contains("country") { return ("{name}, {country}", nil) }
    if fields.count == 1, !fields[0].contains("}") { return ("{" + fields[0] + "}", try noteOnOneField()) }
    if ColumnNames.candidates(fields) == ["name"] { return ("{name}", "the key is {name}; \(.key) names another") }
    if let advice = headerAdvice ?? recordAdvice ?? entriesAdvice {
      throw .dataset(.options, message: "\(path): \(advice)")
    }
    throw .noTemplate(
      fields: fields, proposal: proposal,
      isHeader: reader.hasHeader, mayBeLines: reader.mayBeLines)
  }

  /// The advice on a header that looks like a comment. A name of a field may begin with #, but hardly with a blank.
  private var headerAdvice: BuildMessage? {
    guard reader.hasHeader, let sign = reader.headerComment, sign == "//" || fields[0].hasPrefix("# ") else {
      return nil
    }
    return """
      the first line begins with \(sign), as comments do; \(pass: .comment, .text(sign)) if such lines are not \
      records, or name a field of the line with \(.key)
      """
  }

  /// The advice on a first line that looks like a record: it has a number, or digits where the records have them.
  private var recordAdvice: BuildMessage? {
    guard reader.hasHeader, ColumnNames.candidates(fields).isEmpty, fields.count <= BuildError.shownFields else {
      return nil
    }
    var values = Array(repeating: [ArraySlice<UInt8>](), count: fields.count)
    let end = batch.recordEnds.prefix(300).last.map { Int($0) } ?? 0
    for field in batch.fields[..<end] { values[Int(field.name)].append(text(of: field)) }
    guard zip(fields, values).contains(where: Self.isValue) else { return nil }
    // If the first line is a record, its fields are values too.
    guard let proposal = end == 0 ? KeyProposal.field(of: fields, FieldValues.of(fields)) : proposal else { return nil }
    let columns = fields.enumerated().map { $1 == proposal ? DatasetFormat.textField : "column\($0 + 1)" }
    return """
      the first line looks like a record; \(pass: .columns, .text(columns.joined(separator: ","))) if it is one, or, \
      if it names the fields, give the text that people type with \(.key, .text("{" + proposal + "}"))
      """
  }

  /// Returns whether a field of the first line is likelier a value than a name.
  private static func isValue(_ field: String, _ values: [ArraySlice<UInt8>]) -> Bool {
    // Tables with a column for each year are common.
    if let year = Int(field), (1500...2199).contains(year) { return false }
    let plain = field.replacing("\\", with: "")
    if plain.utf8.contains(where: isDigit) {
      return areLike(plain, values) || values.isEmpty && !plain.unicodeScalars.contains { $0.properties.isAlphabetic }
    }
    // Abbreviations end in a dot.
    return plain.hasSuffix(".") && 5 * values.count { $0.last == UInt8(ascii: ".") } > 4 * values.count
  }

  private var proposal: String? { KeyProposal.field(of: fields, FieldValues.first(of: batch, fields)) }

  private func text(of field: FieldSlice) -> ArraySlice<UInt8> {
    batch.bytes[Int(field.offset)...].prefix(Int(field.length))
  }

  /// The advice on one object that is the only record, and whose members are likelier records.
  private var entriesAdvice: BuildMessage? {
    // One line of JSON lines is a record, unless only the content shows that the dataset is JSON.
    guard reader.layout == .sequence || (reader.layout == .lines && reader.isGuessed), batch.recordEnds.count == 1,
      fields.count > 1, ColumnNames.candidates(fields).isEmpty
    else { return nil }
    let kinds = Set(batch.fields.map(\.kind))
    guard kinds == [.string] || kinds == [.number] else { return nil }
    let line = JSONEntries.valuesLine(path: reader.path)
    return """
      is one object of \(kinds == [.string] ? "texts" : "numbers"); make each member a record\
      \(command: ": \(line)", library: ""), or name a field of the object with \(.key)
      """
  }

  // MARK: One field

  /// Returns the note about a first line that is taken for the name of the only column.
  ///
  /// - Throws: ``BuildError`` if the line is likelier a record.
  private func noteOnOneField() throws(BuildError) -> BuildMessage? {
    guard reader.hasHeader, ColumnNames.candidates(fields).isEmpty else { return nil }
    if let advice = headerAdvice { throw .dataset(.options, message: "\(path): \(advice)") }
    if let reason = reasonForRecord {
      throw .dataset(
        .options,
        message: """
          \(path): the first line, \(quoted(fields[0])), \(reason); \(pass: .columns, .text(DatasetFormat.textField)) \
          if it is a record, or \(.key, .text("{" + fields[0] + "}")) if it is the column's name
          """)
    }
    return """
      \(path): \(quoted(fields[0])) is the column's name; if it is a record, name the column with \(.columns)
      """
  }

  /// The reason why the first line is likelier a record than a column's name; nil if it is not.
  private var reasonForRecord: String? {
    let values = batch.fields.prefix(2000).map(text)
    if values.contains(where: { $0.elementsEqual(fields[0].utf8) }) { return "stands again among the records" }
    return Self.areLike(fields[0], values) ? "looks like the records" : nil
  }

  /// Returns whether a text has an @, a dot or the pattern of digits that most of the values have.
  private static func areLike(_ text: String, _ values: [ArraySlice<UInt8>]) -> Bool {
    func isMost(_ isLike: (ArraySlice<UInt8>) -> Bool) -> Bool {
      !values.isEmpty && 5 * values.count(where: isLike) >= 4 * values.count
    }
    let text = Array(text.utf8)[...]
    let hasLetter = { (text: ArraySlice<UInt8>) in text.contains { $0 >= 0x80 || (0x61...0x7A).contains($0 | 0x20) } }
    return [UInt8(ascii: "@"), UInt8(ascii: ".")].contains { sign in
      text.contains(sign) && hasLetter(text) && isMost { $0.contains(sign) && hasLetter($0) }
    } || (text.contains(where: isDigit) && isMost { shape($0) == shape(text) })
  }

  /// Returns a text with 0 for each run of digits and a for each run of other letters.
  private static func shape(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var shape: [UInt8] = []
    for byte in text.prefix(80) {
      let kind: UInt8 =
        isDigit(byte) ? 0x30 : byte >= 0x80 || (0x61...0x7A).contains(byte | 0x20) ? 0x61 : byte
      if shape.last != kind { shape.append(kind) }
    }
    return shape
  }
}
