import ShardedIndex

/// One record on its way through the builder: a run of bytes that the builder sorts, spills and encodes without a
/// change.
///
/// Most records have few short fields, and a narrow header. The bytes after the header are the same for both widths.
///
/// | offset | width | narrow | wide | meaning |
/// |--:|--:|--:|--:|---|
/// | 0 | 4 | | | size of the whole blob in bytes << 1 \| whether it is wide |
/// | 4 | | 1 | 4 | *k*: size of the folded key |
/// | | | 1 | 4 | *t*: how many of the folded key's last bytes are the fold of the template's last field; 0 when the key does not end in the separator and that field's own fold |
/// | | | 1 | 4 | *r*: size of the key |
/// | | | 1 | 4 | *f*: count of fields |
/// | | | 3 *f* | 8 *f* | per field: name (index into ``FieldNames``) << 2 \| ``FieldKind``, u8 or u32; size of the text, u8 or u24; u8 where in the key it is, ``nowhere`` if it is among the texts |
/// | | *k* | | | folded key |
/// | | *r* | | | key |
/// | | | | | the texts of the fields that are not in the key, one after the other |
///
/// A blob is narrow if all numbers fit. A text is in the key if the key is made from the field and has less than 256
/// bytes. So the bytes depend on the record, the key's template and the names' numbers alone.
///
/// A blob is a view. The maker of a blob promises that its memory holds a whole blob, and stays as long as the view.
///
/// Numbers are little-endian and unaligned. The builder makes all blobs itself; blobs come from outside of the process
/// only by way of the process's own unlinked temporary files.
@safe package struct RecordBlob {
  package let start: UnsafeRawPointer

  package init(_ start: UnsafeRawPointer) { unsafe self.start = unsafe start }

  @inline(__always) private func word(_ offset: Int) -> Int {
    unsafe Int(UInt32(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
  }
  @inline(__always) private func byte(_ offset: Int) -> Int {
    unsafe Int(start.load(fromByteOffset: offset, as: UInt8.self))
  }

  @inline(__always) private var isWide: Bool { byte(0) & 1 == 1 }

  package var size: Int { word(0) >> 1 }
  package var foldedCount: Int { isWide ? word(4) : byte(4) }
  package var foldedSuffixCount: Int { isWide ? word(8) : byte(5) }
  package var keyCount: Int { isWide ? word(12) : byte(6) }
  package var fieldCount: Int { isWide ? word(16) : byte(7) }

  /// The number of bytes before the folded key.
  @inline(__always) package var headerSize: Int { Self.headerSize(fields: fieldCount, isWide: isWide) }

  /// Returns the number of bytes before the folded key in a blob with this number of fields.
  @inline(__always) static func headerSize(fields: Int, isWide: Bool) -> Int {
    isWide ? 20 + 8 * fields : 8 + 3 * fields
  }

  package var folded: UnsafeBufferPointer<UInt8> { unsafe bytes(headerSize, foldedCount) }
  package var key: UnsafeBufferPointer<UInt8> { unsafe bytes(headerSize + foldedCount, keyCount) }

  package func fieldName(_ index: Int) -> UInt32 { UInt32(isWide ? word(20 + 8 * index) : byte(8 + 3 * index)) >> 2 }
  package func fieldKind(_ index: Int) -> FieldKind {
    FieldKind(rawValue: UInt8((isWide ? byte(20 + 8 * index) : byte(8 + 3 * index)) & 3))!
  }
  package func fieldSize(_ index: Int) -> Int {
    isWide ? word(24 + 8 * index) & 0xFF_FFFF : byte(9 + 3 * index)
  }
  @inline(__always) private func fieldOffsetInKey(_ index: Int) -> Int {
    isWide ? byte(27 + 8 * index) : byte(10 + 3 * index)
  }

  /// The offset of the first text that is not in the key. ``text(_:_:)`` gets it for the first field.
  package var textsOffset: Int { headerSize + foldedCount + keyCount }

  /// Returns the text of a field; valid as long as the blob.
  ///
  /// - Parameter offset: ``textsOffset`` for the first field; for each next field the value that the last call left.
  @inline(__always)
  package func text(_ index: Int, _ offset: inout Int) -> UnsafeBufferPointer<UInt8> {
    let (size, offsetInKey) = (fieldSize(index), fieldOffsetInKey(index))
    if offsetInKey != Self.nowhere { return unsafe bytes(headerSize + foldedCount + offsetInKey, size) }
    defer { offset += size }
    return unsafe bytes(offset, size)
  }

  /// Returns the text of the first field with a name; nil if the record has none.
  package func text(ofField name: UInt32) -> UnsafeBufferPointer<UInt8>? {
    var offset = textsOffset
    for field in 0..<fieldCount {
      let text = unsafe text(field, &offset)
      if fieldName(field) == name { return unsafe text }
    }
    return nil
  }

  /// Returns the record's id, from the first field with a name; nil if the field is missing or its value is not an id.
  func id(ofField name: UInt32) -> UnsafeBufferPointer<UInt8>? {
    var offset = textsOffset
    for field in 0..<fieldCount {
      let text = unsafe text(field, &offset)
      if fieldName(field) == name { return unsafe RecordID.isOne(text, fieldKind(field)) ? text : nil }
    }
    return nil
  }

  @inline(__always)
  private func bytes(_ offset: Int, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    unsafe .init(start: (start + offset).assumingMemoryBound(to: UInt8.self), count: count)
  }

  /// Returns eight bytes of the folded key from `depth` on, big-endian, with zeros after its end.
  @inline(__always)
  func head(from depth: Int) -> UInt64 {
    let left = foldedCount - depth
    guard left > 0 else { return 0 }
    let offset = headerSize + depth
    if left >= 8 { return unsafe UInt64(bigEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
    var head: UInt64 = 0
    for index in 0..<left { head |= UInt64(byte(offset + index)) << (56 - 8 * UInt64(index)) }
    return head
  }

  // MARK: Sizes

  /// The mark of a text that is not in the key.
  static let nowhere = 255
  /// The largest size in bytes of a key that holds texts of fields.
  static let shortKeyLimit = 255

  /// Returns whether a record needs a wide header. The parameters are the largest values of each kind.
  @inline(__always)
  static func isWide(folded: Int, key: Int, fields: Int, largestName: UInt32, largestText: Int) -> Bool {
    max(key, folded, fields, largestText) > 255 || largestName >= 64
  }

  // MARK: Copies

  /// The whole blob.
  @inline(__always) var bytes: UnsafeRawBufferPointer { unsafe .init(start: start, count: size) }

  /// The bytes after the header.
  var body: UnsafeRawBufferPointer { unsafe .init(rebasing: bytes[headerSize...]) }

  /// Calls `body` with the blob's header for other numbers of the field names.
  ///
  /// - Parameter scratch: The memory for that header.
  func withHeader(
    renumbered own: [UInt32], _ scratch: inout [UInt8], _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    let fields = fieldCount
    var (largestName, largestText): (UInt32, Int) = (0, 0)
    for field in 0..<fields {
      largestName = max(largestName, own[Int(fieldName(field))])
      largestText = max(largestText, fieldSize(field))
    }
    let isWide = Self.isWide(
      folded: foldedCount, key: keyCount, fields: fields, largestName: largestName, largestText: largestText)
    let headerSize = Self.headerSize(fields: fields, isWide: isWide)
    if scratch.count < headerSize { scratch += [UInt8](repeating: 0, count: headerSize - scratch.count) }
    unsafe scratch.withUnsafeMutableBytes { bytes in
      let writer = unsafe BlobWriter(bytes.baseAddress!)
      writer.writeHeader(
        isWide: isWide, size: size - self.headerSize + headerSize, folded: foldedCount, suffix: foldedSuffixCount,
        key: keyCount, fields: fields)
      for field in 0..<fields {
        writer.writeField(
          isWide: isWide, field, name: own[Int(fieldName(field))], kind: fieldKind(field), size: fieldSize(field),
          offsetInKey: fieldOffsetInKey(field))
      }
      unsafe body(.init(rebasing: bytes[..<headerSize]))
    }
  }
}

extension RecordBlob {
  /// Calls `body` with the text and the kind of a field; does not call it if the record lacks the field.
  func withField(_ name: Int?, _ body: (UnsafeBufferPointer<UInt8>, ValueKind) -> Void) {
    guard let name else { return }
    var offset = textsOffset
    for field in 0..<fieldCount {
      let text = unsafe text(field, &offset)
      guard fieldName(field) == UInt32(name) else { continue }
      return unsafe body(text, ValueKind(rawValue: fieldKind(field).rawValue) ?? .literal)
    }
  }
}
