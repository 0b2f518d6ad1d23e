/// The names that columns and other fields usually have.
enum ColumnNames {
  /// Names of fields that hold the name of a record, the likeliest first.
  private static let names = [
    "name", "title", "label", "nom", "nome", "nombre", "naam", "namn", "\u{540d}\u{79f0}", "\u{540d}\u{524d}",
    "\u{540d}", "word", "term", "text",
  ]
  /// Endings of names that hold a code or a number.
  private static let codes = ["id", "code", "key", "no", "number", "count", "uid", "uuid", "rank", "index"]
  /// Other names of columns.
  private static let columns = [
    "country", "city", "state", "region", "lat", "lon", "lng", "latitude", "longitude", "date", "year", "type",
    "description", "population",
  ]

  /// Returns the fields that may hold the name of a record, the likeliest first.
  static func candidates(_ fields: [String]) -> [String] {
    var ranked: [(rank: Int, field: String)] = []
    for field in fields {
      if let rank = rank(field) { ranked.append((rank, field)) }
    }
    return ranked.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(
      \.element.field)
  }

  /// Returns whether a name is that of a code or a number.
  static func isCode(_ field: String) -> Bool { codes.contains { words(field).last == $0 } }

  /// Returns whether a text is the usual name of a column.
  static func isColumn(_ text: String) -> Bool {
    let words = words(text)
    return words.count == 1 && (codes.contains(words[0]) || columns.contains(words[0]))
      || words.count == 2 && codes.contains(words[1]) && text.utf8.contains(UInt8(ascii: "_"))
  }

  /// Returns a lower number for a likelier field; nil for a field that is no name.
  private static func rank(_ field: String) -> Int? {
    let words = words(field)
    if words.count == 1, let rank = names.firstIndex(of: words[0]) { return rank }
    if let last = words.last, let rank = names.firstIndex(of: last) { return names.count + rank }
    return nil
  }

  /// Returns the words of a field's name in small letters: `stopName`, `stop_name` and `STOP NAME` have the same ones.
  static func words(_ field: String) -> [String] {
    var words: [String] = [""]
    var wasSmall = false
    for scalar in field.unicodeScalars {
      let isLarge = "A"..."Z" ~= scalar
      let isBetween = "_-. /,()".unicodeScalars.contains(scalar)
      if isBetween || (isLarge && wasSmall) { words.append("") }
      if !isBetween { words[words.count - 1] += String(scalar).lowercased() }
      wasSmall = "a"..."z" ~= scalar
    }
    return words.filter { !$0.isEmpty }
  }
}
