#if ZstdFromSource
  import libzstd
#elseif canImport(CZstd)
  import CZstd
#else
  #error("no zstd: turn on the trait ZstdFromSource of the package shardq")
#endif

extension ZstdFrame {
  /// Compresses `content` into one frame, with a new block at each of `cuts`.
  ///
  /// Each block has its own entropy tables, so sizes, codes and texts compress better in blocks of their own. With
  /// cuts, the content is stored without compression unless zstd's quickest level saves an eighth. Blocks at the end
  /// that save less than an eighth are stored too: they cost a reader nothing, while a high level takes a thousand
  /// instructions a byte to save as little.
  ///
  /// - Parameters:
  ///   - cuts: Offsets into `content`, ascending.
  ///   - minMatch: The shortest match, in bytes; nil for the level's default.
  ///   - codesLiterals: Whether literals may get a Huffman code, whose table costs a reader time.
  package static func compress(
    _ content: [UInt8], cuts: [Int] = [], level: Int, minMatch: Int? = nil, codesLiterals: Bool = true,
    with context: Compressor
  ) -> [UInt8] {
    func blocks(_ level: Int, upTo ends: [Int]) -> (frame: [UInt8], sizes: [Int]) {
      self.blocks(
        of: content, upTo: ends, level: level, minMatch: minMatch, codesLiterals: codesLiterals, with: context)
    }
    let ends = cuts.filter { $0 < content.count } + [content.count]
    guard ends.count > 1 else { return blocks(level, upTo: ends).frame }
    let quick = blocks(1, upTo: ends)
    // The first compressed block costs a reader more than the others, for tables and for zstd's code.
    guard 8 * quick.frame.count < 7 * content.count else { return stored(content, checksum: quick.frame.suffix(4)) }
    // Blocks refer to blocks before them, so only the last ones can be stored.
    var packed = ends.count
    while packed > 0 {
      let size = ends[packed - 1] - (packed > 1 ? ends[packed - 2] : 0)
      guard 8 * quick.sizes[packed - 1] > 7 * size else { break }
      packed -= 1
    }
    guard packed < ends.count else { return blocks(level, upTo: ends).frame }
    // The frame's header: magic, descriptor, the window's size unless it is one segment, the content's size.
    let descriptor = Int(quick.frame[4])
    let headerSize = 5 + (descriptor >> 5 & 1 == 0 ? 1 : 0) + [1, 2, 4, 8][descriptor >> 6]
    var frame =
      packed > 0 ? blocks(level, upTo: Array(ends[..<packed])).frame : Array(quick.frame[..<headerSize])
    appendStored(content[(packed > 0 ? ends[packed - 1] : 0)...], to: &frame)
    // Both frames have the same checksum, that of the content.
    return frame + quick.frame.suffix(4)
  }

  /// A frame of `content`, or of its beginning if the last of `ends` is not the content's end; and the number of the
  /// frame's bytes for each block. The header counts with the first block, the checksum with the last.
  private static func blocks(
    of content: [UInt8], upTo ends: [Int], level: Int, minMatch: Int?, codesLiterals: Bool, with context: Compressor
  ) -> (frame: [UInt8], sizes: [Int]) {
    unsafe ZSTD_CCtx_reset(context.pointer, ZSTD_reset_session_and_parameters)
    // The parameter is ZSTD_c_literalCompressionMode of zstd.h; 2 means never.
    if !codesLiterals { unsafe ZSTD_CCtx_setParameter(context.pointer, ZSTD_c_experimentalParam5, 2) }
    unsafe ZSTD_CCtx_setParameter(context.pointer, ZSTD_c_compressionLevel, CInt(level))
    if let minMatch { unsafe ZSTD_CCtx_setParameter(context.pointer, ZSTD_c_minMatch, CInt(minMatch)) }
    unsafe ZSTD_CCtx_setParameter(context.pointer, ZSTD_c_checksumFlag, 1)
    unsafe ZSTD_CCtx_setParameter(context.pointer, ZSTD_c_contentSizeFlag, 1)
    unsafe ZSTD_CCtx_setPledgedSrcSize(context.pointer, UInt64(content.count))
    let capacity = ZSTD_compressBound(content.count) + 32 * ends.count
    var sizes: [Int] = []
    let frame = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
      var output = unsafe ZSTD_outBuffer(dst: target.baseAddress, size: capacity, pos: 0)
      unsafe content.withUnsafeBufferPointer { bytes in
        var start = 0
        for end in ends {
          let before = unsafe output.pos
          var input = unsafe ZSTD_inBuffer(src: bytes.baseAddress.map { unsafe $0 + start }, size: end - start, pos: 0)
          let directive = end == content.count ? ZSTD_e_end : ZSTD_e_flush
          var left = 1
          while unsafe left > 0 || input.pos < input.size {
            left = unsafe ZSTD_compressStream2(context.pointer, &output, &input, directive)
            precondition(ZSTD_isError(left) == 0, "zstd could not compress into its own bound")
          }
          start = end
          unsafe sizes.append(output.pos - before)
        }
      }
      count = unsafe output.pos
    }
    if content.count > Compressor.usualContent { context.renew() }
    return (frame, sizes)
  }

  /// Appends stored blocks. The last of them is the frame's last.
  private static func appendStored(_ content: ArraySlice<UInt8>, to frame: inout [UInt8]) {
    var start = content.startIndex
    repeat {
      let end = min(content.endIndex, start + FrameBlock.contentLimit)
      // The size, the type of a stored block, and whether it is the last.
      let header = (end - start) << 3 | (end == content.endIndex ? 1 : 0)
      for byte in 0..<3 { frame.append(UInt8(truncatingIfNeeded: header >> (8 * byte))) }
      frame += content[start..<end]
      start = end
    } while start < content.endIndex
  }
}

extension ZstdFrame {
  /// A frame that a reader unpacks quickly: stored blocks, unless zstd halves the content at a level that does not code
  /// literals.
  ///
  /// - Parameter content: The content, at most ``contentLimit`` bytes.
  package static func quick(_ content: [UInt8], with context: Compressor) -> [UInt8] {
    let packed = compress(content, level: -1, with: context)
    let stored = stored(content, checksum: packed.suffix(4))
    return 2 * packed.count < stored.count ? packed : stored
  }

  /// A frame of stored blocks, unless zstd's quickest level saves an eighth of the content.
  ///
  /// - Parameter content: The content, at most ``contentLimit`` bytes.
  package static func storedUnlessSaved(_ content: [UInt8], level: Int, with context: Compressor) -> [UInt8] {
    let packed = compress(content, level: 1, with: context)
    guard 8 * packed.count < 7 * storedSize(content.count) else { return stored(content, checksum: packed.suffix(4)) }
    return compress(content, level: level, with: context)
  }

  /// Returns the size of a frame that stores `count` bytes.
  private static func storedSize(_ count: Int) -> Int {
    let size = count < 256 ? 1 : count < 65536 + 256 ? 2 : 4
    return 4 + 1 + size + count + 3 * max(1, (count + FrameBlock.contentLimit - 1) / FrameBlock.contentLimit) + 4
  }

  private static func stored(_ content: [UInt8], checksum: ArraySlice<UInt8>) -> [UInt8] {
    var frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd]
    frame.reserveCapacity(content.count + 3 * (content.count / FrameBlock.contentLimit + 1) + 13)
    func append(_ value: Int, bytes: Int) {
      for byte in 0..<bytes { frame.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
    }
    // The descriptor has the width of the content size, one segment, and a checksum. A size of two bytes is stored less
    // 256.
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
    appendStored(content[...], to: &frame)
    frame += checksum
    return frame
  }
}
