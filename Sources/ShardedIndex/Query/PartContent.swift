/// One part of a shard, read and checked without the cache.
@safe package struct PartContent {
  package let number: Int
  /// The part's first record, counted within the shard.
  package let firstRecord: Int
  /// The lower bound of the part's keys in the shard's header.
  package let bound: UnsafeBufferPointer<UInt8>
  package let isContinuation: Bool
  /// The decompressed size of its frames without packing, in bytes.
  package var unpackedSize: Int { keys.unpackedSize + columns.unpackedSize }
  private let keys: KeyBlocks
  private let columns: FieldColumns

  init(_ number: Int, of header: ShardHeader, _ keys: KeyBlocks, _ columns: FieldColumns) {
    let part = header.parts[number]
    self.number = number
    firstRecord = part.firstRecord
    unsafe bound = header.parts.bound(of: number)
    isContinuation = part.isContinuation
    self.keys = keys
    self.columns = columns
  }

  package var count: Int { keys.count }

  // The next properties check facts that queries trust. A fault here gives wrong answers, but no read outside the
  // content.

  /// Whether the shard's suffix fields ascend, each once.
  package var hasOrderedSuffixFields: Bool {
    for number in 0..<max(0, keys.suffixFieldCount - 1)
    where unsafe !keys.suffixField(number).lexicographicallyPrecedes(keys.suffixField(number + 1)) {
      return false
    }
    return true
  }

  /// The first record with a wrong size of the bytes that it shares with the stem before; nil if there is none.
  package var firstWrongShared: Int? {
    let room = keys.longestStem + 64
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * room) { scratch in
      let (stem, before) = unsafe (scratch.baseAddress!, scratch.baseAddress! + room)
      var beforeSize = 0
      var cursor = unsafe StemCursor(keys, at: 0, buffer: stem)
      for record in 0..<keys.count {
        if record > 0 { unsafe cursor.advance() }
        var common = 0
        let limit = unsafe min(beforeSize, cursor.stemSize)
        while common < limit, unsafe before[common] == cursor.stem[common] { common += 1 }
        if common != keys.sharedSize(record) { return record }
        beforeSize = unsafe cursor.stemSize
        unsafe before.copy(from: cursor.stem, count: beforeSize)
      }
      return nil
    }
  }

  /// The first block whose rows of numbers have another size than the file says; nil if there is none.
  package var firstMisplacedRows: Int? { columns.firstMisplacedRows(keys: keys) }

  /// The number of records to decode at once, within the memory of a single large record.
  package var recordsAtOnce: Int { columns.isNarrow(keys) ? 256 : 1 }

  /// Empties `buffer` and decodes some of the part's records into it; see ``RecordBuffer/isOverlong``.
  package func decode(_ range: Range<Int>, into buffer: RecordBuffer) {
    buffer.removeAll()
    buffer.decode(range, keys, columns)
  }

  /// Calls `number` or `text` with each record's field of this number, in its stored form. If a record has the field
  /// twice, the first counts.
  ///
  /// - Parameter buffer: The buffer for columns that have to be decoded.
  package func forEachField(
    _ field: Int, with buffer: RecordBuffer, number: (_ record: Int, Int64, NumberFormat) -> Void,
    text: (_ record: Int, UnsafeBufferPointer<UInt8>, ValueKind) -> Void
  ) {
    let isNumber = unsafe columns.forEachNumber(named: field, keys: keys) { record, value, format, literal, kind in
      if format.type == 0 { unsafe text(record, literal, kind) } else { number(record, value, format) }
    }
    if isNumber { return }
    for start in stride(from: 0, to: count, by: 256) {
      decode(start..<min(start + 256, count), into: buffer)
      for record in 0..<buffer.count {
        guard let found = buffer.rawFields(ofRecord: record).first(where: { Int(buffer.rawName(ofField: $0)) == field })
        else { continue }
        let field = buffer.rawField(found)
        unsafe text(start + record, field.text, field.kind)
      }
    }
  }

  /// Calls `body` with each folded key, in order.
  package func forEachKey(_ body: (Int, UnsafeBufferPointer<UInt8>) -> Void) {
    unsafe keys.forEachKey(in: 0..<keys.count, body)
  }

  /// Calls `body` with the folded keys of some records, each with the size of its suffix field; nil in a shard without
  /// suffix fields.
  package func forEachKey(
    in range: Range<Int>, _ body: (Int, UnsafeBufferPointer<UInt8>, _ suffixFieldSize: Int?) -> Void
  ) {
    unsafe keys.forEachKey(in: range) { record, key in
      unsafe body(record, key, keys.suffixFieldCount > 0 ? keys.suffixField(Int(keys.suffixFields[record])).count : nil)
    }
  }
}
