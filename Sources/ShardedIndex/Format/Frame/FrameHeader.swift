/// The header of a zstd frame (RFC 8878 section 3.1.1.1).
///
/// zstd's own functions also accept a skippable frame, as a frame without content, and, in some builds, the formats
/// before zstd's first version.
struct FrameHeader {
  /// The size of the header in bytes.
  let size: Int
  /// The size of the content in bytes; nil if it is not declared.
  let contentSize: Int?
  /// Whether the window is the content.
  let isSingleSegment: Bool
  let hasChecksum: Bool

  /// - Returns: nil unless the bytes begin with a whole header that this version of zstd accepts.
  init?(_ bytes: RawSpan) {
    guard bytes.byteCount >= 6, bytes.load(0, as: UInt32.self) == 0xfd2f_b528 else { return nil }
    let descriptor = bytes[4]
    // A reserved bit or a dictionary, which no frame of an index has.
    guard descriptor & 0b1011 == 0 else { return nil }
    isSingleSegment = descriptor & 0b10_0000 != 0
    hasChecksum = descriptor & 0b100 != 0
    let start = isSingleSegment ? 5 : 6
    let width = descriptor < 64 && !isSingleSegment ? 0 : 1 << Int(descriptor >> 6)
    size = start + width
    guard bytes.byteCount >= size else { return nil }
    var declared: UInt64 = width == 2 ? 256 : 0
    // Eight bytes hold at most 2^64 - 1. Only two bytes get 256 more.
    for index in 0..<width { declared += UInt64(bytes[start + index]) << UInt64(8 * index) }
    contentSize = width > 0 ? Int(exactly: declared) : nil
  }
}

/// The header of a block of a zstd frame (RFC 8878 section 3.1.1.2).
struct FrameBlock {
  /// The number of bytes behind the header.
  let size: Int
  /// Whether these bytes are the content itself.
  let isStored: Bool
  let isLast: Bool

  /// The largest content of a block, in bytes (RFC 8878 section 3.1.1.2.4).
  static let contentLimit = 1 << 17
  static let headerSize = 3

  /// - Returns: nil if no header is at `offset`, or the type is reserved.
  @inline(__always)
  init?(at offset: Int, of bytes: RawSpan) {
    guard offset + Self.headerSize <= bytes.byteCount else { return nil }
    let header = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2]) << 16
    let kind = header >> 1 & 3
    guard kind < 3 else { return nil }
    // A block of kind 1 is one byte, and its size is the number of repetitions.
    (size, isStored, isLast) = (kind == 1 ? 1 : header >> 3, kind == 0, header & 1 == 1)
  }
}
