#if ZstdFromSource
  import libzstd
#elseif canImport(CZstd)
  import CZstd
#else
  #error("no zstd: turn on the trait ZstdFromSource of the package shardq")
#endif

/// One zstd frame, with a declared content size and a checksum.
package enum ZstdFrame {
  /// The largest content of a frame, in bytes. No size in a file makes a reader allocate more.
  package static let contentLimit = 1 << 24
  /// zstd's version as a number: another version may compress the same content into other bytes.
  package static var libraryVersion: UInt32 { UInt32(ZSTD_versionNumber()) }

  /// Decompresses `source`, which must be one whole frame, into `target`, which the content must fill. A stored content
  /// is copied without zstd.
  ///
  /// - Throws: ``FormatError/wrongSize(found:expected:)`` if the frame declares another content size than `target` has,
  ///   ``FormatError/zstd(reason:)`` if zstd refuses the frame or its checksum.
  package static func decompress(
    _ source: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableRawBufferPointer, with context: Decompressor
  ) throws(FormatError) {
    guard let header = unsafe FrameHeader(source.span.bytes), let declared = header.contentSize else {
      throw .zstd(reason: "it declares no content size")
    }
    guard declared == target.count else { throw .wrongSize(found: declared, expected: target.count) }
    if unsafe copyStored(source, header, into: target) { return }
    // The source must be one frame: a second frame or a skippable frame is refused.
    guard let frameSize = unsafe size(of: source) else { throw .zstd(reason: "it is cut short") }
    guard frameSize == source.count else { throw .wrongSize(found: source.count, expected: frameSize) }
    let size = unsafe ZSTD_decompressDCtx(
      context.pointer, target.baseAddress, target.count, source.baseAddress, source.count)
    guard ZSTD_isError(size) == 0 else { throw unsafe .zstd(reason: String(cString: ZSTD_getErrorName(size))) }
    guard size == target.count else { throw .wrongSize(found: size, expected: target.count) }
  }

  /// Returns the place, within the frame, of a content that is stored in one block.
  ///
  /// - Returns: nil for other frames and for damaged ones: ``decompress(_:into:with:)`` throws the reason.
  static func storedContent(of source: UnsafeBufferPointer<UInt8>, size: Int) -> UnsafeBufferPointer<UInt8>? {
    let bytes = unsafe source.span.bytes
    guard let header = FrameHeader(bytes), header.contentSize == size, header.isSingleSegment, header.hasChecksum,
      let block = FrameBlock(at: header.size, of: bytes), block.isStored, block.isLast, block.size == size,
      size <= FrameBlock.contentLimit, header.size + FrameBlock.headerSize + size + 4 == source.count
    else { return nil }
    let content = header.size + FrameBlock.headerSize..<source.count - 4
    let hash = UInt32(truncatingIfNeeded: XXHash64.hash(bytes.extracting(content)))
    return unsafe checksum(of: source) == hash ? source.extracting(content) : nil
  }

  /// Copies the content of a stored frame.
  ///
  /// - Returns: false for other frames and for damaged ones: zstd gives the reason.
  private static func copyStored(
    _ source: UnsafeBufferPointer<UInt8>, _ header: FrameHeader, into target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard header.isSingleSegment, header.hasChecksum, let start = source.baseAddress else { return false }
    let bytes = unsafe source.span.bytes
    var (at, filled) = (header.size, 0)
    while let block = FrameBlock(at: at, of: bytes) {
      at += FrameBlock.headerSize
      guard block.isStored, block.size <= FrameBlock.contentLimit, block.size <= target.count - filled,
        block.size <= bytes.byteCount - at
      else { return false }
      // In bounds by the guard.
      if let base = target.baseAddress { unsafe (base + filled).copyMemory(from: start + at, byteCount: block.size) }
      at += block.size
      filled += block.size
      guard block.isLast else { continue }
      return unsafe filled == target.count && at + 4 == bytes.byteCount
        && checksum(of: source) == UInt32(truncatingIfNeeded: XXHash64.hash(target.bytes))
    }
    return false
  }

  /// Returns the checksum of the content, as stored in the frame's last four bytes (XXH64, its low half).
  ///
  /// - Returns: nil if the frame is too short or declares no checksum.
  package static func checksum(of frame: RawSpan) -> UInt32? {
    // Frame header: 4 bytes of magic, then the descriptor, whose third bit is the checksum flag (RFC 8878, 3.1.1.1.1).
    guard frame.byteCount >= 13, frame[4] & 0b100 != 0 else { return nil }
    return frame.load(frame.byteCount - 4, as: UInt32.self)
  }

  /// Returns the content size in the frame's header, in bytes; nil if there is none.
  package static func contentSize(of frame: RawSpan) -> Int? { FrameHeader(frame)?.contentSize }

  /// Returns the size of the frame at the beginning of `bytes`, in bytes; nil if the frame is not whole.
  package static func size(of bytes: RawSpan) -> Int? {
    guard let header = FrameHeader(bytes) else { return nil }
    var at = header.size
    while let block = FrameBlock(at: at, of: bytes) {
      at += FrameBlock.headerSize
      guard block.size <= bytes.byteCount - at else { return nil }
      at += block.size
      guard block.isLast else { continue }
      at += header.hasChecksum ? 4 : 0
      return at <= bytes.byteCount ? at : nil
    }
    return nil
  }

  /// Returns the most bytes of a frame with `content` bytes of content. Readers refuse a larger frame, and read no
  /// more.
  package static func sizeLimit(content: Int) -> Int { content + 65536 }
}

extension ZstdFrame {
  package static func checksum(of frame: UnsafeBufferPointer<UInt8>) -> UInt32? {
    unsafe checksum(of: frame.span.bytes)
  }
  package static func contentSize(of frame: UnsafeBufferPointer<UInt8>) -> Int? {
    unsafe contentSize(of: frame.span.bytes)
  }
  package static func size(of bytes: UnsafeBufferPointer<UInt8>) -> Int? { unsafe size(of: bytes.span.bytes) }
}
