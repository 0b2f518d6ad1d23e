import ShardedIndex

/// The rules of an index's entries. Source: docs/format.md section 3.13.
struct EntryRules: Sendable {
  /// The words of a key that become entries; nil for none.
  let words: BuildOptions.Words?
  /// The fields of other names.
  let alias: [TextField]
  /// The fields whose words are entries.
  let searchFields: [TextField]
  /// The difference between the weight of an entry and its score, in steps.
  let raise: Int
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
    alias = names.filter { $0 != HangulInitials.setting }.map { TextField($0, ofNames: true) }
    hasInitials = names.count > alias.count
    searchFields = settings.searchFields.map { TextField($0, ofNames: false) }
    raise = settings.raiseOfEntries
    separators = settings.separators
    (filter, near, coordinates) = (settings.filter, settings.near, settings.coordinateFields)
  }

  /// The fields of entries, in their order.
  var fieldNames: [String] {
    [EntryField.beginning, .target, .weight].map(\.rawValue) + filter.indices.map { EntryField.filter($0) }
      + (near ? [EntryField.cells.rawValue] : []) + lossFields.map(\.rawValue)
  }

  /// The last fields of entries, with the losses of other names and of words of other fields.
  private var lossFields: [EntryField] {
    (alias.contains { $0.loss ?? 0 > 0 } ? [.nameLoss] : []) + (searchFields.isEmpty ? [] : [.fieldLoss])
  }

  /// The kinds of entries that the rules make.
  var kinds: [EntryKind] {
    var kinds = [EntryKind.form, .word, .name]
    for kind in alias.map({ EntryKind(.name, loss: $0.loss ?? 0) }) where !kinds.contains(kind) { kinds.append(kind) }
    for kind in searchFields.map({ EntryKind(.field, loss: $0.loss ?? 0) }) where !kinds.contains(kind) {
      kinds.append(kind)
    }
    return kinds
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
    // Words of other fields need those of the key beside them.
    settings.words = words?.rawValue ?? (searchFields.isEmpty ? nil : Words.body.rawValue)
    settings.alias = alias.isEmpty ? nil : alias
    settings.searchFields = searchFields + codeFields(of: KeyTemplate(settings.key))
  }

  /// Returns the settings of the searched fields that the words of code add: those of the key's body.
  private func codeFields(of template: KeyTemplate) -> [String] {
    let known = searchFields.map { TextField($0, ofNames: false).path }
    return words == .code ? template.bodyFields.filter { !known.contains($0) }.map { "\($0):-4" } : []
  }

  /// The fields of other names and of words, without their bonuses.
  var textFields: [(path: String, setting: BuildSetting)] {
    alias.filter { $0 != HangulInitials.setting }.map { (TextField($0, ofNames: true).path, .alias) }
      + (searchFields + codeFields(of: KeyTemplate(key ?? ""))).map {
        (TextField($0, ofNames: false).path, .searchField)
      }
  }
}
