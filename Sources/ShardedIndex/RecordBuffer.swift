#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a field's text stood for in the dataset.
@frozen
public enum ValueKind: UInt8, Sendable {
  /// Text.
  case string = 0
  /// A number, with the digits it had.
  case number = 1
  /// Another JSON value, as JSON text: `true`, `false`, `null`, an array or an empty object.
  case literal = 2
}

/// Records decoded into one run of bytes, which is used again for the next ones.
///
/// One buffer serves one reader at a time. Numbers stay numbers until their text is asked for.
public final class RecordBuffer {
  var output = RecordOutput()

  public init() {}

  deinit { output.deallocate() }

  /// Records in the buffer.
  public var count: Int { output.recordCount }

  private var isRendered = false

  func removeAll() {
    output.removeAll()
    isRendered = false
  }

  /// Calls `body` with the text of a field, counted over all records.
  @inline(__always)
  func withText<Result>(_ field: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let entry = output.fields[field]
    guard entry.format.type != 0 else {
      return body(UnsafeBufferPointer(start: output.bytes + Int(entry.value), count: Int(entry.size)))
    }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: NumberFormat.longestText) { buffer in
      let size = entry.format.write(entry.value, to: buffer.baseAddress!)
      return body(UnsafeBufferPointer(start: UnsafePointer(buffer.baseAddress!), count: size))
    }
  }

  /// Makes the texts of all numbers, so that every field has its text in the buffer.
  func renderNumbers() {
    guard !isRendered else { return }
    isRendered = true
    for field in 0..<output.fieldCount where output.fields[field].format.type != 0 { output.render(field) }
  }

  @inline(__always) func fieldRange(_ record: Int) -> Range<Int> {
    (record == 0 ? 0 : Int(output.recordEnds[record &- 1]))..<Int(output.recordEnds[record])
  }
}

/// What a ``RecordBuffer`` holds: a plain value, so that decoding keeps it in registers.
package struct RecordOutput {
  /// One decoded field: a text in the buffer, or a number whose text follows from its format.
  struct Field: BitwiseCopyable {
    /// Text: bytes from the start of the buffer. Number: its value by the format.
    var value: Int64
    /// Text: in bytes.
    var size: UInt32
    /// Index into the index's field names.
    var name: UInt16
    var kind: UInt8
    /// Type 0 for a text.
    var format: NumberFormat
  }

  /// What is readable behind every text that is appended, and writable behind every text that was.
  static let slack = 16

  private(set) var bytes: UnsafeMutablePointer<UInt8>
  private(set) var byteCount = 0
  private var byteCapacity = 4096
  private(set) var fields: UnsafeMutablePointer<Field>
  private(set) var fieldCount = 0
  private var fieldCapacity = 256
  /// Per record: one past its last field.
  private(set) var recordEnds: UnsafeMutablePointer<UInt32>
  private var recordCapacity = 32
  private(set) var recordCount = 0

  init() {
    bytes = .allocate(capacity: byteCapacity)
    fields = .allocate(capacity: fieldCapacity)
    recordEnds = .allocate(capacity: recordCapacity)
  }

  func deallocate() {
    bytes.deallocate()
    fields.deallocate()
    recordEnds.deallocate()
  }

  mutating func removeAll() { (byteCount, fieldCount, recordCount) = (0, 0, 0) }

  /// Room for `size` more bytes and the slack behind them.
  @inline(__always) mutating func reserve(_ size: Int) -> UnsafeMutablePointer<UInt8> {
    if byteCount &+ size &+ Self.slack > byteCapacity { growBytes(by: size) }
    return bytes + byteCount
  }

  /// Takes in what was written where ``reserve(_:)`` said.
  @inline(__always) mutating func commit(_ size: Int) { byteCount &+= size }

  @inline(never) private mutating func growBytes(by size: Int) {
    byteCapacity = max(byteCapacity * 2, byteCount + size + Self.slack)
    let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCapacity)
    grown.update(from: bytes, count: byteCount)
    bytes.deallocate()
    bytes = grown
  }

  /// Room for one more record of `count` fields.
  @inline(__always) mutating func reserveRecord(fields count: Int) {
    if fieldCount &+ count > fieldCapacity || recordCount == recordCapacity { growRecords(by: count) }
  }

  @inline(never) private mutating func growRecords(by size: Int) {
    if fieldCount + size > fieldCapacity {
      fieldCapacity = max(fieldCapacity * 2, fieldCount + size)
      let grown = UnsafeMutablePointer<Field>.allocate(capacity: fieldCapacity)
      grown.update(from: fields, count: fieldCount)
      fields.deallocate()
      fields = grown
    }
    if recordCount == recordCapacity {
      recordCapacity *= 2
      let grown = UnsafeMutablePointer<UInt32>.allocate(capacity: recordCapacity)
      grown.update(from: recordEnds, count: recordCount)
      recordEnds.deallocate()
      recordEnds = grown
    }
  }

  /// Appends a field whose text has ``slack`` readable bytes behind it.
  @inline(__always)
  mutating func append(_ source: UnsafePointer<UInt8>, _ size: Int, name: UInt16, kind: UInt8) {
    copyShort(source, to: reserve(size), size)
    appendWritten(size, name: name, kind: kind)
  }

  /// Appends a field whose text was written where ``reserve(_:)`` said.
  @inline(__always)
  mutating func appendWritten(_ size: Int, name: UInt16, kind: UInt8) {
    fields[fieldCount] = Field(
      value: Int64(byteCount), size: UInt32(truncatingIfNeeded: size), name: name, kind: kind, format: .text)
    fieldCount &+= 1
    byteCount &+= size
  }

  @inline(__always)
  mutating func append(_ value: Int64, _ format: NumberFormat, name: UInt16, kind: UInt8) {
    fields[fieldCount] = Field(value: value, size: 0, name: name, kind: kind, format: format)
    fieldCount &+= 1
  }

  /// Turns a number into its text.
  mutating func render(_ field: Int) {
    let entry = fields[field]
    let target = reserve(NumberFormat.longestText)
    let size = entry.format.write(entry.value, to: target)
    fields[field].value = Int64(byteCount)
    fields[field].size = UInt32(size)
    fields[field].format = .text
    byteCount &+= size
  }

  @inline(__always) mutating func endRecord() {
    recordEnds[recordCount] = UInt32(truncatingIfNeeded: fieldCount)
    recordCount &+= 1
  }
}

/// Copies `size` bytes, most often few: 16 at once, whether or not they are that many.
///
/// 16 bytes must be readable at `source` and writable at `target`, and behind both up to the next multiple of 16.
@inline(__always)
func copyShort(_ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, _ size: Int) {
  var offset = 0
  repeat {
    let chunk = UnsafeRawPointer(source + offset).loadUnaligned(as: SIMD2<UInt64>.self)
    UnsafeMutableRawPointer(target + offset).storeBytes(of: chunk, as: SIMD2<UInt64>.self)
    offset &+= 16
  } while offset < size
}
