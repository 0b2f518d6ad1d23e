/// Tells a table from a list of texts with commas in them, for a dataset whose name shows no format.
struct TableGuess {
  private let lines: [ArraySlice<UInt8>]
  private let sniffer: DelimiterSniffer
  /// The fields that settings name.
  private let fields: Set<String>

  private static let comma = UInt8(ascii: ",")

  /// - Parameters:
  ///   - text: The beginning of the dataset.
  ///   - fields: The fields that settings name.
  init(_ text: [UInt8], _ sniffer: DelimiterSniffer, comment: String?, fields: Set<String>) {
    let comment = Array((comment ?? "").utf8)
    let all = text.prefix(DelimiterSniffer.sampleLimit).split(separator: 0x0A).map {
      $0.last == 0x0D ? $0.dropLast() : $0
    }
    lines = all.filter { !$0.isEmpty && (comment.isEmpty || !$0.starts(with: comment)) }
    (self.sniffer, self.fields) = (sniffer, fields)
  }

  /// The first line that is no comment.
  var firstLine: ArraySlice<UInt8> { lines.first ?? [] }

  /// Whether the commas divide fields. A list of texts has commas in some lines only, or a blank after each comma, and
  /// its first line looks like the others.
  var isTable: Bool {
    guard let first = lines.first, lines.count > 1, first.first != UInt8(ascii: "\"") else { return true }
    // A setting that names a field needs a table; only the field of lines has a name too.
    guard fields.isSubset(of: [DatasetFormat.textField]) else { return true }
    let names = first.split(separator: Self.comma, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    if names.contains(where: fields.contains) { return true }
    let share = sniffer.share(of: Self.comma)
    let isHeader = !ColumnNames.candidates(names).isEmpty || names.contains(where: ColumnNames.isColumn)
    if share >= 0.5, isHeader || hasNumbersBelow(names) { return true }
    if share == 1 { return !hasBlanksAfterCommas }
    return share >= 0.8 && names.allSatisfy(Self.isIdentifier)
  }

  /// Whether a column has numbers in nearly all lines but the first.
  private func hasNumbersBelow(_ names: [String]) -> Bool {
    var (numbers, filled) = (Array(repeating: 0, count: names.count), Array(repeating: 0, count: names.count))
    for line in lines.dropFirst() {
      for (column, cell) in line.split(separator: Self.comma, omittingEmptySubsequences: false).enumerated()
      where column < names.count && !cell.isEmpty {
        filled[column] += 1
        if cell.allSatisfy({ isDigit($0) || " .-+:/".utf8.contains($0) }) { numbers[column] += 1 }
      }
    }
    return names.indices.contains { column in
      filled[column] > 0 && 10 * numbers[column] >= 9 * filled[column] && !names[column].utf8.contains(where: isDigit)
    }
  }

  private var hasBlanksAfterCommas: Bool {
    lines.allSatisfy { line in
      line.indices.allSatisfy { line[$0] != Self.comma || line.dropFirst($0 - line.startIndex + 1).first == 0x20 }
    }
  }

  /// Returns whether a text could be the name of a column: a few letters and digits, without a blank before them.
  private static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.utf8.first, first != 0x20, name.utf8.count <= 40 else { return false }
    return name.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || "0123456789_- ".unicodeScalars.contains($0) }
      && name.utf8.count { $0 == 0x20 } < 3
  }

  /// The sign that begins the first line as a comment, if lines without it follow: `//`, or `#` before a blank.
  var commentSign: String? {
    guard let first = lines.first else { return nil }
    let sign: String
    if first.starts(with: "//".utf8) {
      sign = "//"
    } else if first.first == UInt8(ascii: "#"), first.count == 1 || " \t#!".utf8.contains(first[first.startIndex + 1]) {
      sign = "#"
    } else {
      return nil
    }
    return lines.contains { !$0.starts(with: sign.utf8) } ? sign : nil
  }
}
