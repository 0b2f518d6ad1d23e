import ShardedIndex

/// The kind of the value in the dataset that gave a field's text.
package enum FieldKind: UInt8, Sendable, BitwiseCopyable {
  /// A text: the value after escapes are resolved, valid UTF-8.
  case string = 0
  /// A JSON number, with the digits of the dataset.
  case number = 1
  /// Any other JSON value, as compact JSON text: `true`, `false`, `null`, `[]`, `{}` or an array.
  case literal = 2
}

/// One field of one record in a ``RecordBatch``.
package struct FieldSlice: Sendable, BitwiseCopyable {
  /// The number of the field's name in the reader's ``FieldNames``.
  package var name: UInt32
  package var kind: FieldKind
  /// The offset in ``RecordBatch/bytes``, in bytes.
  package var offset: UInt32
  /// The size in bytes.
  package var length: UInt32

  package init(name: UInt32, kind: FieldKind, offset: UInt32, length: UInt32) {
    self.name = name
    self.kind = kind
    self.offset = offset
    self.length = length
  }
}

/// The records that a reader delivers: flat, so that a batch of thousands costs three allocations.
///
/// The dataset's bytes are copied unchanged, so the bytes between the fields' texts are their separators.
package struct RecordBatch: Sendable {
  /// The fields' texts, in no certain order.
  package var bytes: [UInt8] = []
  /// The fields of all records, in the records' order and within a record in the dataset's order.
  package var fields: [FieldSlice] = []
  /// The end of each record's fields in ``fields``.
  package var recordEnds: [UInt32] = []
  /// The positions of the records, if a reader delivered them.
  var places = Places()

  package init() {}

  /// The data for finding a record in the dataset again. Lines are counted when a caller asks for a position.
  struct Places: Sendable {
    /// The line and the column of the batch's first byte, both from 1.
    var line = 1
    var column = 1
    /// The number of the first record, from 1, with good and bad records counted.
    var record = 1
    /// The beginning of each record in ``RecordBatch/bytes``.
    var starts: [UInt32] = []
    /// The end of the dataset's bytes in ``RecordBatch/bytes``; texts with resolved escapes follow.
    var end = 0
    /// For each bad record between records of the batch, the number of records before it.
    var badAfter: [UInt32] = []

    mutating func removeAll() {
      starts.removeAll(keepingCapacity: true)
      end = 0
      badAfter.removeAll(keepingCapacity: true)
    }
  }

  /// Returns line, column and number, all from 1, of a record that a reader delivered.
  ///
  /// - Complexity: Linear in the text before the record.
  package func place(of index: Int) -> (line: Int, column: Int, record: Int) {
    let start = Int(places.starts[index])
    let before = bytes[..<start]
    let feeds = unsafe before.withUnsafeBufferPointer { text in
      unsafe text.baseAddress.map { unsafe lineFeeds($0, text.count) } ?? 0
    }
    let column = before.lastIndex(of: 0x0A).map { start - $0 } ?? places.column + start
    let bad = places.badAfter.prefix { $0 <= index }.count
    return (places.line + feeds, column, places.record + index + bad)
  }

  /// The bytes of memory that the batch holds.
  package var charge: Int {
    bytes.capacity + fields.capacity * MemoryLayout<FieldSlice>.stride
      + (recordEnds.capacity + places.starts.capacity + places.badAfter.capacity) * MemoryLayout<UInt32>.stride
  }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
    recordEnds.removeAll(keepingCapacity: true)
    places.removeAll()
  }
}

/// The names of fields, each once, numbered in order of first appearance. Each is a ``FieldPath``.
package struct FieldNames: Sendable {
  private var table = NameTable()
  package var names: [String] { table.names }
  /// The bytes of all names together. A nested name counts with the names that it is nested in.
  private(set) var byteCount = 0
  /// The most bytes of the names of an index; see docs/format.md section 3.
  static let bytesLimit = 16 << 20

  package init() {}

  /// Numbers names by their first places in a list.
  package init(_ names: [String]) { for name in names { _ = number(of: name) } }

  package mutating func number(of name: String) -> UInt32 {
    let (number, isNew) = table.insert(name)
    if isNew { byteCount += name.utf8.count }
    return UInt32(number)
  }

  /// Adds the names of a reader, and gives the fields of its batch the numbers of their names here.
  mutating func add(_ own: FieldNames, of batch: inout RecordBatch) {
    let numbers = own.names.map { number(of: $0) }
    guard !numbers.indices.allSatisfy({ numbers[$0] == UInt32($0) }) else { return }
    for field in batch.fields.indices { batch.fields[field].name = numbers[Int(batch.fields[field].name)] }
  }

  /// Drops the names from number `count` on, which only a bad record had.
  mutating func removeLast(downTo count: Int) {
    while table.count > count { byteCount -= table.removeLast().utf8.count }
  }
}

extension FieldKind {
  init(_ kind: ValueKind) { self = FieldKind(rawValue: kind.rawValue)! }
}
