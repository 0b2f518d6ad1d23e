import ShardedIndex

/// An overlay as it is put together. The same changes to the same shards give the same bytes, in whatever order they came, but
/// for what came to be known of the shards' ids.
///
/// Part of the executable that answers queries, where that is Embedded Swift.
struct OverlayDraft {
  /// A record that is added.
  private enum Added {
    /// As it came, in one of the chunks.
    case record(RecordBlob)
    /// As the overlay has it that was there before.
    case kept(Int)
  }

  private let index: ShardedIndex
  private let order: RecordOrder
  private let cellFinder: CellFinder
  private var source: IndexedRecords
  private var encoder: RecordEncoder
  /// The overlay that was taken over.
  private var overlay: Overlay?
  /// Places among the records of the shards, ascending.
  private(set) var removed: [Int] = []
  /// In order; `before` says how many records of the shards are before each.
  private var added: [(before: Int, record: Added)] = []
  /// In which the records that are added lie.
  private var chunks: [RecordArena] = []
  private var cells = CellChanges()
  /// See ``Overlay/greatestID``.
  var greatestID = UInt64.max

  /// More is written into the shards: an overlay is read whole when an index is opened. In bytes, of a file and what is
  /// going to be added to it.
  static let usualLimit = 64 << 10

  /// Without changes.
  ///
  /// - Parameter names: The index's field names by their numbers there, and any others.
  init(_ index: ShardedIndex, template: KeyTemplate, names: FieldNames) {
    self.index = index
    order = RecordOrder(names: names)
    cellFinder = CellFinder(names: names.names)
    source = IndexedRecords(index, template: template, names: names)
    encoder = RecordEncoder(template: template)
    encoder.learn(names)
  }

  /// Records that it adds.
  var addedCount: Int { added.count }

  private mutating func count(_ record: RecordBlob, _ more: Int) {
    if let cell = cellFinder.cell(of: record) { cells.add(more, to: cell) }
  }

  /// Takes over an overlay of the index, but for some of the records that it adds. Nothing was changed before.
  ///
  /// - Parameters:
  ///   - field: By which records are told apart.
  ///   - isReplaced: Told of each record's id.
  mutating func take(
    _ overlay: Overlay, field: UInt32, except isReplaced: (UnsafeBufferPointer<UInt8>) -> Bool
  ) throws(BuildError) {
    self.overlay = overlay
    (removed, greatestID) = (overlay.removed, overlay.greatestID)
    for (cell, more) in overlay.cells { cells.add(more, to: cell) }
    for number in overlay.added.indices {
      if let id = Self.id(of: number, in: overlay, field), isReplaced(id) {
        let chunk = try chunk(of: number, in: overlay)
        chunks.append(chunk)
        count(chunk.record(0), -1)
      } else {
        added.append((overlay.added[number].before, .kept(number)))
      }
    }
  }

  private static func id(of number: Int, in overlay: Overlay, _ name: UInt32) -> UnsafeBufferPointer<UInt8>? {
    var found: Overlay.Field?
    overlay.forEachField(of: number) { if found == nil, $0.name == Int(name) { found = $0 } }
    guard let found, let kind = FieldKind(rawValue: found.kind), RecordID.isOne(found.text, kind) else { return nil }
    return found.text
  }

  /// A record that an overlay adds, as a build reads it.
  private mutating func chunk(of number: Int, in overlay: Overlay) throws(BuildError) -> RecordArena {
    let bytes = overlay.bytes
    var fields: [FieldSlice] = []
    overlay.forEachField(of: number) { field in
      fields.append(
        FieldSlice(
          name: UInt32(field.name), kind: FieldKind(rawValue: field.kind)!,
          offset: UInt32(clamping: field.text.baseAddress! - bytes.baseAddress!),
          length: UInt32(clamping: field.text.count)))
    }
    let chunk = RecordArena(capacity: 0)
    fields.withUnsafeBufferPointer {
      encoder.append($0, bytes, folded: overlay.folded(number), tailSize: nil, into: chunk)
    }
    guard chunk.count == 1 else {
      let cause = FormatError.invalid(reason: "adds a record that no build makes", offset: 0)
      throw .index(.corrupt(path: index.directory.filePath(Overlay.fileName), cause: cause))
    }
    return chunk
  }

  /// The record that stands somewhere among those that are added; valid as long as the draft is.
  private mutating func record(_ place: Int) throws(BuildError) -> RecordBlob {
    switch added[place].record {
    case .record(let record): return record
    case .kept(let number):
      let chunk = try chunk(of: number, in: overlay!)
      chunks.append(chunk)
      return chunk.record(0)
    }
  }

  /// Whether it is known that no record of the shards has an id.
  func isNew(_ id: UnsafeBufferPointer<UInt8>) -> Bool { Overlay.wholeNumber(id).map { $0 > greatestID } ?? false }

  /// All records that it adds.
  mutating func records() throws(BuildError) -> RecordArena {
    let all = RecordArena(capacity: 4096)
    for place in added.indices { all.append(try record(place)) }
    return all
  }

  /// Removes a record of the shards, which was there.
  mutating func remove(_ place: Int) throws(BuildError) {
    let all = try BuildError.ofIndex { () throws(IndexError) in
      try index.matchesInShards(forFoldedPrefix: UnsafeBufferPointer(start: nil, count: 0))
    }
    if let cell = try source.withRecord(place, of: all, { cellFinder.cell(of: $0) }) { cells.add(-1, to: cell) }
    removed.insert(place, at: removed.firstIndex { $0 > place } ?? removed.count)
  }

  /// Adds a record.
  ///
  /// One that is as one of those that are removed takes its place: it stays in its shard.
  mutating func add(_ record: RecordBlob) throws(BuildError) {
    count(record, 1)
    let (place, isThere) = try self.place(of: record)
    if isThere, let number = removed.firstIndex(of: place) {
      removed.remove(at: number)
      return
    }
    let chunk = RecordArena(capacity: record.size)
    chunk.append(record)
    chunks.append(chunk)
    var (low, high) = (0, added.count)
    while low < high {
      let middle = (low + high) / 2
      if order.compare(try self.record(middle), record) > 0 { high = middle } else { low = middle + 1 }
    }
    added.insert((place, .record(chunk.record(0))), at: low)
  }

  /// How many records of the shards come before a record, and whether the next one is the same.
  private mutating func place(of record: RecordBlob) throws(BuildError) -> (Int, isThere: Bool) {
    let found = try BuildError.ofIndex { () throws(IndexError) in
      try index.matchesInShards(forFoldedPrefix: record.folded)
    }
    var (low, high) = (0, found.count)
    var isThere = false
    while low < high {
      let middle = (low + high) / 2
      let comparison = try source.withRecord(middle, of: found) { order.compare($0, record) }
      if comparison == 0 { isThere = true }
      if comparison < 0 { low = middle + 1 } else { high = middle }
    }
    return (found.firstPosition + low, isThere)
  }

  /// Whether the texts of a field say where a record of the shards stands that has this folded key: its place; nil if none
  /// has, or one must look elsewhere.
  ///
  /// - Parameter limit: At how many records with the key to look.
  mutating func place(
    ofKey folded: UnsafeBufferPointer<UInt8>, field: UInt32, text: UnsafeBufferPointer<UInt8>, limit: Int
  ) throws(BuildError) -> Int? {
    let found = try BuildError.ofIndex { () throws(IndexError) in
      try index.matchesInShards(forFoldedPrefix: folded)
    }
    for number in 0..<min(found.count, limit) {
      let place = found.firstPosition + number
      let (isKey, isFound) = try source.withRecord(number, of: found) { record in
        (record.foldedCount == folded.count, record.id(ofField: field).map { equalBytes($0, text) } ?? false)
      }
      guard isKey else { return nil }
      if isFound, index.generation.overlay?.isRemoved(place) != true { return place }
    }
    return nil
  }

  /// The overlay; nil if nothing is changed.
  func encoded() -> [UInt8]? {
    guard !removed.isEmpty || !added.isEmpty else { return nil }
    let cells = cells.sums.filter { $0.more != 0 }
    var body = ByteWriter()
    body.write(UInt32(removed.count))
    body.write(UInt32(added.count))
    body.write(UInt32(cells.count))
    body.write(UInt32(0))  // The size.
    body.write(greatestID)
    var next = 0
    for place in removed {
      body.writeSignedVarint(Int64(place - next))
      next = place + 1
    }
    next = 0
    for (before, record) in added {
      body.writeSignedVarint(Int64(before - next))
      next = before
      switch record {
      case .kept(let number): body.write(overlay!.content(number))
      case .record(let record): Self.write(record, to: &body)
      }
    }
    next = 0
    for (cell, more) in cells {
      body.writeVarint(cell - next)
      body.writeSignedVarint(Int64(more))
      next = cell + 1
    }
    return Self.whole(body.bytes, beside: index.generation.manifest)
  }

  /// An overlay of what it says behind the manifest that it names, with all before that, and its size put in.
  static func whole(_ body: [UInt8], beside manifest: Manifest) -> [UInt8] {
    var checked = ByteWriter()
    checked.write(UInt64(manifest.fileSize))
    checked.write(manifest.rootChecksum)
    checked.write(body)
    var size = UInt32(Overlay.checkedFrom + checked.bytes.count)
    let start = Overlay.sizeOffset - Overlay.checkedFrom
    for offset in start..<start + 4 where offset < checked.bytes.count {
      checked.bytes[offset] = UInt8(truncatingIfNeeded: size)
      size >>= 8
    }
    var whole = ByteWriter()
    Overlay.writeStart(to: &whole)
    whole.write(checked.bytes.withUnsafeBufferPointer { Overlay.checksum(of: $0) })
    whole.write(checked.bytes)
    return whole.bytes
  }

  private static func write(_ record: RecordBlob, to body: inout ByteWriter) {
    body.writeVarint(record.foldedCount)
    body.write(record.folded)
    body.writeVarint(record.fieldCount)
    for field in 0..<record.fieldCount {
      body.writeVarint(Int(record.fieldName(field)))
      body.writeVarint(record.fieldSize(field) << 2 | Int(record.fieldKind(field).rawValue))
    }
    var offset = record.textsOffset
    for field in 0..<record.fieldCount { body.write(record.text(field, &offset)) }
  }

  /// Why no update makes an overlay like this; nil if one would make the very same.
  static func fault(of overlay: Overlay, in index: ShardedIndex) throws(BuildError) -> String? {
    var names = FieldNames()
    for name in index.fieldNames { _ = names.number(of: name) }
    guard names.names.count == index.fieldNames.count else { return "is beside a manifest that names a field twice" }
    var draft = OverlayDraft(index, template: try KeyTemplate(index.keyTemplate), names: names)
    draft.greatestID = overlay.greatestID
    for place in overlay.removed { try draft.remove(place) }
    var folded: [UInt8] = []
    for number in overlay.added.indices {
      let chunk = try draft.chunk(of: number, in: overlay)
      try withExtendedLifetime(chunk) { () throws(BuildError) in try draft.add(chunk.record(0)) }
      folded.removeAll(keepingCapacity: true)
      Fold.fold(chunk.record(0).key, into: &folded)
      guard overlay.folded(number).elementsEqual(folded) else {
        return "adds a record, number \(number), under a key that is not the fold of its own"
      }
    }
    guard let made = draft.encoded(), made.elementsEqual(overlay.bytes) else {
      return "is not what an update makes of its changes"
    }
    return nil
  }
}
