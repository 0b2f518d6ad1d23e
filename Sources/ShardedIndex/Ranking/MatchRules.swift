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
  /// The fields of other names, by number, in the order of the option.
  package private(set) var nameFields: [Int] = []
  /// Whether the leading consonants of Hangul names are other names.
  private(set) var hasInitials = false
  /// Whether texts match in plain form: true if the index has entries.
  package private(set) var isPlain = false
  /// The most separators in the plain form of a key.
  package private(set) var separators = Int.max

  /// Whether words match across the key and other names, and in no other way.
  var acrossNames = false
  /// Whether words match so in the index, if nothing matches otherwise.
  var canMatchAcrossNames: Bool { words != nil && !nameFields.isEmpty }
  /// Whether words with digits may have edits.
  private(set) var editsDigits = false

  package init(of manifest: ManifestReader) {
    let settings = IndexSettings(of: manifest.root, hasTables: false)
    editsDigits = settings.editsDigits
    guard manifest.hasEntries else { return }
    (isPlain, separators) = (true, settings.separators)
    words = settings.words.map { $0.utf8.elementsEqual("all".utf8) ? .all : .body }
    for name in settings.alias ?? [] {
      if name.utf8.elementsEqual(HangulInitials.setting.utf8) {
        hasInitials = true
      } else if let field = unsafe Array(name.utf8).withUnsafeBufferPointer({ unsafe manifest.root.fieldNumber(of: $0) }
      ) {
        nameFields.append(field)
      }
    }
  }
}
