import CSystem
import ShardedIndex

/// Turns records as they were read into ``RecordBlob``s.
///
/// A key field that a record lacks, or that is `null`, counts as empty text; a record that lacks all of them is bad, and
/// so is one in which one is an array or an empty object. A field that stands in a record twice gives the key its first
/// text. A number, `true` and `false` give the text that stood in the dataset.
package struct RecordEncoder: Sendable {
  /// In bytes.
  package static let foldedKeyLimit = 64 << 10
  /// In bytes, texts and names of fields together with what a header says of each: so that a shard of one such record
  /// can be read, all of whose texts are in one frame.
  package static let recordLimit = ZstdFrame.contentLimit - (64 << 10)
  /// In bytes, with its key twice, which is stored once and may be as long as the texts it is made from.
  private static let blobLimit = 2 * recordLimit
  /// What a header says of a field beside its name and its text, at most, in bytes.
  private static let fieldOverhead = 32

  private let template: KeyTemplate
  private let keep: [String]?
  private var lastField: Int?  // The template's last field, if a separator and nothing else stands before it.
  private var roles: [Role] = []  // By field name.
  private var slots: [Int]  // The current record's key fields: index into the batch's fields, or -1.
  /// The current record's fields that are stored: index into the batch's fields, and of the key's part that is made from
  /// it, the first, or -1.
  private var kept: [(field: Int, part: Int)] = []
  /// Names of the fields that were looked through last, what is wrong with such a record, and what a header says of the
  /// fields of it that are stored, their texts aside, in bytes.
  private var shape: [UInt32] = []
  private var flaw: UnindexableRecord.Flaw? = .noKeyField  // Of no fields.
  /// Whether a key field of these is no text or number: then the next record's may be another thing by the same names.
  private var hasLiteralKey = false
  /// Of these the one that is the id: index into the batch's fields, or -1.
  private var idField = -1
  private var keptOverhead = 0
  private var largestName: UInt32 = 0  // Of them.
  /// The template's parts: a field by its slot, or -1 and a literal by where it lies in ``literals``.
  private var keyParts: [(slot: Int, literalStart: Int, literalCount: Int)] = []
  private var literals: [UInt8] = []
  /// Where in the current record's key each part begins.
  private var partOffsets: [Int]
  /// In bytes. What is not longer goes by way of the stack.
  private static let shortKey = 256
  private let id: String?
  /// Records encoded whose folded key is empty.
  private(set) var emptyKeyCount = 0
  private var key: [UInt8] = []
  private var folded: [UInt8] = []
  private var tail: [UInt8] = []

  private struct Role {
    var slot: Int  // Among the template's fields, or -1.
    var isKept: Bool
    var nameSize: Int
    var isID: Bool
  }

  /// - Parameters:
  ///   - keep: The fields to store, each with all that is nested below it; all when nil.
  ///   - id: A field that every record must have; none when nil.
  package init(template: KeyTemplate, keep: [String]? = nil, id: String? = nil) {
    self.template = template
    self.keep = keep
    self.id = id
    slots = Array(repeating: -1, count: template.fields.count)
    partOffsets = Array(repeating: 0, count: template.parts.count)
    for part in template.parts {
      switch part {
      case .literal(let text):
        keyParts.append((slot: -1, literalStart: literals.count, literalCount: text.count))
        literals += text
      case .field(let slot): keyParts.append((slot: slot, literalStart: 0, literalCount: 0))
      }
    }
    let parts = template.parts
    guard parts.count >= 2, case .field(let last) = parts[parts.count - 1],
      case .literal(let text) = parts[parts.count - 2]
    else { return }
    // The literal alone may fold otherwise than among its neighbours, so each record is checked as well.
    text.withUnsafeBufferPointer { Fold.fold($0, into: &folded) }
    if folded == [Fold.separator] { lastField = last }
  }

  /// Appends the blobs of a batch to `chunk` and returns the records that were left out.
  package mutating func encode(
    _ batch: RecordBatch, names: FieldNames, into chunk: RecordArena
  ) -> [UnindexableRecord] {
    learn(names)
    var bad: [UnindexableRecord] = []
    batch.bytes.withUnsafeBufferPointer { bytes in
      batch.fields.withUnsafeBufferPointer { fields in
        var first = 0
        for (index, end) in batch.recordEnds.enumerated() {
          let record = UnsafeBufferPointer(rebasing: fields[first..<Int(end)])
          if let flaw = encode(record, bytes, into: chunk) { bad.append(UnindexableRecord(index: index, flaw: flaw)) }
          first = Int(end)
        }
      }
    }
    return bad
  }

  /// Looks at names that it has not seen.
  mutating func learn(_ names: FieldNames) {
    while roles.count < names.names.count {
      let name = names.names[roles.count]
      roles.append(
        Role(
          slot: template.fields.firstIndex(of: name) ?? -1, isKept: Self.isKept(name, keep: keep),
          nameSize: name.utf8.count, isID: name == id))
    }
  }

  /// Appends the blob of a record whose folded key is known, as that of one that comes out of an index is; not that of
  /// a record that cannot stand in one.
  ///
  /// - Parameters:
  ///   - fields: With names that were learnt.
  ///   - bytes: Their texts; of `fields`, each lies in it.
  ///   - tailSize: How many of the key's last bytes are a tail, nil if that is not known.
  mutating func append(
    _ fields: UnsafeBufferPointer<FieldSlice>, _ bytes: UnsafeBufferPointer<UInt8>,
    folded: UnsafeBufferPointer<UInt8>, tailSize: Int?, into chunk: RecordArena
  ) {
    let selection = select(fields, bytes)
    guard selection.flaw == nil, selection.stored <= Self.recordLimit, folded.count <= Self.foldedKeyLimit else {
      return
    }
    let layout = layout(fields, selection, foldedCount: folded.count)
    guard layout.size <= Self.blobLimit else { return }
    let blob = chunk.reserve(layout.size)
    if let key = folded.baseAddress { (blob + layout.headerSize).copyMemory(from: key, byteCount: folded.count) }
    writeKey(fields, bytes, to: blob + layout.headerSize + folded.count)
    finish(blob, layout, fields, bytes, tailCount: lastField == nil ? 0 : tailSize, into: chunk)
  }

  /// Whether a field is stored when these are named to be.
  static func isKept(_ name: String, keep: [String]?) -> Bool {
    guard let keep else { return true }
    return keep.contains { name == $0 || name.hasPrefix($0 + ".") }
  }

  /// Looks through a record's fields: notes in `slots` those of the key, in `kept` those that are stored. Both are there
  /// already if the record before had fields of the same names.
  @inline(__always)
  private mutating func select(
    _ fields: UnsafeBufferPointer<FieldSlice>, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> Selection {
    if hasLiteralKey || !shape.withUnsafeBufferPointer({ Self.hasNames(fields, $0) })
      || slots.contains(where: {
        $0 >= 0 && fields[$0].kind == .literal
      })
    {
      lookThrough(fields, bytes)
    }
    var flaw = flaw
    if flaw == nil, idField >= 0, !RecordID.isOne(Self.text(idField, fields, bytes), fields[idField].kind) {
      flaw = .noID
    }
    var (size, inKey, largest) = (0, 0, 0)
    for (index, part) in kept {
      let length = Int(fields[index].length)
      size += length
      if part >= 0 { inKey += length }
      largest = max(largest, length)
    }
    return Selection(
      flaw: flaw, textSize: size, keyTextSize: inKey, largestText: largest, stored: size + keptOverhead)
  }

  /// What was found out about a record's fields.
  private struct Selection {
    var flaw: UnindexableRecord.Flaw?
    /// Of the texts that are stored, in bytes; of those of them that the key is made from; of the longest.
    var textSize: Int
    var keyTextSize: Int
    var largestText: Int
    /// In bytes, of the texts with all that a header says of them.
    var stored: Int
  }

  /// How long the parts of a blob are, in bytes.
  private struct Layout {
    var isWide: Bool
    var headerSize: Int
    var foldedCount: Int
    var keyCount: Int
    /// Of the texts that are not in the key.
    var textSize: Int

    @inline(__always) var size: Int { headerSize + foldedCount + keyCount + textSize }
    @inline(__always) var hasTextsInKey: Bool { keyCount <= RecordBlob.shortKeyLimit }
  }

  /// What the blob of the record that was looked through last will look like.
  @inline(__always)
  private func layout(
    _ fields: UnsafeBufferPointer<FieldSlice>, _ selection: Selection, foldedCount: Int
  ) -> Layout {
    let keyCount = keyCount(fields)
    let isWide = RecordBlob.isWide(
      folded: foldedCount, key: keyCount, fields: kept.count, largestName: largestName,
      largestText: selection.largestText)
    var layout = Layout(
      isWide: isWide, headerSize: RecordBlob.headerSize(fields: kept.count, isWide: isWide), foldedCount: foldedCount,
      keyCount: keyCount, textSize: selection.textSize)
    if layout.hasTextsInKey { layout.textSize -= selection.keyTextSize }
    return layout
  }

  @inline(__always)
  private static func hasNames(
    _ fields: UnsafeBufferPointer<FieldSlice>, _ names: UnsafeBufferPointer<UInt32>
  ) -> Bool {
    guard fields.count == names.count else { return false }
    for index in 0..<names.count where fields[index].name != names[index] { return false }
    return true
  }

  private mutating func lookThrough(
    _ fields: UnsafeBufferPointer<FieldSlice>, _ bytes: UnsafeBufferPointer<UInt8>
  ) {
    for index in slots.indices { slots[index] = -1 }
    kept.removeAll(keepingCapacity: true)
    shape.removeAll(keepingCapacity: true)
    var hasKey = false
    var structure: UnindexableRecord.Flaw?
    (keptOverhead, largestName, hasLiteralKey, idField) = (0, 0, false, -1)
    for index in fields.indices {
      shape.append(fields[index].name)
      let role = roles[Int(fields[index].name)]
      var isInKey = role.slot >= 0 && slots[role.slot] < 0
      if isInKey, fields[index].kind == .literal {
        hasLiteralKey = true
        let first = Self.text(index, fields, bytes).first
        if first == UInt8(ascii: "n") { isInKey = false }
        if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") {
          structure = .structuredKeyField(template.fields[role.slot], isArray: first == UInt8(ascii: "["))
        }
      }
      if isInKey {
        slots[role.slot] = index
        hasKey = true
      }
      if role.isID, idField < 0 { idField = index }
      if role.isKept {
        kept.append((index, isInKey ? keyParts.firstIndex { $0.slot == role.slot } ?? -1 : -1))
        keptOverhead += role.nameSize + Self.fieldOverhead
        largestName = max(largestName, fields[index].name)
      }
    }
    flaw =
      !hasKey
      ? .noKeyField
      : structure != nil
        ? structure
        : id != nil && idField < 0 ? .noID : kept.count > ShardHeader.columnLimit ? .tooManyFields(kept.count) : nil
  }

  /// The text of a field; empty for -1, one that is not there.
  @inline(__always)
  private static func text(
    _ index: Int, _ fields: UnsafeBufferPointer<FieldSlice>, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8> {
    guard index >= 0 else { return UnsafeBufferPointer(start: nil, count: 0) }
    let field = fields[index]
    return UnsafeBufferPointer(rebasing: bytes[Int(field.offset)..<Int(field.offset) + Int(field.length)])
  }

  /// Bytes of the key of the record that was looked through last.
  @inline(__always)
  private func keyCount(_ fields: UnsafeBufferPointer<FieldSlice>) -> Int {
    var count = 0
    for part in keyParts {
      let slot = part.slot < 0 ? -1 : slots[part.slot]
      count += part.slot < 0 ? part.literalCount : slot < 0 ? 0 : Int(fields[slot].length)
    }
    return count
  }

  /// Writes the key of the record that was looked through last, and notes where its parts are.
  @inline(__always)
  private mutating func writeKey(
    _ fields: UnsafeBufferPointer<FieldSlice>, _ bytes: UnsafeBufferPointer<UInt8>, to target: UnsafeMutableRawPointer
  ) {
    var offset = 0
    for number in keyParts.indices {
      let part = keyParts[number]
      partOffsets[number] = offset
      if part.slot < 0 {
        literals.withUnsafeBytes {
          (target + offset).copyMemory(from: $0.baseAddress! + part.literalStart, byteCount: part.literalCount)
        }
        offset += part.literalCount
      } else {
        offset += Self.copy(Self.text(slots[part.slot], fields, bytes), to: target + offset, endOfSource: bytes)
      }
    }
  }

  /// Writes what stands before and behind a blob's keys, and takes it in.
  ///
  /// - Parameter tailCount: nil if it is not known.
  @inline(__always)
  private mutating func finish(
    _ blob: UnsafeMutableRawPointer, _ layout: Layout, _ fields: UnsafeBufferPointer<FieldSlice>,
    _ bytes: UnsafeBufferPointer<UInt8>, tailCount known: Int?, into chunk: RecordArena
  ) {
    let tail: Int
    if let known {
      tail = known
    } else {
      let folded = UnsafeBufferPointer(
        start: UnsafePointer((blob + layout.headerSize).assumingMemoryBound(to: UInt8.self)), count: layout.foldedCount)
      tail = lastField.map { tailCount(Self.text(slots[$0], fields, bytes), of: folded) } ?? 0
    }
    RecordBlob.writeHeader(
      blob, isWide: layout.isWide, size: layout.size, folded: layout.foldedCount, tail: tail, key: layout.keyCount,
      fields: kept.count)
    var offset = layout.headerSize + layout.foldedCount + layout.keyCount
    for number in kept.indices {
      let (index, part) = kept[number]
      let field = fields[index]
      let isInKey = part >= 0 && layout.hasTextsInKey
      RecordBlob.writeField(
        blob, isWide: layout.isWide, number, name: field.name, kind: field.kind, size: Int(field.length),
        place: isInKey ? partOffsets[part] : RecordBlob.nowhere)
      if !isInKey { offset += Self.copy(Self.text(index, fields, bytes), to: blob + offset, endOfSource: bytes) }
    }
    chunk.commit()
  }

  private mutating func encode(
    _ fields: UnsafeBufferPointer<FieldSlice>, _ bytes: UnsafeBufferPointer<UInt8>, into chunk: RecordArena
  ) -> UnindexableRecord.Flaw? {
    let selection = select(fields, bytes)
    if let flaw = selection.flaw { return flaw }
    let stored = selection.stored

    // A short key is put together where it will stand, behind room for its fold, and folded there if it is ASCII.
    var layout = layout(fields, selection, foldedCount: 0)
    var start: UnsafeMutableRawPointer?
    if layout.keyCount <= Self.shortKey, stored <= Self.recordLimit {
      let room = layout.keyCount + 8  // The fold takes whole words.
      let blob = chunk.reserve(layout.size + room)
      let raw = blob + layout.headerSize + room
      writeKey(fields, bytes, to: raw)
      let key = UnsafeBufferPointer(
        start: UnsafePointer(raw.assumingMemoryBound(to: UInt8.self)), count: layout.keyCount)
      let target = UnsafeMutableBufferPointer(
        start: (blob + layout.headerSize).assumingMemoryBound(to: UInt8.self), count: room)
      if let count = Fold.foldASCII(key, into: target) {
        memmove(blob + layout.headerSize + count, raw, layout.keyCount)
        start = blob
        layout.foldedCount = count  // No more than of the key: the header stays as it is.
      }
    }
    if start == nil {
      key.removeAll(keepingCapacity: true)
      for number in keyParts.indices {
        let part = keyParts[number]
        partOffsets[number] = key.count
        if part.slot < 0 {
          key.append(contentsOf: literals[part.literalStart..<part.literalStart + part.literalCount])
        } else {
          key.append(contentsOf: Self.text(slots[part.slot], fields, bytes))
        }
      }
      folded.removeAll(keepingCapacity: true)
      key.withUnsafeBufferPointer { Fold.fold($0, into: &folded) }
      guard folded.count <= Self.foldedKeyLimit else { return .keyTooLong(folded.count) }
      layout = self.layout(fields, selection, foldedCount: folded.count)
      guard layout.size <= Self.blobLimit else { return .tooLarge(layout.size) }
      guard stored <= Self.recordLimit else { return .tooLarge(stored) }
      let blob = chunk.reserve(layout.size)
      let target = blob + layout.headerSize
      folded.withUnsafeBytes { if let base = $0.baseAddress { memcpy(target, base, $0.count) } }
      key.withUnsafeBytes { if let base = $0.baseAddress { memcpy(target + folded.count, base, $0.count) } }
      start = blob
    }
    if layout.foldedCount == 0 { emptyKeyCount += 1 }
    finish(start!, layout, fields, bytes, tailCount: nil, into: chunk)
    return nil
  }

  /// Copies a text into a chunk, behind whose blobs there is room for 16 bytes more, and returns its size.
  @inline(__always)
  private static func copy(
    _ text: UnsafeBufferPointer<UInt8>, to target: UnsafeMutableRawPointer, endOfSource all: UnsafeBufferPointer<UInt8>
  ) -> Int {
    guard let source = text.baseAddress else { return 0 }
    if text.count <= 16, all.baseAddress! + all.count - source >= 16 {
      // Most are that short: two words, of which what is too much is written over.
      let words = UnsafeRawPointer(source).loadUnaligned(as: SIMD2<UInt64>.self)
      target.storeBytes(of: words, as: SIMD2<UInt64>.self)
    } else {
      target.copyMemory(from: source, byteCount: text.count)
    }
    return text.count
  }

  /// Bytes at the folded key's end that are the fold of `last` behind a separator; 0 when they are not.
  private mutating func tailCount(
    _ last: UnsafeBufferPointer<UInt8>, of folded: UnsafeBufferPointer<UInt8>
  ) -> Int {
    guard !last.isEmpty else { return 0 }
    func count(_ tail: UnsafeBufferPointer<UInt8>) -> Int {
      let before = folded.count - tail.count - 1
      guard !tail.isEmpty, before >= 0, folded[before] == Fold.separator,
        equalBytes(UnsafeBufferPointer(rebasing: folded[(before + 1)...]), tail)
      else { return 0 }
      return tail.count
    }
    if last.count <= Self.shortKey {
      let short = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.shortKey + 8) { target -> Int? in
        Fold.foldASCII(last, into: target).map { count(UnsafeBufferPointer(rebasing: target[..<$0])) }
      }
      if let short { return short }
    }
    tail.removeAll(keepingCapacity: true)
    Fold.fold(last, into: &tail)
    return tail.withUnsafeBufferPointer { count($0) }
  }
}
