extension ZstdFrame {
  /// Returns the content size of a frame of a manifest.
  ///
  /// - Parameters:
  ///   - checksum: The checksum that the frame must have; nil if unknown.
  ///   - size: The content size that the frame must declare, in bytes; nil if unknown.
  static func contentSize(
    of frame: UnsafeBufferPointer<UInt8>, checksum: UInt32?, size: Int?
  ) throws(FormatError) -> Int {
    guard let found = unsafe ZstdFrame.checksum(of: frame) else { throw .zstd(reason: "it has no checksum") }
    if let checksum, found != checksum { throw .wrongChecksum(found: found, expected: checksum) }
    let declared = unsafe ZstdFrame.contentSize(of: frame) ?? -1
    let wanted = size ?? declared
    guard declared == wanted, wanted >= 0, wanted <= Manifest.contentLimit else {
      throw .wrongSize(found: declared, expected: min(wanted, Manifest.contentLimit))
    }
    return wanted
  }

  /// Returns the content of a frame of a manifest; the caller deallocates it.
  fileprivate static func content(
    of frame: UnsafeBufferPointer<UInt8>, checksum: UInt32?, size: Int?, with context: Decompressor
  ) throws(FormatError) -> UnsafeMutableRawBufferPointer {
    let size = unsafe try contentSize(of: frame, checksum: checksum, size: size)
    let content = UnsafeMutableRawBufferPointer.allocate(byteCount: max(size, 1), alignment: 16)
    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: content[..<size])
    do throws(FormatError) {
      unsafe try decompress(frame, into: target, with: context)
    } catch {
      unsafe content.deallocate()
      throw error
    }
    return unsafe target
  }
}

extension Manifest {
  /// Decompresses and checks a root.
  ///
  /// - Parameter frame: The whole compressed frame.
  init(frame: ArraySlice<UInt8>, with context: Decompressor) throws(FormatError) {
    let content = unsafe try frame.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      unsafe try ZstdFrame.content(of: bytes, checksum: nil, size: nil, with: context)
    }
    do throws(FormatError) {
      self = unsafe try Manifest(content, frameSize: frame.count)
    } catch {
      unsafe content.deallocate()
      throw error
    }
  }

  /// One frame of a ``Chain``: its content, and its checksum of the content.
  package typealias ChainFrame = (content: [UInt8], checksum: UInt32)

  /// Decompresses the frame at the beginning of `bytes`.
  ///
  /// - Parameters:
  ///   - chain: The chain, if the frame is its first; nil for a later frame.
  ///   - limit: The largest content of a later frame, in bytes.
  ///   - name: The name of the chain, for messages.
  /// - Returns: The frame and its size, in bytes.
  static func chainFrame(
    in bytes: ArraySlice<UInt8>, firstOf chain: Chain?, limit: Int, name: String, with context: Decompressor
  ) throws(FormatError) -> (frame: ChainFrame, size: Int) {
    unsafe try bytes.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      guard let size = unsafe ZstdFrame.size(of: bytes) else { throw .zstd(reason: "its \(name) is cut short") }
      let frame = bytes.extracting(..<size)
      guard unsafe chain != nil || ZstdFrame.contentSize(of: frame) ?? .max <= limit else {
        throw unsafe .wrongSize(found: ZstdFrame.contentSize(of: frame) ?? -1, expected: limit)
      }
      let content = unsafe try ZstdFrame.content(
        of: frame, checksum: chain?.checksum, size: chain?.contentSize, with: context)
      defer { unsafe content.deallocate() }
      return unsafe ((Array(content), ZstdFrame.checksum(of: frame)!), size)
    }
  }
}
