extension Overlay {
  /// Reads an overlay's file.
  ///
  /// - Returns: nil if the overlay belongs to another manifest, and so changes nothing.
  static func reading(_ file: borrowing IndexFile, beside manifest: ManifestReader) throws(IndexError) -> Overlay? {
    guard file.size <= sizeLimit else {
      throw .corrupt(path: file.path, cause: .wrongSize(found: file.size, expected: sizeLimit))
    }
    let content = try file.read(from: 0, size: file.size)
    do throws(FormatError) {
      return unsafe try content.withUnsafeBufferPointer { (content) throws(FormatError) in
        unsafe try Overlay(content, beside: manifest)
      }
    } catch {
      throw .corrupt(path: file.path, cause: error)
    }
  }

  /// Reads the overlay of a directory for a given manifest.
  ///
  /// - Returns: nil if there is none, or if it belongs to another manifest.
  package static func reading(in directory: IndexDirectory, beside manifest: ManifestReader) throws(IndexError)
    -> Overlay?
  {
    guard let file = try directory.overlayFile() else { return nil }
    return try reading(file, beside: manifest)
  }

  /// Parses the bytes of an overlay's file; nil if the overlay belongs to another manifest.
  package convenience init?(
    _ bytes: UnsafeBufferPointer<UInt8>, beside manifest: ManifestReader
  ) throws(FormatError) {
    unsafe try self.init(
      bytes, manifestSize: manifest.fileSize, rootChecksum: manifest.rootChecksum, records: manifest.recordCount,
      fields: manifest.fieldCount)
  }
}
