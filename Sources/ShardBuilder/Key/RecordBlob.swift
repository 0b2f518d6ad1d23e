/// One record on its way through the builder: a run of bytes that can be sorted, spilled and encoded as it is.
///
/// Most records have few short fields, and a narrow header; what follows it is the same behind either.
///
/// | offset | width | narrow | wide | what |
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
/// A blob is narrow if everything fits. A text is in the key if the key is made from that field and has less than 256
/// bytes: so the bytes depend on the record, the key's template and the names' numbers alone.
///
/// Little-endian, unaligned. The builder makes these itself; they never come from outside the process but by
/// way of its own unlinked temporary files.
package struct RecordBlob {
  package let start: UnsafeRawPointer

  package init(_ start: UnsafeRawPointer) { self.start = start }

  @inline(__always) private func word(_ offset: Int) -> Int {
    Int(UInt32(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
  }
  @inline(__always) private func byte(_ offset: Int) -> Int { Int(start.load(fromByteOffset: offset, as: UInt8.self)) }

  @inline(__always) private var isWide: Bool { byte(0) & 1 == 1 }

  package var size: Int { word(0) >> 1 }
  package var foldedCount: Int { isWide ? word(4) : byte(4) }
  package var foldedTailCount: Int { isWide ? word(8) : byte(5) }
  package var keyCount: Int { isWide ? word(12) : byte(6) }
  package var fieldCount: Int { isWide ? word(16) : byte(7) }

  /// Bytes before the folded key.
  @inline(__always) package var headerSize: Int { Self.headerSize(fields: fieldCount, isWide: isWide) }

  /// Bytes before the folded key of a blob with some fields.
  @inline(__always) static func headerSize(fields: Int, isWide: Bool) -> Int {
    isWide ? 20 + 8 * fields : 8 + 3 * fields
  }

  package var folded: UnsafeBufferPointer<UInt8> { bytes(headerSize, foldedCount) }
  package var key: UnsafeBufferPointer<UInt8> { bytes(headerSize + foldedCount, keyCount) }

  package func fieldName(_ index: Int) -> UInt32 { UInt32(isWide ? word(20 + 8 * index) : byte(8 + 3 * index)) >> 2 }
  package func fieldKind(_ index: Int) -> FieldKind {
    FieldKind(rawValue: UInt8((isWide ? byte(20 + 8 * index) : byte(8 + 3 * index)) & 3))!
  }
  package func fieldSize(_ index: Int) -> Int {
    isWide ? word(24 + 8 * index) & 0xFF_FFFF : byte(9 + 3 * index)
  }
  @inline(__always) private func fieldPlace(_ index: Int) -> Int {
    isWide ? byte(27 + 8 * index) : byte(10 + 3 * index)
  }

  /// Where the texts of fields begin that are not in the key: what ``text(_:_:)`` is given with the first field.
  package var textsOffset: Int { headerSize + foldedCount + keyCount }

  /// The text of a field; valid while the blob is.
  ///
  /// - Parameter offset: ``textsOffset`` for the first field, and what it was left as for each that follows.
  @inline(__always)
  package func text(_ index: Int, _ offset: inout Int) -> UnsafeBufferPointer<UInt8> {
    let (size, place) = (fieldSize(index), fieldPlace(index))
    if place != Self.nowhere { return bytes(headerSize + foldedCount + place, size) }
    defer { offset += size }
    return bytes(offset, size)
  }

  /// The text of the first field of a name; nil if it has none.
  package func text(ofField name: UInt32) -> UnsafeBufferPointer<UInt8>? {
    var offset = textsOffset
    for field in 0..<fieldCount {
      let text = text(field, &offset)
      if fieldName(field) == name { return text }
    }
    return nil
  }

  /// The record's id, of the first field of a name; nil if it has none, or none that is an id.
  func id(ofField name: UInt32) -> UnsafeBufferPointer<UInt8>? {
    var offset = textsOffset
    for field in 0..<fieldCount {
      let text = text(field, &offset)
      if fieldName(field) == name { return RecordID.isOne(text, fieldKind(field)) ? text : nil }
    }
    return nil
  }

  @inline(__always)
  private func bytes(_ offset: Int, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: (start + offset).assumingMemoryBound(to: UInt8.self), count: count)
  }

  // MARK: Writing

  /// What stands for a text that is not in the key.
  static let nowhere = 255
  /// In bytes; of a longer key no texts are in it.
  static let shortKeyLimit = 255

  /// Whether a record needs a wide header, by the largest of each.
  @inline(__always)
  static func isWide(folded: Int, key: Int, fields: Int, largestName: UInt32, largestText: Int) -> Bool {
    max(key, folded, fields, largestText) > 255 || largestName >= 64
  }

  /// Writes the header but for what it says of the fields.
  @inline(__always)
  static func writeHeader(
    _ blob: UnsafeMutableRawPointer, isWide: Bool, size: Int, folded: Int, tail: Int, key: Int, fields: Int
  ) {
    blob.storeBytes(of: UInt32(size << 1 | (isWide ? 1 : 0)).littleEndian, as: UInt32.self)
    if isWide {
      blob.storeBytes(of: UInt32(folded).littleEndian, toByteOffset: 4, as: UInt32.self)
      blob.storeBytes(of: UInt32(tail).littleEndian, toByteOffset: 8, as: UInt32.self)
      blob.storeBytes(of: UInt32(key).littleEndian, toByteOffset: 12, as: UInt32.self)
      blob.storeBytes(of: UInt32(fields).littleEndian, toByteOffset: 16, as: UInt32.self)
    } else {
      blob.storeBytes(of: UInt8(folded), toByteOffset: 4, as: UInt8.self)
      blob.storeBytes(of: UInt8(tail), toByteOffset: 5, as: UInt8.self)
      blob.storeBytes(of: UInt8(key), toByteOffset: 6, as: UInt8.self)
      blob.storeBytes(of: UInt8(fields), toByteOffset: 7, as: UInt8.self)
    }
  }

  /// Writes what the header says of a field.
  ///
  /// - Parameter place: Of its text in the key, or ``nowhere``.
  @inline(__always)
  static func writeField(
    _ blob: UnsafeMutableRawPointer, isWide: Bool, _ index: Int, name: UInt32, kind: FieldKind, size: Int, place: Int
  ) {
    let word = name << 2 | UInt32(kind.rawValue)
    if isWide {
      blob.storeBytes(of: word.littleEndian, toByteOffset: 20 + 8 * index, as: UInt32.self)
      blob.storeBytes(of: UInt32(size | place << 24).littleEndian, toByteOffset: 24 + 8 * index, as: UInt32.self)
    } else {
      blob.storeBytes(of: UInt8(word), toByteOffset: 8 + 3 * index, as: UInt8.self)
      blob.storeBytes(of: UInt8(size), toByteOffset: 9 + 3 * index, as: UInt8.self)
      blob.storeBytes(of: UInt8(place), toByteOffset: 10 + 3 * index, as: UInt8.self)
    }
  }

  /// Calls `body` with the header that the blob would have if its fields' names had other numbers.
  ///
  /// - Parameter scratch: What it is written to.
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
    scratch.withUnsafeMutableBytes { bytes in
      let blob = bytes.baseAddress!
      Self.writeHeader(
        blob, isWide: isWide, size: size - self.headerSize + headerSize, folded: foldedCount, tail: foldedTailCount,
        key: keyCount, fields: fields)
      for field in 0..<fields {
        Self.writeField(
          blob, isWide: isWide, field, name: own[Int(fieldName(field))], kind: fieldKind(field),
          size: fieldSize(field), place: fieldPlace(field))
      }
      body(UnsafeRawBufferPointer(rebasing: bytes[..<headerSize]))
    }
  }

  /// What follows the header.
  var body: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start + headerSize, count: size - headerSize)
  }
}
