/// The settings of an index, from the options of its build. Source: docs/format.md section 3.6.
package struct IndexSettings: Equatable, Sendable {
  /// The key's template.
  package var key: String
  /// The field with the weight of records; nil for none.
  package var weight: String?
  /// The factor of weights; nil for 1.
  package var weightScale: String?
  /// `file` if the weights came from a file of their own.
  package var weights: String?
  /// The field that tells records apart.
  package var id: String?
  /// The fields that are stored; nil for all.
  package var keep: [String]?
  /// The words of a key that are entries, `body` or `all`; nil for none.
  package var words: String?
  /// The fields of other names, each a ``TextField``; nil for none.
  package var alias: [String]?
  /// The fields whose words lead to records, each a ``TextField``.
  package var searchFields: [String] = []
  /// The fields to filter answers by, each once.
  package var filter: [String] = []
  /// The fields whose numbers order and filter answers, each once.
  package var number: [String] = []
  /// Whether searches can correct typing errors.
  package var typos = false
  /// Whether these errors may be in words with digits.
  package var editsDigits = false
  /// The fields with coordinates, one or two; nil for the usual ones.
  package var coordinates: [String]?
  /// The fields whose names have dots but are not nested.
  package var flat: [String] = []
  /// Whether searches can prefer records near to a place.
  package var near = false
  /// Whether the index has starts, for readers whose every read is a round trip.
  package var starts = false
  /// For each field of ``filter``, a table with other names of its values; nil for none.
  package var valueNames: [String?] = []
  /// The table of words that stand for others; nil for none.
  package var synonyms: String?
  /// Whether records whose keys have separators and spaces alone are left out.
  package var skipsEmptyKeys = false
  /// Whether the records are entries, with fields that list values and cells.
  package var isOfEntries = false

  /// The value of the setting `near`: the degrees of a cell.
  private static let cellDegrees = "10"
  /// The value of the setting `typos` if errors may be in words with digits.
  private static let digits = "digits"
  /// The setting of other names of a field's values, before the path of the field.
  static let names = "names "
  /// The most fields to filter answers by, and with numbers.
  package static let filterLimit = 64

  package init(key: String) { self.key = key }

  /// - Parameter hasTables: Whether the tables of names and synonyms are read, which may have many kilobytes.
  package init(of manifest: borrowing Manifest, hasTables: Bool = true) {
    key = manifest.setting("key") ?? ""
    weight = manifest.setting("weight")
    weightScale = manifest.setting("weight-scale")
    weights = manifest.setting("weights")
    id = manifest.setting("id")
    keep = manifest.setting("keep").map(Self.list)
    words = manifest.setting("words")
    alias = manifest.setting("alias").map(Self.list)
    searchFields = manifest.setting("search-field").map(Self.list) ?? []
    filter = manifest.setting("filter").map(Self.list) ?? []
    number = manifest.setting("number").map(Self.list) ?? []
    if hasTables {
      valueNames = filter.map { manifest.names(ofValuesOf: $0) }
      synonyms = manifest.setting("synonyms")
    }
    typos = manifest.setting("typos") != nil
    editsDigits = manifest.setting("typos").hasBytes(of: Self.digits)
    coordinates = manifest.setting("coordinates").map(Self.list)
    flat = manifest.setting("flat").map(Self.list) ?? []
    near = manifest.setting("near").hasBytes(of: Self.cellDegrees)
    starts = manifest.setting("starts") != nil
    skipsEmptyKeys = manifest.setting("skip-empty-keys") != nil
    isOfEntries = manifest.setting("entries") != nil
  }

  /// Whether the index gets ranks. Without a weight all records weigh 0.
  package var isRanked: Bool { weight != nil || hasSides || !number.isEmpty }
  /// Whether the index gets sides.
  package var hasSides: Bool { !filter.isEmpty || near || typos }
  /// Whether the index gets entries.
  package var hasEntries: Bool { words != nil || alias != nil }

  /// The difference between the weight of an entry and its score, in steps. So no weight is below 0.
  package var raiseOfEntries: Int {
    let names = (alias ?? []).map { EntryKind(.name, loss: TextField($0, ofNames: true).loss ?? 0) }
    let words = searchFields.map { EntryKind(.field, loss: TextField($0, ofNames: false).loss ?? 0) }
    return (names + words).reduce(-2048 * EntryKind.word.bonus) { max($0, -2048 * $1.bonus) }
  }

  /// The most separators in the plain form of a key.
  package var separators: Int { KeyTemplate(key).separatorCount }

  /// The fields with coordinates.
  package var coordinateFields: CoordinateFields { CoordinateFields(setting: coordinates) }

  /// Returns the settings in the form of a manifest.
  package func pairs(fieldNames: [String]) -> [(String, String)] {
    var pairs = [("key", key)]
    let fields = coordinateFields
    for (setting, candidates) in [("latitude", fields.latitudes), ("longitude", fields.longitudes)] {
      if let field = candidates.first(where: { fieldNames.contains($0) }) { pairs.append((setting, field)) }
    }
    if let coordinates, fields.areAmong(fieldNames) { pairs.append(("coordinates", Self.text(coordinates))) }
    if let weight { pairs.append(("weight", weight)) }
    if let weightScale, weight != nil { pairs.append(("weight-scale", weightScale)) }
    if let weights, weight != nil { pairs.append(("weights", weights)) }
    if let id { pairs.append(("id", id)) }
    if let keep { pairs.append(("keep", Self.text(keep))) }
    if let words { pairs.append(("words", words)) }
    if let alias { pairs.append(("alias", Self.text(alias))) }
    if !searchFields.isEmpty { pairs.append(("search-field", Self.text(searchFields))) }
    if !filter.isEmpty { pairs.append(("filter", Self.text(filter))) }
    for (field, names) in zip(filter, valueNames) {
      if let names { pairs.append((Self.names + field, names)) }
    }
    if !number.isEmpty { pairs.append(("number", Self.text(number))) }
    if let synonyms { pairs.append(("synonyms", synonyms)) }
    if typos { pairs.append(("typos", editsDigits ? Self.digits : "yes")) }
    if near { pairs.append(("near", Self.cellDegrees)) }
    let flatFields = fieldNames.filter { flat.contains($0) }
    if !flatFields.isEmpty { pairs.append(("flat", Self.text(flatFields))) }
    if starts { pairs.append(("starts", "yes")) }
    if skipsEmptyKeys { pairs.append(("skip-empty-keys", "yes")) }
    if isOfEntries { pairs.append(("entries", "yes")) }
    return pairs
  }

  /// Returns names with commas between, and a backslash before each comma or backslash in a name.
  package static func text(_ names: [String]) -> String {
    names.map { name in
      String(
        String.UnicodeScalarView(
          name.unicodeScalars.flatMap { $0 == "," || $0 == "\\" ? ["\\", $0] : [$0] }))
    }.joined(separator: ",")
  }

  package static func list(_ text: String) -> [String] {
    var names: [String.UnicodeScalarView] = [.init()]
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if !isEscaped, scalar == "\\" {
        isEscaped = true
      } else if !isEscaped, scalar == "," {
        names.append(.init())
      } else {
        names[names.count - 1].append(scalar)
        isEscaped = false
      }
    }
    return names.map { String($0) }
  }
}
