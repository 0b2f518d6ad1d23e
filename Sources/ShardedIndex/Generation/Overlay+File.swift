extension Overlay {
  /// Reads an overlay's file.
  ///
  /// - Returns: nil if it belongs to another manifest: then nothing is changed.
  static func reading(_ file: borrowing IndexFile, beside manifest: Manifest) throws(IndexError) -> Overlay? {
    guard file.size <= sizeLimit else {
      throw .corrupt(path: file.path, cause: .wrongSize(found: file.size, expected: sizeLimit))
    }
    let content = try file.read(from: 0, size: file.size)
    defer { content.deallocate() }
    do throws(FormatError) {
      return try Overlay(UnsafeBufferPointer(content), beside: manifest)
    } catch {
      throw .corrupt(path: file.path, cause: error)
    }
  }

  /// Reads the overlay of a directory, as if `manifest` were the manifest there.
  ///
  /// - Returns: nil if there is none, or one of another manifest.
  package static func reading(in directory: IndexDirectory, beside manifest: Manifest) throws(IndexError) -> Overlay? {
    guard let file = try directory.overlayFile() else { return nil }
    return try reading(file, beside: manifest)
  }

  /// Parses the bytes of an overlay's file; nil if it belongs to another manifest.
  package convenience init?(
    _ bytes: UnsafeBufferPointer<UInt8>, beside manifest: Manifest
  ) throws(FormatError) {
    try self.init(
      bytes, manifestSize: manifest.fileSize, rootChecksum: manifest.rootChecksum, records: manifest.recordCount,
      fields: manifest.fieldCount)
  }
}
