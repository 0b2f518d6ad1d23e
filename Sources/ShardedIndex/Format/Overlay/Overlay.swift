/// The changes of a few records beside the shards of a generation: removed records and added records. Source:
/// docs/format.md section 11.
///
/// An overlay belongs to one manifest, which it names. Parsing checks all bytes, so that no number leads outside the
/// overlay. Only verification compares the overlay with the one that an update would write.
@safe package final class Overlay: @unchecked Sendable {  // Nothing changes after `init`.
  package static let magic: UInt32 = 0x314f_5153  // "SQO1"
  package static let version: UInt32 = 4
  package static let fileName = "overlay"
  /// The largest size of a file, in bytes.
  package static let sizeLimit = 1 << 20
  /// The offset of the first byte that the checksum covers.
  package static let checkedFrom = 16

  /// An added record.
  package struct Added {
    /// The number of records of the shards before it, with removed ones.
    package let before: Int
    /// The position in the answer to the empty prefix.
    package let position: Int
    /// The range of its folded key in the overlay's bytes.
    let folded: Range<Int>
    /// The range of the names, kinds and sizes of its fields.
    let fields: Range<Int>
    package let fieldCount: Int
    /// The range of its encoding without ``before``.
    let content: Range<Int>
  }

  /// One field of an added record.
  @safe package struct AddedField {
    /// The position of its name among the index's field names.
    package let name: Int
    package let kind: UInt8
    package let text: UnsafeBufferPointer<UInt8>
  }

  /// The file's bytes, with ``RecordOutput/slack`` bytes behind them.
  private let storage: UnsafeMutablePointer<UInt8>
  /// The file's size, in bytes.
  package let size: Int
  /// The checksum of the content. Two overlays of a manifest with the same checksum are equal.
  package let checksum: UInt64
  /// The greatest whole number that may be an id of the shards' records; `UInt64.max` if unknown.
  package let greatestID: UInt64
  /// The positions of removed records in the shards, ascending.
  package let removed: [Int]
  /// The added records, in order.
  package let added: [Added]
  /// The changes of the density grid: the number of additional records in each cell.
  package let cells: [(cell: Int, more: Int)]

  /// Parses an overlay's file.
  ///
  /// - Parameter bytes: The file's bytes; copied.
  /// - Returns: nil if the overlay belongs to another manifest. This manifest has the given size, root checksum, number
  ///   of records and number of field names.
  package init?(
    _ bytes: UnsafeBufferPointer<UInt8>, manifestSize: Int, rootChecksum: UInt64, records: Int, fields: Int
  ) throws(FormatError) {
    var parser = unsafe OverlayParser(bytes, recordCount: records, nameCount: fields)
    checksum = try parser.parseStart()
    let header = try parser.parseHeader()
    guard header.manifestSize == UInt64(manifestSize), header.rootChecksum == rootChecksum else { return nil }
    greatestID = header.greatestID
    removed = try parser.parseRemoved(header.removedCount)
    added = try parser.parseAdded(header.addedCount, removed: removed)
    cells = try parser.parseCells(header.cellCount)
    try parser.finish()
    size = bytes.count
    unsafe storage = .allocate(capacity: bytes.count + RecordOutput.slack)
    unsafe storage.initialize(repeating: 0, count: bytes.count + RecordOutput.slack)
    unsafe storage.update(from: bytes.baseAddress!, count: bytes.count)
  }

  deinit { unsafe storage.deallocate() }

  /// Returns the checksum of all bytes from ``checkedFrom`` on, as in the header.
  package static func checksum(of bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    unsafe XXHash64.hash(UnsafeRawBufferPointer(bytes))
  }

  /// Whether a damaged file was certainly equal to `copy`: it has the checksum of `copy`, or the same checked bytes.
  package static func isCopy(_ copy: [UInt8], ofDamaged bytes: [UInt8]) -> Bool {
    guard copy.count == bytes.count, copy.count > checkedFrom else { return false }
    return copy[8..<checkedFrom] == bytes[8..<checkedFrom] || copy[checkedFrom...] == bytes[checkedFrom...]
  }

  /// The number of a decimal text without a leading zero; nil for other texts, and for `UInt64.max`.
  package static func wholeNumber(_ text: UnsafeBufferPointer<UInt8>) -> UInt64? {
    guard 1...20 ~= text.count, unsafe text[0] != UInt8(ascii: "0") || text.count == 1 else { return nil }
    var number: UInt64 = 0
    for index in text.indices {
      let byte = unsafe text[index]
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
      let (tens, isOver) = number.multipliedReportingOverflow(by: 10)
      let (sum, isOverToo) = tens.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      guard !isOver, !isOverToo else { return nil }
      number = sum
    }
    return number < .max ? number : nil
  }

  // MARK: Records

  /// The file's bytes.
  package var bytes: UnsafeBufferPointer<UInt8> { unsafe slice(0..<size) }

  private func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(start: storage + range.lowerBound, count: range.count)
  }

  /// The folded key of an added record.
  package func folded(_ number: Int) -> UnsafeBufferPointer<UInt8> { unsafe slice(added[number].folded) }

  /// The encoding of an added record without ``Added/before``.
  package func content(_ number: Int) -> UnsafeBufferPointer<UInt8> { unsafe slice(added[number].content) }

  /// Calls `body` with each field of an added record, in order.
  package func forEachField(of number: Int, _ body: (AddedField) -> Void) {
    let record = added[number]
    var reader = unsafe ByteReader(slice(record.fields))
    var start = record.fields.upperBound
    for _ in 0..<record.fieldCount {
      // The parser has read both without an error.
      guard let name = try? reader.readVarint(), let word = try? reader.readVarint() else { return }
      let end = start + word >> 2
      unsafe body(AddedField(name: name, kind: UInt8(truncatingIfNeeded: word & 3), text: slice(start..<end)))
      start = end
    }
  }

  func decode(_ number: Int, into output: inout RecordOutput) {
    let count = added[number].fieldCount
    output.reserve(records: 1, fields: count)
    var field = 0
    forEachField(of: number) { decoded in
      let size = unsafe decoded.text.count
      let start = unsafe output.append(decoded.text.baseAddress!, size)
      let column = RecordOutput.DecodedField.column(name: UInt16(truncatingIfNeeded: decoded.name), kind: decoded.kind)
      unsafe (output.fields + output.fieldCount + field).initialize(to: .init(text: start, size: size, column: column))
      field += 1
    }
    output.endRecord(fields: count)
  }
}

extension Overlay {
  /// Returns the weight of an added record.
  func weight(of number: Int, field: Int?, rule: WeightRule) -> UInt64 {
    var weight: UInt64?
    forEachField(of: number) { entry in
      if weight == nil, entry.name == field { weight = unsafe rule.weight(of: entry.text) }
    }
    return weight ?? 0
  }
}
