import ShardedIndex

/// The rules of an index's entries. Source: docs/format.md section 3.13.
struct EntryRules: Sendable {
  /// The words of a key that become entries; nil for none.
  let words: BuildOptions.Words?
  /// The fields of other names.
  let alias: [String]
  /// Whether the leading consonants of Hangul names are other names.
  let hasInitials: Bool
  /// The most separators in the plain form of a key.
  let separators: Int
  /// The fields that filter answers.
  let filter: [String]
  /// Whether answers can be near to a place.
  let near: Bool
  /// The fields with coordinates.
  let coordinates: CoordinateFields

  /// - Returns: nil if an index of these settings has no entries.
  init?(_ settings: IndexSettings) {
    guard settings.words != nil || settings.alias != nil else { return nil }
    words = settings.words.map { BuildOptions.Words(rawValue: $0) ?? .body }
    let names = settings.alias ?? []
    alias = names.filter { $0 != HangulInitials.setting }
    hasInitials = names.count > alias.count
    separators = settings.separators
    (filter, near, coordinates) = (settings.filter, settings.near, settings.coordinateFields)
  }

  /// The fields of entries, in their order.
  var fieldNames: [String] {
    [EntryField.beginning, .target, .weight].map(\.rawValue) + filter.indices.map { EntryField.filter($0) }
      + (near ? [EntryField.cells.rawValue] : [])
  }

  /// Returns the settings of the entries' manifest.
  ///
  /// - Parameter index: The settings of the index.
  static func settings(of index: IndexSettings) -> IndexSettings {
    var settings = IndexSettings(key: "{text}, {last}")
    settings.weight = EntryField.weight.rawValue
    settings.typos = index.typos
    settings.filter = index.filter.indices.map { EntryField.filter($0) }
    settings.near = index.near
    settings.isOfEntries = index.near || !index.filter.isEmpty
    return settings
  }
}

extension BuildOptions {
  /// Writes the options of the entries into settings.
  func setEntries(of settings: inout IndexSettings) {
    settings.words = words?.rawValue
    settings.alias = alias.isEmpty ? nil : alias
  }
}
