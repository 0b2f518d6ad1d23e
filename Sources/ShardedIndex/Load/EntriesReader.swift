/// The entries of a generation: further texts that lead to records. Source: docs/format.md section 3.13.
///
/// An entry is a record of the entries' manifest, whose shards are in the same directory. Its folded key is the text
/// and, behind a separator, the record's last component, if there is one.
package final class EntriesReader: Sendable {
  /// The reader of the entries' shards.
  let shards: ShardReader
  /// The last components of the index's keys; empty if there are too many.
  package let lastComponents: LastComponents
  /// The number of the field with the text before a word; nil if no entry is a word.
  package let beginningField: Int?
  /// The number of the field with the folded key of the record, for entries whose own key does not give it; nil if no
  /// entry has it.
  package let targetField: Int?
  /// The number of the field with the greatest weight of the records; nil if there are no entries.
  package let weightField: Int?
  /// The number of the field with the loss of another name, and with that of a word of another field; nil if no entry
  /// has it.
  let nameLossField, fieldLossField: Int?
  /// The number of the field that lists the cells of the records; nil if no entry has it.
  let cellsField: Int?
  /// The most separators in the plain form of a key of the index.
  let separators: Int
  /// Whether entries have the values and cells of the records.
  let hasValues: Bool

  package var manifest: ManifestReader { shards.manifest }
  /// The number of bytes of content in memory, without parts of shards.
  var residentSize: Int { manifest.residentSize + lastComponents.size }

  /// - Parameter index: The manifest of the index.
  init(_ shards: ShardReader, _ lastComponents: LastComponents, of index: ManifestReader) {
    (self.shards, self.lastComponents) = (shards, lastComponents)
    separators = IndexSettings(of: index.root, hasTables: false).separators
    func number(_ field: EntryField) -> Int? { shards.manifest.fieldNames.number(of: field.rawValue) }
    (beginningField, targetField, weightField) = (number(.beginning), number(.target), number(.weight))
    (nameLossField, fieldLossField) = (number(.nameLoss), number(.fieldLoss))
    (cellsField, hasValues) = (number(.cells), IndexSettings(of: shards.manifest.root, hasTables: false).isOfEntries)
  }

  /// Returns the number of the field with the values of a filter; nil if no entry has one.
  func filterField(_ filter: Int) -> Int? {
    manifest.fieldNames.number(of: EntryField.filter(filter))
  }

  /// Frees the kept pages, and closes open files.
  func removeResidents() {
    manifest.removeRecentPages()
    shards.files.removeAll()
  }
}

/// The fields of an entry. Source: docs/format.md section 3.13.
package enum EntryField: String, Sendable {
  /// The text before a word.
  case beginning = "b"
  /// The folded key of the record, unless it is the text before the word and the entry's key.
  case target = "t"
  /// The greatest weight of the records with the key, with the bonus of the entry.
  case weight = "w"
  /// The loss of another name, in octaves.
  case nameLoss = "a"
  /// The loss of a word of another field, in octaves.
  case fieldLoss = "s"
  /// The cells of the records.
  case cells = "c"

  /// Returns the name of the field with the records' values of a filter, by its number in the setting `filter`.
  package static func filter(_ number: Int) -> String { "f\(number)" }
}

extension ShardReader {
  func entriesReader() throws(IndexError) -> EntriesReader? {
    if let reader = lazyEntries.load() { return reader }
    guard let head = try manifest.entriesHead() else { return nil }
    let entries: ManifestReader
    do throws(IndexError) {
      entries = try ManifestReader(
        ofEntries: head, in: directory, at: manifest.placeOfEntries, contexts: loader.contexts,
        keeping: cache.pagesLimitBytes, checksDigest: loader.checksDigests)
    } catch {
      throw explained(error)
    }
    return lazyEntries.storeIfNil(
      EntriesReader(
        ShardReader(entries, cache: cache, loader: loader, openFileLimit: files.limit, named: manifest),
        head.lastComponents, of: manifest))
  }
}
