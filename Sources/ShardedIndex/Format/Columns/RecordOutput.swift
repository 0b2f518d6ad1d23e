/// Decoded records: a plain value, so that decoding keeps it in registers.
@safe package struct RecordOutput {
  /// One decoded field: a text in the buffer, or a number whose text follows from its format.
  struct DecodedField: BitwiseCopyable {
    /// A text: its offset from the start of the buffer, in bytes. A number: its value.
    let value: Int64
    /// The format or the size, the name and the kind, in one word for one store.
    private let word: UInt64

    /// The part of the word that all fields of a column share: the name, as a position among the index's field names,
    /// and the kind.
    @inline(__always) static func column(name: UInt16, kind: UInt8) -> UInt64 {
      UInt64(name) << 32 | UInt64(kind) << 48
    }

    /// The word of a number of a column.
    static func number(_ format: NumberFormat, column: UInt64) -> UInt64 {
      column | UInt64(format.type) << 56 | UInt64(format.b) << 8 | UInt64(format.a)
    }

    @inline(__always) init(text start: Int, size: Int, column: UInt64) {
      value = Int64(truncatingIfNeeded: start)
      word = column | UInt64(UInt32(truncatingIfNeeded: size))
    }

    @inline(__always) init(_ value: Int64, number word: UInt64) {
      self.value = value
      self.word = word
    }

    /// Returns the same field as a text.
    func rendered(at start: Int, size: Int) -> DecodedField {
      DecodedField(text: start, size: size, column: (word >> 32 & 0xff_ffff) << 32)
    }

    @inline(__always) var isNumber: Bool { word >> 56 != 0 }
    /// The size of a text, in bytes.
    @inline(__always) var size: Int { Int(UInt32(truncatingIfNeeded: word)) }
    /// The position of the name among the index's field names.
    @inline(__always) var name: UInt16 { UInt16(truncatingIfNeeded: word >> 32) }
    @inline(__always) var kind: UInt8 { UInt8(truncatingIfNeeded: word >> 48) }
    var format: NumberFormat {
      NumberFormat(
        type: UInt8(truncatingIfNeeded: word >> 56), a: UInt8(truncatingIfNeeded: word),
        b: UInt8(truncatingIfNeeded: word >> 8))
    }
  }

  /// The number of bytes that must be readable behind a text before it is appended, and are writable behind it
  /// afterwards.
  static let slack = 16

  private(set) var bytes: UnsafeMutablePointer<UInt8>
  private(set) var byteCount = 0
  private var byteCapacity = 2048
  private(set) var fields: UnsafeMutablePointer<DecodedField>
  private(set) var fieldCount = 0
  private var fieldCapacity = 128
  /// The end of each record's fields.
  private(set) var recordEnds: UnsafeMutablePointer<UInt32>
  private var recordCapacity = 32
  private(set) var recordCount = 0
  private var isRendered = false
  /// Whether a record has more bytes than ``FieldColumns/recordLimit``, and lacks some of its texts.
  var isOverlong = false

  init() {
    unsafe bytes = .allocate(capacity: byteCapacity)
    unsafe fields = .allocate(capacity: fieldCapacity)
    unsafe recordEnds = .allocate(capacity: recordCapacity)
  }

  func deallocate() {
    unsafe bytes.deallocate()
    unsafe fields.deallocate()
    unsafe recordEnds.deallocate()
  }

  @inline(__always) mutating func removeAll() {
    (byteCount, fieldCount, recordCount) = (0, 0, 0)
    (isRendered, isOverlong) = (false, false)
  }

  /// Makes room for `size` more bytes and the slack behind them.
  @inline(__always) mutating func reserve(_ size: Int) -> UnsafeMutablePointer<UInt8> {
    if byteCount &+ size &+ Self.slack > byteCapacity { growBytes(by: size) }
    return unsafe bytes + byteCount
  }

  @inline(never) private mutating func growBytes(by size: Int) {
    byteCapacity = max(byteCapacity * 2, byteCount + size + Self.slack)
    let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCapacity)
    unsafe grown.copy(from: bytes, count: byteCount)
    unsafe bytes.deallocate()
    unsafe bytes = grown
  }

  /// Makes room for `records` more records that have `fields` fields together.
  @inline(__always) mutating func reserve(records: Int, fields: Int) {
    if fieldCount &+ fields > fieldCapacity || recordCount &+ records > recordCapacity { grow(records, fields) }
  }

  @inline(never) private mutating func grow(_ records: Int, _ count: Int) {
    if fieldCount + count > fieldCapacity {
      fieldCapacity = max(fieldCapacity * 2, fieldCount + count)
      let grown = UnsafeMutablePointer<DecodedField>.allocate(capacity: fieldCapacity)
      unsafe grown.copy(from: fields, count: fieldCount)
      unsafe fields.deallocate()
      unsafe fields = grown
    }
    if recordCount + records > recordCapacity {
      recordCapacity = max(recordCapacity * 2, recordCount + records)
      let grown = UnsafeMutablePointer<UInt32>.allocate(capacity: recordCapacity)
      unsafe grown.copy(from: recordEnds, count: recordCount)
      unsafe recordEnds.deallocate()
      unsafe recordEnds = grown
    }
  }

  /// Appends a text with ``slack`` readable bytes behind it, and returns its offset.
  @inline(__always)
  mutating func append(_ source: UnsafePointer<UInt8>, _ size: Int) -> Int {
    unsafe copyShort(source, to: reserve(size), size)
    return appendWritten(size)
  }

  /// Appends a text that was written to the room of ``reserve(_:)``, and returns its offset.
  @inline(__always)
  mutating func appendWritten(_ size: Int) -> Int {
    let start = byteCount
    byteCount &+= size
    return start
  }

  /// Ends a record whose `count` fields were written behind the others.
  @inline(__always) mutating func endRecord(fields count: Int) {
    fieldCount &+= count
    unsafe recordEnds[recordCount] = UInt32(truncatingIfNeeded: fieldCount)
    recordCount &+= 1
  }

  /// Makes texts of all numbers.
  mutating func renderNumbers() {
    guard !isRendered else { return }
    isRendered = true
    for index in 0..<fieldCount where unsafe fields[index].isNumber {
      let field = unsafe fields[index]
      let size = unsafe field.format.write(field.value, to: reserve(NumberFormat.longestText))
      unsafe fields[index] = field.rendered(at: appendWritten(size), size: size)
    }
  }
}
