import CLibrary
import ShardedIndex

/// Turns records as they were read into ``RecordBlob``s.
///
/// A key field that a record lacks, or that is `null`, counts as empty text; a record that lacks all of them is bad,
/// and so is one in which one is an array or an empty object. A field that stands in a record twice gives the key its
/// first text. A number, `true` and `false` give the text that stood in the dataset.
package struct RecordEncoder: Sendable {
  /// In bytes.
  package static let foldedKeyLimit = 64 << 10
  /// The most bytes of texts and names of fields together with what a header says of each: so that a shard of one such
  /// record can be read, all of whose texts are in one frame.
  package static let recordLimit = ZstdFrame.contentLimit - (64 << 10)
  /// The largest blob in bytes, with its key twice, which is stored once and may be as long as the texts it is made
  /// from.
  private static let blobLimit = 2 * recordLimit
  /// A key that is not longer goes by way of the stack, in bytes.
  private static let shortKey = 256

  private var selection: FieldSelection
  private var composer: KeyComposer
  private let hasGivenKeys: Bool
  /// The number of encoded records whose folded key is empty.
  private(set) var emptyKeyCount = 0
  private var key: [UInt8] = []
  private var folded: [UInt8] = []
  private var foldedLast: [UInt8] = []

  /// - Parameters:
  ///   - keep: The fields to store, each with all that is nested below it; all when nil.
  ///   - id: A field that every record must have; none when nil.
  package init(template: KeyTemplate, keep: [String]? = nil, id: String? = nil) {
    selection = FieldSelection(template: template, keep: keep, id: id)
    composer = KeyComposer(template)
    hasGivenKeys = false
  }

  /// The encoder of entries: their folded keys are given, and their own keys are empty.
  static var ofEntries: RecordEncoder { RecordEncoder(givenKeys: KeyTemplate("")) }

  private init(givenKeys template: KeyTemplate) {
    selection = FieldSelection(template: template, keep: nil, id: nil, hasGivenKeys: true)
    composer = KeyComposer(template)
    hasGivenKeys = true
  }

  /// Appends the blobs of a batch to `chunk` and returns the records that were left out.
  package mutating func encode(
    _ batch: RecordBatch, names: FieldNames, into chunk: RecordArena
  ) -> [UnindexableRecord] {
    learn(names)
    var bad: [UnindexableRecord] = []
    unsafe batch.bytes.withUnsafeBufferPointer { bytes in
      unsafe batch.fields.withUnsafeBufferPointer { fields in
        var first = 0
        for (index, end) in batch.recordEnds.enumerated() {
          let record = unsafe RecordFields(fields: .init(rebasing: fields[first..<Int(end)]), bytes: bytes)
          if let flaw = encode(record, into: chunk) { bad.append(UnindexableRecord(index: index, flaw: flaw)) }
          first = Int(end)
        }
      }
    }
    return bad
  }

  /// Looks at names that it has not seen.
  mutating func learn(_ names: FieldNames) { selection.learn(names) }

  /// Whether a field is stored when these are named to be.
  static func isKept(_ name: String, keep: [String]?) -> Bool { FieldSelection.isKept(name, keep: keep) }

  /// Appends the blob of a record whose folded key is known, as that of one that comes out of an index is; not that of
  /// a record that cannot stand in one.
  ///
  /// - Parameters:
  ///   - fields: With names that were learnt.
  ///   - bytes: Their texts; of `fields`, each lies in it.
  ///   - suffixSize: The size of the suffix field, the fold of the template's last field at the key's end; nil if that
  ///     is not known. An entry's is the text behind the last separator.
  mutating func append(
    _ fields: UnsafeBufferPointer<FieldSlice>, _ bytes: UnsafeBufferPointer<UInt8>,
    folded: UnsafeBufferPointer<UInt8>, suffixSize: Int?, into chunk: RecordArena
  ) {
    let record = unsafe RecordFields(fields: fields, bytes: bytes)
    let selected = selection.select(record, composer)
    guard selected.flaw == nil, selected.stored <= Self.recordLimit, folded.count <= Self.foldedKeyLimit else {
      return
    }
    let layout = layout(record, selected, foldedCount: folded.count)
    guard layout.size <= Self.blobLimit else { return }
    let blob = chunk.reserve(layout.size)
    if let key = folded.baseAddress {
      unsafe (blob.start + layout.headerSize).copyMemory(from: key, byteCount: folded.count)
    }
    composer.write(record, selection.slots, to: blob, at: layout.headerSize + folded.count)
    let suffix =
      hasGivenKeys
      ? unsafe folded.lastIndex(of: Fold.separator).map { folded.count - $0 - 1 } ?? 0
      : composer.lastField == nil ? 0 : suffixSize
    finish(blob, layout, record, suffixCount: suffix, into: chunk)
  }

  /// Appends the blob of an entry, likewise.
  mutating func append(
    entry fields: [FieldSlice], _ bytes: [UInt8], folded: ArraySlice<UInt8>, into chunk: RecordArena
  ) {
    unsafe fields.withUnsafeBufferPointer { fields in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe folded.withUnsafeBufferPointer { folded in
          unsafe append(fields, bytes, folded: folded, suffixSize: nil, into: chunk)
        }
      }
    }
  }

  /// The sizes of a blob's parts, in bytes.
  private struct Layout {
    var isWide: Bool
    var headerSize: Int
    var foldedCount: Int
    var keyCount: Int
    /// The texts that are not in the key.
    var textSize: Int

    @inline(__always) var size: Int { headerSize + foldedCount + keyCount + textSize }
    @inline(__always) var hasTextsInKey: Bool { keyCount <= RecordBlob.shortKeyLimit }
  }

  /// Returns the layout of the blob of the record that was selected last.
  @inline(__always)
  private func layout(_ record: RecordFields, _ selected: FieldSelection.Result, foldedCount: Int) -> Layout {
    let keyCount = composer.count(record, selection.slots)
    let fieldCount = selection.kept.count
    let isWide = RecordBlob.isWide(
      folded: foldedCount, key: keyCount, fields: fieldCount, largestName: selection.largestName,
      largestText: selected.largestText)
    var layout = Layout(
      isWide: isWide, headerSize: RecordBlob.headerSize(fields: fieldCount, isWide: isWide), foldedCount: foldedCount,
      keyCount: keyCount, textSize: selected.textSize)
    if layout.hasTextsInKey { layout.textSize -= selected.keyTextSize }
    return layout
  }

  /// Writes what stands before and behind a blob's keys, and takes it in.
  ///
  /// - Parameter suffixCount: nil if it is not known.
  @inline(__always)
  private mutating func finish(
    _ blob: BlobWriter, _ layout: Layout, _ record: RecordFields, suffixCount known: Int?, into chunk: RecordArena
  ) {
    let suffix: Int
    if let known {
      suffix = known
    } else if let last = composer.lastField {
      suffix = unsafe suffixCount(
        record.text(selection.slots[last]), of: blob.text(layout.headerSize, layout.foldedCount))
    } else {
      suffix = 0
    }
    blob.writeHeader(
      isWide: layout.isWide, size: layout.size, folded: layout.foldedCount, suffix: suffix, key: layout.keyCount,
      fields: selection.kept.count)
    var offset = layout.headerSize + layout.foldedCount + layout.keyCount
    for number in selection.kept.indices {
      let (index, part) = selection.kept[number]
      let field = record[index]
      let isInKey = part >= 0 && layout.hasTextsInKey
      blob.writeField(
        isWide: layout.isWide, number, name: field.name, kind: field.kind, size: Int(field.length),
        offsetInKey: isInKey ? composer.offset(ofPart: part) : RecordBlob.nowhere)
      if !isInKey { unsafe offset += blob.copy(record.text(index), to: offset, endOfSource: record.bytes) }
    }
    chunk.commit()
  }

  private mutating func encode(_ record: RecordFields, into chunk: RecordArena) -> UnindexableRecord.Flaw? {
    let selected = selection.select(record, composer)
    if let flaw = selected.flaw { return flaw }
    // A short key is put together where it will stand, behind room for its fold, and folded there if it is ASCII.
    var layout = layout(record, selected, foldedCount: 0)
    if layout.keyCount <= Self.shortKey, selected.stored <= Self.recordLimit {
      let room = layout.keyCount + 8  // The fold takes whole words.
      let blob = chunk.reserve(layout.size + room)
      let keyOffset = layout.headerSize + room
      composer.write(record, selection.slots, to: blob, at: keyOffset)
      let key = unsafe blob.text(keyOffset, layout.keyCount)
      if let count = unsafe Fold.foldASCII(key, into: blob.room(layout.headerSize, room)) {
        unsafe memmove(blob.start + layout.headerSize + count, key.baseAddress!, layout.keyCount)
        layout.foldedCount = count  // No more than of the key: the header stays as it is.
        if count == 0 { emptyKeyCount += 1 }
        finish(blob, layout, record, suffixCount: nil, into: chunk)
        return nil
      }
    }
    return encodeFolding(record, selected, keyCount: layout.keyCount, into: chunk)
  }

  /// Encodes a record whose key is long, or not ASCII.
  private mutating func encodeFolding(
    _ record: RecordFields, _ selected: FieldSelection.Result, keyCount: Int, into chunk: RecordArena
  ) -> UnindexableRecord.Flaw? {
    // Behind its end there is room for the words that `copy` writes.
    if key.count < keyCount + 16 { key = [UInt8](repeating: 0, count: keyCount + 16) }
    unsafe key.withUnsafeMutableBytes {
      unsafe composer.write(record, selection.slots, to: BlobWriter($0.baseAddress!), at: 0)
    }
    folded.removeAll(keepingCapacity: true)
    unsafe key.withUnsafeBufferPointer { unsafe Fold.fold($0.part(0..<keyCount), into: &folded) }
    guard folded.count <= Self.foldedKeyLimit else { return .keyTooLong(folded.count) }
    let layout = layout(record, selected, foldedCount: folded.count)
    guard layout.size <= Self.blobLimit else { return .tooLarge(layout.size) }
    guard selected.stored <= Self.recordLimit else { return .tooLarge(selected.stored) }
    let blob = chunk.reserve(layout.size)
    let target = unsafe blob.start + layout.headerSize
    unsafe folded.withUnsafeBytes { if let base = $0.baseAddress { unsafe memcpy(target, base, $0.count) } }
    unsafe key.withUnsafeBytes { if let base = $0.baseAddress { unsafe memcpy(target + folded.count, base, keyCount) } }
    if layout.foldedCount == 0 { emptyKeyCount += 1 }
    finish(blob, layout, record, suffixCount: nil, into: chunk)
    return nil
  }

  /// Returns how many bytes at the folded key's end are the fold of `last` behind a separator; 0 when they are not.
  private mutating func suffixCount(
    _ last: UnsafeBufferPointer<UInt8>, of folded: UnsafeBufferPointer<UInt8>
  ) -> Int {
    guard !last.isEmpty else { return 0 }
    func count(_ suffix: UnsafeBufferPointer<UInt8>) -> Int {
      let before = folded.count - suffix.count - 1
      guard !suffix.isEmpty, before >= 0, unsafe folded[before] == Fold.separator,
        unsafe equalBytes(folded.part((before + 1)...), suffix)
      else { return 0 }
      return suffix.count
    }
    if last.count <= Self.shortKey {
      let short = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.shortKey + 8) { target -> Int? in
        unsafe Fold.foldASCII(last, into: target).map { unsafe count(.init(rebasing: target[..<$0])) }
      }
      if let short { return short }
    }
    foldedLast.removeAll(keepingCapacity: true)
    unsafe Fold.fold(last, into: &foldedLast)
    return unsafe foldedLast.withUnsafeBufferPointer { unsafe count($0) }
  }
}
