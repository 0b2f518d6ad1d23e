// What the builder and the command line see of the engine, beside what is public.

extension ShardedIndex {
  /// The generation that this index answers from.
  package var generation: Manifest { current.manifest }
  /// Whether the directory has another manifest than that generation's by now.
  package var isSuperseded: Bool { current.isSuperseded }
  package var files: IndexDirectory { current.directory }
  package var contexts: DecompressorPool { current.loader.contexts }
  package var fieldSchema: Schema { current.schema }
  /// What of the generation is changed beside its shards; nil if nothing is.
  package var overlay: Overlay? { current.overlay }
  /// How many fields records may have.
  package var fieldCount: Int { current.manifest.fieldCount }

  /// As ``matches(forPrefix:limit:)`` for a prefix that is folded already.
  package func matches(forFoldedPrefix prefix: UnsafeBufferPointer<UInt8>) throws(IndexError) -> Matches {
    try matches(forTyped: prefix, limit: .max)
  }

  /// The records of the shards whose folded key begins with `prefix`, whatever the overlay says. A space is a space here.
  package func matchesInShards(forFoldedPrefix prefix: UnsafeBufferPointer<UInt8>) throws(IndexError) -> Matches {
    try current.matches(forFolded: prefix, limit: .max)
  }
}

extension Matches {
  /// Of the generation that the answer is of.
  package var fieldSchema: Schema { generation.schema }
  package var manifest: Manifest { generation.manifest }
  package var overlay: Overlay? { generation.overlay }
  /// All records of it.
  package var recordCount: Int { generation.recordCount }

  /// Which of the matches stands at a position among all records of the index; nil if none does.
  package func index(ofPosition position: Int) -> Int? {
    var before = 0
    for run in positions {
      if run.contains(position) { return before + position - run.lowerBound }
      before += run.count
    }
    return nil
  }

  /// Calls `body` with the folded keys of some of the matches, in order.
  package func forEachFoldedKey(
    in positions: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) throws(IndexError) {
    try forEachFoldedKey(
      from: range.lowerBound + positions.lowerBound, to: range.lowerBound + positions.upperBound, body)
  }
}

extension Schema {
  /// The number of the field with this path.
  package func fieldNumber(of path: UnsafeBufferPointer<UInt8>) -> Int? {
    names.firstIndex { $0.utf8.elementsEqual(path) }
  }
}

extension RecordBuffer {
  /// One field where it lies in the buffer; valid until the buffer is used again.
  package struct RawField {
    /// Index into the index's field names.
    package var name: Int
    package var kind: ValueKind
    package var text: UnsafeBufferPointer<UInt8>
    /// What it gives a key that is made from it: nothing where it is `null`.
    package var keyText: UnsafeBufferPointer<UInt8> {
      ValueKind.isNull(kind.rawValue, text) ? UnsafeBufferPointer(start: nil, count: 0) : text
    }
  }

  /// Where record `record`'s fields stand among all fields of the buffer.
  package func rawFields(ofRecord record: Int) -> Range<Int> {
    renderNumbers()
    return fieldRange(record)
  }

  package func rawField(_ number: Int) -> RawField {
    let field = output.pointee.fields[number]
    let text = UnsafeBufferPointer(start: UnsafePointer(output.pointee.bytes) + Int(field.value), count: field.size)
    return RawField(name: Int(field.name), kind: ValueKind(rawValue: field.kind) ?? .string, text: text)
  }

  /// Calls `body` with the fields of all records, one after the other: where each stands among them, name and kind as in
  /// ``RawField``, where among ``rawTexts`` the text begins, and its size, in bytes.
  package func forEachRawField(
    _ body: (_ number: Int, _ name: Int, _ kind: ValueKind, _ offset: Int, _ size: Int) -> Void
  ) {
    renderNumbers()
    let fields = output.pointee.fields
    for number in 0..<rawFieldCount {
      let field = fields[number]
      body(number, Int(field.name), ValueKind(rawValue: field.kind) ?? .string, Int(field.value), field.size)
    }
  }

  /// How many fields all records have together.
  package var rawFieldCount: Int { count == 0 ? 0 : fieldRange(count - 1).upperBound }

  /// The texts of all fields, once those of a record have been asked for; valid until the buffer is used again.
  package var rawTexts: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: UnsafePointer(output.pointee.bytes), count: output.pointee.byteCount)
  }

  /// Whether a record has more bytes than any may have; some of its texts are left out then.
  package var isOverlong: Bool { output.pointee.isOverlong }

  package func rawName(ofField number: Int) -> UInt16 { output.pointee.fields[number].name }

  /// Empties the buffer, to decode into it anew.
  package func clear() { removeAll() }
}

/// One part of a shard, read and checked past the cache.
package struct PartContent {
  package let number: Int
  /// Counted within the shard.
  package let firstRecord: Int
  /// What the shard's header says the part begins with at the lowest.
  package let bound: UnsafeBufferPointer<UInt8>
  package let isContinuation: Bool
  /// Bytes of its frames decompressed, were nothing packed in them.
  package var unpackedSize: Int { keys.unpackedSize + columns.unpackedSize }
  private let keys: KeyBlocks
  private let columns: FieldColumns

  fileprivate init(_ number: Int, of header: ShardHeader, _ keys: KeyBlocks, _ columns: FieldColumns) {
    let part = header.parts[number]
    self.number = number
    firstRecord = part.firstRecord
    bound = header.parts.bound(of: number)
    isContinuation = part.isContinuation
    self.keys = keys
    self.columns = columns
  }

  package var count: Int { keys.count }

  // What a query believes and ``Verifier`` does not: it would lead to wrong answers, never out of the content.

  /// Whether the shard's tails ascend, each once.
  package var hasOrderedTails: Bool {
    for tail in 0..<max(0, keys.tailCount - 1) where !keys.tail(tail).lexicographicallyPrecedes(keys.tail(tail + 1)) {
      return false
    }
    return true
  }

  /// The first record that says to share more or less with the stem before than it does; nil if none does.
  package var firstWrongShared: Int? {
    let room = keys.longestStem + 64
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * room) { scratch in
      let (stem, before) = (scratch.baseAddress!, scratch.baseAddress! + room)
      var beforeSize = 0
      var cursor = StemCursor(keys, at: 0, buffer: stem)
      for record in 0..<keys.count {
        if record > 0 { cursor.advance() }
        var common = 0
        let limit = min(beforeSize, cursor.stemSize)
        while common < limit, before[common] == cursor.stem[common] { common += 1 }
        if common != keys.sharedSize(record) { return record }
        beforeSize = cursor.stemSize
        before.copy(from: cursor.stem, count: beforeSize)
      }
      return nil
    }
  }

  /// The first block whose rows of numbers have another size than is given for them; nil if all are right.
  package var firstMisplacedRows: Int? { columns.firstMisplacedRows(keys: keys) }

  /// Records that may be decoded at once without taking more memory than one may.
  package var recordsAtOnce: Int { columns.isNarrow(keys) ? 256 : 1 }

  /// Empties `buffer` and decodes some of the part's records into it; see ``RecordBuffer/isOverlong``.
  package func decode(_ range: Range<Int>, into buffer: RecordBuffer) {
    buffer.removeAll()
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: FieldColumns.scratchSize(keys)) { scratch in
      columns.decode(range, keys: keys, scratch: scratch.baseAddress!, into: &buffer.output.pointee)
    }
  }

  /// Calls `number` or `text` with each record's field of this number, as it is stored; with the first, where a record
  /// has it twice.
  ///
  /// - Parameter buffer: Used where the column has to be decoded for it.
  package func forEachField(
    _ field: Int, with buffer: RecordBuffer, number: (_ record: Int, Int64, NumberFormat) -> Void,
    text: (_ record: Int, UnsafeBufferPointer<UInt8>, ValueKind) -> Void
  ) {
    let isNumber = columns.forEachNumber(named: field, keys: keys) { record, value, format, literal, kind in
      if format.type == 0 { text(record, literal, kind) } else { number(record, value, format) }
    }
    if isNumber { return }
    for start in stride(from: 0, to: count, by: 256) {
      decode(start..<min(start + 256, count), into: buffer)
      for record in 0..<buffer.count {
        guard let found = buffer.rawFields(ofRecord: record).first(where: { Int(buffer.rawName(ofField: $0)) == field })
        else { continue }
        let field = buffer.rawField(found)
        text(start + record, field.text, field.kind)
      }
    }
  }

  /// Calls `body` with each folded key, in order.
  package func forEachKey(_ body: (Int, UnsafeBufferPointer<UInt8>) -> Void) {
    keys.forEachKey(in: 0..<keys.count, body)
  }

  /// The same for some records, with the size of the key's tail; nil in a shard without tails.
  package func forEachKey(in range: Range<Int>, _ body: (Int, UnsafeBufferPointer<UInt8>, _ tailSize: Int?) -> Void) {
    keys.forEachKey(in: range) { record, key in
      body(record, key, keys.tailCount > 0 ? keys.tail(Int(keys.tails[record])).count : nil)
    }
  }
}

extension ShardedIndex {
  /// Reads a shard from its file, checks it as a query would, and hands out its parts one by one.
  package func readWhole<Failure: Error>(
    _ shard: Manifest.Shard, _ body: (PartContent) throws(Failure) -> Void
  ) throws(IndexError) -> Result<Void, Failure> {
    try read(shard, parts: { 0..<$0.count }, body)
  }

  /// The same for the first part alone.
  package func readFirst<Failure: Error>(
    _ shard: Manifest.Shard, _ body: (PartContent) throws(Failure) -> Void
  ) throws(IndexError) -> Result<Void, Failure> {
    try read(shard, parts: { _ in 0..<1 }, body)
  }

  /// The same for the last part alone.
  package func readLast<Failure: Error>(
    _ shard: Manifest.Shard, _ body: (PartContent) throws(Failure) -> Void
  ) throws(IndexError) -> Result<Void, Failure> {
    try read(shard, parts: { $0.count - 1..<$0.count }, body)
  }

  /// The numbers of the fields that a shard's records have, in the order of its columns.
  package func fieldNumbers(of shard: Manifest.Shard) throws(IndexError) -> [UInt32] {
    let header = try current.read(shard.source, nil) { _ in 0 }.0.header
    return (0..<header.columnCount).map { UInt32(header.layout.pointee.columns[$0].name) }
  }

  /// The same for the parts that may have folded keys from one to another, both included; for all if `keys` is nil.
  package func read<Failure: Error>(
    _ shard: Manifest.Shard, keys: (least: [UInt8], greatest: [UInt8])?, _ body: (PartContent) throws(Failure) -> Void
  ) throws(IndexError) -> Result<Void, Failure> {
    try read(
      shard,
      parts: { parts in
        guard let keys else { return 0..<parts.count }
        let first = keys.least.withUnsafeBufferPointer { parts.first(for: $0, head: KeyBlocks.head(of: $0)) }
        let last = keys.greatest.withUnsafeBufferPointer {
          parts.last(for: $0, head: KeyBlocks.head(of: $0), from: first)
        }
        return first..<last + 1
      }, body)
  }

  private func read<Failure: Error>(
    _ shard: Manifest.Shard, parts: (PartTable) -> Range<Int>, _ body: (PartContent) throws(Failure) -> Void
  ) throws(IndexError) -> Result<Void, Failure> {
    let generation = current
    return try shard.source.withFileName { (name) throws(IndexError) in
      var failure: Failure?
      try generation.loader.parts(
        name, shard.source, choose: parts, fieldNumber: { generation.manifest.fieldNumber(of: $0) }
      ) { loaded, part, columns in
        do throws(Failure) {
          try body(PartContent(part.number, of: loaded.header, part.keys, columns))
          return true
        } catch {
          failure = error
          return false
        }
      }
      return failure.map { .failure($0) } ?? .success(())
    }
  }
}

extension ShardedIndex {
  /// What of a shard is in memory, in bytes.
  package struct Resident: Sendable {
    /// Of its file.
    package var read = 0
    package var decompressed = 0
    package var parts = 0
    package var partCount = 0
  }

  /// What queries have loaded of a shard; nil if it is not resident. Is no use of it.
  package func resident(_ shard: Manifest.Shard) -> Resident? {
    let file = shard.file
    return current.resident(shard.number) { loaded, parts in
      var resident = Resident()
      resident.partCount = loaded.header.parts.count
      resident.parts = parts.count
      resident.read = file.headerSize
      resident.decompressed = file.headerContentSize
      for part in parts {
        let entry = loaded.header.parts[part.number]
        resident.read += entry.fileSize
        resident.decompressed += entry.keysContentSize + (part.isUnpacked ? entry.fieldsContentSize : 0)
      }
      return resident
    }
  }
}
