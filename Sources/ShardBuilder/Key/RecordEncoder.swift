import CLibrary
import ShardedIndex

/// The encoder that turns the read records into ``RecordBlob``s.
///
/// A key field that is missing or `null` counts as empty text. A record is bad if all key fields are missing, or if one
/// is an array or an empty object. Of a field that a record has twice, the key gets the first text. A number, `true`
/// and `false` give their text in the dataset. A key is blank if its fold has separators and spaces alone.
package struct RecordEncoder: Sendable {
  /// The most bytes of a folded key.
  package static let foldedKeyLimit = 64 << 10
  /// The most bytes of a record: texts and names of fields, with each field's share of the header. So readers can read
  /// a shard of one such record, whose texts are all in one frame.
  package static let recordLimit = ZstdFrame.contentLimit - (64 << 10)
  /// The largest blob in bytes. It has the key twice, which a shard stores once and which may be as long as its texts.
  private static let blobLimit = 2 * recordLimit
  /// The most bytes of a key that is made on the stack.
  private static let shortKey = 256

  private var selection: FieldSelection
  private var composer: KeyComposer
  private let hasGivenKeys: Bool
  private var notation: NumberNotation?
  private let skipsEmptyKeys: Bool
  /// The number of encoded records whose key is blank.
  private(set) var emptyKeyCount = 0
  private var key: [UInt8] = []
  private var folded: [UInt8] = []
  private var foldedLast: [UInt8] = []

  /// - Parameters:
  ///   - keep: The fields to store, each with all its nested fields; nil for all fields.
  ///   - id: A field that every record must have; nil for none.
  ///   - notation: The notation of numbers; nil for plain numbers.
  ///   - skipsEmptyKeys: Whether records whose key is blank get no blob.
  package init(
    template: KeyTemplate, keep: [String]? = nil, id: String? = nil, notation: NumberNotation? = nil,
    skipsEmptyKeys: Bool = false
  ) {
    selection = FieldSelection(template: template, keep: keep, id: id)
    self.notation = notation
    composer = KeyComposer(template)
    hasGivenKeys = false
    self.skipsEmptyKeys = skipsEmptyKeys
  }

  /// Returns the encoder of entries: their folded keys are given, and their own keys are empty.
  static var ofEntries: RecordEncoder { RecordEncoder(givenKeys: KeyTemplate("")) }

  private init(givenKeys template: KeyTemplate) {
    selection = FieldSelection(template: template, keep: nil, id: nil, hasGivenKeys: true)
    composer = KeyComposer(template)
    hasGivenKeys = true
    skipsEmptyKeys = false
  }

  /// Appends the blobs of a batch to `chunk`, and returns the records without a blob.
  package mutating func encode(
    _ batch: RecordBatch, names: FieldNames, into chunk: RecordArena
  ) -> [UnindexableRecord] {
    learn(names)
    if notation == nil { return encode(batch, into: chunk) }
    var plain = batch
    notation!.rewrite(&plain, names: names)
    return encode(plain, into: chunk)
  }

  private mutating func encode(_ batch: RecordBatch, into chunk: RecordArena) -> [UnindexableRecord] {
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

  /// Looks at new names.
  mutating func learn(_ names: FieldNames) { selection.learn(names) }

  /// Returns whether a field is stored if the fields of `keep` are.
  static func isKept(_ name: String, keep: [String]?) -> Bool { FieldSelection.isKept(name, keep: keep) }

  /// Appends the blob of a record with a known folded key, such as a record of an index. A record that does not fit
  /// into an index gets no blob.
  ///
  /// - Parameters:
  ///   - fields: The fields, with names that were learnt.
  ///   - bytes: The bytes that hold the texts of `fields`.
  ///   - suffixSize: The size of the suffix field, the fold of the template's last field at the key's end; nil if
  ///     unknown. For an entry the suffix field is the text after the last separator.
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

  /// Appends the blob of an entry, as the function above does for a record.
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
  private struct BlobSizes {
    var isWide: Bool
    var headerSize: Int
    var foldedCount: Int
    var keyCount: Int
    /// The size of the texts that are not in the key.
    var textSize: Int

    @inline(__always) var size: Int { headerSize + foldedCount + keyCount + textSize }
    @inline(__always) var hasTextsInKey: Bool { keyCount <= RecordBlob.shortKeyLimit }
  }

  /// Returns the layout of the blob of the last selected record.
  @inline(__always)
  private func layout(_ record: RecordFields, _ selected: FieldSelection.FieldSizes, foldedCount: Int) -> BlobSizes {
    let keyCount = composer.count(record, selection.slots)
    let fieldCount = selection.kept.count
    let isWide = RecordBlob.isWide(
      folded: foldedCount, key: keyCount, fields: fieldCount, largestName: selection.largestName,
      largestText: selected.largestText)
    var layout = BlobSizes(
      isWide: isWide, headerSize: RecordBlob.headerSize(fields: fieldCount, isWide: isWide), foldedCount: foldedCount,
      keyCount: keyCount, textSize: selected.textSize)
    if layout.hasTextsInKey { layout.textSize -= selected.keyTextSize }
    return layout
  }

  /// Writes the bytes before and after a blob's keys, and adds the blob.
  ///
  /// - Parameter suffixCount: The size of the suffix field; nil if unknown.
  @inline(__always)
  private mutating func finish(
    _ blob: BlobWriter, _ layout: BlobSizes, _ record: RecordFields, suffixCount known: Int?, into chunk: RecordArena
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

  private mutating func encode(_ record: RecordFields, into chunk: RecordArena) -> UnindexableRecord.RecordFlaw? {
    let selected = selection.select(record, composer)
    if let flaw = selected.flaw { return flaw }
    // A short key is written in place, after room for its fold, and folded there if it is ASCII.
    var layout = layout(record, selected, foldedCount: 0)
    if layout.keyCount <= Self.shortKey, selected.stored <= Self.recordLimit {
      let room = layout.keyCount + 8  // The fold writes whole words.
      let blob = chunk.reserve(layout.size + room)
      let keyOffset = layout.headerSize + room
      composer.write(record, selection.slots, to: blob, at: keyOffset)
      let key = unsafe blob.text(keyOffset, layout.keyCount)
      if let count = unsafe Fold.foldASCII(key, into: blob.room(layout.headerSize, room)) {
        if unsafe Self.isBlank(blob.text(layout.headerSize, count)) {
          if skipsEmptyKeys { return .emptyKey }
          emptyKeyCount += 1
        }
        unsafe memmove(blob.start + layout.headerSize + count, key.baseAddress!, layout.keyCount)
        layout.foldedCount = count  // At most the key's size, so the header stays.
        finish(blob, layout, record, suffixCount: nil, into: chunk)
        return nil
      }
    }
    return encodeFolding(record, selected, keyCount: layout.keyCount, into: chunk)
  }

  /// Encodes a record whose key is long, or not ASCII.
  private mutating func encodeFolding(
    _ record: RecordFields, _ selected: FieldSelection.FieldSizes, keyCount: Int, into chunk: RecordArena
  ) -> UnindexableRecord.RecordFlaw? {
    // After the key's end there is room for the words that `copy` writes.
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
    if Self.isBlank(folded) {
      if skipsEmptyKeys { return .emptyKey }
      emptyKeyCount += 1
    }
    let blob = chunk.reserve(layout.size)
    let target = unsafe blob.start + layout.headerSize
    unsafe folded.withUnsafeBytes { if let base = $0.baseAddress { unsafe memcpy(target, base, $0.count) } }
    unsafe key.withUnsafeBytes { if let base = $0.baseAddress { unsafe memcpy(target + folded.count, base, keyCount) } }
    finish(blob, layout, record, suffixCount: nil, into: chunk)
    return nil
  }

  /// Returns whether a folded key has separators and spaces alone. The first byte of other keys decides.
  @inline(__always)
  private static func isBlank(_ folded: some Collection<UInt8>) -> Bool {
    folded.allSatisfy { $0 == Fold.separator || $0 == 0x20 }
  }

  /// Returns the size of the fold of `last` at the folded key's end, after a separator; 0 if the key does not end so.
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
