extension ManifestReader {
  /// Unpacks every frame of the file, and so compares each with its checksum. The file consists of frames alone, those
  /// of starts too.
  ///
  /// - Throws: ``IndexError/corrupt(path:cause:)`` for the first damaged frame.
  /// - Complexity: O(*n*) in the size of the file. Memory holds one frame and its content.
  package func checkFrames() throws(IndexError) {
    let context = contexts.acquire()
    defer { contexts.release(context) }
    var (start, wanted) = (0, Self.window)
    while start < file.size {
      let window = try file.read(from: start, size: min(wanted, file.size - start))
      var rest = window[...]
      // A frame that does not end in the window needs a larger one.
      while !rest.isEmpty, start + rest.count == file.size || wanted > Self.frameLimit || Self.hasFrame(rest) {
        do throws(FormatError) {
          let (_, size) = try Manifest.chainFrame(
            in: rest, firstOf: nil, limit: ZstdFrame.contentLimit, name: "frame at byte \(start)", with: context)
          rest.removeFirst(size)
          start += size
        } catch {
          throw .corrupt(path: file.path, cause: error)
        }
      }
      wanted = rest.count == window.count ? 4 * wanted : Self.window
    }
  }

  private static func hasFrame(_ bytes: ArraySlice<UInt8>) -> Bool {
    unsafe ZstdFrame.size(of: bytes.span.bytes) != nil
  }

  /// The size of a first read, in bytes.
  private static var window: Int { 256 << 10 }
  private static var frameLimit: Int { ZstdFrame.sizeLimit(content: ZstdFrame.contentLimit) }
}
