import ShardedIndex

/// The changes for an overlay's file.
///
/// The same changes to the same shards give the same bytes in any order, except for ``greatestID``.
package struct OverlayDraft {
  /// An added record.
  private enum AddedRecord {
    /// The record of a change, in one of `arenas`.
    case record(RecordBlob)
    /// The number of a record in the first overlay of the draft.
    case kept(Int)
  }

  private let index: ShardedIndex
  private let order: RecordOrder
  private let cellFinder: CellFinder
  private var source: IndexedRecords
  private var encoder: RecordEncoder
  /// The first overlay of the draft.
  private var overlay: Overlay?
  /// The positions of removed records in the shards, ascending.
  private(set) var removed: [Int] = []
  /// The added records, in order; `before` is the number of records of the shards before each.
  private var added: [(before: Int, record: AddedRecord)] = []
  /// The memory of added records.
  private var arenas: [RecordArena] = []
  private var cells = CellChanges()
  /// See ``Overlay/greatestID``.
  var greatestID = UInt64.max

  /// The limit in bytes of an overlay with its next changes, above which an update writes them into shards. Opening an
  /// index reads the whole overlay.
  static let usualLimit = 64 << 10

  /// Makes a draft without changes.
  ///
  /// - Parameter names: The index's field names by their numbers there, then any other names.
  init(_ index: ShardedIndex, template: KeyTemplate, names: FieldNames) {
    self.index = index
    order = RecordOrder(names: names)
    cellFinder = CellFinder(
      names: names.names, IndexSettings(of: index.generation.manifest.root).coordinateFields)
    source = IndexedRecords(index, template: template, names: names)
    encoder = RecordEncoder(template: template)
    encoder.learn(names)
  }

  /// The number of added records.
  var addedCount: Int { added.count }

  private mutating func count(_ record: RecordBlob, _ more: Int) {
    if let cell = cellFinder.cell(of: record) { cells.add(more, to: cell) }
  }

  /// Takes over the changes of the index's overlay, without some of its added records. The draft must be empty.
  ///
  /// - Parameters:
  ///   - field: The number of the id field's name.
  ///   - isReplaced: Called with the id of each added record; returns whether the record is left out.
  mutating func adopt(
    _ overlay: Overlay, field: UInt32, except isReplaced: (UnsafeBufferPointer<UInt8>) -> Bool
  ) throws(BuildError) {
    self.overlay = overlay
    (removed, greatestID) = (overlay.removed, overlay.greatestID)
    for (cell, more) in overlay.cells { cells.add(more, to: cell) }
    for number in overlay.added.indices {
      if let id = unsafe Self.id(of: number, in: overlay, field), unsafe isReplaced(id) {
        let arena = try arena(of: number, in: overlay)
        arenas.append(arena)
        count(arena.record(0), -1)
      } else {
        added.append((overlay.added[number].before, .kept(number)))
      }
    }
  }

  private static func id(of number: Int, in overlay: Overlay, _ name: UInt32) -> UnsafeBufferPointer<UInt8>? {
    var found: Overlay.AddedField?
    overlay.forEachField(of: number) { if found == nil, $0.name == Int(name) { found = $0 } }
    guard let found, let kind = FieldKind(rawValue: found.kind), unsafe RecordID.isOne(found.text, kind) else {
      return nil
    }
    return unsafe found.text
  }

  /// Returns an arena with an added record of an overlay, as a build reads the record.
  private mutating func arena(of number: Int, in overlay: Overlay) throws(BuildError) -> RecordArena {
    let bytes = unsafe overlay.bytes
    var fields: [FieldSlice] = []
    overlay.forEachField(of: number) { field in
      unsafe fields.append(
        FieldSlice(
          name: UInt32(field.name), kind: FieldKind(rawValue: field.kind)!,
          offset: UInt32(clamping: field.text.baseAddress! - bytes.baseAddress!),
          length: UInt32(clamping: field.text.count)))
    }
    let arena = RecordArena(capacity: 0)
    unsafe fields.withUnsafeBufferPointer {
      unsafe encoder.append($0, bytes, folded: overlay.folded(number), suffixSize: nil, into: arena)
    }
    guard arena.count == 1 else {
      let cause = FormatError.invalid(reason: "adds a record that no build makes", offset: 0)
      throw .index(.corrupt(path: index.directory.filePath(Overlay.fileName), cause: cause))
    }
    return arena
  }

  /// Returns the added record at an index of `added`; valid as long as the draft.
  private mutating func record(_ index: Int) throws(BuildError) -> RecordBlob {
    switch added[index].record {
    case .record(let record): return record
    case .kept(let number):
      let arena = try arena(of: number, in: overlay!)
      arenas.append(arena)
      return arena.record(0)
    }
  }

  /// Returns whether no record of the shards can have an id, by ``greatestID``.
  func isNew(_ id: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe Overlay.wholeNumber(id).map { $0 > greatestID } ?? false
  }

  /// Returns all added records.
  mutating func records() throws(BuildError) -> RecordArena {
    let all = RecordArena(capacity: 4096)
    for index in added.indices { all.append(try record(index)) }
    return all
  }

  /// Removes the record at a position in the shards; it must not be removed already.
  mutating func remove(_ position: Int) throws(BuildError) {
    let all = try BuildError.ofIndex { () throws(IndexError) in
      try index.matchesInShards(forFoldedPrefix: .empty)
    }
    if let cell = try source.withRecord(position, of: all, { cellFinder.cell(of: $0) }) { cells.add(-1, to: cell) }
    removed.insert(position, at: removed.firstIndex { $0 > position } ?? removed.count)
  }

  /// Adds a record. If it equals a removed record, the removed record stays in its shard instead.
  mutating func add(_ record: RecordBlob) throws(BuildError) {
    count(record, 1)
    let (position, isThere) = try self.position(of: record)
    if isThere, let number = removed.firstIndex(of: position) {
      removed.remove(at: number)
      return
    }
    let arena = RecordArena(capacity: record.size)
    arena.append(record)
    arenas.append(arena)
    var (low, high) = (0, added.count)
    while low < high {
      let middle = (low + high) / 2
      if order.compare(try self.record(middle), record) > 0 { high = middle } else { low = middle + 1 }
    }
    added.insert((position, .record(arena.record(0))), at: low)
  }

  /// Returns the position of a record in the shards, and whether the record there is the same.
  private mutating func position(of record: RecordBlob) throws(BuildError) -> (Int, isThere: Bool) {
    let found = try BuildError.ofIndex { () throws(IndexError) in
      try unsafe index.matchesInShards(forFoldedPrefix: FoldedPrefix(record.folded))
    }
    var (low, high) = (0, found.count)
    var isThere = false
    while low < high {
      let middle = (low + high) / 2
      let comparison = try source.withRecord(middle, of: found) { order.compare($0, record) }
      if comparison == 0 { isThere = true }
      if comparison < 0 { low = middle + 1 } else { high = middle }
    }
    return (found.lowerBound + low, isThere)
  }

  /// Returns the position of a record of the shards that has this folded key and these texts of a field; nil if there
  /// is none, or if the search needs other means.
  ///
  /// - Parameter limit: The most records with the key to read.
  mutating func position(
    ofKey folded: UnsafeBufferPointer<UInt8>, field: UInt32, text: UnsafeBufferPointer<UInt8>, limit: Int
  ) throws(BuildError) -> Int? {
    let found = try BuildError.ofIndex { () throws(IndexError) in
      try unsafe index.matchesInShards(forFoldedPrefix: FoldedPrefix(folded))
    }
    for number in 0..<min(found.count, limit) {
      let position = found.lowerBound + number
      let (isKey, isFound) = try source.withRecord(number, of: found) { record in
        unsafe (
          record.foldedCount == folded.count, record.id(ofField: field).map { unsafe equalBytes($0, text) } ?? false
        )
      }
      guard isKey else { return nil }
      if isFound, index.generation.overlay?.isRemoved(position) != true { return position }
    }
    return nil
  }

  /// Returns the bytes of the overlay's file; nil if there are no changes.
  func encoded() -> [UInt8]? {
    guard !removed.isEmpty || !added.isEmpty else { return nil }
    let cells = cells.sums.filter { $0.more != 0 }
    var body = ByteWriter()
    body.write(UInt64(index.generation.manifest.fileSize))
    body.write(index.generation.manifest.rootChecksum)
    body.write(greatestID)
    body.write(UInt32(removed.count))
    body.write(UInt32(added.count))
    body.write(UInt32(cells.count))
    var next = 0
    for position in removed {
      body.writeSignedVarint(Int64(position - next))
      next = position + 1
    }
    next = 0
    for (before, record) in added {
      body.writeSignedVarint(Int64(before - next))
      next = before
      switch record {
      case .kept(let number): unsafe body.write(overlay!.content(number))
      case .record(let record): Self.write(record, to: &body)
      }
    }
    next = 0
    for (cell, more) in cells {
      body.writeVarint(cell - next)
      body.writeSignedVarint(Int64(more))
      next = cell + 1
    }
    var whole = ByteWriter()
    whole.write(Overlay.magic)
    whole.write(Overlay.version)
    unsafe whole.write(body.bytes.withUnsafeBufferPointer { unsafe Overlay.checksum(of: $0) })
    whole.write(body.bytes)
    return whole.bytes
  }

  private static func write(_ record: RecordBlob, to body: inout ByteWriter) {
    body.writeVarint(record.foldedCount)
    unsafe body.write(record.folded)
    body.writeVarint(record.fieldCount)
    for field in 0..<record.fieldCount {
      body.writeVarint(Int(record.fieldName(field)))
      body.writeVarint(record.fieldSize(field) << 2 | Int(record.fieldKind(field).rawValue))
    }
    var offset = record.textsOffset
    for field in 0..<record.fieldCount { unsafe body.write(record.text(field, &offset)) }
  }

  /// Returns the reason why no update makes such an overlay; nil if an update would make exactly these bytes.
  package static func fault(of overlay: Overlay, in index: ShardedIndex) throws(BuildError) -> String? {
    let names = FieldNames(index.fieldNames)
    guard names.names.count == index.fieldNames.count else { return "is beside a manifest that names a field twice" }
    var draft = OverlayDraft(index, template: try KeyTemplate(checking: index.keyTemplate), names: names)
    draft.greatestID = overlay.greatestID
    for position in overlay.removed { try draft.remove(position) }
    var folded: [UInt8] = []
    for number in overlay.added.indices {
      let arena = try draft.arena(of: number, in: overlay)
      try withExtendedLifetime(arena) { () throws(BuildError) in try draft.add(arena.record(0)) }
      folded.removeAll(keepingCapacity: true)
      unsafe Fold.fold(arena.record(0).key, into: &folded)
      guard unsafe overlay.folded(number).elementsEqual(folded) else {
        return "adds a record, number \(number), under a key that is not the fold of its own"
      }
    }
    guard let made = draft.encoded(), unsafe made.elementsEqual(overlay.bytes) else {
      return "differs from an update's overlay with these changes"
    }
    return nil
  }
}
