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

  /// What a frame's header says (RFC 8878 §3.1.1.1).
  ///
  /// zstd's own functions also take a skippable frame for one, of no content, and, if it was built so, the formats that it
  /// had before its first version.
  private struct Header {
    /// Of the header, in bytes.
    let size: Int
    /// In bytes; nil if it is not declared.
    let contentSize: Int?
    /// The content is its own window.
    let isSingleSegment: Bool
    let hasChecksum: Bool

    /// - Returns: nil unless the bytes begin with a whole header that a reader of this version of zstd accepts.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
      guard bytes.count >= 6, bytes[0] == 0x28, bytes[1] == 0xb5, bytes[2] == 0x2f, bytes[3] == 0xfd else { return nil }
      let descriptor = bytes[4]
      // A reserved bit, and dictionaries, which no file of ours is made with.
      guard descriptor & 0b1011 == 0 else { return nil }
      isSingleSegment = descriptor & 0b10_0000 != 0
      hasChecksum = descriptor & 0b100 != 0
      let start = isSingleSegment ? 5 : 6
      let width = descriptor < 64 && !isSingleSegment ? 0 : 1 << Int(descriptor >> 6)
      size = start + width
      guard bytes.count >= size else { return nil }
      var declared: UInt64 = width == 2 ? 256 : 0
      for index in 0..<width { declared &+= UInt64(bytes[start &+ index]) &<< UInt64(8 &* index) }
      contentSize = width > 0 ? Int(exactly: declared) : nil
    }
  }

  /// A block's header: how many bytes stand behind it, whether they are the content themselves, whether it is the last.
  ///
  /// - Returns: nil if there is none at `offset`, or one of a type that is reserved.
  @inline(__always)
  private static func block(
    at offset: Int, of bytes: UnsafeBufferPointer<UInt8>
  ) -> (size: Int, isStored: Bool, isLast: Bool)? {
    guard offset + 3 <= bytes.count else { return nil }
    let header = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2]) << 16
    let kind = header >> 1 & 3
    guard kind < 3 else { return nil }
    // One byte that repeats, or the size says how many there are.
    return (kind == 1 ? 1 : header >> 3, kind == 0, header & 1 == 1)
  }

  /// Decompresses the one frame that is `source`, whole, into `target`, whole. A content that is stored as it is, is
  /// copied without zstd.
  ///
  /// - Throws: ``FormatError/wrongSize(found:expected:)`` if the frame declares another content size than
  ///   `target` has, ``FormatError/zstd(reason:)`` if zstd refuses it; its own checksum is verified.
  package static func decompress(
    _ source: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableRawBufferPointer,
    with context: Decompressor
  ) throws(FormatError) {
    guard let header = Header(source), let declared = header.contentSize else {
      throw .zstd(reason: "no frame header that declares its content size")
    }
    guard declared == target.count else { throw .wrongSize(found: declared, expected: target.count) }
    if copyStored(source, header, into: target) { return }
    // One frame and nothing behind it: a frame after the first, or a skippable one, is refused.
    guard let frameSize = size(of: source) else { throw .zstd(reason: "no whole frame") }
    guard frameSize == source.count else { throw .wrongSize(found: source.count, expected: frameSize) }
    let size = ZSTD_decompressDCtx(
      context.pointer, target.baseAddress, target.count, source.baseAddress, source.count)
    guard ZSTD_isError(size) == 0 else { throw .zstd(reason: String(cString: ZSTD_getErrorName(size))) }
    guard size == target.count else { throw .wrongSize(found: size, expected: target.count) }
  }

  /// The content of a frame that is stored as it is, in one block, where it stands in the frame.
  ///
  /// - Returns: nil for any other frame, and if anything is wrong with it: what, ``decompress(_:into:with:)`` says.
  static func storedContent(of source: UnsafeBufferPointer<UInt8>, size: Int) -> UnsafeBufferPointer<UInt8>? {
    guard let header = Header(source), header.contentSize == size, header.isSingleSegment, header.hasChecksum,
      let block = block(at: header.size, of: source), block.isStored, block.isLast, block.size == size,
      size <= blockLimit, header.size + 3 + size + 4 == source.count
    else { return nil }
    let content = UnsafeBufferPointer(rebasing: source[(header.size + 3)..<(source.count - 4)])
    let hash = UInt32(truncatingIfNeeded: XXHash64.hash(UnsafeRawBufferPointer(content)))
    return checksum(of: source) == hash ? content : nil
  }

  /// Copies the content of a frame that is stored as it is.
  ///
  /// - Returns: false for any other frame, and if anything is wrong with it: what, zstd says.
  private static func copyStored(
    _ source: UnsafeBufferPointer<UInt8>, _ header: Header, into target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard header.isSingleSegment, header.hasChecksum else { return false }
    var (at, filled) = (header.size, 0)
    while let block = block(at: at, of: source) {
      guard block.isStored, block.size <= blockLimit, block.size <= target.count - filled,
        block.size <= source.count - at - 3
      else { return false }
      UnsafeMutableRawBufferPointer(rebasing: target[filled..<filled + block.size])
        .copyBytes(from: UnsafeBufferPointer(rebasing: source[(at + 3)..<(at + 3 + block.size)]))
      at += 3 + block.size
      filled += block.size
      guard block.isLast else { continue }
      return filled == target.count && at + 4 == source.count
        && checksum(of: source) == UInt32(truncatingIfNeeded: XXHash64.hash(UnsafeRawBufferPointer(target)))
    }
    return false
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
  /// together. Where there are cuts, all is stored as it is unless zstd's quickest level saves an eighth of it; and then
  /// still what that saves less than an eighth of, from the end on: it costs a reader nothing, and a high level a thousand
  /// instructions a byte to find as little.
  ///
  /// - Parameters:
  ///   - cuts: Offsets into `content`, ascending.
  ///   - minMatch: No match is shorter, in bytes; nil for what the level says.
  ///   - codesLiterals: Whether what no match covers may get a Huffman code, whose table a reader has to make.
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
    // The first block that is compressed costs a reader more than the others: tables, and zstd's own code.
    guard 8 * quick.frame.count < 7 * content.count else { return stored(content, checksum: quick.frame.suffix(4)) }
    // Blocks lead back to those before them, so that only the last ones can be others.
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
    // The checksum is of the content, in either frame the same.
    return frame + quick.frame.suffix(4)
  }

  /// A frame of `content`, or its beginning if the last of `ends` is not the content's; and how many of its bytes
  /// lead up to each of `ends` from the one before, the frame's header with the first, its checksum with the last.
  private static func blocks(
    of content: [UInt8], upTo ends: [Int], level: Int, minMatch: Int?, codesLiterals: Bool, with context: Compressor
  ) -> (frame: [UInt8], sizes: [Int]) {
    ZSTD_CCtx_reset(context.pointer, ZSTD_reset_session_and_parameters)
    // What zstd.h calls ZSTD_c_literalCompressionMode, and 2 its value for never.
    if !codesLiterals { ZSTD_CCtx_setParameter(context.pointer, ZSTD_c_experimentalParam5, 2) }
    ZSTD_CCtx_setParameter(context.pointer, ZSTD_c_compressionLevel, CInt(level))
    if let minMatch { ZSTD_CCtx_setParameter(context.pointer, ZSTD_c_minMatch, CInt(minMatch)) }
    ZSTD_CCtx_setParameter(context.pointer, ZSTD_c_checksumFlag, 1)
    ZSTD_CCtx_setParameter(context.pointer, ZSTD_c_contentSizeFlag, 1)
    ZSTD_CCtx_setPledgedSrcSize(context.pointer, UInt64(content.count))
    let capacity = ZSTD_compressBound(content.count) + 32 * ends.count
    var sizes: [Int] = []
    let frame = [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
      var output = ZSTD_outBuffer(dst: target.baseAddress, size: capacity, pos: 0)
      content.withUnsafeBufferPointer { bytes in
        var start = 0
        for end in ends {
          let before = output.pos
          var input = ZSTD_inBuffer(src: bytes.baseAddress.map { $0 + start }, size: end - start, pos: 0)
          let directive = end == content.count ? ZSTD_e_end : ZSTD_e_flush
          var left = 1
          while left > 0 || input.pos < input.size {
            left = ZSTD_compressStream2(context.pointer, &output, &input, directive)
            precondition(ZSTD_isError(left) == 0, "zstd could not compress into its own bound")
          }
          start = end
          sizes.append(output.pos - before)
        }
      }
      count = output.pos
    }
    if content.count > Compressor.usualContent { context.renew() }
    return (frame, sizes)
  }

  /// No block of a frame has more content, in bytes (RFC 8878, 3.1.1.2.4).
  private static let blockLimit = 1 << 17

  /// Appends blocks that are copied as they are, the last of them a frame's last.
  private static func appendStored(_ content: ArraySlice<UInt8>, to frame: inout [UInt8]) {
    var start = content.startIndex
    repeat {
      let end = min(content.endIndex, start + blockLimit)
      // Its size, the type of a block that is stored, whether it is the last.
      let header = (end - start) << 3 | (end == content.endIndex ? 1 : 0)
      for byte in 0..<3 { frame.append(UInt8(truncatingIfNeeded: header >> (8 * byte))) }
      frame += content[start..<end]
      start = end
    } while start < content.endIndex
  }

}

extension ZstdFrame {
  /// A frame that takes a reader little to unpack: the content as it is, in blocks that are copied, unless zstd halves it
  /// at a level at which it leaves at least the literals alone.
  ///
  /// - Parameter content: At most ``contentLimit`` bytes.
  package static func quick(_ content: [UInt8], with context: Compressor) -> [UInt8] {
    let packed = compress(content, level: -1, with: context)
    let stored = stored(content, checksum: packed.suffix(4))
    return 2 * packed.count < stored.count ? packed : stored
  }

  /// A frame of the content as it is, unless zstd's quickest level saves an eighth of it.
  ///
  /// - Parameter content: At most ``contentLimit`` bytes.
  package static func storedUnlessSaved(_ content: [UInt8], level: Int, with context: Compressor) -> [UInt8] {
    let packed = compress(content, level: 1, with: context)
    guard 8 * packed.count < 7 * storedSize(content.count) else { return stored(content, checksum: packed.suffix(4)) }
    return compress(content, level: level, with: context)
  }

  /// How large a frame is that has `count` bytes as they are.
  private static func storedSize(_ count: Int) -> Int {
    let size = count < 256 ? 1 : count < 65536 + 256 ? 2 : 4
    return 4 + 1 + size + count + 3 * max(1, (count + blockLimit - 1) / blockLimit) + 4
  }

  private static func stored(_ content: [UInt8], checksum: ArraySlice<UInt8>) -> [UInt8] {
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
    appendStored(content[...], to: &frame)
    frame += checksum
    return frame
  }
}

/// A zstd decompression context, and memory to unpack into, with one owner. Not safe to use from two threads at once.
package final class Decompressor: @unchecked Sendable {
  /// Made when zstd is needed first.
  fileprivate private(set) lazy var pointer: OpaquePointer = {
    guard let made = ZSTD_createDCtx() else { fatalError("zstd: out of memory") }
    isMade = true
    return made
  }()
  private var isMade = false
  /// Room for a ``HuffmanCode``'s table, and behind it for a content.
  private var memory: UnsafeMutableRawPointer
  /// For contents, in bytes.
  private var room = usualRoom
  /// Room for what is read of a file, and how much, in bytes.
  private var (file, fileSize): (UnsafeMutablePointer<UInt8>, Int) = (.allocate(capacity: usualFileRoom), usualFileRoom)
  private static let tableSize = (MemoryLayout<UInt16>.stride * HuffmanCode.tableCapacity + 15) & ~15
  private static let usualRoom = 14 << 10
  private static let usualFileRoom = 16 << 10
  private static let keptRoom = 64 << 10

  package init() {
    memory = .allocate(byteCount: Self.tableSize + room, alignment: 16)
  }
  deinit {
    if isMade { ZSTD_freeDCtx(pointer) }
    memory.deallocate()
    file.deallocate()
  }

  package var table: UnsafeMutablePointer<UInt16> {
    memory.bindMemory(to: UInt16.self, capacity: HuffmanCode.tableCapacity)
  }

  /// Decompresses a frame of `size` bytes, at most ``ZstdFrame/contentLimit``, into memory that is valid until the next.
  ///
  /// - Returns: The content, with ``FieldColumns/slack`` zeros behind it. ``table`` is another than before.
  /// - Throws: As ``ZstdFrame/decompress(_:into:with:)``.
  package func unpack(
    _ frame: UnsafeBufferPointer<UInt8>, size: Int
  ) throws(FormatError) -> UnsafeBufferPointer<UInt8> {
    if size + FieldColumns.slack > room { makeRoom(size + FieldColumns.slack) }
    let start = memory + Self.tableSize
    try ZstdFrame.decompress(frame, into: UnsafeMutableRawBufferPointer(start: start, count: size), with: self)
    let bytes = start.bindMemory(to: UInt8.self, capacity: size + FieldColumns.slack)
    (bytes + size).update(repeating: 0, count: FieldColumns.slack)
    return UnsafeBufferPointer(start: bytes, count: size)
  }

  /// Room for `size` bytes of a file, valid until the next, with ``FieldColumns/slack`` behind them that can be read.
  func fileRoom(_ size: Int) -> UnsafeMutablePointer<UInt8> {
    if size + FieldColumns.slack > fileSize { makeFileRoom(size + FieldColumns.slack) }
    return file
  }

  /// Gives back what a large content and a large part of a file took.
  func trim() {
    if room > Self.keptRoom { makeRoom(Self.usualRoom) }
    if fileSize > Self.keptRoom { makeFileRoom(Self.usualFileRoom) }
  }

  private func makeFileRoom(_ bytes: Int) {
    file.deallocate()
    (file, fileSize) = (.allocate(capacity: bytes), bytes)
  }

  private func makeRoom(_ bytes: Int) {
    memory.deallocate()
    room = bytes
    memory = .allocate(byteCount: Self.tableSize + room, alignment: 16)
  }
}

/// A zstd compression context with one owner. Not safe to use from two threads at once.
package final class Compressor: @unchecked Sendable {
  fileprivate private(set) var pointer: OpaquePointer
  /// For a larger content zstd takes tables of up to 50 MB, which nobody else needs, in bytes.
  fileprivate static let usualContent = 1 << 20

  package init() { pointer = Self.made() }

  private static func made() -> OpaquePointer {
    guard let made = ZSTD_createCCtx() else { fatalError("zstd: out of memory") }
    return made
  }

  /// Gives back what a large content took.
  fileprivate func renew() {
    ZSTD_freeCCtx(pointer)
    pointer = Self.made()
  }
  deinit { ZSTD_freeCCtx(pointer) }
}

extension ZstdFrame {
  /// The content size that the frame's header declares, in bytes; nil if there is none.
  package static func contentSize(of frame: UnsafeBufferPointer<UInt8>) -> Int? { Header(frame)?.contentSize }

  /// The size in bytes of the frame that `bytes` begin with; nil if they hold no whole one.
  package static func size(of bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let header = Header(bytes) else { return nil }
    var at = header.size
    while let block = block(at: at, of: bytes) {
      guard block.size <= bytes.count - at - 3 else { return nil }
      at += 3 + block.size
      guard block.isLast else { continue }
      at += header.hasChecksum ? 4 : 0
      return at <= bytes.count ? at : nil
    }
    return nil
  }

  /// A frame that declares `content` bytes is refused if it is larger: no more of a file is read than that.
  package static func sizeLimit(content: Int) -> Int { content + 65536 }
}
