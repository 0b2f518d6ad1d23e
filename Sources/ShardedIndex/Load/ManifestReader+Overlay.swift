extension ManifestReader {
  /// Reads an overlay's file.
  ///
  /// - Returns: nil if the overlay belongs to another manifest, and so changes nothing.
  func overlay(in file: borrowing IndexFile) throws(IndexError) -> Overlay? {
    guard file.size <= Overlay.sizeLimit else {
      throw .corrupt(path: file.path, cause: .wrongSize(found: file.size, expected: Overlay.sizeLimit))
    }
    let content = try file.read(from: 0, size: file.size)
    do throws(FormatError) {
      return unsafe try content.withUnsafeBufferPointer { (content) throws(FormatError) in
        unsafe try overlay(content)
      }
    } catch {
      throw .corrupt(path: file.path, cause: error)
    }
  }

  /// Reads the overlay of a directory.
  ///
  /// - Returns: nil if there is none, or if it belongs to another manifest.
  package func overlay(of directory: IndexDirectory) throws(IndexError) -> Overlay? {
    guard let file = try directory.overlayFile() else { return nil }
    return try overlay(in: file)
  }

  /// Parses the bytes of an overlay's file; nil if the overlay belongs to another manifest.
  package func overlay(_ bytes: UnsafeBufferPointer<UInt8>) throws(FormatError) -> Overlay? {
    unsafe try Overlay(
      bytes, manifestSize: fileSize, rootChecksum: rootChecksum, records: recordCount, fields: fieldCount)
  }
}
