/// One record on its way through the builder: a run of bytes that can be sorted, spilled and encoded as it is.
///
/// | offset | width | what |
/// |--:|--:|---|
/// | 0 | 4 | size of the whole blob in bytes |
/// | 4 | 4 | *k*: size of the folded key |
/// | 8 | 4 | size of the raw key |
/// | 12 | 4 | *t*: how many of the folded key's last bytes are the fold of the template's last field; 0 when the key does not end in the separator and that field's own fold |
/// | 16 | 4 | *f*: count of fields |
/// | 20 | 8 *f* | per field: u32 name (index into ``FieldNames``), u32 text size << 2 \| ``FieldKind`` |
/// | | *k* | folded key |
/// | | | raw key |
/// | | | the fields' texts, one after the other |
///
/// Little-endian, unaligned. The builder makes these itself; they never come from outside the process but by
/// way of its own unlinked temporary files.
package struct RecordBlob {
  package let start: UnsafeRawPointer

  package init(_ start: UnsafeRawPointer) { self.start = start }

  @inline(__always) private func word(_ offset: Int) -> Int {
    Int(UInt32(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
  }

  package var size: Int { word(0) }
  package var foldedCount: Int { word(4) }
  package var rawKeyCount: Int { word(8) }
  package var foldedTailCount: Int { word(12) }
  package var fieldCount: Int { word(16) }
  package static let headerSize = 20

  package var folded: UnsafeBufferPointer<UInt8> {
    bytes(Self.headerSize + 8 * fieldCount, foldedCount)
  }
  package var rawKey: UnsafeBufferPointer<UInt8> {
    bytes(Self.headerSize + 8 * fieldCount + foldedCount, rawKeyCount)
  }
  /// Bytes from the blob's start to the first field's text.
  package var textsOffset: Int { Self.headerSize + 8 * fieldCount + foldedCount + rawKeyCount }

  package func fieldName(_ index: Int) -> UInt32 { UInt32(word(Self.headerSize + 8 * index)) }
  package func fieldKind(_ index: Int) -> FieldKind {
    FieldKind(rawValue: UInt8(word(Self.headerSize + 8 * index + 4) & 3))!
  }
  package func fieldSize(_ index: Int) -> Int { word(Self.headerSize + 8 * index + 4) >> 2 }

  /// The text of the first field of a name; nil if it has none.
  func text(ofField name: UInt32) -> UnsafeBufferPointer<UInt8>? {
    var offset = textsOffset
    for field in 0..<fieldCount {
      let size = fieldSize(field)
      if fieldName(field) == name { return bytes(offset, size) }
      offset += size
    }
    return nil
  }

  package func bytes(_ offset: Int, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: (start + offset).assumingMemoryBound(to: UInt8.self), count: count)
  }
}
