#if ZstdFromSource
  import libzstd
#elseif canImport(CZstd)
  import CZstd
#else
  #error("no zstd: turn on the trait ZstdFromSource of the package shardq")
#endif

/// One zstd frame: content size declared, checksum on.
package enum ZstdFrame {
  /// No content of a frame is larger, in bytes: what a file says is never allocated beyond it.
  package static let contentLimit = 1 << 24
  /// zstd's version as a number: another one may compress the same content into other bytes.
  package static var libraryVersion: UInt32 { UInt32(ZSTD_versionNumber()) }

  /// Whether the bytes begin as a frame does. zstd itself also takes a skippable frame for one, of no content, and, if
  /// it was built so, the formats that it had before its first version.
  private static func isFrame(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.count >= 4 && bytes[0] == 0x28 && bytes[1] == 0xb5 && bytes[2] == 0x2f && bytes[3] == 0xfd
  }

  /// Decompresses the one frame that is `source`, whole, into `target`, whole.
  ///
  /// - Throws: ``FormatError/wrongSize(found:expected:)`` if the frame declares another content size than
  ///   `target` has, ``FormatError/zstd(reason:)`` if zstd refuses it; its own checksum is verified.
  package static func decompress(
    _ source: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableRawBufferPointer,
    with context: Decompressor
  ) throws(FormatError) {
    let declared = isFrame(source) ? ZSTD_getFrameContentSize(source.baseAddress, source.count) : UInt64.max
    guard declared != UInt64.max, declared != UInt64.max - 1 else {
      throw .zstd(reason: "no frame header that declares its content size")
    }
    guard declared == UInt64(target.count) else {
      throw .wrongSize(found: Int(clamping: declared), expected: target.count)
    }
    // One frame and nothing behind it: a frame after the first, or a skippable one, is refused.
    let frameSize = ZSTD_findFrameCompressedSize(source.baseAddress, source.count)
    guard ZSTD_isError(frameSize) == 0 else { throw .zstd(reason: String(cString: ZSTD_getErrorName(frameSize))) }
    guard frameSize == source.count else { throw .wrongSize(found: source.count, expected: frameSize) }
    let size = ZSTD_decompressDCtx(
      context.pointer, target.baseAddress, target.count, source.baseAddress, source.count)
    guard ZSTD_isError(size) == 0 else { throw .zstd(reason: String(cString: ZSTD_getErrorName(size))) }
    guard size == target.count else { throw .wrongSize(found: size, expected: target.count) }
  }

  /// The checksum of the content, as stored in the frame's last four bytes (XXH64, its low half).
  ///
  /// - Returns: nil if the frame is too short to hold one or declares that it holds none.
  package static func checksum(of frame: UnsafeBufferPointer<UInt8>) -> UInt32? {
    // Frame header: 4 bytes of magic, then the descriptor, whose third bit is the checksum flag (RFC 8878, 3.1.1.1.1).
    guard frame.count >= 13, frame[4] & 0b100 != 0 else { return nil }
    return UInt32(
      littleEndian: UnsafeRawPointer(frame.baseAddress! + frame.count - 4).loadUnaligned(as: UInt32.self))
  }

  /// Compresses `content` into one frame, a new block at each of `cuts`.
  ///
  /// A block has entropy tables of its own: sizes, codes and texts that lie in blocks apart compress better than
  /// together, and a run of bits that does not compress is stored as it is and costs no decoding.
  ///
  /// - Parameters:
  ///   - cuts: Offsets into `content`, ascending.
  ///   - minMatch: No match is shorter, in bytes; nil for what the level says.
  package static func compress(
    _ content: [UInt8], cuts: [Int] = [], level: Int, minMatch: Int? = nil, with context: Compressor
  ) -> [UInt8] {
    blocks(of: content, upTo: cuts + [content.count], level: level, minMatch: minMatch, with: context)
  }

  /// A frame of `content`, or its beginning if the last of `ends` is not the content's.
  private static func blocks(
    of content: [UInt8], upTo ends: [Int], level: Int, minMatch: Int?, with context: Compressor
  ) -> [UInt8] {
    ZSTD_CCtx_reset(context.pointer, ZSTD_reset_session_and_parameters)
    ZSTD_CCtx_setParameter(context.pointer, ZSTD_c_compressionLevel, CInt(level))
    if let minMatch { ZSTD_CCtx_setParameter(context.pointer, ZSTD_c_minMatch, CInt(minMatch)) }
    ZSTD_CCtx_setParameter(context.pointer, ZSTD_c_checksumFlag, 1)
    ZSTD_CCtx_setParameter(context.pointer, ZSTD_c_contentSizeFlag, 1)
    ZSTD_CCtx_setPledgedSrcSize(context.pointer, UInt64(content.count))
    let capacity = ZSTD_compressBound(content.count) + 32 * ends.count
    return [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
      var output = ZSTD_outBuffer(dst: target.baseAddress, size: capacity, pos: 0)
      content.withUnsafeBufferPointer { bytes in
        var start = 0
        for end in ends {
          var input = ZSTD_inBuffer(src: bytes.baseAddress.map { $0 + start }, size: end - start, pos: 0)
          let directive = end == content.count ? ZSTD_e_end : ZSTD_e_flush
          var left = 1
          while left > 0 || input.pos < input.size {
            left = ZSTD_compressStream2(context.pointer, &output, &input, directive)
            precondition(ZSTD_isError(left) == 0, "zstd could not compress into its own bound")
          }
          start = end
          if directive == ZSTD_e_end { break }
        }
      }
      count = output.pos
    }
  }

  /// The same in two blocks, of which the second is mostly bits that no level finds anything in: it is stored as it is
  /// if zstd's quickest level would, since a high one takes a thousand instructions a byte to find out the same.
  ///
  /// - Parameter cut: Where the second block begins, behind the first byte.
  package static func compress(
    _ content: [UInt8], storedFrom cut: Int, level: Int, with context: Compressor
  ) -> [UInt8] {
    let size = content.count - cut
    let quick = compress(content, cuts: [cut], level: 1, with: context)
    // A block that is stored is its bytes behind a header of three, and the checksum behind it the frame's last.
    let tail = quick.count - 4 - size - 3
    let header = (0..<3).map { UInt8(truncatingIfNeeded: (size << 3 | 1) >> (8 * $0)) }
    guard size > 0, size <= blockLimit, tail > 0, quick[tail..<tail + 3].elementsEqual(header),
      quick[(tail + 3)..<(tail + 3 + size)].elementsEqual(content[cut...])
    else { return compress(content, cuts: [cut], level: level, with: context) }
    return blocks(of: content, upTo: [cut], level: level, minMatch: nil, with: context) + quick[tail...]
  }
}

extension ZstdFrame {
  /// No block of a frame has more content, in bytes (RFC 8878, 3.1.1.2.4).
  private static let blockLimit = 1 << 17

  /// A frame that takes a reader little to unpack: the content as it is, in blocks that are copied, unless zstd halves it
  /// at a level at which it leaves at least the literals alone.
  ///
  /// - Parameter content: At most ``contentLimit`` bytes.
  package static func quick(_ content: [UInt8], with context: Compressor) -> [UInt8] {
    let packed = compress(content, level: -1, with: context)
    var frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd]
    frame.reserveCapacity(content.count + 3 * (content.count / blockLimit + 1) + 13)
    func append(_ value: Int, bytes: Int) {
      for byte in 0..<bytes { frame.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
    }
    // The descriptor: how wide the content size is, one segment, a checksum. A size of two bytes is less by 256.
    let flags = 0b10_0100
    switch content.count {
    case ..<256:
      append(flags, bytes: 1)
      append(content.count, bytes: 1)
    case ..<(65536 + 256):
      append(1 << 6 | flags, bytes: 1)
      append(content.count - 256, bytes: 2)
    default:
      append(2 << 6 | flags, bytes: 1)
      append(content.count, bytes: 4)
    }
    var start = 0
    repeat {
      let end = min(content.count, start + blockLimit)
      // Its size, the type of a block that is stored, whether it is the last.
      append((end - start) << 3 | (end == content.count ? 1 : 0), bytes: 3)
      frame += content[start..<end]
      start = end
    } while start < content.count
    // The checksum is of the content, in either frame the same.
    frame += packed.suffix(4)
    return 2 * packed.count < frame.count ? packed : frame
  }
}

/// A zstd decompression context with one owner. Not safe to use from two threads at once.
package final class Decompressor: @unchecked Sendable {
  fileprivate let pointer: OpaquePointer

  package init() {
    guard let made = ZSTD_createDCtx() else { fatalError("zstd: out of memory") }
    pointer = made
  }
  deinit { ZSTD_freeDCtx(pointer) }
}

/// A zstd compression context with one owner. Not safe to use from two threads at once.
package final class Compressor: @unchecked Sendable {
  fileprivate let pointer: OpaquePointer

  package init() {
    guard let made = ZSTD_createCCtx() else { fatalError("zstd: out of memory") }
    pointer = made
  }
  deinit { ZSTD_freeCCtx(pointer) }
}

extension ZstdFrame {
  /// The content size that the frame's header declares, in bytes; nil if there is none.
  package static func contentSize(of frame: UnsafeBufferPointer<UInt8>) -> Int? {
    guard isFrame(frame) else { return nil }
    let declared = ZSTD_getFrameContentSize(frame.baseAddress, frame.count)
    return declared <= UInt64(Int64.max) ? Int(declared) : nil
  }

  /// The size in bytes of the frame that `bytes` begin with; nil if they hold no whole one.
  package static func size(of bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard isFrame(bytes) else { return nil }
    let size = ZSTD_findFrameCompressedSize(bytes.baseAddress, bytes.count)
    return ZSTD_isError(size) == 0 ? size : nil
  }

  /// A frame that declares `content` bytes is refused if it is larger: no more of a file is read than that.
  package static func sizeLimit(content: Int) -> Int { content + 65536 }
}
