/// The rules by which an index's records match a typed text. Source: docs/ranking.md section 3.
package struct MatchRules: Sendable {
  /// The words whose beginnings lead to a record.
  enum WordRule: Sendable {
    /// The words of all components of the key but the last.
    case body
    /// The words of the whole key.
    case all
  }

  /// The words that the index has; nil for none.
  private(set) var words: WordRule?
  /// A field with texts that lead to its records.
  package struct FieldRule: Sendable {
    /// The number of the field.
    package let number: Int
    /// Whether its texts are other names. Otherwise each of its words leads to the record.
    let isOfNames: Bool
    /// The loss of a match by the field, in octaves.
    let loss: Int
    /// Whether capitals begin words of its texts.
    let isCode: Bool
  }
  /// The fields with texts that lead to records: those of other names, and then those of words, in the order of the
  /// options.
  package private(set) var fields: [FieldRule] = []
  /// Whether fields have other names.
  var hasNames: Bool { fields.first?.isOfNames ?? false }
  /// Whether words of other fields lead to records.
  var hasSearchFields: Bool { fields.last.map { !$0.isOfNames } ?? false }
  /// The difference between the weight of an entry and its score, in steps.
  private(set) var raiseOfEntries = 0
  /// Whether the leading consonants of Hangul names are other names.
  private(set) var hasInitials = false
  /// Whether texts match in plain form: true if the index has entries.
  package private(set) var isPlain = false
  /// The most separators in the plain form of a key.
  package private(set) var separators = Int.max

  /// Whether words match across the key and other names, and in no other way.
  var acrossNames = false
  /// Whether words match so in the index, if nothing matches otherwise.
  var canMatchAcrossNames: Bool { words != nil && hasNames }
  /// Whether words with digits may have edits.
  private(set) var editsDigits = false

  package init(of manifest: ManifestReader) {
    let settings = IndexSettings(of: manifest.root, hasTables: false)
    editsDigits = settings.editsDigits
    guard manifest.hasEntries else { return }
    (isPlain, separators) = (true, settings.separators)
    words = settings.words.map { $0.utf8.elementsEqual("all".utf8) ? .all : .body }
    raiseOfEntries = settings.raiseOfEntries
    for setting in settings.alias ?? [] {
      if setting.utf8.elementsEqual(HangulInitials.setting.utf8) {
        hasInitials = true
      } else {
        add(TextField(setting, ofNames: true), ofNames: true, manifest)
      }
    }
    let isCode = settings.words.map { $0.utf8.elementsEqual("code".utf8) } ?? false
    for setting in settings.searchFields {
      add(TextField(setting, ofNames: false), ofNames: false, isCode: isCode, manifest)
    }
  }

  private mutating func add(
    _ field: TextField, ofNames isOfNames: Bool, isCode: Bool = false, _ manifest: ManifestReader
  ) {
    let path = Array(field.path.utf8)
    let number = unsafe path.withUnsafeBufferPointer { unsafe manifest.root.fieldNumber(of: $0) }
    guard let number else { return }
    fields.append(FieldRule(number: number, isOfNames: isOfNames, loss: field.loss ?? 0, isCode: isCode))
  }
}
