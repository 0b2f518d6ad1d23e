import ShardedIndex

/// The rewriting of numbers with a decimal comma or with signs between thousands, in the fields that a build reads as
/// numbers: `1.299,50` becomes `1299.50`.
package struct NumberNotation: Sendable {
  private static let (point, comma) = (UInt8(ascii: "."), UInt8(ascii: ","))

  /// How a field's numbers are written.
  private enum Form {
    /// A weight, in which signs may stand between thousands.
    case grouped
    /// A coordinate.
    case plain
  }

  private let decimal: UInt8
  /// The signs between thousands: a comma or a point, blanks of four widths, apostrophes.
  private let marks: [[UInt8]]
  private let weight: String?
  private let coordinates: [String]
  /// The form of each field, by the number of its name; nil for a field that is not read as a number.
  private var forms: [Form?] = []

  /// - Parameters:
  ///   - decimal: The sign before decimals, see ``DatasetDialect/decimal``.
  ///   - weight: The field of the weights.
  ///   - coordinates: Fields of coordinates, besides those whose names are names of coordinates.
  /// - Returns: nil if the dataset has plain numbers.
  init?(decimal: UInt8?, weight: String?, coordinates: [String]?) {
    guard let decimal else { return nil }
    let other = decimal == Self.comma ? Self.point : Self.comma
    marks = [[other]] + [" ", "\u{a0}", "\u{2009}", "\u{202f}", "'", "\u{2019}"].map { Array($0.utf8) }
    (self.decimal, self.weight, self.coordinates) = (decimal, weight, coordinates ?? [])
  }

  init?(_ options: BuildOptions) {
    self.init(decimal: options.dialect.decimal, weight: options.weight, coordinates: options.coordinates)
  }

  /// Rewrites the numbers of a batch.
  mutating func rewrite(_ batch: inout RecordBatch, names: FieldNames) {
    while forms.count < names.names.count {
      let name = names.names[forms.count]
      let isCoordinate = coordinates.contains(name) || CoordinateProposal.isCandidate(name)
      forms.append(name == weight ? .grouped : isCoordinate ? .plain : nil)
    }
    for index in batch.fields.indices {
      let field = batch.fields[index]
      guard field.kind == .string, let form = forms[Int(field.name)] else { continue }
      let range = Int(field.offset)..<Int(field.offset + field.length)
      guard let number = plain(batch.bytes[range], isGrouped: form == .grouped) else { continue }
      // A plain number is never longer than the text.
      batch.bytes.replaceSubrange(range.prefix(number.count), with: number)
      batch.fields[index].length = UInt32(number.count)
    }
  }

  /// Returns the sign before decimals with which a text is a number; nil if no sign makes it one.
  static func decimal(of text: String) -> UInt8? {
    let bytes = Array(text.utf8)
    return [point, comma].first { decimal in
      NumberNotation(decimal: decimal, weight: nil, coordinates: nil)?.plain(bytes[...], isGrouped: true) != nil
    }
  }

  /// Returns a number with a decimal point and without signs between thousands; nil if the text is no such number.
  private func plain(_ text: ArraySlice<UInt8>, isGrouped: Bool) -> [UInt8]? {
    var rest = text
    while let first = rest.first, first == 0x20 { rest = rest.dropFirst() }
    while let last = rest.last, last == 0x20 { rest = rest.dropLast() }
    var number: [UInt8] = []
    number.reserveCapacity(rest.count)
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      if sign == UInt8(ascii: "-") { number.append(sign) }
      rest = rest.dropFirst()
    }
    func digits() -> ArraySlice<UInt8> {
      let digits = rest.prefix { 0x30...0x39 ~= $0 }
      rest = rest.dropFirst(digits.count)
      return digits
    }
    var group = digits()
    guard !group.isEmpty else { return nil }
    number += group
    if isGrouped, let mark = marks.first(where: { rest.starts(with: $0) }) {
      guard group.count <= 3 else { return nil }
      while rest.starts(with: mark) {
        rest = rest.dropFirst(mark.count)
        group = digits()
        // Groups before the last have two digits in India.
        guard 2...3 ~= group.count else { return nil }
        number += group
      }
      guard group.count == 3 else { return nil }
    }
    if rest.first == decimal {
      rest = rest.dropFirst()
      let decimals = digits()
      if !decimals.isEmpty {
        number.append(Self.point)
        number += decimals
      }
    }
    return rest.isEmpty ? number : nil
  }
}
