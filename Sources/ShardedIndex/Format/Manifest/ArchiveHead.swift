/// The beginning of an archive, which locates its manifest and the places of the other files. Source: docs/archive.md
/// section 2.
package struct ArchiveHead: Sendable {
  /// The size of a local header of ZIP without name and extra fields, in bytes.
  package static let headerSize = 30
  /// "PK", 3, 4
  package static let signature: UInt32 = 0x0403_4b50
  /// "SQ": the tag of the extra field.
  package static let tag: UInt16 = 0x5153
  /// The size of the extra field's content, in bytes.
  package static let extraSize = 20
  package static let version = 1
  /// The offset of the manifest in an archive that a builder makes, in bytes.
  package static let size = headerSize + Manifest.fileName.utf8.count + 4 + extraSize

  /// The offset of the number that is the start of the places, in bytes.
  package static let placesOffset = headerSize + Manifest.fileName.utf8.count + 8

  /// The start and the size of the manifest, in bytes.
  let manifestStart: Int64
  let manifestSize: Int64
  /// The start of the places, in bytes.
  let placesStart: Int64

  /// Makes the head of an archive without a head, whose files another file names.
  init() { (manifestStart, manifestSize, placesStart) = (0, 0, 0) }

  /// Whether these bytes begin an archive: the local header of the stored entry `manifest`, with the extra field of an
  /// index.
  package static func isArchive(_ bytes: [UInt8]) -> Bool {
    let nameEnd = headerSize + Manifest.fileName.utf8.count
    return bytes.count >= size && number(bytes, 0, 4) == signature && number(bytes, 26, 2) == nameEnd - headerSize
      && bytes[headerSize..<nameEnd].elementsEqual(Manifest.fileName.utf8) && number(bytes, nameEnd, 2) == tag
  }

  /// - Parameters:
  ///   - bytes: The first bytes of a file for which ``isArchive(_:)`` is true.
  ///   - size: The size of the file, in bytes.
  init(_ bytes: [UInt8], size: Int64) throws(FormatError) {
    let extra = Self.headerSize + Manifest.fileName.utf8.count
    let version = Self.number(bytes, extra + 4, 4)
    guard version == Self.version else {
      throw .unsupportedVersion(found: Int(clamping: version), supported: Self.version)
    }
    let extraSize = Int(Self.number(bytes, 28, 2))
    guard Self.number(bytes, extra + 2, 2) == Self.extraSize, extraSize >= 4 + Self.extraSize else {
      throw .invalid(reason: "has an extra field of a wrong size", offset: extra)
    }
    guard Self.number(bytes, 6, 4) == 0 else {
      throw .invalid(reason: "has a manifest that is not stored without compression", offset: 6)
    }
    let manifestSize = Self.number(bytes, extra + 16, 8)
    guard Self.number(bytes, 18, 4) == manifestSize, Self.number(bytes, 22, 4) == manifestSize else {
      throw .invalid(reason: "has two different sizes of its manifest", offset: 18)
    }
    manifestStart = Int64(extra + extraSize)
    // Both are u32 by now.
    self.manifestSize = Int64(manifestSize)
    guard manifestStart <= size, self.manifestSize <= size - manifestStart else {
      throw .invalid(reason: "ends within its manifest", offset: 18)
    }
    guard let placesStart = Int64(exactly: Self.number(bytes, Self.placesOffset, 8)), placesStart <= size else {
      throw .invalid(reason: "ends before its places", offset: Self.placesOffset)
    }
    self.placesStart = placesStart
  }

  private static func number(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> UInt64 {
    bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
