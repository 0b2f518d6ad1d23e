/// The entries of a generation: texts that lead to records beside their keys. Source: docs/format.md section 3.13.
///
/// An entry is a record of a manifest of its own, over shards in the same directory. Its folded key is the text, and
/// behind a separator the record's last component, where that has one.
package final class EntriesReader: Sendable {
  /// The reader of the entries' shards.
  let shards: ShardReader
  /// The last components of the primary set's keys; none where they are too many.
  package let lastComponents: LastComponents
  /// The number of the field with the text that stands before a word start; nil if no entry is one.
  package let beginningField: Int?
  /// The number of the field with the folded key of the record, where that does not follow; nil if no entry has one.
  package let targetField: Int?
  /// The number of the field with the greatest weight of the records; nil if there is no entry.
  package let weightField: Int?
  /// The number of the field that lists the cells of the records; nil if no entry has it.
  let cellsField: Int?
  /// Whether entries have the values and cells of the records.
  let hasValues: Bool

  package var manifest: ManifestReader { shards.manifest }
  /// The bytes of content that are in memory, parts of shards aside.
  var residentSize: Int { manifest.residentSize + lastComponents.size }

  init(_ shards: ShardReader, _ lastComponents: LastComponents) {
    (self.shards, self.lastComponents) = (shards, lastComponents)
    func number(_ field: EntryField) -> Int? { shards.manifest.fieldNames.number(of: field.rawValue) }
    (beginningField, targetField, weightField) = (number(.beginning), number(.target), number(.weight))
    (cellsField, hasValues) = (number(.cells), IndexSettings(of: shards.manifest.root).isOfEntries)
  }

  /// Returns the number of the field with the values of a filter; nil if no entry has one.
  func filterField(_ filter: Int) -> Int? {
    manifest.fieldNames.number(of: EntryField.filter(filter))
  }

  /// Lets go of the pages that are kept, and closes open files.
  func removeResidents() {
    manifest.removeRecentPages()
    shards.files.removeAll()
  }
}

/// The fields of an entry. Source: docs/format.md section 3.13.
package enum EntryField: String, Sendable {
  /// The text before a word start.
  case beginning = "b"
  /// The folded key of the record, where it is not the beginning with the entry's key behind it.
  case target = "t"
  /// The greatest weight of the records with that key, rounded up.
  case weight = "w"
  /// The cells that the records lie in.
  case cells = "c"

  /// The field with the values that the records have of a filter, by its number in the setting `filter`.
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
        head.lastComponents))
  }
}
